/**
 * Watches the crossings that a scenario names, from step to step: on which side of its level every
 * signal is, where the next step may have to be repeated to find a crossing, what to do where units
 * cannot go back.
 *
 * Right after an event a signal may lie on its level, to within the tolerance. The next step is
 * then a short one, so that a signal that comes back soon is not missed. One that crossed is on the
 * far side, however near, so that it is not found again. One that got there by another way is on no
 * side before that step shows where it goes.
 */
import { iterates } from "../../model/masters.ts";
import { copyAll } from "../../numerics/copy-numbers.ts";
import { type EventPattern, ZenoWatch } from "../../numerics/zeno.ts";
import type { Predicate } from "../../unit/predicate.ts";
import type { Coupling } from "./coupling.ts";
import { type StepBegin, StepSearch } from "./crossing-search.ts";
import { CrossingSignals } from "./crossing-signals.ts";
import { MasterPart } from "./master-part.ts";

/**
 * The first step away from a level, as a part of the step that was wanted; while nothing moves the
 * next one is longer.
 */
const FIRST_LEAVE = 1e-4;
const LEAVE_GROWTH = 8;
/**
 * Where a fault waits for what is beyond the level, which may be as near as the tolerance of
 * events.
 */
const SHORTEST_LEAVE = 1e-11;
/**
 * While a signal is to get away from its level: a parabola that goes beyond 9/8 of the distance has
 * a point there in every doubling of the time.
 */
const DISARMED_GROWTH = 2;
/** Without rollback, steps go down to this part of the communication step on the way to a level. */
const SHORTEST_APPROACH = 1 / 1024;
/** Events closer together than this part of a communication step are chattering. */
export const MIN_INTERVAL = 1e-3;

/** How much of the way to a level is taken at once where the step that passes it fails. */
const APPROACH = 0.999;
const NO_SOURCE = { unit: -1, port: -1 };

/** How far behind its crossing an event was noticed. */
export interface CrossingDelay {
  count: number;
  /** Largest distance beyond the level, and longest time since the crossing. */
  value: number;
  seconds: number;
}

export class CrossingWatch extends MasterPart {
  readonly count: number = this.coupling.plan.crossings.length;
  private readonly canStepDown: boolean = this.coupling.canVarySteps;
  /** Whether every crossing is found by repeating steps. */
  readonly isExact: boolean = this.canStepDown && this.coupling.canRollBackAll;
  /** By crossing: events so far, those that the minimum dwell put off, and how late events were. */
  readonly events: Int32Array = new Int32Array(this.count);
  readonly putOff: Int32Array = new Int32Array(this.count);
  readonly delays: readonly CrossingDelay[] = this.coupling.plan.crossings.map(() => ({
    count: 0,
    value: 0,
    seconds: 0,
  }));
  private readonly signals = new CrossingSignals(this.coupling);
  private readonly begin: StepBegin = {
    time: this.coupling.time,
    values: new Float64Array(this.count),
    sides: new Int8Array(this.count),
    rates: new Float64Array(this.count),
  };
  private readonly search = new StepSearch(this.coupling.plan.crossings, this.begin);
  private readonly now = new Float64Array(this.count);
  private readonly nowRates = new Float64Array(this.count);
  /** What the search sees: signals that must wait are still on their side. */
  private readonly judged = new Float64Array(this.count);
  /** How fast signals were at the end of the last step, as well as that is known. */
  private readonly trend = new Float64Array(this.count);
  /** One communication point earlier, and how long before the present one; 0: there is none. */
  private readonly previous = new Float64Array(this.count);
  private previousAgo = 0;
  private readonly minInterval: number = MIN_INTERVAL * this.coupling.state.plan.step;
  private readonly zeno: readonly ZenoWatch[] = this.coupling.plan.crossings.map(
    () => new ZenoWatch({ minInterval: this.minInterval }),
  );
  /** Crossings whose events come too fast: none before that time. */
  private readonly dwellUntil = new Float64Array(this.count).fill(Number.NEGATIVE_INFINITY);
  /** Signals that were on their levels after the last event, and have not left them yet. */
  private readonly isNear = new Uint8Array(this.count);
  private readonly lastEvent = new Float64Array(this.count).fill(Number.NaN);
  /** Recognised as too fast, or kept apart on request. */
  private readonly isRegularised = Uint8Array.from(this.coupling.plan.crossings, ({ dwell }) =>
    dwell === undefined ? 0 : 1,
  );
  /** Waiting for the signal to get away from its level (hysteresis). */
  private readonly isDisarmed = new Uint8Array(this.count);
  private leave = 1;
  /** The crossing whose level a step met without passing it, which jumped there; -1: none. */
  private met = -1;

  constructor(coupling: Coupling) {
    super(coupling);
    if (!this.isExact && this.canStepDown) this.askUnits();
  }

  /**
   * Where the scenario cannot go back, units that know thresholds can stop at them by themselves.
   */
  private askUnits(): void {
    const { units, plan } = this.coupling;
    if (iterates(plan.settings)) return;
    const asked = new Map<number, Predicate[]>();
    plan.crossings.forEach(({ level, direction }, c) => {
      const { unit, port } = this.signals.soleSource(c) ?? NO_SOURCE;
      if (!units[unit]?.description.capabilities.predicates.includes("threshold")) return;
      const threshold: Predicate = { kind: "threshold", port, value: level, direction };
      asked.set(unit, [...(asked.get(unit) ?? []), threshold]);
    });
    for (const [unit, thresholds] of asked) this.coupling.stopAt(unit, thresholds);
  }

  /** The unit whose signal it is; -1: it compares two. */
  unitOf(c: number): number {
    return (this.signals.soleSource(c) ?? NO_SOURCE).unit;
  }

  /** Whether the unit behind the signal stopped at its level. */
  private isStopped(c: number): boolean {
    const { early, plan } = this.coupling;
    if (early?.reason !== "threshold") return false;
    const { unit, port } = this.signals.soleSource(c) ?? NO_SOURCE;
    const isNear = Math.abs(this.now[c]) <= plan.crossings[c].tolerance;
    return isNear && unit === early.unit && port === early.port;
  }

  /**
   * Takes the signals as they are now, after initialization and after every event.
   * @param since when the event was, which may have been followed by reactions.
   */
  restart(since: number): void {
    const { time } = this.coupling;
    const { values, rates, sides } = this.begin;
    this.begin.time = time;
    this.signals.read(values);
    rates.fill(Number.NaN);
    this.trend.fill(0);
    this.previousAgo = 0;
    this.leave = FIRST_LEAVE;
    const { crossings, settings } = this.coupling.plan;
    for (let c = 0; c < this.count; c++) {
      const side = this.sideOf(c, values[c]);
      this.isNear[c] = side === 0 ? 1 : 0;
      if (side === 0 && crossings[c].switches)
        this.leave = Math.max(SHORTEST_LEAVE, Math.min(FIRST_LEAVE, settings.eventTolerance));
      const isNew = this.lastEvent[c] >= since;
      if ((time < this.dwellUntil[c] && !isNew) || (isNew && this.staysOnSide(c))) continue;
      if (side !== 0 || !isNew) sides[c] = side;
      else if (values[c] !== 0) sides[c] = Math.sign(values[c]);
    }
  }

  /**
   * Of a crossing that is kept apart on request and wanted in one direction: after an event its
   * signal counts as being where it came from, so that one that is beyond the level when the next
   * event is allowed makes it then.
   */
  private staysOnSide(c: number): boolean {
    const { dwell, hysteresis, direction } = this.coupling.plan.crossings[c];
    return direction !== "any" && (dwell !== undefined || hysteresis !== undefined);
  }

  private sideOf(c: number, value: number): number {
    return Math.abs(value) <= this.coupling.plan.crossings[c].tolerance ? 0 : Math.sign(value);
  }

  /** Whether the step that begins shows where signals go that are on their levels. */
  private get isLeaving(): boolean {
    return this.leave < 1 && (this.isNear.includes(1) || this.isRising());
  }

  /**
   * Whether a signal that is to get away from its level (hysteresis) is on the way: no step may
   * pass over all of it.
   */
  private isRising(): boolean {
    const { values, sides } = this.begin;
    return this.isDisarmed.some((disarmed, c) => disarmed === 1 && values[c] * sides[c] >= 0);
  }

  /** How far a step that shall go to `to` may go. */
  bound(to: number): number {
    const { time } = this.begin;
    let end = to;
    if (this.isLeaving && this.canStepDown) {
      const least = 16 * Number.EPSILON * Math.abs(time);
      end = Math.min(end, time + Math.max(this.leave * (to - time), least));
    }
    for (let c = 0; c < this.count; c++) {
      const dwell = this.dwellUntil[c];
      if (dwell > time && dwell < end && this.canStepDown) end = dwell;
    }
    if (this.isExact || !this.canStepDown) return end;
    const shortest = SHORTEST_APPROACH * this.coupling.state.plan.step;
    for (let c = 0; c < this.count; c++) {
      const ahead = this.timeToLevel(c, end - time);
      if (ahead < end - time) end = time + Math.min(end - time, Math.max(shortest, ahead / 2));
    }
    return end;
  }

  /**
   * When the signal will be at its level if it goes on as it does; Infinity: not within `length`.
   */
  private timeToLevel(c: number, length: number): number {
    const { values, sides } = this.begin;
    const side = sides[c];
    const rate = this.trend[c];
    if (side === 0 || !this.search.isWanted(c, side) || !(rate * side < 0))
      return Number.POSITIVE_INFINITY;
    const time = Math.abs(values[c] / rate);
    return time < length ? time : Number.POSITIVE_INFINITY;
  }

  /**
   * A step to `to` failed, maybe because something jumps where a signal reaches its level.
   * @returns where to try again before the earliest such level; the present time where that is no
   * further than `shortest`, and the level is to be passed now; NaN: none is ahead.
   */
  beforeLevel(to: number, shortest: number): number {
    const { time } = this.begin;
    const length = to - time;
    let nearest = -1;
    let ahead = Number.POSITIVE_INFINITY;
    for (let c = 0; this.isExact && c < this.count; c++) {
      const until = this.timeToLevel(c, length);
      if (until >= ahead) continue;
      ahead = until;
      nearest = c;
    }
    if (nearest < 0) return Number.NaN;
    if (ahead <= shortest) {
      this.met = nearest;
      return time;
    }
    // Where the level is is an estimate, and may have been too far.
    const part = APPROACH * ahead < APPROACH * length ? APPROACH * ahead : length / 2;
    return time + Math.max(shortest, part);
  }

  /** The crossing whose signal is at its level, or will be within a step of that length. */
  within(length: number): string | undefined {
    const { crossings } = this.coupling.plan;
    return crossings.find(
      (_, c) => this.sideOf(c, this.begin.values[c]) === 0 || this.timeToLevel(c, length) <= length,
    )?.text;
  }

  /**
   * Whether a signal was on its way to a level where the step began, and was there, to tolerance,
   * at its beginning or its end.
   */
  meet(): boolean {
    const { values, sides } = this.begin;
    for (let c = 0; c < this.count; c++) {
      const isComing = this.isNear[c] === 0 && this.search.isWanted(c, sides[c]);
      const isThere = this.sideOf(c, values[c]) === 0 || this.sideOf(c, this.now[c]) === 0;
      if (sides[c] !== 0 && isComing && isThere) this.met = c;
    }
    return this.met >= 0;
  }

  beginStep(): void {
    this.search.reset();
  }

  /**
   * The time right before the crossing that the step ended for, by `least` at least; NaN: there is
   * none.
   */
  justBefore(least: number): number {
    return this.search.justBefore(least);
  }

  /**
   * A step reached the coupling's time.
   * @returns where to try again; NaN: the step may end here.
   */
  objection(): number {
    const { time } = this.coupling;
    this.signals.read(this.now);
    this.measureRates();
    if (!this.isExact) return Number.NaN;
    for (let c = 0; c < this.count; c++)
      this.judged[c] = this.isDwelling(c) ? this.begin.sides[c] : this.now[c];
    return this.search.judge(time, this.judged, this.isLeaving ? undefined : this.nowRates);
  }

  /** A crossing whose events come too fast is not looked for right after its last one. */
  private isDwelling(c: number): boolean {
    return this.begin.time < this.dwellUntil[c] || this.isDisarmed[c] === 1;
  }

  /** A signal that is far enough from its level can cross it again. */
  private arm(c: number, value: number): void {
    const { hysteresis = 0 } = this.coupling.plan.crossings[c];
    if (Math.abs(value) > hysteresis) this.isDisarmed[c] = 0;
  }

  /**
   * Rates from the units, or from the parabola through the last three points; NaN where there are
   * but two.
   */
  private measureRates(): void {
    const { time: from, values, rates } = this.begin;
    this.signals.readRates(this.nowRates);
    const h = this.coupling.time - from;
    for (let c = 0; c < this.count; c++) {
      const isGiven = this.signals.givesRate(c);
      if (isGiven && !Number.isNaN(rates[c])) continue;
      const secant = (this.now[c] - values[c]) / h;
      const bend = this.bend(c, secant, h);
      rates[c] = secant - bend;
      if (!isGiven) this.nowRates[c] = secant + bend;
    }
  }

  /** By how much the rate at the end of a step is above the secant. */
  private bend(c: number, secant: number, h: number): number {
    const ago = this.previousAgo;
    if (ago === 0) return Number.NaN;
    return (h * (secant - (this.begin.values[c] - this.previous[c]) / ago)) / (h + ago);
  }

  /**
   * The step to the coupling's time was accepted.
   * @param onEvent gets every crossing that happened, and the pattern that its events make.
   */
  accepted(onEvent: (crossing: number, pattern: EventPattern) => void): void {
    const { time } = this.coupling;
    const { values, sides, rates } = this.begin;
    const length = time - this.begin.time;
    for (let c = 0; c < this.count; c++) {
      const side = sides[c];
      const value = this.now[c];
      const isSought = this.isExact ? this.search.isSought(c) : this.isStopped(c);
      const wasDisarmed = this.isDisarmed[c] === 1;
      this.arm(c, value);
      const waits = time < this.dwellUntil[c] || this.isDisarmed[c] === 1;
      const hasCrossed =
        !waits && (isSought || c === this.met || StepSearch.hasCrossed(side, value));
      if (hasCrossed && this.search.isWanted(c, side)) {
        if ((this.isRegularised[c] === 1 || wasDisarmed) && !isSought) this.putOff[c]++;
        else if (!isSought && c !== this.met) this.noteDelay(c, values[c], value, length);
        onEvent(c, this.countEvent(c, time));
      }
      if (hasCrossed && !this.staysOnSide(c)) sides[c] = -side;
      else if (side === 0) sides[c] = this.sideLeft(c, values[c], value);
      if (this.sideOf(c, value) !== 0) this.isNear[c] = 0;
      const rate = this.nowRates[c];
      this.trend[c] = Number.isNaN(rate) ? (value - values[c]) / length : rate;
    }
    this.met = -1;
    copyAll(values, this.previous);
    this.previousAgo = length;
    const growth = this.isDisarmed.includes(1) ? DISARMED_GROWTH : LEAVE_GROWTH;
    this.leave = Math.min(1, this.leave * growth);
    this.begin.time = time;
    copyAll(this.now, values);
    copyAll(this.nowRates, rates);
  }

  /** Where a signal went that was on its level. */
  private sideLeft(c: number, before: number, value: number): number {
    const side = this.sideOf(c, value);
    if (side !== 0) return side;
    const { level } = this.coupling.plan.crossings[c];
    const noise = 16 * Number.EPSILON * Math.max(Math.abs(level), Math.abs(value));
    return Math.abs(value - before) > noise ? Math.sign(value - before) : 0;
  }

  private noteDelay(c: number, before: number, value: number, length: number): void {
    const { tolerance } = this.coupling.plan.crossings[c];
    const beyond = Math.abs(value);
    if (beyond <= tolerance) return;
    const delay = this.delays[c];
    delay.count++;
    delay.value = Math.max(delay.value, beyond);
    delay.seconds = Math.max(delay.seconds, (length * beyond) / (beyond + Math.abs(before)));
  }

  private countEvent(c: number, time: number): EventPattern {
    this.events[c]++;
    this.lastEvent[c] = time;
    const pattern = this.zeno[c].note(time);
    const { dwell = this.minInterval, hysteresis } = this.coupling.plan.crossings[c];
    // A distance that was asked for keeps them apart already.
    if (pattern.kind !== "none" && hysteresis === undefined) this.isRegularised[c] = 1;
    if (this.isRegularised[c] === 1) this.dwellUntil[c] = time + dwell;
    if (hysteresis !== undefined) this.isDisarmed[c] = 1;
    return pattern;
  }

  /**
   * How long until a signal that was just located has moved by half its tolerance; Infinity where
   * none was.
   */
  get reactionTime(): number {
    let seconds = Number.POSITIVE_INFINITY;
    for (let c = 0; c < this.count; c++)
      if (this.search.isSought(c) && this.search.speed > 0)
        seconds = this.coupling.plan.crossings[c].tolerance / 2 / this.search.speed;
    return seconds;
  }

  /** For checkpoints. */
  save(): Float64Array[] {
    const { time } = this.begin;
    const delays = this.delays.flatMap(({ count, value, seconds }) => [count, value, seconds]);
    return [
      Float64Array.of(time, this.previousAgo, this.leave),
      ...this.kept.map((values) => Float64Array.from(values)),
      Float64Array.from(delays),
      ...this.zeno.map((watch) => watch.save()),
    ];
  }

  restore(parts: readonly Float64Array[]): void {
    const [[time, ago, leave], ...rest] = parts;
    this.begin.time = time;
    this.previousAgo = ago;
    this.leave = leave;
    const { kept } = this;
    for (const [k, values] of kept.entries()) values.set(rest[k]);
    const [delays, ...zeno] = rest.slice(kept.length);
    this.delays.forEach((delay, c) => {
      const [count, value, seconds] = delays.subarray(3 * c, 3 * c + 3);
      Object.assign(delay, { count, value, seconds });
    });
    for (const [c, watch] of this.zeno.entries()) watch.restore(zeno[c]);
  }

  /** Every array that is carried from step to step. */
  private get kept(): readonly (Float64Array | Int32Array | Int8Array | Uint8Array)[] {
    const { values, sides, rates } = this.begin;
    return [
      values,
      sides,
      rates,
      this.trend,
      this.previous,
      this.dwellUntil,
      this.lastEvent,
      this.isRegularised,
      this.isDisarmed,
      this.isNear,
      this.events,
      this.putOff,
    ];
  }
}
