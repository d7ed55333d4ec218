/**
 * The life cycle of a unit over an FMU instance: what FMI 2 and FMI 3 have in common.
 * The subclasses know the functions of their version; the code above them never writes `fmi2…` or `fmi3…`.
 */
import { portSize, type UnitDescription } from "../../model/unit-description.ts";
import type { Banks } from "../../model/value-type.ts";
import { conditionsOf, type Predicate, type Stop, timeBound } from "../../unit/predicate.ts";
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
} from "../../unit/unit.ts";
import type { CallTable } from "./calls.ts";
import { differentiate, getOutputDerivatives } from "./derivatives.ts";
import { isSteady } from "./float-proof.ts";
import { FmiInstance, isFine, Status } from "./fmi-instance.ts";
import { type CallNames, exchangeCall, type TypedVersion } from "./fmi-version.ts";
import { GivenValues } from "./given-values.ts";
import { type MachineAccess, ROUNDING } from "./machine-access.ts";
import { bytesOf } from "./native-memory.ts";
import type { NativeUnitOptions, UnitSource } from "./native-options.ts";
import { NativeSnapshot, packSnapshot, unpackSnapshot } from "./native-snapshot.ts";
import {
  cachedAccess,
  type Group,
  load,
  makeAccess,
  type NativeAccess,
  type TransferContext,
  unload,
} from "./transfer.ts";
import { ValueChecks } from "./value-checks.ts";
import { refuseUnwritable } from "./writable.ts";

const ALIVE: readonly Phase[] = ["instantiated", "initialization", "step", "event", "terminated"];
const READABLE: readonly Phase[] = ["initialization", "step", "event", "terminated"];
const WRITABLE: readonly Phase[] = ["instantiated", "initialization", "step", "event"];
const DIFFERENTIABLE: readonly Phase[] = ["initialization", "step", "event"];

export abstract class NativeUnit<Table extends CallTable> implements Unit {
  readonly name: string;
  readonly description: UnitDescription;
  protected readonly fmi: FmiInstance<Table>;
  /** Handed out by every `advance`. */
  protected readonly stop: Stop = { reason: "time", port: -1, time: 0 };
  private readonly transfer: TransferContext;
  private readonly names: CallNames<keyof Table & string>;
  protected readonly logged: Int32Array;
  private readonly onDispose: () => void;
  private readonly file: string;
  private readonly snapshots = new Set<NativeSnapshot>();
  private readonly given: GivenValues;
  private readonly checks: ValueChecks<Table>;
  private readonly ownAccesses = new Map<string, NativeAccess>();
  private currentPhase: Phase = "instantiated";
  /** The first step's size, NaN before it; undefined for FMUs that take any. */
  private constantStep: number | undefined;

  constructor(source: UnitSource, version: TypedVersion<Table>, options: NativeUnitOptions) {
    this.description = source.description;
    this.name = options.name ?? source.description.name;
    this.fmi = new FmiInstance(source.library, source.fmu, version, this.name, options);
    this.given = new GivenValues(source.description.ports);
    this.checks = new ValueChecks(this.fmi, source.description.ports);
    this.names = version.names;
    this.logged = this.fmi.logged;
    this.onDispose = source.onDispose;
    this.file = source.file;
    const { variables } = source.fmu.description;
    this.transfer = {
      description: source.description,
      arena: this.fmi.arena,
      version,
      referenceOf: (port) => variables[port].valueReference,
      functionOf: (name) => this.fmi.calls[name],
    };
  }

  get phase(): Phase {
    return this.currentPhase;
  }

  // What a version provides.

  protected abstract instantiate(): void;
  /** FMI 2: what comes before any value is set. */
  protected callSetupExperiment(_options: InitializationOptions): void {}
  protected abstract callEnterInitialization(options: InitializationOptions): void;
  /** Takes the step and fills `stop` and `fmi.time`. */
  protected abstract callStep(from: number, to: number): void;
  /** The second half of `callStep`: what follows from the status. */
  protected abstract settleStep(from: number, to: number, status: number): void;
  /** Gets or sets the values of a group; the status is the caller's to judge. */
  protected abstract getQuietly(group: Group): number;
  protected abstract setQuietly(group: Group): number;

  // What only one version has; the capabilities keep the other from getting here.

  protected callEnterEventMode(): void {}
  protected callUpdateDiscreteStates(): DiscreteUpdate {
    throw new CapabilityError(this.name, "event mode");
  }
  protected callEnterStepMode(): void {}
  protected callSetInputDerivatives(
    _ports: readonly number[],
    _orders: readonly number[],
    _values: Float64Array,
  ): void {}
  protected afterInstantiation(): void {}
  protected afterFree(): void {}

  private get(group: Group): void {
    const status = this.getQuietly(group);
    if (status !== Status.ok || this.logged[0] !== this.logged[1])
      this.fmi.settle(exchangeCall(this.fmi.version, "Get", group.family), status);
  }

  protected callSet(group: Group): void {
    const status = this.setQuietly(group);
    if (status !== Status.ok || this.logged[0] !== this.logged[1])
      this.fmi.settle(exchangeCall(this.fmi.version, "Set", group.family), status);
  }

  /** Called once, by the caller that made the unit; an FMU that refuses leaves nothing behind. */
  open(): this {
    try {
      this.instantiate();
      this.afterInstantiation();
    } catch (error) {
      if (this.fmi.handle === 0) {
        this.currentPhase = "disposed";
        this.cleanUp();
      } else this.dispose();
      throw error;
    }
    return this;
  }

  enterInitialization(options: InitializationOptions): void {
    this.require("enterInitialization", ["instantiated"]);
    this.fmi.time = options.start;
    this.constantStep = this.description.capabilities.variableStep ? undefined : Number.NaN;
    this.callSetupExperiment(options);
    this.handOver("before");
    this.callEnterInitialization(options);
    this.handOver("after");
    this.currentPhase = "initialization";
  }

  /** Gives the FMU what was written before initialization. */
  private handOver(when: "before" | "after"): void {
    for (const { slots, banks } of this.given.take(when)) this.set(this.access(slots), banks);
  }

  exitInitialization(): void {
    this.require("exitInitialization", ["initialization"]);
    this.fmi.invoke(this.names.exitInitialization);
    this.currentPhase = this.description.capabilities.eventMode ? "event" : "step";
    for (const lost of this.given.lost((slots, into) => this.lookAt(this.access(slots), into)))
      this.fmi.report("binary-parameter-lost", { unit: this.name, ...lost });
  }

  advance(from: number, until: Predicate): Stop {
    if (this.currentPhase !== "step" || this.fmi.failure !== undefined)
      this.require("advance", ["step"]);
    const to = until.kind === "time" ? until.time : this.boundOf(until);
    if (from !== this.fmi.time)
      throw new Error(
        `'${this.name}' is at t=${this.fmi.time}, so it cannot advance from t=${from}`,
      );
    if (!(to > from && to < Number.POSITIVE_INFINITY))
      throw new Error(`'${this.name}' cannot advance from t=${from} until t=${to}`);
    this.callStep(from, to);
    return this.stop;
  }

  enterEventMode(): void {
    this.require("enterEventMode", ["step"]);
    this.offer(this.description.capabilities.eventMode, "event mode");
    this.callEnterEventMode();
    this.currentPhase = "event";
  }

  updateDiscreteStates(): DiscreteUpdate {
    this.require("updateDiscreteStates", ["event"]);
    return this.callUpdateDiscreteStates();
  }

  enterStepMode(): void {
    this.require("enterStepMode", ["event"]);
    this.callEnterStepMode();
    this.currentPhase = "step";
  }

  terminate(): void {
    this.require("terminate", ["step", "event"]);
    this.fmi.invoke(this.names.terminate);
    this.currentPhase = "terminated";
  }

  reset(): void {
    this.requireCallable("reset");
    this.fmi.failure = undefined;
    this.fmi.invoke(this.names.reset);
    this.given.forget();
    this.currentPhase = "instantiated";
    this.afterInstantiation();
  }

  dispose(): void {
    if (this.currentPhase === "disposed") return;
    this.currentPhase = "disposed";
    // After fatal not even freeing is allowed, and the FMU may still use what it was given: all of it is left alone.
    if (this.fmi.isFatal) {
      this.onDispose();
      return;
    }
    // Statuses do not matter any more: the instance is gone either way.
    const { calls, handle } = this.fmi;
    for (const { state } of this.snapshots)
      calls[this.names.freeState](handle, this.fmi.word(state));
    this.snapshots.clear();
    calls[this.names.free](handle);
    this.cleanUp();
  }

  bind(slots: readonly PortSlot[]): Access {
    if (this.currentPhase === "disposed")
      throw new PhaseError(this.name, "bind", this.currentPhase, ALIVE);
    return makeAccess(this.transfer, slots);
  }

  read(access: Access, banks: Banks): void {
    if (this.fmi.failure !== undefined || this.currentPhase !== "step")
      this.require("read", READABLE);
    const native = access as NativeAccess;
    if (!native.wasRead) {
      this.readFirst(native, banks);
      return;
    }
    const { groups } = native;
    for (let i = 0; i < groups.length; i++) {
      const group = groups[i];
      this.get(group);
      if (group.bank === "obj") this.checks.checkPointers(group);
      unload(group, banks);
    }
  }

  /** As every other read, but checks that the FMU writes the values. */
  private readFirst(access: NativeAccess, banks: Banks): void {
    for (const group of access.groups) {
      this.checks.getFirst(group, (one) => this.get(one));
      if (group.bank === "obj") this.checks.checkPointers(group);
      unload(group, banks);
    }
    access.wasRead = true;
  }

  write(access: Access, banks: Banks): void {
    const native = access as NativeAccess;
    if (this.fmi.failure !== undefined || native.writableIn !== this.currentPhase)
      this.requireWritable(native);
    if (this.currentPhase === "initialization") this.given.note(native.slots, banks);
    if (this.currentPhase === "instantiated") this.given.keep(native.slots, banks);
    else this.set(native, banks);
  }

  private set({ groups }: NativeAccess, banks: Banks): void {
    for (let i = 0; i < groups.length; i++) {
      const group = groups[i];
      load(group, banks, this.fmi.scratch);
      this.callSet(group);
    }
  }

  /** Reads what the run does not need: an FMU that refuses goes on all the same. */
  private lookAt({ groups }: NativeAccess, into: Banks): boolean {
    for (const group of groups) {
      if (!isFine(this.getQuietly(group))) return false;
      unload(group, into);
    }
    return true;
  }

  save(): Snapshot {
    this.require("save", ALIVE);
    this.offer(this.description.capabilities.rollback, "rollback");
    const state = this.fmi.pointerFrom(this.names.getState, "state");
    const step = this.constantStep ?? Number.NaN;
    const { writes } = this.given;
    return this.keep(new NativeSnapshot(state, this.fmi.time, this.currentPhase, step, writes));
  }

  restore(snapshot: Snapshot): void {
    const own = this.own("restore", snapshot);
    this.fmi.invoke(this.names.setState, own.state);
    this.fmi.failure = undefined;
    this.fmi.time = own.time;
    this.currentPhase = own.phase;
    this.given.writes = own.given;
    if (this.constantStep !== undefined) this.constantStep = own.step;
  }

  release(snapshot: Snapshot): void {
    const own = this.own("release", snapshot);
    this.snapshots.delete(own);
    this.fmi.invoke(this.names.freeState, this.fmi.word(own.state));
  }

  serialize(snapshot: Snapshot): Uint8Array {
    const own = this.own("serialize", snapshot);
    this.offer(this.description.capabilities.serialize, "serialization of its state");
    const size = this.fmi.sizeFrom(this.names.stateSize, own.state);
    this.fmi.scratch.begin(size);
    const block = this.fmi.scratch.take(size);
    this.fmi.invoke(this.names.serialize, own.state, block.address, size);
    return packSnapshot(own, bytesOf(block));
  }

  deserialize(bytes: Uint8Array): Snapshot {
    this.requireCallable("deserialize");
    this.offer(this.description.capabilities.serialize, "serialization of its state");
    const { time, phase, step, given, state } = unpackSnapshot(bytes);
    this.fmi.scratch.begin(state.length);
    const copy = this.fmi.bytes(state);
    const made = this.fmi.pointerFrom(this.names.deserialize, "state", copy, state.length);
    return this.keep(new NativeSnapshot(made, time, phase, step, given));
  }

  directionalDerivative(
    unknowns: readonly number[],
    knowns: readonly number[],
    seed: Float64Array,
    out: Float64Array,
  ): void {
    this.require("directionalDerivative", DIFFERENTIABLE);
    this.offer(this.description.capabilities.directionalDerivatives, "directional derivatives");
    differentiate(this.fmi, this.names.directionalDerivative, unknowns, knowns, seed, out);
  }

  adjointDerivative(
    unknowns: readonly number[],
    knowns: readonly number[],
    seed: Float64Array,
    out: Float64Array,
  ): void {
    this.require("adjointDerivative", DIFFERENTIABLE);
    const call = this.names.adjointDerivative;
    if (call === undefined || !this.description.capabilities.adjointDerivatives)
      throw new CapabilityError(this.name, "adjoint derivatives");
    differentiate(this.fmi, call, unknowns, knowns, seed, out);
  }

  setInputDerivatives(
    ports: readonly number[],
    orders: readonly number[],
    values: Float64Array,
  ): void {
    this.require("setInputDerivatives", ["step"]);
    this.offer(this.description.capabilities.inputDerivativeOrder > 0, "input derivatives");
    this.callSetInputDerivatives(ports, orders, values);
  }

  getOutputDerivatives(
    ports: readonly number[],
    orders: readonly number[],
    out: Float64Array,
  ): void {
    this.require("getOutputDerivatives", ["step"]);
    this.offer(this.description.capabilities.outputDerivativeOrder > 0, "output derivatives");
    const elements = ports.reduce((sum, port) => sum + portSize(this.description.ports[port]), 0);
    getOutputDerivatives(this.fmi, ports, orders, elements, out);
  }

  /** For generated code that makes the calls of a step by itself; valid until `dispose`. */
  machineAccess(): MachineAccess {
    const { fmi } = this;
    return {
      fmu: fmi.fmu,
      version: fmi.version,
      logRing: fmi.logger.ring,
      refusal: fmi.isTraced ? "its calls are logged" : this.machineRefusal(),
      handle: fmi.handle,
      results: fmi.results.address,
      lastCall: fmi.lastCall,
      endsStepOnEvent: this.description.capabilities.eventMode,
      addressOf: (call) => fmi.addressOf(call),
      referenceOf: (port) => this.transfer.referenceOf(port),
      groupsToRead: (access) => (access as NativeAccess).groups,
      groupsToWrite: (access) => {
        this.requireWritable(access as NativeAccess);
        return (access as NativeAccess).groups;
      },
      isReady: () => this.currentPhase === "step" && fmi.failure === undefined,
      time: () => fmi.time,
      moveTo: (time) => {
        fmi.time = time;
      },
      constantStep: () => this.constantStep,
      noRollback: () => this.noRollback,
      settle: (call, status) => fmi.settle(call, status),
      settleStep: (from, to, status) => {
        this.settleStep(from, to, status);
        return this.stop;
      },
      isSteady: () => isSteady(this.file),
      floatStateLeft: (call, found) => fmi.floatStateLeft(call, found),
    };
  }

  /** Why calls from generated code would miss something; undefined where they do not. */
  protected machineRefusal(): string | undefined {
    return undefined;
  }

  /**
   * The standards' noSetFMUStatePriorToCurrentPoint: as long as a snapshot is unreleased, the FMU must expect to be set
   * back.
   */
  protected get noRollback(): 0 | 1 {
    return this.snapshots.size === 0 ? 1 : 0;
  }

  /**
   * FMUs that want constant steps get the very same number each time, though the difference of two communication points
   * varies in its last bits.
   */
  protected stepSize(from: number, to: number): number {
    const size = to - from;
    if (this.constantStep === undefined) return size;
    if (Number.isNaN(this.constantStep)) this.constantStep = size;
    return Math.abs(size - this.constantStep) <= ROUNDING * size ? this.constantStep : size;
  }

  /** An access of our own, kept for the next request of these ports. */
  protected access(slots: readonly PortSlot[]): NativeAccess {
    return cachedAccess(this.ownAccesses, this.transfer, slots);
  }

  private keep(snapshot: NativeSnapshot): NativeSnapshot {
    this.snapshots.add(snapshot);
    return snapshot;
  }

  private own(call: string, snapshot: Snapshot): NativeSnapshot {
    this.requireCallable(call);
    this.offer(this.description.capabilities.rollback, "rollback");
    const own = snapshot as NativeSnapshot;
    if (!this.snapshots.has(own))
      throw new Error(`'${this.name}': the snapshot was released or belongs to another unit`);
    return own;
  }

  private cleanUp(): void {
    this.fmi.releaseMemory();
    this.afterFree();
    this.onDispose();
  }

  private boundOf(until: Predicate): number {
    const { predicates } = this.description.capabilities;
    for (const { kind } of conditionsOf(until)) {
      if (!predicates.includes(kind))
        throw new CapabilityError(this.name, `the predicate '${kind}'`);
    }
    return timeBound(until);
  }

  private requireWritable(access: NativeAccess): void {
    this.require("write", WRITABLE);
    refuseUnwritable(
      this.name,
      this.fmi.fmu.description.variables,
      access.slots,
      this.currentPhase,
    );
    access.writableIn = this.currentPhase;
  }

  private require(call: string, allowed: readonly Phase[]): void {
    if (!allowed.includes(this.currentPhase))
      throw new PhaseError(this.name, call, this.currentPhase, allowed);
    const { failure } = this.fmi;
    if (failure === undefined) return;
    const way = this.fmi.isFatal ? "dispose it" : "restore a snapshot, reset or dispose it";
    throw new Error(
      `'${this.name}' cannot ${call}: ${failure.call} returned ${failure.status} before; ${way}`,
    );
  }

  /** For what is allowed in every phase, and after an error too. */
  private requireCallable(call: string): void {
    if (this.currentPhase === "disposed" || this.fmi.isFatal) this.require(call, ALIVE);
  }

  private offer(offered: boolean, capability: string): void {
    if (!offered) throw new CapabilityError(this.name, capability);
  }
}
