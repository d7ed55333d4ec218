/**
 * What `advance` runs until, and why it stopped. A predicate generalizes the end time of FMI's
 * doStep.
 */
import type { CrossingDirection } from "../model/scenario.ts";

export type Predicate =
  | { readonly kind: "time"; readonly time: number }
  /** The unit gave the output a new value. */
  | { readonly kind: "updated"; readonly port: number }
  /** The unit is about to read the input. */
  | { readonly kind: "ready-to-read"; readonly port: number }
  | { readonly kind: "event"; readonly port: number }
  | {
      readonly kind: "threshold";
      readonly port: number;
      readonly value: number;
      readonly direction: CrossingDirection;
    }
  | { readonly kind: "or"; readonly any: readonly Predicate[] };

export type StopReason =
  | "time"
  | "updated"
  | "ready-to-read"
  /** An event happened; a unit with event mode wants `enterEventMode` now. */
  | "event"
  | "threshold"
  /** The unit could not go on from `time` with this step (FMI 2: discard). It is at `time`. */
  | "discarded"
  /** The unit asks to end the simulation. */
  | "terminated";

/** The answer of `advance`. Units may hand out the same object again: copy what you keep. */
export interface Stop {
  reason: StopReason;
  /** The port the reason is about, or -1. */
  port: number;
  /** Where the unit is now. */
  time: number;
}

/** The latest time at which `until` surely holds; Infinity when nothing in it bounds time. */
export function timeBound(until: Predicate): number {
  if (until.kind === "time") return until.time;
  if (until.kind !== "or") return Number.POSITIVE_INFINITY;
  let bound = Number.POSITIVE_INFINITY;
  for (const part of until.any) bound = Math.min(bound, timeBound(part));
  return bound;
}

/** The parts of `until` that are not about time, flattened. */
export function conditionsOf(until: Predicate): Exclude<Predicate, { kind: "time" | "or" }>[] {
  if (until.kind === "time") return [];
  if (until.kind === "or") return until.any.flatMap(conditionsOf);
  return [until];
}
