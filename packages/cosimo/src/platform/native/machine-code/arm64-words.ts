/**
 * The instructions of ARM64 that generated code needs, as words of 32 bits (Arm Architecture
 * Reference Manual, C4 and C6). `d`, `n`, `m` and `a` are register numbers; 31 is the stack pointer
 * where an address is meant, zero elsewhere.
 */

export const SP = 31;
export const ZERO = 31;
export const FRAME = 29;
export const LINK = 30;

/** Conditions. */
export const Condition = {
  equal: 0,
  notEqual: 1,
  carry: 2,
  noCarry: 3,
  negative: 4,
  notNegative: 5,
  overflow: 6,
  unsignedAbove: 8,
  unsignedBelowOrEqual: 9,
  atLeast: 10,
  less: 11,
  greater: 12,
  atMost: 13,
} as const;

/** A load or a store: its form with an offset in units of its size, which is 1 << `shift` bytes. */
export interface Access {
  readonly opcode: number;
  readonly shift: number;
}

export const Access: Readonly<
  Record<
    | "load"
    | "store"
    | "load32"
    | "store32"
    | "load16"
    | "store16"
    | "load8"
    | "store8"
    | "loadSigned32"
    | "loadSigned16"
    | "loadSigned8"
    | "loadDouble"
    | "storeDouble"
    | "loadFloat"
    | "storeFloat",
    Access
  >
> = {
  load: { opcode: 0xf9400000, shift: 3 },
  store: { opcode: 0xf9000000, shift: 3 },
  load32: { opcode: 0xb9400000, shift: 2 },
  store32: { opcode: 0xb9000000, shift: 2 },
  load16: { opcode: 0x79400000, shift: 1 },
  store16: { opcode: 0x79000000, shift: 1 },
  load8: { opcode: 0x39400000, shift: 0 },
  store8: { opcode: 0x39000000, shift: 0 },
  loadSigned32: { opcode: 0xb9800000, shift: 2 },
  loadSigned16: { opcode: 0x79800000, shift: 1 },
  loadSigned8: { opcode: 0x39800000, shift: 0 },
  loadDouble: { opcode: 0xfd400000, shift: 3 },
  storeDouble: { opcode: 0xfd000000, shift: 3 },
  loadFloat: { opcode: 0xbd400000, shift: 2 },
  storeFloat: { opcode: 0xbd000000, shift: 2 },
};

/** An access to [n + offset] in one instruction; undefined: the offset is too far. */
export function access(
  { opcode, shift }: Access,
  t: number,
  n: number,
  offset: number,
): number | undefined {
  const units = offset / (1 << shift);
  if (Number.isInteger(units) && units >= 0 && units < 4096)
    return opcode | (units << 10) | (n << 5) | t;
  if (offset < -256 || offset > 255) return undefined;
  // The form with bytes, behind and ahead.
  return (opcode & ~0x01000000) | ((offset & 0x1ff) << 12) | (n << 5) | t;
}

type Three = (d: number, n: number, m: number) => number;
type Two = (d: number, n: number) => number;

function three(opcode: number): Three {
  return (d, n, m) => opcode | (m << 16) | (n << 5) | d;
}

function two(opcode: number): Two {
  return (d, n) => opcode | (n << 5) | d;
}

export const A64 = {
  /** d = 16 bits at position 16·`part`, and zeros; or the other bits stay. */
  movz: (d: number, bits: number, part: number): number =>
    0xd2800000 | (part << 21) | (bits << 5) | d,
  movk: (d: number, bits: number, part: number): number =>
    0xf2800000 | (part << 21) | (bits << 5) | d,
  mov: (d: number, m: number): number => 0xaa0003e0 | (m << 16) | d,
  /** d = n ± 12 bits, these shifted left by 12 where `high`; for the stack pointer too. */
  addBits: (d: number, n: number, bits: number, high = false): number =>
    0x91000000 | (high ? 1 << 22 : 0) | (bits << 10) | (n << 5) | d,
  subBits: (d: number, n: number, bits: number, high = false): number =>
    0xd1000000 | (high ? 1 << 22 : 0) | (bits << 10) | (n << 5) | d,
  add: three(0x8b000000) as Three,
  add32: three(0x0b000000) as Three,
  sub32: three(0x4b000000) as Three,
  /** Where n may be the stack pointer. */
  addToAddress: three(0x8b206000) as Three,
  or: three(0xaa000000) as Three,
  not: (d: number, m: number): number => 0xaa2003e0 | (m << 16) | d,
  shiftLeft: (d: number, n: number, bits: number): number =>
    0xd3400000 | (((64 - bits) & 63) << 16) | ((63 - bits) << 10) | (n << 5) | d,
  halve32: (d: number, n: number): number => 0x53017c00 | (n << 5) | d,
  divide: three(0x9ac00800) as Three,
  /** d = a - n·m. */
  multiplySubtract: (d: number, n: number, m: number, a: number): number =>
    0x9b008000 | (m << 16) | (a << 10) | (n << 5) | d,
  compare: (n: number, m: number): number => 0xeb00001f | (m << 16) | (n << 5),
  compare32: (n: number, m: number): number => 0x6b00001f | (m << 16) | (n << 5),
  compareBits: (n: number, bits: number): number => 0xf100001f | (bits << 10) | (n << 5),
  compareBits32: (n: number, bits: number): number => 0x7100001f | (bits << 10) | (n << 5),
  test: (n: number, m: number): number => 0xea00001f | (m << 16) | (n << 5),
  test32: (n: number, m: number): number => 0x6a00001f | (m << 16) | (n << 5),
  testLowByte: (n: number): number => 0x72001c1f | (n << 5),
  /** d = d - 1, 32 bits, with conditions. */
  decrement32: (d: number): number => 0x71000400 | (d << 5) | d,
  select: (d: number, n: number, m: number, condition: number): number =>
    0x9a800000 | (m << 16) | (condition << 12) | (n << 5) | d,

  branch: (words: number): number => 0x14000000 | (words & 0x3ffffff),
  branchIf: (condition: number, words: number): number =>
    0x54000000 | ((words & 0x7ffff) << 5) | condition,
  branchIfNotZero32: (t: number, words: number): number =>
    0x35000000 | ((words & 0x7ffff) << 5) | t,
  branchTo: (n: number): number => 0xd61f0000 | (n << 5),
  callTo: (n: number): number => 0xd63f0000 | (n << 5),
  ret: 0xd65f03c0,
  /** Two registers below the stack pointer, which moves; and back. */
  pushPair: (t: number, u: number): number => 0xa9bf0000 | (u << 10) | (SP << 5) | t,
  popPair: (t: number, u: number): number => 0xa8c10000 | (u << 10) | (SP << 5) | t,
  /** One, in the same 16 bytes. */
  push: (t: number): number => 0xf81f0c00 | (SP << 5) | t,
  pop: (t: number): number => 0xf8410400 | (SP << 5) | t,
  /** t = [n], and n moves on by 8 bytes. */
  loadNext: (t: number, n: number): number => 0xf8408400 | (n << 5) | t,
  storeNext: (t: number, n: number): number => 0xf8008400 | (n << 5) | t,

  addDouble: three(0x1e602800) as Three,
  subtractDouble: three(0x1e603800) as Three,
  multiplyDouble: three(0x1e600800) as Three,
  divideDouble: three(0x1e601800) as Three,
  maximumDouble: three(0x1e604800) as Three,
  compareDouble: (n: number, m: number): number => 0x1e602000 | (m << 16) | (n << 5),
  moveDouble: two(0x1e604000) as Two,
  absoluteDouble: two(0x1e60c000) as Two,
  doubleOfFloat: two(0x1e22c000) as Two,
  floatOfDouble: two(0x1e624000) as Two,
  doubleOfBits: two(0x9e670000) as Two,
  doubleOfInteger: two(0x9e620000) as Two,
  integerOfDouble: two(0x9e780000) as Two,

  /** FPCR: rounding, flushing to zero, exceptions that trap. */
  readState: (t: number): number => 0xd53b4400 | t,
  writeState: (t: number): number => 0xd51b4400 | t,

  loadExclusive: (t: number, n: number): number => 0xc85f7c00 | (n << 5) | t,
  /** s = 0 when it was stored. */
  storeExclusive: (s: number, t: number, n: number): number =>
    0xc8007c00 | (s << 16) | (n << 5) | t,
  loadAcquire32: (t: number, n: number): number => 0x88dffc00 | (n << 5) | t,
  storeRelease32: (t: number, n: number): number => 0x889ffc00 | (n << 5) | t,
  fence: 0xd5033bbf,
  yield: 0xd503203f,
  systemCall: 0xd4000001,
} as const;
