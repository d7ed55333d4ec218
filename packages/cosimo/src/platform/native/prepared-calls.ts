/**
 * Calls of one instance whose arguments stay where they are: the value references of an access, its
 * buffer, the time of a step. A foreign call costs by its arguments, each converted again; a call
 * that is made often becomes a few instructions that load the arguments and call the function,
 * entered through one function that takes their address. That is a third of the cost.
 *
 * Where no machine code may run, and while calls are logged, the function is called with its
 * arguments as before.
 */
import koffi from "koffi";
import { callId } from "./call-names.ts";
import { type Mapping, mapCode } from "./executable.ts";
import { floatGuard } from "./float-guard.ts";
import { type FloatState, takeChange } from "./float-state.ts";
import type { NativeFunction } from "./libc.ts";
import { Reg } from "./machine-code/assembler.ts";
import { hostAssembler } from "./machine-code/host-assembler.ts";
import type { Address } from "./native-memory.ts";

/** A number that never changes, or one that lies in memory when the call is made. */
export type PreparedArgument =
  | number
  | {
      readonly at: Address;
      readonly kind: "double" | "int32" | "word";
      readonly value: () => number;
    };

/** So often a call is made with its arguments before code is written for it. */
const USES_BEFORE_CODE = 50;

export interface PreparedCallOptions {
  readonly functionOf: (name: string) => NativeFunction;
  readonly addressOf: (name: string) => Address;
  readonly lastCall: Int32Array | undefined;
  readonly onFloatChange: (name: string, found: FloatState) => void;
  /** Calls are logged, so each has to pass where that is done. */
  readonly isTraced: boolean;
}

/**
 * The prepared calls of an instance. Code is written for all that are in use when one of them has
 * been used often.
 */
export class PreparedCalls {
  readonly options: PreparedCallOptions;
  private waiting: PreparedCall[] = [];
  private readonly mappings: Mapping[] = [];
  private mayCompile: boolean;

  constructor(options: PreparedCallOptions) {
    this.options = options;
    this.mayCompile = !options.isTraced && floatGuard().prepare !== undefined;
  }

  prepare(name: string, args: readonly PreparedArgument[]): PreparedCall {
    const call = new PreparedCall(this, name, args);
    if (this.mayCompile) this.waiting.push(call);
    return call;
  }

  compile(): void {
    const { prepare } = floatGuard();
    const calls = this.waiting.filter(({ isUsed }) => isUsed);
    this.waiting = this.waiting.filter(({ isUsed }) => !isUsed);
    if (!this.mayCompile || prepare === undefined || calls.length === 0) return;
    const { code, offsets } = prepare(
      calls.map(({ name, args }) => ({ address: this.options.addressOf(name), args })),
    );
    const mapping = mapCode(code);
    this.mayCompile = mapping !== undefined;
    if (mapping === undefined) return;
    this.mappings.push(mapping);
    for (const [i, call] of calls.entries()) call.code = mapping.address + offsets[i];
  }

  /**
   * Code that makes calls one after the other (`FloatGuard.prepareSequence`); undefined where there
   * can be none.
   * @param flags by call: bytes that must stay 0.
   */
  sequence(
    calls: readonly PreparedCall[],
    status: Address,
    flags: (call: PreparedCall) => readonly Address[],
  ): Address | undefined {
    const { prepareSequence } = floatGuard();
    if (!this.mayCompile || prepareSequence === undefined) return undefined;
    const { addressOf, lastCall } = this.options;
    const at = lastCall && Number(koffi.address(lastCall.buffer)) + lastCall.byteOffset;
    const mapping = mapCode(
      prepareSequence(
        calls.map((call) => ({
          address: addressOf(call.name),
          args: call.args,
          marker: at === undefined ? undefined : { at, id: callId(call.name) },
          flags: flags(call),
        })),
        status,
      ),
    );
    if (mapping !== undefined) this.mappings.push(mapping);
    return mapping?.address;
  }

  /**
   * Runs a sequence. @returns the number of the call that ended it, counted from 1; 0: it came to
   * its end.
   */
  runSequence(code: Address, calls: readonly PreparedCall[]): number {
    const { lastCall, onFloatChange } = this.options;
    const guard = floatGuard();
    const before = lastCall?.[0] ?? 0;
    const ended = enter(code);
    if (lastCall !== undefined) lastCall[0] = before;
    if (guard.changed[0] !== 0) {
      const { name } = calls[guard.changed[0] - 1];
      const found = takeChange(guard);
      if (found !== undefined) onFloatChange(name, found);
    }
    return ended;
  }

  /** None of the calls may be made afterwards. */
  free(): void {
    for (const mapping of this.mappings) mapping.unmap();
    this.mappings.length = 0;
  }
}

export class PreparedCall {
  readonly name: string;
  readonly args: readonly PreparedArgument[];
  /** Where its code is; 0: none was written. */
  code: Address = 0;
  private readonly owner: PreparedCalls;
  private bound: NativeFunction | undefined;
  private readonly marker: Int32Array;
  private readonly id: number;
  private readonly changed: Int32Array = floatGuard().changed;
  private uses = 0;

  constructor(owner: PreparedCalls, name: string, args: readonly PreparedArgument[]) {
    const { lastCall } = owner.options;
    this.owner = owner;
    this.name = name;
    this.args = args;
    this.marker = lastCall ?? new Int32Array(1);
    this.id = lastCall === undefined ? 0 : callId(name);
  }

  /** Whether the call was made before; then its function exists. */
  get isUsed(): boolean {
    return this.bound !== undefined;
  }

  /** Makes the call. @returns its status. @throws UnitError when the library lacks the function. */
  run(): number {
    if (this.code === 0) return this.runBound();
    const { marker } = this;
    // Calls nest (a get inside an intermediate update), so the marker before is put back.
    const before = marker[0];
    marker[0] = this.id;
    const status = enter(this.code);
    marker[0] = before;
    if (this.changed[0] !== 0) this.noteChange();
    return status;
  }

  private runBound(): number {
    if (++this.uses === USES_BEFORE_CODE) this.owner.compile();
    this.bound ??= this.owner.options.functionOf(this.name);
    return this.bound(...this.args.map((arg) => (typeof arg === "number" ? arg : arg.value())));
  }

  private noteChange(): void {
    const found = takeChange(floatGuard());
    if (found !== undefined) this.owner.options.onFloatChange(this.name, found);
  }
}

/**
 * Calls the code at an address: one function for all of them, so that the engine knows what it
 * calls.
 */
let enter: (code: Address) => number = (code) => {
  const mapping = mapCode(hostAssembler().jumpTo(Reg.rdi).code);
  if (mapping === undefined) throw new Error("internal: executable memory is refused");
  enter = koffi.decode(BigInt(mapping.address), koffi.proto("int", ["int64_t"]));
  return enter(code);
};
