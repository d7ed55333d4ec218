/**
 * The floating-point state by machine code: instructions that compare it after a call, and
 * functions around functions that do so. Comparing takes a few nanoseconds; only when something
 * changed is anything written.
 */
import koffi from "koffi";
import { mapCode } from "./executable.ts";
import type {
  FixedArgument,
  FixedCall,
  FloatGuard,
  FloatState,
  GuardedFunction,
  PreparedCode,
  SequenceCall,
} from "./float-state.ts";
import { refusalOfHost } from "./host-code.ts";
import type { NativeFunction } from "./libc.ts";
import { type Assembler, If, Reg } from "./machine-code/assembler.ts";
import { hostAssembler } from "./machine-code/host-assembler.ts";
import { type Address, Arena, int32s } from "./native-memory.ts";

const { rax, rcx, rdx, rsi, rdi, r8, r9 } = Reg;

/** Words of the record: changed, mode and control found, mode and control to put back. */
const FOUND = 4;
const HOME = 12;
const RECORD_BYTES = 32;
const CONTROL_BITS = 0xffff;

/** Undefined where this machine has no use for our machine code, or lets none of it run. */
export function codeGuard(): FloatGuard | undefined {
  if (refusalOfHost(process.platform, process.arch) !== undefined) return undefined;
  const block = new Arena().allocate(RECORD_BYTES);
  const record = block.address;
  // A state that no processor has: the first comparison shows what is there.
  const read = mapFunction(checkCode({ mode: 0xffff, control: 0xffff }, record, false));
  if (read === undefined) return undefined;
  read();
  const words = int32s(block, RECORD_BYTES / 4);
  const { modeBits } = hostAssembler();
  const home: FloatState = { mode: words[1] & modeBits, control: words[2] & CONTROL_BITS };
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
    prepare: (calls) => preparedCode(calls, home, record),
    prepareSequence: (calls, status) => sequenceCode(calls, status, home, record),
  };
}

function mapFunction(code: Assembler, types: readonly string[] = []): NativeFunction | undefined {
  const mapping = mapCode(code.code);
  if (mapping === undefined) return undefined;
  return koffi.decode(BigInt(mapping.address), koffi.proto("void", [...types]));
}

function checkCode(home: FloatState, record: Address, putsBack: boolean): Assembler {
  const code = hostAssembler();
  emitCheck(code, home, record, putsBack);
  return code.ret();
}

function emitCheck(
  code: Assembler,
  home: FloatState,
  record: Address,
  putsBack = true,
  number = 1,
): void {
  code.compareState(home).skipIf(If.equal, (changed) => {
    changed.constant(rdx, record).put32(rdx, 0, number);
    if (putsBack) changed.putBackState(rdx, FOUND, HOME);
    else changed.storeState(rdx, FOUND);
  });
}

function setCode(): Assembler {
  return hostAssembler().setStateToArguments().ret();
}

function mapEntries(
  functions: readonly GuardedFunction[],
  home: FloatState,
  record: Address,
): Address[] | undefined {
  const { code, offsets } = entryCode(functions, home, record);
  const mapping = mapCode(code);
  return mapping && offsets.map((offset) => mapping.address + offset);
}

/**
 * One piece of code for all functions: each calls its own with the arguments it got, and checks.
 */
export function entryCode(
  functions: readonly GuardedFunction[],
  home: FloatState,
  record: Address,
  code: Assembler = hostAssembler(),
): PreparedCode {
  const offsets = functions.map(({ address, stackWords }) => {
    const offset = code.length;
    code.enterFrame().copyStackWords(stackWords).call(address);
    emitCheck(code, home, record);
    code.leaveFrame();
    return offset;
  });
  return { code: code.code, offsets };
}

/**
 * Registers of the first arguments that are not doubles (System V x86-64); one more is where the
 * back end puts it.
 */
const ARGUMENT_REGISTERS = [rdi, rsi, rdx, rcx, r8, r9] as const;

export function preparedCode(
  calls: readonly FixedCall[],
  home: FloatState,
  record: Address,
  code: Assembler = hostAssembler(),
): PreparedCode {
  const offsets = calls.map(({ address, args }) => {
    const offset = code.length;
    code.enterFrame();
    emitArguments(code, args);
    code.call(address);
    emitCheck(code, home, record);
    code.leaveFrame();
    return offset;
  });
  return { code: code.code, offsets };
}

export function sequenceCode(
  calls: readonly SequenceCall[],
  status: Address,
  home: FloatState,
  record: Address,
  code: Assembler = hostAssembler(),
): Uint8Array {
  code.enterFrame();
  for (const [i, { address, args, marker, flags = [] }] of calls.entries()) {
    const end = (way: Assembler): Assembler =>
      way
        .constant(rdx, status)
        .store32(rdx, 0, rax)
        .small(rax, i + 1)
        .leaveFrame();
    if (marker !== undefined) code.constant(rax, marker.at).put32(rax, 0, marker.id);
    emitArguments(code, args);
    code.call(address);
    emitCheck(code, home, record, true, i + 1);
    code.test32(rax).skipIf(If.equal, end);
    for (const flag of flags) code.constant(rdx, flag).testByte(rdx, 0).skipIf(If.equal, end);
  }
  return code.small(rax, 0).leaveFrame().code;
}

function emitArguments(code: Assembler, args: readonly FixedArgument[]): void {
  let integers = 0;
  let doubles = 0;
  for (const arg of args) {
    if (typeof arg !== "number" && arg.kind === "double") {
      code.constant(rax, arg.at).loadDouble(doubles++, rax, 0);
      continue;
    }
    const isSeventh = integers === ARGUMENT_REGISTERS.length;
    const register = isSeventh ? rax : ARGUMENT_REGISTERS[integers];
    integers++;
    if (register === undefined) throw new Error("internal: more than seven arguments");
    if (typeof arg === "number") code.constant(register, arg);
    else if (arg.kind === "int32") code.constant(rax, arg.at).load32(register, rax, 0);
    else code.constant(rax, arg.at).load(register, rax, 0);
    if (isSeventh) code.putSeventhArgument(rax);
  }
}
