/**
 * A discrete-event model as a unit: it runs next to FMUs, in `scenario.yaml` as a module and in
 * code.
 *
 * With event mode the two phases of the kernel are those of the contract. The unit announces its
 * next event; `advance` stops there; entering event mode computes the outputs (λ), which other
 * units can read before `updateDiscreteStates` takes what they sent in turn and makes the
 * transitions. Every update is one index of superdense time, so units exchange events as components
 * of one model would. One thing a clock cannot say: several values of one port at one index. They
 * follow each other, one per update, before the transitions are made; what arrives meanwhile waits
 * for these.
 *
 * Without event mode the unit does everything that is due within `advance`, and inputs that have
 * changed are events where it begins.
 */
import { DiagnosticsError, unwrap } from "../base/diagnostic.ts";
import { BaseUnit, type Condition } from "../unit/base-unit.ts";
import type { PortSpecs } from "../unit/port-spec.ts";
import { describeUnit } from "../unit/port-spec.ts";
import type { Predicate, Stop } from "../unit/predicate.ts";
import type { TieServices, Ties } from "../unit/ties.ts";
import {
  type DiscreteUpdate,
  type Phase,
  PhaseError,
  type Snapshot,
  type Unit,
} from "../unit/unit.ts";
import {
  type Border,
  type BorderPort,
  borderValue,
  hasTransientPorts,
  makeBorder,
  putBorderValue,
} from "./border.ts";
import { copyData, DataReader, DataWriter, sameData } from "./data.ts";
import { devsFailure } from "./devs-failure.ts";
import { flatten } from "./flatten.ts";
import { Kernel, type KernelState } from "./kernel.ts";
import type { Component } from "./model.ts";
import { toSeconds, toTicks } from "./ticks.ts";
import { modelDelay } from "./zero-delay.ts";

export interface DevsUnitOptions {
  /** The instance's name; default: that of the model. */
  readonly name?: string;
  /** Numbers that the model is made from; they are fixed when initialization ends. */
  readonly parameters?: PortSpecs;
  /** Default: true where some port shows its events with a clock. */
  readonly eventMode?: boolean;
  readonly ticksPerSecond?: number;
  /**
   * Transitions of one component at one time before the model is called illegitimate; default: 500,
   * less than the rounds that masters allow, because the message of the model shows the cycle.
   */
  readonly maxTransitions?: number;
}

const DEFAULT_LIMIT = 500;

/** A model, or what makes one from parameters. Ports must not depend on the parameters. */
export type DevsModel = Component | ((parameters: Readonly<Record<string, number>>) => Component);

/**
 * A unit in phase `instantiated`.
 * @throws DiagnosticsError when the model is wrong, or a port of it does not say what it is
 * outside.
 */
export function devsUnit(model: DevsModel, options: DevsUnitOptions = {}): Unit {
  const { parameters = {} } = options;
  const first = modelFrom(model, (name) => Number(startOf(parameters, name)), parameters);
  unwrap(flatten(first));
  const eventMode = options.eventMode ?? hasTransientPorts(first);
  const { border, diagnostics } = makeBorder(first, parameters, eventMode);
  if (border === undefined) throw new DiagnosticsError(diagnostics);
  return new DevsUnit(model, first, border, eventMode, options);
}

function startOf(parameters: PortSpecs, name: string): unknown {
  const start = parameters[name]?.start ?? 0;
  return Array.isArray(start) ? start[0] : start;
}

function modelFrom(
  model: DevsModel,
  value: (name: string) => number,
  parameters: PortSpecs,
): Component {
  if (typeof model !== "function") return model;
  return model(Object.fromEntries(Object.keys(parameters).map((name) => [name, value(name)])));
}

/** What the unit knows besides its ports and its model. Data. */
interface OwnState {
  isInEvent: boolean;
  /** How many values of a port were shown at this index already. */
  batch: number;
  /** Inputs that arrived and wait for the transitions. */
  pending: { readonly port: number; readonly value: unknown }[];
  /** By input: the held value or count that was last taken. */
  seen: unknown[];
}

interface Saved {
  readonly own: OwnState;
  readonly kernel: KernelState;
}

interface Encoded extends Saved {
  readonly banks: Uint8Array;
}

class DevsUnit extends BaseUnit {
  readonly ties: TieServices = {
    decideBy: (ties) => {
      this.order = ties;
      this.kernel.ties = ties;
    },
  };
  private order: Ties | undefined;
  private readonly make: DevsModel;
  private readonly border: Border;
  private readonly hasEventMode: boolean;
  private readonly options: DevsUnitOptions;
  private readonly saved = new Map<Snapshot, Saved>();
  /** By output: what happened at the present instant, for predicates. */
  private readonly isSent: Uint8Array;
  private readonly isChanged: Uint8Array;
  /** By output: values of the present index that were passed. */
  private readonly shown: Uint32Array;
  private ownState: OwnState;
  private kernel: Kernel;
  private madeFrom: Float64Array | undefined;

  constructor(
    make: DevsModel,
    first: Component,
    border: Border,
    eventMode: boolean,
    options: DevsUnitOptions,
  ) {
    const { name = first.name } = options;
    const description = describeUnit(first, border.ports, {
      eventMode,
      predicates: eventMode ? ["event"] : ["updated", "event"],
      zeroStep: true,
    });
    const minimumDelay = modelDelay(unwrap(flatten(first)));
    super(name, minimumDelay === undefined ? description : { ...description, minimumDelay });
    this.make = make;
    this.border = border;
    this.hasEventMode = eventMode;
    this.options = options;
    this.isSent = new Uint8Array(border.outputs.length);
    this.isChanged = new Uint8Array(border.outputs.length);
    this.shown = new Uint32Array(border.outputs.length);
    this.ownState = { isInEvent: false, batch: 0, pending: [], seen: [] };
    this.kernel = this.makeKernel(first);
  }

  override get phase(): Phase {
    return this.ownState.isInEvent ? "event" : super.phase;
  }

  protected override begin(): void {
    this.prepareKernel();
    this.kernel.initialize(this.time);
    this.ownState = {
      isInEvent: false,
      batch: 0,
      pending: [],
      seen: this.border.inputs.map((input) => this.held(input)),
    };
  }

  override exitInitialization(): void {
    super.exitInitialization();
    if (this.hasEventMode) this.enterEvent();
  }

  /** Values change by transitions only, which put them where they belong. */
  protected override evaluate(): void {}

  override advance(from: number, until: Predicate): Stop {
    if (this.ownState.isInEvent) throw new PhaseError(this.name, "advance", "event", ["step"]);
    return super.advance(from, until);
  }

  protected override proceed(from: number, bound: number, conditions: readonly Condition[]): Stop {
    const kernel = this.kernel;
    const last = toTicks(bound, kernel.ticksPerSecond);
    this.isSent.fill(0);
    this.isChanged.fill(0);
    this.takeHeld(toTicks(from, kernel.ticksPerSecond));
    if (this.hasEventMode) {
      if (kernel.nextTime > last) return this.stopAt("time", -1, bound);
      return this.stopAt("event", -1, this.within(from, bound));
    }
    while (kernel.nextTime <= last) {
      const time = this.within(from, bound);
      this.time = time;
      this.settle();
      for (let i = 0; i < conditions.length; i++) {
        const { kind, port } = conditions[i];
        const flags = kind === "updated" ? this.isChanged : this.isSent;
        if (this.isFlagged(flags, port)) return this.stopAt(kind, port, time);
      }
    }
    return this.stopAt("time", -1, bound);
  }

  override enterEventMode(): void {
    super.enterEventMode();
    if (this.phase !== "step")
      throw new PhaseError(this.name, "enterEventMode", this.phase, ["step"]);
    this.enterEvent();
  }

  override updateDiscreteStates(): DiscreteUpdate {
    if (!this.hasEventMode) return super.updateDiscreteStates();
    if (!this.ownState.isInEvent)
      throw new PhaseError(this.name, "updateDiscreteStates", this.phase, ["event"]);
    const kernel = this.kernel;
    const now = Math.max(kernel.time, toTicks(this.time, kernel.ticksPerSecond));
    this.takeTicks();
    this.queueHeld();
    this.clearClocks();
    this.ownState.batch++;
    const hasMore = kernel.isCollected && this.show(this.ownState.batch);
    if (!hasMore) {
      this.transit(now);
      this.ownState.batch = 0;
      if (kernel.nextTime <= now) {
        kernel.collect();
        this.show(0);
      }
    }
    const next = kernel.nextTime;
    return {
      again: hasMore || kernel.isCollected,
      terminate: false,
      nominalsChanged: false,
      statesChanged: false,
      nextEventTime:
        next === Number.POSITIVE_INFINITY ? undefined : toSeconds(next, kernel.ticksPerSecond),
    };
  }

  override enterStepMode(): void {
    super.enterStepMode();
    if (!this.ownState.isInEvent)
      throw new PhaseError(this.name, "enterStepMode", this.phase, ["event"]);
    this.ownState.isInEvent = false;
    this.clearClocks();
  }

  override terminate(): void {
    super.terminate();
    this.ownState.isInEvent = false;
  }

  override reset(): void {
    super.reset();
    this.ownState.isInEvent = false;
  }

  override dispose(): void {
    super.dispose();
    this.ownState.isInEvent = false;
    this.saved.clear();
  }

  override save(): Snapshot {
    const snapshot = super.save();
    this.saved.set(snapshot, { own: copyData(this.ownState), kernel: this.kernel.save() });
    return snapshot;
  }

  override restore(snapshot: Snapshot): void {
    super.restore(snapshot);
    const { own, kernel } = this.saved.get(snapshot)!;
    this.prepareKernel();
    this.ownState = copyData(own);
    this.kernel.restore(kernel);
  }

  override release(snapshot: Snapshot): void {
    super.release(snapshot);
    this.saved.delete(snapshot);
  }

  override serialize(snapshot: Snapshot): Uint8Array {
    const banks = super.serialize(snapshot);
    const writer = new DataWriter();
    writer.value({ banks, paths: this.paths, ...this.saved.get(snapshot)! });
    return writer.done();
  }

  override deserialize(bytes: Uint8Array): Snapshot {
    if (super.phase === "disposed") return super.deserialize(bytes);
    const read = this.decode(bytes);
    const snapshot = super.deserialize(read.banks);
    this.saved.set(snapshot, read);
    return snapshot;
  }

  private decode(bytes: Uint8Array): Encoded {
    try {
      const reader = new DataReader(bytes);
      const read = reader.value() as Encoded & { readonly paths: unknown };
      if (reader.isAtEnd && sameData(read.paths, this.paths)) return read;
    } catch {
      // Whatever is wrong with the bytes, the answer is the same.
    }
    throw new Error(
      `'${this.name}': these bytes are not a snapshot of it; pass what serialize() of the same model gave`,
    );
  }

  /**
   * Makes the model again where it was made from other parameters. Parameters are the first ports.
   */
  private prepareKernel(): void {
    if (typeof this.make !== "function") return;
    const { parameters = {} } = this.options;
    const names = Object.keys(parameters);
    const values = this.store.f64.slice(0, names.length);
    if (sameData(values, this.madeFrom)) return;
    this.madeFrom = values;
    const value = (name: string): number => values[names.indexOf(name)];
    this.kernel = this.makeKernel(modelFrom(this.make, value, parameters));
  }

  /** Which components the state belongs to. */
  private get paths(): readonly string[] {
    return this.kernel.model.units.map(({ path }) => path);
  }

  private makeKernel(model: Component): Kernel {
    const { ticksPerSecond, maxTransitions = DEFAULT_LIMIT } = this.options;
    const kernel = new Kernel(unwrap(flatten(model)), {
      name: this.name,
      ...(ticksPerSecond === undefined ? {} : { ticksPerSecond }),
      maxTransitions,
    });
    kernel.ties = this.order;
    return kernel;
  }

  /** The time of the next event, which is due: rounding to ticks must not lead out of the step. */
  private within(from: number, bound: number): number {
    const { nextTime, ticksPerSecond } = this.kernel;
    return Math.min(Math.max(from, toSeconds(nextTime, ticksPerSecond)), bound);
  }

  private enterEvent(): void {
    const kernel = this.kernel;
    this.ownState.isInEvent = true;
    this.ownState.batch = 0;
    if (kernel.nextTime > toTicks(this.time, kernel.ticksPerSecond)) return;
    kernel.collect();
    this.show(0);
  }

  /** All steps at the present time, without event mode. */
  private settle(): void {
    const kernel = this.kernel;
    this.isSent.fill(0);
    this.isChanged.fill(0);
    const now = kernel.nextTime;
    while (kernel.nextTime <= now) {
      kernel.collect();
      for (let batch = 0; this.show(batch); batch++);
      kernel.transition(now);
    }
  }

  /** Shows the values that are number `batch` of their port. @returns whether there are any. */
  private show(batch: number): boolean {
    const { outbox } = this.kernel;
    const counts = this.shown.fill(0);
    let isShown = false;
    for (let m = 0; m < outbox.count; m++) {
      const port = outbox.ports[m];
      if (counts[port]++ !== batch) continue;
      isShown = true;
      this.put(this.border.outputs[port], outbox.values[m]);
    }
    return isShown;
  }

  private put(output: BorderPort, value: unknown): void {
    const { f64 } = this.store;
    this.isSent[output.port] = 1;
    if (output.clock >= 0) f64[this.offsets[output.clock]] = 1;
    if (output.value < 0) return;
    const slot = this.offsets[output.value];
    const port = this.description.ports[output.value];
    const before = borderValue(this.store, port, slot, output.items);
    if (output.isSignal) f64[slot]++;
    else {
      const problem = putBorderValue(this.store, port, slot, value, output.items);
      if (problem !== undefined) {
        throw devsFailure({
          unit: this.name,
          call: "output",
          time: this.time,
          problem: `the value ${String(value)} at port '${output.name}' ${problem}`,
          fix: "send values of the declared type, or translate them in the coupling",
        });
      }
    }
    const after = borderValue(this.store, port, slot, output.items);
    if (!sameData(before, after)) this.isChanged[output.port] = 1;
  }

  private clearClocks(): void {
    for (const { clock } of this.border.outputs)
      if (clock >= 0) this.store.f64[this.offsets[clock]] = 0;
  }

  /** Input clocks that tick: an event with the value that lies there, and the clock rests again. */
  private takeTicks(): void {
    const { f64 } = this.store;
    for (const input of this.border.inputs) {
      if (input.clock < 0 || f64[this.offsets[input.clock]] === 0) continue;
      f64[this.offsets[input.clock]] = 0;
      this.ownState.pending.push({ port: input.port, value: this.value(input) });
    }
  }

  /** Held inputs and counters that are not what they were: events. */
  private queueHeld(): void {
    const { inputs } = this.border;
    for (let k = 0; k < inputs.length; k++) {
      const input = inputs[k];
      if (input.clock >= 0) continue;
      const now = this.held(input);
      const before = this.ownState.seen[k];
      if (sameData(now, before)) continue;
      this.ownState.seen[k] = now;
      // A counter that grew by several stands for several events; one that was reset, for one.
      const events = input.isSignal ? Math.max(1, Number(now) - Number(before)) : 1;
      for (let e = 0; e < events; e++)
        this.ownState.pending.push({ port: input.port, value: this.value(input) });
    }
  }

  /** Between events: inputs that changed, at the beginning of a step. */
  private takeHeld(now: number): void {
    const kernel = this.kernel;
    // With event mode an event that is due comes first, and takes the inputs along.
    if (this.hasEventMode && kernel.nextTime <= now) return;
    this.queueHeld();
    if (this.ownState.pending.length === 0) return;
    if (kernel.nextTime <= now) {
      kernel.collect();
      for (let batch = 0; this.show(batch); batch++);
    }
    this.transit(Math.max(now, kernel.time));
  }

  /** The transitions at `now` in ticks, with everything that arrived. */
  private transit(now: number): void {
    const kernel = this.kernel;
    const { pending } = this.ownState;
    if (!kernel.isCollected && pending.length === 0) return;
    for (const { port, value } of pending) kernel.inject(port, value);
    pending.length = 0;
    kernel.transition(now);
  }

  /** What is stored of an input without a clock, for comparison. */
  private held({ value, clock, items }: BorderPort): unknown {
    if (value < 0 || clock >= 0) return undefined;
    return borderValue(this.store, this.description.ports[value], this.offsets[value], items);
  }

  private value({ name, value, isSignal, items }: BorderPort): unknown {
    if (isSignal) return true;
    const port = this.description.ports[value];
    const found = borderValue(this.store, port, this.offsets[value], items);
    if (found !== undefined) return found;
    throw devsFailure({
      unit: this.name,
      call: "write",
      time: this.time,
      problem: `input '${name}' is ${this.store.f64[this.offsets[value]]}, which is not the number of an item`,
      fix: `give it 1 (${items?.[0]}) to ${items?.length} (${items?.at(-1)})`,
    });
  }

  private isFlagged(flags: Uint8Array, port: number): boolean {
    if (port < 0) return flags.includes(1);
    return this.border.outputs.some(
      (output) => flags[output.port] === 1 && (output.value === port || output.clock === port),
    );
  }
}
