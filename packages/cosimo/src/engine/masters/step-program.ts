/**
 * The straight part of a step as data: calls of units, plan ops and formulas between them, one
 * after the other, nothing decided. A platform may make code of it (`MasterCode`); what the code
 * leaves to be judged is judged there, and the rest is gone through item by item here, with the
 * same numbers.
 *
 * Masters keep their own way to take a step. A program does the same things in the same order, so
 * that both agree bit for bit; it exists for what repeats thousands of times.
 */
import type { Stop } from "../../unit/predicate.ts";
import type { Snapshot } from "../../unit/unit.ts";

/** A double that formulas read and write. */
export interface Cell {
  readonly array: Float64Array;
  readonly index: number;
}

/**
 * What is computed: in the order that is written, each operation rounded as JavaScript rounds it.
 */
export type StepFormula =
  | number
  | Cell
  | { readonly of: Operation; readonly left: StepFormula; readonly right: StepFormula };

export type Operation = "+" | "-" | "*" | "/";

export type StepItem =
  /** An op of the plan. */
  | { readonly kind: "op"; readonly op: Int32Array }
  | { readonly kind: "set"; readonly to: Cell; readonly formula: StepFormula }
  /** A unit back to where the step under way began. */
  | { readonly kind: "restore"; readonly unit: number }
  /** The `part`-th of `parts` equal parts of the step. */
  | {
      readonly kind: "advance";
      readonly unit: number;
      readonly part: number;
      readonly parts: number;
    }
  | KeptValues
  | IterationTest;

/**
 * Copies signals to where they can be seen when the program is over: words of the bank, whatever
 * they mean. Only code has to.
 */
export interface KeptValues {
  readonly kind: "keep";
  readonly bank: "f64" | "i64";
  readonly slot: number;
  readonly size: number;
  readonly into: Float64Array;
  readonly at: number;
}

/**
 * Takes the largest of some residuals, as numbers without signs, and ends the program unless
 * another iteration is due: where it is within the tolerance, and where it is not smaller than the
 * one before, which is for others to judge.
 */
export interface IterationTest {
  readonly kind: "test";
  readonly residuals: Float64Array;
  readonly tolerance: number;
  /** Where norms are put, one per test. */
  readonly norms: Float64Array;
  readonly test: number;
}

/** Snapshots by unit; undefined for units that have none. */
export type Snapshots = readonly (Snapshot | undefined)[];

/** A program as code. */
export interface StepCode {
  /**
   * Runs it over a step.
   * @param back what `restore` goes back to.
   * @returns how many items were done; where it is fewer than there are, the rest is to be done one
   * by one.
   * @throws UnitError as the calls of the units do.
   */
  run(from: number, to: number, back: Snapshots): number;
  /** How many items the last run has done so far, also where it threw. */
  readonly done: number;
  /** How the step ended that was the last item done, where it was not at its time. */
  readonly stop: Stop | undefined;
  /** The last item done was a test that ended the program. */
  readonly isOver: boolean;
}

/** Saves, restores and releases the states of several units in one call. */
export interface SavingCode {
  /** Fills `into`. @returns false, with nothing done, where that is to be done one by one. */
  save(into: (Snapshot | undefined)[]): boolean;
  restore(snapshots: Snapshots): boolean;
  release(snapshots: Snapshots): boolean;
}

/** What makes code of programs. */
export interface MasterCode {
  /** Whether code can take this unit through a step. */
  drives(unit: number): boolean;
  /** Whether an op can be part of a program. */
  canRun(op: Int32Array): boolean;
  /** Undefined: there can be none, now or ever. */
  compile(items: readonly StepItem[]): StepCode | undefined;
  compileSaving(units: readonly number[]): SavingCode | undefined;
}

/** The value of a formula. */
export function evaluate(formula: StepFormula): number {
  if (typeof formula === "number") return formula;
  if (!("of" in formula)) return formula.array[formula.index];
  const left = evaluate(formula.left);
  const right = evaluate(formula.right);
  switch (formula.of) {
    case "+":
      return left + right;
    case "-":
      return left - right;
    case "*":
      return left * right;
    default:
      return left / right;
  }
}

/** Does what a test does. @returns whether the program ends. */
export function runTest({ residuals, tolerance, norms, test }: IterationTest): boolean {
  const norm = largestOf(residuals);
  norms[test] = norm;
  if (norm <= tolerance) return true;
  return !(test === 0 ? norm < Number.POSITIVE_INFINITY : norm <= norms[test - 1]);
}

/** The largest number without its sign. */
export function largestOf(residuals: Float64Array): number {
  let most = 0;
  for (let i = 0; i < residuals.length; i++) {
    const size = Math.abs(residuals[i]);
    // A NaN must not hide behind the comparison.
    if (!(size <= most)) most = size;
  }
  return most;
}

export function plus(left: StepFormula, right: StepFormula): StepFormula {
  return { of: "+", left, right };
}

export function minus(left: StepFormula, right: StepFormula): StepFormula {
  return { of: "-", left, right };
}

export function times(left: StepFormula, right: StepFormula): StepFormula {
  return { of: "*", left, right };
}

export function over(left: StepFormula, right: StepFormula): StepFormula {
  return { of: "/", left, right };
}

export function set(array: Float64Array, index: number, formula: StepFormula): StepItem {
  return { kind: "set", to: { array, index }, formula };
}
