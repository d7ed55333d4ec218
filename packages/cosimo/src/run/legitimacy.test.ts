/**
 * Scenarios in which time does not advance: found before the run where delays are known, and never
 * a hang.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UnitError } from "../base/outcome.ts";
import { devsUnit } from "../devs/devs-unit.ts";
import { queue } from "../devs/library/stations.ts";
import { atomic, coupled, port } from "../devs/model.ts";
import { runDevs } from "../devs/run-devs.ts";
import { BaseUnit, type Condition } from "../unit/base-unit.ts";
import { describeUnit, makePorts } from "../unit/port-spec.ts";
import type { Stop } from "../unit/predicate.ts";
import { type DefinedScenario, defineScenario } from "./define-scenario.ts";
import { planRun } from "./plan-run.ts";
import { simulateScenario } from "./simulate-scenario.ts";

const number = { type: "float64", unit: "1" } as const;

/** Passes a value on after `seconds`, raised by 1; the first one begins by itself at t=1. */
const relay = (seconds: number, isFirst: boolean) =>
  atomic({
    name: "relay",
    inputs: { in: port<number>(number) },
    outputs: { out: port<number>(number) },
    initial: { value: 0, left: isFirst ? 1 : Number.POSITIVE_INFINITY },
    timeAdvance: ({ left }) => left,
    output: ({ value }, send) => send("out", value + 1),
    internal: ({ value }) => ({ value, left: Number.POSITIVE_INFINITY }),
    external: (_, input) => ({ value: input.get("in")!, left: seconds }),
    minimumDelay: seconds,
  });

/** Units in a ring, each with its delay. */
function ring(delays: readonly number[]): DefinedScenario {
  const names = delays.map((_, i) => `r${i}`);
  return defineScenario({
    name: "ring",
    units: Object.fromEntries(
      delays.map((seconds, i) => [
        names[i],
        () => devsUnit(relay(seconds, i === 0), { name: names[i] }),
      ]),
    ),
    connections: names.flatMap((name, i) => {
      const next = names[(i + 1) % names.length];
      return [`${name}.out -> ${next}.in`, `${name}.out.event -> ${next}.in.event`];
    }),
    experiment: { stop: 5, step: 0.5 },
    master: { name: "iterative", fallback: "explicit" },
  });
}

const cyclesOf = ({ scenario }: DefinedScenario): string[] =>
  planRun(scenario, {})
    .diagnostics.filter(({ code }) => code === "zero-delay-cycle")
    .map(({ message }) => message);

describe("scenarios in which time does not advance", () => {
  it("[SI10] zero-delay cycles between units are a warning before the run, with the cycle", () => {
    expect(cyclesOf(ring([0, 0, 0]))).toEqual([
      "events may go round 'r0' → 'r1' → 'r2' → 'r0' without time passing: none of these units has a delay",
    ]);
    expect(cyclesOf(ring([0, 0.25, 0]))).toEqual([]);
  });

  it("[SI10] the delay of a discrete-event unit is that of the shortest way through it", () => {
    const delayOf = (...delays: (number | undefined)[]): number | undefined => {
      const components = Object.fromEntries(
        delays.map((seconds, i) => {
          const { minimumDelay: _, ...model } = relay(seconds ?? 0, false);
          return [`c${i}`, { ...model, minimumDelay: seconds }];
        }),
      );
      const names = Object.keys(components);
      const model = coupled({
        inputs: { in: port<number>(number) },
        outputs: { out: port<number>(number) },
        components,
        // Two ways: through all in a row, and through the last one alone.
        couplings: [
          `in -> ${names[0]}.in`,
          ...names.slice(1).map((name, i) => `${names[i]}.out -> ${name}.in`),
          `in -> ${names.at(-1)}.in`,
          `${names.at(-1)}.out -> out`,
        ],
      });
      return devsUnit(model).description.minimumDelay;
    };
    expect(delayOf(1, 2, 0.5)).toBe(0.5);
    expect(delayOf(1, 2, 0)).toBe(0);
    expect(delayOf(1, undefined, 0.5)).toBe(0.5);
    expect(delayOf(1, undefined)).toBeUndefined();
    expect(devsUnit(relay(3, false)).description.minimumDelay).toBe(3);
  });

  it("[SI11] a cascade is bounded while it runs, and the message shows its cycle", async () => {
    const { outcome } = await simulateScenario(ring([0, 0]));
    expect(outcome).toMatchObject({ kind: "failed", time: 1 });
    const text = JSON.stringify(outcome);
    expect(text).toContain("values keep arriving at 'r0' from outside of the model");
    expect(text).toContain("they go round 'r0' → 'r1' → 'r0'");
  });

  it("[SI11] random rings end: with the stop time where there is a delay, with a message where there is none", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(0, 0, 0, 0.25), { minLength: 2, maxLength: 6 }),
        async (delays) => {
          const runnable = ring(delays);
          const isLegitimate = delays.some((seconds) => seconds > 0);
          expect(cyclesOf(runnable)).toHaveLength(isLegitimate ? 0 : 1);
          const { outcome } = await simulateScenario(runnable);
          expect(outcome).toMatchObject(
            isLegitimate ? { kind: "completed", time: 5 } : { kind: "failed", time: 1 },
          );
        },
      ),
      { numRuns: 15, seed: 1113 },
    );
  });

  it("[SI12] a component whose transitions come ever faster is said to be Zeno", () => {
    const hasty = atomic({
      name: "hasty",
      initial: 1,
      timeAdvance: (interval) => interval,
      internal: (interval) => interval / 2,
    });
    const run = (): unknown => runDevs(hasty, { stop: 10 });
    expect(run).toThrow(UnitError);
    expect(run).toThrow(/ever faster \(Zeno behaviour\)/);
    const still = atomic({
      name: "still",
      initial: 0,
      timeAdvance: () => 0,
      internal: (n) => n + 1,
    });
    expect(() => runDevs(still, { stop: 10 })).toThrow(/the time advance of 'still' is 0/);
    expect(() => runDevs(still, { stop: 10 })).not.toThrow(/Zeno/);
    expect(queue().minimumDelay).toBe(0);
  });

  it("[SI12] a unit whose events accumulate ends a coordinated run with the time that they never pass", async () => {
    const runnable = defineScenario({
      units: {
        ball: () => new Hasty("ball"),
        sink: () => devsUnit(sink, { eventMode: false, name: "sink" }),
      },
      connections: [{ from: "ball.n", to: "sink.in", trigger: { kind: "updated" } }],
      experiment: { stop: 5, step: 0.5 },
      master: "event-driven",
    });
    const { outcome, master } = await simulateScenario(runnable);
    expect(outcome).toMatchObject({ kind: "failed", failure: { unit: "ball" } });
    const [note] = master!.notes.filter((one) => one.includes("Zeno"));
    expect(note).toContain("events of 'ball': Zeno behaviour");
    // 1 + 1/2 + 1/4 + …
    expect(Number(/never get past t=([0-9.]+)/.exec(note)![1])).toBeCloseTo(2, 9);
  });
});

const sink = atomic({
  name: "sink",
  inputs: { in: port<number>({ ...number, held: true }) },
  outputs: { out: port<number>({ ...number, held: true }) },
  initial: 0,
  timeAdvance: () => Number.POSITIVE_INFINITY,
  external: (_, input) => input.get("in")!,
});

/** Counts at 1, 1.5, 1.75, …: its events never get past t=2. Store: n. */
class Hasty extends BaseUnit {
  constructor(name: string) {
    const ports = makePorts(name, [
      {
        direction: "output",
        ports: {
          n: {
            type: "float64",
            start: 0,
            feedThrough: [],
            nature: "piecewise-constant",
            variability: "discrete",
          },
        },
      },
    ]);
    super(name, describeUnit({ name }, ports, { predicates: ["updated"] }));
  }

  protected override evaluate(): void {}

  protected override proceed(from: number, bound: number, conditions: readonly Condition[]): Stop {
    const { f64 } = this.store;
    const next = 2 - 2 ** -f64[0];
    if (next > bound) return this.stopAt("time", -1, bound);
    f64[0]++;
    const [condition] = conditions;
    return this.stopAt("updated", condition?.port ?? 0, Math.max(from, next));
  }
}
