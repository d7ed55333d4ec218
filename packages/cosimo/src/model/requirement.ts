/**
 * Requirements as plain data: what must hold of the signals of a run. Signal temporal logic (Maler
 * and Nickovic, "Monitoring temporal properties of continuous signals", 2004) over numeric
 * expressions, with a scope that says where it applies.
 *
 * As for scenarios there are two stages. In a *draft* signals are texts as written and numbers may
 * have a physical unit; in a *requirement* signals are indices and all numbers are in units that
 * fit (resolve-scenario-requirements.ts). Both stages share their types: `Signal` is a text in the
 * one, an index in the other.
 */
import type { Place } from "../base/diagnostic.ts";
import type { PowerBondHint, RateHint } from "./hint.ts";
import type { ValueType } from "./value-type.ts";

// ---- numbers --------------------------------------------------------------------------------

/**
 * Functions of values at one instant. Units: the result has the unit of the arguments, or the root
 * of it; or arguments are angles, or plain numbers.
 */
export const POINT_FUNCTIONS: Readonly<Record<PointFunctionName, PointFunction>> = {
  abs: { arguments: 1, units: "same", usage: "abs(x)", help: "the absolute value" },
  min: { arguments: 2, units: "same", usage: "min(x, y)", help: "the lesser of two values" },
  max: { arguments: 2, units: "same", usage: "max(x, y)", help: "the greater of two values" },
  sqrt: { arguments: 1, units: "root", usage: "sqrt(x)", help: "the square root" },
  exp: { arguments: 1, units: "plain", usage: "exp(x)", help: "e to the power of x" },
  log: { arguments: 1, units: "plain", usage: "log(x)", help: "the natural logarithm" },
  sin: { arguments: 1, units: "angle", usage: "sin(x)", help: "the sine of an angle" },
  cos: { arguments: 1, units: "angle", usage: "cos(x)", help: "the cosine of an angle" },
  tan: { arguments: 1, units: "angle", usage: "tan(x)", help: "the tangent of an angle" },
};

export type PointFunctionName =
  | "abs"
  | "min"
  | "max"
  | "sqrt"
  | "exp"
  | "log"
  | "sin"
  | "cos"
  | "tan";

interface FunctionRow {
  readonly usage: string;
  readonly help: string;
}

interface PointFunction extends FunctionRow {
  readonly arguments: number;
  readonly units: "same" | "plain" | "angle" | "root";
}

/**
 * Functions of the past of a signal; `window`: whether the time behind the signal is needed,
 * possible or neither.
 */
export const PAST_FUNCTIONS: Readonly<Record<PastFunctionName, PastFunction>> = {
  derivative: {
    window: "none",
    usage: "derivative(x)",
    help: "the slope since the row before",
  },
  integral: {
    window: "none",
    usage: "integral(x)",
    help: "the integral over time since the start of the run",
  },
  average: {
    window: "possible",
    usage: "average(x, 2 s)",
    help: "the mean over the last 2 s; without a time since the start of the run",
  },
  delay: { window: "needed", usage: "delay(x, 2 s)", help: "the value of 2 s ago" },
  minimum: {
    window: "possible",
    usage: "minimum(x, 2 s)",
    help: "the least value of the last 2 s; without a time since the start of the run",
  },
  maximum: {
    window: "possible",
    usage: "maximum(x, 2 s)",
    help: "the greatest value of the last 2 s; without a time since the start of the run",
  },
  variation: {
    window: "possible",
    usage: "variation(x, 2 s)",
    help: "how far the signal travelled, up and down, in the last 2 s: its total variation",
  },
  smoothness: {
    window: "possible",
    usage: "smoothness(x, 2 s)",
    help: "from 0 to 1: the range of the signal over its total variation in the last 2 s; 1 where it only rises or only falls",
  },
};

export type PastFunctionName =
  | "derivative"
  | "integral"
  | "average"
  | "delay"
  | "minimum"
  | "maximum"
  | "variation"
  | "smoothness";

interface PastFunction extends FunctionRow {
  readonly window: "none" | "possible" | "needed";
}

/** Functions of what follows: how a signal answers to a step. They see as far as their scope. */
export const RESPONSE_FUNCTIONS: Readonly<
  Record<ResponseFunctionName, FunctionRow & { readonly arguments: number }>
> = {
  settling: {
    arguments: 3,
    usage: "settling(x, target, band)",
    help: "seconds until x stays within ±band of the target; infinite where it does not settle",
  },
  overshoot: {
    arguments: 2,
    usage: "overshoot(x, target)",
    help: "how far x goes beyond the target, seen from where it is now; 0 where it does not",
  },
};

export type ResponseFunctionName = "settling" | "overshoot";

export type NumberOperator = "+" | "-" | "*" | "/" | "^";

export type NumberExpression<Signal> =
  | {
      readonly kind: "number";
      readonly value: number;
      /** Of drafts: as written. */
      readonly unit?: string;
      readonly place: Place;
    }
  | { readonly kind: "signal"; readonly signal: Signal; readonly place: Place }
  /** The time of the run in seconds. */
  | { readonly kind: "time"; readonly place: Place }
  /** Of drafts: the energy that a bond of the scenario has transferred so far. */
  | { readonly kind: "energy"; readonly bond: string; readonly place: Place }
  | { readonly kind: "negate"; readonly of: NumberExpression<Signal>; readonly place: Place }
  | {
      readonly kind: "operation";
      readonly operator: NumberOperator;
      readonly left: NumberExpression<Signal>;
      readonly right: NumberExpression<Signal>;
      readonly place: Place;
    }
  | {
      readonly kind: "point";
      readonly function: PointFunctionName;
      readonly of: readonly NumberExpression<Signal>[];
      readonly place: Place;
    }
  | {
      readonly kind: "past";
      readonly function: PastFunctionName;
      readonly of: NumberExpression<Signal>;
      /** Seconds; absent: since the start of the run. */
      readonly window?: number;
      readonly place: Place;
    }
  | {
      readonly kind: "response";
      readonly function: ResponseFunctionName;
      readonly of: readonly NumberExpression<Signal>[];
      readonly place: Place;
    };

// ---- formulas -------------------------------------------------------------------------------

/** Seconds from the instant at hand; absent `to`: without end. */
export interface Interval {
  readonly from: number;
  readonly to?: number;
  /** The end does not belong to it. */
  readonly isOpen?: boolean;
}

export const WITHOUT_END: Interval = { from: 0 };

export type Comparison = "<" | "<=" | ">" | ">=" | "==" | "!=";
export const COMPARISONS: readonly Comparison[] = ["<", "<=", ">", ">=", "==", "!="];

/** Operators of one formula over an interval: of the future, and of the past. */
export type IntervalOperator = "always" | "eventually" | "historically" | "once";

export type Formula<Signal> =
  | {
      readonly kind: "compare";
      readonly operator: Comparison;
      readonly left: NumberExpression<Signal>;
      readonly right: NumberExpression<Signal>;
      /** Of requirements: both sides are whole numbers, and the distance is counted in them. */
      readonly isWhole?: boolean;
      /** Of requirements: what the difference of the two sides is measured in. */
      readonly unit?: string;
      readonly place: Place;
    }
  /** A boolean signal is true, an event occurs. */
  | { readonly kind: "holds"; readonly signal: Signal; readonly place: Place }
  | { readonly kind: "constant"; readonly value: boolean; readonly place: Place }
  | { readonly kind: "not"; readonly of: Formula<Signal>; readonly place: Place }
  | {
      readonly kind: "and" | "or" | "implies" | "iff";
      readonly left: Formula<Signal>;
      readonly right: Formula<Signal>;
      readonly place: Place;
    }
  | {
      readonly kind: IntervalOperator;
      readonly interval: Interval;
      readonly of: Formula<Signal>;
      readonly place: Place;
    }
  | {
      readonly kind: "until" | "since";
      readonly interval: Interval;
      readonly left: Formula<Signal>;
      readonly right: Formula<Signal>;
      readonly place: Place;
    }
  /** Becomes true, becomes false. */
  | { readonly kind: "rises" | "falls"; readonly of: Formula<Signal>; readonly place: Place };

/**
 * Where a requirement applies: at all times, or in parts of the run that begin and end where
 * formulas hold.
 */
export type Scope<Signal> =
  | { readonly kind: "globally" }
  | { readonly kind: "before"; readonly end: Formula<Signal> }
  | { readonly kind: "after"; readonly begin: Formula<Signal> }
  | {
      readonly kind: "between" | "after-until";
      readonly begin: Formula<Signal>;
      readonly end: Formula<Signal>;
    };

export const GLOBALLY: Scope<never> = { kind: "globally" };

// ---- requirements ---------------------------------------------------------------------------

export interface RequirementDraft {
  /** Absent: its text is its name. */
  readonly name?: string;
  readonly description?: string;
  readonly scope: Scope<string>;
  readonly formula: Formula<string>;
  /** As it was written, for messages and reports. */
  readonly text: string;
  readonly place: Place;
}

/** A file that the host reads. */
export interface RequirementFileDraft {
  /** As written. */
  readonly path: string;
  readonly place: Place;
}

/**
 * What a file of hints says besides requirements: facts about units that guide the choice of a
 * master.
 */
export type HintFact = RateHint | PowerBondHint;

export interface Requirement {
  /** Unique in its scenario. */
  readonly name: string;
  readonly description?: string;
  readonly scope: Scope<number>;
  readonly formula: Formula<number>;
  /** What the indices of signals stand for. */
  readonly signals: readonly RequirementSignal[];
  readonly text: string;
  readonly place: Place;
}

export interface RequirementSignal {
  /** The column of the trace. */
  readonly name: string;
  readonly type: ValueType;
  readonly unit?: string;
  /** It keeps its value from row to row. */
  readonly isStepwise: boolean;
}
