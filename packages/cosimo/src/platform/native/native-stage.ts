/**
 * The calls of a step as one piece of code (unit.ts, `Stage`): from TypeScript each of them costs
 * more than most FMUs need for it.
 *
 * Code ends where something is to be judged: a status that is not OK, a step that ended early. The
 * calls that remain are then made one by one, as they are before the code exists. Snapshots decide
 * between two codes, one with the way back.
 */
import type { Banks } from "../../model/value-type.ts";
import type { Stop } from "../../unit/predicate.ts";
import type { Snapshot, Stage, StageParts, Unit } from "../../unit/unit.ts";
import { type Address, type Arena, int32s, type Scratch } from "./native-memory.ts";
import type { PreparedCall, PreparedCalls } from "./prepared-calls.ts";
import { type Group, load, type NativeAccess, setterOf, unload } from "./transfer.ts";

/** A call that gives input derivatives, and where it finds them. */
export interface SlopeCall {
  readonly call: PreparedCall;
  readonly values: Float64Array;
}

/** What a stage needs of its unit. */
export interface StageUnit {
  readonly prepared: PreparedCalls;
  readonly arena: Arena;
  readonly scratch: Scratch;
  readonly step: PreparedCall;
  readonly restoreCall: PreparedCall;
  /** Bytes that a step sets when it is to be judged. */
  readonly stepFlags: readonly Address[];
  readonly slopesOf: (ports: readonly number[], orders: readonly number[]) => SlopeCall | undefined;
  /** For the first times. */
  readonly own: Unit;
  /** Everything that going back means beside the call, and its argument where it belongs. */
  beginRestore(snapshot: Snapshot): void;
  /**
   * @throws when no such step may be taken now. Puts the arguments of the step where they belong.
   */
  beginStep(from: number, to: number): void;
  settle(call: PreparedCall, status: number): void;
  settleStep(from: number, to: number, status: number): Stop;
}

/**
 * So often a stage runs call by call before code is written for it: getters have been checked by
 * then.
 */
const RUNS_BEFORE_CODE = 50;

const OK = 0;

export class NativeStage implements Stage {
  private readonly unit: StageUnit;
  private readonly parts: StageParts;
  private readonly status: Int32Array;
  private readonly statusAt: Address;
  private readonly slopeValues: readonly Float64Array[];
  private readonly until: { kind: "time"; time: number } = { kind: "time", time: 0 };
  private readonly stop: Stop = { reason: "time", port: -1, time: 0 };
  private runs = 0;
  private written: readonly Group[] = [];
  private readBack: readonly Group[] = [];
  private slopes: readonly (SlopeCall & { readonly slots: readonly number[] })[] = [];
  private calls: readonly PreparedCall[] = [];
  private callsWithBack: readonly PreparedCall[] = [];
  private code: Address = 0;
  private codeWithBack: Address = 0;

  constructor(unit: StageUnit, parts: StageParts) {
    this.unit = unit;
    this.parts = parts;
    const block = unit.arena.allocate(4);
    this.status = int32s(block, 1);
    this.statusAt = block.address;
    this.slopeValues = parts.slopes.map(({ slots }) => new Float64Array(slots.length));
  }

  run(from: number, to: number, banks: Banks, back?: Snapshot): Stop {
    if (this.code === 0 || (back !== undefined && this.codeWithBack === 0))
      return this.runCalls(from, to, banks, back);
    const { unit, written, readBack, slopes } = this;
    if (back !== undefined) unit.beginRestore(back);
    unit.beginStep(from, to);
    for (let i = 0; i < written.length; i++) load(written[i], banks, unit.scratch);
    for (let i = 0; i < slopes.length; i++) {
      const { values, slots } = slopes[i];
      for (let k = 0; k < slots.length; k++) values[k] = banks.f64[slots[k]];
    }
    for (let i = 0; i < readBack.length; i++) readBack[i].words?.fill(0n);
    const calls = back === undefined ? this.calls : this.callsWithBack;
    const code = back === undefined ? this.code : this.codeWithBack;
    const ended = unit.prepared.runSequence(code, calls);
    const stop = this.finish(calls, ended, from, to);
    if (stop.reason === "time")
      for (let i = 0; i < readBack.length; i++) unload(readBack[i], banks);
    return stop;
  }

  /** Judges the call that ended the code (0: none did), and makes those that remain. */
  private finish(calls: readonly PreparedCall[], ended: number, from: number, to: number): Stop {
    const { unit } = this;
    const step = calls.indexOf(unit.step);
    if (ended === 0) return unit.settleStep(from, to, OK);
    let stop: Stop = this.stop;
    if (ended - 1 > step) stop = unit.settleStep(from, to, OK);
    let status = this.status[0];
    for (let i = ended - 1; i < calls.length; i++) {
      if (i >= ended) status = calls[i].run();
      if (i !== step) unit.settle(calls[i], status);
      else {
        stop = unit.settleStep(from, to, status);
        if (stop.reason !== "time") break;
      }
    }
    return stop;
  }

  private runCalls(from: number, to: number, banks: Banks, back: Snapshot | undefined): Stop {
    const { parts, until } = this;
    const unit = this.unit.own;
    if (back !== undefined) unit.restore(back);
    for (const access of parts.write) unit.write(access, banks);
    for (const [i, { ports, orders, slots }] of parts.slopes.entries()) {
      const values = this.slopeValues[i];
      for (let k = 0; k < slots.length; k++) values[k] = banks.f64[slots[k]];
      unit.setInputDerivatives(ports, orders, values);
    }
    until.time = to;
    const stop = unit.advance(from, until);
    if (stop.reason !== "time") return stop;
    for (const access of parts.read) unit.read(access, banks);
    if (++this.runs === RUNS_BEFORE_CODE) this.prepare();
    return stop;
  }

  private prepare(): void {
    const { unit, parts } = this;
    const slopes = parts.slopes.map(({ ports, orders, slots }) => {
      const found = unit.slopesOf(ports, orders);
      return found && { ...found, slots };
    });
    if (!slopes.every((found) => found !== undefined)) return;
    this.slopes = slopes;
    this.written = parts.write.flatMap((access) => (access as NativeAccess).groups);
    this.readBack = parts.read.flatMap((access) => (access as NativeAccess).groups);
    this.calls = [
      ...this.written.map(setterOf),
      ...slopes.map(({ call }) => call),
      unit.step,
      ...this.readBack.map(({ get }) => get),
    ];
    this.callsWithBack = [unit.restoreCall, ...this.calls];
    const flags = (call: PreparedCall): readonly Address[] =>
      call === unit.step ? unit.stepFlags : [];
    this.code = unit.prepared.sequence(this.calls, this.statusAt, flags) ?? 0;
    this.codeWithBack = unit.prepared.sequence(this.callsWithBack, this.statusAt, flags) ?? 0;
  }
}

/**
 * Whether values of these groups pass through buffers of fixed size: texts, bytes and clocks need
 * more than a call.
 */
export function canBeStaged(groups: readonly Group[]): boolean {
  return groups.every(({ bank, family }) => bank !== "obj" && family !== "Clock");
}
