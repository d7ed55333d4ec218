/**
 * Which libraries cannot change the floating-point state at all. Checking and restoring it after
 * every call costs about as much as a call that does little; most FMUs contain no instruction that
 * could change it, and that can be seen in their code.
 *
 * A library is *steady* when none of its instructions writes MXCSR or the x87 control word or
 * computes in the registers of the x87 unit and of MMX, where values could be left, it makes no
 * system calls by itself, what it imports comes from the C and C++ libraries alone (whose functions
 * restore what they change, but for those that are there to change it), and no code can come into
 * being while it runs. Everything else is checked after every call.
 */
import { readElf, readElfCode } from "./elf.ts";
import {
  extensionOf,
  type Instruction,
  isInMemory,
  visitInstructions,
} from "./x64-instructions.ts";

/**
 * Reading that much takes some 30 ms; the checks cost little beside what the calls of larger
 * libraries do.
 */
export const MOST_CODE_BYTES: number = 2 ** 19;

/** Libraries of the C and C++ compilers, whose functions are known. */
export const SYSTEM_LIBRARY: RegExp = /^(lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+)\.so|ld-linux)/;

/**
 * Functions of these libraries after which another state may be there: those of <fenv.h> and
 * <ucontext.h>, those that bring code into the process, direct system calls, and those that have
 * signals handled: a handler may change the state to return to.
 */
const CHANGES_STATE =
  /^_*(fe(set|hold|update|enable|disable)|setfpucw|(set|swap|make)context|(libc_)?dl(open|mopen|v?sym)|mmap|mremap|mprotect|pkey_mprotect|shmat|memfd_create|syscall|ptrace|sigaction|(sysv_|bsd_)?signal$|sig(set|vec|setmask)$|ssignal|sigreturn)/;

const proofs = new Map<string, boolean>();

/**
 * Whether the library in `file` leaves the floating-point state alone. Read once; false where that
 * cannot be seen.
 */
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

/**
 * Whether the code in `file` has instructions that call the system directly; true where that cannot
 * be seen.
 */
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
  if (isSystemCall(instruction) || usesMmx(instruction)) return true;
  const extension = extensionOf(instruction);
  const inMemory = isInMemory(instruction);
  if (map === 1) {
    // fxrstor, ldmxcsr, xrstor; xrstors
    if (opcode === 0xae) return inMemory && [1, 2, 5].includes(extension);
    return opcode === 0xc7 && inMemory && extension === 3;
  }
  // Of the x87 unit's instructions only fnstcw, fnstsw and fnclex leave everything but flags alone.
  if (map !== 0 || (opcode & 0xf8) !== 0xd8) return false;
  if (inMemory) return !((opcode === 0xd9 || opcode === 0xdd) && extension === 7);
  return !((opcode === 0xdf && modRm === 0xe0) || (opcode === 0xdb && modRm === 0xe2));
}

/** By map: operations on MMX registers where no prefix chooses the one on vectors. */
const ON_MMX: readonly (readonly (readonly [number, number])[])[] = [
  [],
  [
    [0x60, 0x6b],
    [0x6e, 0x76],
    [0x7e, 0x7f],
    [0xc4, 0xc5],
    [0xd1, 0xd5],
    [0xd7, 0xe5],
    [0xe7, 0xef],
    [0xf1, 0xfe],
  ],
  [
    [0x00, 0x0b],
    [0x1c, 0x1e],
  ],
  [[0x0f, 0x0f]],
];

/**
 * Intel SDM vol. 2, appendix A: the columns without a prefix; conversions from and to vectors;
 * movdq2q and movq2dq.
 */
function usesMmx({ map, opcode, prefix }: Instruction): boolean {
  if (prefix === 0 && ON_MMX[map].some(([first, last]) => opcode >= first && opcode <= last))
    return true;
  if (map !== 1) return false;
  if (opcode === 0x2a || opcode === 0x2c || opcode === 0x2d) return prefix === 0 || prefix === 0x66;
  return opcode === 0xd6 && (prefix === 0xf2 || prefix === 0xf3);
}
