/**
 * The simulator of discrete-event models: flat units, a heap of next events, bags in pools. One
 * step is one index of superdense time:
 *
 *   collect     t := min tn; the imminent units (parallel: all, classic: the one that Select names) compute λ; values go along
 *               the routes into the bags of their receivers
 *   transition  imminent without values: δint; with values: δcon; other receivers: δext with e = t - tl; then tl := t, tn := t + ta
 *
 * Parallel DEVS: Chow & Zeigler 1994; classic DEVS: Zeigler 1976. The imminent unit is never among
 * those whose elapsed time merely grows, and a value that a translation maps to absent is not an
 * event (theory E2, E3). tn is kept as an absolute time; elapsed times are differences and never
 * compared with a time advance.
 *
 * The output phase and the transition phase are two calls, because units elsewhere may exchange
 * values in between (devs-unit.ts). The kernel allocates nothing per event; what authors' functions
 * return is theirs.
 */
import type { Ties } from "../unit/ties.ts";
import { CascadeWatch } from "./cascade-watch.ts";
import { copyData } from "./data.ts";
import { authorFailure, devsFailure } from "./devs-failure.ts";
import type { FlatModel, Routes } from "./flatten.ts";
import { ELAPSED, KernelInput, SECONDS, TIME } from "./kernel-input.ts";
import {
  absentSent,
  asynchronous,
  badTimeAdvance,
  beyondTicks,
  elapsedTooLong,
  isPromise,
  type Mistake,
  NO_INTERNAL,
  sentInTransition,
  unknownOutput,
} from "./kernel-mistakes.ts";
import { chooseImminent, isExternalFirst, permuteBags } from "./kernel-ties.ts";
import { MessagePool } from "./message-pool.ts";
import type { AnySend, AtomicModel } from "./model.ts";
import { Schedule } from "./schedule.ts";
import { selectImminent } from "./select-imminent.ts";
import { DEFAULT_TICKS_PER_SECOND, MAX_TICKS, startTicks, toSeconds, toTicks } from "./ticks.ts";

export interface KernelOptions {
  readonly ticksPerSecond?: number;
  /** What the whole model is called in messages, where it is one unit of several. */
  readonly name?: string;
  /** Transitions of one unit at one time before the model is called illegitimate; default: 1000. */
  readonly maxTransitions?: number;
  /** Every value that a unit sends. */
  readonly onSend?: (unit: number, port: number, value: unknown) => void;
  /** Every transition, when it is done. */
  readonly onTransition?: (unit: number) => void;
}

/** Everything that a run knows between two phases. Data. */
export interface KernelState {
  readonly time: number;
  readonly index: number;
  readonly isCollected: boolean;
  readonly states: readonly unknown[];
  readonly last: Float64Array;
  readonly next: Float64Array;
  readonly counts: Int32Array;
  /** The component that a tie was decided for, where its output phase is done. */
  readonly chosen?: number;
}

const DEFAULT_LIMIT = 1000;
function needPositive(name: string, value: number): void {
  if (value > 0 && value < Number.POSITIVE_INFINITY) return;
  throw new RangeError(`'${name}' is ${value}; give a number above 0`);
}

export class Kernel {
  readonly model: FlatModel;
  readonly ticksPerSecond: number;
  /** Values for the outputs of the whole model, sent in the last output phase, in order. */
  readonly outbox: MessagePool = new MessagePool(0);
  readonly states: unknown[];
  /** Transitions so far. */
  transitions = 0;
  /** What decides the order of simultaneous events; undefined: the rules of the model. */
  ties: Ties | undefined;
  private chosen = -1;
  private tickIndex = -1;
  private hasCollected = false;
  /** An output phase is being repeated: observers must not see it twice. */
  private isMuted = false;
  /** The time to go to. */
  private readonly next = new Float64Array(1);
  private readonly models: readonly AtomicModel[];
  private readonly outPorts: readonly ReadonlyMap<string, number>[];
  private readonly last: Float64Array;
  private readonly schedule: Schedule;
  private readonly imminent: Int32Array;
  private imminentCount = 0;
  /** Bags of receivers, by unit. */
  private readonly bags: MessagePool;
  private readonly isImminent: Uint8Array;
  private readonly cascade: CascadeWatch;
  private readonly name: string | undefined;
  /** Numbers that change with every event; in an array, where the engine never boxes them. */
  private readonly clock = new Float64Array(3);
  private readonly input: KernelInput;
  private readonly send: AnySend = (port, value) => this.deliver(port, value);
  private readonly isDue = (unit: number): boolean =>
    this.schedule.times[unit] === this.clock[TIME];
  private readonly failSelect = (path: string, mistake: Mistake): never => {
    const unit = this.name === undefined ? path : `${this.name}: ${path}`;
    throw devsFailure({ unit, call: "select", time: this.seconds, ...mistake });
  };
  private readonly onSend: KernelOptions["onSend"];
  private readonly onTransition: KernelOptions["onTransition"];
  private readonly isClassic: boolean;
  /** The unit and function under way, for messages. */
  private current = 0;
  private call = "";

  constructor(model: FlatModel, options: KernelOptions = {}) {
    const { units } = model;
    this.model = model;
    this.ticksPerSecond = options.ticksPerSecond ?? DEFAULT_TICKS_PER_SECOND;
    const limit = options.maxTransitions ?? DEFAULT_LIMIT;
    needPositive("ticksPerSecond", this.ticksPerSecond);
    needPositive("maxTransitions", limit);
    this.name = options.name;
    this.onSend = options.onSend;
    this.onTransition = options.onTransition;
    this.isClassic = model.semantics === "classic";
    this.models = units.map((unit) => unit.model);
    this.outPorts = units.map(({ outputs }) => new Map(outputs.map((name, p) => [name, p])));
    this.states = new Array<unknown>(units.length).fill(undefined);
    this.last = new Float64Array(units.length);
    this.schedule = new Schedule(model.rank, !this.isClassic);
    this.imminent = new Int32Array(units.length);
    this.isImminent = new Uint8Array(units.length);
    this.cascade = new CascadeWatch(limit, this.clock, this.last);
    this.bags = new MessagePool(units.length);
    const inPorts = units.map(({ inputs }) => new Map(inputs.map((name, p) => [name, p])));
    this.input = new KernelInput(this, this.bags, this.clock, inPorts);
  }

  /** Ticks of the present instant. */
  get time(): number {
    return this.clock[TIME];
  }

  /** Position among the steps at the present time. */
  get index(): number {
    return this.tickIndex;
  }

  get seconds(): number {
    return this.clock[SECONDS];
  }

  /** Ticks of the next internal event; Infinity: there is none. */
  get nextTime(): number {
    this.schedule.findNext(this.clock, this.next);
    return this.next[0];
  }

  /** Ticks of the next internal event of a unit; Infinity: there is none. */
  dueOf(unit: number): number {
    return this.schedule.times[unit];
  }

  get isCollected(): boolean {
    return this.hasCollected;
  }

  /** Puts every unit into its initial state. */
  initialize(startSeconds: number): void {
    const start = startTicks(startSeconds, this.ticksPerSecond);
    this.tickIndex = -1;
    this.clock[TIME] = start;
    this.updateSeconds();
    this.hasCollected = false;
    this.cascade.reset();
    this.transitions = 0;
    this.forgetBags();
    try {
      for (let i = 0; i < this.models.length; i++) {
        const model = this.models[i];
        this.at(i, "initial");
        this.states[i] = copyData(model.initial());
        this.last[i] = start - toTicks(model.initialElapsed, this.ticksPerSecond);
        this.clock[ELAPSED] = start - this.last[i];
        this.plan(i);
        this.at(i, "initialElapsed");
        if (this.schedule.times[i] < start) this.fail(elapsedTooLong(model.initialElapsed));
      }
    } catch (error) {
      throw this.failure(error);
    }
    this.schedule.rebuild();
  }

  /** The output phase at `nextTime`, which must not be infinite. */
  collect(): void {
    this.schedule.findNext(this.clock, this.next);
    this.enter();
    this.hasCollected = true;
    try {
      this.findImminent();
      for (let k = 0; k < this.imminentCount; k++) {
        const i = this.imminent[k];
        const model = this.models[i];
        this.isImminent[i] = 1;
        if (model.output === undefined) continue;
        this.at(i, "output");
        this.clock[ELAPSED] = this.clock[TIME] - this.last[i];
        this.input.unit = i;
        const returned: unknown = model.output(this.states[i], this.send, this.input);
        if (returned !== undefined && isPromise(returned)) this.failLater(returned);
      }
    } catch (error) {
      throw this.failure(error);
    }
  }

  /**
   * A value for an input of the whole model, at the present instant, to be taken by the next
   * transition phase.
   */
  inject(port: number, value: unknown): void {
    this.cascade.feed();
    this.route(this.model.inputRoutes, port, value);
  }

  /** The transition phase of what was collected and injected, at `time` in ticks. */
  transition(time: number): void {
    if (!this.hasCollected) {
      this.next[0] = time;
      this.enter();
    }
    this.transit();
  }

  private transit(): void {
    this.hasCollected = false;
    const bags = this.bags;
    if (this.ties !== undefined && !this.isClassic)
      permuteBags(bags, this.ties, this.seconds, this.model);
    try {
      for (let k = 0; k < this.imminentCount; k++) this.transitImminent(this.imminent[k]);
      for (let k = 0; k < bags.ownerCount; k++) {
        const i = bags.owners[k];
        if (this.isImminent[i] === 0) this.transitExternal(i);
      }
    } catch (error) {
      throw this.failure(error);
    }
    this.forgetBags();
    if (this.cascade.isWatching) this.judge();
  }

  /**
   * The next phase will be at this instant, which must not be after the next event: for a model
   * that is one part of several (parallel/).
   */
  approach(time: number, index: number): void {
    this.clock[TIME] = time;
    this.tickIndex = index - 1;
    this.updateSeconds();
  }

  /** One index of superdense time at the next event. */
  step(): void {
    this.collect();
    this.transit();
  }

  /** All steps up to and including `until`, in ticks. */
  run(until: number): void {
    for (;;) {
      this.schedule.findNext(this.clock, this.next);
      if (this.next[0] > until || this.next[0] === Number.POSITIVE_INFINITY) return;
      this.step();
    }
  }

  /** A copy of everything; between phases only. */
  save(): KernelState {
    const states = this.states.map((state, i) => {
      try {
        return copyData(state);
      } catch (error) {
        throw devsFailure({
          unit: this.nameOf(i),
          call: "save",
          time: this.seconds,
          problem: `its state is not data: ${(error as Error).message}`,
          fix: "keep numbers, strings, booleans, bigints, typed arrays, and arrays and plain objects of them in it",
        });
      }
    });
    return {
      time: this.time,
      index: this.tickIndex,
      isCollected: this.hasCollected,
      states,
      last: this.last.slice(),
      next: this.schedule.times.slice(),
      counts: this.cascade.counts.slice(),
      ...(this.ties !== undefined && this.hasCollected ? { chosen: this.chosen } : {}),
    };
  }

  /**
   * Back to `saved`, which can be used again. An output phase that was done is done again,
   * unobserved.
   */
  restore(saved: KernelState): void {
    saved.states.forEach((state, i) => {
      this.states[i] = copyData(state);
    });
    this.last.set(saved.last);
    this.schedule.times.set(saved.next);
    this.schedule.rebuild();
    this.cascade.reset();
    this.cascade.counts.set(saved.counts);
    this.hasCollected = false;
    this.forgetBags();
    this.clock[TIME] = saved.time;
    this.tickIndex = saved.isCollected ? saved.index - 1 : saved.index;
    this.updateSeconds();
    this.isMuted = true;
    this.chosen = saved.chosen ?? -1;
    if (saved.isCollected) this.collect();
    this.isMuted = false;
  }

  private at(unit: number, call: string): void {
    this.current = unit;
    this.call = call;
  }

  private updateSeconds(): void {
    this.clock[SECONDS] = toSeconds(this.clock[TIME], this.ticksPerSecond);
  }

  /** To the time in `next`. */
  private enter(): void {
    this.tickIndex = this.next[0] > this.clock[TIME] ? 0 : this.tickIndex + 1;
    this.clock[TIME] = this.next[0];
    this.updateSeconds();
  }

  private forgetBags(): void {
    for (let k = 0; k < this.imminentCount; k++) this.isImminent[this.imminent[k]] = 0;
    this.imminentCount = 0;
    this.bags.clear();
    this.outbox.clear();
  }

  private findImminent(): void {
    if (!this.isClassic) {
      this.imminentCount = this.schedule.imminent(this.clock, this.imminent);
      return;
    }
    const { select } = this.model;
    const first =
      select === undefined
        ? this.schedule.first
        : selectImminent(select, this.isDue, this.failSelect);
    this.imminent[0] = this.ties === undefined ? first : this.decide(first, this.ties);
    this.imminentCount = 1;
  }

  /** A choice that was made before a restore stays as it was. */
  private decide(first: number, ties: Ties): number {
    if (this.isMuted && this.chosen >= 0) return this.chosen;
    const count = this.schedule.imminent(this.clock, this.imminent);
    const imminent = this.imminent.subarray(0, count);
    this.chosen = chooseImminent(ties, this.seconds, this.model, imminent, first);
    return this.chosen;
  }

  private deliver(port: string, value: unknown): void {
    const i = this.current;
    if (this.call !== "output") this.fail(sentInTransition(port));
    const p = this.outPorts[i].get(port);
    if (p === undefined) this.fail(unknownOutput(port, this.model.units[i].outputs));
    if (value === undefined) this.fail(absentSent(port));
    if (this.onSend !== undefined && !this.isMuted) this.onSend(i, p!, value);
    this.route(this.model.routes, this.model.outBase[i] + p!, value);
  }

  private route(routes: Routes, row: number, value: unknown): void {
    const end = routes.start[row + 1];
    for (let r = routes.start[row]; r < end; r++) {
      const map = routes.map[r];
      const translated = map === undefined ? value : map(value);
      if (translated === undefined) continue;
      const target = routes.target[r];
      if (target < 0) this.outbox.add(-1, -1 - target, translated);
      else {
        this.bags.add(target, routes.port[r], translated);
        if (this.cascade.isWatching) this.cascade.sent(this.current, target);
      }
    }
  }

  private transitImminent(i: number): void {
    const model = this.models[i];
    const hasInput = this.bags.has(i);
    this.cascade.count(i, this.last[i] === this.clock[TIME]);
    this.clock[ELAPSED] = this.clock[TIME] - this.last[i];
    this.input.unit = i;
    if (hasInput && model.confluent !== undefined && !this.isClassic) {
      this.at(i, "confluent");
      this.put(i, model.confluent(this.states[i], this.input));
    } else if (hasInput && this.takesFirst(i)) {
      this.at(i, "external");
      this.put(i, model.external!(this.states[i], this.input));
      this.at(i, "internal");
      this.put(i, model.internal!(this.states[i], this.input));
    } else {
      this.at(i, "internal");
      if (model.internal === undefined) this.fail(NO_INTERNAL);
      this.put(i, model.internal!(this.states[i], this.input));
      if (hasInput && model.external !== undefined) {
        this.at(i, "external");
        this.clock[ELAPSED] = 0;
        this.put(i, model.external(this.states[i], this.input));
      }
    }
    this.finish(i);
  }

  /**
   * Whether an imminent unit, in a check of confluence, has its external transition before the
   * internal one.
   */
  private takesFirst(i: number): boolean {
    const { external, internal } = this.models[i];
    if (this.ties === undefined || this.isClassic || !external || !internal) return false;
    return isExternalFirst(this.ties, this.seconds, this.model.units[i].path);
  }

  private transitExternal(i: number): void {
    const { external } = this.models[i];
    if (external === undefined) return;
    this.cascade.count(i, this.last[i] === this.clock[TIME]);
    this.clock[ELAPSED] = this.clock[TIME] - this.last[i];
    this.input.unit = i;
    this.at(i, "external");
    this.put(i, external(this.states[i], this.input));
    this.finish(i);
  }

  private put(i: number, next: unknown): void {
    if (next === undefined) return;
    if (isPromise(next)) this.failLater(next);
    this.states[i] = next;
  }

  /** A transition of unit i is done. */
  private finish(i: number): void {
    this.last[i] = this.clock[TIME];
    this.clock[ELAPSED] = 0;
    this.plan(i);
    this.transitions++;
    this.onTransition?.(i);
  }

  /** tn := tl + ta. */
  private plan(i: number): void {
    const { times } = this.schedule;
    this.at(i, "timeAdvance");
    this.input.unit = i;
    const delay = this.models[i].timeAdvance(this.states[i], this.input);
    if (delay === Number.POSITIVE_INFINITY) times[i] = delay;
    else {
      if (typeof delay !== "number" || !(delay >= 0)) this.fail(badTimeAdvance(delay));
      times[i] = this.last[i] + toTicks(delay, this.ticksPerSecond);
      if (times[i] > MAX_TICKS) this.fail(beyondTicks(delay, MAX_TICKS, this.ticksPerSecond));
    }
    this.schedule.moved(i, this.clock);
  }

  private judge(): void {
    const isOver = this.nextTime > this.clock[TIME];
    const found = this.cascade.verdict(isOver, (unit) => this.nameOf(unit));
    if (found === undefined) return;
    throw devsFailure({
      unit: this.nameOf(found.unit),
      call: "transition",
      time: this.seconds,
      problem: found.problem,
      fix: "let time pass on the way round (delays below half a tick are zero), or let the cascade end; 'maxTransitions' allows more of them",
    });
  }

  /**
   * A unit as messages call it: its path, under the name of the model where that is one unit of
   * several.
   */
  private nameOf(i: number): string {
    const { units, isAtomic } = this.model;
    const path = units[i]?.path ?? "";
    if (this.name === undefined) return path;
    return isAtomic || path === "" ? this.name : `${this.name}.${path}`;
  }

  private failure(error: unknown): unknown {
    return authorFailure(error, {
      unit: this.nameOf(this.current),
      call: this.call,
      time: this.seconds,
    });
  }

  /** What the promise comes to concerns nobody any more. */
  private failLater(promise: unknown): never {
    (promise as Promise<unknown>).catch(() => undefined);
    return this.fail(asynchronous(this.call));
  }

  private fail(mistake: Mistake): never {
    const unit = this.nameOf(this.current);
    throw devsFailure({ unit, call: this.call, time: this.seconds, ...mistake });
  }
}
