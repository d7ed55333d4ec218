import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Scenario } from "../model/scenario.ts";
import { portGraph } from "./port-graph.ts";
import { chooseTears, resolveSchedule } from "./resolve-schedule.ts";
import { describedUnit } from "./testing/described-unit.ts";
import { randomCase } from "./testing/random-scenario.ts";
import { scenarioOf } from "./testing/scenario-of.ts";

const moore = describedUnit("u -> y", { through: "" });
const mealy = describedUnit("u -> y", { through: "y" });

function names(scenario: Scenario, unit: number, ports: readonly number[]): string {
  const { name, description } = scenario.units[unit];
  return `${name}(${ports.map((port) => description.ports[port].name)})`;
}

function scheduled(scenario: Scenario, torn: boolean): string[] {
  const graph = portGraph(scenario);
  const tears = torn ? chooseTears(scenario, graph) : undefined;
  return resolveSchedule(scenario, graph, tears).map((action) => {
    if (action.kind === "move") return `move ${action.connection}`;
    if (action.kind === "loop") return "loop";
    return `${action.kind} ${names(scenario, action.unit, action.ports)}`;
  });
}

function tornNames(scenario: Scenario): string[] {
  const { connections } = chooseTears(scenario, portGraph(scenario));
  const name = ({ unit, port }: { unit: number; port: number }): string =>
    `${scenario.units[unit].name}.${scenario.units[unit].description.ports[port].name}`;
  return [...connections].map((c) => {
    const { from, to } = scenario.connections[c];
    return `${name(from)} -> ${name(to)}`;
  });
}

describe("resolving the signals of one instant", () => {
  it("[PN5] reads units without feed-through once, and leaves their inputs to the coming step", () => {
    const two = describedUnit("u, v -> y, z", { through: "" });
    const scenario = scenarioOf({ a: two, b: two }, "a.y -> b.u; a.z -> b.v; b.y -> a.u");
    expect(scheduled(scenario, true)).toEqual([
      "read a(y,z)",
      "read b(y)",
      "move 0",
      "move 1",
      "move 2",
    ]);
  });

  it("[PN4] writes an input before it reads what depends on it at once", () => {
    const scenario = scenarioOf(
      { a: moore, b: mealy, c: mealy },
      "b.y -> c.u; a.y -> b.u; c.y -> a.u",
    );
    expect(scheduled(scenario, true)).toEqual([
      "read a(y)",
      "move 1",
      "write b(u)",
      "read b(y)",
      "move 0",
      "write c(u)",
      "read c(y)",
      "move 2",
    ]);
  });

  it("[PN4] solves a loop as one action at initialization, after what feeds it and before what it feeds", () => {
    const inner = describedUnit("u, v -> y", { through: "y" });
    const scenario = scenarioOf(
      { src: moore, a: inner, b: inner, end: moore },
      "src.y -> a.v; a.y -> b.u; b.y -> a.u; b.y -> end.u",
    );
    expect(scheduled(scenario, false)).toEqual([
      "read src(y)",
      "move 0",
      "write a(v)",
      "loop",
      "move 3",
    ]);
  });

  it("[PN6] tears a loop at a connection chosen by name, whatever the order of declaration", () => {
    const one = scenarioOf({ a: mealy, b: mealy }, "a.y -> b.u; b.y -> a.u");
    const other = scenarioOf({ b: mealy, a: mealy }, "b.y -> a.u; a.y -> b.u");
    expect(tornNames(one)).toEqual(["b.y -> a.u"]);
    expect(tornNames(other)).toEqual(["b.y -> a.u"]);
  });

  it("[PN6] tears loops that share an output", () => {
    const two = describedUnit("u, v -> y", { through: "y" });
    const scenario = scenarioOf(
      { a: two, b: mealy, c: mealy },
      "a.y -> b.u; b.y -> a.v; a.y -> c.u; c.y -> a.u",
    );
    expect(scheduled(scenario, true).filter((text) => text.startsWith("read"))).toHaveLength(3);
    // A unit that feeds itself: the walk meets the output again before any input.
    const self = scenarioOf({ a: two, c: mealy }, "a.y -> a.v; a.y -> c.u; c.y -> a.u");
    expect(tornNames(self).sort()).toEqual(["a.y -> a.v", "c.y -> a.u"]);
  });

  it("[PN6] leaves no loop in random scenarios", () => {
    fc.assert(
      fc.property(randomCase(15), ({ scenario }) => {
        const graph = portGraph(scenario);
        const actions = resolveSchedule(scenario, graph, chooseTears(scenario, graph));
        expect(actions.some(({ kind }) => kind === "loop")).toBe(false);
        const outputs = graph.nodes.filter(({ isInput }) => !isInput).length;
        const read = actions.flatMap((action) => (action.kind === "read" ? action.ports : []));
        expect(read).toHaveLength(outputs);
      }),
      { seed: 6, numRuns: 200 },
    );
  });
});
