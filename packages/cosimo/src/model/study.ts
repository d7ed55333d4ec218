/**
 * Studies as plain data: a scenario, what varies in it, which runs are made, what is kept of each,
 * and what for.
 *
 * As for scenarios there are two stages. A *draft* is as written: names and texts with their
 * places. A *factor* is a draft that was resolved against the scenario
 * (search/studies/resolve-factors.ts): numbers in the unit of what they are given to.
 */
import type { Place } from "../base/diagnostic.ts";
import type { NumberExpression, RequirementDraft } from "./requirement.ts";
import type { Value } from "./value-type.ts";

// ---- factors --------------------------------------------------------------------------------

/** What a factor is given to. Everything but ports changes the text of the scenario. */
export type FactorTarget =
  /** A parameter, or the start value of anything that has one: `unit.port`. */
  | { readonly kind: "port"; readonly port: string }
  /** The communication step, of the scenario or of one unit. */
  | { readonly kind: "step"; readonly unit?: string }
  | { readonly kind: "master" }
  /** How the input of a connection is approximated. */
  | { readonly kind: "approximation"; readonly from: string; readonly to: string }
  /** What is around a unit. */
  | { readonly kind: "adaptation"; readonly unit: string }
  /** What goes wrong: a line of text, in which {} is the value where there is a pattern. */
  | { readonly kind: "fault"; readonly pattern?: string };

/** As written in YAML: a value, or something with parts (a master with options). */
export type WrittenLevel = Value | null | readonly WrittenLevel[] | WrittenMap;

export interface WrittenMap {
  readonly [key: string]: WrittenLevel;
}

/** A number as written, with its unit. */
export interface WrittenQuantity {
  readonly value: number;
  /** Empty: that of the target. */
  readonly unit: string;
  readonly place: Place;
}

export const DISTRIBUTIONS: Readonly<Record<DistributionName, DistributionKind>> = {
  uniform: { parameters: ["from", "to"], isBounded: true },
  "log-uniform": { parameters: ["from", "to"], isBounded: true },
  triangular: { parameters: ["from", "mode", "to"], isBounded: true },
  normal: { parameters: ["mean", "deviation"], isBounded: false },
  lognormal: { parameters: ["median", "deviation"], isBounded: false },
};

export type DistributionName = "uniform" | "log-uniform" | "triangular" | "normal" | "lognormal";

export type DistributionParameter = "from" | "to" | "mode" | "mean" | "median" | "deviation";

interface DistributionKind {
  readonly parameters: readonly DistributionParameter[];
  /** It has a least and a greatest value. */
  readonly isBounded: boolean;
}

/** The values that a factor may have. */
export type LevelsDraft =
  | { readonly kind: "list"; readonly levels: readonly WrittenLevel[] }
  | {
      readonly kind: "distribution";
      readonly name: DistributionName;
      readonly parameters: Readonly<Partial<Record<DistributionParameter, WrittenQuantity>>>;
    };

export interface FactorDraft {
  readonly name: string;
  readonly target: FactorTarget;
  readonly levels: LevelsDraft;
  /** Where searches begin, and what one-at-a-time designs keep; default: the middle. */
  readonly start?: WrittenQuantity;
  /** How many values a grid has of it, in place of what the design says. */
  readonly points?: number;
  readonly place: Place;
}

// ---- designs --------------------------------------------------------------------------------

export const DESIGN_METHODS = [
  "grid",
  "latin-hypercube",
  "sobol",
  "monte-carlo",
  "one-at-a-time",
] as const;

export type DesignMethod = (typeof DESIGN_METHODS)[number];

export interface Design {
  readonly method: DesignMethod;
  /** Of designs that fill the space: how many points. */
  readonly runs?: number;
  /** Of grids and one-at-a-time designs: how many values a continuous factor has. */
  readonly points?: number;
  readonly seed: number;
  /**
   * Every point gets as many further runs as there are factors, and one more, for Sobol indices.
   */
  readonly indices: boolean;
  readonly place: Place;
}

// ---- what is kept, and what for -------------------------------------------------------------

/** A number made of a run: an expression at its end. */
export interface MeasureDraft {
  readonly name: string;
  /** As written. */
  readonly text: string;
  readonly expression: NumberExpression<string>;
  readonly place: Place;
}

export interface KeptDraft {
  readonly measures: readonly MeasureDraft[];
  /** The robustness of requirements: of all, or of these. */
  readonly robustness: "all" | readonly { readonly name: string; readonly place: Place }[];
  readonly traces: boolean;
}

export const OPTIMIZERS = ["nelder-mead", "cma-es", "differential-evolution"] as const;

export type OptimizerName = (typeof OPTIMIZERS)[number];

export interface OptimizerDraft {
  readonly method: OptimizerName | "least-squares";
  /** At most so many. */
  readonly runs: number;
  readonly seed: number;
  /** It is over when the point changes by less, as a part of the ranges. */
  readonly tolerance: number;
}

export type GoalDraft =
  | {
      readonly kind: "minimize" | "maximize";
      /** A measure, or the robustness of a requirement; of all, the least. */
      readonly of:
        | { readonly kind: "measure"; readonly measure: MeasureDraft }
        | { readonly kind: "robustness"; readonly requirement?: string };
      readonly optimizer: OptimizerDraft;
      readonly place: Place;
    }
  /** Signals of the run shall be as measured. */
  | {
      readonly kind: "calibrate";
      /** A CSV file with a column 'time', as written. */
      readonly data: string;
      /** By column of the file. */
      readonly signals: readonly MeasuredSignal[];
      readonly optimizer: OptimizerDraft;
      readonly place: Place;
    };

export interface MeasuredSignal {
  readonly column: string;
  readonly signal: MeasureDraft;
  /** Differences count in this; default: the largest value of the column. */
  readonly scale?: number;
}

/** A run that needs more becomes a failed one. */
export interface RunLimits {
  readonly seconds?: number;
  readonly memoryBytes?: number;
}

export interface StudyDraft {
  readonly name: string;
  readonly description?: string;
  readonly file: string;
  /** Its path, as written. */
  readonly scenario: string;
  readonly factors: readonly FactorDraft[];
  /** Absent where a goal decides which runs are made. */
  readonly design?: Design;
  readonly goal?: GoalDraft;
  readonly constraints: readonly RequirementDraft[];
  readonly keep: KeptDraft;
  readonly limits: RunLimits;
  readonly place: Place;
}

// ---- resolved -------------------------------------------------------------------------------

/** What a factor is in one run. */
export type Level = Value;

/** A factor that can be varied: a list of levels, or a distribution of numbers. */
export interface Factor {
  readonly name: string;
  readonly target: FactorTarget;
  /** What its numbers are in. */
  readonly unit?: string;
  readonly levels: FactorLevels;
  readonly start?: number;
  readonly points?: number;
}

export type FactorLevels =
  /** `written`: what goes into the text of the scenario; `labels`: what tables say. */
  | {
      readonly kind: "list";
      readonly labels: readonly Level[];
      readonly written: readonly WrittenLevel[];
    }
  | {
      readonly kind: "distribution";
      readonly name: DistributionName;
      readonly parameters: Readonly<Partial<Record<DistributionParameter, number>>>;
    };

/** A level per factor: a number, or the index of an item of a list. */
export type StudyPoint = readonly number[];
