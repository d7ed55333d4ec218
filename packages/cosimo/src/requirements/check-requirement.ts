/**
 * A requirement and the rows of a run → a verdict: whether it holds, by how much, where, and what
 * decides that.
 */
import type { Formula, Requirement, Scope } from "../model/requirement.ts";
import { deciding } from "./decision.ts";
import { type Beyond, holds, Robustness, signalsOf } from "./robustness.ts";
import { ExpressionValues, type Rows, type SampledSignals } from "./sampled-signals.ts";

/** `open`: nothing is violated, and the run ended before a deadline that decides. */
export type VerdictState = "satisfied" | "violated" | "open";

export interface Verdict {
  readonly name: string;
  /** The requirement as written. */
  readonly text: string;
  readonly state: VerdictState;
  /**
   * How far it is from being violated; negative: by how much it is violated. Infinite where no
   * number decides.
   */
  readonly robustness: number;
  /** What the robustness is measured in. */
  readonly unit?: string;
  /** Where the robustness comes from; absent where nothing was required. */
  readonly decision?: Decision;
  /** Its scope never began, so nothing was required. */
  readonly isVacuous: boolean;
  /** Where it is violated, from the first on; no more than some. */
  readonly violations: readonly TimeSpan[];
}

export interface Decision {
  readonly time: number;
  /** The signals that are compared there. */
  readonly signals: readonly string[];
  /** One of them is NaN there. */
  readonly isNaN?: boolean;
}

export interface TimeSpan {
  readonly from: number;
  readonly to: number;
}

/** More places than a person looks at, or a plot can show. */
const MAX_VIOLATIONS = 100;

/**
 * @param beyond what may lie beyond the last row; default: a deadline that is not over yet may
 * still be kept.
 */
export function checkRequirement(
  requirement: Requirement,
  signals: SampledSignals,
  beyond: Beyond = "deadlines",
): Verdict {
  const { name, text, formula, scope } = requirement;
  const expressions = new ExpressionValues(signals);
  let worst: { readonly value: number; readonly values: Robustness } | undefined;
  let isOpen = false;
  const violations: TimeSpan[] = [];
  for (const { rows, isClosed } of partsOfRun(scope, expressions, beyond)) {
    const values = new Robustness(expressions, rows, isClosed ? "nothing" : beyond);
    const value = values.of(formula)[0];
    if (!holds(value)) violationsIn(values, formula, violations);
    else if (!isClosed && beyond === "deadlines") isOpen ||= !holds(values.of(formula, -1)[0]);
    if (worst === undefined || Math.min(value, worst.value) !== worst.value)
      worst = { value, values };
  }
  if (worst === undefined)
    return {
      name,
      text,
      state: "satisfied",
      robustness: Number.POSITIVE_INFINITY,
      isVacuous: true,
      violations,
    };
  const { value, values } = worst;
  const state = !holds(value) ? "violated" : isOpen ? "open" : "satisfied";
  const found = decisionOf(requirement, values);
  return { name, text, state, robustness: value, ...found, isVacuous: false, violations };
}

/** A part of the run in which a requirement applies. */
export interface PartOfRun {
  readonly rows: Rows;
  /** It ends where its scope says, not where the run does. */
  readonly isClosed: boolean;
}

/** From a row where the scope begins up to the one before it ends; none of them are empty. */
function* partsOfRun(
  scope: Scope<number>,
  expressions: ExpressionValues,
  beyond: Beyond,
): Generator<PartOfRun> {
  let n = expressions.signals.time.length;
  if (n === 0) return;
  const whole = { begin: 0, end: n };
  if (scope.kind === "globally") {
    yield { rows: whole, isClosed: false };
    return;
  }
  const values = new Robustness(expressions, whole, beyond);
  const begins = "begin" in scope ? values.of(scope.begin) : undefined;
  const ends = "end" in scope ? values.of(scope.end) : undefined;
  // Where a scope looks ahead and the run goes on, it is not known yet at the last rows.
  if (beyond === "anything")
    for (const bound of boundsOfScope(scope)) {
      const [hoped, feared] = [values.of(bound), values.of(bound, -1)];
      const unknown = hoped.findIndex((value, row) => holds(value) !== holds(feared[row]));
      if (unknown >= 0) n = Math.min(n, unknown);
    }
  const isBegun = (row: number): boolean =>
    (begins === undefined || holds(begins[row])) && !isEnded(row);
  const isEnded = (row: number): boolean => ends !== undefined && holds(ends[row]);
  const needsEnd = scope.kind === "before" || scope.kind === "between";
  for (let row = 0; row < n; row++) {
    if (scope.kind === "before" && row > 0) return;
    if (!isBegun(row)) continue;
    const begin = row;
    while (row < n && !isEnded(row)) row++;
    const isClosed = row < n;
    if (isClosed || !needsEnd) yield { rows: { begin, end: row }, isClosed };
  }
}

function boundsOfScope(scope: Scope<number>): Formula<number>[] {
  return [...("begin" in scope ? [scope.begin] : []), ...("end" in scope ? [scope.end] : [])];
}

function decisionOf(
  { formula, signals }: Requirement,
  values: Robustness,
): Pick<Verdict, "decision" | "unit"> {
  const { formula: part, row } = deciding(values, formula, 0);
  const time = instantOf(values, part, row);
  if (part.kind === "holds") return { decision: { time, signals: [signals[part.signal].name] } };
  if (part.kind !== "compare") return { decision: { time, signals: [] } };
  const { begin } = values.rows;
  const hasNaN = [part.left, part.right].some((side) =>
    Number.isNaN(values.expressions.of(side, values.rows)[begin + row]),
  );
  const names = namesIn(part, signals);
  return {
    decision: { time, signals: names, ...(hasNaN && { isNaN: true }) },
    ...(part.unit !== undefined && { unit: part.unit }),
  };
}

/**
 * When a comparison at a row is decided: then, or where the response that it is about is decided.
 */
function instantOf(values: Robustness, part: Formula<number>, row: number): number {
  if (part.kind !== "compare") return values.time[row];
  const { expressions, rows } = values;
  const instants = [part.left, part.right].map(
    (side) => expressions.signals.time[expressions.decidingRow(side, rows, rows.begin + row)],
  );
  return Math.max(...instants);
}

function namesIn(f: Formula<number>, signals: Requirement["signals"]): string[] {
  return signalsOf(f).map((signal) => signals[signal].name);
}

/** Where what must always hold does not; of any other formula, the instant that decides. */
function violationsIn(values: Robustness, formula: Formula<number>, found: TimeSpan[]): void {
  if (found.length >= MAX_VIOLATIONS) return;
  const { time } = values;
  if (formula.kind !== "always") {
    const { formula: part, row } = deciding(values, formula, 0);
    const at = instantOf(values, part, row);
    found.push({ from: at, to: at });
    return;
  }
  const { from, to = Number.POSITIVE_INFINITY } = formula.interval;
  const inner = values.of(formula.of);
  const { slack } = values.expressions;
  let begin = -1;
  const close = (end: number): void => {
    if (begin >= 0 && found.length < MAX_VIOLATIONS)
      found.push({ from: time[begin], to: time[end] });
    begin = -1;
  };
  for (let i = 0; i < time.length; i++) {
    const way = time[i] - time[0];
    const isViolated = way >= from - slack && way <= to + slack && !holds(inner[i]);
    if (isViolated && begin < 0) begin = i;
    else if (!isViolated) close(i - 1);
  }
  close(time.length - 1);
}
