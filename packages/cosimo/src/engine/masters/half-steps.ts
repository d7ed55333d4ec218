/**
 * Estimates that need two half steps: a step that begins in the middle of another one, and still a
 * way back to the beginning of both.
 */
import type { Coupling } from "./coupling.ts";

export function middle(from: number, to: number): number {
  return from + (to - from) / 2;
}

/** Whether there is a time between the two: a step of one rounding has no halves. */
export function hasMiddle(from: number, to: number): boolean {
  const time = middle(from, to);
  return time > from && time < to;
}

/** Takes a step from where the units are now, inside a step that is not accepted yet. */
export function withinStep(coupling: Coupling, take: () => boolean): boolean {
  coupling.sample();
  const { start } = coupling;
  const here = coupling.keep();
  coupling.start = here;
  try {
    return take();
  } finally {
    coupling.start = start;
    coupling.release(here);
  }
}
