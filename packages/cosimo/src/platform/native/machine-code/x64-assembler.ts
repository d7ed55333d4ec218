/**
 * The x86-64 back end of the emitter, with the calls of System V: what it needs beyond moves and
 * calls (x64.ts). Doubles are xmm registers below 8, so that no prefix bit is needed for them.
 */
import { type FloatState, REGISTERS_SHIFT } from "../float-state.ts";
import type { Wire } from "../transfer.ts";
import { X64 } from "../x64.ts";
import { type Assembler, If, type Label, Reg } from "./assembler.ts";

const { rax, rcx, rdx, rsp, rbp, rsi, rdi } = Reg;

/** All bits of MXCSR but the flags of exceptions that have happened. */
const MODE_BITS = 0xffc0;
/** Where the state is put on the stack: below what it holds, which signals leave alone. */
const FOUND_MODE = -8;
const FOUND_CONTROL = -16;
const FOUND_STATUS = -24;
/**
 * What fxam says of a register (C0, C2 and C3 of the status word), and what it says of an empty
 * one.
 */
const KIND_BITS = 0x4500;
const EMPTY = 0x4100;

const RETURN = 0xc3;
const LEAVE = 0xc9;
/** Before an instruction that changes memory: several threads may do so at once. */
const LOCK = 0xf0;
/** Above the frame pointer: the one before, the return address, then arguments. */
const ARGUMENTS = 16;
/** The number of the system call. */
const FUTEX = 202;

/** The instruction that extends a C integer to 64 bits: [rex, …opcode]. */
const EXTEND: Readonly<Partial<Record<Wire, readonly [number, ...number[]]>>> = {
  i8: [0x48, 0x0f, 0xbe],
  u8: [0x48, 0x0f, 0xb6],
  i16: [0x48, 0x0f, 0xbf],
  u16: [0x48, 0x0f, 0xb7],
  i32: [0x48, 0x63],
  u32: [0x40, 0x8b],
  i64: [0x48, 0x8b],
};

export class X64Assembler extends X64 implements Assembler {
  readonly modeBits: number = MODE_BITS;
  private readonly jumps: { readonly from: number; readonly to: Label }[] = [];

  override get code(): Uint8Array {
    const bytes = super.code;
    const view = new DataView(bytes.buffer);
    for (const { from, to } of this.jumps) {
      if (to.at < 0) throw new Error("internal: a jump goes nowhere");
      view.setInt32(from, to.at - (from + 4), true);
    }
    return bytes;
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
    this.raw(0xe9);
    return this.target(to);
  }

  jumpIf(condition: number, to: Label): this {
    this.raw(0x0f, 0x80 | condition);
    return this.target(to);
  }

  private target(to: Label): this {
    this.jumps.push({ from: this.length, to });
    return this.int32(0);
  }

  skipIf(condition: number, body: (code: Assembler) => void): this {
    const inner = new X64Assembler();
    body(inner);
    return this.raw(0x70 | condition, inner.length, ...inner.code);
  }

  jumpTo(reg: number): this {
    return this.raw(0xff, 0xe0 | reg);
  }

  // Functions.

  save(registers: readonly number[]): this {
    for (const reg of registers) this.push(reg);
    return this;
  }

  restore(registers: readonly number[]): this {
    for (const reg of registers.toReversed()) this.pop(reg);
    return this;
  }

  ret(): this {
    return this.raw(RETURN);
  }

  enterFrame(): this {
    return this.push(rbp).move(rbp, rsp);
  }

  copyStackWords(words: number): this {
    if (words > 0) this.address(rsp, rsp, -16 * Math.ceil(words / 2));
    for (let i = 0; i < words; i++) this.load(rax, rbp, ARGUMENTS + 8 * i).store(rsp, 8 * i, rax);
    return this;
  }

  leaveFrame(): this {
    return this.raw(LEAVE, RETURN);
  }

  putSeventhArgument(from: number): this {
    return this.address(rsp, rsp, -16).store(rsp, 0, from);
  }

  loadSeventhArgument(to: number): this {
    return this.load(to, rsp, 8);
  }

  callMemory(base: number, offset: number): this {
    return this.memory(0x40, [0xff], 2, base, offset);
  }

  // Doubles.

  storeDouble(base: number, offset: number, x: number): this {
    return this.raw(0xf2).memory(0x40, [0x0f, 0x11], x, base, offset);
  }

  loadFloat(x: number, base: number, offset: number): this {
    this.raw(0xf3).memory(0x40, [0x0f, 0x10], x, base, offset);
    return this.raw(0xf3, 0x0f, 0x5a, 0xc0 | (x << 3) | x); // cvtss2sd x, x
  }

  storeFloat(base: number, offset: number, x: number): this {
    this.raw(0xf2, 0x0f, 0x5a, 0xc0 | (x << 3) | x); // cvtsd2ss x, x
    return this.raw(0xf3).memory(0x40, [0x0f, 0x11], x, base, offset);
  }

  zero(x: number): this {
    return this.raw(0x66, 0x0f, 0xef, 0xc0 | (x << 3) | x);
  }

  copyDouble(x: number, y: number): this {
    return this.raw(0x66, 0x0f, 0x28, 0xc0 | (x << 3) | y);
  }

  /** x = x + y, and so on. */
  add(x: number, y: number): this {
    return this.arithmetic(0x58, x, y);
  }

  subtract(x: number, y: number): this {
    return this.arithmetic(0x5c, x, y);
  }

  multiply(x: number, y: number): this {
    return this.arithmetic(0x59, x, y);
  }

  divide(x: number, y: number): this {
    return this.arithmetic(0x5e, x, y);
  }

  /** x = x + [base + offset], and so on. */
  addMemory(x: number, base: number, offset: number): this {
    return this.raw(0xf2).memory(0x40, [0x0f, 0x58], x, base, offset);
  }

  multiplyMemory(x: number, base: number, offset: number): this {
    return this.raw(0xf2).memory(0x40, [0x0f, 0x59], x, base, offset);
  }

  divideMemory(x: number, base: number, offset: number): this {
    return this.raw(0xf2).memory(0x40, [0x0f, 0x5e], x, base, offset);
  }

  private arithmetic(opcode: number, x: number, y: number): this {
    return this.raw(0xf2, 0x0f, opcode, 0xc0 | (x << 3) | y);
  }

  /**
   * x = x without its sign; 16 bytes at [base + offset], aligned, are the mask that leaves it out.
   */
  absolute(x: number, base: number, offset: number): this {
    return this.memory(0x40, [0x0f, 0x54], x, base, offset);
  }

  /** x = the larger of x and y, both being numbers. */
  maximum(x: number, y: number): this {
    return this.arithmetic(0x5f, x, y);
  }

  /** For the conditions of `If`; `unordered` when one of them is not a number. */
  compareDoubles(x: number, y: number): this {
    return this.raw(0x66, 0x0f, 0x2e, 0xc0 | (x << 3) | y);
  }

  // Integers and conversions.

  /** x = the double with these 64 bits. */
  fromBits(x: number, from: number): this {
    return this.raw(0x66, 0x48 | (from >> 3), 0x0f, 0x6e, 0xc0 | (x << 3) | (from & 7));
  }

  /** x = a 64-bit integer. */
  fromInteger(x: number, from: number): this {
    this.zero(x); // breaks the dependency on what x was
    return this.raw(0xf2, 0x48 | (from >> 3), 0x0f, 0x2a, 0xc0 | (x << 3) | (from & 7));
  }

  /** to = x without its fraction; -2^63 when that is no 64-bit integer. */
  toInteger(to: number, x: number): this {
    return this.raw(0xf2, 0x48 | ((to >> 3) << 2), 0x0f, 0x2c, 0xc0 | ((to & 7) << 3) | x);
  }

  /** to = a C integer in memory. */
  loadInteger(wire: Wire, to: number, base: number, offset: number): this {
    const [rex, ...opcode] = EXTEND[wire]!;
    return this.memory(rex, opcode, to, base, offset);
  }

  /** A C integer in memory = the lower bits of `from`, a register below 4. */
  storeInteger(wire: Wire, base: number, offset: number, from: number): this {
    switch (wire) {
      case "i8":
      case "u8":
        return this.memory(0x40, [0x88], from, base, offset);
      case "i16":
      case "u16":
        return this.raw(0x66).memory(0x40, [0x89], from, base, offset);
      case "i32":
      case "u32":
        return this.store32(base, offset, from);
      default:
        return this.store(base, offset, from);
    }
  }

  increment(reg: number): this {
    return this.raw(0x48 | (reg >> 3), 0xff, 0xc0 | (reg & 7));
  }

  addConstant(reg: number, value: number): this {
    return this.raw(0x48 | (reg >> 3), 0x81, 0xc0 | (reg & 7)).int32(value);
  }

  /** Shifts out the highest bit; registers below 8. */
  double(reg: number): this {
    return this.raw(0x48, 0x01, 0xc0 | (reg << 3) | reg);
  }

  shiftLeft(reg: number, bits: number): this {
    return this.raw(0x48, 0xc1, 0xe0 | reg, bits);
  }

  or(to: number, from: number): this {
    return this.raw(0x48, 0x09, 0xc0 | (from << 3) | to);
  }

  compare(a: number, b: number): this {
    return this.raw(0x48 | ((b >> 3) << 2) | (a >> 3), 0x39, 0xc0 | ((b & 7) << 3) | (a & 7));
  }

  /** Of the lower 32 bits. */
  compare32(reg: number, value: number): this {
    return this.raw(0x40 | (reg >> 3), 0x81, 0xf8 | (reg & 7)).int32(value);
  }

  /** Sets the conditions equal and negative. */
  test(reg: number): this {
    const bits = (reg >> 3) * 5;
    return this.raw(0x48 | bits, 0x85, 0xc0 | ((reg & 7) << 3) | (reg & 7));
  }

  test32(reg: number): this {
    return this.raw(0x85, 0xc0 | (reg << 3) | reg);
  }

  testLowByte(reg: number): this {
    return this.raw(0x40, 0x84, 0xc0 | (reg << 3) | reg);
  }

  testBits(bits: number): this {
    return this.raw(0xa9).int32(bits);
  }

  testMemory(base: number, offset: number): this {
    return this.memory(0x48, [0x83], 7, base, offset).raw(0);
  }

  /** rdx = what remains of `reg` divided by `value`; clobbers rax and rcx. */
  remainder(reg: number, value: number): this {
    this.move(rax, reg).small(rdx, 0).constant(rcx, value);
    return this.raw(0x48, 0xf7, 0xf1); // div rcx
  }

  /** Copies `words` times 8 bytes from [rsi] to [rdi] upwards. */
  copyWords(words: number): this {
    return this.small(rcx, words).raw(0xf3, 0x48, 0xa5);
  }

  // The floating-point state: MXCSR, the control word of the x87 unit, and what is left in its
  // registers.

  compareState({ mode, control }: FloatState): this {
    this.storeMode(rsp, FOUND_MODE).storeControl(rsp, FOUND_CONTROL);
    this.load32(rcx, rsp, FOUND_MODE).load16(rdx, rsp, FOUND_CONTROL);
    this.raw(0x81, 0xe1).int32(MODE_BITS); // and ecx, MODE_BITS
    this.raw(0x81, 0xf1).int32(mode); // xor ecx, mode
    this.raw(0x81, 0xf2).int32(control); // xor edx, control
    this.raw(0x09, 0xd1); // or ecx, edx
    this.storeStatus(rsp, FOUND_STATUS);
    return this.registersLeft(rdx).raw(0x09, 0xd1); // or ecx, edx
  }

  storeState(base: number, at: number): this {
    this.load32(rcx, rsp, FOUND_MODE).store32(base, at, rcx);
    return this.load16(rcx, rsp, FOUND_CONTROL).store32(base, at + 4, rcx);
  }

  putBackState(base: number, at: number, homeAt: number): this {
    this.storeState(base, at);
    // The control word has 16 bits; what was left in registers is noted above them.
    this.registersLeft(rcx).raw(0xc1, 0xe1, REGISTERS_SHIFT); // shl ecx, REGISTERS_SHIFT
    return this.or32(base, at + 4, rcx).setState(base, homeAt);
  }

  setState(base: number, at: number): this {
    return this.loadMode(base, at)
      .loadControl(base, at + 4)
      .emptyRegisters();
  }

  setStateToArguments(): this {
    this.store32(rsp, FOUND_MODE, rdi).store32(rsp, FOUND_MODE + 4, rsi);
    return this.setState(rsp, FOUND_MODE);
  }

  /**
   * Writing MXCSR takes about a nanosecond, reading it several. So it is written after every call,
   * and read in ticks that are watched and where the x87 control word, which takes less time to
   * read, has changed: rounding modes are set in both. In the same way the registers of the x87
   * unit are emptied after every call.
   */
  keepState(home: FloatState, base: number, watchAt: number, homeAt: number, look: Label): this {
    this.storeControl(rsp, FOUND_CONTROL).load16(rcx, rsp, FOUND_CONTROL);
    this.compare32(rcx, home.control).jumpIf(If.notEqual, look);
    this.testMemory(base, watchAt).jumpIf(If.notEqual, look);
    return this.loadMode(base, homeAt).emptyRegisters();
  }

  /**
   * to = 0 where the x87 unit has no value on top of its registers, which is how every C function
   * leaves them.
   */
  private registersLeft(to: number): this {
    this.load16(to, rsp, FOUND_STATUS);
    this.raw(0x81, 0xe0 + to).int32(KIND_BITS); // and to, KIND_BITS
    return this.raw(0x81, 0xf0 + to).int32(EMPTY); // xor to, EMPTY
  }

  // Several threads. Stores are seen in their order, loads are done in theirs.

  incrementShared(base: number, offset: number): this {
    return this.raw(LOCK).memory(0x48, [0xff], 0, base, offset);
  }

  publish32(base: number, offset: number, from: number): this {
    return this.store32(base, offset, from);
  }

  observe32(to: number, base: number, offset: number): this {
    return this.load32(to, base, offset);
  }

  fence(): this {
    return this.raw(0x0f, 0xae, 0xf0);
  }

  pause(): this {
    return this.raw(0xf3, 0x90);
  }

  decrement32(reg: number): this {
    return this.raw(0xff, 0xc8 | reg);
  }

  add32(to: number, from: number): this {
    return this.raw(0x01, 0xc0 | (from << 3) | to);
  }

  subtract32(to: number, from: number): this {
    return this.raw(0x29, 0xc0 | (from << 3) | to);
  }

  halve32(reg: number): this {
    return this.raw(0xd1, 0xe8 | reg);
  }

  /** Also clobbers r10 and r11. */
  futex(): this {
    this.raw(0x45, 0x31, 0xd2); // xor r10d, r10d
    return this.small(rax, FUTEX).raw(0x0f, 0x05);
  }
}
