/**
 * Discrete-event models as units of scenarios: beside each other, beside equations, beside an FMU,
 * under every master.
 */
import { describe, expect, it } from "vitest";
import { unwrap } from "../src/base/diagnostic.ts";
import { explainOutcome } from "../src/base/outcome.ts";
import { type Command, light, officer, toCommand } from "../src/devs/testing/traffic-light.ts";
import { atomic, coupled, devsUnit, port, signal } from "../src/devs.ts";
import { createTempFolder, openFmuFile, openNativeUnit } from "../src/node.ts";
import type { Trace } from "../src/record/trace.ts";
import { defineScenario } from "../src/run/define-scenario.ts";
import { simulateScenario } from "../src/run/simulate-scenario.ts";
import { odeUnit } from "../src/unit/ode-unit.ts";
import type { Unit } from "../src/unit/unit.ts";
import { fixture } from "./cli/cosimo.ts";

function column(trace: Trace, name: string): number[] {
  const found = trace.columns.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no column '${name}'`);
  return Array.from(found.data as ArrayLike<number>);
}

/** The officer with commands that a light understands, at the border. */
const commander = coupled({
  name: "commander",
  outputs: { command: port<Command>({ items: ["toAuto", "toOff"] }) },
  components: { officer },
  couplings: [
    { from: "officer.order", to: "command", map: toCommand as (value: unknown) => Command },
  ],
});

async function run(
  units: Record<string, Unit>,
  more: Omit<Parameters<typeof defineScenario>[0], "units">,
): Promise<Trace> {
  const { outcome, trace } = await simulateScenario(defineScenario({ units, ...more }));
  expect(outcome).toMatchObject({ kind: "completed" });
  return trace;
}

describe("discrete-event units in a scenario", () => {
  it.each(["jacobi", "gauss-seidel", "iterative", "event-driven"] as const)(
    "[DE37] AX-1 as two units under %s: green at 60, 360, 660, 960, whatever the step",
    async (master) => {
      for (const step of [7, 1000]) {
        const trace = await run(
          {
            light: devsUnit(light, { name: "light" }),
            officer: devsUnit(commander, { name: "officer" }),
          },
          {
            connections: [
              "officer.command.event -> light.command.event",
              "officer.command -> light.command",
            ],
            experiment: { stop: 1000, step },
            master,
            record: ["light.colour"],
          },
        );
        const colours = column(trace, "light.colour");
        const changes = [...trace.time].flatMap((time, row) =>
          row > 0 && colours[row] !== colours[row - 1] ? [[time, colours[row]]] : [],
        );
        // The light says only what it changes to by itself: green (3), once; afterwards it stays
        // green at the border.
        expect(changes).toEqual([[60, 3]]);
      }
    },
  );

  it.each(["jacobi", "iterative", "event-driven"])(
    "[DE32] a held input that initialization gave its value is not an event under %s",
    async (master) => {
      const counter = atomic({
        name: "counter",
        inputs: { u: port<number>({ type: "float64", held: true }) },
        outputs: { n: port<number>({ type: "int32", held: true }) },
        initial: { n: 0, isNew: false },
        timeAdvance: ({ isNew }) => (isNew ? 0 : Number.POSITIVE_INFINITY),
        output: ({ n }, send) => send("n", n),
        internal: ({ n }) => ({ n, isNew: false }),
        external: ({ n }) => ({ n: n + 1, isNew: true }),
      });
      const decay = odeUnit({
        name: "decay",
        states: { x: { start: 1 } },
        derivatives: (_t, _x, _u, _p, out) => {
          out[0] = -1;
        },
      });
      const trace = await run(
        { decay, counter: devsUnit(counter) },
        {
          connections: ["decay.x -> counter.u"],
          experiment: { stop: 1, step: 0.5 },
          master,
          record: ["counter.n"],
        },
      );
      expect(column(trace, "counter.n")[0]).toBe(0);
      // At 0.5 s, and at the stop time where units react there.
      expect(column(trace, "counter.n").at(-1)).toBe(master === "event-driven" ? 2 : 1);
    },
  );

  it("[DE37] every event reaches its receiver once, at its instant, for steps that have nothing to do with it", async () => {
    const PERIOD = 0.3;
    const pulse = atomic({
      name: "pulse",
      outputs: { beat: signal() },
      initial: 0,
      timeAdvance: (n, now) => (n + 1) * PERIOD - now.time,
      output: (_, send) => send("beat", true),
      internal: (n) => n + 1,
    });
    for (const step of [0.07, 0.3, 1, 3]) {
      const trace = await run(
        { pulse: devsUnit(pulse), counter: devsUnit(logger) },
        {
          connections: ["pulse.beat -> counter.beat"],
          experiment: { stop: 3, step },
          master: "jacobi",
          record: ["counter.count", "counter.last"],
        },
      );
      const last = column(trace, "counter.last").filter(
        (t, row, all) => row === 0 || t !== all[row - 1],
      );
      expect(last).toEqual(Array.from({ length: 11 }, (_, k) => Math.round(k * 3) / 10));
      expect(column(trace, "counter.count").at(-1)).toBe(10);
    }
  });

  it("[DE37] switches a continuous unit at its instants", async () => {
    const relay = atomic({
      name: "relay",
      outputs: { heat: port<number>({ type: "float64", held: true, start: 0 }), tick: signal() },
      initial: false,
      timeAdvance: (on) => (on ? 0.7 : 1.1),
      output: (on, send) => {
        send("heat", on ? 0 : 1);
        send("tick", true);
      },
      internal: (on) => !on,
    });
    const store = odeUnit({
      name: "store",
      inputs: { heat: {} },
      states: { x: { start: 0 } },
      derivatives: (_t, _x, u, _p, dx) => {
        dx[0] = u[0];
      },
    });
    const trace = await run(
      { relay: devsUnit(relay), store },
      {
        connections: ["relay.heat -> store.heat"],
        experiment: { stop: 9, step: 1 },
        master: "jacobi",
        record: ["store.x"],
      },
    );
    // On from 1.1 to 1.8, from 2.9 to 3.6, …: five times 0.7 s by t = 9.
    expect(column(trace, "store.x").at(-1)).toBeCloseTo(5 * 0.7, 6);
  });

  it("[DE24] a cascade that never ends fails the run with the cycle of components", async () => {
    const hot = atomic({
      inputs: { in: port<number>() },
      outputs: { out: port<number>() },
      initial: 1,
      timeAdvance: (n) => (n > 0 ? 0 : Number.POSITIVE_INFINITY),
      output: (n, send) => send("out", n),
      internal: () => 0,
      external: () => 1,
    });
    const ring = coupled({
      name: "ring",
      outputs: { tick: signal() },
      components: { a: hot, b: hot, c: hot },
      couplings: [
        "a.out -> b.in",
        "b.out -> c.in",
        "c.out -> a.in",
        { from: "a.out", to: "tick", map: () => true },
      ],
    });
    const { outcome } = await simulateScenario(
      defineScenario({
        units: { ring: devsUnit(ring) },
        experiment: { stop: 1, step: 0.1 },
        record: ["ring.tick"],
      }),
    );
    expect(outcome).toMatchObject({ kind: "failed", time: 0, failure: { time: 0 } });
    expect(explainOutcome(outcome)).toMatch(
      /values go round 'ring.(a|b|c)' → 'ring.(a|b|c)' → 'ring.(a|b|c)' → 'ring/,
    );
  });

  it("[DE37] hears every bounce of an FMU through its clock, at its instant", async () => {
    const fmu = unwrap(openFmuFile(fixture("fmi3/BouncingBallClocked")));
    const temp = createTempFolder();
    const folder = unwrap(await fmu.extract(temp.path));
    const ball = openNativeUnit({ folder, description: fmu.description });
    try {
      const trace = await run(
        { ball, log: devsUnit(logger) },
        {
          connections: ["ball.bounce -> log.beat"],
          experiment: { stop: 3, step: 0.1 },
          master: "jacobi",
          record: ["log.count", "log.last", "ball.bounces"],
        },
      );
      const times = [...new Set(column(trace, "log.last"))].slice(1);
      // From 1 m, with 0.7 of the speed after every bounce: the flights last 2 v / g.
      const g = 9.81;
      let [time, speed] = [Math.sqrt(2 / g), Math.sqrt(2 * g)];
      for (const found of times) {
        expect(found).toBeCloseTo(time, 6);
        speed *= 0.7;
        time += (2 * speed) / g;
      }
      expect(times.length).toBe(11);
      expect(column(trace, "log.count").at(-1)).toBe(column(trace, "ball.bounces").at(-1));
    } finally {
      ball.dispose();
      temp.remove();
    }
  });
});

/** Counts events, and says when the last one was. */
const logger = atomic({
  name: "logger",
  inputs: { beat: signal() },
  outputs: {
    count: port<number>({ type: "int32", held: true }),
    last: port<number>({ type: "float64", held: true }),
  },
  initial: { count: 0, last: 0, isNew: false },
  timeAdvance: ({ isNew }) => (isNew ? 0 : Number.POSITIVE_INFINITY),
  output: ({ count, last }, send) => {
    send("count", count);
    send("last", last);
  },
  internal: (state) => ({ ...state, isNew: false }),
  external: ({ count }, input) => ({
    count: count + input.values("beat").length,
    last: input.time,
    isNew: true,
  }),
});
