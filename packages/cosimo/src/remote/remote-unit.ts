/**
 * A unit that is elsewhere, as a unit: every call of the contract becomes a part of a message.
 *
 * Calls without an answer are held back until one with an answer comes, so a step is one message:
 * inputs, advance, outputs. For that the unit learns which accesses are read after an advance and
 * asks for them with the next one. Neither can be noticed but by its speed: calls reach the unit in
 * the order in which they were made, values are handed out only while nothing has been done to the
 * unit since they were read, and a failure names the call that failed.
 */
import { DiagnosticsError } from "../base/diagnostic.ts";
import { UnitError, UnitLost } from "../base/outcome.ts";
import type { UnitDescription } from "../model/unit-description.ts";
import type { Banks } from "../model/value-type.ts";
import { type ByteReader, ByteWriter } from "../unit/bytes.ts";
import type { Predicate, Stop } from "../unit/predicate.ts";
import type { TieServices, Ties } from "../unit/ties.ts";
import {
  type Access,
  CapabilityError,
  type ClockServices,
  type DiscreteUpdate,
  type FaultCount,
  type InitializationOptions,
  type Phase,
  PhaseError,
  type PortSlot,
  type Snapshot,
  type Switching,
  type Unit,
} from "../unit/unit.ts";
import { FROM_UNIT, PHASES } from "./codes.ts";
import type { Caller, Connection } from "./connection.ts";
import { takeFailure, takeFlag, takeNotes, takeResult } from "./decode.ts";
import { beginBatch, putCall, putQuiet, putReads } from "./encode.ts";
import {
  type AnsweredCall,
  type CallResult,
  type DerivativeCall,
  type Failure,
  Nonsense,
  type Note,
  type Offers,
  PeerLost,
  type PlainCall,
} from "./protocol.ts";
import { bindRemote, copyIn, copyOut, type RemoteAccess } from "./remote-access.ts";
import { takeValues } from "./values.ts";

export interface RemoteUnitOptions {
  readonly name: string;
  /** Its number among the units of the connection. */
  readonly index: number;
  /** With the capabilities that were agreed on. */
  readonly description: UnitDescription;
  readonly offers: Offers;
  readonly onNotes?: (notes: readonly Note[]) => void;
  /**
   * Called before an advance begins, and when the caller holds no snapshots between two of them.
   */
  readonly onAdvance?: () => void;
  readonly onRest?: () => void;
  /** Called when the peer is lost while the unit is freed: nothing else depends on it any more. */
  readonly onLateLoss?: (failure: UnitLost) => void;
}

interface RemoteSnapshot extends Snapshot {
  readonly id: number;
  /** Undefined where it is known to the peer alone. */
  readonly phase: Phase | undefined;
}

/** After how many advances without being read an access is no longer asked for. */
const MAX_IDLE = 8;

export class RemoteUnit implements Unit, Caller {
  readonly name: string;
  readonly description: UnitDescription;
  readonly clocks?: ClockServices;
  readonly ties?: TieServices;
  readonly eventsSent?: (port: number) => number | undefined;
  readonly faultCounts?: () => readonly FaultCount[];
  readonly switching: Switching | undefined;
  decider: Ties | undefined;
  private readonly index: number;
  private readonly options: RemoteUnitOptions;
  private readonly connection: Connection;
  private readonly message = new ByteWriter();
  /** Length of a message without calls. */
  private readonly headLength: number;
  private currentPhase: Phase;
  private time = 0;
  private nextSwitch = Number.POSITIVE_INFINITY;
  private readonly stop: Stop = { reason: "time", port: -1, time: 0 };
  /** Counts what has been done to the unit: values read at another count are old. */
  private state = 0;
  /** The count right after the last advance. */
  private stateAdvanced = -1;
  /** Ports by access. */
  private readonly bound: (readonly number[])[] = [];
  /** What was read after advances. */
  private readonly expected: RemoteAccess[] = [];
  private requested: readonly RemoteAccess[] = NONE;
  /** The last call with an answer. */
  private asked: AnsweredCall["kind"] = "nothing";
  private snapshots = 0;
  private readonly live = new Set<RemoteSnapshot>();
  private takesSlopes = false;
  private isLost = false;
  /** Between the two halves of an advance. */
  private isAdvancing = false;

  constructor(connection: Connection, options: RemoteUnitOptions, phase: Phase) {
    const { name, index, description, offers } = options;
    this.connection = connection;
    this.options = options;
    this.name = name;
    this.index = index;
    this.description = description;
    this.currentPhase = phase;
    beginBatch(this.message, index);
    this.headLength = this.message.length;
    if (offers.clocks) this.clocks = this.remoteClocks();
    if (offers.ties) this.ties = { decideBy: (ties) => this.decideTies(ties) };
    if (offers.eventsSent) this.eventsSent = (port) => this.countEvents(port);
    if (offers.faultCounts) this.faultCounts = () => this.countFaults();
    this.switching = offers.switching ? this.remoteSwitching() : undefined;
    connection.join();
  }

  get phase(): Phase {
    return this.currentPhase;
  }

  /** Nothing can be learnt of it any more: summaries are made without it. */
  private get isGone(): boolean {
    return this.isLost || this.connection.failure !== undefined || this.currentPhase === "disposed";
  }

  /** Its state can be taken now, and is all that there is to it. */
  get isAtRest(): boolean {
    return this.live.size === 0 && this.currentPhase === "step";
  }

  get canGiveBase(): boolean {
    return this.description.capabilities.serialize;
  }

  /** Messages that bring a new instance, initialized as this one was, to the present state. */
  takeBase(): Uint8Array[] {
    const saved = this.save();
    const bytes = this.serialize(saved);
    this.release(saved);
    this.perform(NOTHING);
    const id = this.snapshots++;
    const message = new ByteWriter();
    beginBatch(message, this.index);
    for (const [access, ports] of this.bound.entries())
      putQuiet(message, { kind: "bind", access, ports });
    putCall(message, { kind: "deserialize", snapshot: id, bytes });
    putReads(message, NONE);
    const first = message.take();
    message.cut(this.headLength);
    putQuiet(message, { kind: "restore", snapshot: id });
    putQuiet(message, { kind: "release", snapshot: id });
    putCall(message, NOTHING);
    putReads(message, NONE);
    return [first, message.take()];
  }

  enterInitialization(options: InitializationOptions): void {
    this.perform({ kind: "enterInitialization", options });
    this.time = options.start;
  }
  exitInitialization(): void {
    this.plain("exitInitialization");
  }

  advance(from: number, until: Predicate): Stop {
    this.beginAdvance(from, until);
    return this.finishAdvance();
  }

  beginAdvance(from: number, until: Predicate): void {
    this.require("advance");
    this.options.onAdvance?.();
    const { expected } = this;
    for (let i = expected.length - 1; i >= 0; i--)
      if (++expected[i].idle > MAX_IDLE) expected.splice(i, 1);
    this.send({ kind: "advance", from, until }, expected);
    this.isAdvancing = true;
  }

  finishAdvance(): Stop {
    this.isAdvancing = false;
    this.state++;
    const result = this.receive();
    if (result.kind !== "stop") throw this.misunderstood();
    this.stateAdvanced = this.state;
    this.time = result.stop.time;
    if (this.live.size === 0) this.options.onRest?.();
    return result.stop;
  }

  /** Nobody wants to know how it ends. */
  private abandonAdvance(): void {
    try {
      this.finishAdvance();
    } catch (error) {
      if (!(error instanceof UnitError)) throw error;
    }
  }

  enterEventMode(): void {
    // A unit without it says so before it asks in which phase it is.
    this.offer(this.description.capabilities.eventMode, "event mode");
    this.plain("enterEventMode");
  }
  updateDiscreteStates(): DiscreteUpdate {
    const result = this.perform({ kind: "updateDiscreteStates" });
    if (result.kind !== "update") throw this.misunderstood();
    return result.update;
  }
  enterStepMode(): void {
    this.plain("enterStepMode");
  }
  terminate(): void {
    this.plain("terminate");
  }
  reset(): void {
    this.plain("reset");
  }

  dispose(): void {
    if (this.currentPhase === "disposed") return;
    try {
      if (this.isAdvancing) this.abandonAdvance();
      if (!this.isLost) this.plain("dispose");
    } catch (error) {
      if (error instanceof UnitLost) this.options.onLateLoss?.(error);
      else throw error;
    } finally {
      this.currentPhase = "disposed";
      this.connection.leave();
    }
  }

  bind(slots: readonly PortSlot[]): Access {
    this.require("bind");
    const access = bindRemote(this.name, this.description.ports, this.bound.length, slots);
    this.bound.push(access.ports);
    putQuiet(this.message, { kind: "bind", access: access.id, ports: access.ports });
    return access;
  }

  read(access: Access, banks: Banks): void {
    const own = access as RemoteAccess;
    if (own.state !== this.state || this.currentPhase === "disposed") {
      this.require("read");
      this.send(NOTHING, [own]);
      this.receive();
    }
    if (this.state === this.stateAdvanced) this.expect(own);
    copyOut(own, banks);
  }

  write(access: Access, banks: Banks): void {
    this.require("write");
    const own = access as RemoteAccess;
    copyIn(own, banks);
    this.state++;
    putQuiet(this.message, { kind: "write", access: own.id, values: own.outgoing });
    // Whether ports can be written in a phase is known when it was done once.
    if (own.writableIn === this.currentPhase) return;
    this.perform(NOTHING);
    own.writableIn = this.currentPhase;
  }

  save(): Snapshot {
    this.require("save");
    this.offer(this.description.capabilities.rollback, "rollback");
    const id = this.snapshots++;
    putQuiet(this.message, { kind: "save", snapshot: id });
    if (!isRunning(this.currentPhase)) this.perform(NOTHING);
    return this.keep({ id, time: this.time, phase: this.currentPhase });
  }

  restore(snapshot: Snapshot): void {
    const own = this.own("restore", snapshot);
    this.state++;
    putQuiet(this.message, { kind: "restore", snapshot: own.id });
    if (own.phase === undefined || !isRunning(own.phase)) this.perform(NOTHING);
    else this.currentPhase = own.phase;
    this.time = own.time;
  }

  release(snapshot: Snapshot): void {
    const own = this.own("release", snapshot);
    this.live.delete(own);
    putQuiet(this.message, { kind: "release", snapshot: own.id });
    if (this.live.size === 0) this.options.onRest?.();
  }

  serialize(snapshot: Snapshot): Uint8Array {
    const own = this.own("serialize", snapshot);
    this.offer(this.description.capabilities.serialize, "serialization of its state");
    const result = this.perform({ kind: "serialize", snapshot: own.id });
    if (result.kind !== "bytes") throw this.misunderstood();
    return result.bytes;
  }

  deserialize(bytes: Uint8Array): Snapshot {
    this.require("deserialize");
    this.offer(this.description.capabilities.serialize, "serialization of its state");
    const id = this.snapshots++;
    const result = this.perform({ kind: "deserialize", snapshot: id, bytes });
    if (result.kind !== "snapshot") throw this.misunderstood();
    return this.keep({ id, time: result.time, phase: undefined });
  }

  directionalDerivative(...args: Parameters<Unit["directionalDerivative"]>): void {
    this.differentiate("directionalDerivative", ...args);
  }
  adjointDerivative(...args: Parameters<Unit["adjointDerivative"]>): void {
    this.differentiate("adjointDerivative", ...args);
  }

  setInputDerivatives(
    ports: readonly number[],
    orders: readonly number[],
    values: Float64Array,
  ): void {
    this.require("setInputDerivatives");
    this.state++;
    putQuiet(this.message, { kind: "slopes", ports, orders, values });
    if (this.takesSlopes && this.currentPhase === "step") return;
    this.perform(NOTHING);
    this.takesSlopes = true;
  }

  getOutputDerivatives(
    ports: readonly number[],
    orders: readonly number[],
    out: Float64Array,
  ): void {
    const call = { kind: "outputDerivatives", ports, orders, length: out.length } as const;
    this.numbers(call, out);
  }

  // ---- what not every unit has ------------------------------------------------------------------

  private remoteClocks(): ClockServices {
    return {
      getIntervals: (clocks) => {
        const result = this.perform({ kind: "getIntervals", clocks });
        if (result.kind !== "intervals") throw this.misunderstood();
        return result.intervals;
      },
      setIntervals: (clocks, seconds) =>
        void this.perform({ kind: "setIntervals", clocks, seconds }),
    };
  }

  private remoteSwitching(): Switching {
    const next = (): number => {
      if (this.message.length > this.headLength && !this.isGone) this.perform(NOTHING);
      return this.nextSwitch;
    };
    return {
      get nextTime() {
        return next();
      },
      isDue: () => {
        const result = this.perform({ kind: "isDue" });
        if (result.kind !== "flag") throw this.misunderstood();
        return result.flag;
      },
      switch: () => void this.perform({ kind: "switch" }),
    };
  }

  private decideTies(ties: Ties | undefined): void {
    this.decider = ties;
    this.perform({ kind: "decideTies", isOn: ties !== undefined });
  }

  private countEvents(port: number): number | undefined {
    if (this.isGone) return undefined;
    const result = this.perform({ kind: "eventsSent", port });
    if (result.kind !== "numbers") throw this.misunderstood();
    return result.numbers[0];
  }

  private countFaults(): readonly FaultCount[] {
    if (this.isGone) return [];
    const result = this.perform({ kind: "faultCounts" });
    if (result.kind !== "counts") throw this.misunderstood();
    return result.counts;
  }

  private differentiate(
    kind: DerivativeCall,
    ...[unknowns, knowns, seed, out]: Parameters<Unit["directionalDerivative"]>
  ): void {
    this.numbers({ kind, unknowns, knowns, seed, length: out.length }, out);
  }

  private numbers(call: AnsweredCall, out: Float64Array): void {
    const result = this.perform(call);
    if (result.kind !== "numbers" || result.numbers.length !== out.length)
      throw this.misunderstood();
    out.set(result.numbers);
  }

  // ---- messages ---------------------------------------------------------------------------------

  private plain(kind: PlainCall): void {
    this.perform({ kind });
  }

  private perform(call: AnsweredCall): CallResult {
    this.require(call.kind);
    if (call.kind !== "serialize" && call.kind !== "nothing") this.state++;
    this.send(call, NONE);
    return this.receive();
  }

  private send(call: AnsweredCall, reads: readonly RemoteAccess[]): void {
    const { message } = this;
    this.asked = call.kind;
    putCall(message, call);
    putReads(message, reads);
    this.requested = reads;
    try {
      this.connection.begin(this, message);
    } catch (error) {
      throw error instanceof PeerLost ? this.lost(error) : error;
    } finally {
      message.cut(this.headLength);
    }
  }

  private receive(): CallResult {
    try {
      const answer = this.connection.finish(this);
      const result = this.connection.understand(() => this.takeAnswer(answer));
      if ("message" in result || "failure" in result || "diagnostics" in result)
        throw errorOf(this.name, result);
      return result;
    } catch (error) {
      throw error instanceof PeerLost ? this.lost(error) : error;
    }
  }

  private takeAnswer(answer: ByteReader): CallResult | Failure {
    const kind = FROM_UNIT.name(answer.u8());
    if (kind !== "done" && kind !== "failed") throw new Nonsense(`'${kind}' to a call`);
    const phase = PHASES.name(answer.u8());
    this.nextSwitch = answer.f64();
    const result =
      kind === "failed"
        ? takeFailure(answer)
        : takeResult(answer, this.description.ports.length, this.stop);
    if (kind === "done") this.takeReads(answer);
    const notes = takeNotes(answer);
    this.currentPhase = phase;
    if (notes.length > 0) this.options.onNotes?.(notes);
    return result;
  }

  private takeReads(answer: ByteReader): void {
    const { requested, state } = this;
    for (let i = 0; i < requested.length; i++) {
      const access = requested[i];
      if (!takeFlag(answer)) continue;
      takeValues(answer, access.incoming);
      access.state = state;
    }
  }

  /** An access that is read after an advance will be so again. */
  private expect(access: RemoteAccess): void {
    access.idle = 0;
    if (!this.expected.includes(access)) this.expected.push(access);
  }

  private lost({ how, call, problem }: PeerLost): UnitLost {
    this.isLost = true;
    return new UnitLost({
      unit: this.name,
      call: call ?? this.asked,
      status: how,
      time: this.time,
      ...(problem === undefined ? {} : { problem }),
      log: [],
    });
  }

  /** An answer to another question. */
  private misunderstood(): Error {
    try {
      return this.connection.understand(() => {
        throw new Nonsense("it answers another question");
      });
    } catch (error) {
      return error instanceof PeerLost ? this.lost(error) : (error as Error);
    }
  }

  private keep(snapshot: RemoteSnapshot): RemoteSnapshot {
    this.live.add(snapshot);
    return snapshot;
  }

  private own(call: string, snapshot: Snapshot): RemoteSnapshot {
    this.require(call);
    this.offer(this.description.capabilities.rollback, "rollback");
    const own = snapshot as RemoteSnapshot;
    if (!this.live.has(own))
      throw new Error(`'${this.name}': the snapshot was released or belongs to another unit`);
    return own;
  }

  private require(call: string): void {
    if (this.currentPhase === "disposed")
      throw new PhaseError(this.name, call, "disposed", ["instantiated"]);
    if (this.isAdvancing)
      throw new Error(`'${this.name}' cannot ${call} while it advances: finishAdvance comes first`);
  }

  private offer(isOffered: boolean, capability: string): void {
    if (!isOffered) throw new CapabilityError(this.name, capability);
  }
}

const NONE: readonly RemoteAccess[] = [];
const NOTHING: AnsweredCall = { kind: "nothing" };

/** Where a state can surely be saved. */
function isRunning(phase: Phase): boolean {
  return phase === "step" || phase === "event";
}

/** What the peer's unit threw. */
export function errorOf(unit: string, failure: Failure): Error {
  switch (failure.kind) {
    case "unit":
      return new UnitError(failure.failure);
    case "diagnostics":
      return new DiagnosticsError(failure.diagnostics);
    case "phase":
      return Object.assign(new PhaseError(unit, "a call", "disposed", []), {
        message: failure.message,
      });
    case "capability":
      return Object.assign(new CapabilityError(unit, "a call"), { message: failure.message });
    case "range":
      return new RangeError(failure.message);
    case "other":
      return new Error(failure.message);
  }
}
