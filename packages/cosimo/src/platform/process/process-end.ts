/**
 * Ends that the system does not report. A thread that asked to be traced (PTRACE_TRACEME) makes its
 * parent the tracer: when it ends, the kernel keeps the whole process as a zombie until that one
 * thread is waited for, which Node does not do. Such a process has ended all the same, and Linux
 * says how in /proc.
 */
import { readdirSync, readFileSync } from "node:fs";
import { constants } from "node:os";

export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/**
 * How the process ended, if all of its threads have and it was not reported; undefined while it
 * runs, or where nothing is known.
 */
export function unreapedEnd(pid: number): ProcessEnd | undefined {
  try {
    const tasks = readdirSync(`/proc/${pid}/task`);
    const isOver = tasks.every((task) => statOf(`${pid}/task/${task}`)[STATE] === "Z");
    return isOver && tasks.length > 0 ? endOf(Number(statOf(String(pid)).at(-1))) : undefined;
  } catch {
    // It is gone, so its end was reported; or this is not Linux.
    return undefined;
  }
}

/**
 * As `wait` gives it: the signal in the lowest seven bits, else the exit code in the second byte.
 */
function endOf(status: number): ProcessEnd {
  const number = status & 0x7f;
  if (number === 0) return { code: (status >> 8) & 0xff, signal: null };
  const known = Object.entries(constants.signals).find(([, value]) => value === number);
  return { code: null, signal: (known?.[0] ?? "SIGKILL") as NodeJS.Signals };
}

const STATE = 0;

/** The fields behind the name, which may contain anything: state first, exit status last. */
function statOf(path: string): string[] {
  const text = readFileSync(`/proc/${path}/stat`, "utf8");
  return text
    .slice(text.lastIndexOf(")") + 2)
    .trim()
    .split(" ");
}
