/**
 * The life cycle of a unit over an FMU instance: what FMI 2 and FMI 3 have in common. The
 * subclasses know the functions of their version; the code above them never writes `fmi2…` or
 * `fmi3…`.
 */
import type { FmiInterfaceName } from "../../model/integrator.ts";
import { portSize, type UnitDescription } from "../../model/unit-description.ts";
import type { Banks } from "../../model/value-type.ts";
import type { Predicate, Stop } from "../../unit/predicate.ts";
import {
  type Access,
  CapabilityError,
  type DiscreteUpdate,
  type InitializationOptions,
  type Phase,
  PhaseError,
  type PortSlot,
  type Snapshot,
  type Stage,
  type StageParts,
  type Unit,
} from "../../unit/unit.ts";
import type { CallTable } from "./calls.ts";
import { differentiate, OutputDerivatives } from "./derivatives.ts";
import { isSteady } from "./float-proof.ts";
import { FmiInstance, isFine } from "./fmi-instance.ts";
import type { CallNames, TypedVersion } from "./fmi-version.ts";
import { GivenValues } from "./given-values.ts";
import { StateCalls, StepCall } from "./hot-calls.ts";
import type { InputFollower } from "./input-follower.ts";
import { type MachineAccess, ROUNDING } from "./machine-access.ts";
import type { Address } from "./native-memory.ts";
import type { NativeUnitOptions, UnitSource } from "./native-options.ts";
import {
  LivingSnapshots,
  NativeSnapshot,
  packSnapshot,
  unpackSnapshot,
} from "./native-snapshot.ts";
import { canBeStaged, NativeStage, type SlopeCall } from "./native-stage.ts";
import { NativeValues } from "./native-values.ts";
import type { NativeAccess } from "./transfer.ts";
import { boundOf, refuseUnwritable } from "./writable.ts";

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
  protected readonly values: NativeValues<Table>;
  protected readonly names: CallNames<keyof Table & string>;
  protected readonly logged: Int32Array;
  protected readonly interface: FmiInterfaceName;
  private outputDerivatives: OutputDerivatives<Table> | undefined;
  private readonly onDispose: () => void;
  private readonly file: string;
  private stepCall: StepCall<Table> | undefined;
  private stateCalls: StateCalls<Table> | undefined;
  /** Where it was before it was to go back. */
  private timeBefore = 0;
  private readonly snapshots = new LivingSnapshots();
  private readonly given: GivenValues;
  private currentPhase: Phase = "instantiated";
  /** The first step's size, NaN before it; undefined for FMUs that take any. */
  private constantStep: number | undefined;

  constructor(source: UnitSource, version: TypedVersion<Table>, options: NativeUnitOptions) {
    this.description = source.description;
    this.name = options.name ?? source.description.name;
    this.fmi = new FmiInstance(source.library, source.fmu, version, this.name, options);
    this.given = new GivenValues(source.description.ports);
    this.values = new NativeValues(this.fmi, source.description, () => this.currentPhase);
    this.names = version.names;
    this.interface = source.interface;
    this.logged = this.fmi.logged;
    this.onDispose = source.onDispose;
    this.file = source.file;
  }

  get phase(): Phase {
    return this.currentPhase;
  }

  // What a version provides.

  protected abstract instantiate(): void;
  /** FMI 2: what comes before any value is set. */
  protected callSetupExperiment(_options: InitializationOptions): void {}
  protected abstract callEnterInitialization(options: InitializationOptions): void;
  /** Takes the step and fills `stop` and `fmi.time`; `takeStep` makes the call. */
  protected abstract callStep(from: number, to: number): void;
  /** The second half of `callStep`: what follows from the status. */
  protected abstract settleStep(from: number, to: number, status: number): void;
  // What only one version has; the capabilities keep the other from getting here.

  protected callReset(): void {
    this.fmi.invoke(this.names.reset);
  }
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
  /** Arguments of a call that gives input derivatives, to be kept where they are. */
  protected prepareSlopes(
    _ports: readonly number[],
    _orders: readonly number[],
  ): SlopeCall | undefined {
    return undefined;
  }
  /** Inputs that follow polynomials inside steps. */
  protected get follower(): InputFollower | undefined {
    return undefined;
  }
  /** What a step hands out must not be what an earlier one did. */
  protected clearStepResults(): void {}
  protected afterInstantiation(): void {}
  protected afterFree(): void {}

  /** @returns the status of the step. */
  protected takeStep(from: number, to: number): number {
    this.clearStepResults();
    this.step.put(from, this.stepSize(from, to), this.noRollback);
    return this.step.call.run();
  }

  private get step(): StepCall<Table> {
    this.stepCall ??= new StepCall(this.fmi);
    return this.stepCall;
  }

  private get states(): StateCalls<Table> {
    this.stateCalls ??= new StateCalls(this.fmi);
    return this.stateCalls;
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
    if (this.names.exitInitialization === undefined) this.handOver("after");
    this.callEnterInitialization(options);
    this.handOver("after");
    this.currentPhase = "initialization";
  }

  /** Gives the FMU what was written before initialization. */
  private handOver(when: "before" | "after"): void {
    for (const { slots, banks } of this.given.take(when))
      this.values.write(this.values.access(slots), banks);
  }

  exitInitialization(): void {
    this.require("exitInitialization", ["initialization"]);
    if (this.names.exitInitialization !== undefined) this.fmi.invoke(this.names.exitInitialization);
    this.currentPhase = this.description.capabilities.eventMode ? "event" : "step";
    for (const lost of this.given.lost((slots, into) => this.values.lookAt(slots, into)))
      this.fmi.report("binary-parameter-lost", { unit: this.name, ...lost });
  }

  advance(from: number, until: Predicate): Stop {
    const to = until.kind === "time" ? until.time : boundOf(this, until);
    this.requireStep(from, to);
    this.callStep(from, to);
    return this.stop;
  }

  private requireStep(from: number, to: number): void {
    if (this.currentPhase !== "step" || this.fmi.failure !== undefined)
      this.require("advance", ["step"]);
    if (from !== this.fmi.time)
      throw new Error(
        `'${this.name}' is at t=${this.fmi.time}, so it cannot advance from t=${from}`,
      );
    if (!(to > from && to < Number.POSITIVE_INFINITY))
      throw new Error(`'${this.name}' cannot advance from t=${from} until t=${to}`);
  }

  /**
   * Texts, bytes and clocks are exchanged call by call, and so is everything where calls are logged
   * or come back inside a step.
   */
  prepareStage(parts: StageParts): Stage | undefined {
    const accesses = [...parts.write, ...parts.read] as NativeAccess[];
    if (this.fmi.isTraced || this.machineRefusal() !== undefined) return undefined;
    if (!accesses.every(({ groups }) => canBeStaged(groups))) return undefined;
    const { fmi, step } = this;
    return new NativeStage(
      {
        prepared: fmi.prepared,
        arena: fmi.arena,
        scratch: fmi.scratch,
        step: step.call,
        restoreCall: this.states.setState,
        stepFlags: step.flagsToJudge(this.description.capabilities.eventMode),
        slopesOf: (ports, orders) => this.prepareSlopes(ports, orders),
        own: this,
        beginRestore: (snapshot) => void fmi.word(this.beginRestore(snapshot)),
        beginStep: (from, to) => {
          this.requireStep(from, to);
          this.clearStepResults();
          step.put(from, this.stepSize(from, to), this.noRollback);
        },
        settle: (call, status) => {
          if (call === this.states.setState) this.settleRestore(status);
          else fmi.settle(call.name, status);
        },
        settleStep: (from, to, status) => {
          this.settleStep(from, to, status);
          return this.stop;
        },
      },
      parts,
    );
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
    this.callReset();
    this.given.forget();
    this.follower?.reset();
    this.currentPhase = "instantiated";
    this.afterInstantiation();
  }

  dispose(): void {
    if (this.currentPhase === "disposed") return;
    this.currentPhase = "disposed";
    // After fatal not even freeing is allowed, and the FMU may still use what it was given: all of
    // it is left alone.
    if (this.fmi.isFatal) {
      this.onDispose();
      return;
    }
    // Statuses do not matter any more: the instance is gone either way.
    const { calls, handle } = this.fmi;
    const { state: names } = this.names;
    for (const { state } of this.snapshots.take())
      if (names !== undefined) calls[names.free](handle, this.fmi.word(state));
    calls[this.names.free](handle);
    this.cleanUp();
  }

  bind(slots: readonly PortSlot[]): Access {
    if (this.currentPhase === "disposed")
      throw new PhaseError(this.name, "bind", this.currentPhase, ALIVE);
    return this.values.bind(slots);
  }

  read(access: Access, banks: Banks): void {
    if (this.fmi.failure !== undefined || this.currentPhase !== "step")
      this.require("read", READABLE);
    this.values.read(access as NativeAccess, banks);
  }

  write(access: Access, banks: Banks): void {
    const native = access as NativeAccess;
    if (this.fmi.failure !== undefined || native.writableIn !== this.currentPhase)
      this.requireWritable(native);
    if (this.currentPhase === "step" || this.currentPhase === "event") {
      this.values.write(native, banks);
      return;
    }
    this.values.note(native, banks);
    if (this.currentPhase === "initialization") this.given.note(native.slots, banks);
    if (this.currentPhase === "instantiated") this.given.keep(native.slots, banks);
    else this.values.write(native, banks);
  }

  save(): Snapshot {
    this.require("save", ALIVE);
    this.offer(this.description.capabilities.rollback, "rollback");
    return this.keepState(this.states.save());
  }

  private keepState(state: Address): Snapshot {
    const step = this.constantStep ?? Number.NaN;
    const { writes } = this.given;
    const slopes = this.follower?.save();
    return this.snapshots.add(
      new NativeSnapshot(state, this.fmi.time, this.currentPhase, step, writes, slopes),
    );
  }

  restore(snapshot: Snapshot): void {
    const own = this.own("restore", snapshot);
    this.states.restore(own.state);
    this.becomeAt(own);
  }

  private beginRestore(snapshot: Snapshot): Address {
    const own = this.own("restore", snapshot);
    this.timeBefore = this.fmi.time;
    this.becomeAt(own);
    return own.state;
  }

  private settleRestore(status: number): void {
    if (!isFine(status)) this.fmi.time = this.timeBefore;
    this.fmi.settle(this.states.setState.name, status);
  }

  /** What is known of the FMU is what it was when `own` was taken. */
  private becomeAt(own: NativeSnapshot): void {
    this.fmi.failure = undefined;
    this.fmi.time = own.time;
    this.currentPhase = own.phase;
    this.given.writes = own.given;
    if (this.constantStep !== undefined) this.constantStep = own.step;
    if (own.slopes !== undefined) this.follower?.restore(own.slopes);
  }

  release(snapshot: Snapshot): void {
    const own = this.own("release", snapshot);
    this.drop(own);
    this.states.release(own.state);
  }

  private drop(own: NativeSnapshot): void {
    this.snapshots.delete(own);
    this.follower?.giveBack(own.slopes);
  }

  serialize(snapshot: Snapshot): Uint8Array {
    const own = this.own("serialize", snapshot);
    this.offer(this.description.capabilities.serialize, "serialization of its state");
    const packed = packSnapshot(own, this.states.toBytes(own.state));
    return own.slopes === undefined
      ? packed
      : Uint8Array.from([...new Uint8Array(own.slopes.buffer), ...packed]);
  }

  deserialize(bytes: Uint8Array): Snapshot {
    this.requireCallable("deserialize");
    this.offer(this.description.capabilities.serialize, "serialization of its state");
    const slopes =
      this.follower &&
      new Float64Array(new Uint8Array(bytes.subarray(0, 16 * this.follower.size)).buffer);
    const own = bytes.subarray(slopes?.byteLength ?? 0);
    const { time, phase, step, given, state } = unpackSnapshot(own);
    const made = this.states.fromBytes(state);
    return this.snapshots.add(new NativeSnapshot(made, time, phase, step, given, slopes));
  }

  directionalDerivative(...args: Parameters<Unit["directionalDerivative"]>): void {
    this.require("directionalDerivative", DIFFERENTIABLE);
    const call = this.names.directionalDerivative;
    if (call === undefined || !this.description.capabilities.directionalDerivatives)
      throw new CapabilityError(this.name, "directional derivatives");
    differentiate(this.fmi, call, ...args);
  }

  adjointDerivative(...args: Parameters<Unit["adjointDerivative"]>): void {
    this.require("adjointDerivative", DIFFERENTIABLE);
    const call = this.names.adjointDerivative;
    if (call === undefined || !this.description.capabilities.adjointDerivatives)
      throw new CapabilityError(this.name, "adjoint derivatives");
    differentiate(this.fmi, call, ...args);
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
    if (this.currentPhase !== "step" || this.fmi.failure !== undefined)
      this.require("getOutputDerivatives", ["step"]);
    this.offer(this.description.capabilities.outputDerivativeOrder > 0, "output derivatives");
    this.outputDerivatives ??= new OutputDerivatives(this.fmi, (port) =>
      portSize(this.description.ports[port]),
    );
    this.outputDerivatives.get(ports, orders, out);
  }

  /** For what drives the equations of the instance itself (Model Exchange). */
  get instance(): FmiInstance<Table> {
    return this.fmi;
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
      referenceOf: (port) => this.values.referenceOf(port),
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
      beginRestore: (snapshot) => this.beginRestore(snapshot),
      settleRestore: (status) => this.settleRestore(status),
      keepState: (state) => this.keepState(this.states.requireState(state)),
      stateOf: (snapshot) => this.own("release", snapshot).state,
      dropState: (snapshot) => this.drop(snapshot as NativeSnapshot),
      settle: (call, status) => fmi.settle(call, status),
      settleStep: (from, to, status) => {
        this.settleStep(from, to, status);
        return this.stop;
      },
      isSteady: () => this.isSteady(),
      follower: this.follower,
      floatStateLeft: (call, found) => fmi.floatStateLeft(call, found),
    };
  }

  protected isSteady(): boolean {
    return isSteady(this.file);
  }

  /** Why calls from generated code would miss something; undefined where they do not. */
  protected machineRefusal(): string | undefined {
    return undefined;
  }

  /**
   * The standards' noSetFMUStatePriorToCurrentPoint: as long as a snapshot is unreleased, the FMU
   * must expect to be set back.
   */
  protected get noRollback(): 0 | 1 {
    return this.snapshots.size === 0 ? 1 : 0;
  }

  /**
   * FMUs that want constant steps get the very same number each time, though the difference of two
   * communication points varies in its last bits.
   */
  private stepSize(from: number, to: number): number {
    const size = to - from;
    if (this.constantStep === undefined) return size;
    if (Number.isNaN(this.constantStep)) this.constantStep = size;
    return Math.abs(size - this.constantStep) <= ROUNDING * size ? this.constantStep : size;
  }

  /**
   * A step that the FMU says it has not finished, with what it says of the time it has come to.
   * Times outside of the step are not an answer: then it is where the step began. One that agrees
   * with the end of the step but for rounding is that end, and a step that was discarded there was
   * taken whole, however the unit is driven.
   */
  protected endEarly(
    from: number,
    to: number,
    said: number,
    reason: "terminated" | "event" | "discarded",
  ): void {
    const { fmi, stop } = this;
    const isWhole = Math.abs(to - said) <= ROUNDING * (to - from);
    fmi.time = isWhole ? to : said >= from && said < to ? said : from;
    stop.reason = isWhole && reason === "discarded" ? "time" : reason;
    stop.time = fmi.time;
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
