/**
 * Loops of ports against their definition, in random scenarios: what the algorithms find is what
 * the closure of the edges says, no more and no less.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cases } from "../base/testing/cases.ts";
import type { Scenario } from "../model/scenario.ts";
import { connectedKind } from "../model/unit-kind.ts";
import { findLoops, isContinuous } from "./find-loops.ts";
import { type PortGraph, portGraph } from "./port-graph.ts";
import { chooseTears } from "./resolve-schedule.ts";
import { loopsIn } from "./strong-components.ts";
import { describedUnit } from "./testing/described-unit.ts";
import { type Edges, loopsByDefinition, pathsIn } from "./testing/graph-reference.ts";
import { randomCase } from "./testing/random-scenario.ts";
import { scenarioOf } from "./testing/scenario-of.ts";

const mealy = describedUnit("u -> y", { through: "y" });
const moore = describedUnit("u -> y", { through: "" });
const reactive = describedUnit("u! -> y", { through: "" });
const RING = "a.y -> b.u; b.y -> a.u";

const bySize = (loops: readonly (readonly number[])[]): string[] =>
  loops.map((loop) => loop.join(" ")).sort();

/** Edges by PN1 and PN3, in the words of the specification. */
function edgesByRule(scenario: Scenario, graph: PortGraph): number[][] {
  const { nodes, nodeOf } = graph;
  return nodes.map((node, v) => {
    if (!node.isInput)
      return nodes.flatMap((_, w) =>
        scenario.connections.some(
          ({ from, to }) => nodeOf(from.unit, from.port) === v && nodeOf(to.unit, to.port) === w,
        )
          ? [w]
          : [],
      );
    return nodes.flatMap((other, w) => {
      if (other.isInput || other.unit !== node.unit) return [];
      const { feedThrough } = scenario.units[other.unit].description.ports[other.port];
      return feedThrough === undefined || feedThrough.includes(node.port) ? [w] : [];
    });
  });
}

const ascendingRows = (edges: Edges): number[][] =>
  edges.map((row) => row.toSorted((a, b) => a - b));

/** What is left when these connections are omitted. */
function without(scenario: Scenario, graph: PortGraph, torn: ReadonlySet<number>): number[][] {
  const edges = graph.edges.map((row) => [...row]);
  for (const c of torn) {
    const { from, to } = scenario.connections[c];
    const v = graph.nodeOf(from.unit, from.port);
    edges[v] = edges[v].filter((w) => w !== graph.nodeOf(to.unit, to.port));
  }
  return edges;
}

describe("loops of nodes", () => {
  it.each<[string, number[][], number[][]]>([
    ["a node that follows itself", [[0], []], [[0]]],
    ["a node alone", [[]], []],
    ["a chain", [[1], [2], []], []],
    ["two that follow each other", [[1], [0]], [[0, 1]]],
    ["a ring with a tail", [[1], [2], [0, 3], []], [[0, 1, 2]]],
    [
      "two rings with a bridge",
      [[1], [0, 2], [3], [2]],
      [
        [0, 1],
        [2, 3],
      ],
    ],
    ["a ring with a node that follows itself inside", [[1, 0], [0]], [[0, 1]]],
  ])("[PN2] in %s", (_, edges, expected) => {
    expect(loopsIn(edges)).toEqual(expected);
    expect(loopsByDefinition(edges)).toEqual(expected);
  });

  it("[PN2] are those of the closure, in random graphs with nodes that follow themselves", () => {
    const graphs = fc.integer({ min: 1, max: 8 }).chain((n) =>
      fc.array(fc.uniqueArray(fc.nat({ max: n - 1 }), { maxLength: 3 }), {
        minLength: n,
        maxLength: n,
      }),
    );
    fc.assert(
      fc.property(graphs, (edges) => {
        expect(bySize(loopsIn(edges))).toEqual(bySize(loopsByDefinition(edges)));
      }),
      { seed: 12, numRuns: cases(500) },
    );
  });
});

describe("loops of ports in random scenarios", () => {
  it("[PN1] [PN3] run along the edges that the rules name", () => {
    fc.assert(
      fc.property(randomCase(6), ({ scenario }) => {
        const graph = portGraph(scenario);
        expect(ascendingRows(graph.edges)).toEqual(edgesByRule(scenario, graph));
        for (const [v, { unit, port }] of graph.nodes.entries())
          expect(graph.nodeOf(unit, port)).toBe(v);
      }),
      { seed: 13, numRuns: cases(300) },
    );
  });

  it("[PN60] [PN61] are found at one instant and over a step, each once", () => {
    let instants = 0;
    let overSteps = 0;
    fc.assert(
      fc.property(randomCase(6), ({ scenario }) => {
        const { graph, instant, overStep } = findLoops(scenario);
        const atOnce = bySize(loopsByDefinition(graph.edges));
        expect(bySize(instant)).toEqual(atOnce);
        // An input that takes the end's value counts as if every output depended on it.
        const ends = new Set(
          scenario.connections
            .filter(
              (c) =>
                c.approximation === "interpolation" ||
                (c.approximation === undefined && connectedKind(scenario, c) === "reactive"),
            )
            .map(({ to }) => graph.nodeOf(to.unit, to.port)),
        );
        const through = graph.edges.map((row, v) => {
          const own = graph.nodes.flatMap(({ unit, isInput }, w) =>
            !isInput && unit === graph.nodes[v].unit ? [w] : [],
          );
          return ends.has(v) ? [...new Set([...row, ...own])] : row;
        });
        const expected = bySize(loopsByDefinition(through)).filter(
          (loop) => !atOnce.includes(loop),
        );
        expect(bySize(overStep)).toEqual(expected);
        instants += instant.length;
        overSteps += overStep.length;
      }),
      { seed: 22, numRuns: cases(600) },
    );
    // Both kinds occurred.
    expect(instants).toBeGreaterThan(0);
    expect(overSteps).toBeGreaterThan(0);
  });

  it("[PN6] are all broken by the torn connections, and none outside of a loop is torn", () => {
    let torn = 0;
    fc.assert(
      fc.property(randomCase(6), ({ scenario }) => {
        const graph = portGraph(scenario);
        const { connections } = chooseTears(scenario, graph);
        expect(loopsByDefinition(without(scenario, graph, connections))).toEqual([]);
        const path = pathsIn(graph.edges);
        for (const c of connections) {
          const { from, to } = scenario.connections[c];
          const [v, w] = [from, to].map(({ unit, port }) => graph.nodeOf(unit, port));
          expect(path[w][v]).toBe(true);
        }
        torn += connections.size;
      }),
      { seed: 15, numRuns: cases(300) },
    );
    expect(torn).toBeGreaterThan(0);
  });
});

describe("a loop", () => {
  const whole = describedUnit("u -> y", { through: "y", type: "int32" });
  const jumping = {
    ...mealy,
    ports: mealy.ports.map((port) =>
      port.direction === "input" ? { ...port, variability: "discrete" as const } : port,
    ),
  };

  it.each([
    ["reals", true, { a: mealy, b: mealy }],
    ["integers", false, { a: whole, b: whole }],
    ["one integer among reals", false, { a: mealy, b: whole }],
    ["one discrete input among continuous ones", false, { a: jumping, b: mealy }],
  ])("[PN69] of %s can be iterated: %o", (_, expected, units) => {
    const scenario = scenarioOf(units, RING);
    const { graph, instant } = findLoops(scenario);
    expect(instant).toHaveLength(1);
    expect(isContinuous(scenario, graph, instant[0])).toBe(expected);
  });

  it("[PN61] over a step needs inputs that use its end: an approximation from the past gives none", () => {
    const found = (approximation?: "linear" | "interpolation"): number =>
      findLoops(
        scenarioOf({ a: reactive, b: reactive }, RING, {
          ...(approximation === undefined ? {} : { approximation }),
        }),
      ).overStep.length;
    expect([found(), found("interpolation"), found("linear")]).toEqual([1, 1, 0]);
    const requested = scenarioOf({ a: moore, b: moore }, RING, { approximation: "interpolation" });
    expect(findLoops(requested).overStep).toHaveLength(1);
    expect(findLoops(scenarioOf({ a: moore, b: moore }, RING)).overStep).toEqual([]);
  });

  it("[PN61] over a step may be larger than one at an instant, and then both are listed", () => {
    const both = describedUnit("u!, v! -> y, z", { through: "y" });
    const ports = both.ports.map((port) =>
      port.name === "y" ? { ...port, feedThrough: [0] } : port,
    );
    const unit = { ...both, ports };
    const { instant, overStep } = findLoops(
      scenarioOf({ a: unit, b: unit }, `${RING}; a.z -> b.v; b.z -> a.v`),
    );
    expect(instant.map(({ length }) => length)).toEqual([4]);
    expect(overStep.map(({ length }) => length)).toEqual([8]);
  });
});
