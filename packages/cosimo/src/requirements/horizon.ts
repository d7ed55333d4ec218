/**
 * How far before and behind a row a formula sees, in seconds: what a monitor must have before the
 * row is decided.
 */
import type { Formula } from "../model/requirement.ts";
import { walk } from "./sampled-signals.ts";

export interface Horizon {
  readonly past: number;
  readonly future: number;
}

const HERE: Horizon = { past: 0, future: 0 };
const INFINITY = Number.POSITIVE_INFINITY;

export function horizonOf(f: Formula<number>): Horizon {
  switch (f.kind) {
    case "constant":
    case "holds":
      return HERE;
    case "compare":
      return ofNumbers(f);
    case "not":
    case "rises":
    case "falls":
      return horizonOf(f.of);
    case "and":
    case "or":
    case "implies":
    case "iff":
      return both(horizonOf(f.left), horizonOf(f.right));
    case "always":
    case "eventually":
      return ahead(horizonOf(f.of), f.interval.to);
    case "historically":
    case "once":
      return back(horizonOf(f.of), f.interval.to);
    case "until":
      return ahead(both(horizonOf(f.left), horizonOf(f.right)), f.interval.to);
    case "since":
      return back(both(horizonOf(f.left), horizonOf(f.right)), f.interval.to);
  }
}

function ofNumbers(f: Extract<Formula<number>, { kind: "compare" }>): Horizon {
  let [past, future] = [0, 0];
  for (const side of [f.left, f.right])
    walk(side, (e) => {
      // Windows inside of windows add up; their sum is a bound whatever the nesting is.
      if (e.kind === "past" && e.function !== "derivative") past += e.window ?? INFINITY;
      if (e.kind === "response") future = INFINITY;
    });
  return { past, future };
}

function both(a: Horizon, b: Horizon): Horizon {
  return { past: Math.max(a.past, b.past), future: Math.max(a.future, b.future) };
}

function ahead({ past, future }: Horizon, to = INFINITY): Horizon {
  return { past, future: future + to };
}

function back({ past, future }: Horizon, to = INFINITY): Horizon {
  return { past: past + to, future };
}
