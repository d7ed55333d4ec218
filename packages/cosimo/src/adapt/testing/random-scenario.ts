/**
 * Random scenarios that can be executed in order: linear units (solved exactly, so that only the
 * coupling shows), an outside signal, and a unit outside that closes a loop around the others.
 */
import fc from "fast-check";
import { innerOrder } from "../../model/adaptation/inner-order.ts";
import { functionUnit } from "../../unit/function-unit.ts";
import { linearUnit } from "../../unit/linear-unit.ts";
import { drawnUnit } from "../../unit/testing/internal/random-linear.ts";
import type { Unit } from "../../unit/unit.ts";
import type { Wire } from "./gauss-seidel.ts";

interface UnitSpec {
  readonly a: readonly (readonly number[])[];
  readonly b: readonly (readonly number[])[];
  readonly c: readonly (readonly number[])[];
  readonly d: readonly (readonly number[])[];
  readonly x: readonly number[];
  readonly reactive: readonly boolean[];
  /** For every input: which unit feeds it; beyond the units: something outside. */
  readonly sources: readonly number[];
}

export interface RandomScenario {
  /** Fresh units, those to be wrapped. */
  readonly inside: () => Map<string, Unit>;
  readonly wires: readonly Wire[];
  /** Inputs that are fed from outside: unit, port, and by what. */
  readonly open: readonly { readonly unit: string; readonly port: string; readonly by: Source }[];
  readonly step: number;
}

export type Source = "signal" | "plant";

const entry = (limit: number): fc.Arbitrary<number> =>
  fc.integer({ min: -100, max: 100 }).map((n) => (n / 100) * limit);
const matrix = (rows: number, columns: number, limit: number): fc.Arbitrary<number[][]> =>
  fc.array(fc.array(entry(limit), { minLength: columns, maxLength: columns }), {
    minLength: rows,
    maxLength: rows,
  });

const unitSpec: fc.Arbitrary<UnitSpec> = fc
  .tuple(
    fc.integer({ min: 1, max: 2 }),
    fc.integer({ min: 1, max: 2 }),
    fc.boolean(),
    fc.constantFrom("reactive", "delayed", "mixed"),
  )
  .chain(([states, inputs, mealy, kind]) =>
    fc.record({
      a: matrix(states, states, 2),
      b: matrix(states, inputs, 1),
      c: matrix(1, states, 1),
      d: matrix(1, inputs, mealy ? 1 : 0),
      x: fc.array(entry(1), { minLength: states, maxLength: states }),
      reactive: fc.array(kind === "mixed" ? fc.boolean() : fc.constant(kind === "reactive"), {
        minLength: inputs,
        maxLength: inputs,
      }),
      sources: fc.array(fc.nat({ max: 5 }), { minLength: inputs, maxLength: inputs }),
    }),
  );

const nameOf = (u: number): string => `unit${u}`;

const makeUnit = (spec: UnitSpec, name: string): Unit =>
  drawnUnit(spec, (input) => spec.reactive[input], name);

export const randomScenario: fc.Arbitrary<RandomScenario> = fc
  .tuple(fc.array(unitSpec, { minLength: 1, maxLength: 4 }), fc.constantFrom(0.05, 0.125, 0.3))
  .map(([specs, step]) => {
    const inside = (): Map<string, Unit> =>
      new Map(specs.map((spec, u) => [nameOf(u), makeUnit(spec, nameOf(u))]));
    const descriptions = [...inside().values()].map(({ description }) => description);
    const wires: Wire[] = [];
    const indexed: Parameters<typeof innerOrder>[1][number][] = [];
    const open: { unit: string; port: string; by: Source }[] = [];
    const output = (u: number): number =>
      descriptions[u].ports.findIndex(({ name }) => name === "y");
    specs.forEach((spec, u) => {
      spec.sources.forEach((source, i) => {
        const wire = {
          from: { unit: source, port: source < specs.length ? output(source) : 0 },
          to: { unit: u, port: i },
        };
        // What would close a loop inside is fed from outside instead.
        if (source < specs.length && innerOrder(descriptions, [...indexed, wire], "step")) {
          indexed.push(wire);
          wires.push({ from: [nameOf(source), "y"], to: [nameOf(u), `u${i}`] });
        } else
          open.push({ unit: nameOf(u), port: `u${i}`, by: source % 2 === 0 ? "signal" : "plant" });
      });
    });
    return { inside, wires, open, step };
  });

/**
 * What stands around the wrapped units: a signal, and a plant that answers to their first output
 * one step later.
 */
export function outside(): Map<string, Unit> {
  return new Map([
    [
      "signal",
      functionUnit({
        name: "signal",
        outputs: { y: { feedThrough: [] } },
        evaluate: (t, _u, _p, y) => {
          y[0] = Math.sin(3 * t) + 0.5;
        },
      }),
    ],
    [
      "plant",
      linearUnit({
        name: "plant",
        inputs: { u: {} },
        states: { y: { start: 0.3 } },
        a: [[-1]],
        b: [[0.5]],
      }),
    ],
  ]);
}
