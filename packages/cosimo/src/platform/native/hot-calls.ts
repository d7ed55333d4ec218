/**
 * The calls of every step as prepared calls (prepared-calls.ts): the step itself, and the way back
 * from it. Their arguments are the same in both FMI versions, but for the results that a step hands
 * out.
 */
import { CapabilityError } from "../../unit/unit.ts";
import type { CallTable } from "./calls.ts";
import type { FmiInstance } from "./fmi-instance.ts";
import type { StateNames } from "./fmi-version.ts";
import { type Address, bytesOf, float64s, int32s } from "./native-memory.ts";
import type { PreparedCall } from "./prepared-calls.ts";

/** The step of an instance. */
export class StepCall<Table extends CallTable> {
  private readonly times: Float64Array;
  private readonly flags: Int32Array;
  readonly call: PreparedCall;
  private readonly fmi: FmiInstance<Table>;

  constructor(fmi: FmiInstance<Table>) {
    this.fmi = fmi;
    const block = fmi.arena.allocate(24);
    this.times = float64s(block, 2);
    this.flags = int32s({ ...block, offset: block.offset + 16 }, 1);
    const { times, flags } = this;
    const at = fmi.results.address;
    this.call = fmi.prepared.prepare(fmi.version.names.step, [
      fmi.handle,
      { at: block.address, kind: "double", value: () => times[0] },
      { at: block.address + 8, kind: "double", value: () => times[1] },
      { at: block.address + 16, kind: "int32", value: () => flags[0] },
      ...(fmi.version.stepHandsOutFlags ? [at, at + 1, at + 2, at + 8] : []),
    ]);
  }

  /**
   * Where a step says that it ended early, terminated, or (`eventMode`) needs event mode: results
   * of the instance, as in FMI 3.
   */
  flagsToJudge(eventMode: boolean): Address[] {
    if (!this.fmi.version.stepHandsOutFlags) return [];
    return (eventMode ? [1, 2, 0] : [1, 2]).map((flag) => this.fmi.results.address + flag);
  }

  /** The arguments of the next call. */
  put(from: number, size: number, noRollback: 0 | 1): void {
    this.times[0] = from;
    this.times[1] = size;
    this.flags[0] = noRollback;
  }
}

/** Snapshots inside the FMU, by their pointers. */
export class StateCalls<Table extends CallTable> {
  private readonly fmi: FmiInstance<Table>;
  private readonly names: StateNames<keyof Table & string>;
  private readonly getState: PreparedCall;
  /** Its argument is the word of the instance. */
  readonly setState: PreparedCall;
  private readonly freeState: PreparedCall;

  constructor(fmi: FmiInstance<Table>) {
    const { handle, prepared, wordArgument } = fmi;
    const { state } = fmi.version.names;
    // Where a version saves no state, no unit of it claims to.
    if (state === undefined) throw new CapabilityError(fmi.name, "rollback");
    const word = fmi.word();
    this.fmi = fmi;
    this.names = state;
    this.getState = prepared.prepare(state.get, [handle, word]);
    this.setState = prepared.prepare(state.set, [handle, wordArgument]);
    this.freeState = prepared.prepare(state.free, [handle, word]);
  }

  /** @throws UnitError when no state was handed out. */
  save(): Address {
    this.fmi.word();
    this.settle(this.getState);
    return this.requireState(this.fmi.wordValue);
  }

  /** @throws UnitError unless the FMU handed out a state. */
  requireState(state: Address): Address {
    if (state === 0) this.fmi.failUnwritten(this.getState.name, "state");
    return state;
  }

  restore(state: Address): void {
    this.fmi.word(state);
    this.settle(this.setState);
  }

  release(state: Address): void {
    this.fmi.word(state);
    this.settle(this.freeState);
  }

  toBytes(state: Address): Uint8Array {
    const { fmi } = this;
    const size = fmi.sizeFrom(this.names.size, state);
    fmi.scratch.begin(size);
    const block = fmi.scratch.take(size);
    fmi.invoke(this.names.serialize, state, block.address, size);
    return bytesOf(block);
  }

  fromBytes(bytes: Uint8Array): Address {
    const { fmi } = this;
    fmi.scratch.begin(bytes.length);
    const copy = fmi.bytes(bytes);
    return fmi.pointerFrom(this.names.deserialize, "state", copy, bytes.length);
  }

  private settle(call: PreparedCall): void {
    const { fmi } = this;
    const status = call.run();
    if (status !== 0 || fmi.logged[0] !== fmi.logged[1]) fmi.settle(call.name, status);
  }
}
