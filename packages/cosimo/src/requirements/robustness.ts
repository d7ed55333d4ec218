/**
 * How well a formula holds at every row of a part of a run: its robustness, positive where it
 * holds, negative where it does not, and by how much. Donzé and Maler, "Robust satisfaction of
 * temporal logic over real-valued signals" (2010); docs/spec/requirements.md numbers the rules.
 *
 * Everything is linear in the number of rows. Windows are minima over sliding windows; `until` over
 * an interval is decomposed as in Donzé, Ferrère and Maler, "Efficient robust monitoring for STL"
 * (2013): φ U[a,b] ψ = F[a,b] ψ ∧ G[0,a) φ ∧ (φ U ψ at a).
 *
 * Strictness is in the sign of zero: `x < 5` at x = 5 is -0, `x <= 5` is 0. Minimum, maximum and
 * negation keep that, so a formula holds exactly where its robustness is positive or 0, and not -0.
 */
import type { Comparison, Formula, Interval } from "../model/requirement.ts";
import { between, slidingMinimum } from "../numerics/sliding-window.ts";
import { boundsOf } from "./response-bounds.ts";
import { type ExpressionValues, eachSignal, type Rows } from "./sampled-signals.ts";

/**
 * What lies beyond the last row: nothing (windows end there); what deadlines that are not over yet
 * may bring; or anything, for a run that goes on.
 */
export type Beyond = "nothing" | "deadlines" | "anything";

/**
 * 1: the unknown is taken so that the formula holds, -1: so that it does not. Negation swaps them.
 */
export type Polarity = 1 | -1;

type RowFormula = Formula<number>;

export function holds(robustness: number): boolean {
  return robustness > 0 || Object.is(robustness, 0);
}

const INFINITY = Number.POSITIVE_INFINITY;

/** Robustness of formulas in one part of a run. Row 0 is the first of the part. */
export class Robustness {
  readonly rows: Rows;
  readonly expressions: ExpressionValues;
  /** Of the part. */
  readonly time: Float64Array;
  private readonly beyond: Beyond;
  private readonly known = new Map<RowFormula, Partial<Record<Polarity, Float64Array>>>();

  constructor(expressions: ExpressionValues, rows: Rows, beyond: Beyond) {
    this.expressions = expressions;
    this.rows = rows;
    this.time = expressions.signals.time.subarray(rows.begin, rows.end);
    this.beyond = beyond;
  }

  of(f: RowFormula, polarity: Polarity = 1): Float64Array {
    let known = this.known.get(f);
    if (known === undefined) {
      known = {};
      this.known.set(f, known);
    }
    known[polarity] ??= this.compute(f, polarity);
    return known[polarity];
  }

  /** Values between rows are those of the row before. */
  isStepwise(f: RowFormula): boolean {
    return signalsOf(f).some((signal) => this.expressions.signals.isStepwise[signal]);
  }

  private compute(f: RowFormula, polarity: Polarity): Float64Array {
    const n = this.time.length;
    switch (f.kind) {
      case "constant":
        return new Float64Array(n).fill(f.value ? INFINITY : -INFINITY);
      case "holds": {
        const { begin, end } = this.rows;
        const values = this.expressions.signals.values[f.signal].subarray(begin, end);
        return values.map((value) => (value > 0 ? INFINITY : -INFINITY));
      }
      case "compare":
        return this.compare(f, polarity);
      case "not":
        return this.of(f.of, -polarity as Polarity).map((value) => -value);
      case "and":
        return least(this.of(f.left, polarity), this.of(f.right, polarity));
      case "or":
        return most(this.of(f.left, polarity), this.of(f.right, polarity));
      case "implies":
        return most(this.not(f.left, polarity), this.of(f.right, polarity));
      case "iff":
        return least(
          most(this.not(f.left, polarity), this.of(f.right, polarity)),
          most(this.not(f.right, polarity), this.of(f.left, polarity)),
        );
      case "rises":
        return rising(this.of(f.of, polarity), this.not(f.of, polarity));
      case "falls":
        return rising(this.not(f.of, polarity), this.of(f.of, polarity));
      case "always":
        return this.future(this.of(f.of, polarity), f, polarity);
      case "eventually":
        return negated(this.future(negated(this.of(f.of, polarity)), f, polarity));
      case "historically":
        return this.past(this.of(f.of, polarity), f);
      case "once":
        return negated(this.past(negated(this.of(f.of, polarity)), f));
      case "until":
        return this.until(f, polarity);
      case "since":
        return this.since(f, polarity);
    }
  }

  private not(f: RowFormula, polarity: Polarity): Float64Array {
    return negated(this.of(f, -polarity as Polarity));
  }

  private compare(f: Extract<RowFormula, { kind: "compare" }>, polarity: Polarity): Float64Array {
    const { begin, end } = this.rows;
    const [a, b] = [f.left, f.right].map((side) => {
      const { low, high } = boundsOf(this.expressions, side, this.rows, this.beyond);
      const isKnown = low === high;
      return { low: low.subarray(begin, end), high: high.subarray(begin, end), isKnown };
    });
    const measure = (f.isWhole ? WHOLE : REAL)[f.operator];
    const wish = polarity > 0 ? WISHES[f.operator] : OPPOSITE[WISHES[f.operator]];
    return a.low.map((low, i) => {
      const distance =
        a.isKnown && b.isKnown
          ? measure(low, b.low[i])
          : measure(...chosen([low, a.high[i]], [b.low[i], b.high[i]], wish));
      // NaN satisfies nothing: neither a comparison nor its negation.
      return Number.isNaN(distance) ? -polarity * INFINITY : distance;
    });
  }

  /** Least value in the window ahead; where it reaches beyond the end, what may come counts too. */
  private future(
    values: Float64Array,
    f: { readonly kind: string; readonly interval: Interval; readonly of: RowFormula },
    polarity: Polarity,
  ): Float64Array {
    const { from, to = INFINITY, isOpen = false } = f.interval;
    const out = this.sliding(values, { from, to, isOpen }, "future", f.of);
    // The fill is what `polarity` hopes for; a minimum that is negated afterwards gets it negated.
    const fill = polarity * (f.kind === "always" ? INFINITY : -INFINITY);
    if (fill < 0) this.reachBeyond(to, (i) => (out[i] = fill));
    return out;
  }

  private past(
    values: Float64Array,
    { interval, of }: { readonly interval: Interval; readonly of: RowFormula },
  ): Float64Array {
    const { from, to = INFINITY } = interval;
    return this.sliding(values, { from: -to, to: -from, isOpen: false }, "past", of);
  }

  private sliding(
    values: Float64Array,
    window: { readonly from: number; readonly to: number; readonly isOpen: boolean },
    side: "future" | "past",
    of: RowFormula,
  ): Float64Array {
    const out = new Float64Array(values.length);
    const shape = { ...window, side, isLinear: !this.isStepwise(of) };
    slidingMinimum(values.length, this.time, values, shape, this.expressions.slack, out);
    return out;
  }

  /** The rows from which an interval of this end reaches beyond what is known. */
  private reachBeyond(to: number, visit: (row: number) => void): void {
    const { time, beyond } = this;
    if (beyond === "nothing" || (beyond === "deadlines" && to === INFINITY)) return;
    const { slack } = this.expressions;
    const end = time[time.length - 1];
    // Where the run goes on, more rows of its last instant may come.
    const reaches = (at: number): boolean =>
      beyond === "anything" ? at >= end - slack : at > end + slack;
    for (let i = time.length - 1; i >= 0 && reaches(time[i] + to); i--) visit(i);
  }

  /** max over rows j in the interval of min(right_j, left of all rows before j). */
  private until(
    f: Extract<RowFormula, { kind: "until" | "since" }>,
    polarity: Polarity,
  ): Float64Array {
    const { from, to = INFINITY } = f.interval;
    const { time } = this;
    const n = time.length;
    const left = this.of(f.left, polarity);
    const right = this.of(f.right, polarity);
    const isKnown = this.beyond === "nothing" || (this.beyond === "deadlines" && to === INFINITY);
    // What comes behind the last row; bounded intervals are bounded by `inTime`.
    let next = isKnown || polarity < 0 ? -INFINITY : INFINITY;
    const open = new Float64Array(n);
    for (let i = n - 1; i >= 0; i--) {
      next = Math.max(right[i], Math.min(left[i], next));
      open[i] = next;
    }
    const ends = { kind: "eventually", interval: f.interval, of: f.right } as const;
    const inTime = negated(this.future(negated(right), ends, polarity));
    if (from === 0) return least(inTime, open);
    const beyond = isKnown || polarity < 0 ? -INFINITY : INFINITY;
    const late = this.behind(from, left, right, open, beyond, !this.isStepwise(f));
    return least(inTime, late);
  }

  /** `left` up to `from` behind each row, and from there on `left until right`. */
  private behind(
    from: number,
    left: Float64Array,
    right: Float64Array,
    open: Float64Array,
    beyond: number,
    isLinear: boolean,
  ): Float64Array {
    const { time } = this;
    const { slack } = this.expressions;
    const n = time.length;
    // All rows before the first that is not earlier than t + from: an open window.
    const hold = new Float64Array(n);
    const window = { from: 0, to: from, side: "future", isLinear: false, isOpen: true } as const;
    slidingMinimum(n, time, left, window, slack, hold);
    let row = 0;
    return hold.map((held, i) => {
      const at = time[i] + from;
      while (row < n && time[row] < at - slack) row++;
      if (row === n) return Math.min(held, beyond);
      let value = open[row];
      if (time[row] > at + slack && row > 0) {
        const atLeft = between(time, left, row - 1, at, isLinear);
        const atRight = between(time, right, row - 1, at, isLinear);
        value = Math.max(atRight, Math.min(atLeft, value));
      }
      return Math.min(held, value);
    });
  }

  /** The mirror image of `until`: time runs backwards. */
  private since(
    f: Extract<RowFormula, { kind: "until" | "since" }>,
    polarity: Polarity,
  ): Float64Array {
    const { from, to } = f.interval;
    const { time } = this;
    const n = time.length;
    const left = this.of(f.left, polarity);
    const right = this.of(f.right, polarity);
    const open = new Float64Array(n);
    let before = -INFINITY;
    for (let i = 0; i < n; i++) {
      before = Math.max(right[i], Math.min(left[i], before));
      open[i] = before;
    }
    const interval = to === undefined ? { from } : { from, to };
    const inTime = negated(this.past(negated(right), { interval, of: f.right }));
    if (from === 0) return least(inTime, open);
    const { slack } = this.expressions;
    const isLinear = !this.isStepwise(f);
    const held = new Float64Array(n);
    // Rows later than t - from, up to now.
    const mirrored = time.map((_, i) => -time[n - 1 - i]);
    const window = { from: 0, to: from, side: "future", isLinear: false, isOpen: true } as const;
    slidingMinimum(n, mirrored, left.toReversed(), window, slack, held);
    held.reverse();
    let row = -1;
    const late = held.map((value, i) => {
      const at = time[i] - from;
      while (row + 1 < n && time[row + 1] <= at + slack) row++;
      if (row < 0) return -INFINITY;
      let then = open[row];
      if (time[row] < at - slack && row < n - 1) {
        const atLeft = between(time, left, row, at, isLinear);
        const atRight = between(time, right, row, at, isLinear);
        then = Math.max(atRight, Math.min(atLeft, then));
      }
      return Math.min(value, then);
    });
    return least(inTime, late);
  }
}

type Measure = (a: number, b: number) => number;

/** Distance to the boundary; on it the sign of zero says whether the comparison holds. */
const REAL: Readonly<Record<Comparison, Measure>> = {
  "<": (a, b) => (a === b ? -0 : b - a),
  "<=": (a, b) => (a === b ? 0 : b - a),
  ">": (a, b) => (a === b ? -0 : a - b),
  ">=": (a, b) => (a === b ? 0 : a - b),
  "==": (a, b) => (a === b ? 0 : -Math.abs(a - b)),
  "!=": (a, b) => (a === b ? -0 : Math.abs(a - b)),
};

/** By how much a whole number must change until the comparison changes. */
const WHOLE: Readonly<Record<Comparison, Measure>> = {
  "<": (a, b) => (a < b ? b - a : b - a - 1),
  "<=": (a, b) => (a <= b ? b - a + 1 : b - a),
  ">": (a, b) => (a > b ? a - b : a - b - 1),
  ">=": (a, b) => (a >= b ? a - b + 1 : a - b),
  "==": (a, b) => (a === b ? 1 : -Math.abs(a - b)),
  "!=": (a, b) => (a === b ? -1 : Math.abs(a - b)),
};

type Wish = "less" | "more" | "near" | "far";

/** What the left side should be, seen from the right one, so that a comparison holds. */
const WISHES: Readonly<Record<Comparison, Wish>> = {
  "<": "less",
  "<=": "less",
  ">": "more",
  ">=": "more",
  "==": "near",
  "!=": "far",
};
const OPPOSITE: Readonly<Record<Wish, Wish>> = {
  less: "more",
  more: "less",
  near: "far",
  far: "near",
};

type Range = readonly [least: number, most: number];

/** Of two ranges the values that are as wanted. */
function chosen([a, most]: Range, [b, limit]: Range, wanted: Wish): [number, number] {
  if (wanted === "less") return [a, limit];
  if (wanted === "more") return [most, b];
  if (wanted === "far") return most - b > limit - a ? [most, b] : [a, limit];
  if (a > limit) return [a, limit];
  if (most < b) return [most, b];
  // They overlap, or one of them is NaN.
  const common = Math.max(a, b);
  return [common, common];
}

function negated(values: Float64Array): Float64Array {
  return values.map((value) => -value);
}

function least(a: Float64Array, b: Float64Array): Float64Array {
  return a.map((value, i) => Math.min(value, b[i]));
}

function most(a: Float64Array, b: Float64Array): Float64Array {
  return a.map((value, i) => Math.max(value, b[i]));
}

/** True now, and not at the row before; the first row counts as a rise. */
function rising(now: Float64Array, not: Float64Array): Float64Array {
  return now.map((value, i) => (i === 0 ? value : Math.min(value, not[i - 1])));
}

/** The signals of a formula, without repetition. */
export function signalsOf(f: RowFormula): number[] {
  const found = new Set<number>();
  const visit = (part: RowFormula): void => {
    if (part.kind === "holds") found.add(part.signal);
    if (part.kind === "compare") {
      eachSignal(part.left, (signal) => found.add(signal));
      eachSignal(part.right, (signal) => found.add(signal));
    }
    for (const inner of partsOf(part)) visit(inner);
  };
  visit(f);
  return [...found];
}

function partsOf(f: RowFormula): readonly RowFormula[] {
  if ("of" in f) return [f.of];
  return f.kind !== "compare" && "left" in f ? [f.left, f.right] : [];
}
