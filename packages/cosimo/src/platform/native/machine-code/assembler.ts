/**
 * What the emitter asks of an instruction set, so that plans, masters and prepared calls are
 * written once. Back ends: x64-assembler.ts and arm64-assembler.ts; host-assembler.ts chooses.
 *
 * Registers have the names of x86-64 and stand for what its calls do with them: rdi, rsi, rdx, rcx,
 * r8 and r9 are the arguments of a call that are not doubles, in this order, rax has its result;
 * rbx, rbp, r12, r13 and r14 keep their values over calls. Doubles are x0 to x7, which are also the
 * arguments of calls. A back end has a register of its own for each. `to`, `from` and `base` are
 * general registers, `x` and `y` doubles.
 *
 * Every operation on doubles rounds once, as JavaScript does: a product and a sum are never fused.
 */
import type { FloatState } from "../float-state.ts";
import type { Wire } from "../transfer.ts";

export const Reg = {
  rax: 0,
  rcx: 1,
  rdx: 2,
  rbx: 3,
  rsp: 4,
  rbp: 5,
  rsi: 6,
  rdi: 7,
  r8: 8,
  r9: 9,
  r11: 11,
  r12: 12,
  r13: 13,
  r14: 14,
} as const;

/** A place in the code; jumps to it may come before it. */
export interface Label {
  at: number;
}

/**
 * Conditions, as the last nibble of their jumps on x86-64. After `compareDoubles` these are the
 * unsigned ones; `below` and `belowOrEqual` hold there when one side is NaN, `equal` and `notEqual`
 * are for numbers alone.
 */
export const If = {
  below: 0x2,
  aboveOrEqual: 0x3,
  equal: 0x4,
  notEqual: 0x5,
  belowOrEqual: 0x6,
  above: 0x7,
  negative: 0x8,
  notNegative: 0x9,
  unordered: 0xa,
  lessOrEqual: 0xe,
} as const;

export interface Assembler {
  /** Bytes so far. */
  readonly length: number;
  /** The finished code, which runs wherever it is put. */
  readonly code: Uint8Array;

  // Jumps.

  label(): Label;
  here(label: Label): this;
  jump(to: Label): this;
  jumpIf(condition: number, to: Label): this;
  /** Jumps over `body`, which is short. */
  skipIf(condition: number, body: (code: Assembler) => void): this;
  jumpTo(reg: number): this;
  /** Goes on at the address that lies at [base + offset]. */
  jumpToMemory(base: number, offset: number): this;

  // Functions. Calls clobber everything that does not keep its value over them.

  /**
   * The first thing that a function does which calls others: keeps the caller's values of
   * registers, an odd number of them.
   */
  save(registers: readonly number[]): this;
  /** Undoes `save`. */
  restore(registers: readonly number[]): this;
  /** Returns rax. */
  ret(): this;
  /** The first thing of a function that keeps nothing and hands its own arguments on. */
  enterFrame(): this;
  /**
   * Copies as many words of arguments from the caller's stack to where the next call expects them.
   */
  copyStackWords(words: number): this;
  /** Undoes `enterFrame` and returns rax. */
  leaveFrame(): this;
  /** Calls the function at a fixed address. */
  call(target: number): this;
  /** Calls the function whose address is at [base + offset]. */
  callMemory(base: number, offset: number): this;
  /** Makes `from` the seventh argument that is not a double of the next call, inside a frame. */
  putSeventhArgument(from: number): this;
  /** to = the seventh argument that is not a double; before anything was saved. */
  loadSeventhArgument(to: number): this;

  // Integers and memory.

  /** to = from, 64 bits. */
  move(to: number, from: number): this;
  /** to = a 64-bit constant, such as an address. */
  constant(to: number, value: number): this;
  /** to = a 32-bit constant, upper half zero; `to` below 8. */
  small(to: number, value: number): this;
  /** [base + offset] = from, 64 bits. */
  store(base: number, offset: number, from: number): this;
  /** [base + offset] = from, 32 bits. */
  store32(base: number, offset: number, from: number): this;
  /** [base + offset] = constant, 32 bits. */
  put32(base: number, offset: number, value: number): this;
  load(to: number, base: number, offset: number): this;
  /** to = 32 bits of memory, the rest zero. */
  load32(to: number, base: number, offset: number): this;
  /** to = base + offset. */
  address(to: number, base: number, offset: number): this;
  /** to = a C integer in memory. */
  loadInteger(wire: Wire, to: number, base: number, offset: number): this;
  /** A C integer in memory = the lower bits of `from`, a register below 4. */
  storeInteger(wire: Wire, base: number, offset: number, from: number): this;
  increment(reg: number): this;
  addConstant(reg: number, value: number): this;
  /** Shifts out the highest bit; registers below 8. */
  double(reg: number): this;
  /** By fewer than 64 bits; registers below 8. */
  shiftLeft(reg: number, bits: number): this;
  /** to = to | from; registers below 8. */
  or(to: number, from: number): this;
  /** rdx = what remains of `reg` divided by `value`; clobbers rax and rcx. */
  remainder(reg: number, value: number): this;
  /** Copies `words` times 8 bytes from [rsi] to [rdi] upwards; clobbers rcx, rsi and rdi. */
  copyWords(words: number): this;

  // Comparisons, for the jump that follows.

  compare(a: number, b: number): this;
  /** Of the lower 32 bits. */
  compare32(reg: number, value: number): this;
  /** Sets the conditions equal and negative. */
  test(reg: number): this;
  test32(reg: number): this;
  /** Condition equal: the lowest byte of the register, one below 8, is 0. */
  testLowByte(reg: number): this;
  /** Condition equal: none of the bits is set in eax. */
  testBits(bits: number): this;
  /** Condition equal: [base + offset] is 0. */
  testMemory(base: number, offset: number): this;
  /** Condition equal: the byte at [base + offset] is 0. */
  testByte(base: number, offset: number): this;
  /** For the conditions of `If`; `unordered` when one of them is not a number. */
  compareDoubles(x: number, y: number): this;

  // Doubles.

  /** x = the double at [base + offset]. */
  loadDouble(x: number, base: number, offset: number): this;
  storeDouble(base: number, offset: number, x: number): this;
  loadFloat(x: number, base: number, offset: number): this;
  /** Clobbers x. */
  storeFloat(base: number, offset: number, x: number): this;
  zero(x: number): this;
  copyDouble(x: number, y: number): this;
  /** x = x + y, and so on. */
  add(x: number, y: number): this;
  subtract(x: number, y: number): this;
  multiply(x: number, y: number): this;
  divide(x: number, y: number): this;
  /** x = x + [base + offset], and so on. */
  addMemory(x: number, base: number, offset: number): this;
  multiplyMemory(x: number, base: number, offset: number): this;
  divideMemory(x: number, base: number, offset: number): this;
  /**
   * x = x without its sign; 16 bytes at [base + offset], aligned, are the mask that leaves it out.
   */
  absolute(x: number, base: number, offset: number): this;
  /** x = the larger of x and y, both being numbers and not zeros of two signs. */
  maximum(x: number, y: number): this;
  /** x = the double with these 64 bits. */
  fromBits(x: number, from: number): this;
  /** x = a 64-bit integer. */
  fromInteger(x: number, from: number): this;
  /** to = x without its fraction; -2^63 when that is no 64-bit integer. */
  toInteger(to: number, x: number): this;

  // The floating-point state (float-state.ts).

  /** Bits of its mode that count: not those that every operation may change. */
  readonly modeBits: number;

  /** Condition not equal: the state is another than `home`. Keeps rax; clobbers rcx and rdx. */
  compareState(home: FloatState): this;
  /**
   * After a comparison: [base + at] = the mode found, [base + at + 4] = the control word. Clobbers
   * rcx.
   */
  storeState(base: number, at: number): this;
  /**
   * The same, with what was left in registers; then the state becomes the one at [base + homeAt].
   */
  putBackState(base: number, at: number, homeAt: number): this;
  /** The state becomes the one whose mode and control word lie at [base + at]. */
  setState(base: number, at: number): this;
  /** The same with the first two arguments of this function. */
  setStateToArguments(): this;
  /**
   * After a call that may have changed it: makes the state ours as fast as that can be had. Goes to
   * `look` where it changed, as far as this is seen, and where [base + watchAt] is not 0. Keeps
   * rax; clobbers rcx and rdx.
   */
  keepState(home: FloatState, base: number, watchAt: number, homeAt: number, look: Label): this;

  // Several threads.

  /** [base + offset], 64 bits, becomes one more, atomically. */
  incrementShared(base: number, offset: number): this;
  /** As `store32`, after everything that was written before. */
  publish32(base: number, offset: number, from: number): this;
  /** As `load32`, before everything that is read after. */
  observe32(to: number, base: number, offset: number): this;
  fence(): this;
  pause(): this;
  /** Of 32 bits; condition equal: it is 0 now. */
  decrement32(reg: number): this;
  /** to = to + from, 32 bits, and so on; registers below 8. */
  add32(to: number, from: number): this;
  subtract32(to: number, from: number): this;
  halve32(reg: number): this;
  /**
   * The system call futex of Linux without a time limit: rdi, rsi and rdx are its arguments.
   * Clobbers rax and rcx.
   */
  futex(): this;
}
