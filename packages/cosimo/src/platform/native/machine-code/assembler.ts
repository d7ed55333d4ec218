/**
 * What generated plans need beyond moves and calls (x64.ts): doubles in xmm registers, conversions between the number
 * types of FMI, and jumps to places that are not written yet.
 *
 * `to`, `from` and `base` are general registers, `x` and `y` xmm registers below 8, so that no prefix bit is needed for them.
 */
import type { Wire } from "../transfer.ts";
import { Reg, X64 } from "../x64.ts";

/** A place in the code; jumps to it may come before it. */
export interface Label {
  at: number;
}

/** Conditions, as the last nibble of their jumps. The unsigned ones are those that follow `compareDoubles`. */
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

export class Assembler extends X64 {
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

  /** Calls the function whose address is at [base + offset]. */
  callMemory(base: number, offset: number): this {
    return this.memory(0x40, [0xff], 2, base, offset);
  }

  // Doubles.

  loadDouble(x: number, base: number, offset: number): this {
    return this.raw(0xf2).memory(0x40, [0x0f, 0x10], x, base, offset);
  }

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

  /** x = x + [base + offset], and so on. */
  addMemory(x: number, base: number, offset: number): this {
    return this.raw(0xf2).memory(0x40, [0x0f, 0x58], x, base, offset);
  }

  subtractMemory(x: number, base: number, offset: number): this {
    return this.raw(0xf2).memory(0x40, [0x0f, 0x5c], x, base, offset);
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

  /** x = the larger of x and y, both being numbers. */
  maximum(x: number, y: number): this {
    return this.arithmetic(0x5f, x, y);
  }

  /** For the conditions of `If`; `unordered` when one of them is not a number. */
  compareDoubles(x: number, y: number): this {
    return this.raw(0x66, 0x0f, 0x2e, 0xc0 | (x << 3) | y);
  }

  // Integers and conversions.

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

  incrementMemory(base: number, offset: number): this {
    return this.memory(0x48, [0xff], 0, base, offset);
  }

  addConstant(reg: number, value: number): this {
    return this.raw(0x48 | (reg >> 3), 0x81, 0xc0 | (reg & 7)).int32(value);
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

  /** Condition equal: [base + offset] is 0. */
  testMemory(base: number, offset: number): this {
    return this.memory(0x48, [0x83], 7, base, offset).raw(0);
  }

  /** Condition equal: the byte at [base + offset] is 0. */
  testByte(base: number, offset: number): this {
    return this.memory(0x40, [0x80], 7, base, offset).raw(0);
  }

  /** rdx = what remains of `reg` divided by `value`; clobbers rax and rcx. */
  remainder(reg: number, value: number): this {
    this.move(Reg.rax, reg).small(Reg.rdx, 0).constant(Reg.rcx, value);
    return this.raw(0x48, 0xf7, 0xf1); // div rcx
  }

  /** Copies `words` times 8 bytes from [rsi] to [rdi] upwards. */
  copyWords(words: number): this {
    return this.small(Reg.rcx, words).raw(0xf3, 0x48, 0xa5);
  }
}
