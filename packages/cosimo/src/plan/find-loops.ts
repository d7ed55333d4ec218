/**
 * Loops of both kinds, as sets of ports: at one instant, through outputs that depend directly on
 * inputs, and over a step, through the states of units whose inputs use the value at its end. The
 * choice of a master and its explanation need them.
 */

import { addTo } from "../base/collections.ts";
import type { Scenario } from "../model/scenario.ts";
import { portAt } from "../model/scenario-ports.ts";
import { connectedKind } from "../model/unit-kind.ts";
import { isCoupled } from "./master-needs.ts";
import { type PortGraph, portGraph } from "./port-graph.ts";
import { strongComponents } from "./strong-components.ts";

export interface Loops {
  readonly graph: PortGraph;
  /** Nodes of the graph, loop by loop. */
  readonly instant: readonly (readonly number[])[];
  readonly overStep: readonly (readonly number[])[];
  /** Edges at one instant and through states: loops over a step lead along them. */
  readonly stepEdges: readonly (readonly number[])[];
}

export function findLoops(scenario: Scenario): Loops {
  const graph = portGraph(scenario);
  const instant = graph.components.filter((members) => members.length > 1);
  const known = new Set(instant.map((members) => members.join(" ")));
  const stepEdges = edgesThroughStates(scenario, graph);
  const overStep = strongComponents(stepEdges).filter(
    (members) => members.length > 1 && !known.has(members.join(" ")),
  );
  return { graph, instant, overStep, stepEdges };
}

/** Only what varies continuously can be iterated. */
export function isContinuous(
  scenario: Scenario,
  graph: PortGraph,
  members: readonly number[],
): boolean {
  return members.every((v) => {
    const { unit, port, isInput } = graph.nodes[v];
    return !isInput || isCoupled(portAt(scenario, { unit, port }));
  });
}

/** Feed-through, and from every input that uses the end of the step to all outputs of its unit. */
function edgesThroughStates(scenario: Scenario, graph: PortGraph): number[][] {
  const edges = graph.edges.map((successors) => [...successors]);
  const outputs = new Map<number, number[]>();
  graph.nodes.forEach(({ unit, isInput }, v) => {
    if (!isInput) addTo(outputs, unit, v);
  });
  const inputs = new Set(
    scenario.connections
      .filter((connection) => {
        const { approximation } = connection;
        const isReactive = connectedKind(scenario, connection) === "reactive";
        return approximation === "interpolation" || (approximation === undefined && isReactive);
      })
      .map(({ to }) => graph.nodeOf(to.unit, to.port)),
  );
  for (const input of inputs) {
    for (const output of outputs.get(graph.nodes[input].unit) ?? [])
      if (!edges[input].includes(output)) edges[input].push(output);
  }
  return edges;
}
