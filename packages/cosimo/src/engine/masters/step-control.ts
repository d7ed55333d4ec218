/**
 * Who decides how far the next step goes and whether it was good enough.
 */
import type { RejectionReason } from "../../plan/statistics.ts";
import type { StepTooSmall } from "./step-method.ts";

/** How a step ended that was tried. */
export type Taken =
  | { readonly kind: "reached" }
  /** A unit stopped early (`coupling.early`); units are at different times. */
  | { readonly kind: "early" }
  /**
   * The error was too large: back, and try again to `to`; `failure`: no shorter step is left, so
   * only an event may explain it.
   */
  | {
      readonly kind: "rejected";
      readonly to: number;
      readonly reason: RejectionReason;
      readonly failure?: StepTooSmall;
    };

export interface StepControl {
  /** The step may be rejected: units are saved before it. */
  readonly needsRollback: boolean;
  /**
   * Communication points passed so far that count for recording: steps that had to be cut are not
   * among them.
   */
  readonly points: number;
  /** Where the step that begins now shall end, if nothing else has a say. */
  propose(): number;
  /**
   * Takes the scenario from the coupling's time to `to`.
   * @param isEvent the step is part of an event: signals may jump in it, so its error and its
   * differences are not judged.
   */
  take(to: number, isEvent?: boolean): Taken;
  /** The last rejection does not count: an event in the step explains it. */
  withdraw?(): void;
  /** The step to the coupling's time was accepted. `atGrid`: it was not cut short. */
  accepted(from: number): void;
  /** Signals jumped at the coupling's time. */
  restart(): void;
  /** What it carries from step to step, for checkpoints. */
  save(): Float64Array;
  restore(saved: Float64Array): void;
  /** Sentences for the summary. */
  notes?(): readonly string[];
}

export const REACHED: Taken = { kind: "reached" };
export const EARLY: Taken = { kind: "early" };
