/**
 * The graph of ports at one instant: which value must be known before which.
 *
 * Nodes are the connected inputs and outputs. Edges: output → input for every connection, input →
 * output where the unit has feed-through (assumed everywhere where a unit does not declare it). A
 * strongly connected component with more than one node is an algebraic loop.
 */
import { addTo } from "../base/collections.ts";
import type { PortRef, Scenario } from "../model/scenario.ts";
import { portAt } from "../model/scenario-ports.ts";
import { strongComponents } from "./strong-components.ts";

export interface PortNode {
  readonly unit: number;
  readonly port: number;
  readonly isInput: boolean;
}

export interface PortGraph {
  readonly nodes: readonly PortNode[];
  /** Successors by node number. */
  readonly edges: readonly (readonly number[])[];
  /** Components in dependency order; a loop has more than one node. */
  readonly components: readonly (readonly number[])[];
  nodeOf(unit: number, port: number): number;
}

/**
 * @param watched ports that are recorded without being connected. Those with feed-through become
 *   nodes too, so that what is recorded belongs to the inputs of the same instant.
 */
export function portGraph(scenario: Scenario, watched: readonly PortRef[] = []): PortGraph {
  const nodes: PortNode[] = [];
  const numbers = scenario.units.map(() => new Map<number, number>());
  const add = (unit: number, port: number, isInput: boolean): number => {
    let number = numbers[unit].get(port);
    if (number === undefined) {
      number = nodes.length;
      numbers[unit].set(port, number);
      nodes.push({ unit, port, isInput });
    }
    return number;
  };
  const edges: number[][] = [];
  const link = (from: number, to: number): void => {
    edges[from] ??= [];
    if (!edges[from].includes(to)) edges[from].push(to);
  };
  for (const { from, to } of scenario.connections)
    link(add(from.unit, from.port, false), add(to.unit, to.port, true));
  const inputsOf = new Map<number, number[]>();
  nodes.forEach((node, n) => {
    if (node.isInput) addTo(inputsOf, node.unit, n);
  });
  for (const { unit, port } of watched) {
    const { direction, feedThrough } = portAt(scenario, { unit, port });
    const dependent =
      (direction === "output" || direction === "local") && feedThrough?.length !== 0;
    if (dependent && inputsOf.has(unit)) add(unit, port, false);
  }
  nodes.forEach((_, n) => {
    edges[n] ??= [];
  });
  nodes.forEach((node, n) => {
    if (node.isInput) return;
    const { feedThrough } = portAt(scenario, node);
    for (const input of inputsOf.get(node.unit) ?? []) {
      if (feedThrough === undefined || feedThrough.includes(nodes[input].port)) link(input, n);
    }
  });
  return {
    nodes,
    edges,
    components: strongComponents(edges),
    nodeOf: (unit, port) => numbers[unit]?.get(port) ?? -1,
  };
}
