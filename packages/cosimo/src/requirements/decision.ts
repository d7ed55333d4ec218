/**
 * What decides a robustness: down the formula from a value to the comparison, and the row, that it
 * comes from.
 */
import type { Formula, Interval } from "../model/requirement.ts";
import type { Polarity, Robustness } from "./robustness.ts";

type RowFormula = Formula<number>;

/** A part of a formula at a row of the part of the run at hand. */
export interface Deciding {
  readonly formula: RowFormula;
  readonly row: number;
  readonly polarity: Polarity;
}

/**
 * The comparison, signal or constant that the robustness of `f` at `row` is the value of, or of its
 * negation.
 */
export function deciding(values: Robustness, f: RowFormula, row: number): Deciding {
  let at: Deciding = { formula: f, row, polarity: 1 };
  for (;;) {
    const next = inside(values, at);
    if (next === undefined) return at;
    at = next;
  }
}

function inside(values: Robustness, at: Deciding): Deciding | undefined {
  const { formula: f, row, polarity } = at;
  const value = values.of(f, polarity)[row];
  const flipped = -polarity as Polarity;
  switch (f.kind) {
    case "compare":
    case "holds":
    case "constant":
      return undefined;
    case "not":
      return { formula: f.of, row, polarity: flipped };
    case "and":
    case "or":
      return nearest(values, value, [
        [1, { formula: f.left, row, polarity }],
        [1, { formula: f.right, row, polarity }],
      ]);
    case "implies":
    case "iff": {
      const sides: Candidate[] = [
        [-1, { formula: f.left, row, polarity: flipped }],
        [1, { formula: f.right, row, polarity }],
      ];
      if (f.kind === "iff")
        sides.push(
          [-1, { formula: f.right, row, polarity: flipped }],
          [1, { formula: f.left, row, polarity }],
        );
      return nearest(values, value, sides);
    }
    case "rises":
    case "falls": {
      const sign = f.kind === "rises" ? 1 : -1;
      const now: Deciding = { formula: f.of, row, polarity: (sign * polarity) as Polarity };
      const before: Deciding = {
        formula: f.of,
        row: row - 1,
        polarity: (-sign * polarity) as Polarity,
      };
      const other = -sign as 1 | -1;
      return nearest(
        values,
        value,
        row > 0
          ? [
              [sign, now],
              [other, before],
            ]
          : [[sign, now]],
      );
    }
    case "always":
    case "eventually":
    case "historically":
    case "once":
      return inWindow(values, at, f);
    case "until":
    case "since":
      return ofTwo(values, at, f);
  }
}

/** With the sign that its value has in the formula around it. */
type Candidate = readonly [1 | -1, Deciding];

function nearest(
  values: Robustness,
  value: number,
  candidates: readonly Candidate[],
): Deciding | undefined {
  let best: Deciding | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const [sign, one] of candidates) {
    const distance = apart(sign * values.of(one.formula, one.polarity)[one.row], value);
    if (best !== undefined && !(distance < least)) continue;
    best = one;
    least = distance;
  }
  return best;
}

function apart(a: number, b: number): number {
  return a === b ? 0 : Math.abs(a - b);
}

function inWindow(
  values: Robustness,
  { row, polarity, formula }: Deciding,
  f: { readonly kind: string; readonly interval: Interval; readonly of: RowFormula },
): Deciding | undefined {
  const { time } = values;
  const { from, to = Number.POSITIVE_INFINITY } = f.interval;
  const isPast = f.kind === "historically" || f.kind === "once";
  const value = values.of(formula, polarity)[row];
  const inner = values.of(f.of, polarity);
  let best = -1;
  let least = Number.POSITIVE_INFINITY;
  const step = isPast ? -1 : 1;
  const { slack } = values.expressions;
  // One row beyond an end that lies between two rows as well: the value may be one in between.
  let hasEnd = false;
  for (let j = row; j >= 0 && j < time.length; j += step) {
    const way = Math.abs(time[j] - time[row]);
    const next = time[j + step];
    const isInside = way >= from - slack && way <= to + slack;
    const touches =
      way < from - slack && next !== undefined && Math.abs(next - time[row]) > from + slack;
    if (isInside || touches || (!hasEnd && way > to + slack)) {
      const distance = apart(inner[j], value);
      if (best < 0 || distance < least) {
        best = j;
        least = distance;
      }
    }
    hasEnd = isInside && way >= to - slack;
    if (way > to + slack) break;
  }
  return best < 0 ? undefined : { formula: f.of, row: best, polarity };
}

/** The row at which `right` ends the wait, or the one at which `left` is least before it. */
function ofTwo(
  values: Robustness,
  { row, polarity, formula }: Deciding,
  f: Extract<RowFormula, { kind: "until" | "since" }>,
): Deciding {
  const { time } = values;
  const { slack } = values.expressions;
  const { from, to = Number.POSITIVE_INFINITY } = f.interval;
  const value = values.of(formula, polarity)[row];
  const left = values.of(f.left, polarity);
  const right = values.of(f.right, polarity);
  const step = f.kind === "since" ? -1 : 1;
  let best: Deciding = { formula: f.right, row, polarity };
  let least = Number.POSITIVE_INFINITY;
  let weakest = row;
  let held = Number.POSITIVE_INFINITY;
  const take = (distance: number, decides: Deciding): void => {
    if (!(distance < least)) return;
    best = decides;
    least = distance;
  };
  for (let j = row; j >= 0 && j < time.length; j += step) {
    const way = Math.abs(time[j] - time[row]);
    if (way > to + slack) break;
    if (way >= from - slack) {
      const isRight = right[j] <= held;
      const decides = isRight
        ? { formula: f.right, row: j, polarity }
        : { formula: f.left, row: weakest, polarity };
      take(apart(Math.min(right[j], held), value), decides);
    }
    if (left[j] < held) {
      held = left[j];
      weakest = j;
    }
  }
  // Nothing ended the wait: what is waited for never came, or the wait itself was broken.
  take(apart(held, value), { formula: f.left, row: weakest, polarity });
  return best;
}
