/**
 * Who decides how far the next step goes and whether it was good enough.
 */
import type { Coupling } from "./coupling.ts";
import type { StepMethod } from "./step-method.ts";

/** How a step ended that was tried. */
export type Taken =
  | { readonly kind: "reached" }
  /** A unit stopped early (`coupling.early`); units are at different times. */
  | { readonly kind: "early" }
  /** The error was too large: back, and try again to `to`. */
  | { readonly kind: "rejected"; readonly to: number; readonly reason: RejectionReason };

/** Why a step was taken back, as numbers in the trace: the place in this list, from 1. */
export const REJECTION_REASONS = [
  "error",
  "no convergence",
  "unit",
  "event",
  "difference",
] as const;
export type RejectionReason = (typeof REJECTION_REASONS)[number];

export interface StepControl {
  /** The step may be taken back: units are kept before it. */
  readonly needsRollback: boolean;
  /** Communication points passed so far that count for recording: steps that had to be cut are not among them. */
  readonly points: number;
  /** Where the step that begins now shall end, if nothing else has a say. */
  propose(): number;
  /** Takes the scenario from the coupling's time to `to`. */
  take(to: number): Taken;
  /** The step to the coupling's time was accepted. `atGrid`: nobody cut it short. */
  accepted(from: number): void;
  /** Signals jumped at the coupling's time. */
  restart(): void;
  /** What it carries from step to step, for checkpoints. */
  save(): Float64Array;
  restore(saved: Float64Array): void;
}

/** Steps of one size, counted from the start; what an event cuts off is made up for by a shorter step after it. */
export class FixedControl implements StepControl {
  readonly needsRollback = false;
  readonly #coupling: Coupling;
  readonly #method: StepMethod;
  readonly #start: number;
  readonly #step: number;
  readonly #stop: number;
  #point = 1;

  constructor(coupling: Coupling, method: StepMethod, stop: number) {
    this.#coupling = coupling;
    this.#method = method;
    const { start, step } = coupling.state.plan;
    this.#start = start;
    this.#step = step;
    this.#stop = stop;
  }

  get points(): number {
    return this.#point - 1;
  }

  propose(): number {
    return Math.min(this.#at(this.#point), this.#stop);
  }

  take(to: number): Taken {
    return this.#method.step(to) ? REACHED : EARLY;
  }

  accepted(): void {
    while (this.#at(this.#point) <= this.#coupling.time) this.#point++;
  }

  restart(): void {}

  save(): Float64Array {
    return Float64Array.of(this.#point);
  }

  restore(saved: Float64Array): void {
    this.#point = saved[0]!;
  }

  #at(point: number): number {
    return this.#start + point * this.#step;
  }
}

export const REACHED: Taken = { kind: "reached" };
export const EARLY: Taken = { kind: "early" };
