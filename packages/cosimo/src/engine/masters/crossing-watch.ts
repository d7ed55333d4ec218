/**
 * Watches the crossings that a scenario names, from step to step: on which side of its level every signal is, where the next step
 * may have to be repeated to find a crossing, what to do where units cannot go back.
 *
 * Right after an event a signal may lie on its level, to within the tolerance. It is then on no side; the next step is a
 * short one, and where the signal goes in it is its side. So an event is not found twice, and a signal that comes back
 * soon is not missed.
 */
import { type EventPattern, ZenoWatch } from "../../numerics/zeno.ts";
import type { Coupling } from "./coupling.ts";
import { type StepBegin, StepSearch } from "./crossing-search.ts";
import { CrossingSignals } from "./crossing-signals.ts";

/** The first step away from a level, as a part of the step that was wanted; while nothing moves the next one is longer. */
const FIRST_LEAVE = 1e-4;
const LEAVE_GROWTH = 8;
/** Without rollback, steps go down to this part of the communication step on the way to a level. */
const SHORTEST_APPROACH = 1 / 1024;
/** Events closer together than this part of a communication step are chattering. */
export const MIN_INTERVAL = 1e-3;

/** How far behind its crossing an event was noticed. */
export interface CrossingDelay {
  count: number;
  /** Largest distance beyond the level, and longest time since the crossing. */
  value: number;
  seconds: number;
}

export class CrossingWatch {
  /** Whether every crossing is found by repeating steps. */
  readonly isExact: boolean;
  /** By crossing: events so far, those that the minimum dwell put off, and how late events were. */
  readonly events: Int32Array;
  readonly putOff: Int32Array;
  readonly delays: readonly CrossingDelay[];
  readonly #coupling: Coupling;
  readonly #signals: CrossingSignals;
  readonly #search: StepSearch;
  readonly #begin: StepBegin;
  readonly #now: Float64Array;
  readonly #nowRates: Float64Array;
  /** What the search sees: signals that must wait have not moved. */
  readonly #judged: Float64Array;
  /** How fast signals were at the end of the last step, as well as that is known. */
  readonly #trend: Float64Array;
  /** One communication point earlier, and how long before the present one; 0: there is none. */
  readonly #previous: Float64Array;
  #previousAgo = 0;
  readonly #zeno: readonly ZenoWatch[];
  /** Crossings whose events come too fast: none before that time. */
  readonly #dwellUntil: Float64Array;
  readonly #lastEvent: Float64Array;
  readonly #isRegularised: Uint8Array;
  readonly #minInterval: number;
  readonly #canStepDown: boolean;
  #leave = 1;

  constructor(coupling: Coupling) {
    const { crossings } = coupling.plan;
    const n = crossings.length;
    this.#coupling = coupling;
    this.isExact = coupling.canRollBackAll;
    this.#canStepDown = coupling.units.every((unit) => unit.description.capabilities.variableStep);
    this.#signals = new CrossingSignals(coupling);
    this.#begin = {
      time: coupling.time,
      values: new Float64Array(n),
      sides: new Int8Array(n),
      rates: new Float64Array(n),
    };
    this.#search = new StepSearch(crossings, this.#begin);
    this.#now = new Float64Array(n);
    this.#nowRates = new Float64Array(n);
    this.#judged = new Float64Array(n);
    this.#trend = new Float64Array(n);
    this.#previous = new Float64Array(n);
    this.#minInterval = MIN_INTERVAL * coupling.state.plan.step;
    this.#zeno = crossings.map(() => new ZenoWatch({ minInterval: this.#minInterval }));
    this.#dwellUntil = new Float64Array(n).fill(Number.NEGATIVE_INFINITY);
    this.#lastEvent = new Float64Array(n).fill(Number.NaN);
    this.#isRegularised = new Uint8Array(n);
    this.events = new Int32Array(n);
    this.putOff = new Int32Array(n);
    this.delays = crossings.map(() => ({ count: 0, value: 0, seconds: 0 }));
  }

  get count(): number {
    return this.#now.length;
  }

  /** Takes the signals as they are now, after initialization and after every event. */
  restart(): void {
    const { time } = this.#coupling;
    const { values, rates, sides } = this.#begin;
    this.#begin.time = time;
    this.#signals.read(values);
    rates.fill(Number.NaN);
    this.#trend.fill(0);
    this.#previousAgo = 0;
    this.#leave = FIRST_LEAVE;
    for (let c = 0; c < this.count; c++) {
      const waits = time < this.#dwellUntil[c]! && this.#lastEvent[c] !== time;
      if (!waits) sides[c] = this.#sideOf(c, values[c]!);
    }
  }

  #sideOf(c: number, value: number): number {
    return Math.abs(value) <= this.#coupling.plan.crossings[c]!.tolerance ? 0 : Math.sign(value);
  }

  get #isOnLevel(): boolean {
    return this.#begin.sides.includes(0);
  }

  /** How far a step that shall go to `to` may go. */
  bound(to: number): number {
    const { time } = this.#begin;
    let end = to;
    if (this.#isOnLevel && this.#leave < 1 && this.#canStepDown)
      end = Math.min(end, time + this.#leave * (to - time));
    for (let c = 0; c < this.count; c++) {
      const dwell = this.#dwellUntil[c]!;
      if (dwell > time && dwell < end && this.#canStepDown) end = dwell;
    }
    if (this.isExact || !this.#canStepDown) return end;
    const shortest = SHORTEST_APPROACH * this.#coupling.state.plan.step;
    for (let c = 0; c < this.count; c++) {
      const ahead = this.#timeToLevel(c, end - time);
      if (ahead < end - time) end = time + Math.min(end - time, Math.max(shortest, ahead / 2));
    }
    return end;
  }

  /** When the signal will be at its level if it goes on as it does; Infinity: not within `length`. */
  #timeToLevel(c: number, length: number): number {
    const { values, sides } = this.#begin;
    const side = sides[c]!;
    const rate = this.#trend[c]!;
    if (side === 0 || !this.#search.isWanted(c, side) || !(rate * side < 0))
      return Number.POSITIVE_INFINITY;
    const time = Math.abs(values[c]! / rate);
    return time < length ? time : Number.POSITIVE_INFINITY;
  }

  beginStep(): void {
    this.#search.reset();
  }

  /**
   * A step reached the coupling's time.
   * @returns where to try again; not a number: the step may end here.
   */
  objection(): number {
    const { time } = this.#coupling;
    this.#signals.read(this.#now);
    this.#measureRates();
    if (!this.isExact) return Number.NaN;
    for (let c = 0; c < this.count; c++)
      this.#judged[c] = this.#isDwelling(c) ? this.#begin.values[c]! : this.#now[c]!;
    const isShort = this.#isOnLevel && this.#leave < 1;
    return this.#search.judge(time, this.#judged, isShort ? undefined : this.#nowRates);
  }

  /** A crossing whose events come too fast is not looked for right after its last one. */
  #isDwelling(c: number): boolean {
    return this.#begin.time < this.#dwellUntil[c]!;
  }

  /** Rates from the units, or from the parabola through the last three points; not a number where there are but two. */
  #measureRates(): void {
    const { time: from, values, rates } = this.#begin;
    this.#signals.readRates(this.#nowRates);
    const h = this.#coupling.time - from;
    for (let c = 0; c < this.count; c++) {
      const isTold = this.#signals.tellsRate(c);
      if (isTold && !Number.isNaN(rates[c]!)) continue;
      const secant = (this.#now[c]! - values[c]!) / h;
      const bend = this.#bend(c, secant, h);
      rates[c] = secant - bend;
      if (!isTold) this.#nowRates[c] = secant + bend;
    }
  }

  /** By how much the rate at the end of a step is above the secant. */
  #bend(c: number, secant: number, h: number): number {
    const ago = this.#previousAgo;
    if (ago === 0) return Number.NaN;
    return (h * (secant - (this.#begin.values[c]! - this.#previous[c]!) / ago)) / (h + ago);
  }

  /**
   * The step to the coupling's time was accepted.
   * @param onEvent is told of every crossing that happened, and of the pattern that its events make.
   */
  accepted(onEvent: (crossing: number, pattern: EventPattern) => void): void {
    const { time } = this.#coupling;
    const { values, sides, rates } = this.#begin;
    const length = time - this.#begin.time;
    for (let c = 0; c < this.count; c++) {
      const side = sides[c]!;
      const value = this.#now[c]!;
      const isSought = this.isExact && this.#search.isSought(c);
      const waits = time < this.#dwellUntil[c]!;
      const hasCrossed = !waits && (isSought || StepSearch.hasCrossed(side, value));
      if (hasCrossed && this.#search.isWanted(c, side)) {
        if (!isSought) this.#noteDelay(c, values[c]!, value, length);
        onEvent(c, this.#count(c, time));
      }
      if (hasCrossed) sides[c] = -side;
      else if (side === 0) sides[c] = this.#sideLeft(c, values[c]!, value);
      const rate = this.#nowRates[c]!;
      this.#trend[c] = Number.isNaN(rate) ? (value - values[c]!) / length : rate;
    }
    this.#previous.set(values);
    this.#previousAgo = length;
    this.#leave = Math.min(1, this.#leave * LEAVE_GROWTH);
    this.#begin.time = time;
    values.set(this.#now);
    rates.set(this.#nowRates);
  }

  /** Where a signal went that was on its level. */
  #sideLeft(c: number, before: number, value: number): number {
    const side = this.#sideOf(c, value);
    if (side !== 0) return side;
    const { level } = this.#coupling.plan.crossings[c]!;
    const noise = 16 * Number.EPSILON * Math.max(Math.abs(level), Math.abs(value));
    return Math.abs(value - before) > noise ? Math.sign(value - before) : 0;
  }

  #noteDelay(c: number, before: number, value: number, length: number): void {
    const { tolerance } = this.#coupling.plan.crossings[c]!;
    const beyond = Math.abs(value);
    if (beyond <= tolerance) return;
    const delay = this.delays[c]!;
    delay.count++;
    delay.value = Math.max(delay.value, beyond);
    delay.seconds = Math.max(delay.seconds, (length * beyond) / (beyond + Math.abs(before)));
  }

  #count(c: number, time: number): EventPattern {
    this.events[c]!++;
    this.#lastEvent[c] = time;
    if (this.#isRegularised[c] === 1) this.putOff[c]!++;
    const pattern = this.#zeno[c]!.note(time);
    if (pattern.kind !== "none") this.#isRegularised[c] = 1;
    if (this.#isRegularised[c] === 1) this.#dwellUntil[c] = time + this.#minInterval;
    return pattern;
  }

  /** How long until a signal that was just located has moved by half its tolerance; Infinity where none was. */
  get reactionTime(): number {
    let seconds = Number.POSITIVE_INFINITY;
    for (let c = 0; c < this.count; c++)
      if (this.#search.isSought(c) && this.#search.speed > 0)
        seconds = this.#coupling.plan.crossings[c]!.tolerance / 2 / this.#search.speed;
    return seconds;
  }
}
