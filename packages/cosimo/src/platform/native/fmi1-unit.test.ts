/**
 * FMI 1.0 slaves: symbols with the model identifier, one call that initializes, booleans of one
 * byte, callbacks by value, steps that are discarded. The contract suite runs on them as well
 * (contract.test.ts).
 */
import { describe, expect, it } from "vitest";
import { advanceTo, failureOf, getNumber, setValues, startUnit } from "../../unit/testing/drive.ts";
import { checkBinary } from "./check-binary.ts";
import { openNativeUnit } from "./open-native-unit.ts";
import { Behaviour } from "./testing/behaviour.ts";
import { unpackFixtures } from "./testing/fixtures.ts";

const fixture = unpackFixtures();

describe("FMUs of FMI 1.0", () => {
  it.each(["Dahlquist", "VanDerPol"])(
    "[NA111] %s runs as its FMI 2.0 sibling does",
    async (name) => {
      const traceOf = async (version: string): Promise<number[]> => {
        const unit = openNativeUnit(await fixture(`${version}/${name}`));
        startUnit(unit);
        const output = unit.description.ports.find(({ direction }) => direction === "output")!.name;
        const trace = Array.from({ length: 20 }, (_, i) => {
          advanceTo(unit, i / 10, (i + 1) / 10);
          return getNumber(unit, output);
        });
        unit.terminate();
        unit.dispose();
        return trace;
      };
      expect(await traceOf("fmi1")).toEqual(await traceOf("fmi2"));
    },
  );

  it("[NA111] the order of calls is that of the standard, inputs are set before initialization", async () => {
    const calls: string[] = [];
    const callLog = (line: string): void => void calls.push(/^\w+/.exec(line)![0]);
    const unit = openNativeUnit(await fixture("fmi1/Feedthrough"), { callLog });
    setValues(unit, { Boolean_input: 1, Float64_continuous_input: 3 });
    startUnit(unit);
    advanceTo(unit, 0, 0.1);
    expect(getNumber(unit, "Boolean_output")).toBe(1);
    expect(getNumber(unit, "Float64_continuous_output")).toBe(3);
    unit.terminate();
    unit.dispose();
    expect(calls.filter((call) => !call.startsWith("fmiGet"))).toEqual([
      "fmiInstantiateSlave",
      "fmiSetBoolean",
      "fmiSetReal",
      "fmiInitializeSlave",
      "fmiDoStep",
      "fmiTerminateSlave",
      "fmiFreeSlaveInstance",
    ]);
  });

  it("[NA111] a discarded step ends at the last successful time; a failing one has its log", async () => {
    const at = 0.45;
    const open = async (behaviour: number) => {
      const unit = openNativeUnit(await fixture("fmi1/Misbehaving"));
      setValues(unit, { behaviour, at });
      startUnit(unit);
      advanceTo(unit, 0, 0.4);
      return unit;
    };
    const discarding = await open(Behaviour.discard);
    expect(discarding.advance(0.4, { kind: "time", time: 0.5 })).toMatchObject({
      reason: "discarded",
      time: at,
    });
    discarding.dispose();
    const failing = await open(Behaviour.error);
    const failure = failureOf(() => advanceTo(failing, 0.4, 0.5));
    expect(failure).toMatchObject({ call: "fmiDoStep", status: "fmiError" });
    expect(failure.log.join()).toContain("failed as asked at t=0.4");
    failing.dispose();
  });

  it("[NA111] its binary is held to its description", async () => {
    expect(checkBinary(await fixture("fmi1/VanDerPol")).map(({ code }) => code)).toEqual([]);
  });
});
