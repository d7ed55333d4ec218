import { describe, expect, it } from "vitest";
import { portGraph } from "./port-graph.ts";
import { describedUnit } from "./testing/described-unit.ts";
import { scenarioOf } from "./testing/scenario-of.ts";

const RING = "a.y -> b.u; b.y -> a.u";
const mealy = describedUnit("u -> y, z", { through: "y" });
const moore = describedUnit("u -> y, z", { through: "" });

/** Edges as `a.y>b.u`. */
function edges(
  scenario: ReturnType<typeof scenarioOf>,
  watched: readonly [number, number][] = [],
): string[] {
  const graph = portGraph(
    scenario,
    watched.map(([unit, port]) => ({ unit, port })),
  );
  const name = (v: number): string => {
    const { unit, port } = graph.nodes[v];
    return `${scenario.units[unit].name}.${scenario.units[unit].description.ports[port].name}`;
  };
  return graph.edges.flatMap((list, v) => list.map((w) => `${name(v)}>${name(w)}`)).sort();
}

describe("the port graph", () => {
  it("[PN1] leads along connections, and through units along feed-through", () => {
    expect(edges(scenarioOf({ a: mealy, b: moore }, RING))).toEqual([
      "a.u>a.y",
      "a.y>b.u",
      "b.y>a.u",
    ]);
  });

  it("[PN3] assumes feed-through where a unit does not say", () => {
    const unknown = describedUnit("u, v -> y");
    const scenario = scenarioOf({ a: unknown, b: moore }, "b.y -> a.u; b.z -> a.v; a.y -> b.u");
    expect(edges(scenario)).toContain("a.u>a.y");
    expect(edges(scenario)).toContain("a.v>a.y");
  });

  it("[PN33] knows watched outputs that inputs act on at once, and no others", () => {
    const scenario = scenarioOf({ a: mealy, b: moore }, "b.y -> a.u");
    expect(edges(scenario)).toEqual(["b.y>a.u"]);
    expect(edges(scenario, [[0, 1]])).toEqual(["a.u>a.y", "b.y>a.u"]);
    expect(
      portGraph(scenario, [
        { unit: 0, port: 2 },
        { unit: 1, port: 2 },
      ]).nodes,
    ).toHaveLength(2);
  });

  it("[PN2] has a loop of two outputs and two inputs when both units have feed-through, else none", () => {
    const loops = (a: typeof mealy, b: typeof mealy): number[] =>
      portGraph(scenarioOf({ a, b }, RING))
        .components.filter((c) => c.length > 1)
        .map((c) => c.length);
    expect(loops(mealy, mealy)).toEqual([4]);
    expect(loops(mealy, moore)).toEqual([]);
    expect(loops(moore, moore)).toEqual([]);
  });
});
