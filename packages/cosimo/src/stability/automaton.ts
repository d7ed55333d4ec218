/**
 * What stabilization does with automata: lift them, so that a node remembers the last decisions,
 * take edges away, and keep the part in which one can go on for ever.
 */
import type { Automaton, AutomatonEdge } from "../model/decision-automaton.ts";
import { loopsIn } from "../plan/strong-components.ts";

export interface LiftedAutomaton {
  readonly automaton: Automaton;
  /** By edge of it: the path of `degree + 1` edges of the given automaton that it stands for. */
  readonly paths: readonly (readonly number[])[];
}

/**
 * The automaton of the same language whose nodes are the paths of `degree` edges (M-path-dependent
 * lift): taking one of its edges away forbids a sequence of `degree + 1` decisions instead of a
 * single one. A lift of degree k is k lifts of degree 1, in which edges become nodes.
 */
export function liftAutomaton(automaton: Automaton, degree: number): LiftedAutomaton {
  let lifted: LiftedAutomaton = { automaton, paths: automaton.edges.map((_, e) => [e]) };
  for (let k = 0; k < degree; k++) lifted = liftOnce(lifted);
  return lifted;
}

function liftOnce({ automaton: { nodes, edges }, paths }: LiftedAutomaton): LiftedAutomaton {
  const leaving = edgesByNode(nodes, edges);
  const lifted = edges.flatMap(({ to }, from) =>
    leaving[to].map((edge) => ({ from, to: edge, mode: edges[edge].mode })),
  );
  return {
    automaton: { nodes: edges.length, edges: lifted },
    paths: lifted.map(({ from, to }) => [...paths[from], paths[to].at(-1)!]),
  };
}

/** Numbers the paths of a lift, so that closed walks of the given automaton are found in it. */
export function pathNumbers(lifted: LiftedAutomaton): (closedWalk: readonly number[]) => number[] {
  const length = lifted.paths[0]?.length ?? 1;
  const number = new Map(lifted.paths.map((path, e) => [path.join(" "), e]));
  return (walk) =>
    walk.map((_, at) => {
      const path = Array.from({ length }, (_, k) => walk[(at + k) % walk.length]);
      return number.get(path.join(" "))!;
    });
}

/** By node: indices of the edges that leave it. */
export function edgesByNode(nodes: number, edges: readonly AutomatonEdge[]): number[][] {
  const leaving: number[][] = Array.from({ length: nodes }, () => []);
  edges.forEach(({ from }, e) => {
    leaving[from].push(e);
  });
  return leaving;
}

/**
 * Strongly connected components that have an edge inside, as sorted lists of nodes: where an
 * endless path ends up.
 */
export function components({ nodes, edges }: Automaton): number[][] {
  const leaving = edgesByNode(nodes, edges);
  return loopsIn(leaving.map((own) => own.map((e) => edges[e].to)));
}

/** The part of an automaton that lies on some of its nodes; they are renumbered, in their order. */
export function restrict({ edges }: Automaton, nodes: readonly number[]): Automaton {
  const place = new Map(nodes.map((node, k) => [node, k]));
  return {
    nodes: nodes.length,
    edges: edges.flatMap(({ from, to, mode }) => {
      const [a, b] = [place.get(from), place.get(to)];
      return a === undefined || b === undefined ? [] : [{ from: a, to: b, mode }];
    }),
  };
}
