import { describe, expect, it } from "vitest";
import {
  checkSequence,
  type DecisionGuard,
  FORBIDDEN,
  freestNode,
  guardTable,
} from "./decision-guard.ts";
import { automatonOf } from "./testing/automaton.ts";

/** b only after two a's: nodes are the number of a's in a row, at most 2. */
const GUARD: DecisionGuard = {
  policies: ["a", "b"],
  automaton: automatonOf(3, "0 a 1, 1 a 2, 2 a 2, 2 b 0"),
  start: 2,
};

describe("a guard", () => {
  it("[GU5] is a table of nodes", () => {
    expect([...guardTable(GUARD)]).toEqual([1, FORBIDDEN, 2, FORBIDDEN, 2, 0]);
    expect(freestNode(GUARD.automaton)).toBe(2);
  });

  it("[GU6] tells whether a recorded sequence is allowed, and where it was not", () => {
    expect(checkSequence(GUARD, [1, 0, 0, 1, 0])).toEqual({
      isAllowed: true,
      decisions: 5,
      end: 1,
    });
    expect(checkSequence(GUARD, [1, 0, 1])).toEqual({
      isAllowed: false,
      at: 2,
      policy: 1,
      node: 1,
    });
    expect(checkSequence(GUARD, [2]).isAllowed).toBe(false);
    expect(checkSequence(GUARD, [0.5]).isAllowed).toBe(false);
    expect(checkSequence(GUARD, []).isAllowed).toBe(true);
  });
});
