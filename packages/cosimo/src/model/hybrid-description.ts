/**
 * A bi-modal hybrid system and the questions about it, as written in a file: plain data with
 * formulas, made by lang/hybrid, analysed by stability/.
 */
import type { Place } from "../base/diagnostic.ts";
import type { Expression } from "./expression.ts";

export interface HybridModeDescription {
  readonly name: string;
  /**
   * How its states change: a formula per state, or a module that makes a unit with these states.
   */
  readonly dynamics:
    | { readonly kind: "formulas"; readonly derivatives: readonly Expression[] }
    | { readonly kind: "unit"; readonly path: string };
  readonly energy?: Expression;
  readonly place: Place;
}

/** A part of a curve in the plane: values of one state, from the lesser to the greater. */
export interface CurveRangeDescription {
  readonly along: number;
  readonly from: number;
  readonly to: number;
}

export interface HybridDescription {
  readonly name: string;
  readonly states: readonly string[];
  readonly parameters: ReadonlyMap<string, number>;
  /** At or below zero the first mode is active, above it the second. */
  readonly surface: Expression;
  readonly modes: readonly [HybridModeDescription, HybridModeDescription];
  readonly delay?: {
    readonly section: Expression;
    readonly range: CurveRangeDescription;
    /** Delays to simulate besides those around the bound. */
    readonly tries: readonly number[];
    readonly place: Place;
  };
  readonly step?: {
    readonly range: CurveRangeDescription;
    readonly longest: number;
    /** Steps to simulate besides those around the bound. */
    readonly tries: readonly number[];
    readonly place: Place;
  };
  readonly simulate?: { readonly start: readonly number[]; readonly stop: number };
  readonly place: Place;
}
