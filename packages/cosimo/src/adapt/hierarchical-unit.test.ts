/**
 * Wrapping changes nothing: random scenarios run flat, wrapped, and wrapped twice, by a master that
 * knows nothing of adaptations.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { getNumber } from "../unit/testing/drive.ts";
import type { Unit } from "../unit/unit.ts";
import { type HierarchicalKind, hierarchicalUnit } from "./hierarchical-unit.ts";
import { GaussSeidel, type Wire } from "./testing/gauss-seidel.ts";
import { outside, type RandomScenario, randomScenario } from "./testing/random-scenario.ts";
import { proportional } from "./testing/small-units.ts";

const SEED = 20261117;
const STEPS = 12;

type Trace = number[][];

function flat({ inside, wires, open, step }: RandomScenario): Trace {
  const units = new Map([...inside(), ...outside()]);
  const all: Wire[] = [
    ...wires,
    ...open.map(({ unit, port, by }): Wire => ({ from: [by, "y"], to: [unit, port] })),
    { from: ["unit0", "y"], to: ["plant", "u"] },
  ];
  const names = [...inside().keys()];
  const master = new GaussSeidel(units, all);
  return trace(master, step, () => names.map((name) => getNumber(units.get(name)!, "y")));
}

/** Names that the wrapper gives to a port: its own where that is unique. */
function outerName(scenario: RandomScenario, unit: string, port: string): string {
  const { inside, wires } = scenario;
  const fed = new Set(wires.map(({ to }) => to.join(".")));
  const same = [...inside()].filter(([name, { description }]) =>
    description.ports.some(
      (candidate) =>
        candidate.name === port &&
        (candidate.direction === "output" || !fed.has(`${name}.${port}`)),
    ),
  );
  return same.length === 1 ? port : `${unit}_${port}`;
}

function wrapped(scenario: RandomScenario, kinds: readonly HierarchicalKind[]): Unit {
  const { inside, wires } = scenario;
  const connections = wires.map(({ from, to }) => ({
    from: { unit: from[0], port: from[1] },
    to: { unit: to[0], port: to[1] },
  }));
  const [first, ...more] = kinds;
  let unit = hierarchicalUnit("wrapped", { units: inside(), connections }, first!);
  for (const kind of more)
    unit = hierarchicalUnit(
      "wrapped",
      { units: new Map([["inner", unit]]), connections: [] },
      kind,
    );
  return unit;
}

function around(scenario: RandomScenario, unit: Unit): GaussSeidel {
  const units = new Map([["wrapped", unit], ...outside()]);
  const to = (inner: string, port: string): readonly [string, string] => [
    "wrapped",
    outerName(scenario, inner, port),
  ];
  return new GaussSeidel(units, [
    ...scenario.open.map((item): Wire => ({ from: [item.by, "y"], to: to(item.unit, item.port) })),
    { from: to("unit0", "y"), to: ["plant", "u"] },
  ]);
}

function outputs(scenario: RandomScenario, unit: Unit): () => number[] {
  const names = [...scenario.inside().keys()].map((name) => outerName(scenario, name, "y"));
  return () => names.map((name) => getNumber(unit, name));
}

function trace(master: GaussSeidel, step: number, read: () => number[]): Trace {
  const rows = [read()];
  for (let i = 0; i < STEPS; i++) {
    master.step(step);
    rows.push(read());
  }
  return rows;
}

/** Kinds that can stand for what is inside: the theory's conditions, from the units alone. */
function fittingKinds(scenario: RandomScenario): HierarchicalKind[] {
  const everyInput = [...scenario.inside().values()].flatMap(({ description }) =>
    description.ports.filter(({ direction }) => direction === "input"),
  );
  const isDelayed = everyInput.every(({ reactive }) => reactive !== true);
  const unit = wrapped(scenario, [{ input: "reactive", output: "mealy" }]);
  const isMoore = unit.description.ports.every(
    ({ direction, feedThrough }) => direction !== "output" || feedThrough?.length === 0,
  );
  return [
    { input: "reactive", output: "mealy" },
    ...(isMoore ? [{ input: "reactive", output: "moore" } as const] : []),
    ...(isDelayed ? [{ input: "delayed", output: "mealy" } as const] : []),
    ...(isDelayed && isMoore ? [{ input: "delayed", output: "moore" } as const] : []),
  ];
}

function expectSame(actual: Trace, expected: Trace, what: string): void {
  actual.forEach((row, r) => {
    row.forEach((value, i) => {
      const limit = 1e-10 * (1 + Math.abs(expected[r][i]));
      expect(Math.abs(value - expected[r][i]), `${what}: row ${r}, output ${i}`).toBeLessThan(
        limit,
      );
    });
  });
}

describe("a default hierarchical unit", () => {
  const seen = new Map<string, number>();

  it(`[AU20] changes nothing, whatever is wrapped (seed ${SEED})`, () => {
    fc.assert(
      fc.property(randomScenario, (scenario) => {
        const expected = flat(scenario);
        for (const kind of fittingKinds(scenario)) {
          const what = `${kind.input} ${kind.output}`;
          seen.set(what, (seen.get(what) ?? 0) + 1);
          const unit = wrapped(scenario, [kind]);
          const master = around(scenario, unit);
          expectSame(trace(master, scenario.step, outputs(scenario, unit)), expected, what);
        }
      }),
      { seed: SEED, numRuns: 200 },
    );
    expect([...seen.keys()].sort()).toEqual([
      "delayed mealy",
      "delayed moore",
      "reactive mealy",
      "reactive moore",
    ]);
    for (const [kind, count] of seen) expect(count, kind).toBeGreaterThan(10);
  });

  it(`[AU21] changes nothing when it is wrapped again, and again (seed ${SEED})`, () => {
    fc.assert(
      fc.property(randomScenario, (scenario) => {
        const expected = flat(scenario);
        for (const kind of fittingKinds(scenario)) {
          const unit = wrapped(scenario, [kind, kind, kind]);
          const master = around(scenario, unit);
          expectSame(trace(master, scenario.step, outputs(scenario, unit)), expected, "wrapped");
        }
      }),
      { seed: SEED, numRuns: 60 },
    );
  });

  it(`[AU22] goes on after save and restore as if nothing had happened, bit for bit (seed ${SEED})`, () => {
    fc.assert(
      fc.property(
        randomScenario,
        fc.array(fc.boolean(), { minLength: STEPS, maxLength: STEPS }),
        fc.array(fc.double({ min: -2, max: 2, noNaN: true }), { minLength: 5, maxLength: 5 }),
        fc.boolean(),
        (scenario, astray, values, throughBytes) => {
          for (const kind of fittingKinds(scenario)) {
            const drive = (strays: boolean): Trace => {
              const unit = wrapped(scenario, [kind, kind]);
              const inputs = unit.description.ports.filter((port) => port.direction === "input");
              unit.enterInitialization({ start: 0 });
              unit.exitInitialization();
              const set = (k: number, factor: number): void => {
                const f64 = Float64Array.from(inputs, (_, i) => factor * values[(i + k) % 5]);
                const slots = inputs.map(({ index }, slot) => ({ port: index, slot }));
                unit.write(unit.bind(slots), { f64, i64: new BigInt64Array(0), obj: [] });
              };
              const read = outputs(scenario, unit);
              const rows: Trace = [];
              for (let k = 0; k < STEPS; k++) {
                const from = k * scenario.step;
                set(k, 1);
                if (strays && astray[k]) {
                  const before = unit.save();
                  const kept = throughBytes ? unit.deserialize(unit.serialize(before)) : before;
                  set(k + 1, 3);
                  unit.advance(from, { kind: "time", time: from + 0.7 * scenario.step });
                  if (k % 2 === 0) read();
                  unit.restore(kept);
                  unit.release(kept);
                }
                unit.advance(from, { kind: "time", time: (k + 1) * scenario.step });
                rows.push(read());
              }
              return rows;
            };
            expect(drive(true)).toEqual(drive(false));
          }
        },
      ),
      { seed: SEED, numRuns: 60 },
    );
  });

  it("[AU23] refuses units that form an algebraic loop, and says what to do", () => {
    const gain = (name: string): [string, Unit] => [name, proportional(name)];
    const connections = [
      { from: { unit: "a", port: "y" }, to: { unit: "b", port: "u" } },
      { from: { unit: "b", port: "y" }, to: { unit: "a", port: "u" } },
    ];
    const kind: HierarchicalKind = { input: "reactive", output: "mealy" };
    expect(() =>
      hierarchicalUnit("loop", { units: new Map([gain("a"), gain("b")]), connections }, kind),
    ).toThrow("write control rules that solve it");
  });
});
