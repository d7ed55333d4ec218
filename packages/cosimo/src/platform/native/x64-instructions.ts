/**
 * Walks over the instructions of x86-64 code: where each begins, which operation it is, and its
 * operand byte. Enough to see which instructions occur in the code that a compiler made, not to
 * explain them.
 *
 * An instruction is: prefixes, an opcode in one of several maps, for most opcodes a ModRM byte
 * (with a SIB byte and a displacement that follow from it), an immediate value (Intel SDM vol. 2,
 * ch. 2 and appendix A).
 */

export interface Instruction {
  /** 0: one byte, 1: after 0F, 2: after 0F 38, 3: after 0F 3A; VEX and EVEX name the same maps. */
  map: number;
  opcode: number;
  /** -1 where there is none. */
  modRm: number;
  /**
   * The last of 66, F2 and F3 in front of it, which often chooses the operation; 0: none. -1: VEX
   * or EVEX.
   */
  prefix: number;
}

/** Of ModRM: the middle field, which often extends the opcode. */
export function extensionOf({ modRm }: Instruction): number {
  return (modRm >> 3) & 7;
}

/** Whether ModRM names memory, not a register. */
export function isInMemory({ modRm }: Instruction): boolean {
  return modRm >= 0 && modRm < 0xc0;
}

/**
 * Calls `visit` for every instruction of `code`. The object that it gets is the same every time.
 * @returns false when bytes are met that are not an instruction: what follows is not visited.
 */
export function visitInstructions(
  code: Uint8Array,
  visit: (instruction: Instruction) => void,
): boolean {
  const found: Instruction = { map: 0, opcode: 0, modRm: -1, prefix: 0 };
  for (let at = 0; at < code.length; ) {
    const next = decode(code, at, found);
    if (next < 0 || next > code.length) return false;
    visit(found);
    at = next;
  }
  return true;
}

/** Kinds of operands, by opcode. */
const None = 0;
const ModRm = 1;
const Byte = 2;
const Word16 = 4;
/** 32 bits, or 16 with the prefix 66. */
const Wide = 8;
/** Always 32 bits: jumps and calls. */
const Long = 16;
const Invalid = 32;

const OPERANDS: readonly Uint8Array[] = [
  table(None, [
    [ModRm, "00-03 08-0b 10-13 18-1b 20-23 28-2b 30-33 38-3b 63 84-8f d0-d3 d8-df fe-ff"],
    [Byte, "04 0c 14 1c 24 2c 34 3c 6a 70-7f a8 b0-b7 cd e0-e7 eb"],
    [Wide, "05 0d 15 1d 25 2d 35 3d 68 a9 b8-bf"],
    [ModRm | Byte, "6b 80 83 c0-c1 c6 f6"],
    [ModRm | Wide, "69 81 c7 f7"],
    [Word16, "c2 ca"],
    [Word16 | Byte, "c8"],
    [Long, "e8-e9"],
    [Invalid, "06-07 0e 16-17 1e-1f 27 2f 37 3f 60-61 82 9a ce d4-d6 ea"],
  ]),
  table(ModRm, [
    [None, "05-09 0b 0e 30-37 77 a0-a2 a8-aa c8-cf"],
    [Long, "80-8f"],
    [ModRm | Byte, "0f 70-73 a4 ac ba c2 c4-c6"],
    [Invalid, "04 0a 0c 24-27 36 39 3b-3f"],
  ]),
  table(ModRm, []),
  table(ModRm | Byte, []),
];

function table(usual: number, rows: readonly (readonly [number, string])[]): Uint8Array {
  const kinds = new Uint8Array(256).fill(usual);
  for (const [kind, ranges] of rows)
    for (const range of ranges.split(" ")) {
      const [first, last = first] = range.split("-").map((text) => Number.parseInt(text, 16));
      if (first !== undefined) kinds.fill(kind, first, Number(last) + 1);
    }
  return kinds;
}

/**
 * Changes `found`. @returns where the next instruction begins; -1 when there is no instruction at
 * `at`.
 */
function decode(code: Uint8Array, at: number, found: Instruction): number {
  let isShort = false;
  let hasShortAddress = false;
  let isLong = false;
  found.prefix = 0;
  for (; isPrefix(code[at]); at++) {
    if (code[at] === 0x66) isShort = true;
    if (code[at] === 0x67) hasShortAddress = true;
    // F2 and F3 win over 66, wherever they stand.
    if (code[at] === 0xf2 || code[at] === 0xf3) found.prefix = code[at];
    else if (code[at] === 0x66 && found.prefix === 0) found.prefix = 0x66;
  }
  if (code[at] >> 4 === 4) isLong = (code[at++] & 8) !== 0;
  found.map = 0;
  if (code[at] === 0x0f) {
    found.map = code[at + 1] === 0x38 ? 2 : code[at + 1] === 0x3a ? 3 : 1;
    at += found.map === 1 ? 1 : 2;
  } else if (code[at] === 0xc5) {
    found.map = 1;
    found.prefix = -1;
    at += 2;
  } else if (code[at] === 0xc4 || code[at] === 0x62) {
    found.prefix = -1;
    found.map = code[at + 1] & (code[at] === 0x62 ? 7 : 31);
    at += code[at] === 0x62 ? 4 : 3;
    // Maps 5 and 6 (half precision) have the operands of map 2.
    if (found.map === 5 || found.map === 6) found.map = 2;
    if (found.map < 1 || found.map > 3) return -1;
  }
  found.opcode = code[at++];
  found.modRm = -1;
  if (found.map === 0 && found.opcode >= 0xa0 && found.opcode <= 0xa3)
    return at + (hasShortAddress ? 4 : 8);
  const operands = OPERANDS[found.map][found.opcode];
  if (operands === Invalid || operands === undefined) return -1;
  if (operands & ModRm) {
    found.modRm = code[at];
    at += addressBytes(code, at);
  }
  return at + immediateBytes(found, operands, isShort, isLong);
}

function isPrefix(byte: number): boolean {
  if (byte === 0xf0 || byte === 0xf2 || byte === 0xf3) return true;
  return (byte >= 0x64 && byte <= 0x67) || (byte & 0xe7) === 0x26;
}

/** ModRM at `at`, and what it brings: a SIB byte, a displacement. */
function addressBytes(code: Uint8Array, at: number): number {
  const mode = code[at] >> 6;
  const base = code[at] & 7;
  if (mode === 3) return 1;
  const hasSib = base === 4;
  const bytes = hasSib ? 2 : 1;
  if (mode === 1) return bytes + 1;
  if (mode === 2) return bytes + 4;
  const hasNoBase = (hasSib ? code[at + 1] & 7 : base) === 5;
  return hasNoBase ? bytes + 4 : bytes;
}

function immediateBytes(
  found: Instruction,
  operands: number,
  isShort: boolean,
  isLong: boolean,
): number {
  const { map, opcode } = found;
  // test takes an immediate value, the other operations of its opcode take none.
  if (map === 0 && (opcode & 0xfe) === 0xf6 && extensionOf(found) > 1) return 0;
  if (map === 0 && (opcode & 0xf8) === 0xb8 && isLong) return 8;
  let bytes = 0;
  if (operands & Byte) bytes += 1;
  if (operands & Word16) bytes += 2;
  if (operands & Long) bytes += 4;
  if (operands & Wide) bytes += isShort && !isLong ? 2 : 4;
  return bytes;
}
