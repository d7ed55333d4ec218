/**
 * A process that holds an FMU must not outlive the one that started it. Losing the channel is
 * noticed between two calls only; while the FMU hangs inside one, the kernel has to end the
 * process.
 */
import { cFunction } from "./libc.ts";

const PR_SET_PDEATHSIG = 1;
const SIGKILL = 9;
const PRCTL = "int prctl(int option, int64_t a, int64_t b, int64_t c, int64_t d)";

/** Linux only; elsewhere a hanging orphan stays until it is ended. */
export function dieWithParent(): void {
  if (process.platform !== "linux") return;
  cFunction(PRCTL)(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
}
