/**
 * Automata in a line: `automatonOf(2, "0 a 1, 1 b 0")` has edges from node to node, each by a mode
 * (a: the first).
 */
import type { Automaton } from "../decision-automaton.ts";

export function automatonOf(nodes: number, notation: string): Automaton {
  const edges = notation.split(", ").map((edge) => {
    const [from = "", mode = "", to = ""] = edge.split(" ");
    return { from: Number(from), to: Number(to), mode: mode.charCodeAt(0) - "a".charCodeAt(0) };
  });
  return { nodes, edges };
}
