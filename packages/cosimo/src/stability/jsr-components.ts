/**
 * The parts of an automaton that decide the long run: its strong components. An edge that leads from one to another is taken once at
 * most, so growth along it does not count, and every component can be studied alone.
 */

import type { Automaton } from "../model/decision-automaton.ts";
import type { EdgeMatrices } from "../numerics/lyapunov-assemble.ts";
import { strongComponents } from "../plan/strong-components.ts";
import type { SwitchedSystem } from "./switched-system.ts";

export interface Component {
  /** Nodes of the automaton. */
  readonly nodes: readonly number[];
  /** Edges of the automaton that stay inside, as indices. */
  readonly edges: readonly number[];
  /** The same edges over nodes counted within the component. */
  readonly graph: EdgeMatrices;
}

/** Components that hold a cycle. */
export function componentsOf({ dimension, matrices, automaton }: SwitchedSystem): Component[] {
  const { edges } = automaton;
  return cyclicParts(automaton).map(({ nodes, inside }) => {
    const local = new Map(nodes.map((node, i) => [node, i]));
    return {
      nodes,
      edges: inside,
      graph: {
        n: dimension,
        nodes: nodes.length,
        from: Int32Array.from(inside, (e) => local.get(edges[e]!.from)!),
        to: Int32Array.from(inside, (e) => local.get(edges[e]!.to)!),
        matrices: inside.map((e) => matrices[edges[e]!.mode]!),
      },
    };
  });
}

function cyclicParts({
  nodes,
  edges,
}: Automaton): { nodes: readonly number[]; inside: readonly number[] }[] {
  const successors: number[][] = Array.from({ length: nodes }, () => []);
  for (const { from, to } of edges) successors[from]!.push(to);
  const partOf = new Int32Array(nodes);
  const parts = strongComponents(successors);
  parts.forEach((part, i) => {
    for (const node of part) partOf[node] = i;
  });
  const inside: number[][] = parts.map(() => []);
  edges.forEach(({ from, to }, e) => {
    if (partOf[from] === partOf[to]) inside[partOf[from]!]!.push(e);
  });
  return parts
    .map((part, i) => ({ nodes: part, inside: inside[i]! }))
    .filter((part) => part.inside.length > 0);
}
