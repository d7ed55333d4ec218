/**
 * Runs with events that are interrupted anywhere, coordinated or in common steps: what goes on is
 * the run that was not interrupted, bit for bit.
 */
import { describe, expect, it } from "vitest";
import { unwrap } from "../src/base/diagnostic.ts";
import { coupled, devsUnit, port, queue, randomSource, server, sink } from "../src/devs.ts";
import type { RunState } from "../src/engine/checkpoint.ts";
import { defineScenario } from "../src/run/define-scenario.ts";
import { executePlan } from "../src/run/execute-plan.ts";
import { planRun } from "../src/run/plan-run.ts";
import { odeUnit } from "../src/unit/ode-unit.ts";
import { stateMachineUnit } from "../src/unit/state-machine-unit.ts";
import type { Unit } from "../src/unit/unit.ts";

const STOP = 12;

/** Jobs and their shop, in two discrete-event units. */
const jobs = coupled({
  name: "jobs",
  outputs: { job: port<number>({ type: "int32" }) },
  components: { source: randomSource({ mean: 0.3, seed: 5 }) },
  couplings: ["source.out -> job"],
});
const shop = coupled({
  name: "shop",
  inputs: { job: port<number>({ type: "int32" }) },
  outputs: { waiting: port<number>({ type: "float64", held: true }) },
  components: { line: queue(), desk: server({ service: { mean: 0.28, seed: 6 } }), exit: sink() },
  couplings: [
    "job -> line.in",
    "line.out -> desk.in",
    "desk.done -> line.done",
    "desk.out -> exit.in",
    "line.length -> waiting",
  ],
});

/** Two machines that send each other events: a cycle. */
const player = (name: string, delay: number): Unit =>
  stateMachineUnit({
    name,
    inputs: { in: { type: "boolean", nature: "transient" } },
    outputs: { n: { type: "int32" } },
    events: ["out"],
    initial: "plays",
    states: {
      waits: {
        transitions: [{ on: "in", to: "plays", do: (m) => m.set("n", m.get("n") + 1) }],
      },
      plays: { transitions: [{ after: delay, to: "waits", do: (m) => m.emit("out") }] },
    },
  });

/** x' = rate: reaches levels, and starts again from there when it is reset. */
const tank = (): Unit =>
  odeUnit({
    name: "tank",
    inputs: { rate: { start: 1 } },
    states: { x: {} },
    derivatives: (_t, _x, [rate = 0], _p, out) => {
      out[0] = 1 + rate / 3;
    },
  });
const keeper = (): Unit =>
  stateMachineUnit({
    name: "keeper",
    inputs: { u: {} },
    outputs: { last: {}, reads: { type: "int32" } },
    initial: "a",
    states: {
      a: {
        transitions: [
          {
            after: 0.7,
            reads: ["u"],
            to: "a",
            do: (m) => {
              m.set("last", m.get("u"));
              m.set("reads", m.get("reads") + 1);
            },
          },
        ],
      },
    },
  });

const coordinated = defineScenario({
  units: {
    jobs: () => devsUnit(jobs),
    shop: () => devsUnit(shop),
    left: () => player("left", 0.4),
    right: () => player("right", 0.9),
    tank,
    keeper,
    second: keeper,
  },
  connections: [
    "jobs.job.event -> shop.job.event",
    "jobs.job -> shop.job",
    "left.out -> right.in",
    "right.out -> left.in",
    { from: "shop.waiting", to: "tank.rate", trigger: { kind: "every", seconds: 0.5 } },
    { from: "tank.x", to: "keeper.u", trigger: { kind: "ready-to-read" } },
    {
      from: "tank.x",
      to: "second.u",
      trigger: { kind: "threshold", when: "tank.x", level: 4, direction: "rising" },
    },
  ],
  experiment: { stop: STOP, step: 0.5 },
  master: "event-driven",
});

/** The players, and what samples a tank, in common steps. */
const inSteps = defineScenario({
  units: {
    left: () => player("left", 0.4),
    right: () => player("right", 0.9),
    tank,
    keeper,
    ears: () => player("ears", 0.1),
  },
  connections: [
    "left.out -> right.in",
    "right.out -> left.in",
    "tank.x -> keeper.u",
    "left.out -> ears.in",
  ],
  experiment: { stop: STOP, step: 0.5 },
  master: "gauss-seidel",
});

async function run(
  resume?: RunState,
  scenario = coordinated,
): Promise<{ rows: string[]; states: RunState[]; notes: string }> {
  const { plan } = unwrap(planRun(scenario.scenario, {})).compiled;
  const opened = await scenario.open(scenario.scenario, plan);
  const rows: string[] = [];
  const states: RunState[] = [];
  let notes = "";
  const outcome = await executePlan(plan, scenario.scenario, opened.units, {
    stop: STOP,
    chunk: 10,
    onRow: (time, banks) =>
      rows.push([time, ...plan.record.columns.map(({ bank, slot }) => banks[bank][slot])].join()),
    onMaster: (summary) => {
      notes = summary.notes.join("\n");
    },
    checkpoint: {
      nextTime: 0,
      isDue: () => true,
      store: (state) => states.push({ ...state, ...{ rows: rows.length } }),
    },
    ...(resume === undefined ? {} : { resume }),
  });
  expect(outcome).toMatchObject({ kind: "completed", time: STOP });
  opened.close();
  return { rows, states, notes };
}

describe("a coordinated run", () => {
  it("[CO21] that is continued from a checkpoint gives the rows of the uninterrupted run, bit for bit", async () => {
    const whole = await run();
    expect(whole.rows.length).toBeGreaterThan(100);
    expect(whole.states.length).toBeGreaterThan(30);
    expect(whole.notes).toContain("left, right decide instants for each other");
    for (const state of whole.states) {
      const rest = await run(state);
      const { rows: before } = state as RunState & { readonly rows: number };
      expect([...whole.rows.slice(0, before), ...rest.rows]).toEqual(whole.rows);
      expect(rest.notes).toBe(whole.notes);
    }
  });

  it("[RC21] has a row for every event, with its index", async () => {
    const { scenario } = coordinated;
    const { plan } = unwrap(planRun(scenario, {})).compiled;
    const { rows } = await run();
    const columns = plan.record.columns.map(
      ({ unit, port, name }) =>
        name ?? `${plan.units[unit]?.name}.${scenario.units[unit]?.description.ports[port]?.name}`,
    );
    const at = 1 + columns.indexOf("left.out");
    const times = rows.map((row) => row.split(",").map(Number)).filter((row) => row[at] === 1);
    // It plays first at 0.4, and again 0.4 s after the other one did, who does so 0.9 s after it or
    // the start.
    const expected = [0.4, 1.3, 2.6, 3.9, 5.2, 6.5, 7.8, 9.1, 10.4, 11.7];
    expect(times.map(([time = 0]) => Math.round(time * 1e9) / 1e9)).toEqual(expected);
    expect(columns).toContain("master.index");
  });
});

describe("a run in common steps whose machines exchange events", () => {
  it("[CK1] that is continued from a checkpoint gives the rows of the uninterrupted run, bit for bit", async () => {
    const whole = await run(undefined, inSteps);
    expect(whole.states.length).toBeGreaterThan(30);
    expect(whole.rows.at(-1)?.split(",").map(Number)).toContain(10);
    for (const state of whole.states.filter((_, k) => k % 5 === 0)) {
      const rest = await run(state, inSteps);
      const { rows: before } = state as RunState & { readonly rows: number };
      expect([...whole.rows.slice(0, before), ...rest.rows]).toEqual(whole.rows);
    }
  });
});
