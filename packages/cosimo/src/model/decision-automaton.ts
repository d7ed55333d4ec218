/**
 * Which decision may follow which: an automaton whose edges carry decisions (modes, policies of a
 * master), as plain data.
 *
 * Stabilization makes one in which every infinite path is stable; an adaptive master uses it as a
 * guard; both meet here. A sequence of decisions is allowed when it can be read along edges.
 * Automata here are right-resolving: no two edges that leave a node carry the same decision, so
 * reading a sequence costs one look-up per decision.
 */
export interface AutomatonEdge {
  readonly from: number;
  readonly to: number;
  /** Index into the list of decisions. */
  readonly mode: number;
}

export interface Automaton {
  readonly nodes: number;
  readonly edges: readonly AutomatonEdge[];
}

/** One node, every decision at any time. */
export function freeAutomaton(modes: number): Automaton {
  return {
    nodes: 1,
    edges: Array.from({ length: modes }, (_, mode) => ({ from: 0, to: 0, mode })),
  };
}
