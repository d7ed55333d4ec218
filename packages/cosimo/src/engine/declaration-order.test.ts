/**
 * The order in which units and connections are written must not change a single bit of the result.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { linearUnit } from "../unit/linear-unit.ts";
import type { Unit } from "../unit/unit.ts";
import { runUnits } from "./testing/run-units.ts";

interface UnitSketch {
  readonly pole: number;
  readonly gain: number;
  readonly start: number;
  readonly direct: number;
  readonly reactive: boolean;
  readonly ticks: number;
}

const sketch: fc.Arbitrary<UnitSketch> = fc.record({
  pole: fc.integer({ min: 1, max: 5 }),
  gain: fc.integer({ min: -2, max: 2 }),
  start: fc.integer({ min: -3, max: 3 }),
  direct: fc.constantFrom(0, 0, 0.5, -0.25),
  reactive: fc.boolean(),
  ticks: fc.constantFrom(1, 1, 2, 3),
});

const unitOf = (name: string, s: UnitSketch): Unit =>
  linearUnit(
    {
      name,
      inputs: { u: { reactive: s.reactive }, w: { reactive: s.reactive } },
      states: { x: { start: s.start } },
      outputs: { y: { feedThrough: s.direct === 0 ? [] : ["u"] } },
      a: [[-s.pole]],
      b: [[s.gain, 1]],
      c: [[1]],
      d: [[s.direct, 0]],
    },
    name,
  );

describe("the order of declaration", () => {
  it("[EN17] changes nothing", async () => {
    const scenario = fc.integer({ min: 2, max: 50 }).chain((n) =>
      fc.record({
        sketches: fc.array(sketch, { minLength: n, maxLength: n }),
        // Source of u and of w of every unit; -1 leaves it open.
        sources: fc.array(
          fc.tuple(fc.integer({ min: -1, max: n - 1 }), fc.integer({ min: -1, max: n - 1 })),
          {
            minLength: n,
            maxLength: n,
          },
        ),
        unitOrder: fc.shuffledSubarray(
          Array.from({ length: n }, (_, i) => i),
          { minLength: n },
        ),
        seed: fc.integer(),
        master: fc.constantFrom("jacobi", "gauss-seidel"),
        approximation: fc.constantFrom("hold", "linear", "extrapolated-interpolation"),
      }),
    );
    await fc.assert(
      fc.asyncProperty(
        scenario,
        async ({ sketches, sources, unitOrder, seed, master, approximation }) => {
          const name = (i: number): string => `unit${i}`;
          const wires = sources.flatMap(([u, w], i) => [
            ...(u >= 0 && u !== i ? [`${name(u)}.y -> ${name(i)}.u`] : []),
            ...(w >= 0 && w !== i ? [`${name(w)}.x -> ${name(i)}.w`] : []),
          ]);
          const record = sketches.map((_, i) => `${name(i)}.y`);
          const steps = Object.fromEntries(sketches.map((s, i) => [name(i), 0.1 * s.ticks]));
          const run = (order: readonly number[], connections: readonly string[]) =>
            runUnits(
              Object.fromEntries(order.map((i) => [name(i), unitOf(name(i), sketches[i])])),
              connections.join(";"),
              record,
              { step: 0.1, steps, stop: 1.2, master, options: { approximation } },
            );
          const written = await run(
            sketches.map((_, i) => i),
            wires,
          );
          const shuffled = [...wires].sort((a, b) => hash(a, seed) - hash(b, seed));
          const permuted = await run(unitOrder, shuffled);
          expect(permuted.outcome.kind).toBe(written.outcome.kind);
          expect(permuted.values).toEqual(written.values);
        },
      ),
      { seed: 23, numRuns: 60 },
    );
  });
});

/** Any order will do, as long as it is not the written one. */
function hash(text: string, seed: number): number {
  let h = seed | 0;
  for (const char of text) h = (Math.imul(h, 31) + char.charCodeAt(0)) | 0;
  return h;
}
