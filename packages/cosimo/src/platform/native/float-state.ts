/**
 * The floating-point state of our thread (rounding, flushing to zero, precision, exceptions that
 * trap) and who leaves it changed. A processor has one for all code that runs: an FMU that sets
 * another and returns, or a library that does so while it is loaded, would have its neighbours and
 * our own JavaScript compute with it, and executors would disagree.
 *
 * So the state that was there before the first FMU is put back after every call and after loading.
 * Where machine code of ours can run, a few instructions around each function see to it
 * (float-state-code.ts); elsewhere C's own fegetenv and fesetenv do, which take a call each. Flags
 * that exceptions leave behind are not part of it: every operation sets them.
 */
import type { Address } from "./native-memory.ts";

/**
 * MXCSR without its flags, and the x87 control word; of ARM64 FPCR, and 0. Bits of the control word
 * above its 16 say that values were left in the registers of the x87 unit, which MMX uses too: who
 * computes with them next gets NaN for want of a free one.
 */
export interface FloatState {
  readonly mode: number;
  readonly control: number;
}

/**
 * Where C0, C2 and C3 of the x87 status word lie in `control`; all 0 where no value was left in a
 * register.
 */
export const REGISTERS_SHIFT = 8;
export const REGISTERS_LEFT: number = 0x4500 << REGISTERS_SHIFT;

/**
 * A C function that is to be guarded, and how many words of its arguments are passed on the stack.
 */
export interface GuardedFunction {
  readonly address: Address;
  readonly stackWords: number;
}

/** A call with arguments that never change or lie in memory. */
export interface FixedCall {
  readonly address: Address;
  readonly args: readonly FixedArgument[];
}

export type FixedArgument =
  | number
  | { readonly at: Address; readonly kind: "double" | "int32" | "word" };

/** A call of a sequence. */
export interface SequenceCall extends FixedCall {
  /** Where the call under way is to be shown, and as what. */
  readonly marker?: { readonly at: Address; readonly id: number } | undefined;
  /** Bytes that are 0 after a call that needs no judgement. */
  readonly flags?: readonly Address[];
}

/**
 * Functions without parameters, one for each call, in one piece of code that runs wherever it is
 * put.
 */
export interface PreparedCode {
  readonly code: Uint8Array;
  readonly offsets: readonly number[];
}

export interface FloatGuard {
  /** What is put back. */
  readonly home: FloatState;
  /**
   * The first word is not 0 when a call left another state behind, which the next two hold; it was
   * restored at once. In a sequence it is the number of the call, counted from 1.
   */
  readonly changed: Int32Array;
  /** Does so after native code that ran without a guard. */
  check(): void;
  set(state: FloatState): void;
  /** Where to call `functions` instead; undefined: their callers `check`. */
  readonly entries?: (functions: readonly GuardedFunction[]) => readonly Address[] | undefined;
  /**
   * Code that makes calls and restores the state after them; undefined: this machine has another
   * instruction set.
   */
  readonly prepare?: (calls: readonly FixedCall[]) => PreparedCode;
  /**
   * Code that makes the calls one after the other and returns 0. It ends behind the first one whose
   * status is not 0 or that sets a flag, with its status at `status`, and returns its number,
   * counted from 1.
   */
  readonly prepareSequence?: (calls: readonly SequenceCall[], status: Address) => Uint8Array;
}

/** What the last call left behind; undefined when it left nothing. */
export function takeChange({ changed }: FloatGuard): FloatState | undefined {
  if (changed[0] === 0) return undefined;
  changed[0] = 0;
  return { mode: changed[1], control: changed[2] };
}

/** In words: how `found` differs from `home`. */
export function describeChange(
  home: FloatState,
  found: FloatState,
  architecture: string = process.arch,
): string {
  const table = architecture === "arm64" ? ARM64 : X64;
  const texts = table.flatMap(({ word, bits, text }) => {
    const value = found[word] & bits;
    return value === (home[word] & bits) ? [] : [text(value)];
  });
  return [...new Set(texts)].join(", ");
}

interface Field {
  readonly word: keyof FloatState;
  readonly bits: number;
  readonly text: (value: number) => string;
}

const ROUNDING = ["to nearest", "downward", "upward", "toward zero"] as const;
const ROUNDING_ARM64 = ["to nearest", "upward", "downward", "toward zero"] as const;
const TRAPS = "exceptions that trap";

const X64: readonly Field[] = [
  { word: "mode", bits: 0x6000, text: (value) => `rounding ${ROUNDING[value >> 13]}` },
  { word: "mode", bits: 0x8000, text: () => "tiny results become 0" },
  { word: "mode", bits: 0x0040, text: () => "tiny operands count as 0" },
  { word: "mode", bits: 0x1f80, text: () => TRAPS },
  { word: "control", bits: 0x0c00, text: (value) => `x87 rounding ${ROUNDING[value >> 10]}` },
  { word: "control", bits: 0x0300, text: (value) => `x87 precision of ${BITS[value >> 8]} bits` },
  { word: "control", bits: 0x003f, text: () => TRAPS },
  { word: "control", bits: REGISTERS_LEFT, text: () => "values left in x87 or MMX registers" },
];
const BITS = [24, 0, 53, 64] as const;

const ARM64: readonly Field[] = [
  { word: "mode", bits: 0xc00000, text: (value) => `rounding ${ROUNDING_ARM64[value >> 22]}` },
  { word: "mode", bits: 0x1000000, text: () => "tiny numbers count as 0" },
  { word: "mode", bits: 0x9f00, text: () => TRAPS },
];
