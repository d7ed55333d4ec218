/**
 * FMUs print. When our own stdout carries a result for another program, their text must not land in
 * it: from here on everything the process writes to descriptor 1 goes to stderr, and the true
 * stdout is kept under another number.
 */
import { cFunction } from "./libc.ts";

export interface Redirection {
  /** The true stdout: write results here with `writeSync`. */
  readonly fd: number;
  /** Puts stdout back; what FMUs left in C's buffers goes to stderr before. */
  restore(): void;
}

export function redirectStdoutToStderr(): Redirection {
  const prefix = process.platform === "win32" ? "_" : "";
  const dup = cFunction(`int ${prefix}dup(int fd)`);
  const dup2 = cFunction(`int ${prefix}dup2(int from, int to)`);
  const close = cFunction(`int ${prefix}close(int fd)`);
  const fflush = cFunction("int fflush(int64_t stream)");
  fflush(0);
  const fd = dup(1);
  if (fd < 0 || dup2(2, 1) < 0) throw new Error("cannot redirect stdout to stderr");
  let redirected = true;
  return {
    fd,
    restore() {
      if (!redirected) return;
      redirected = false;
      fflush(0);
      dup2(fd, 1);
      close(fd);
    },
  };
}
