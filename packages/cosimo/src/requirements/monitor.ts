/**
 * Requirements of a run that goes on: says as soon as one of them is violated whatever comes.
 *
 * What is unknown counts in favour of the requirement ("anything" beyond the last row), so a
 * violation is final. A requirement that something always holds is evaluated once per row, in a
 * window that slides along, as far as its formula sees. Any other is evaluated on all rows so far,
 * at ever larger distances, so that the sum of all evaluations stays proportional to one at the
 * end.
 */
import type { Formula, Requirement } from "../model/requirement.ts";
import { checkRequirement, type Verdict } from "./check-requirement.ts";
import { type Horizon, horizonOf } from "./horizon.ts";
import { holds, Robustness } from "./robustness.ts";
import { ExpressionValues, type SampledSignals } from "./sampled-signals.ts";

/** Rows between two evaluations, at least. */
const FEW = 4;
/** Rows before a window, for slopes and edges at its begin. */
const LEAD = 2;
const GROWTH = 1.1;

export class RequirementMonitor {
  /** The first violation that was found. */
  violated: Verdict | undefined;
  private readonly watched: readonly Watched[];
  private readonly time = new Growing();
  private readonly columns: ReadonlyMap<string, Growing>;

  constructor(requirements: readonly Requirement[]) {
    const names = new Set(requirements.flatMap(({ signals }) => signals.map(({ name }) => name)));
    this.columns = new Map([...names].map((name) => [name, new Growing()]));
    this.watched = requirements.map((requirement) => ({
      requirement,
      ...slidingPart(requirement),
      decided: 0,
      next: FEW,
    }));
  }

  /** The columns that it wants to know, in the order of `row`'s values. */
  get names(): readonly string[] {
    return [...this.columns.keys()];
  }

  row(time: number, values: readonly number[]): void {
    this.time.push(time);
    let at = 0;
    for (const column of this.columns.values()) column.push(values[at++]);
    if (this.violated !== undefined) return;
    for (const one of this.watched) if (this.time.length >= one.next) this.look(one);
  }

  /** Evaluates what is not evaluated yet. */
  lookAtAll(): void {
    if (this.violated === undefined && this.time.length > 0)
      for (const one of this.watched) this.look(one);
  }

  private look(one: Watched): void {
    const rows = this.time.length;
    const { requirement, always, horizon } = one;
    if (always === undefined || horizon === undefined) {
      this.take(checkRequirement(requirement, this.signals(requirement, 0), "anything"));
      one.next = Math.ceil(rows * GROWTH) + FEW;
      return;
    }
    const time = this.time.values;
    let first = one.decided;
    while (first > 0 && time[first - 1] >= time[one.decided] - horizon.past) first--;
    first = Math.max(0, first - LEAD);
    const signals = this.signals(requirement, first);
    const all = { begin: 0, end: rows - first };
    const values = new Robustness(new ExpressionValues(signals), all, "anything").of(always);
    for (let i = one.decided - first; i < values.length; i++) {
      if (holds(values[i])) continue;
      this.take(checkRequirement(requirement, this.signals(requirement, 0), "anything"));
      return;
    }
    const now = time[rows - 1];
    while (one.decided < rows && time[one.decided] + horizon.future < now) one.decided++;
    one.next = rows + Math.max(FEW, rows - first - FEW);
  }

  private take(verdict: Verdict): void {
    if (verdict.state === "violated") this.violated ??= verdict;
  }

  private signals({ signals }: Requirement, first: number): SampledSignals {
    return {
      time: this.time.values.subarray(first),
      values: signals.map(({ name }) => (this.columns.get(name) as Growing).values.subarray(first)),
      isStepwise: signals.map(({ isStepwise }) => isStepwise),
    };
  }
}

interface Watched {
  readonly requirement: Requirement;
  /** What must hold at every row, where its past and future are bounded. */
  readonly always?: Formula<number>;
  readonly horizon?: Horizon;
  /** Rows before this one hold, whatever comes. */
  decided: number;
  /** How many rows there are when it is evaluated again. */
  next: number;
}

function slidingPart({ scope, formula }: Requirement): Pick<Watched, "always" | "horizon"> {
  if (scope.kind !== "globally" || formula.kind !== "always") return {};
  const { from, to } = formula.interval;
  const horizon = horizonOf(formula.of);
  const isBounded = Number.isFinite(horizon.past) && Number.isFinite(horizon.future);
  return from === 0 && to === undefined && isBounded ? { always: formula.of, horizon } : {};
}

/** Numbers that become ever more. */
class Growing {
  length = 0;
  private memory = new Float64Array(1024);

  get values(): Float64Array {
    return this.memory.subarray(0, this.length);
  }

  push(value: number): void {
    if (this.length === this.memory.length) {
      const larger = new Float64Array(2 * this.length);
      larger.set(this.memory);
      this.memory = larger;
    }
    this.memory[this.length++] = value;
  }
}
