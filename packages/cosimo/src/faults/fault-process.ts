/**
 * One fault on its way through a run: whether it acts, since when, and what it makes of a value.
 *
 * A fault changes at *instants* only, when it is switched; between them its effect is a smooth
 * function of time. So a step that ends where a fault begins still shows the healthy value at its
 * end, and the next one begins with the faulty value.
 */
import type { Fault } from "../model/faults.ts";
import { INTEGER_RANGES, isFloat } from "../model/port-value.ts";
import type { Port } from "../model/unit-description.ts";
import { type Banks, bankOf, makeBanks, storeValue } from "../model/value-type.ts";
import { copyBanks, fillBanks } from "../unit/banks.ts";
import type { ByteReader, ByteWriter } from "../unit/bytes.ts";
import { DelayLine } from "./delay-line.ts";
import { flipBit, flipBit64 } from "./flip-bit.ts";
import {
  LateEvents,
  type LateEventsState,
  readLateEvents,
  writeLateEvents,
} from "./late-events.ts";
import { normal, uniform } from "./random.ts";

/**
 * Times that differ by less, relative to themselves or to the communication step, are one instant.
 */
const SAME_INSTANT = 1e-13;

/** What times near `time` may differ by and still mean the same instant. */
export function sameInstant(time: number, step: number): number {
  return SAME_INSTANT * Math.max(step, Math.abs(time));
}

export interface FaultState {
  readonly isActive: boolean;
  readonly since: number;
  readonly until: number;
  readonly held: boolean;
  readonly activations: number;
  readonly index: number;
  readonly isLost: boolean;
  readonly isSeen: boolean;
  readonly shown: number;
  readonly values: Banks;
  readonly late: ReturnType<DelayLine["copy"]>;
  /** Present where it delays events. */
  readonly events?: LateEventsState;
}

export class FaultProcess {
  readonly fault: Fault;
  isActive = false;
  /** How often it began to act. */
  activations = 0;
  /** Where the target lies in the values of its port. */
  readonly element: number;
  readonly count: number;
  readonly line: DelayLine | undefined;
  /** Of a port of events: those that are under way. */
  private readonly events: LateEvents | undefined;
  private readonly port: Port | undefined;
  private readonly period: number;
  private readonly step: number;
  private since = Number.NEGATIVE_INFINITY;
  /** When a fault ends that an event began. */
  private until = Number.POSITIVE_INFINITY;
  /** Whether its condition held when it was last switched. */
  private held = false;
  /** The sample that it shows, or the event, counted from when it began to act. */
  private index = 0;
  private isLost = false;
  /** Of a port of events: whether the one of this instant is lost has been decided. */
  private isSeen = false;
  /** When it was last switched: a late signal that is held changes only then. */
  private shown = 0;
  /** What a target that does not follow its signal shows. */
  private readonly values: Banks;

  /** @param step the communication step of its unit. */
  constructor(fault: Fault, port: Port | undefined, step: number) {
    this.fault = fault;
    this.port = port;
    this.step = step;
    const { effect, target } = fault;
    this.element = target?.element ?? 0;
    this.count = target?.count ?? 0;
    this.period = ("every" in effect ? effect.every : undefined) ?? step;
    const bank = bankOf(port?.type ?? "float64");
    this.values = makeBanks({ [bank]: this.count });
    if (effect.kind === "delay" && port?.nature === "transient")
      this.events = new LateEvents(effect.seconds);
    else if (effect.kind === "delay" && port !== undefined) {
      const isContinuous = isFloat(port.type) && port.variability === "continuous";
      this.line = new DelayLine(effect.seconds, { bank, count: this.count, isContinuous });
    }
  }

  /** An event begins it again. */
  get isArmed(): boolean {
    return this.fault.when.kind !== "on" || !this.held;
  }

  rearm(): void {
    this.held = false;
  }

  /** Its next instant that is known, after `now`. */
  nextInstant(now: number): number {
    const { when } = this.fault;
    const later = now + this.tolerance(now);
    let next = Number.POSITIVE_INFINITY;
    const offer = (time: number): void => {
      if (time > later) next = Math.min(next, time);
    };
    if (when.kind === "time") {
      offer(when.at);
      offer(when.until);
    } else if (this.isActive) offer(this.until);
    if (this.events !== undefined) offer(this.events.next);
    if (!this.isActive) return next;
    if (this.isSampled) offer(this.since + (this.index + 1) * this.period);
    offer(this.nextLate());
    return next;
  }

  /** @param condition whether its condition holds now, where it has one. */
  isDue(time: number, condition: boolean): boolean {
    if (this.wanted(time, condition) !== this.isActive) return true;
    if (this.fault.when.kind === "on" && condition && !this.held) return true;
    if (this.events?.isArriving === false && this.hasLate(time)) return true;
    if (!this.isActive) return false;
    const isSample =
      this.isSampled && this.reached(time, this.since + (this.index + 1) * this.period);
    return isSample || this.reached(time, this.nextLate());
  }

  /** Whether an event that is under way arrives now, or one more. */
  hasLate(time: number): boolean {
    return this.events !== undefined && this.reached(time, this.events.next);
  }

  /** When a late signal that is held shows its next change. */
  private nextLate(): number {
    const shown = this.shown + this.tolerance(this.shown);
    return this.line?.nextChange(shown) ?? Number.POSITIVE_INFINITY;
  }

  /**
   * What changes at `time` changes.
   * @param banks the values of its port at this instant, as they would be without this fault.
   * @returns whether it begins or ends.
   */
  switch(time: number, condition: boolean, banks: Banks): boolean {
    const was = this.isActive;
    const isEvent = this.fault.when.kind === "on" && condition && !this.held;
    this.isActive = this.wanted(time, condition);
    this.held = condition;
    const begins = this.isActive && (!was || isEvent);
    if (begins) {
      this.activations++;
      this.since = time;
      this.index = 0;
      this.isLost = false;
      this.isSeen = false;
      if (this.fault.when.kind === "on") this.until = time + this.fault.when.lasts;
      this.capture(banks);
    }
    if (this.isActive) this.sample(time, begins, banks);
    if (this.events?.isArriving === false && this.hasLate(time)) this.events.arrive();
    return was !== this.isActive || begins;
  }

  private wanted(time: number, condition: boolean): boolean {
    const { when } = this.fault;
    switch (when.kind) {
      case "time":
        return this.reached(time, when.at) && !this.reached(time, when.until);
      case "while":
        return condition;
      case "on":
        return (condition && !this.held) || (this.isActive && !this.reached(time, this.until));
    }
  }

  private sample(time: number, begins: boolean, banks: Banks): void {
    const { effect } = this.fault;
    if (this.isSampled) {
      while (this.reached(time, this.since + (this.index + 1) * this.period)) this.index++;
      if (effect.kind === "drop-out") {
        const isLost = uniform(effect.seed, 0, this.index) < effect.probability;
        if (isLost && !this.isLost && !begins) this.capture(banks);
        this.isLost = isLost;
      }
    }
    this.shown = time;
  }

  /** Noise, and signals that are lost now and then, have instants of their own. */
  private get isSampled(): boolean {
    const { effect } = this.fault;
    if (effect.kind === "noise") return true;
    return effect.kind === "drop-out" && effect.probability < 1 && !this.hasEvents;
  }

  private get hasEvents(): boolean {
    return this.port?.nature === "transient";
  }

  /** The next event of its port is another one. */
  pass(): void {
    this.isSeen = false;
  }

  /** @returns whether an event that was late had arrived there. */
  endArrival(): boolean {
    if (this.events?.isArriving !== true) return false;
    this.events.isArriving = false;
    return true;
  }

  /** What comes in is sent, what arrives is shown: as many looks as there are see the same. */
  private delayEvent(late: LateEvents, now: number, banks: Banks, first: number): void {
    if ((this.isActive || late.isArriving) && this.hasEvent(banks, first)) {
      if (!this.isSeen) late.send(now, this.isActive);
      this.isSeen = true;
      this.putNothing(banks, first);
    }
    if (late.isArriving) banks.f64[first] = 1;
  }

  /** Whether the event that its port has is lost: as many looks at it as there are see the same. */
  private loses({ effect }: Fault): boolean {
    if (effect.kind !== "drop-out" || effect.probability === 1) return true;
    if (!this.isSeen) this.isLost = uniform(effect.seed, 0, this.index++) < effect.probability;
    this.isSeen = true;
    return this.isLost;
  }

  private hasEvent(banks: Banks, first: number): boolean {
    for (let i = first; i < first + this.count; i++) {
      if (this.values.f64.length > 0 && banks.f64[i] !== 0) return true;
      if (this.values.i64.length > 0 && banks.i64[i] !== 0n) return true;
      if (this.values.obj.length > 0 && banks.obj[i] !== "") return true;
    }
    return false;
  }

  private capture(banks: Banks): void {
    for (let i = 0; i < this.count; i++) {
      const from = this.element + i;
      if (this.values.f64.length > 0) this.values.f64[i] = banks.f64[from];
      else if (this.values.i64.length > 0) this.values.i64[i] = banks.i64[from];
      else this.values.obj[i] = banks.obj[from];
    }
  }

  /** Makes faulty values of those at `slot`, the first element of its port. */
  apply(now: number, banks: Banks, slot: number): void {
    const first = slot + this.element;
    if (this.events !== undefined) this.delayEvent(this.events, now, banks, first);
    if (!this.isActive || this.port === undefined) return;
    const { effect } = this.fault;
    switch (effect.kind) {
      case "stuck":
        if (effect.values === undefined) this.putCaptured(banks, first);
        else
          effect.values.forEach((value, i) => {
            storeValue(banks, this.port?.type ?? "float64", first + i, value);
          });
        break;
      case "drop-out":
        if (this.hasEvents) {
          if (this.hasEvent(banks, first) && this.loses(this.fault)) this.putNothing(banks, first);
        } else if (effect.probability === 1 || this.isLost) this.putCaptured(banks, first);
        break;
      case "delay":
        this.line?.put(
          this.line.isContinuous ? now : this.shown,
          this.tolerance(now),
          banks,
          first,
        );
        break;
      case "bit-flip":
        for (let i = first; i < first + this.count; i++) {
          if (this.values.i64.length > 0) banks.i64[i] = flipBit64(banks.i64[i], effect.bit);
          else banks.f64[i] = flipBit(this.port.type, banks.f64[i], effect.bit);
        }
        break;
      case "offset":
        this.change(banks, first, (value) => value + effect.amount);
        break;
      case "gain":
        this.change(banks, first, (value) => value * effect.factor);
        break;
      case "drift":
        this.change(banks, first, (value) => value + effect.amount * (now - this.since));
        break;
      case "noise":
        this.change(
          banks,
          first,
          (value, i) => value + effect.amount * normal(effect.seed, i, this.index),
        );
        break;
      case "frozen":
      case "fails":
        // About the unit as a whole: no port shows it.
        break;
    }
  }

  /** What it makes of a derivative of its port, `order` ≥ 1. */
  slope(order: number, element: number, slope: number): number {
    if (!this.isActive || element < this.element || element >= this.element + this.count)
      return slope;
    const { effect } = this.fault;
    switch (effect.kind) {
      case "gain":
        return slope * effect.factor;
      case "drift":
        return order === 1 ? slope + effect.amount : slope;
      case "stuck":
        return 0;
      case "drop-out":
        return effect.probability === 1 || this.isLost ? 0 : slope;
      default:
        return slope;
    }
  }

  private change(banks: Banks, first: number, change: (value: number, i: number) => number): void {
    const type = this.port?.type ?? "float64";
    for (let i = 0; i < this.count; i++) {
      const at = first + i;
      if (this.values.i64.length > 0) {
        const [low, high] = INTEGER_RANGES[type] ?? [0n, 0n];
        const own = type === "uint64" ? BigInt.asUintN(64, banks.i64[at]) : banks.i64[at];
        const changed = BigInt(Math.round(change(Number(own), i)));
        if (changed < low) banks.i64[at] = low;
        else if (changed > high) banks.i64[at] = BigInt.asIntN(64, high);
        else banks.i64[at] = BigInt.asIntN(64, changed);
        continue;
      }
      const changed = change(banks.f64[at], i);
      const range = INTEGER_RANGES[type];
      if (range === undefined) banks.f64[at] = type === "float32" ? Math.fround(changed) : changed;
      else
        banks.f64[at] = Math.min(Math.max(Math.round(changed), Number(range[0])), Number(range[1]));
    }
  }

  private putCaptured(banks: Banks, first: number): void {
    for (let i = 0; i < this.count; i++) {
      if (this.values.f64.length > 0) banks.f64[first + i] = this.values.f64[i];
      else if (this.values.i64.length > 0) banks.i64[first + i] = this.values.i64[i];
      else banks.obj[first + i] = this.values.obj[i];
    }
  }

  /** No event. */
  private putNothing(banks: Banks, first: number): void {
    for (let i = 0; i < this.count; i++) {
      if (this.values.f64.length > 0) banks.f64[first + i] = 0;
      else if (this.values.i64.length > 0) banks.i64[first + i] = 0n;
      else banks.obj[first + i] = "";
    }
  }

  private tolerance(time: number): number {
    return sameInstant(time, this.step);
  }

  private reached(time: number, instant: number): boolean {
    return time >= instant - this.tolerance(time);
  }

  // ---- what it carries ------------------------------------------------------------------------

  /** Back to before the run. */
  reset(): void {
    this.isActive = false;
    this.activations = 0;
    this.since = Number.NEGATIVE_INFINITY;
    this.until = Number.POSITIVE_INFINITY;
    this.held = false;
    this.index = 0;
    this.isLost = false;
    this.isSeen = false;
    this.shown = 0;
    this.line?.restore([]);
    this.events?.reset();
  }

  save(): FaultState {
    return {
      isActive: this.isActive,
      since: this.since,
      until: this.until,
      held: this.held,
      activations: this.activations,
      index: this.index,
      isLost: this.isLost,
      isSeen: this.isSeen,
      shown: this.shown,
      values: copyBanks(this.values),
      late: this.line?.copy() ?? [],
      ...(this.events && { events: this.events.save() }),
    };
  }

  restore(state: FaultState): void {
    this.isActive = state.isActive;
    this.since = state.since;
    this.until = state.until;
    this.held = state.held;
    this.activations = state.activations;
    this.index = state.index;
    this.isLost = state.isLost;
    this.isSeen = state.isSeen;
    this.shown = state.shown;
    fillBanks(this.values, state.values);
    this.line?.restore(state.late);
    if (state.events !== undefined) this.events?.restore(state.events);
  }

  write(state: FaultState, bytes: ByteWriter): void {
    bytes.u8(flagsOf(state));
    bytes.f64(state.since);
    bytes.f64(state.until);
    bytes.f64(state.activations);
    bytes.f64(state.index);
    bytes.f64(state.shown);
    bytes.banks(state.values);
    this.line?.write(state.late, bytes);
    if (state.events !== undefined) writeLateEvents(state.events, bytes);
  }

  read(bytes: ByteReader): FaultState {
    const flags = bytes.u8();
    return {
      isActive: (flags & 1) !== 0,
      held: (flags & 2) !== 0,
      isLost: (flags & 4) !== 0,
      isSeen: (flags & 8) !== 0,
      since: bytes.f64(),
      until: bytes.f64(),
      activations: bytes.f64(),
      index: bytes.f64(),
      shown: bytes.f64(),
      values: bytes.banks(),
      late: this.line?.read(bytes) ?? [],
      ...(this.events && { events: readLateEvents(bytes) }),
    };
  }
}

function flagsOf({ isActive, held, isLost, isSeen }: FaultState): number {
  return (isActive ? 1 : 0) + (held ? 2 : 0) + (isLost ? 4 : 0) + (isSeen ? 8 : 0);
}
