/**
 * A search space: what is decided of a master, and what may vary. Gomes, Property Preservation in
 * Co-simulation (2019), section 8.5: variation points with mutually exclusive choices, each with a
 * weight that says how much it is preferred.
 *
 * Decisions are about a scenario as its author wrote it, by names, so that they can be put into its
 * text (edit-scenario.ts).
 */
import type { CouplingScheme } from "../../model/masters.ts";
import type { Approximation } from "../../model/scenario.ts";
import type { WrittenLevel } from "../../model/study.ts";

export type Decision =
  /** The communication step H. */
  | { readonly kind: "step"; readonly seconds: number }
  /** A unit takes so many steps per communication step. */
  | { readonly kind: "rate"; readonly unit: string; readonly rate: number }
  /** A unit is software that runs with this period, whatever the communication step is. */
  | { readonly kind: "period"; readonly unit: string; readonly seconds: number }
  /**
   * What an input gets: the value of the start of the step (delayed) or of its end, and how it goes
   * between.
   */
  | {
      readonly kind: "input";
      readonly from: string;
      readonly to: string;
      readonly inputKind: "delayed" | "reactive";
      readonly approximation?: Approximation;
    }
  /** Two connections carry power, and what the exchange makes or loses of it is given back. */
  | {
      readonly kind: "bond";
      readonly name: string;
      readonly effort: Wire;
      readonly flow: Wire;
    }
  | {
      readonly kind: "master";
      readonly name: CouplingScheme;
      /** Names of units; absent: the automatic order. */
      readonly order?: readonly string[];
    }
  /** A unit takes steps of this size. */
  | { readonly kind: "unit-step"; readonly unit: string; readonly seconds: number }
  /** A master as its author writes it. */
  | { readonly kind: "written-master"; readonly written: WrittenLevel }
  | {
      readonly kind: "approximation";
      readonly from: string;
      readonly to: string;
      readonly approximation: string;
    }
  /** What is around a unit, as its author writes it; absent: nothing. */
  | { readonly kind: "adaptation"; readonly unit: string; readonly written?: WrittenLevel }
  /** One more fault, in a line. */
  | { readonly kind: "fault"; readonly text: string };

/** A connection, by the names of its ports. */
export interface Wire {
  readonly from: string;
  readonly to: string;
}

/** A decision, and why it was taken. */
export interface Reasoned {
  readonly decision: Decision;
  readonly why: string;
}

export interface Choice {
  /** "1e-7 s", "gauss-seidel, load before plant". */
  readonly label: string;
  readonly weight: number;
  readonly decided: readonly Reasoned[];
}

export interface VariationPoint {
  /** Short: "H", "R of environment". */
  readonly name: string;
  readonly choices: readonly Choice[];
}

export interface SearchSpace {
  readonly fixed: readonly Reasoned[];
  readonly points: readonly VariationPoint[];
  /** What could not be used, and why. */
  readonly notes: readonly string[];
}

/** A choice at every point of a space, in the order of its variant diagram. */
export interface Variant {
  /** Position in the ranking, from 1. */
  readonly rank: number;
  readonly choices: readonly { readonly point: VariationPoint; readonly choice: Choice }[];
}

export function variantLabel({ choices }: Variant): string {
  if (choices.length === 0) return "what the hints decide";
  return choices.map(({ point, choice }) => `${point.name} = ${choice.label}`).join(", ");
}

/** All decisions of a variant: what holds for every variant first. */
export function decisionsOf(space: SearchSpace, { choices }: Variant): readonly Reasoned[] {
  return [...space.fixed, ...choices.flatMap(({ choice }) => choice.decided)];
}

/** `1e-7 s`: as people write powers of ten. */
export function secondsText(seconds: number): string {
  const rounded = Number(seconds.toPrecision(12));
  return `${rounded < 1e-3 || rounded >= 1e5 ? rounded.toExponential() : rounded} s`;
}
