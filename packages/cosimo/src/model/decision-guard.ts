/**
 * A guard: which of its policies a master may take next, whatever it would like to do. Made by stabilization, obeyed by an adaptive
 * master, and checked afterwards on what was recorded; all three read this data.
 */
import type { Automaton } from "./decision-automaton.ts";

export interface DecisionGuard {
  /** Names of the policies; edges of the automaton carry their indices. */
  readonly policies: readonly string[];
  readonly automaton: Automaton;
  /** The node that a run begins at. */
  readonly start: number;
}

/** Forbidden, in the table of a guard. */
export const FORBIDDEN = -1;

/** `table[node * policies + policy]` is the node that the policy leads to, or FORBIDDEN: a look-up a decision. */
export function guardTable({ policies, automaton }: DecisionGuard): Int32Array {
  const table = new Int32Array(automaton.nodes * policies.length).fill(FORBIDDEN);
  for (const { from, to, mode } of automaton.edges) table[from * policies.length + mode] = to;
  return table;
}

/** The node with the most freedom: where no decision was taken yet, none has to be made up for. */
export function freestNode({ nodes, edges }: Automaton): number {
  const leaving = new Int32Array(nodes);
  for (const { from } of edges) leaving[from]!++;
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
  for (let at = 0; at < sequence.length; at++) {
    const policy = sequence[at]!;
    const isKnown = Number.isInteger(policy) && policy >= 0 && policy < count;
    const next = isKnown ? table[node * count + policy]! : FORBIDDEN;
    if (next === FORBIDDEN) return { isAllowed: false, at, policy, node };
    node = next;
  }
  return { isAllowed: true, decisions: sequence.length, end: node };
}
