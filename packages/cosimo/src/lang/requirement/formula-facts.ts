/**
 * What can be seen from a formula alone, before anything is known of its signals.
 */
import type { Formula, NumberExpression } from "../../model/requirement.ts";

/**
 * It says something of one instant, and nothing of what follows: most likely `always` was
 * forgotten.
 */
export function isAboutInstant(f: Formula<string>): boolean {
  switch (f.kind) {
    case "compare":
      return !looksAhead(f.left) && !looksAhead(f.right);
    case "holds":
    case "constant":
      return true;
    case "not":
    case "rises":
    case "falls":
      return isAboutInstant(f.of);
    case "and":
    case "or":
    case "implies":
    case "iff":
      return isAboutInstant(f.left) && isAboutInstant(f.right);
    default:
      return false;
  }
}

function looksAhead(e: NumberExpression<string>): boolean {
  switch (e.kind) {
    case "response":
      return true;
    case "operation":
      return looksAhead(e.left) || looksAhead(e.right);
    case "negate":
    case "past":
      return looksAhead(e.of);
    case "point":
      return e.of.some(looksAhead);
    default:
      return false;
  }
}
