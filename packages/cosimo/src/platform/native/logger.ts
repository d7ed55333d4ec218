/**
 * What an FMU may say to us: the function pointer it gets as its logger, and the text that comes
 * out.
 *
 * On Linux x86-64 the pointer is machine code of ours (log-ring.ts). Elsewhere it is a koffi
 * callback, which is exact too but must not be called from threads that the FMU made.
 */
import koffi from "koffi";
import type { FmiVersion } from "./fmi-version.ts";
import { cFunction } from "./libc.ts";
import { openLogRing } from "./log-ring.ts";
import { type Address, Arena, bytesOf, readString } from "./native-memory.ts";
import { type PrintfKind, printfKinds } from "./printf-kinds.ts";

export type DeliverLog = (status: number, category: string, message: string) => void;

export interface NativeLogger {
  /** The C function that the FMU calls. */
  readonly entry: Address;
  /** `words[0] !== words[1]`: messages wait for `drain`. */
  readonly words: Int32Array;
  /** Of a logger that any thread may call: where its messages wait (log-ring.ts). */
  readonly ring?: Address;
  drain(): void;
  /** Only after the FMU's instance is gone. */
  close(): void;
}

export interface LoggerOptions {
  /** "callback" forces the fallback, so that tests reach it on every machine. */
  readonly logger?: "any" | "callback";
  /** Where the ring logger keeps what was not read yet. */
  readonly logFile?: string;
}

export function openLogger(
  version: FmiVersion,
  deliver: DeliverLog,
  { logger = "any", logFile }: LoggerOptions = {},
): NativeLogger {
  const ring = logger === "any" ? openLogRing(version, deliver, logFile) : undefined;
  return ring ?? openCallbackLogger(version, deliver);
}

function openCallbackLogger({ logsFormats }: FmiVersion, deliver: DeliverLog): NativeLogger {
  const arena = new Arena();
  const callback = logsFormats
    ? koffi.register(
        (
          _env: bigint,
          _name: number,
          status: number,
          category: number,
          format: number,
          ...rest: (number | bigint)[]
        ) => deliver(status, readString(category) ?? "", formatVarargs(arena, format, rest)),
        koffi.pointer(koffi.proto("void", [...NAMED_TYPES, ...variadicTypes()])),
      )
    : koffi.register(
        (_env: bigint, status: number, category: number, message: number) =>
          deliver(status, readString(category) ?? "", readString(message) ?? ""),
        koffi.pointer(koffi.proto("void", ["void *", "int", "int64_t", "int64_t"])),
      );
  return {
    entry: Number(callback),
    words: new Int32Array(2),
    drain() {},
    close() {
      koffi.unregister(callback);
      arena.free();
    },
  };
}

const NAMED_TYPES = ["void *", "int64_t", "int", "int64_t", "int64_t"];
const INTEGERS = 14;
const DOUBLES = 8;

/** Windows and Apple silicon pass variadic doubles in the same 8-byte places as integers. */
const DOUBLES_AMONG_INTEGERS =
  process.platform === "win32" || (process.platform === "darwin" && process.arch === "arm64");
/** Apple silicon puts every variadic argument on the stack: three registers pass by unused. */
const UNUSED = process.platform === "darwin" && process.arch === "arm64" ? 3 : 0;

function variadicTypes(): string[] {
  const integers = new Array<string>(UNUSED + INTEGERS).fill("int64_t");
  return DOUBLES_AMONG_INTEGERS ? integers : [...integers, ...new Array(DOUBLES).fill("double")];
}

/**
 * Registers left for variadic integers after the five named arguments; what follows lies on the
 * stack.
 */
const INTEGER_REGISTERS = DOUBLES_AMONG_INTEGERS ? INTEGERS : process.arch === "arm64" ? 3 : 1;

const KOFFI_TYPE: Readonly<Record<PrintfKind, string>> = {
  int: "int",
  long: "int64_t",
  double: "double",
  pointer: "int64_t",
};

/** Hands the arguments on to C's own snprintf: only their kinds are worked out here. */
function formatVarargs(arena: Arena, format: Address, raw: readonly (number | bigint)[]): string {
  const text = readString(format);
  if (text === undefined) return "";
  const integers = raw.slice(UNUSED, UNUSED + INTEGER_REGISTERS);
  const stack = raw.slice(UNUSED + INTEGER_REGISTERS, UNUSED + INTEGERS);
  const doubles = raw.slice(UNUSED + INTEGERS);
  const args = printfKinds(text).flatMap((kind) => {
    if (kind === "double" && !DOUBLES_AMONG_INTEGERS && doubles.length > 0)
      return [KOFFI_TYPE[kind], doubles.shift()!];
    const bits =
      (kind === "double" && !DOUBLES_AMONG_INTEGERS ? undefined : integers.shift()) ??
      stack.shift() ??
      0;
    if (kind === "int") return [KOFFI_TYPE[kind], Number(BigInt.asIntN(32, BigInt(bits)))];
    return [KOFFI_TYPE[kind], kind === "double" ? doubleOfBits(bits) : bits];
  });
  const snprintf = cFunction("int snprintf(int64_t to, int64_t size, int64_t format, ...)") as (
    ...args: (number | bigint | string)[]
  ) => number;
  const needed = snprintf(0, 0, format, ...args) + 1;
  const block = arena.allocate(needed);
  snprintf(block.address, needed, format, ...args);
  const message = Buffer.from(bytesOf(block).subarray(0, needed - 1)).toString("utf8");
  arena.free();
  return message;
}

function doubleOfBits(bits: number | bigint): number {
  return new Float64Array(BigInt64Array.of(BigInt(bits)).buffer)[0];
}
