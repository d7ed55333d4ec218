/**
 * Masters that decide at run time: what code does in their steps is what the interpreter does, bit
 * for bit, whatever happens in them.
 */
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hasErrors, unwrap } from "../src/base/diagnostic.ts";
import { present } from "../src/base/present.ts";
import { cases } from "../src/base/testing/cases.ts";
import type { RunState } from "../src/engine/checkpoint.ts";
import type { ConnectionEvents } from "../src/engine/event-counts.ts";
import type { MasterSummary } from "../src/engine/masters/master-summary.ts";
import { type Executor, interpreterExecutor } from "../src/engine/run-plan.ts";
import type { PlanState } from "../src/engine/signals.ts";
import type { ScenarioFile } from "../src/host/scenario-file.ts";
import { scenarioPorts } from "../src/model/scenario-ports.ts";
import { openScenarioFile } from "../src/node.ts";
import { machineCodeExecutor } from "../src/platform/native/machine-code/machine-code-executor.ts";
import { Behaviour } from "../src/platform/native/testing/behaviour.ts";
import { BUILD } from "../src/platform/native/testing/fixtures.ts";
import { executePlan } from "../src/run/execute-plan.ts";
import { planRun } from "../src/run/plan-run.ts";
import { Workplace } from "./cli/cosimo.ts";
import { EXAMPLES } from "./export-lab.ts";

const SEED = 18_018;
const STOP = 1.5;
const ALL = cases(150);
const place = new Workplace();

const VERSIONS = fc.constantFrom("fmi2", "fmi3");
const APPROXIMATIONS = fc.constantFrom("hold", "linear", "quadratic");

const ITERATIONS = [
  { corrections: 1 },
  { corrections: 3 },
  { tolerance: 1e-10 },
  { tolerance: 1e-12, method: "aitken" },
  { tolerance: 1e-10, method: "newton" },
  { tolerance: 1e-10, method: "anderson" },
] as const;

const MASTERS = fc.oneof(
  fc.constantFrom({ name: "jacobi" }, { name: "gauss-seidel" }),
  fc.record({
    name: fc.constant("iterative"),
    method: fc.constantFrom("jacobi", "gauss-seidel"),
    kind: fc.constantFrom(...ITERATIONS),
  }),
  fc.record({
    name: fc.constant("adaptive"),
    estimator: fc.constantFrom("richardson", "milne", "multi-order", "iteration"),
    coupling: fc.constantFrom("iterative", "gauss-seidel", "jacobi"),
    kind: fc.constantFrom({ relative: 1e-3, absolute: 1e-4 }, { relative: 1e-4, absolute: 1e-5 }),
  }),
);

const PICK = fc.record({
  versions: fc.array(VERSIONS, { minLength: 6, maxLength: 6 }),
  approximations: fc.array(APPROXIMATIONS, { minLength: 3, maxLength: 3 }),
  systems: fc.constantFrom<readonly string[]>(
    ["masses"],
    ["masses"],
    ["masses", "bad"],
    ["thermostat"],
    ["ball"],
    ["masses", "thermostat"],
    ["masses", "ball", "bad"],
    ["thermostat", "ball"],
  ),
  behaviour: fc.constantFrom(
    Behaviour.warn,
    Behaviour.discard,
    Behaviour.error,
    Behaviour.fatal,
    Behaviour.earlyReturn,
    Behaviour.terminate,
  ),
  at: fc.double({ min: 0.5, max: 1.45, noNaN: true }),
  step: fc.constantFrom(0.013, 1 / 128, 0.02),
  declares: fc.boolean(),
  master: MASTERS,
});

type Pick = typeof PICK extends fc.Arbitrary<infer T> ? T : never;

/** @returns the path of the scenario. */
function written({ versions, approximations, systems, master, step, ...pick }: Pick): string {
  const [left, right, room, controller, ball, bad] = versions;
  const isHybrid = systems.includes("thermostat") || systems.includes("ball");
  const has = (system: string): boolean => systems.includes(system);
  const fmu = (version: string | undefined, model: string) => join(BUILD, version!, `${model}.fmu`);
  const smooth = (from: string, to: string, k: number) => ({
    from,
    to,
    approximation: approximations[k],
  });
  const bounces = ball === "fmi3" ? ["ball.bounce -> counter.tick"] : [];
  const { kind, ...named } = { kind: {}, ...master };
  const scenario = {
    name: "pick",
    units: {
      ...(has("masses")
        ? {
            left: fmu(left, "MassSpringDamperLeft"),
            right: fmu(right, "MassSpringDamperRight"),
          }
        : {}),
      ...(has("thermostat")
        ? { room: fmu(room, "ThermostatRoom"), controller: fmu(controller, "ThermostatController") }
        : {}),
      ...(has("ball")
        ? { ball: fmu(ball, "BouncingBallClocked"), counter: fmu(ball, "Counter") }
        : {}),
      ...(has("bad")
        ? {
            bad: {
              fmu: fmu(bad, "Misbehaving"),
              set: { behaviour: pick.behaviour, at: pick.at },
            },
          }
        : {}),
    },
    connections: [
      ...(has("masses")
        ? [
            smooth("left.x_1", "right.x_c", 0),
            smooth("left.v_1", "right.v_c", 1),
            smooth("right.F_c", "left.F_e", 2),
          ]
        : []),
      ...(has("thermostat") ? ["room.x -> controller.x", "controller.q -> room.q"] : []),
      ...(has("ball") ? [...bounces, "ball.bounces -> counter.u"] : []),
    ],
    ...(has("thermostat") && pick.declares
      ? {
          events: [
            { when: "room.x", crosses: 21, direction: "rising", tolerance: 1e-9 },
            { when: "room.x", crosses: 19, direction: "falling", tolerance: 1e-9 },
          ],
        }
      : {}),
    experiment: { step, stop: STOP },
    // A straight plan has its own tests.
    master:
      isHybrid || (master.name !== "jacobi" && master.name !== "gauss-seidel")
        ? { ...named, ...kind }
        : { name: "iterative", corrections: 2 },
  };
  return place.write("pick.yaml", JSON.stringify(scenario));
}

interface Ran {
  readonly result: {
    readonly end: unknown;
    readonly rows: readonly string[];
    readonly master: MasterSummary | undefined;
    readonly events: readonly ConnectionEvents[] | undefined;
  };
  readonly states: readonly RunState[];
  /** How often code was entered in place of single calls. */
  readonly entered: number;
  /** Units that code does not drive. */
  readonly interpreted: readonly string[];
}

/** Not every estimator can measure every coupling. */
function isPlanned({ scenario }: ScenarioFile): boolean {
  return !hasErrors(planRun(scenario, {}).diagnostics);
}

interface RunChoice {
  readonly keeps?: boolean;
  readonly stop?: number;
  readonly step?: number;
  readonly resume?: RunState;
}

async function run(
  file: ScenarioFile,
  kind: "interpreter" | "machine-code",
  { keeps = false, stop = STOP, step, resume }: RunChoice = {},
): Promise<Ran> {
  const { scenario } = file;
  const { compiled } = unwrap(
    planRun(scenario, present({ step }), {
      ports: scenarioPorts(scenario),
    }),
  );
  const { plan } = compiled;
  const rows: string[] = [];
  const states: RunState[] = [];
  let master: MasterSummary | undefined;
  let events: readonly ConnectionEvents[] | undefined;
  let entered = 0;
  let steps = 0;
  let interpreted: readonly string[] = [];
  const executor = (state: PlanState): Executor => {
    const code = kind === "machine-code" ? machineCodeExecutor(state) : undefined;
    const programs = code?.master;
    if (code === undefined || programs === undefined) return interpreterExecutor(state);
    interpreted = code.interpreted.map(({ unit }) => unit);
    const compile = programs.compile.bind(programs);
    Object.assign(programs, {
      compile(items: Parameters<typeof compile>[0]) {
        const program = compile(items);
        const enter = program?.run.bind(program);
        if (program && enter)
          program.run = (from, to, back) => {
            entered++;
            return enter(from, to, back);
          };
        return program;
      },
    });
    return code;
  };
  const opened = await file.open(scenario, plan);
  let end: unknown;
  try {
    end = await executePlan(plan, scenario, opened.units, {
      stop,
      executor,
      onRow: (time, { f64, i64 }) => {
        const values = plan.record.columns.map(({ bank, slot }) =>
          // Both zeros are different results.
          bank === "i64" ? String(i64[slot]) : Object.is(f64[slot], -0) ? "-0" : String(f64[slot]),
        );
        rows.push(`${time} ${values.join(" ")}`);
      },
      onMaster: (summary) => {
        master = summary;
      },
      onEvents: (counts) => {
        events = counts;
      },
      ...(keeps
        ? {
            checkpoint: {
              nextTime: 0,
              isDue: () => ++steps % 10 === 0,
              store: (state) => states.push(state),
            },
          }
        : {}),
      ...present({ resume }),
    });
  } catch (error) {
    end = String(error);
  } finally {
    opened.close();
  }
  return { result: { end, rows, master, events }, states, entered, interpreted };
}

describe("programs of masters", () => {
  it.each([
    ["thermostat/fmi2.yaml", 30],
    ["thermostat/scenario.yaml", 30],
    ["bouncing-counter/scenario.yaml", 3],
    ["bouncing-counter/fmi2.yaml", 3],
  ])("[MC17] [HC9] drive units whose events are counted: %s", async (name, stop) => {
    const file = await openScenarioFile(join(EXAMPLES, name));
    const often = { stop, step: stop / 300 };
    const reference = await run(file, "interpreter", often);
    const { result, entered, interpreted } = await run(file, "machine-code", often);
    expect(result).toEqual(reference.result);
    expect(result.events?.length).toBeGreaterThan(0);
    expect(interpreted).toEqual([]);
    expect(entered).toBeGreaterThan(10);
  });

  it(`[MC17] give the rows, the end and the counts of the interpreter (seed ${SEED})`, async () => {
    const ends = new Map<string, number>();
    let entered = 0;
    let rejected = 0;
    await fc.assert(
      fc.asyncProperty(PICK, async (pick) => {
        const file = await openScenarioFile(written(pick));
        if (!isPlanned(file)) return;
        const { result } = await run(file, "interpreter");
        const other = await run(file, "machine-code");
        expect(other.result).toEqual(result);
        const { kind = "thrown" } = result.end as { kind?: string };
        ends.set(kind, (ends.get(kind) ?? 0) + 1);
        if (other.entered > 0) entered++;
        if ((result.master?.rejections.length ?? 0) > 0) rejected++;
      }),
      { seed: SEED, numRuns: ALL, endOnFailure: true },
    );
    // What is compared must be worth comparing.
    expect(ends.get("completed") ?? 0).toBeGreaterThan(ALL / 3);
    expect(ends.get("failed") ?? 0).toBeGreaterThan(0);
    expect(entered).toBeGreaterThan(ALL / 3);
    expect(rejected).toBeGreaterThan(ALL / 10);
  }, 900_000);

  it(`[MC17] go on from a checkpoint in the middle (seed ${SEED})`, async () => {
    let resumed = 0;
    const runs = cases(50);
    await fc.assert(
      fc.asyncProperty(PICK, fc.double({ min: 0, max: 1, noNaN: true }), async (pick, part) => {
        const file = await openScenarioFile(written(pick));
        if (!isPlanned(file)) return;
        const { result: whole } = await run(file, "interpreter");
        const { states } = await run(file, "machine-code", { keeps: true });
        const state = states[Math.floor(part * (states.length - 1))];
        if (state === undefined) return;
        const { result: rest } = await run(file, "machine-code", { resume: state });
        expect(rest.end).toEqual(whole.end);
        expect(rest.rows).toEqual(whole.rows.slice(whole.rows.length - rest.rows.length));
        if (rest.rows.length > 10) resumed++;
      }),
      { seed: SEED, numRuns: runs, endOnFailure: true },
    );
    expect(resumed).toBeGreaterThan(runs / 4);
  }, 900_000);
});
