/**
 * Model Exchange of FMI 1.0: one call that initializes, no modes, no reset, states without names.
 * The contract suite runs on it as well (exchange-contract.test.ts).
 */
import { describe, expect, it } from "vitest";
import {
  advanceTo,
  getNumber,
  settleEvents,
  setValues,
  startUnit,
  type Values,
} from "../../unit/testing/drive.ts";
import type { Unit } from "../../unit/unit.ts";
import { checkBinary } from "./check-binary.ts";
import type { NativeUnitOptions } from "./native-options.ts";
import { openExchangeUnit } from "./open-exchange-unit.ts";
import { unpackFixtures } from "./testing/fixtures.ts";

const fixture = unpackFixtures();
const INTEGRATOR = { tolerance: 1e-9 };

async function opened(name: string, options: NativeUnitOptions = {}): Promise<Unit> {
  return openExchangeUnit(await fixture(name), options, INTEGRATOR);
}

describe("Model Exchange of FMI 1.0", () => {
  it.each<[name: string, outputs: readonly string[], values: Values]>([
    ["ExchangeBall", ["h", "v", "bounces"], {}],
    ["ExchangeFeed", ["x", "y"], { u: 0.5 }],
    ["ExchangeRelay", ["x", "s", "switches"], {}],
    ["ExchangeSampler", ["x", "held", "samples", "changes"], { u: 2 }],
    ["ExchangeVanDerPol", ["x0", "x1"], {}],
  ])("[ME50] %s runs as its FMI 2.0 sibling does", async (name, outputs, values) => {
    const trace = async (version: string): Promise<number[]> => {
      const unit = await opened(`${version}/${name}`);
      startUnit(unit, { start: 0, tolerance: 1e-9 }, values);
      const found = Array.from({ length: 10 }, (_, i) => {
        advanceTo(unit, i / 10, (i + 1) / 10);
        return outputs.map((output) => getNumber(unit, output));
      });
      unit.terminate();
      unit.dispose();
      return found.flat();
    };
    const [one, two] = [await trace("fmi1"), await trace("fmi2")];
    for (const [i, value] of one.entries()) expect(value).toBeCloseTo(two[i], 7);
  });

  it("[ME51] the order of calls is that of the standard", async () => {
    const calls: string[] = [];
    const callLog = (line: string): void => void calls.push(/^\w+/.exec(line)![0]);
    const unit = await opened("fmi1/ExchangeSampler", { callLog });
    startUnit(unit, { start: 0 }, { u: 3 });
    unit.advance(0, { kind: "time", time: 0.2 });
    settleEvents(unit);
    unit.terminate();
    unit.dispose();
    const other = calls.filter((call) => !/^fmi(Get|SetContinuous)/.test(call));
    const repeated = other.filter((call, i) => call !== other[i - 1]);
    expect(repeated.slice(0, 5)).toEqual([
      "fmiInstantiateModel",
      "fmiSetTime",
      "fmiSetReal",
      "fmiInitialize",
      "fmiSetTime",
    ]);
    expect(repeated.slice(-3)).toEqual(["fmiEventUpdate", "fmiTerminate", "fmiFreeModelInstance"]);
    // What happens at the start belongs to the initialization.
    expect(other.filter((call) => call === "fmiEventUpdate")).toHaveLength(1);
  });

  it("[ME51] a discrete input that is set after the initialization is an event", async () => {
    const unit = await opened("fmi1/ExchangeSampler");
    unit.enterInitialization({ start: 0 });
    setValues(unit, { enable: false });
    unit.exitInitialization();
    settleEvents(unit);
    expect(getNumber(unit, "changes")).toBe(1);
    advanceTo(unit, 0, 0.1);
    setValues(unit, { enable: true });
    expect(getNumber(unit, "changes")).toBe(2);
    unit.dispose();
  });

  it("[ME52] a reset makes a new instance, which all accesses follow", async () => {
    const unit = await opened("fmi1/ExchangeBall");
    const run = (): number => {
      startUnit(unit);
      for (let i = 0; i < 60; i++) advanceTo(unit, i / 100, (i + 1) / 100);
      return getNumber(unit, "h");
    };
    const first = run();
    unit.terminate();
    unit.reset();
    expect(run()).toBe(first);
    unit.dispose();
  });

  it("[ME50] a sound binary passes the checks", async () => {
    for (const name of ["ExchangeBall", "ExchangeFeed", "ExchangeSampler"])
      expect(checkBinary(await fixture(`fmi1/${name}`))).toEqual([]);
  });
});
