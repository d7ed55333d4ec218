/**
 * The floating-point state by machine code: instructions that compare it after a call, and functions around functions that do
 * so. Comparing takes a few nanoseconds; only when something changed is anything written.
 */
import koffi from "koffi";
import { mapCode } from "./executable.ts";
import {
  type FloatGuard,
  type FloatState,
  type GuardedFunction,
  REGISTERS_SHIFT,
} from "./float-state.ts";
import type { NativeFunction } from "./libc.ts";
import { type Address, Arena, int32s } from "./native-memory.ts";
import { Reg, X64 } from "./x64.ts";

const { rax, rcx, rdx, rsp, rbp, rsi, rdi } = Reg;

/** All bits of MXCSR but the flags of exceptions that have happened. */
const MODE_BITS = 0xffc0;
/** Where the state is put on the stack: below what it holds, which signals leave alone. */
export const FOUND_MODE = -8;
export const FOUND_CONTROL = -16;
const FOUND_STATUS = -24;
/** What fxam says of a register (C0, C2 and C3 of the status word), and what it says of an empty one. */
const KIND_BITS = 0x4500;
const EMPTY = 0x4100;
const CONTROL_BITS = 0xffff;

/** Condition not equal: the state is another than `home`. Keeps rax; clobbers rcx and rdx. */
export function emitCompareState(code: X64, { mode, control }: FloatState): void {
  code.storeMode(rsp, FOUND_MODE).storeControl(rsp, FOUND_CONTROL);
  code.load32(rcx, rsp, FOUND_MODE).load16(rdx, rsp, FOUND_CONTROL);
  code.raw(0x81, 0xe1).int32(MODE_BITS); // and ecx, MODE_BITS
  code.raw(0x81, 0xf1).int32(mode); // xor ecx, mode
  code.raw(0x81, 0xf2).int32(control); // xor edx, control
  code.raw(0x09, 0xd1); // or ecx, edx
  code.storeStatus(rsp, FOUND_STATUS);
  emitRegisters(code, rdx);
  code.raw(0x09, 0xd1); // or ecx, edx
}

/** to = 0 where the x87 unit has no value on top of its registers, which is how every C function leaves them. */
function emitRegisters(code: X64, to: number): void {
  code.load16(to, rsp, FOUND_STATUS);
  code.raw(0x81, 0xe0 + to).int32(KIND_BITS); // and to, KIND_BITS
  code.raw(0x81, 0xf0 + to).int32(EMPTY); // xor to, EMPTY
}

/** After a comparison: [base + at] = the mode found, [base + at + 4] = the control word; `home` lies at [base + homeAt]. */
export function emitPutBack(code: X64, base: number, at: number, homeAt: number): void {
  code.load32(rcx, rsp, FOUND_MODE).store32(base, at, rcx);
  // The control word has 16 bits; what was left in registers is noted above them.
  code.load16(rcx, rsp, FOUND_CONTROL).store32(base, at + 4, rcx);
  emitRegisters(code, rcx);
  code.raw(0xc1, 0xe1, REGISTERS_SHIFT).or32(base, at + 4, rcx); // shl ecx, REGISTERS_SHIFT
  emitSetState(code, base, homeAt);
}

export function emitSetState(code: X64, base: number, at: number): void {
  code
    .loadMode(base, at)
    .loadControl(base, at + 4)
    .emptyRegisters();
}

/** Words of the record: changed, mode and control found, mode and control to put back. */
const FOUND = 4;
const HOME = 12;
const RECORD_BYTES = 32;

/** Undefined where this machine has no use for our machine code, or lets none of it run. */
export function codeGuard(): FloatGuard | undefined {
  const { platform, arch } = process;
  if (arch !== "x64" || (platform !== "linux" && platform !== "darwin")) return undefined;
  const block = new Arena().allocate(RECORD_BYTES);
  const record = block.address;
  // A state that no processor has: the first comparison shows what is there.
  const read = mapFunction(checkCode({ mode: 0xffff, control: 0xffff }, record, false));
  if (read === undefined) return undefined;
  read();
  const words = int32s(block, RECORD_BYTES / 4);
  const home: FloatState = { mode: words[1] & MODE_BITS, control: words[2] & CONTROL_BITS };
  words.set([0, 0, 0, home.mode, home.control]);
  const check = mapFunction(checkCode(home, record, true));
  const set = mapFunction(setCode(), ["int32_t", "int32_t"]);
  if (check === undefined || set === undefined) return undefined;
  return {
    home,
    changed: words.subarray(0, 3),
    check: () => void check(),
    set: ({ mode, control }) => void set(mode, control),
    entries: (functions) => mapEntries(functions, home, record),
  };
}

function mapFunction(code: X64, types: readonly string[] = []): NativeFunction | undefined {
  const mapping = mapCode(code.code);
  if (mapping === undefined) return undefined;
  return koffi.decode(BigInt(mapping.address), koffi.proto("void", [...types]));
}

function checkCode(home: FloatState, record: Address, putsBack: boolean): X64 {
  const code = new X64();
  emitCheck(code, home, record, putsBack);
  return code.raw(RETURN);
}

function emitCheck(code: X64, home: FloatState, record: Address, putsBack = true): void {
  emitCompareState(code, home);
  code.skip(IF_EQUAL, (changed) => {
    changed.constant(rdx, record).put32(rdx, 0, 1);
    if (putsBack) emitPutBack(changed, rdx, FOUND, HOME);
    else {
      changed.load32(rcx, rsp, FOUND_MODE).store32(rdx, FOUND, rcx);
      changed.load16(rcx, rsp, FOUND_CONTROL).store32(rdx, FOUND + 4, rcx);
    }
  });
}

function setCode(): X64 {
  const code = new X64().store32(rsp, FOUND_MODE, rdi).store32(rsp, FOUND_MODE + 4, rsi);
  emitSetState(code, rsp, FOUND_MODE);
  return code.raw(RETURN);
}

const RETURN = 0xc3;
const LEAVE = 0xc9;
const IF_EQUAL = 0x74;
/** Above the frame pointer: the one before, the return address, then arguments. */
const ARGUMENTS = 16;

/** One piece of code for all functions: each calls its own with the arguments it got, and checks. */
function mapEntries(
  functions: readonly GuardedFunction[],
  home: FloatState,
  record: Address,
): Address[] | undefined {
  const code = new X64();
  const offsets = functions.map(({ address, stackWords }) => {
    const offset = code.length;
    code.push(rbp).move(rbp, rsp);
    if (stackWords > 0) code.address(rsp, rsp, -16 * Math.ceil(stackWords / 2));
    for (let i = 0; i < stackWords; i++)
      code.load(rax, rbp, ARGUMENTS + 8 * i).store(rsp, 8 * i, rax);
    code.call(address);
    emitCheck(code, home, record);
    code.raw(LEAVE, RETURN);
    return offset;
  });
  const mapping = mapCode(code.code);
  return mapping && offsets.map((offset) => mapping.address + offset);
}
