import { describe, expect, it } from "vitest";
import { advanceTo, getNumber, indexOf, setValues } from "../../unit/testing/drive.ts";
import type { Unit } from "../../unit/unit.ts";
import { openFollowingUnit } from "./following-unit.ts";
import type { NativeFmu } from "./native-options.ts";
import { openNativeUnit } from "./open-native-unit.ts";
import { unpackFixtures } from "./testing/fixtures.ts";

const fixture = unpackFixtures();

function started(unit: Unit): Unit {
  unit.enterInitialization({ start: 0 });
  unit.exitInitialization();
  return unit;
}

/** The state of `from`, through bytes, in `to`. */
function handOver(from: Unit, to: Unit): void {
  const saved = from.save();
  const moved = to.deserialize(from.serialize(saved));
  to.restore(moved);
  to.release(moved);
  from.release(saved);
}

describe("a saved native unit", () => {
  it("[CK3] keeps the derivatives of followed inputs, also through a rollback", async () => {
    const fmu = await fixture("fmi3/MassSpringDamperLeft");
    const one = started(openFollowingUnit(fmu));
    setValues(one, { F_e: 1 });
    const input = [indexOf(one, "F_e")];
    one.setInputDerivatives(input, [1], Float64Array.of(2));
    advanceTo(one, 0, 0.25);
    const other = started(openFollowingUnit(fmu));
    handOver(one, other);
    const saved = one.save();
    advanceTo(one, 0.25, 0.5);
    const expected = getNumber(one, "x_1");
    advanceTo(other, 0.25, 0.5);
    expect(getNumber(other, "x_1")).toBe(expected);
    one.restore(saved);
    one.setInputDerivatives(input, [1], Float64Array.of(-7));
    advanceTo(one, 0.25, 0.5);
    expect(getNumber(one, "x_1")).not.toBe(expected);
    one.restore(saved);
    advanceTo(one, 0.25, 0.5);
    expect(getNumber(one, "x_1")).toBe(expected);
    one.dispose();
    other.dispose();
  });

  it.each(["fmi2", "fmi3"])(
    "[CK3] keeps the size of steps that an %s FMU insists on",
    async (version) => {
      const plain = await fixture(`${version}/Dahlquist`);
      const coSimulation = {
        ...plain.description.coSimulation!,
        canHandleVariableCommunicationStepSize: false,
      };
      const constant: NativeFmu = {
        ...plain,
        description: { ...plain.description, coSimulation },
      };
      const steps: string[] = [];
      const open = (): Unit =>
        started(
          openNativeUnit(constant, {
            eventMode: false,
            callLog: (line) => {
              if (line.includes("DoStep")) steps.push(line);
            },
          }),
        );
      const one = open();
      // 2 * 0.1 - 0.1 is 0.1, 3 * 0.1 - 2 * 0.1 is not.
      expect(3 * 0.1 - 2 * 0.1).not.toBe(0.1);
      advanceTo(one, 0, 0.1);
      advanceTo(one, 0.1, 0.2);
      const other = open();
      handOver(one, other);
      for (const unit of [one, other]) advanceTo(unit, 0.2, 3 * 0.1);
      expect(steps).toHaveLength(4);
      expect(steps[3]).toBe(steps[2]);
      expect(steps[3]).not.toContain(String(3 * 0.1 - 2 * 0.1));
      expect(getNumber(other, "x")).toBe(getNumber(one, "x"));
      one.dispose();
      other.dispose();
    },
  );
});
