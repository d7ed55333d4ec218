/**
 * The few x86-64 instructions that generated code needs, by name. Registers are their hardware
 * numbers.
 */

import { Reg } from "./machine-code/assembler.ts";

export class X64 {
  private readonly bytes: number[] = [];

  /** Bytes so far. */
  get length(): number {
    return this.bytes.length;
  }

  get code(): Uint8Array {
    return Uint8Array.from(this.bytes);
  }

  raw(...bytes: readonly number[]): this {
    this.bytes.push(...bytes);
    return this;
  }

  int32(value: number): this {
    return this.raw(value & 255, (value >> 8) & 255, (value >> 16) & 255, (value >> 24) & 255);
  }

  push(reg: number): this {
    return reg < 8 ? this.raw(0x50 | reg) : this.raw(0x41, 0x50 | (reg & 7));
  }

  pop(reg: number): this {
    return reg < 8 ? this.raw(0x58 | reg) : this.raw(0x41, 0x58 | (reg & 7));
  }

  /** to = from, 64 bits. */
  move(to: number, from: number): this {
    return this.raw(
      0x48 | ((from >> 3) << 2) | (to >> 3),
      0x89,
      0xc0 | ((from & 7) << 3) | (to & 7),
    );
  }

  /** to = a 64-bit constant, such as an address. */
  constant(to: number, value: number): this {
    if (value < 2 ** 32) {
      // A 32-bit move clears the upper half.
      if (to > 7) this.raw(0x41);
      return this.raw(0xb8 | (to & 7)).int32(value | 0);
    }
    this.raw(0x48 | (to >> 3), 0xb8 | (to & 7));
    return this.int32((value % 2 ** 32) | 0).int32(Math.floor(value / 2 ** 32));
  }

  /** to = a 32-bit constant, upper half zero; `to` below 8. */
  small(to: number, value: number): this {
    return this.raw(0xb8 | to).int32(value);
  }

  /** [base + offset] = from, 64 bits. */
  store(base: number, offset: number, from: number): this {
    return this.memory(0x48, [0x89], from, base, offset);
  }

  /** [base + offset] = from, 32 bits. */
  store32(base: number, offset: number, from: number): this {
    return this.memory(0x40, [0x89], from, base, offset);
  }

  /** [base + offset] = constant, 32 bits. */
  put32(base: number, offset: number, value: number): this {
    return this.memory(0x40, [0xc7], 0, base, offset).int32(value);
  }

  load(to: number, base: number, offset: number): this {
    return this.memory(0x48, [0x8b], to, base, offset);
  }

  load32(to: number, base: number, offset: number): this {
    return this.memory(0x40, [0x8b], to, base, offset);
  }

  /** Condition equal: the byte at [base + offset] is 0. */
  testByte(base: number, offset: number): this {
    return this.memory(0x40, [0x80], 7, base, offset).raw(0);
  }

  /** x = the double at [base + offset]. */
  loadDouble(x: number, base: number, offset: number): this {
    return this.raw(0xf2).memory(0x40, [0x0f, 0x10], x, base, offset);
  }

  /** 32 bits of [base + offset] gain those of `from`. */
  or32(base: number, offset: number, from: number): this {
    return this.memory(0x40, [0x09], from, base, offset);
  }

  /** to = base + offset. */
  address(to: number, base: number, offset: number): this {
    return this.memory(0x48, [0x8d], to, base, offset);
  }

  /** [base + offset] = the 16 bytes of an xmm register. */
  storeVector(base: number, offset: number, xmm: number): this {
    return this.memory(0x40, [0x0f, 0x11], xmm, base, offset);
  }

  /** to = 16 bits of memory, the rest zero. */
  load16(to: number, base: number, offset: number): this {
    return this.memory(0x40, [0x0f, 0xb7], to, base, offset);
  }

  /** [base + offset] = MXCSR, 32 bits. */
  storeMode(base: number, offset: number): this {
    return this.memory(0x40, [0x0f, 0xae], 3, base, offset);
  }

  loadMode(base: number, offset: number): this {
    return this.memory(0x40, [0x0f, 0xae], 2, base, offset);
  }

  /** [base + offset] = the control word of the x87 unit, 16 bits. */
  storeControl(base: number, offset: number): this {
    return this.memory(0x40, [0xd9], 7, base, offset);
  }

  /**
   * [base + offset] = the status word of the x87 unit, 16 bits, behind what fxam says of the
   * register on top.
   */
  storeStatus(base: number, offset: number): this {
    return this.raw(0xd9, 0xe5).memory(0x40, [0xdd], 7, base, offset);
  }

  /** Empties the registers that the x87 unit and MMX share (emms). */
  emptyRegisters(): this {
    return this.raw(0x0f, 0x77);
  }

  loadControl(base: number, offset: number): this {
    return this.memory(0x40, [0xd9], 5, base, offset);
  }

  /** Calls the function at a fixed address; clobbers r11. */
  call(target: number): this {
    return this.constant(Reg.r11, target).raw(0x41, 0xff, 0xd3);
  }

  /** Goes on at the address that lies at [base + offset]. */
  jumpToMemory(base: number, offset: number): this {
    return this.memory(0x40, [0xff], 4, base, offset);
  }

  /**
   * `opcode` is the short jump's own byte (0x74 zero, 0x75 not zero, 0x72 below); `body` is what it
   * skips.
   */
  skip(opcode: number, body: (code: X64) => void): this {
    const inner = new X64();
    body(inner);
    return this.raw(opcode, inner.bytes.length, ...inner.bytes);
  }

  /**
   * An instruction with the operands `reg` and [base + offset]; `rex` is 0x48 for 64 bits, 0x40
   * otherwise.
   */
  protected memory(
    rex: number,
    opcode: readonly number[],
    reg: number,
    base: number,
    offset: number,
  ): this {
    this.raw(rex | ((reg >> 3) << 2) | (base >> 3), ...opcode);
    const isNear = offset >= -128 && offset < 128;
    this.raw((isNear ? 0x40 : 0x80) | ((reg & 7) << 3) | (base & 7));
    if ((base & 7) === Reg.rsp) this.raw(0x24);
    return isNear ? this.raw(offset & 255) : this.int32(offset);
  }
}
