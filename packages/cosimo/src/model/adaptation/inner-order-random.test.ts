/**
 * The order of inner units against a search over all orders: it is the first that meets all needs,
 * and there is one wherever an order exists.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cases } from "../../base/testing/cases.ts";
import { describedUnit } from "../../plan/testing/described-unit.ts";
import type { UnitDescription } from "../unit-description.ts";
import { actsAtOnce, type InnerWire, innerOrder } from "./inner-order.ts";

const KINDS: readonly (UnitDescription | undefined)[] = [
  describedUnit("u, v -> y", { through: "" }),
  describedUnit("u, v -> y", { through: "y" }),
  describedUnit("u!, v! -> y", { through: "" }),
  describedUnit("u~, v~ -> y", { through: "" }),
  undefined,
];

function* permutations(items: readonly number[]): Generator<number[]> {
  if (items.length === 0) yield [];
  for (const [i, first] of items.entries())
    for (const rest of permutations(items.toSpliced(i, 1))) yield [first, ...rest];
}

const system = fc.integer({ min: 1, max: 5 }).chain((n) =>
  fc.record({
    units: fc.array(fc.constantFrom(...KINDS), { minLength: n, maxLength: n }),
    wires: fc.array(fc.tuple(fc.nat({ max: n - 1 }), fc.nat({ max: n - 1 }), fc.nat({ max: 1 })), {
      maxLength: 2 * n,
    }),
    over: fc.constantFrom("step" as const, "instant" as const),
  }),
);

/** Whether the unit must wait for what feeds this input: the sentences of `innerOrder`. */
function mustWait(
  unit: UnitDescription | undefined,
  port: number,
  over: "step" | "instant",
): boolean {
  if (unit === undefined || actsAtOnce(unit, port)) return true;
  return over === "step" && unit.ports[port].reactive === true;
}

describe("the order of inner units", () => {
  it("[SA18] meets all needs, and is missing only where no order does", () => {
    let found = 0;
    let missing = 0;
    fc.assert(
      fc.property(system, ({ units, wires: list, over }) => {
        const wires = list.map(
          ([from, to, port]): InnerWire => ({
            from: { unit: from, port: 2 },
            to: { unit: to, port },
          }),
        );
        const needs = wires.filter(({ to }) => mustWait(units[to.unit], to.port, over));
        const meets = (order: readonly number[]): boolean =>
          needs.every(({ from, to }) => order.indexOf(from.unit) < order.indexOf(to.unit));
        const possible = [...permutations(units.map((_, u) => u))].some(meets);
        const order = innerOrder(units, wires, over);
        if (order === undefined) {
          expect(possible).toBe(false);
          missing++;
        } else {
          expect(order.toSorted()).toEqual(units.map((_, u) => u));
          expect(meets(order)).toBe(true);
          found++;
        }
      }),
      { seed: 38, numRuns: cases(500) },
    );
    expect(found).toBeGreaterThan(0);
    expect(missing).toBeGreaterThan(0);
  });

  it("[SA18] follows undeclared inputs too where they alone form no loop", () => {
    fc.assert(
      fc.property(system, ({ units, wires: list }) => {
        // Only from lower to higher numbers, declared in reverse: no loop, and a reason to reorder.
        const n = units.length;
        const open = units.map(() => KINDS[0]);
        const wires = list
          .filter(([from, to]) => from < to)
          .map(
            ([from, to, port]): InnerWire => ({
              from: { unit: n - 1 - from, port: 2 },
              to: { unit: n - 1 - to, port },
            }),
          );
        const order = innerOrder(open, wires, "step") ?? [];
        for (const { from, to } of wires)
          expect(order.indexOf(from.unit)).toBeLessThan(order.indexOf(to.unit));
      }),
      { seed: 39, numRuns: cases(300) },
    );
  });

  it("[SA18] keeps the declared order where nothing waits", () => {
    expect(innerOrder([KINDS[0], KINDS[3], undefined], [], "step")).toEqual([0, 1, 2]);
    // Delayed inputs wait for nothing, though their source comes later.
    const wire = { from: { unit: 1, port: 2 }, to: { unit: 0, port: 0 } };
    expect(innerOrder([KINDS[3], KINDS[0]], [wire], "step")).toEqual([0, 1]);
    // An undeclared one prefers to wait; one that feeds itself cannot.
    expect(innerOrder([KINDS[0], KINDS[0]], [wire], "step")).toEqual([1, 0]);
    const self = { from: { unit: 0, port: 2 }, to: { unit: 0, port: 0 } };
    expect(innerOrder([KINDS[0], KINDS[0]], [self], "step")).toEqual([0, 1]);
    expect(innerOrder([KINDS[1]], [self], "step")).toBeUndefined();
  });
});
