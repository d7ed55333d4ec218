/**
 * The automatic order against the sentences that define it: by depth and name where nothing waits
 * in a loop; in a loop reactive inputs come before undeclared ones, then units without
 * feed-through, then names.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cases } from "../base/testing/cases.ts";
import type { UnitDescription } from "../model/unit-description.ts";
import { describedUnit } from "./testing/described-unit.ts";
import { longestPaths } from "./testing/graph-reference.ts";
import { scenarioOf } from "./testing/scenario-of.ts";
import { automaticOrder, givenOrder } from "./unit-order.ts";

const open = describedUnit("u, v, w -> y", { through: "" });
const reactive = describedUnit("u!, v!, w! -> y", { through: "" });
const delayed = describedUnit("u~, v~, w~ -> y", { through: "" });
const mealy = describedUnit("u, v, w -> y", { through: "y" });

type Units = Readonly<Record<string, UnitDescription>>;

function ordered(units: Units, wires: string, waiting: "not delayed" | "reactive" = "not delayed") {
  const scenario = scenarioOf(units, wires);
  const { units: order, reasons } = automaticOrder(scenario, waiting);
  return order.map((u, i) => `${scenario.units[u].name}: ${reasons[i]}`);
}

const KINDS = { open, reactive, delayed, mealy };
const PORTS = ["u", "v", "w"];

describe("the automatic order without loops", () => {
  it("[PN12] [PN15] is by depth, then by name; only inputs that wait make depth", () => {
    const chain = fc.integer({ min: 1, max: 7 }).chain((n) =>
      fc.record({
        kinds: fc.array(fc.constantFrom(...Object.values(KINDS)), { minLength: n, maxLength: n }),
        sources: fc.array(
          fc.tuple(fc.nat({ max: n - 1 }), fc.nat({ max: n - 1 }), fc.nat({ max: 2 })),
          {
            maxLength: 2 * n,
          },
        ),
        waiting: fc.constantFrom("not delayed" as const, "reactive" as const),
        names: fc.shuffledSubarray([..."abcdefg"].slice(0, n), { minLength: n, maxLength: n }),
      }),
    );
    fc.assert(
      fc.property(chain, ({ kinds, sources, waiting, names }) => {
        // Wires lead from lower to higher numbers, and an input has one at most.
        const taken = new Set<string>();
        const wires = sources.filter(([from, to, port]) => {
          const isNew = from < to && !taken.has(`${to} ${port}`);
          if (isNew) taken.add(`${to} ${port}`);
          return isNew;
        });
        const waits = (to: number): boolean =>
          kinds[to] === reactive || (waiting === "not delayed" && kinds[to] !== delayed);
        const edges = kinds.map((_, v) =>
          wires.flatMap(([from, to]) => (from === v && waits(to) ? [to] : [])),
        );
        const depth = longestPaths(edges);
        const expected = names
          .map((name, v) => ({ name, v }))
          .sort((a, b) => depth[a.v] - depth[b.v] || (a.name < b.name ? -1 : 1))
          .map(({ name, v }) => {
            const sourceNames = new Set(
              wires.flatMap(([from, to]) => (to === v && waits(v) ? [names[from]] : [])),
            );
            return sourceNames.size === 0
              ? `${name}: needs no new values`
              : `${name}: after ${[...sourceNames].join(", ")}, whose new values it gets`;
          });
        const units = Object.fromEntries(names.map((name, v) => [name, kinds[v]]));
        const text = wires.map(
          ([from, to, port]) => `${names[from]}.y -> ${names[to]}.${PORTS[port]}`,
        );
        expect(ordered(units, text.join(";"), waiting)).toEqual(expected);
      }),
      { seed: 22, numRuns: cases(500) },
    );
  });

  it("[PN15] an input that is extrapolated on request does not wait, a reactive one does", () => {
    const first = (unit: UnitDescription, approximation: "linear" | "hold"): string | undefined => {
      const scenario = scenarioOf({ a: unit, b: open }, "b.y -> a.u", { approximation });
      const [u] = automaticOrder(scenario, "not delayed").units;
      return scenario.units[u].name;
    };
    expect([first(open, "hold"), first(open, "linear")]).toEqual(["b", "a"]);
    expect([first(reactive, "hold"), first(reactive, "linear")]).toEqual(["b", "b"]);
  });

  it("[PN12] a unit that feeds itself waits for nothing", () => {
    expect(ordered({ a: reactive }, "a.y -> a.u")).toEqual(["a: needs no new values"]);
  });
});

describe("the automatic order in a loop", () => {
  const broken = (why: string): string =>
    `breaks a loop of inputs that wait for each other: ${why}`;

  it.each<[string, Units, string, string[]]>([
    [
      "begins with a unit without feed-through",
      { a: mealy, b: open },
      "a.y -> b.u; b.y -> a.u",
      [`b: ${broken("it has no feed-through")}`, "a: after b, whose new values it gets"],
    ],
    [
      "begins with the first name where all have feed-through",
      { d: mealy, c: mealy },
      "c.y -> d.u; d.y -> c.u",
      [`c: ${broken("first by name")}`, "d: after c, whose new values it gets"],
    ],
    [
      "lets inputs of no declared kind give way, whatever the names",
      { a: reactive, b: open },
      "a.y -> b.u; b.y -> a.u",
      [
        `b: ${broken("its inputs are not declared reactive")}`,
        "a: after b, whose new values it gets",
      ],
    ],
    [
      "lets them give way before feed-through counts",
      { a: reactive, b: mealy },
      "a.y -> b.u; b.y -> a.u",
      [
        `b: ${broken("its inputs are not declared reactive")}`,
        "a: after b, whose new values it gets",
      ],
    ],
    [
      "goes on with what has all its sources",
      { a: open, b: open, c: open },
      "a.y -> c.u; c.y -> b.u; b.y -> a.u",
      [
        `a: ${broken("it has no feed-through")}`,
        "c: after a, whose new values it gets",
        "b: after c, whose new values it gets",
      ],
    ],
    [
      "comes after what feeds it and before what it feeds",
      { z: open, m: open, n: open, a: open },
      "z.y -> m.u; m.y -> n.u; n.y -> m.v; n.y -> a.u",
      [
        "z: needs no new values",
        `m: ${broken("it has no feed-through")}`,
        "n: after m, whose new values it gets",
        "a: after n, whose new values it gets",
      ],
    ],
    [
      "is broken more than once where it must be",
      { a: open, b: open, c: open },
      "a.y -> b.u; b.y -> a.u; b.y -> c.u; c.y -> b.v",
      [
        `a: ${broken("it has no feed-through")}`,
        `b: ${broken("it has no feed-through")}`,
        "c: after b, whose new values it gets",
      ],
    ],
  ])("[PN13] [PN15] %s", (_, units, wires, expected) => {
    expect(ordered(units, wires)).toEqual(expected);
    const turned = Object.fromEntries(Object.entries(units).reverse());
    expect(ordered(turned, wires)).toEqual(expected);
  });

  it("[PN13] a unit that discloses nothing has feed-through, and one without inputs has none", () => {
    const silent = describedUnit("u -> y");
    const both = "a.y -> b.u; b.y -> a.u";
    expect(ordered({ a: silent, b: open }, both)[0]).toContain("b: breaks");
    const partly = {
      ...mealy,
      ports: [...mealy.ports, { ...mealy.ports[3], index: 4, name: "z", feedThrough: [] }],
    };
    expect(ordered({ a: partly, b: open }, both)[0]).toContain("b: breaks");
  });
});

describe("a given order", () => {
  const scenario = scenarioOf({ left: open, right: open, top: open }, "");
  const problems = (...names: readonly string[]): string[] => {
    const found: string[] = [];
    givenOrder(scenario, names, { file: "test" }, (_, params) => {
      found.push(String(Object.values(params)[0]));
      return undefined;
    });
    return found;
  };

  it.each([
    [["top", "left", "right"], []],
    [[], ["the order does not name 'left'"]],
    [["left", "right"], ["the order does not name 'top'"]],
    [["left", "left", "top"], ["the order names 'left' twice"]],
    [["left", "middle"], ["the order names 'middle', which is not a unit"]],
  ])("[PN14] of %j: %j", (names, expected) => {
    expect(problems(...names)).toEqual(expected);
  });

  it("[PN14] keeps the sequence, with the reason that it was given", () => {
    const found = givenOrder(scenario, ["top", "left", "right"], { file: "test" }, () => undefined);
    expect(found).toEqual({ units: [2, 0, 1], reasons: ["as given", "as given", "as given"] });
  });
});
