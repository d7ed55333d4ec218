/**
 * The one guard of the floating-point state that this thread has (float-state.ts), and what is done
 * with it.
 */

import { type FloatGuard, takeChange } from "./float-state.ts";
import { codeGuard } from "./float-state-code.ts";
import { fenvGuard } from "./float-state-fenv.ts";

let guard: FloatGuard | undefined;

/** One for the thread. The state that it finds when it is made is the one that it restores. */
export function floatGuard(): FloatGuard {
  guard ??= codeGuard() ?? fenvGuard() ?? NO_GUARD;
  return guard;
}

/** A system whose floating-point environment we do not know. */
const NO_GUARD: FloatGuard = {
  home: { mode: 0, control: 0 },
  changed: new Int32Array(3),
  check() {},
  set() {},
};

/**
 * Does something of ours inside a callback: an FMU may be in a state of its own, which it finds
 * again afterwards.
 */
export function inOwnState<T>(action: () => T, of: FloatGuard = floatGuard()): T {
  of.check();
  const theirs = takeChange(of);
  if (theirs === undefined) return action();
  try {
    return action();
  } finally {
    of.set(theirs);
  }
}
