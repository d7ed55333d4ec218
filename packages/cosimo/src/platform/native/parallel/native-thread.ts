/**
 * Threads that run machine code and nothing else. They have no JavaScript in them: what they do
 * between two meetings is FMI calls, so a thread of the system is all they need. It starts in
 * microseconds, and a process may end while it waits.
 */
import koffi, { type LibraryHandle } from "koffi";
import { cFunction, libc, type NativeFunction } from "../libc.ts";
import { type Address, Arena, type Block, bytesOf } from "../native-memory.ts";

/** What calls from JavaScript get too (libc.ts): FMUs may keep arrays on the stack. */
const STACK_BYTES = 16 * 1024 * 1024;
/** Of pthread_attr_t, amply. */
const ATTRIBUTES_BYTES = 128;

export interface NativeThread {
  /** Waits until the code has returned. */
  join(): void;
}

/**
 * Runs the code at `entry` with the address `argument`; undefined when the system gives no thread.
 */
export function startThread(entry: Address, argument: Address): NativeThread | undefined {
  const threads = threadFunctions();
  const arena = new Arena();
  const id = arena.allocate(8);
  const attributes = arena.allocate(ATTRIBUTES_BYTES).address;
  threads.initAttributes(attributes);
  threads.setStackSize(attributes, STACK_BYTES);
  const status = elsewhere(arena, () => threads.create(id.address, attributes, entry, argument));
  threads.destroyAttributes(attributes);
  const thread = Number(new BigInt64Array(id.buffer, id.offset, 1)[0]);
  arena.free();
  return status === 0 ? { join: () => void threads.join(thread, 0) } : undefined;
}

/** Bytes of a set of cores: enough for 1024 of them. */
const CORES_BYTES = 128;

/**
 * Starts something that is kept off the core where we are: on a machine whose cores all have
 * something to do the system wakes threads beside the one that wakes them, and two that share a
 * core gain nothing. A thread inherits the cores of the one that starts it, so we change ours for a
 * moment. Where the system does not let us, it decides alone.
 */
function elsewhere(arena: Arena, start: () => number): number {
  const get = cFunction("int sched_getaffinity(int thread, int64_t bytes, int64_t cores)");
  const set = cFunction("int sched_setaffinity(int thread, int64_t bytes, int64_t cores)");
  const here = cFunction("int sched_getcpu()")();
  const [all, others, own] = [0, 1, 2].map(() => arena.allocate(CORES_BYTES)) as [
    Block,
    Block,
    Block,
  ];
  const length = get(0, CORES_BYTES, all.address);
  const isKnown = length >= 0 && here >= 0 && here < 8 * CORES_BYTES;
  if (!isKnown) return start();
  bytesOf(others).set(bytesOf(all));
  bytesOf(others)[here >> 3] &= ~(1 << (here & 7));
  bytesOf(own)[here >> 3] = 1 << (here & 7);
  set(0, CORES_BYTES, others.address);
  try {
    return start();
  } finally {
    set(0, CORES_BYTES, own.address);
    set(0, CORES_BYTES, all.address);
  }
}

interface ThreadFunctions {
  readonly create: NativeFunction;
  readonly join: NativeFunction;
  readonly initAttributes: NativeFunction;
  readonly setStackSize: NativeFunction;
  readonly destroyAttributes: NativeFunction;
}

let cached: ThreadFunctions | undefined;

function threadFunctions(): ThreadFunctions {
  if (cached !== undefined) return cached;
  const library = threadLibrary();
  const bind = (prototype: string): NativeFunction => library.func(prototype) as NativeFunction;
  cached = {
    create: bind(
      "int pthread_create(int64_t thread, int64_t attributes, int64_t entry, int64_t argument)",
    ),
    join: bind("int pthread_join(int64_t thread, int64_t result)"),
    initAttributes: bind("int pthread_attr_init(int64_t attributes)"),
    setStackSize: bind("int pthread_attr_setstacksize(int64_t attributes, int64_t bytes)"),
    destroyAttributes: bind("int pthread_attr_destroy(int64_t attributes)"),
  };
  return cached;
}

/** Older systems have threads in a library of their own. */
function threadLibrary(): LibraryHandle {
  const { library } = libc();
  try {
    library.symbol("pthread_create");
    return library;
  } catch {
    return koffi.load("libpthread.so.0");
  }
}

const SYSTEM_CALL =
  "int64_t syscall(int64_t call, int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, int64_t f)";

/** The futex operations of Linux, on words that only this process knows. */
export const Futex = { wait: 128, wake: 129 } as const;
/** The number of their system call. */
const FUTEX_CALL = process.arch === "arm64" ? 98 : 202;

/** Wakes the thread that sleeps on the word at `address`. */
export function wake(address: Address): void {
  cFunction(SYSTEM_CALL)(FUTEX_CALL, address, Futex.wake, 1, 0, 0, 0);
}
