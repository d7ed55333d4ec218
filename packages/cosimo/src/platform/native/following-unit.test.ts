import { describe, expect, it } from "vitest";
import { advanceTo, getNumber, indexOf, setValues } from "../../unit/testing/drive.ts";
import type { Unit } from "../../unit/unit.ts";
import { openFollowingUnit } from "./following-unit.ts";
import { openNativeUnit } from "./open-native-unit.ts";
import { unpackFixtures } from "./testing/fixtures.ts";

const fixture = unpackFixtures();

/** One step of 0.5 s with the force F = 1 + 2t. */
function stepOnRamp(unit: Unit): readonly [number, number] {
  unit.enterInitialization({ start: 0 });
  unit.exitInitialization();
  setValues(unit, { F_e: 1 });
  unit.setInputDerivatives([indexOf(unit, "F_e")], [1], Float64Array.of(2));
  advanceTo(unit, 0, 0.5);
  const values = [getNumber(unit, "x_1"), getNumber(unit, "v_1")] as const;
  unit.dispose();
  return values;
}

describe("input derivatives of an FMI 3 FMU", () => {
  it("[NA80] reach it through intermediate updates and give what FMI 2 gives", async () => {
    const three = stepOnRamp(openFollowingUnit(await fixture("fmi3/MassSpringDamperLeft")));
    const two = stepOnRamp(openNativeUnit(await fixture("fmi2/MassSpringDamperLeft")));
    expect(three[0]).toBeCloseTo(two[0], 14);
    expect(three[1]).toBeCloseTo(two[1], 14);
  });

  it("[NA80] are claimed only where the FMU asks for its inputs inside a step", async () => {
    const follower = openFollowingUnit(await fixture("fmi3/MassSpringDamperLeft"));
    expect(follower.description.capabilities.inputDerivativeOrder).toBe(2);
    follower.dispose();
    const plain = openFollowingUnit(await fixture("fmi3/MassSpringDamperLeftPlain"));
    expect(plain.description.capabilities.inputDerivativeOrder).toBe(0);
    plain.dispose();
  });

  it("[NA81] go on in the next step from where the last one ended", async () => {
    const run = (unit: Unit): number => {
      unit.enterInitialization({ start: 0 });
      unit.exitInitialization();
      setValues(unit, { F_e: 1 });
      unit.setInputDerivatives([indexOf(unit, "F_e")], [1], Float64Array.of(2));
      advanceTo(unit, 0, 0.25);
      advanceTo(unit, 0.25, 0.5);
      const x = getNumber(unit, "x_1");
      unit.dispose();
      return x;
    };
    const once = stepOnRamp(openFollowingUnit(await fixture("fmi3/MassSpringDamperLeft")));
    expect(run(openFollowingUnit(await fixture("fmi3/MassSpringDamperLeft")))).toBeCloseTo(
      once[0],
      13,
    );
  });
});
