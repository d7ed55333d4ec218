/**
 * What happens at one instant: crossings that are looked for, events of units, clocks. Knows when the next one is due, whether
 * one was passed, and how to handle it.
 */
import type { Coupling } from "./coupling.ts";

export class EventHandling {
  readonly #coupling: Coupling;

  constructor(coupling: Coupling) {
    this.#coupling = coupling;
  }

  /** A step may have to be taken back to find an event. */
  get needsRollback(): boolean {
    return this.#coupling.plan.crossings.length > 0;
  }

  /** The next instant that is known before it comes: time events, clocks, points that somebody asked for. */
  get nextTime(): number {
    return Number.POSITIVE_INFINITY;
  }
}
