/**
 * What all units written in TypeScript share: life cycle, time, transfer of values, snapshots,
 * derivatives.
 *
 * Everything such a unit knows lives in three banks, its `store`: first the ports' elements in port
 * order, then (f64 only) the time, a slope for every f64 element of an input, and what the concrete
 * unit needs. So rollback is a copy, and one difference kernel gives derivatives with respect to
 * anything. A concrete unit says how outputs follow (`evaluate`) and how it moves in time
 * (`proceed`).
 */
import { type Port, portSize, type UnitDescription } from "../model/unit-description.ts";
import { type Banks, bankOf, makeBanks } from "../model/value-type.ts";
import { directionalDifference } from "../numerics/differences.ts";
import { fillBanks } from "./banks.ts";
import {
  type BoundAccess,
  bindPorts,
  copyIn,
  copyOut,
  type LastWritable,
  putStart,
} from "./port-access.ts";
import {
  conditionsOf,
  type Predicate,
  type Stop,
  type StopReason,
  timeBound,
} from "./predicate.ts";
import { type BankSnapshot, decodeSnapshot, encodeSnapshot, takeSnapshot } from "./snapshot.ts";
import {
  type Access,
  CapabilityError,
  type DiscreteUpdate,
  type InitializationOptions,
  type Phase,
  PhaseError,
  type PortSlot,
  type Snapshot,
  type Unit,
} from "./unit.ts";

export type Condition = ReturnType<typeof conditionsOf>[number];

const NO_CONDITIONS: readonly Condition[] = [];
const READABLE: readonly Phase[] = ["initialization", "step", "event", "terminated"];
const WRITABLE: readonly Phase[] = ["instantiated", "initialization", "step", "event"];
const ALIVE: readonly Phase[] = [...WRITABLE, "terminated"];

export interface BaseOptions {
  /** f64 entries that the concrete unit keeps besides its ports; all 0 at instantiation. */
  readonly hidden?: number;
  /** Ports that hold states: their start values can be written until the first step. */
  readonly states?: ReadonlySet<number>;
}

export abstract class BaseUnit implements Unit {
  readonly name: string;
  readonly description: UnitDescription;
  /** Where each port's elements begin in the bank of its type. */
  protected readonly offsets: Int32Array;
  protected readonly store: Banks;
  protected readonly timeSlot: number;
  /** Slope of every f64 element of an input, in port order; `inputSlots` has their places. */
  protected readonly slopes: Float64Array;
  protected readonly inputSlots: Int32Array;
  protected readonly hidden: Float64Array;
  protected relativeTolerance: number | undefined;
  private readonly zeroStep: boolean;
  private readonly states: ReadonlySet<number>;
  private readonly fresh: BankSnapshot;
  private readonly live = new Set<Snapshot>();
  private readonly stop: Stop = { reason: "time", port: -1, time: 0 };
  private readonly kept: Float64Array;
  private readonly evaluateNow = (): void => this.evaluate();
  private phaseNow: Phase = "instantiated";
  private outdated = true;
  private lastUntil: Predicate | undefined;
  private lastConditions = NO_CONDITIONS;

  constructor(name: string, description: UnitDescription, options: BaseOptions = {}) {
    this.name = name;
    this.description = description;
    this.zeroStep = description.capabilities.zeroStep === true;
    this.states = options.states ?? new Set();
    const sizes = { f64: 0, i64: 0, obj: 0 };
    const inputs: number[] = [];
    this.offsets = new Int32Array(description.ports.length);
    for (const port of description.ports) {
      const bank = bankOf(port.type);
      this.offsets[port.index] = sizes[bank];
      for (let i = 0; i < portSize(port); i++, sizes[bank]++) {
        if (bank === "f64" && port.direction === "input") inputs.push(sizes.f64);
      }
    }
    this.timeSlot = sizes.f64;
    this.inputSlots = Int32Array.from(inputs);
    const slopesAt = this.timeSlot + 1;
    const hiddenAt = slopesAt + inputs.length;
    this.store = makeBanks({ ...sizes, f64: hiddenAt + (options.hidden ?? 0) });
    this.slopes = this.store.f64.subarray(slopesAt, hiddenAt);
    this.hidden = this.store.f64.subarray(hiddenAt);
    this.kept = new Float64Array(this.store.f64.length);
    for (const port of description.ports) putStart(port, this.offsets[port.index], this.store);
    this.fresh = takeSnapshot(0, "instantiated", this.store);
  }

  /** Computes outputs and locals in the store from states, inputs, parameters and time. */
  protected abstract evaluate(): void;
  /** Moves from `from` to `bound` or to the first of `conditions`, and ends with `stopAt`. */
  protected abstract proceed(from: number, bound: number, conditions: readonly Condition[]): Stop;
  /**
   * Called when initialization ends: the place to derive hidden values from parameters and start
   * values.
   */
  protected begin(): void {}
  /**
   * Writes the time derivative of every state element to `speeds`, at the state's place in the
   * store.
   */
  protected flow(_speeds: Float64Array): void {}
  /**
   * A derivative of an order above 1, of an input by its place among the slopes. Only units that
   * claim such orders get it.
   */
  protected takeCurve(_input: number, _order: number, _value: number): void {}
  /**
   * Exact derivatives of a unit that knows them; false means "use differences". Elements are places
   * in the store.
   */
  protected jacobianProduct(
    _unknowns: readonly number[],
    _knowns: readonly number[],
    _seed: Float64Array,
    _out: Float64Array,
  ): boolean {
    return false;
  }

  get phase(): Phase {
    return this.phaseNow;
  }

  protected get time(): number {
    return this.store.f64[this.timeSlot];
  }
  protected set time(time: number) {
    this.store.f64[this.timeSlot] = time;
  }

  /** The answer of `advance`, always the same object. */
  protected stopAt(reason: StopReason, port: number, time: number): Stop {
    this.time = time;
    this.stop.reason = reason;
    this.stop.port = port;
    this.stop.time = time;
    return this.stop;
  }

  /** The f64 elements from the first port of `from` to the last one of `to`, as one view. */
  protected view(from: number, to: number): Float64Array {
    const { ports } = this.description;
    if (to < from) return this.store.f64.subarray(0, 0);
    const end = this.offsets[to] + portSize(ports[to]);
    return this.store.f64.subarray(this.offsets[from], end);
  }

  enterInitialization(options: InitializationOptions): void {
    if (this.phaseNow !== "instantiated") this.refuse("enterInitialization", ["instantiated"]);
    this.phaseNow = "initialization";
    this.relativeTolerance = options.tolerance;
    this.time = options.start;
    this.outdated = true;
  }

  exitInitialization(): void {
    if (this.phaseNow !== "initialization") this.refuse("exitInitialization", ["initialization"]);
    this.begin();
    this.phaseNow = "step";
    this.outdated = true;
  }

  advance(from: number, until: Predicate): Stop {
    if (this.phaseNow !== "step") this.refuse("advance", ["step"]);
    const bound = timeBound(until);
    const isAhead = bound > from || (bound === from && this.zeroStep);
    if (from !== this.time || !(isAhead && bound < Number.POSITIVE_INFINITY)) {
      this.refuseStep(from, bound);
    }
    const conditions = until.kind === "time" ? NO_CONDITIONS : this.conditionsIn(until);
    this.outdated = true;
    return this.proceed(from, bound, conditions);
  }

  enterEventMode(): void {
    this.need("event mode", this.description.capabilities.eventMode);
  }
  updateDiscreteStates(): DiscreteUpdate {
    throw new CapabilityError(this.name, "event mode");
  }
  enterStepMode(): void {
    this.need("event mode", this.description.capabilities.eventMode);
  }

  terminate(): void {
    if (this.phaseNow !== "step") this.refuse("terminate", ["step", "event"]);
    this.phaseNow = "terminated";
  }

  reset(): void {
    if (this.phaseNow === "disposed") this.refuse("reset", ALIVE);
    fillBanks(this.store, this.fresh.banks);
    this.phaseNow = "instantiated";
    this.outdated = true;
  }

  dispose(): void {
    this.live.clear();
    this.phaseNow = "disposed";
  }

  bind(slots: readonly PortSlot[]): Access {
    if (this.phaseNow === "disposed") this.refuse("bind", ALIVE);
    const { ports } = this.description;
    return bindPorts(this.name, ports, this.offsets, slots, (port) => this.lastWritable(port));
  }

  read(access: Access, banks: Banks): void {
    const phase = this.phaseNow;
    if (phase === "instantiated" || phase === "disposed") this.refuse("read", READABLE);
    this.refresh();
    copyOut(access as BoundAccess, this.store, banks);
  }

  write(access: Access, banks: Banks): void {
    const phase = this.phaseNow;
    if (phase === "terminated" || phase === "disposed") this.refuse("write", WRITABLE);
    const bound = access as BoundAccess;
    if (bound.never >= 0) this.refuseWrite(bound.never);
    if (bound.early >= 0 && phase === "step") this.refuseWrite(bound.early);
    copyIn(bound, banks, this.store);
    this.outdated = true;
  }

  save(): Snapshot {
    if (this.phaseNow === "disposed") this.refuse("save", ALIVE);
    return this.keep(takeSnapshot(this.time, this.phaseNow, this.store));
  }

  restore(snapshot: Snapshot): void {
    if (this.phaseNow === "disposed") this.refuse("restore", ALIVE);
    const saved = this.own(snapshot);
    fillBanks(this.store, saved.banks);
    this.phaseNow = saved.phase;
    this.outdated = true;
  }

  release(snapshot: Snapshot): void {
    if (this.phaseNow === "disposed") this.refuse("release", ALIVE);
    this.live.delete(this.own(snapshot));
  }

  serialize(snapshot: Snapshot): Uint8Array {
    if (this.phaseNow === "disposed") this.refuse("serialize", ALIVE);
    return encodeSnapshot(this.own(snapshot));
  }

  deserialize(bytes: Uint8Array): Snapshot {
    if (this.phaseNow === "disposed") this.refuse("deserialize", ALIVE);
    return this.keep(decodeSnapshot(this.name, bytes, this.store, this.timeSlot));
  }

  directionalDerivative(
    unknowns: readonly number[],
    knowns: readonly number[],
    seed: Float64Array,
    out: Float64Array,
  ): void {
    this.need("directional derivatives", this.description.capabilities.directionalDerivatives);
    this.needDerivativePhase("directionalDerivative");
    this.derive(this.elementsOf(unknowns), this.elementsOf(knowns), seed, out);
  }

  adjointDerivative(
    unknowns: readonly number[],
    knowns: readonly number[],
    seed: Float64Array,
    out: Float64Array,
  ): void {
    this.need("adjoint derivatives", this.description.capabilities.adjointDerivatives);
    this.needDerivativePhase("adjointDerivative");
    const rows = this.elementsOf(unknowns);
    const one = Float64Array.of(1);
    const column = new Float64Array(rows.length);
    this.elementsOf(knowns).forEach((known, j) => {
      this.derive(rows, [known], one, column);
      out[j] = column.reduce((sum, v, i) => sum + v * seed[i], 0);
    });
  }

  setInputDerivatives(
    ports: readonly number[],
    orders: readonly number[],
    values: Float64Array,
  ): void {
    const highest = this.description.capabilities.inputDerivativeOrder;
    this.need("input derivatives", highest > 0);
    if (this.phaseNow !== "step") this.refuse("setInputDerivatives", ["step"]);
    let at = 0;
    for (let i = 0; i < ports.length; i++) {
      const port = this.description.ports[ports[i]];
      if (port?.direction !== "input" || port.variability !== "continuous") {
        throw new RangeError(
          `'${this.name}': port ${port?.name ?? ports[i]} is not a continuous input, so it takes no derivative`,
        );
      }
      const order = orders[i];
      if (order < 1 || order > highest) {
        throw new CapabilityError(this.name, `input derivatives of order ${order}`);
      }
      const first = this.inputSlots.indexOf(this.offsets[port.index]);
      for (let k = 0; k < portSize(port); k++, at++) {
        if (order === 1) this.slopes[first + k] = values[at];
        else this.takeCurve(first + k, order, values[at]);
      }
    }
  }

  getOutputDerivatives(
    ports: readonly number[],
    orders: readonly number[],
    out: Float64Array,
  ): void {
    const highest = this.description.capabilities.outputDerivativeOrder;
    this.need("output derivatives", highest > 0);
    if (this.phaseNow !== "step") this.refuse("getOutputDerivatives", ["step"]);
    const wrong = orders.find((order) => order < 1 || order > highest);
    if (wrong !== undefined) {
      throw new CapabilityError(this.name, `output derivatives of order ${wrong}`);
    }
    const speeds = new Float64Array(this.store.f64.length);
    this.refresh();
    this.flow(speeds);
    speeds[this.timeSlot] = 1;
    this.inputSlots.forEach((slot, i) => {
      speeds[slot] = this.slopes[i];
    });
    const moving = Array.from(speeds.keys()).filter((slot) => speeds[slot] !== 0);
    this.derive(
      this.elementsOf(ports),
      moving,
      Float64Array.from(moving, (slot) => speeds[slot]),
      out,
    );
  }

  /** Brings outputs and locals up to date. */
  protected refresh(): void {
    if (!this.outdated) return;
    this.evaluate();
    this.outdated = false;
  }

  protected need(capability: string, claimed: boolean): void {
    if (this.phaseNow === "disposed") this.refuse(capability, ALIVE);
    if (!claimed) throw new CapabilityError(this.name, capability);
  }

  private derive(
    unknowns: readonly number[],
    knowns: readonly number[],
    seed: Float64Array,
    out: Float64Array,
  ): void {
    this.refresh();
    if (this.jacobianProduct(unknowns, knowns, seed, out)) return;
    const { f64 } = this.store;
    directionalDifference(f64, unknowns, knowns, seed, this.evaluateNow, out, this.kept);
  }

  private conditionsIn(until: Predicate): readonly Condition[] {
    if (until === this.lastUntil) return this.lastConditions;
    const conditions = conditionsOf(until);
    for (const { kind } of conditions) {
      this.need(`the predicate '${kind}'`, this.description.capabilities.predicates.includes(kind));
    }
    this.lastUntil = until;
    this.lastConditions = conditions;
    return conditions;
  }

  private elementsOf(ports: readonly number[]): number[] {
    return ports.flatMap((index) => {
      const port = this.description.ports[index];
      if (port === undefined || bankOf(port.type) !== "f64") {
        throw new RangeError(`'${this.name}': port ${port?.name ?? index} has no derivatives`);
      }
      return Array.from({ length: portSize(port) }, (_, i) => this.offsets[index] + i);
    });
  }

  private lastWritable(port: Port): LastWritable {
    if (this.states.has(port.index)) return "initialization";
    if (port.direction === "input") return "step";
    if (port.direction !== "parameter" || port.variability === "constant") return "never";
    return port.variability === "tunable" ? "step" : "initialization";
  }

  private keep(snapshot: BankSnapshot): Snapshot {
    this.live.add(snapshot);
    return snapshot;
  }

  private own(snapshot: Snapshot): BankSnapshot {
    if (!this.live.has(snapshot)) {
      throw new Error(`'${this.name}': this snapshot was released or belongs to another unit`);
    }
    return snapshot as BankSnapshot;
  }

  private needDerivativePhase(call: string): void {
    const phase = this.phaseNow;
    if (phase !== "step" && phase !== "initialization") {
      this.refuse(call, ["initialization", "step", "event"]);
    }
  }

  private refuse(call: string, allowed: readonly Phase[]): never {
    throw new PhaseError(this.name, call, this.phaseNow, allowed);
  }

  private refuseStep(from: number, bound: number): never {
    if (from !== this.time) {
      throw new RangeError(
        `'${this.name}' is at t=${this.time}, so it cannot advance from t=${from}; restore a snapshot to go back`,
      );
    }
    throw new RangeError(
      `'${this.name}' cannot advance from t=${from} to t=${bound}; the predicate must bound time by a later, finite value`,
    );
  }

  private refuseWrite(index: number): never {
    const { name, direction, variability } = this.description.ports[index];
    throw new Error(
      `'${this.name}': port '${name}' (${variability} ${direction}) cannot be written in phase '${this.phaseNow}'`,
    );
  }
}
