/**
 * The second filter of a sandboxed process, which it installs on itself before foreign code is
 * loaded: as the first one, and no other program may be started any more. It holds for all threads
 * and cannot be taken off.
 */
import { cFunction } from "../native/libc.ts";
import { Arena, bytesOf } from "../native/native-memory.ts";
import { syscallFilter } from "./seccomp.ts";

const NUMBERS: Readonly<Record<string, number>> = { x64: 317, arm64: 277 };
const SET_MODE_FILTER = 1;
const ALL_THREADS = 1;
const NO_NEW_PRIVILEGES = 38;

/** @throws Error when the system does not take it. */
export function lockDoor(): void {
  const filter = syscallFilter(process.arch, { mayStartProgram: false });
  const number = NUMBERS[process.arch];
  if (filter === undefined || number === undefined)
    throw new Error(`internal: no filter for ${process.arch}`);
  const arena = new Arena();
  const program = arena.allocate(filter.length);
  bytesOf(program).set(filter);
  // struct sock_fprog: how many instructions, and where.
  const about = arena.allocate(16);
  const view = new DataView(about.buffer, about.offset, 16);
  view.setUint16(0, filter.length / 8, true);
  view.setBigUint64(8, BigInt(program.address), true);
  cFunction("int prctl(int option, int64_t a, int64_t b, int64_t c, int64_t d)")(
    NO_NEW_PRIVILEGES,
    1,
    0,
    0,
    0,
  );
  const syscall = cFunction("long syscall(long number, int64_t a, int64_t b, int64_t c)");
  const status = syscall(number, SET_MODE_FILTER, ALL_THREADS, about.address);
  arena.free();
  if (status !== 0) throw new Error("the system does not take the filter of system calls");
}
