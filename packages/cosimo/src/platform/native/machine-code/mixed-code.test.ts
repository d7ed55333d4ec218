/**
 * Plans of which only some are machine code, one case each. Rules: docs/spec/machine-code.md.
 * Random couplings are in same-traces.test.ts.
 */
import { describe, expect, it } from "vitest";
import { CALL_NAMES } from "../call-names.ts";
import type { Fmi2Unit } from "../fmi2-unit.ts";
import type { Fmi3Unit } from "../fmi3-unit.ts";
import { openNativeUnit } from "../open-native-unit.ts";
import { Behaviour } from "../testing/behaviour.ts";
import { unpackFixtures, VERSIONS } from "../testing/fixtures.ts";
import {
  type CoupledRun,
  expectSameRuns,
  runOn,
  type UnitChoice,
} from "./testing/both-executors.ts";
import { PLAIN_UNITS } from "./testing/plain-units.ts";

const fixture = unpackFixtures();

function plain(kind: string, at = Number.POSITIVE_INFINITY): UnitChoice {
  return { make: (name) => PLAIN_UNITS[kind](name, { at, start: 0, step: 0.01 }) };
}

describe.each(VERSIONS)("machine code and interpreter in turns over %s FMUs", (version) => {
  const dahlquist = fixture(`${version}/Dahlquist`);
  const misbehaving = fixture(`${version}/Misbehaving`);
  const feedthrough = fixture(`${version}/Feedthrough`);
  const constantStep = fixture(`gotchas/${version}/ConstantStep`);

  /**
   * A ring of an FMU that behaves as said from t = 0.455 on, a unit in TypeScript, and another FMU.
   */
  async function ring(behaviour: number, more: Partial<CoupledRun> = {}): Promise<CoupledRun> {
    return {
      units: [
        { fmu: await misbehaving, values: { behaviour, at: 0.455 } },
        plain("linear"),
        { fmu: await dahlquist },
      ],
      wires: [
        { from: [0, "x"], to: [1, "u"], factor: 0.5 },
        { from: [1, "x"], to: [2, "k"] },
      ],
      step: 0.01,
      ticks: 100,
      ...more,
    };
  }

  it("[MC13] a ring with a unit in TypeScript gives the interpreter's trace", async () => {
    for (const chunk of [1, 7, 1000]) {
      const run = await expectSameRuns(await ring(Behaviour.ok, { chunk, recordEvery: 3 }));
      expect(run.executor).toBe("machine-code");
      expect(run.rows).toHaveLength(34);
    }
  });

  it("[MC14] tells which units are interpreted, and why", async () => {
    const { machineCode } = await runOn("machine-code", await ring(Behaviour.ok));
    expect(machineCode!.interpreted).toEqual([{ unit: "u1", why: "not a native FMU" }]);
    expect(machineCode!.codeBytes).toBeGreaterThan(0);
    const whole = await runOn("machine-code", {
      ...(await ring(Behaviour.ok)),
      units: [{ fmu: await dahlquist }],
      wires: [],
    });
    expect(whole.machineCode!.interpreted).toEqual([]);
  });

  it("[MC12] an FMU whose calls are logged leaves the others in machine code", async () => {
    const coupling = await ring(Behaviour.ok);
    const lines: string[] = [];
    const options = { callLog: (line: string) => void lines.push(line) };
    const [first, second, third] = coupling.units;
    const units = [first!, second!, { ...third!, options }];
    const run = await runOn("machine-code", { ...coupling, units });
    expect(run.machineCode!.interpreted).toEqual([
      { unit: "u1", why: "not a native FMU" },
      { unit: "u2", why: "its calls are logged" },
    ]);
    expect(lines.filter((line) => line.includes(`${version}DoStep`))).toHaveLength(100);
  });

  it("[MC12] texts are exchanged by the interpreter, the steps around them are machine code", async () => {
    const fmu = await feedthrough;
    const run = await expectSameRuns({
      units: [plain("teller"), { fmu }, plain("teller")],
      wires: [
        { from: [0, "said"], to: [1, "String_input"] },
        { from: [1, "String_output"], to: [2, "heard"] },
      ],
      step: 0.1,
      ticks: 4,
      record: [
        [1, "String_output"],
        [2, "n"],
      ],
    });
    expect(run.machineCode!.interpreted).toContainEqual({
      unit: "u1",
      why: "values of type String",
    });
    // The first teller hears nothing but its start value, and counts its steps; its words pass the
    // FMU at once.
    expect(run.rows.map((row) => row.slice(1))).toEqual([
      [expect.any(String), 0n],
      ["1 after -", 1n],
      ["2 after -", 2n],
      ["3 after -", 3n],
      ["4 after -", 4n],
    ]);
  });

  it("[MC13] a unit driven by code knows its time whenever the interpreter calls it", async () => {
    const fmu = await feedthrough;
    const seen = new Set<number>();
    const watched: UnitChoice = {
      make(name) {
        const unit = openNativeUnit(fmu, { name, eventMode: false });
        const { time } = (unit as Fmi2Unit | Fmi3Unit).machineAccess();
        const read = unit.read.bind(unit);
        unit.read = (access, banks) => {
          seen.add(time());
          read(access, banks);
        };
        return unit;
      },
    };
    const run = await runOn("machine-code", {
      units: [watched],
      wires: [],
      step: 0.125,
      ticks: 4,
      recordTexts: true,
    });
    expect(run.executor).toBe("machine-code");
    expect([...seen]).toEqual([0, 0.125, 0.25, 0.375, 0.5]);
  });

  it.each(["discard", "error", "fatal", "terminate", "earlyReturn"] as const)(
    "[MC13] an FMU that does %s ends the run as the interpreter ends it",
    async (name) => {
      const run = await expectSameRuns(await ring(Behaviour[name]));
      expect(run.machineCode!.interpreted).toHaveLength(1);
      const goesOn = name === "earlyReturn" && version === "fmi3";
      expect(run.rows).toHaveLength(goesOn ? 101 : 46);
      if (name === "error")
        expect(run.end).toMatchObject({
          kind: "failed",
          steps: 45,
          failure: {
            unit: "u0",
            call: `${version}DoStep`,
            log: [expect.stringMatching(/failed as asked/)],
          },
        });
    },
  );

  it("[MC13] a unit in TypeScript that fails ends the run as the interpreter ends it", async () => {
    const coupling = await ring(Behaviour.warn);
    const units = [coupling.units[0], plain("failing", 0.755), coupling.units[2]];
    const run = await expectSameRuns({ ...coupling, units, wires: [] });
    expect(run.end).toMatchObject({ steps: 75, failure: { unit: "u1", status: "tired" } });
    expect(run.rows).toHaveLength(76);
    expect(run.logs[0]).toHaveLength(1);
  });

  it("[MC13] warnings are counted and logged by the end of the chunk", async () => {
    const run = await expectSameRuns(await ring(Behaviour.warn, { chunk: 9 }));
    expect(run.warnings).toBeGreaterThan(0);
    expect(run.linesInTime).toBe(run.warnings);
  });

  it("[MC6] an FMU that wants constant steps gets the same number every time beside TypeScript too", async () => {
    const fmu = await constantStep;
    const coupling = await ring(Behaviour.ok, { step: 0.1 });
    const units = [{ fmu }, coupling.units[1], { fmu }];
    const run = await expectSameRuns({
      ...coupling,
      units,
      wires: [{ from: [1, "x"], to: [2, "k"] }],
    });
    expect(run.end).toMatchObject({ kind: "completed" });
    expect(run.executor).toBe("machine-code");
  });

  it("[MC7] the lastCall is 0 while other units are called", async () => {
    const lastCall = new Int32Array(1);
    const inside = new Set<string>();
    const outside = new Set<number>();
    const coupling = await ring(Behaviour.warn);
    const options = {
      lastCall,
      logger: "callback" as const,
      onLog: () => inside.add(CALL_NAMES[lastCall[0]]),
    };
    const watcher: UnitChoice = {
      make(name) {
        const unit = PLAIN_UNITS["linear"](name, { at: 0, start: 0, step: 0.01 });
        const advance = unit.advance.bind(unit);
        unit.advance = (from, until) => {
          outside.add(lastCall[0]);
          return advance(from, until);
        };
        return unit;
      },
    };
    const units = [{ ...coupling.units[0], options }, watcher, coupling.units[2]];
    const run = await runOn("machine-code", { ...coupling, units });
    expect(run.end).toMatchObject({ kind: "completed" });
    expect([...inside]).toEqual([`${version}DoStep`]);
    expect([...outside]).toEqual([0]);
  });

  it("[MC13] steps of no length end the run when they are due, as the interpreter ends it", async () => {
    // Between 1e16 and 1e16 + 1 there is no double: the first step of both units, two ticks long,
    // has no length.
    const slow = { step: 0.5 };
    const run = await expectSameRuns({
      units: [
        { ...plain("linear"), ...slow },
        { fmu: await dahlquist, ...slow },
      ],
      wires: [{ from: [0, "x"], to: [1, "k"] }],
      start: 1e16,
      step: 0.25,
      ticks: 16,
      record: [[1, "x"]],
    });
    expect(run.executor).toBe("machine-code");
    expect(run.end).toMatch(/cannot advance from t=10000000000000000/);
    expect(run.rows).toHaveLength(2);
  });

  it("[MC9] is gone after dispose, which may be called twice", async () => {
    const run = await runOn("machine-code", await ring(Behaviour.ok));
    run.machineCode!.dispose();
    const sink = { progress: { tick: 1 }, onRow: () => undefined };
    expect(() => run.machineCode!.run(2, 1, sink)).toThrow(/is gone/);
  });
});
