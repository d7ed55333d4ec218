/**
 * What responses (settling, overshoot) can still become. A signal that is outside of its band at
 * the end settles later, or never; while a run goes on, one that has settled may leave its band
 * again, any may go further beyond its target, and slopes of the first instant are those up to the
 * next one. What is made of them lies between two numbers as long as not everything is known.
 */
import type { NumberExpression } from "../model/requirement.ts";
import type { Beyond } from "./robustness.ts";
import { type ExpressionValues, type Rows, walk } from "./sampled-signals.ts";

type Expression = NumberExpression<number>;

/** By row of the trace; one and the same array where the values are known. */
interface Bounds {
  readonly low: Float64Array;
  readonly high: Float64Array;
}

const INFINITY = Number.POSITIVE_INFINITY;

export function boundsOf(
  values: ExpressionValues,
  e: Expression,
  rows: Rows,
  beyond: Beyond,
): Bounds {
  const known = values.of(e, rows);
  const exact = { low: known, high: known };
  if (beyond === "nothing" || !mayChange(e)) return exact;
  const unknown = { low: known.map(() => -INFINITY), high: known.map(() => INFINITY) };
  const { time } = values.signals;
  const isSlope = e.kind === "past" && e.function === "derivative";
  if (isSlope && beyond === "anything" && time.at(-1) === time[0]) return unknown;
  if (e.kind === "response") return ofResponse(values, e, rows, beyond === "anything");
  const bounds = argumentsOf(e).map((one) => boundsOf(values, one, rows, beyond));
  if (bounds.every(({ low, high }) => low === high)) return exact;
  const combine = combination(e);
  if (combine === undefined) return unknown;
  const [a, b] = bounds;
  for (let i = 0; i < known.length; i++) {
    const others = b === undefined ? [0] : [b.low[i], b.high[i]];
    [unknown.low[i], unknown.high[i]] = ofCorners(combine, [a.low[i], a.high[i]], others);
  }
  return unknown;
}

function ofResponse(
  values: ExpressionValues,
  e: Extract<Expression, { kind: "response" }>,
  rows: Rows,
  goesOn: boolean,
): Bounds {
  const known = values.of(e, rows);
  const { time } = values.signals;
  const last = rows.end - 1;
  const isLost = e.of.some((one) => Number.isNaN(values.of(one, rows)[last]));
  // One that is outside of its band at the end has not settled yet.
  const isOutside = e.function === "settling" && known[last] === INFINITY;
  if (!goesOn && (!isOutside || isLost)) return { low: known, high: known };
  return {
    low: isOutside ? known.map((_, i) => time[last] - time[i]) : known,
    high: known.map(() => INFINITY),
  };
}

function argumentsOf(e: Expression): readonly Expression[] {
  if (e.kind === "operation") return [e.left, e.right];
  if (e.kind === "negate" || e.kind === "past") return [e.of];
  return e.kind === "point" ? e.of : [];
}

type Combine = (x: number, y: number) => number;

/** What is least and largest at the ends of the ranges of its arguments. */
function combination(e: Expression): Combine | undefined {
  if (e.kind === "negate") return (x) => -x;
  if (e.kind === "point")
    return e.function === "min" || e.function === "max" ? Math[e.function] : undefined;
  return e.kind === "operation" ? OPERATORS[e.operator] : undefined;
}

const OPERATORS: Readonly<Record<string, Combine>> = {
  "+": (x, y) => x + y,
  "-": (x, y) => x - y,
  // 0 * ∞: zero times whatever it becomes.
  "*": (x, y) => (x === 0 || y === 0 ? 0 : x * y),
};

function ofCorners(
  combine: Combine,
  xs: readonly number[],
  ys: readonly number[],
): [number, number] {
  const corners = xs.flatMap((x) => ys.map((y) => combine(x, y)));
  return [Math.min(...corners), Math.max(...corners)];
}

/** Responses, and slopes of the first instant, which are those up to the next one. */
function mayChange(e: Expression): boolean {
  let isThere = false;
  walk(e, (part) => {
    isThere ||= part.kind === "response";
    isThere ||= part.kind === "past" && part.function === "derivative";
  });
  return isThere;
}
