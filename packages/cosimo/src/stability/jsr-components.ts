/**
 * The parts of an automaton that decide the long run: its strong components. An edge that leads
 * from one to another is taken once at most, so growth along it does not count, and every component
 * can be studied alone.
 */

import type { Automaton } from "../model/decision-automaton.ts";
import type { EdgeMatrices } from "../numerics/lyapunov-assemble.ts";
import { components } from "./automaton.ts";
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
        from: Int32Array.from(inside, (e) => local.get(edges[e].from)!),
        to: Int32Array.from(inside, (e) => local.get(edges[e].to)!),
        matrices: inside.map((e) => matrices[edges[e].mode]),
      },
    };
  });
}

function cyclicParts(
  automaton: Automaton,
): { nodes: readonly number[]; inside: readonly number[] }[] {
  const parts = components(automaton);
  const partOf = new Int32Array(automaton.nodes).fill(-1);
  parts.forEach((part, i) => {
    for (const node of part) partOf[node] = i;
  });
  const inside: number[][] = parts.map(() => []);
  automaton.edges.forEach(({ from, to }, e) => {
    if (partOf[from] === partOf[to]) inside[partOf[from]]?.push(e);
  });
  return parts.map((nodes, i) => ({ nodes, inside: inside[i] }));
}
