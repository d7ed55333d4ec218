/**
 * What happens at one instant: crossings that are looked for, events of units, clocks. Knows when the next one is due, whether
 * one was passed, and how it is handled.
 *
 * An event is handled where it is found. Units with event mode do so at that very instant (event-mode.ts). The others cannot:
 * they notice what changed when they take their next step, so that step is a short one, the *reaction*, and what they make of
 * it comes within the tolerance of the event, not a communication step later.
 */
import type { EventPattern } from "../../numerics/zeno.ts";
import type { Coupling } from "./coupling.ts";
import { CrossingWatch } from "./crossing-watch.ts";
import { DiscreteSignals } from "./discrete-signals.ts";
import { EventReport } from "./event-report.ts";

/** The longest reaction, as a part of the communication step, and the shortest, in roundings of the time. */
const LONGEST_REACTION = 1e-3;
const SHORTEST_REACTION = 64 * Number.EPSILON;

export class EventHandling {
  readonly report: EventReport;
  readonly #coupling: Coupling;
  readonly #crossings: CrossingWatch;
  readonly #discrete: DiscreteSignals;
  /** Units that have no event mode, and inputs that others drive. */
  readonly #hasReactors: boolean;
  /** An event happened at the end of the last step. */
  #isPending = false;
  /** Reactions since the event, while there are any; -1: none is due. */
  #reactions = -1;

  constructor(coupling: Coupling) {
    this.#coupling = coupling;
    this.#crossings = new CrossingWatch(coupling);
    this.#discrete = new DiscreteSignals(coupling);
    this.report = new EventReport(coupling, this.#crossings);
    this.#hasReactors = coupling.plan.stages.some(
      ({ inputs, writeHeld }) => inputs.length > 0 || writeHeld.length > 0,
    );
  }

  /** The next instant that is known before it comes: time events, clocks. */
  get nextTime(): number {
    return Number.POSITIVE_INFINITY;
  }

  /** Before the first step. */
  begin(): void {
    this.#crossings.restart();
    this.#discrete.take();
  }

  /** Where a step that shall go to `to` has to end. */
  bound(to: number): number {
    if (this.#reactions >= 0) return Math.min(to, this.#reactionEnd());
    return Math.min(this.#crossings.count > 0 ? this.#crossings.bound(to) : to, this.nextTime);
  }

  #reactionEnd(): number {
    const { time, state, plan } = this.#coupling;
    const { step } = state.plan;
    const wanted = Math.min(this.#crossings.reactionTime, plan.settings.eventTolerance * step);
    const shortest = SHORTEST_REACTION * Math.max(Math.abs(time), step);
    return time + Math.max(shortest, Math.min(wanted, LONGEST_REACTION * step));
  }

  /** Whether the step that begins is a reaction: it is part of an event, not of the run. */
  get isReacting(): boolean {
    return this.#reactions >= 0;
  }

  beginStep(): void {
    if (!this.isReacting) this.#crossings.beginStep();
  }

  /**
   * A step reached the coupling's time.
   * @returns where to try again; not a number: it may end here.
   */
  objection(): number {
    return this.#crossings.count > 0 && !this.isReacting ? this.#crossings.objection() : Number.NaN;
  }

  /** The step was accepted. @returns whether an event is to be handled now. */
  accepted(): boolean {
    if (this.#coupling.early !== undefined) this.#isPending = true;
    if (this.#crossings.count > 0 && !this.isReacting) this.#crossings.accepted(this.#onCrossing);
    return this.#isPending || this.isReacting;
  }

  readonly #onCrossing = (crossing: number, pattern: EventPattern): void => {
    this.#isPending = true;
    this.report.onCrossing(crossing, pattern);
  };

  /**
   * Handles the event at the coupling's time, or what the units made of it.
   * @returns whether signals jumped.
   */
  handle(): boolean {
    const isFirst = this.#isPending;
    this.#isPending = false;
    this.#coupling.early = undefined;
    const hasChanged = this.#discrete.take();
    if (isFirst) this.#reactions = this.#hasReactors ? 0 : -1;
    else this.#afterReaction(hasChanged);
    if (!this.isReacting) this.#crossings.restart();
    return isFirst || hasChanged;
  }

  /** Changes cause changes: reactions follow each other until nothing changes any more. */
  #afterReaction(hasChanged: boolean): void {
    this.#reactions++;
    if (!hasChanged) {
      this.#reactions = -1;
    } else if (this.#reactions >= this.#coupling.plan.settings.maxEventRounds) {
      this.report.onEndlessReactions(this.#discrete.changed(), this.#reactions);
      this.#reactions = -1;
    }
  }
}
