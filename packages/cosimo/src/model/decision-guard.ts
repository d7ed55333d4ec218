/**
 * A guard: which of its policies a master may take next. Made by stabilization, obeyed by an
 * adaptive master, and checked afterwards against the trace; all three read this data.
 */
import type { Automaton } from "./decision-automaton.ts";

export interface DecisionGuard {
  /** Names of the policies; edges of the automaton carry their indices. */
  readonly policies: readonly string[];
  readonly automaton: Automaton;
  /** The node at which a run starts. */
  readonly start: number;
}

/** Forbidden, in the table of a guard. */
export const FORBIDDEN = -1;

/** `table[node * policies + policy]` is the node that the policy leads to, or FORBIDDEN. */
export function guardTable({ policies, automaton }: DecisionGuard): Int32Array {
  const table = new Int32Array(automaton.nodes * policies.length).fill(FORBIDDEN);
  for (const { from, to, mode } of automaton.edges) table[from * policies.length + mode] = to;
  return table;
}

/** The node with the most successors: before the first decision nothing needs to be compensated. */
export function freestNode({ nodes, edges }: Automaton): number {
  const leaving = new Int32Array(nodes);
  for (const { from } of edges) leaving[from] = (leaving[from] ?? 0) + 1;
  return leaving.indexOf(leaving.reduce((most, count) => Math.max(most, count), 0));
}

export type SequenceCheck =
  | { readonly isAllowed: true; readonly decisions: number; readonly end: number }
  /** The first decision that the guard forbids, counted from 0, and where it was taken. */
  | {
      readonly isAllowed: false;
      readonly at: number;
      readonly policy: number;
      readonly node: number;
    };

/** Whether a guard allows a sequence of policies from its start. */
export function checkSequence(guard: DecisionGuard, sequence: ArrayLike<number>): SequenceCheck {
  const table = guardTable(guard);
  const count = guard.policies.length;
  let node = guard.start;
  for (const [at, policy] of Array.from(sequence).entries()) {
    const isKnown = Number.isInteger(policy) && policy >= 0 && policy < count;
    const next = (isKnown ? table[node * count + policy] : undefined) ?? FORBIDDEN;
    if (next === FORBIDDEN) return { isAllowed: false, at, policy, node };
    node = next;
  }
  return { isAllowed: true, decisions: sequence.length, end: node };
}
