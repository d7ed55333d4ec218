/**
 * The order of units, whatever the scenario: a permutation that does not depend on the declaration.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { describedUnit } from "./testing/described-unit.ts";
import { scenarioOf } from "./testing/scenario-of.ts";
import { automaticOrder } from "./unit-order.ts";

const KINDS = [
  describedUnit("u!, v! -> y", { through: "" }),
  describedUnit("u, v -> y", { through: "" }),
  describedUnit("u~, v~ -> y", { through: "" }),
  describedUnit("u!, v! -> y", { through: "y" }),
];

const graph = fc.integer({ min: 1, max: 6 }).chain((n) =>
  fc.record({
    kinds: fc.array(fc.nat({ max: KINDS.length - 1 }), { minLength: n, maxLength: n }),
    /** By input, its source; n: none. */
    sources: fc.array(fc.nat({ max: n }), { minLength: 2 * n, maxLength: 2 * n }),
    shuffle: fc.shuffledSubarray([...Array(n).keys()], { minLength: n, maxLength: n }),
  }),
);

const name = (u: number): string => `u${u}`;
const waitings = ["not delayed", "reactive"] as const;

describe("the automatic order", () => {
  it("[PN12] is a permutation with a reason for each unit, the same for every declaration", () => {
    fc.assert(
      fc.property(graph, fc.constantFrom(...waitings), ({ kinds, sources, shuffle }, waiting) => {
        const n = kinds.length;
        const wires = sources.flatMap((from, i) =>
          from === n
            ? []
            : [`${name(from)}.y -> ${name(Math.floor(i / 2))}.${i % 2 === 0 ? "u" : "v"}`],
        );
        const ordered = (declared: readonly number[], connections: readonly string[]): string[] => {
          const units = Object.fromEntries(declared.map((u) => [name(u), KINDS[kinds[u]]]));
          const scenario = scenarioOf(units, connections.join(";"));
          const { units: order, reasons } = automaticOrder(scenario, waiting);
          expect(reasons).toHaveLength(n);
          return order.map((u) => scenario.units[u].name);
        };
        const first = ordered([...Array(n).keys()], wires);
        expect(first.toSorted()).toEqual([...Array(n).keys()].map(name));
        expect(ordered(shuffle, wires.toReversed())).toEqual(first);
      }),
    );
  });

  it("[PN12] puts every source before its reactive inputs where these form no loop", () => {
    fc.assert(
      fc.property(graph, ({ sources }) => {
        const n = sources.length / 2;
        // Only from lower to higher numbers: no loop.
        const wires = sources.flatMap((from, i) => {
          const to = Math.floor(i / 2);
          return from < to ? [{ from, to, port: i % 2 === 0 ? "u" : "v" }] : [];
        });
        const units = Object.fromEntries(
          [...Array(n).keys()].reverse().map((u) => [name(u), KINDS[0]]),
        );
        const text = wires
          .map(({ from, to, port }) => `${name(from)}.y -> ${name(to)}.${port}`)
          .join(";");
        const scenario = scenarioOf(units, text);
        const order = automaticOrder(scenario, "reactive").units.map((u) => scenario.units[u].name);
        for (const { from, to } of wires)
          expect(order.indexOf(name(from))).toBeLessThan(order.indexOf(name(to)));
      }),
    );
  });
});
