/**
 * Robustness by definition: every window row by row, quadratic, without any cleverness. For windows
 * whose ends are rows.
 */
import type { Comparison, Formula, NumberExpression } from "../../model/requirement.ts";
import type { SampledSignals } from "../sampled-signals.ts";

type F = Formula<number>;

/** The robustness at row `i`; windows end where the rows do. */
export function naive(f: F, { time, values }: SampledSignals, i: number): number {
  const n = time.length;
  const at = (part: F, row: number): number => naive(part, { time, values, isStepwise: [] }, row);
  const inside = (j: number, { from, to = Infinity }: { from: number; to?: number }): boolean => {
    const way = Math.abs((time[j] ?? 0) - (time[i] ?? 0));
    return way >= from - 1e-9 && way <= to + 1e-9;
  };
  const rows = (past: boolean): number[] =>
    [...Array(n).keys()].filter((j) => (past ? j <= i : j >= i));
  switch (f.kind) {
    case "constant":
      return f.value ? Infinity : -Infinity;
    case "holds":
      return (values[f.signal]?.[i] ?? 0) > 0 ? Infinity : -Infinity;
    case "compare":
      return distance(f.operator, number(f.left, values, i), number(f.right, values, i));
    case "not":
      return -at(f.of, i);
    case "and":
      return Math.min(at(f.left, i), at(f.right, i));
    case "or":
      return Math.max(at(f.left, i), at(f.right, i));
    case "implies":
      return Math.max(-at(f.left, i), at(f.right, i));
    case "iff":
      return Math.min(
        Math.max(-at(f.left, i), at(f.right, i)),
        Math.max(-at(f.right, i), at(f.left, i)),
      );
    case "rises":
      return i === 0 ? at(f.of, i) : Math.min(at(f.of, i), -at(f.of, i - 1));
    case "falls":
      return i === 0 ? -at(f.of, i) : Math.min(-at(f.of, i), at(f.of, i - 1));
    case "always":
    case "historically": {
      const window = rows(f.kind === "historically").filter((j) => inside(j, f.interval));
      return Math.min(...window.map((j) => at(f.of, j)));
    }
    case "eventually":
    case "once": {
      const window = rows(f.kind === "once").filter((j) => inside(j, f.interval));
      return Math.max(...window.map((j) => at(f.of, j)));
    }
    case "until":
    case "since": {
      const isPast = f.kind === "since";
      const candidates = rows(isPast).filter((j) => inside(j, f.interval));
      return Math.max(
        ...candidates.map((j) => {
          const waiting = rows(isPast).filter((k) => (isPast ? k > j : k < j));
          return Math.min(at(f.right, j), ...waiting.map((k) => at(f.left, k)));
        }),
      );
    }
  }
}

function number(e: NumberExpression<number>, values: readonly Float64Array[], i: number): number {
  if (e.kind === "number") return e.value;
  if (e.kind === "signal") return values[e.signal]?.[i] ?? Number.NaN;
  throw new Error("only signals and numbers");
}

function distance(operator: Comparison, a: number, b: number): number {
  if (operator === "==") return -Math.abs(a - b);
  if (operator === "!=") return Math.abs(a - b);
  return operator.startsWith("<") ? b - a : a - b;
}
