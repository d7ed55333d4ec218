/**
 * The ARM64 back end of the emitter, with the calls of AAPCS64. What is emitted needs only what
 * Linux and Apple have in common: arguments in x0 to x7 and d0 to d7, none on the stack, none
 * variadic; x18 is the system's and not touched, x29 points to a frame record.
 *
 *   rdi rsi rdx rcx r8 r9   x0 to x5         rax   x9: a call moves its result there, a return moves it back
 *   rbx rbp r12 r13 r14     x19 to x23       x16 and x17 hold addresses and constants inside one operation
 *
 * The result has a register of its own because x0 is the first argument too, and emitters use rax
 * between arguments. A conditional jump reaches 1 MiB, so jumps that are still open by then are led
 * to islands of unconditional ones.
 */
import type { FloatState } from "../float-state.ts";
import type { Wire } from "../transfer.ts";
import { A64, Access, access, Condition, FRAME, LINK, SP, ZERO } from "./arm64-words.ts";
import { type Assembler, If, type Label, Reg } from "./assembler.ts";

/** By the numbers of `Reg`. */
const REGISTERS: Readonly<Record<number, number>> = {
  [Reg.rax]: 9,
  [Reg.rcx]: 3,
  [Reg.rdx]: 2,
  [Reg.rbx]: 19,
  [Reg.rsp]: SP,
  [Reg.rbp]: 20,
  [Reg.rsi]: 1,
  [Reg.rdi]: 0,
  [Reg.r8]: 4,
  [Reg.r9]: 5,
  [Reg.r12]: 21,
  [Reg.r13]: 22,
  [Reg.r14]: 23,
};
/** Inside one operation: an address, a value, and what was stored of it. */
const ADDRESS = 16;
const VALUE = 17;
const STORED = 15;
/** Of doubles. */
const VALUE_DOUBLE = 16;
const RESULT = 9;
const RETURNED = 0;
const SEVENTH = 6;
const SYSTEM_CALL = 8;
/** The number of the system call. */
const FUTEX = 98;

const AFTER_INTEGERS: Readonly<Record<number, number>> = {
  [If.below]: Condition.noCarry,
  [If.aboveOrEqual]: Condition.carry,
  [If.equal]: Condition.equal,
  [If.notEqual]: Condition.notEqual,
  [If.belowOrEqual]: Condition.unsignedBelowOrEqual,
  [If.above]: Condition.unsignedAbove,
  [If.negative]: Condition.negative,
  [If.notNegative]: Condition.notNegative,
  [If.lessOrEqual]: Condition.atMost,
};
const AFTER_DOUBLES: Readonly<Record<number, number>> = {
  [If.below]: Condition.less,
  [If.aboveOrEqual]: Condition.atLeast,
  [If.equal]: Condition.equal,
  [If.notEqual]: Condition.notEqual,
  [If.belowOrEqual]: Condition.atMost,
  [If.above]: Condition.greater,
  [If.unordered]: Condition.overflow,
};

/** Words that a conditional jump reaches, and those that any other does. */
const REACH = 2 ** 18;
const LONG_REACH = 2 ** 25;

const LOADS: Readonly<Partial<Record<Wire, Access>>> = {
  i8: Access.loadSigned8,
  u8: Access.load8,
  i16: Access.loadSigned16,
  u16: Access.load16,
  i32: Access.loadSigned32,
  u32: Access.load32,
  i64: Access.load,
};
const STORES: Readonly<Partial<Record<Wire, Access>>> = {
  i8: Access.store8,
  u8: Access.store8,
  i16: Access.store16,
  u16: Access.store16,
  i32: Access.store32,
  u32: Access.store32,
};

/** A jump that is not written yet: where it is, as the number of a word. */
interface OpenJump {
  readonly from: number;
  readonly to: Label;
}

export class Arm64Assembler implements Assembler {
  /** FPCR has nothing but modes. */
  readonly modeBits: number = 0x7fffffff;
  private readonly words: number[] = [];
  private readonly jumps: OpenJump[] = [];
  private conditional: (OpenJump & { readonly condition: number })[] = [];
  private conditions: typeof AFTER_INTEGERS = AFTER_INTEGERS;
  private readonly reach: number;

  /** @param reach of conditional jumps in words; less for tests. */
  constructor(reach: number = REACH) {
    this.reach = reach;
  }

  get length(): number {
    return 4 * this.words.length;
  }

  get code(): Uint8Array {
    const words = Int32Array.from(this.words);
    for (const { from, to } of this.jumps) words[from] = A64.branch(distance(from, to, LONG_REACH));
    for (const { from, to, condition } of this.conditional)
      words[from] = A64.branchIf(condition, distance(from, to, REACH));
    return new Uint8Array(words.buffer);
  }

  /** Instructions that stay together. */
  private put(...words: readonly number[]): this {
    this.keepInReach(words.length);
    this.words.push(...words);
    return this;
  }

  // Jumps.

  label(): Label {
    return { at: -1 };
  }

  here(label: Label): this {
    label.at = this.length;
    return this;
  }

  jump(to: Label): this {
    this.put(A64.branch(0));
    this.jumps.push({ from: this.words.length - 1, to });
    return this;
  }

  jumpIf(condition: number, to: Label): this {
    const own = this.conditions[condition];
    if (own === undefined) throw new Error(`internal: no such condition here: ${condition}`);
    if (to.at >= 0 && this.words.length - to.at / 4 >= this.reach - 2) {
      // Back over a long way: the opposite condition, whose lowest bit differs, jumps over a jump.
      this.put(A64.branchIf(own ^ 1, 2), A64.branch(0));
      this.jumps.push({ from: this.words.length - 1, to });
      return this;
    }
    this.put(A64.branchIf(own, 0));
    this.conditional.push({ from: this.words.length - 1, to, condition: own });
    return this;
  }

  skipIf(condition: number, body: (code: Assembler) => void): this {
    const over = this.label();
    this.jumpIf(condition, over);
    body(this);
    return this.here(over);
  }

  jumpTo(reg: number): this {
    return this.put(A64.branchTo(own(reg)));
  }

  jumpToMemory(base: number, offset: number): this {
    return this.access(Access.load, ADDRESS, base, offset).put(A64.branchTo(ADDRESS));
  }

  /** Before `count` more words: jumps whose way gets too long jump to jumps that are put here. */
  private keepInReach(count: number): void {
    const { conditional, words } = this;
    const first = conditional[0];
    const island = 1 + conditional.length;
    if (first === undefined || words.length + count + island - first.from < this.reach) return;
    this.conditional = [];
    const over = words.length;
    words.push(0);
    for (const { from, to, condition } of conditional) {
      const isKnown = to.at >= 0;
      words[from] = A64.branchIf(condition, (isKnown ? to.at / 4 : words.length) - from);
      if (isKnown) continue;
      this.jumps.push({ from: words.length, to });
      words.push(0);
    }
    words[over] = A64.branch(words.length - over);
  }

  // Functions.

  save(registers: readonly number[]): this {
    this.put(A64.pushPair(FRAME, LINK), A64.addBits(FRAME, SP, 0));
    for (let i = 0; i < registers.length; i += 2) {
      const [first, second] = registers.slice(i, i + 2);
      if (second === undefined) this.put(A64.push(own(first)));
      else this.put(A64.pushPair(own(first), own(second)));
    }
    return this;
  }

  restore(registers: readonly number[]): this {
    for (let i = (registers.length - 1) & ~1; i >= 0; i -= 2) {
      const [first, second] = registers.slice(i, i + 2);
      if (second === undefined) this.put(A64.pop(own(first)));
      else this.put(A64.popPair(own(first), own(second)));
    }
    return this.put(A64.popPair(FRAME, LINK));
  }

  ret(): this {
    return this.put(A64.mov(RETURNED, RESULT), A64.ret);
  }

  enterFrame(): this {
    return this.put(A64.pushPair(FRAME, LINK), A64.addBits(FRAME, SP, 0));
  }

  /** Word by word, so that it does not matter how densely a system packs arguments. */
  copyStackWords(words: number): this {
    if (words > 0) this.addTo(SP, SP, -16 * Math.ceil(words / 2));
    for (let i = 0; i < words; i++) {
      this.accessAt(Access.load, VALUE, FRAME, 16 + 8 * i);
      this.accessAt(Access.store, VALUE, SP, 8 * i);
    }
    return this;
  }

  leaveFrame(): this {
    this.put(A64.addBits(SP, FRAME, 0), A64.popPair(FRAME, LINK));
    return this.ret();
  }

  call(target: number): this {
    return this.constantIn(ADDRESS, target).put(A64.callTo(ADDRESS), A64.mov(RESULT, RETURNED));
  }

  callMemory(base: number, offset: number): this {
    this.access(Access.load, ADDRESS, base, offset);
    return this.put(A64.callTo(ADDRESS), A64.mov(RESULT, RETURNED));
  }

  putSeventhArgument(from: number): this {
    return this.put(A64.mov(SEVENTH, own(from)));
  }

  loadSeventhArgument(to: number): this {
    return this.put(A64.mov(own(to), SEVENTH));
  }

  // Integers and memory.

  move(to: number, from: number): this {
    return this.put(A64.mov(own(to), own(from)));
  }

  constant(to: number, value: number): this {
    return this.constantIn(own(to), value);
  }

  small(to: number, value: number): this {
    return this.constantIn(own(to), value >>> 0);
  }

  private constantIn(d: number, value: number): this {
    const whole = value < 2 ** 32 ? value >>> 0 : value;
    const parts = [0, 1, 2, 3].map((part) => Math.floor(whole / 2 ** (16 * part)) % 2 ** 16);
    const used = [0, 1, 2, 3].filter((part) => parts[part] !== 0);
    const [first = 0, ...rest] = used;
    return this.put(
      A64.movz(d, parts[first], first),
      ...rest.map((part) => A64.movk(d, parts[part], part)),
    );
  }

  store(base: number, offset: number, from: number): this {
    return this.access(Access.store, own(from), base, offset);
  }

  store32(base: number, offset: number, from: number): this {
    return this.access(Access.store32, own(from), base, offset);
  }

  put32(base: number, offset: number, value: number): this {
    if (value === 0) return this.access(Access.store32, ZERO, base, offset);
    return this.constantIn(VALUE, value >>> 0).access(Access.store32, VALUE, base, offset);
  }

  load(to: number, base: number, offset: number): this {
    return this.access(Access.load, own(to), base, offset);
  }

  load32(to: number, base: number, offset: number): this {
    return this.access(Access.load32, own(to), base, offset);
  }

  address(to: number, base: number, offset: number): this {
    return this.addTo(own(to), own(base), offset);
  }

  loadInteger(wire: Wire, to: number, base: number, offset: number): this {
    return this.access(LOADS[wire] ?? Access.load, own(to), base, offset);
  }

  storeInteger(wire: Wire, base: number, offset: number, from: number): this {
    return this.access(STORES[wire] ?? Access.store, own(from), base, offset);
  }

  increment(reg: number): this {
    return this.addTo(own(reg), own(reg), 1);
  }

  addConstant(reg: number, value: number): this {
    return this.addTo(own(reg), own(reg), value);
  }

  double(reg: number): this {
    return this.put(A64.add(own(reg), own(reg), own(reg)));
  }

  shiftLeft(reg: number, bits: number): this {
    return this.put(A64.shiftLeft(own(reg), own(reg), bits));
  }

  or(to: number, from: number): this {
    return this.put(A64.or(own(to), own(to), own(from)));
  }

  remainder(reg: number, value: number): this {
    this.constantIn(VALUE, value);
    return this.put(
      A64.divide(ADDRESS, own(reg), VALUE),
      A64.multiplySubtract(own(Reg.rdx), ADDRESS, VALUE, own(reg)),
    );
  }

  copyWords(words: number): this {
    const [from, to, left] = [own(Reg.rsi), own(Reg.rdi), own(Reg.rcx)];
    this.constantIn(left, words);
    return this.put(
      A64.loadNext(VALUE, from),
      A64.storeNext(VALUE, to),
      A64.decrement32(left),
      A64.branchIf(Condition.notEqual, -3),
    );
  }

  /** Any access to [base + offset]. */
  private access(kind: Access, t: number, base: number, offset: number): this {
    return this.accessAt(kind, t, own(base), offset);
  }

  private accessAt(kind: Access, t: number, n: number, offset: number): this {
    const near = access(kind, t, n, offset);
    if (near !== undefined) return this.put(near);
    return this.addTo(ADDRESS, n, offset).put(access(kind, t, ADDRESS, 0) ?? 0);
  }

  /** d = n + offset; conditions stay. */
  private addTo(d: number, n: number, offset: number): this {
    const size = Math.abs(offset);
    const change = offset < 0 ? A64.subBits : A64.addBits;
    if (size < 2 ** 12) return this.put(change(d, n, size));
    if (size < 2 ** 24) {
      const high = change(d, n, size >> 12, true);
      const low = size & 0xfff;
      return low === 0 ? this.put(high) : this.put(high, change(d, d, low));
    }
    if (offset < 0) throw new Error(`internal: ${offset} bytes are too far`);
    return this.constantIn(VALUE, offset).put(A64.addToAddress(d, n, VALUE));
  }

  // Comparisons.

  compare(a: number, b: number): this {
    return this.integers(A64.compare(own(a), own(b)));
  }

  compare32(reg: number, value: number): this {
    if (value >= 0 && value < 2 ** 12) return this.integers(A64.compareBits32(own(reg), value));
    return this.constantIn(VALUE, value >>> 0).integers(A64.compare32(own(reg), VALUE));
  }

  test(reg: number): this {
    return this.integers(A64.test(own(reg), own(reg)));
  }

  test32(reg: number): this {
    return this.integers(A64.test32(own(reg), own(reg)));
  }

  testLowByte(reg: number): this {
    return this.integers(A64.testLowByte(own(reg)));
  }

  testBits(bits: number): this {
    return this.constantIn(VALUE, bits).integers(A64.test32(own(Reg.rax), VALUE));
  }

  testMemory(base: number, offset: number): this {
    return this.access(Access.load, VALUE, base, offset).integers(A64.compareBits(VALUE, 0));
  }

  testByte(base: number, offset: number): this {
    return this.access(Access.load8, VALUE, base, offset).integers(A64.compareBits32(VALUE, 0));
  }

  compareDoubles(x: number, y: number): this {
    this.conditions = AFTER_DOUBLES;
    return this.put(A64.compareDouble(x, y));
  }

  private integers(comparison: number): this {
    this.conditions = AFTER_INTEGERS;
    return this.put(comparison);
  }

  // Doubles.

  loadDouble(x: number, base: number, offset: number): this {
    return this.access(Access.loadDouble, x, base, offset);
  }

  storeDouble(base: number, offset: number, x: number): this {
    return this.access(Access.storeDouble, x, base, offset);
  }

  loadFloat(x: number, base: number, offset: number): this {
    return this.access(Access.loadFloat, x, base, offset).put(A64.doubleOfFloat(x, x));
  }

  storeFloat(base: number, offset: number, x: number): this {
    return this.put(A64.floatOfDouble(x, x)).access(Access.storeFloat, x, base, offset);
  }

  zero(x: number): this {
    return this.put(A64.doubleOfBits(x, ZERO));
  }

  copyDouble(x: number, y: number): this {
    return this.put(A64.moveDouble(x, y));
  }

  add(x: number, y: number): this {
    return this.put(A64.addDouble(x, x, y));
  }

  subtract(x: number, y: number): this {
    return this.put(A64.subtractDouble(x, x, y));
  }

  multiply(x: number, y: number): this {
    return this.put(A64.multiplyDouble(x, x, y));
  }

  divide(x: number, y: number): this {
    return this.put(A64.divideDouble(x, x, y));
  }

  addMemory(x: number, base: number, offset: number): this {
    return this.loadDouble(VALUE_DOUBLE, base, offset).add(x, VALUE_DOUBLE);
  }

  multiplyMemory(x: number, base: number, offset: number): this {
    return this.loadDouble(VALUE_DOUBLE, base, offset).multiply(x, VALUE_DOUBLE);
  }

  divideMemory(x: number, base: number, offset: number): this {
    return this.loadDouble(VALUE_DOUBLE, base, offset).divide(x, VALUE_DOUBLE);
  }

  absolute(x: number): this {
    return this.put(A64.absoluteDouble(x, x));
  }

  maximum(x: number, y: number): this {
    return this.put(A64.maximumDouble(x, x, y));
  }

  fromBits(x: number, from: number): this {
    return this.put(A64.doubleOfBits(x, own(from)));
  }

  fromInteger(x: number, from: number): this {
    return this.put(A64.doubleOfInteger(x, own(from)));
  }

  /** The conversion itself gives the nearest integer, and 0 for NaN. */
  toInteger(to: number, x: number): this {
    const d = own(to);
    return this.put(
      A64.integerOfDouble(d, x),
      A64.movz(VALUE, 0x8000, 3),
      A64.not(ADDRESS, VALUE),
      // No double is the greatest 64-bit integer.
      A64.compare(d, ADDRESS),
      A64.select(d, VALUE, d, Condition.equal),
      A64.compareDouble(x, x),
      A64.select(d, VALUE, d, Condition.overflow),
    );
  }

  // The floating-point state: FPCR, which takes little time to read.

  compareState({ mode }: FloatState): this {
    this.constantIn(VALUE, mode).put(A64.readState(ADDRESS));
    return this.integers(A64.compare32(ADDRESS, VALUE));
  }

  storeState(base: number, at: number): this {
    this.put(A64.readState(VALUE)).access(Access.store32, VALUE, base, at);
    return this.put32(base, at + 4, 0);
  }

  putBackState(base: number, at: number, homeAt: number): this {
    return this.storeState(base, at).setState(base, homeAt);
  }

  setState(base: number, at: number): this {
    return this.access(Access.load32, VALUE, base, at).put(A64.writeState(VALUE));
  }

  setStateToArguments(): this {
    return this.put(A64.writeState(own(Reg.rdi)));
  }

  keepState(home: FloatState, _base: number, _watchAt: number, _homeAt: number, look: Label): this {
    return this.compareState(home).jumpIf(If.notEqual, look);
  }

  // Several threads.

  incrementShared(base: number, offset: number): this {
    return this.pointTo(base, offset).put(
      A64.loadExclusive(VALUE, ADDRESS),
      A64.addBits(VALUE, VALUE, 1),
      A64.storeExclusive(STORED, VALUE, ADDRESS),
      A64.branchIfNotZero32(STORED, -3),
    );
  }

  publish32(base: number, offset: number, from: number): this {
    return this.pointTo(base, offset).put(A64.storeRelease32(own(from), ADDRESS));
  }

  observe32(to: number, base: number, offset: number): this {
    return this.pointTo(base, offset).put(A64.loadAcquire32(own(to), ADDRESS));
  }

  private pointTo(base: number, offset: number): this {
    return this.addTo(ADDRESS, own(base), offset);
  }

  fence(): this {
    return this.put(A64.fence);
  }

  pause(): this {
    return this.put(A64.yield);
  }

  decrement32(reg: number): this {
    return this.integers(A64.decrement32(own(reg)));
  }

  add32(to: number, from: number): this {
    return this.put(A64.add32(own(to), own(to), own(from)));
  }

  subtract32(to: number, from: number): this {
    return this.put(A64.sub32(own(to), own(to), own(from)));
  }

  halve32(reg: number): this {
    return this.put(A64.halve32(own(reg), own(reg)));
  }

  futex(): this {
    this.constantIn(own(Reg.rcx), 0).constantIn(SYSTEM_CALL, FUTEX);
    return this.put(A64.systemCall, A64.mov(RESULT, RETURNED));
  }
}

/** The register of this machine. */
function own(reg: number): number {
  const found = REGISTERS[reg];
  if (found === undefined) throw new Error(`internal: no register ${reg}`);
  return found;
}

function distance(from: number, { at }: Label, reach: number): number {
  if (at < 0) throw new Error("internal: a jump goes nowhere");
  const words = at / 4 - from;
  if (Math.abs(words) >= reach) throw new Error("internal: a jump is too long");
  return words;
}
