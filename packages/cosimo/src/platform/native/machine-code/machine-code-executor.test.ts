/**
 * Machine code against the interpreter, one case each. Rules: docs/spec/machine-code.md. Random
 * couplings are in same-traces.test.ts.
 */
import { describe, expect, it } from "vitest";
import { bindPlan, type PlanState } from "../../../engine/signals.ts";
import { compilePlan } from "../../../plan/compile.ts";
import { scenarioOf } from "../../../plan/testing/scenario-of.ts";
import { linearUnit } from "../../../unit/linear-unit.ts";
import { CALL_NAMES } from "../call-names.ts";
import { refusalOfHost } from "../host-code.ts";
import { Behaviour } from "../testing/behaviour.ts";
import { unpackFixtures, VERSIONS } from "../testing/fixtures.ts";
import { type MachineCodeExecutor, machineCodeExecutor } from "./machine-code-executor.ts";
import { PatientCode } from "./patient-code.ts";
import { type CoupledRun, expectSameRuns, runOn, type Wire } from "./testing/both-executors.ts";

const fixture = unpackFixtures();

describe.each(VERSIONS)("machine code over %s FMUs", (version) => {
  const dahlquist = fixture(`${version}/Dahlquist`);
  const misbehaving = fixture(`${version}/Misbehaving`);
  const feedthrough = fixture(`${version}/Feedthrough`);
  const left = fixture(`${version}/MassSpringDamperLeft`);
  const right = fixture(`${version}/MassSpringDamperRight`);
  const constantStep = fixture(`gotchas/${version}/ConstantStep`);

  async function ring(more: Partial<CoupledRun> = {}): Promise<CoupledRun> {
    const fmu = await dahlquist;
    return {
      units: [{ fmu }, { fmu }],
      wires: [
        { from: [0, "x"], to: [1, "k"] },
        { from: [1, "x"], to: [0, "k"] },
      ],
      step: 0.01,
      ticks: 100,
      ...more,
    };
  }

  /** A well-behaved unit that follows one that misbehaves in the step that goes past `at`. */
  async function misbehavingPair(
    behaviour: number,
    more: Partial<CoupledRun> = {},
  ): Promise<CoupledRun> {
    return {
      units: [
        { fmu: await dahlquist },
        { fmu: await misbehaving, values: { behaviour, at: 0.455 } },
      ],
      wires: [{ from: [1, "x"], to: [0, "k"] }],
      step: 0.01,
      ticks: 100,
      ...more,
    };
  }

  it.each(["NegativeStatus", "UnknownStatus", "NegativeGet"])(
    "[NA92] %s: a number that is not a status ends the run as it does in the interpreter",
    async (name) => {
      const fmu = await fixture(`gotchas/${version}/${name}`);
      const run = await expectSameRuns(await ring({ units: [{ fmu }, { fmu: await dahlquist }] }));
      expect(run.executor).toBe("machine-code");
      expect(run.end).toMatchObject({ kind: "failed", failure: { unit: "u0" } });
    },
  );

  it("[MC1] a ring gives the interpreter's trace", async () => {
    const run = await expectSameRuns(await ring());
    expect(run.executor).toBe("machine-code");
    expect(run.rows).toHaveLength(101);
    expect(run.rows.at(-1)![1]).toBeGreaterThan(0.3);
  });

  it.each([7, 70, 1000])(
    "[MC19] code that is written late changes nothing, in chunks of %i",
    async (chunk) => {
      let patient: PatientCode | undefined;
      const late = (state: PlanState): PatientCode => {
        patient = new PatientCode(state, (refuse) => machineCodeExecutor(state, refuse));
        expect(patient.idle).toMatch(/before machine code/);
        return patient;
      };
      const run = await expectSameRuns(await ring({ ticks: 450, chunk, recordEvery: 3 }), late);
      expect(run.rows).toHaveLength(151);
      expect(patient?.idle).toBeUndefined();
      expect(patient?.codeBytes).toBeGreaterThan(0);
      const few = await expectSameRuns(await ring({ ticks: 150, chunk }), late);
      expect(few.end).toMatchObject({ kind: "completed" });
      expect(patient?.codeBytes).toBe(0);
    },
  );

  it("[MC1] chunks, rates, a start time and decimation change nothing", async () => {
    const fmu = await dahlquist;
    const units = [
      { fmu, step: 0.02 },
      { fmu, step: 0.03 },
    ];
    const run = await expectSameRuns(
      await ring({ units, start: -0.7, chunk: 7, recordEvery: 4, ticks: 121 }),
    );
    const times = Array.from({ length: 31 }, (_, i) => -0.7 + 4 * i * 0.01);
    expect(run.rows.map(([time]) => time)).toEqual(times);
  });

  it("[MC10] hands rows over together where they are taken so", async () => {
    const run = await expectSameRuns(
      await ring({ rowsTogether: true, chunk: 30, recordEvery: 7, ticks: 100 }),
    );
    expect(run.rows).toHaveLength(15);
    const failing = await misbehavingPair(Behaviour.error, { rowsTogether: true });
    expect((await expectSameRuns(failing)).rows).toHaveLength(46);
  });

  it.each(["hold", "linear", "quadratic", "extrapolated-interpolation", "interpolation"] as const)(
    "[MC2] inputs that are told by %s",
    async (approximation) => {
      const wires: Wire[] = [
        { from: [0, "x_1"], to: [1, "x_c"], approximation },
        { from: [0, "v_1"], to: [1, "v_c"], approximation },
        {
          from: [1, "F_c"],
          to: [0, "F_e"],
          ...(approximation === "interpolation" ? {} : { approximation }),
        },
      ];
      for (const rightStep of [0.1, 0.2]) {
        const run = await expectSameRuns({
          units: [{ fmu: await left }, { fmu: await right, step: rightStep }],
          wires,
          master: "gauss-seidel",
          step: 0.1,
          ticks: 40,
        });
        expect(run.executor).toBe("machine-code");
      }
    },
  );

  it("[MC3] numbers of every type, scaled and tabulated", async () => {
    const fmu = await feedthrough;
    const types = fmu.description.variables.flatMap(({ name }) =>
      /^(?!String|Binary).*_input$/.test(name) ? [name.replace(/_input$/, "")] : [],
    );
    expect(types.length).toBe(version === "fmi2" ? 5 : 14);
    const straight = types.map(
      (type): Wire => ({ from: [0, `${type}_output`], to: [1, `${type}_input`] }),
    );
    await expectSameRuns({ units: [{ fmu }, { fmu }], wires: straight, step: 0.1, ticks: 20 });
    // A growing double into every type that lives among the doubles, truncated as typed arrays do.
    const mixed = types
      .filter((type) => !/^U?Int64|^Enumeration/.test(type))
      .map(
        (type): Wire => ({ from: [0, "x"], to: [1, `${type}_input`], factor: 300.7, offset: -2e3 }),
      );
    const run = await expectSameRuns({
      units: [{ fmu: await misbehaving }, { fmu }],
      wires: mixed,
      step: 0.1,
      ticks: 100,
    });
    expect(run.executor).toBe("machine-code");
  });

  it("[MC3] value tables, with values that are not in them", async () => {
    const mapping = [
      { from: 0, to: 3 },
      { from: 1, to: -1.5 },
      { from: 2, to: 0.25 },
    ];
    const run = await expectSameRuns({
      units: [{ fmu: await misbehaving }, { fmu: await dahlquist }],
      wires: [{ from: [0, "steps"], to: [1, "k"], mapping }],
      step: 0.1,
      ticks: 5,
      record: [[1, "k"]],
    });
    expect(run.rows.map(([, k]) => k)).toEqual([3, -1.5, 0.25, 3, 4, 5]);
  });

  it("[MC4] warnings go on, are counted, and are logged", async () => {
    const run = await expectSameRuns(await misbehavingPair(Behaviour.warn));
    expect(run.end).toMatchObject({ kind: "completed" });
    expect(run.warnings).toBeGreaterThan(0);
    expect(run.logs[1].length).toBe(run.warnings);
    expect(run.linesInTime).toBe(run.warnings);
  });

  it.each(["discard", "error", "fatal", "terminate", "earlyReturn"] as const)(
    "[MC5] an FMU that does %s ends the run as the interpreter ends it",
    async (name) => {
      for (const earlyReturn of [false, true]) {
        const pair = await misbehavingPair(Behaviour[name]);
        const [first, second] = pair.units;
        const units = [first!, { ...second!, options: { earlyReturn } }];
        const run = await expectSameRuns({ ...pair, units });
        expect(run.executor).toBe("machine-code");
        const goesOn = name === "earlyReturn" && version === "fmi3" && !earlyReturn;
        expect(run.rows).toHaveLength(goesOn ? 101 : 46);
        if (name === "error")
          expect(run.end).toMatchObject({
            failure: {
              unit: "u1",
              call: `${version}DoStep`,
              log: [expect.stringMatching(/failed as asked/)],
            },
          });
      }
    },
  );

  it("[MC6] an FMU that wants constant steps gets the same number every time", async () => {
    const fmu = await constantStep;
    const run = await expectSameRuns(await ring({ units: [{ fmu }, { fmu }], step: 0.1 }));
    expect(run.executor).toBe("machine-code");
    expect(run.end).toMatchObject({ kind: "completed" });
  });

  it("[MC7] the lastCall names the call under way and is 0 between", async () => {
    const lastCall = new Int32Array(1);
    const seen = new Set<string>();
    const pair = await misbehavingPair(Behaviour.warn);
    const options = {
      lastCall,
      logger: "callback" as const,
      onLog: () => seen.add(CALL_NAMES[lastCall[0]]),
    };
    const units = pair.units.map((unit) => ({ ...unit, options }));
    const run = await runOn("machine-code", { ...pair, units });
    expect(run.executor).toBe("machine-code");
    expect([...seen]).toEqual([`${version}DoStep`]);
    expect(lastCall[0]).toBe(0);
  });

  it("[MC8] declines plans in which every FMU's calls are logged, and says so", async () => {
    const unit = { fmu: await dahlquist, options: { callLog: () => undefined } };
    expect(await runOn("machine-code", await ring({ units: [unit, unit] }))).toMatchObject({
      executor: "interpreter",
      refusal: "'u0': its calls are logged",
    });
  });
});

describe("machine code", () => {
  it("[MC5] goes on after the interpreter has finished a tick", async () => {
    // 2^64 - 1 as a double needs care: the interpreter converts it in every tick.
    const fmu = await fixture("fmi3/Feedthrough");
    const run = await expectSameRuns({
      units: [{ fmu }, { fmu }],
      wires: [{ from: [0, "UInt64_output"], to: [1, "Float64_continuous_input"] }],
      step: 0.1,
      ticks: 10,
    });
    expect(run.executor).toBe("machine-code");
    expect(run.rows).toHaveLength(11);
  });

  it("[MC3] refuses a fraction as an enumeration, as the interpreter does", async () => {
    const run = await expectSameRuns({
      units: [
        { fmu: await fixture("fmi3/Misbehaving") },
        { fmu: await fixture("fmi3/Feedthrough") },
      ],
      wires: [{ from: [0, "x"], to: [1, "Enumeration_input"], factor: 10 }],
      step: 0.05,
      ticks: 10,
    });
    expect(run.executor).toBe("machine-code");
    expect(run.end).toMatch(/cannot be converted to a BigInt/);
  });

  it("[MC8] declines plans without native units, machines it is not made for, intermediate updates alone", async () => {
    const unit = linearUnit({ name: "plain", states: { x: {} }, a: [[-1]] }, "plain");
    const scenario = scenarioOf({ plain: unit.description }, "", { step: 1 });
    const { plan } = compilePlan(scenario, { record: [] }).value!;
    let reason = "";
    const state = bindPlan(plan, [unit]);
    expect(machineCodeExecutor(state, (why) => (reason = why))).toBeUndefined();
    expect(reason).toBe("'plain': not a native FMU");
    expect(refusalOfHost("linux", "x64")).toBeUndefined();
    expect(refusalOfHost("darwin", "x64")).toBeUndefined();
    expect(refusalOfHost("linux", "arm64")).toBeUndefined();
    expect(refusalOfHost("darwin", "arm64")).toBeUndefined();
    expect(refusalOfHost("linux", "riscv64")).toMatch(/riscv64/);
    expect(refusalOfHost("win32", "x64")).toMatch(/win32/);
    const fmu = await fixture("fmi3/VanDerPol");
    const options = { intermediateUpdate: { ports: [], handle: () => undefined } };
    const run = await runOn("machine-code", {
      units: [{ fmu, options }],
      wires: [],
      step: 0.1,
      ticks: 1,
    });
    expect(run.refusal).toMatch(/intermediate updates/);
  });

  it("[MC9] is gone after dispose, which may be called twice", async () => {
    const fmu = await fixture("fmi2/Dahlquist");
    const run = await runOn("machine-code", { units: [{ fmu }], wires: [], step: 0.1, ticks: 1 });
    run.machineCode!.dispose();
    const sink = { progress: { tick: 1 }, onRow: () => undefined };
    expect(() => run.machineCode!.run(2, 1, sink)).toThrow(/is gone/);
  });

  it("[MC19] waits for its code only where a plan is large and nobody insists", async () => {
    const fmu = await fixture("fmi2/Dahlquist");
    const waits = async (count: number, isPatient: boolean): Promise<boolean> => {
      const units = Array.from({ length: count }, () => ({ fmu }));
      let executor: MachineCodeExecutor | undefined;
      const choose = (state: PlanState): MachineCodeExecutor => {
        executor = machineCodeExecutor(state, undefined, { isPatient })!;
        return executor;
      };
      await runOn(choose, { units, wires: [], step: 0.1, ticks: 1 });
      return executor instanceof PatientCode;
    };
    expect(await waits(2, true)).toBe(false);
    expect(await waits(1000, true)).toBe(true);
    expect(await waits(1000, false)).toBe(false);
  });
});
