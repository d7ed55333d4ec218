/**
 * Which libraries cannot change the floating-point state at all. Checking and restoring it after every call costs about as
 * much as a call that does little; most FMUs contain no instruction that could change it, and that can be seen in their code.
 *
 * A library is *steady* when none of its instructions writes MXCSR or the x87 control word, it makes no system calls by
 * itself, what it imports comes from the C and C++ libraries alone (whose functions restore what they change, but for those
 * that are there to change it), and no code can come into being while it runs. Everything else is checked after every call.
 */
import { readElf, readElfCode } from "./elf.ts";
import {
  extensionOf,
  type Instruction,
  isInMemory,
  visitInstructions,
} from "./x64-instructions.ts";

/** Reading that much takes some 30 ms; the checks cost little beside what the calls of larger libraries do. */
export const MOST_CODE_BYTES: number = 2 ** 19;

/** Libraries of the C and C++ compilers, whose functions are known. */
export const SYSTEM_LIBRARY: RegExp = /^(lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+)\.so|ld-linux)/;

/**
 * Functions of these libraries after which another state may be there: those of <fenv.h> and <ucontext.h>, those that bring
 * code into the process, and direct system calls.
 */
const CHANGES_STATE =
  /^_*(fe(set|hold|update|enable|disable)|setfpucw|(set|swap|make)context|(libc_)?dl(open|mopen|v?sym)|mmap|mremap|mprotect|pkey_mprotect|shmat|memfd_create|syscall|ptrace)/;

const proofs = new Map<string, boolean>();

/** Whether the library in `file` leaves the floating-point state alone. Read once; false where that cannot be seen. */
export function isSteady(file: string): boolean {
  let known = proofs.get(file);
  if (known === undefined) {
    known = process.arch === "x64" && hasSteadyImports(file) && hasSteadyCode(file);
    proofs.set(file, known);
  }
  return known;
}

function hasSteadyImports(file: string): boolean {
  const library = readElf(file);
  if (library === undefined || !library.needs.every((name) => SYSTEM_LIBRARY.test(name)))
    return false;
  return library.symbols.every(({ name, isDefined, isStrong, wantedFrom }) => {
    if (isDefined) return true;
    // Hooks of the tool chain, which are absent in a process without these tools.
    if (wantedFrom === undefined) return !isStrong;
    return SYSTEM_LIBRARY.test(wantedFrom) && !CHANGES_STATE.test(name);
  });
}

function hasSteadyCode(file: string): boolean {
  const code = readElfCode(file);
  if (code === undefined || code.isWritable) return false;
  const bytes = code.sections.reduce((sum, { length }) => sum + length, 0);
  return bytes <= MOST_CODE_BYTES && code.sections.every(isSteadyCode);
}

/** Whether no instruction of `code` can change the floating-point state. */
export function isSteadyCode(code: Uint8Array): boolean {
  let isSteady = true;
  const isCode = visitInstructions(code, (instruction) => {
    if (changesState(instruction)) isSteady = false;
  });
  return isCode && isSteady;
}

/** Whether the code in `file` has instructions that call the system directly; true where that cannot be seen. */
export function hasSystemCalls(file: string): boolean {
  let isFound = false;
  const visit = (instruction: Instruction): void => {
    if (isSystemCall(instruction)) isFound = true;
  };
  const code = readElfCode(file);
  return code === undefined || !code.sections.every((s) => visitInstructions(s, visit)) || isFound;
}

/** syscall, sysenter, int. */
function isSystemCall({ map, opcode }: Instruction): boolean {
  return map === 1 ? opcode === 0x05 || opcode === 0x34 : map === 0 && opcode === 0xcd;
}

function changesState(instruction: Instruction): boolean {
  const { map, opcode, modRm } = instruction;
  if (isSystemCall(instruction)) return true;
  const extension = extensionOf(instruction);
  const inMemory = isInMemory(instruction);
  if (map === 1) {
    // fxrstor, ldmxcsr, xrstor; xrstors
    if (opcode === 0xae) return inMemory && [1, 2, 5].includes(extension);
    return opcode === 0xc7 && inMemory && extension === 3;
  }
  if (map !== 0) return false;
  switch (opcode) {
    case 0xd9: // fldenv, fldcw, fnstenv (masks all exceptions)
      return inMemory && extension >= 4 && extension <= 6;
    case 0xdb:
      return modRm === 0xe3; // fninit
    case 0xdd: // frstor, fnsave
      return inMemory && (extension === 4 || extension === 6);
    default:
      return false;
  }
}
