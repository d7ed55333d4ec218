/**
 * What a process allows itself before it loads foreign code, and what its end then means. Limits
 * count from where the process is: a Node that has done nothing yet needs memory, files and time as
 * well, and those are not the unit's.
 */
import { readdirSync, readFileSync } from "node:fs";
import { constants } from "node:os";
import { bytesText, type ProcessLimits } from "../../model/isolation.ts";
import { cFunction } from "../native/libc.ts";
import { Arena } from "../native/native-memory.ts";
import type { ProcessEnd } from "./process-end.ts";

const SETRLIMIT = "int setrlimit(int resource, int64_t limit)";
const CPU = 0;
/** Writable private memory: what is allocated, and not what an engine has reserved. */
const DATA = 2;
const FILES = 7;

/** @throws Error when the system refuses one of them. */
export function limitProcess({ memoryBytes, processorSeconds, openFiles }: ProcessLimits): void {
  if (memoryBytes !== undefined) limit(DATA, dataBytes() + memoryBytes);
  if (processorSeconds !== undefined) {
    const { user, system } = process.cpuUsage();
    limit(CPU, Math.ceil((user + system) / 1e6 + processorSeconds));
  }
  if (openFiles !== undefined) limit(FILES, firstFileBehind(openFiles));
}

function limit(resource: number, value: number): void {
  const arena = new Arena();
  const block = arena.allocate(16);
  const words = new BigUint64Array(block.buffer, block.offset, 2);
  words[0] = BigInt(Math.ceil(value));
  // Of processor time the second limit is the one that cannot be caught.
  words[1] = BigInt(Math.ceil(value) + (resource === CPU ? 1 : 0));
  const status = cFunction(SETRLIMIT)(resource, block.address);
  arena.free();
  if (status !== 0) throw new Error(`the system refuses to limit a process (resource ${resource})`);
}

function dataBytes(): number {
  const [, kilobytes] =
    /^VmData:\s+(\d+) kB/m.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
  return Number(kilobytes ?? 0) * 1024;
}

/**
 * The number below which so many descriptors are free: the system limits numbers, and a process may
 * inherit high ones.
 */
function firstFileBehind(free: number): number {
  const open = new Set(readdirSync("/proc/self/fd").map(Number));
  let number = 0;
  for (let left = free; left > 0; number++) if (!open.has(number)) left--;
  return number;
}

/** What a limit has to do with an end; undefined: nothing that is known. */
export function limitText(
  { memoryBytes, processorSeconds }: ProcessLimits,
  { signal }: ProcessEnd,
): string | undefined {
  if (signal === "SIGXCPU" || (signal === "SIGKILL" && processorSeconds !== undefined))
    return `${signal} (it used more than ${processorSeconds} s of processor time)`;
  if (memoryBytes === undefined || signal === null || !MEMORY_SIGNALS.includes(signal))
    return undefined;
  return `${signal} (it may have wanted more memory than the ${bytesText(memoryBytes)} that it is allowed)`;
}

/** How programs end that get no memory. */
const MEMORY_SIGNALS: readonly string[] = ["SIGSEGV", "SIGABRT", "SIGTRAP", "SIGILL", "SIGBUS"];

/** A sandbox reports the signal that ended what is inside it as an exit code. */
export function insideEnd(end: ProcessEnd): ProcessEnd {
  const number = (end.code ?? 0) - SIGNAL_BASE;
  const found = Object.entries(constants.signals).find(([, value]) => value === number);
  return found ? { code: null, signal: found[0] as NodeJS.Signals } : end;
}

const SIGNAL_BASE = 128;
