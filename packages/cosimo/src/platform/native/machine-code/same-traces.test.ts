/**
 * Random couplings of fixture FMUs, FMI 2 and 3 mixed: both executors give the same trace, bit for bit.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Executor, interpreterExecutor } from "../../../engine/run-plan.ts";
import type { PlanState } from "../../../engine/signals.ts";
import { bankOf } from "../../../model/value-type.ts";
import type { NativeFmu } from "../native-options.ts";
import { parallelExecutor } from "../parallel/parallel-executor.ts";
import { Behaviour } from "../testing/behaviour.ts";
import { unpackFixtures } from "../testing/fixtures.ts";
import {
  type Coupling,
  expectSameRuns,
  type UnitChoice,
  type Wire,
} from "./testing/both-executors.ts";

const SEED = 20_311;
const RUNS = 200;
const STEP = 0.05;

const MODELS = [
  "Dahlquist",
  "MassSpringDamperLeft",
  "MassSpringDamperRight",
  "MassSpringDamperLeftPlain",
  "MassSpringDamperRightPlain",
  "VanDerPol",
  "StateSpace",
  "Stair",
  "Feedthrough",
  "Misbehaving",
];
const NAMES = MODELS.flatMap((name) => [`fmi2/${name}`, `fmi3/${name}`]);
const APPROXIMATIONS = [
  undefined,
  "hold",
  "linear",
  "quadratic",
  "extrapolated-interpolation",
  "interpolation",
] as const;

const fixture = unpackFixtures();

interface Place {
  readonly unit: number;
  readonly port: string;
  readonly element: number;
  readonly bank: string;
}

/** Elements that can be connected: outputs, or inputs and tunable parameters. */
function placesOf(fmus: readonly NativeFmu[], isSource: boolean): Place[] {
  return fmus.flatMap(({ description }, unit) =>
    description.variables
      .filter(({ causality, variability, name }) =>
        isSource
          ? causality === "output"
          : causality === "input" || ((name === "k" || name === "mu") && variability === "tunable"),
      )
      .filter(({ type }) => bankOf(type) !== "obj" && type !== "enumeration")
      .flatMap(({ name, type, dimensions }) =>
        Array.from(
          { length: dimensions.length === 0 ? 1 : name === "y" ? 3 : 1 },
          (_, element) => ({
            unit,
            port: name,
            element,
            bank: bankOf(type),
          }),
        ),
      ),
  );
}

const unitChoice = fc.record({
  name: fc.constantFrom(...NAMES),
  rate: fc.constantFrom(1, 1, 1, 2, 3, 4),
  behaviour: fc.constantFrom(...Object.values(Behaviour).filter((b) => b < 5 || b > 9)),
  at: fc.double({ min: 0.01, max: 5, noNaN: true }),
  events: fc.boolean(),
});

const choice = fc.record({
  units: fc.array(unitChoice, { minLength: 1, maxLength: 6 }),
  picks: fc.array(
    fc.record({
      source: fc.nat(),
      target: fc.nat(),
      factor: fc.constantFrom(1, 1, 0.3, -0.5),
      offset: fc.constantFrom(0, 0, 0.125),
      approximation: fc.constantFrom(...APPROXIMATIONS),
      table: fc.boolean(),
    }),
    { maxLength: 10 },
  ),
  master: fc.constantFrom("jacobi" as const, "gauss-seidel" as const),
  microSteps: fc.integer({ min: 1, max: 4 }),
  start: fc.constantFrom(0, -0, 1.7),
  ticks: fc.integer({ min: 1, max: 60 }),
  chunk: fc.integer({ min: 1, max: 70 }),
  recordEvery: fc.integer({ min: 1, max: 4 }),
  rowsTogether: fc.boolean(),
});

type Choice = typeof choice extends fc.Arbitrary<infer T> ? T : never;

async function couplingOf({ units, picks, start, ...rest }: Choice): Promise<Coupling> {
  const fmus = await Promise.all(units.map(({ name }) => fmuOf(name)));
  const sources = placesOf(fmus, true);
  const targets = placesOf(fmus, false);
  const taken = new Set<Place>();
  const wires = picks.flatMap(({ source, target, table, approximation, ...affine }): Wire[] => {
    const to = targets[target % Math.max(1, targets.length)];
    if (to === undefined || taken.has(to)) return [];
    // Integers of 64 bits come from others, and from units before: loops of them cannot be solved.
    const fitting = sources.filter(
      ({ bank, unit }) => to.bank === "f64" || (bank === to.bank && unit < to.unit),
    );
    const from = fitting[source % Math.max(1, fitting.length)];
    if (from === undefined) return [];
    taken.add(to);
    const reals = from.bank === "f64" && to.bank === "f64";
    return [
      {
        from: [from.unit, from.port, from.element],
        to: [to.unit, to.port, to.element],
        ...(reals && !table ? affine : {}),
        ...(reals && table ? { mapping: TABLE } : {}),
        ...(approximation === undefined ? {} : { approximation }),
      },
    ];
  });
  return {
    ...rest,
    start,
    step: STEP,
    wires,
    units: units.map(
      ({ name, rate, behaviour, at, events }, u): UnitChoice => ({
        fmu: fmus[u]!,
        step: rate * STEP,
        options: { eventMode: events && name === "fmi3/Stair", earlyReturn: events },
        ...(name.endsWith("Misbehaving") ? { values: { behaviour, at } } : {}),
      }),
    ),
  };
}

const TABLE = [
  { from: 0, to: 0.5 },
  { from: 1, to: -0.25 },
  { from: 2, to: 0 },
];

const unpacked = new Map<string, Promise<NativeFmu>>();

function fmuOf(name: string): Promise<NativeFmu> {
  let known = unpacked.get(name);
  if (known === undefined) {
    known = fixture(name);
    unpacked.set(name, known);
  }
  return known;
}

describe("both executors", () => {
  it(`[EN2] [MC1] [MC5] give the same trace and the same end for random couplings (seed ${SEED})`, async () => {
    const ends = new Map<string, number>();
    let inMachineCode = 0;
    await fc.assert(
      fc.asyncProperty(choice, async (chosen) => {
        const { end, executor } = await expectSameRuns(await couplingOf(chosen));
        const kind = typeof end === "string" ? end : end.kind;
        ends.set(kind, (ends.get(kind) ?? 0) + 1);
        if (executor === "machine-code") inMachineCode++;
      }),
      { seed: SEED, numRuns: RUNS },
    );
    // What is compared must be worth comparing: runs that complete, runs that fail, and machine code in most of them.
    expect(ends.get("completed")).toBeGreaterThan(RUNS / 3);
    expect(ends.get("failed")).toBeGreaterThan(RUNS / 20);
    expect(inMachineCode).toBeGreaterThan((RUNS * 3) / 4);
  }, 60_000);

  it("[EN2] [MC1] give the same trace for up to fifty units that behave", async () => {
    const many = fc.record({
      chosen: choice,
      units: fc.array(unitChoice, { minLength: 20, maxLength: 50, size: "max" }),
    });
    let completed = 0;
    await fc.assert(
      fc.asyncProperty(many, async ({ chosen, units }) => {
        const good = units.map((unit) => ({ ...unit, behaviour: Behaviour.ok }));
        const { end } = await expectSameRuns(await couplingOf({ ...chosen, units: good }));
        if (typeof end !== "string" && end.kind === "completed") completed++;
      }),
      { seed: SEED, numRuns: 12 },
    );
    expect(completed).toBeGreaterThan(6);
  }, 60_000);

  it(`[PA1] [PA7] so do threads (seed ${SEED})`, async () => {
    const ends = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(choice, async (chosen) => {
        let threads = 1;
        const inThreads = (state: PlanState): Executor => {
          const costs = state.units.map((_, unit) => 1 + (unit % 3));
          const executor = parallelExecutor(state, { threads: 3, cores: 3, costs });
          threads = executor?.report?.groups.length ?? 1;
          return executor ?? interpreterExecutor(state);
        };
        const { end } = await expectSameRuns(await couplingOf(chosen), inThreads);
        const kind = typeof end === "string" ? end : end.kind;
        const key = `${kind} on ${threads}`;
        ends.set(key, (ends.get(key) ?? 0) + 1);
      }),
      { seed: SEED, numRuns: RUNS },
    );
    expect(ends.get("completed on 2")).toBeGreaterThan(RUNS / 20);
    expect(ends.get("completed on 3")).toBeGreaterThan(RUNS / 10);
    expect(ends.get("failed on 3")).toBeGreaterThan(RUNS / 40);
  }, 60_000);
});
