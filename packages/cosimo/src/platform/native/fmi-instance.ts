/**
 * One living FMU instance as C sees it: its functions, the memory it was given, its log, and what a
 * status means. Both FMI versions stand on this; the life cycle of a unit is built on top
 * (native-unit.ts).
 */
import type { LibraryHandle } from "koffi";
import { diagnose } from "../../base/diagnostic.ts";
import { UnitError, type UnitFailure } from "../../base/outcome.ts";
import { formatCall } from "./call-log.ts";
import { callId } from "./call-names.ts";
import { bindCalls, type Calls, type CallTable, symbolIn } from "./calls.ts";
import { diagnoseFloatChange } from "./float-diagnostic.ts";
import type { FloatState } from "./float-state.ts";
import type { TypedVersion } from "./fmi-version.ts";
import { namesInMessage } from "./log-text.ts";
import { type NativeLogger, openLogger } from "./logger.ts";
import { NATIVE_DIAGNOSTICS, type NativeCode, type NativeParams } from "./native-diagnostics.ts";
import {
  type Address,
  Arena,
  type Block,
  bytesOf,
  float64s,
  int32s,
  Scratch,
  uint32s,
} from "./native-memory.ts";
import type { LogStatus, NativeFmu, NativeUnitOptions } from "./native-options.ts";
import { type PreparedArgument, type PreparedCall, PreparedCalls } from "./prepared-calls.ts";

/** The statuses of both versions; FMI 3 has no `pending`. */
export const Status = { ok: 0, warning: 1, discard: 2, error: 3, fatal: 4, pending: 5 } as const;

/**
 * Whether a call did what it should. Everything else, numbers that are not a status included, is
 * not fine.
 */
export function isFine(status: number): boolean {
  return status === Status.ok || status === Status.warning;
}

const LOG_STATUS: readonly LogStatus[] = ["ok", "warning", "discard", "error", "fatal", "pending"];
const LOG_LINES = 200;
const UNWRITTEN_SIZE = -1;
const MOST_BYTES = 2 ** 32;
export class FmiInstance<Table extends CallTable> {
  readonly name: string;
  readonly fmu: NativeFmu;
  readonly version: TypedVersion<Table>;
  readonly calls: Calls<Table>;
  /** Calls that are made often, with arguments that stay where they are. */
  readonly prepared: PreparedCalls;
  readonly arena: Arena = new Arena();
  readonly scratch: Scratch = new Scratch();
  /** Where functions put single results: eight words of memory. */
  readonly results: Block;
  /** `logged[0] !== logged[1]`: the FMU said something since we last looked. */
  readonly logged: Int32Array;
  readonly logger: NativeLogger;
  /** Every call is logged. */
  readonly isTraced: boolean;
  readonly lastCall: Int32Array | undefined;
  /** The FMU's own pointer, first argument of nearly every call. */
  handle: Address = 0;
  private readonly often = new Map<string, PreparedCall>();
  /** The same where it lies in memory, for instances that are made again (`become`). */
  private movable: PreparedArgument | undefined;
  private placeHandle: () => void = () => {};
  /** For messages: where the simulation is. */
  time = 0;
  failure: UnitFailure | undefined;
  private readonly library: LibraryHandle;
  private readonly onLog: NativeUnitOptions["onLog"];
  private readonly onDiagnostic: NativeUnitOptions["onDiagnostic"];
  private hasReportedFloats = false;
  private readonly log: string[] = [];
  private readonly words: Uint32Array;
  private names: Map<string, string> | undefined;

  constructor(
    library: LibraryHandle,
    fmu: NativeFmu,
    version: TypedVersion<Table>,
    name: string,
    options: NativeUnitOptions,
  ) {
    this.name = name;
    this.fmu = fmu;
    this.library = library;
    this.version = version;
    this.onLog = options.onLog;
    this.onDiagnostic = options.onDiagnostic;
    this.results = this.arena.allocate(64);
    this.words = new Uint32Array(this.results.buffer, this.results.offset + 16, 2);
    this.logger = openLogger(
      version,
      (status, category, message) => this.keepLog(status, category, message),
      options,
    );
    this.logged = this.logger.words;
    const { callLog, lastCall } = options;
    this.isTraced = callLog !== undefined;
    this.lastCall = lastCall;
    this.calls = bindCalls(library, version.calls, {
      lastCall,
      callId,
      onMissing: (call) => this.failMissing(call),
      onFloatChange: (call, found) => this.floatStateLeft(call, found),
      ...(callLog && {
        trace: (call, signature, args, result) =>
          callLog(
            formatCall(call, signature, args, result, version.statusNames, (of, reference) =>
              this.traceName(of, reference),
            ),
          ),
      }),
    });
    this.prepared = new PreparedCalls({
      functionOf: (call) => this.calls[call],
      addressOf: (call) => this.addressOf(call),
      lastCall,
      onFloatChange: (call, found) => this.floatStateLeft(call, found),
      isTraced: this.isTraced,
    });
  }

  get isFatal(): boolean {
    return this.failure?.status === this.version.statusNames[Status.fatal];
  }

  /** Another instance takes the place of this one; prepared calls follow. */
  become(handle: Address): void {
    const block = this.movable === undefined ? this.arena.allocate(8) : undefined;
    if (block !== undefined) {
      const word = new BigInt64Array(block.buffer, block.offset, 1);
      this.placeHandle = () => {
        word[0] = BigInt(this.handle);
      };
      this.movable = { at: block.address, kind: "word", value: () => this.handle };
    }
    this.handle = handle;
    this.placeHandle();
  }

  /** The handle as an argument of a prepared call. */
  get handleArgument(): PreparedArgument {
    return this.movable ?? this.handle;
  }

  /** A call left another floating-point state behind, which was put back: said once. */
  floatStateLeft(call: string, found: FloatState): void {
    if (this.hasReportedFloats) return;
    this.hasReportedFloats = true;
    this.onDiagnostic?.(diagnoseFloatChange(this.name, `in ${call}`, found, this.fmu.folder));
  }

  /** Where the code of an FMI function is. */
  addressOf(call: string): Address {
    // Asking is not calling: the unit is as sound as before, and fails where the function is
    // needed.
    const address = symbolIn(this.library, call);
    if (address === undefined) throw new Error(`its binary does not export ${call}`);
    return address;
  }

  private failMissing(call: string): never {
    this.fail(
      call,
      "missing",
      `its binary does not export ${call}, which is needed here; ask its supplier for an FMU that exports it ('cosimo validate --run' lists all that are missing)`,
    );
  }

  /** Calls one function with the instance before `args` and settles its status. */
  invoke(call: keyof Table & string, ...args: (number | bigint)[]): void {
    this.settle(call, this.calls[call](this.handle, ...args));
  }

  /** As `invoke`, for a call that is made often, with the same arguments each time. */
  invokeOften(call: keyof Table & string, ...args: number[]): void {
    const handle = this.handleArgument;
    let known = this.often.get(call);
    if (known === undefined || known.args[0] !== handle) {
      known = this.prepared.prepare(call, [handle, ...args]);
      this.often.set(call, known);
    }
    const status = known.run();
    if (status !== Status.ok || this.logged[0] !== this.logged[1]) this.settle(call, status);
  }

  /** What follows from a call's status: warnings go on, the rest throws. */
  settle(call: string, status: number): void {
    if (this.logged[0] !== this.logged[1]) this.logger.drain();
    if (!isFine(status)) this.fail(call, this.statusText(status));
  }

  private statusText(status: number): string {
    const { statusNames } = this.version;
    return (
      statusNames[status] ??
      `${status}, which is not a status (${statusNames[0]} is 0, ${statusNames.at(-1)} ${statusNames.length - 1})`
    );
  }

  /**
   * @throws UnitError: the call was fine by its status, and did not hand out `what` it is there
   * for.
   */
  failUnwritten(call: string, what: string): never {
    this.fail(call, `${this.version.statusNames[Status.ok]} and no ${what}`);
  }

  /** @throws UnitError when the library does not export a function of the table. */
  require(call: keyof Table & string): void {
    void this.calls[call];
  }

  /** Whether the library exports a function: some are optional, and some are forgotten. */
  has(call: keyof Table & string): boolean {
    return symbolIn(this.library, call) !== undefined;
  }

  /**
   * @throws UnitError with the FMU's log. Discard leaves the instance usable; after an error only
   * restore, reset and free are allowed, after fatal nothing at all.
   */
  fail(call: string, status: string, problem?: string): never {
    this.logger.drain();
    const failure = {
      unit: this.name,
      call,
      status,
      time: this.time,
      ...(problem === undefined ? {} : { problem }),
      log: [...this.log],
    };
    if (status !== this.version.statusNames[Status.discard]) this.failure = failure;
    throw new UnitError(failure);
  }

  /** Tells what is odd about the FMU, though the run goes on. */
  report<Code extends NativeCode>(code: Code, params: NativeParams<Code>): void {
    this.onDiagnostic?.(
      diagnose(NATIVE_DIAGNOSTICS, code, params as never, { file: this.fmu.folder }),
    );
  }

  /** Only after the FMU has freed the instance, or never made it. */
  releaseMemory(): void {
    this.logger.drain();
    this.logger.close();
    this.prepared.free();
    this.arena.free();
    this.scratch.free();
  }

  /** A word through which functions take and hand out pointers and sizes. */
  word(value: Address = 0): Address {
    // In halves: 64-bit integers of JavaScript would be allocated.
    this.words[0] = value;
    this.words[1] = Math.floor(value / 2 ** 32);
    return this.results.address + 16;
  }

  /** As a signed number of 64 bits. */
  get wordValue(): number {
    return (this.words[1] | 0) * 2 ** 32 + this.words[0];
  }

  /** What the word holds, as an argument of a prepared call. */
  get wordArgument(): PreparedArgument {
    return { at: this.results.address + 16, kind: "word", value: () => this.wordValue };
  }

  /**
   * Calls a function that hands out a pointer through its last argument.
   * @throws UnitError when that is NULL: no `what` was handed out.
   */
  pointerFrom(call: keyof Table & string, what: string, ...args: (number | bigint)[]): Address {
    this.invoke(call, ...args, this.word());
    if (this.wordValue === 0) this.failUnwritten(call, what);
    return this.wordValue;
  }

  /**
   * Calls a function that hands out a size through its last argument. @throws UnitError when it
   * does not.
   */
  sizeFrom(call: keyof Table & string, ...args: (number | bigint)[]): number {
    this.invoke(call, ...args, this.word(UNWRITTEN_SIZE));
    const size = this.wordValue;
    if (size < 0 || size > MOST_BYTES) this.failUnwritten(call, "size that could be true");
    return size;
  }

  // Arguments in scratch memory; `scratch.begin` comes first.

  references(ports: readonly number[]): Address {
    const block = this.scratch.take(4 * ports.length);
    const references = uint32s(block, ports.length);
    const { variables } = this.fmu.description;
    for (let i = 0; i < ports.length; i++) references[i] = variables[ports[i]].valueReference;
    return block.address;
  }

  doubles(values: Float64Array): Address {
    const block = this.scratch.take(8 * values.length);
    float64s(block, values.length).set(values);
    return block.address;
  }

  integers(values: readonly number[]): Address {
    const block = this.scratch.take(4 * values.length);
    int32s(block, values.length).set(values);
    return block.address;
  }

  bytes(values: Uint8Array): Address {
    const block = this.scratch.take(values.length);
    bytesOf(block).set(values);
    return block.address;
  }

  /** Room in scratch memory for `count` doubles that a call is to write. */
  unwritten(count: number): Block {
    const block = this.scratch.take(8 * count);
    float64s(block, count).fill(Number.NaN);
    return block;
  }

  /** @throws UnitError when the call left one of the values unwritten, or wrote NaN. */
  takeWritten(call: string, block: Block, into: Float64Array): void {
    const values = float64s(block, block.bytes / 8);
    if (values.some(Number.isNaN)) this.failUnwritten(call, "number for every variable");
    into.set(values);
  }

  /** @param family matters where value references are counted for each family. */
  private nameOf(family: string, reference: number): string | undefined {
    const { wires, countsReferencesByFamily } = this.version;
    const keyOf = (name: string, value: number): string =>
      countsReferencesByFamily ? `${name} ${value}` : String(value);
    this.names ??= new Map(
      this.fmu.description.variables
        .toReversed()
        .map(({ type, valueReference, name }) => [
          keyOf(wires[type]?.family ?? "", valueReference),
          name,
        ]),
    );
    return this.names.get(keyOf(family, reference));
  }

  /** FMI 1 and 2 number every type on its own; calls that do not name one are about reals. */
  private traceName(call: string, reference: number): string {
    const family = /^fmi2?[A-Z][a-z]+(Integer|Boolean|String)/.exec(call)?.[1] ?? "Real";
    return this.nameOf(family, reference) ?? `#${reference}`;
  }

  private keepLog(code: number, category: string, text: string): void {
    const { referenceInMessage } = this.version;
    const message = namesInMessage(text, referenceInMessage, (family, reference) =>
      this.nameOf(family, reference),
    ).trimEnd();
    const status = LOG_STATUS[code] ?? "ok";
    if (this.log.length === LOG_LINES) this.log.shift();
    this.log.push(category === "" ? `${status}: ${message}` : `${status} ${category}: ${message}`);
    this.onLog?.({ status, category, message });
  }
}
