/**
 * A machine that samples `u` into `y` every 0.4 s and counts in `n`: what the contract knows of it,
 * however it is written.
 */
import type { ContractSubject } from "../contract-subject.ts";

export function samplerSubject(open: ContractSubject["open"]): ContractSubject {
  const first = { time: 0.4, timeTolerance: 0 };
  return {
    open,
    step: 0.25,
    behaviour: { port: "n", at: (t) => Math.floor(t / 0.4 + 1e-9), tolerance: 0 },
    settable: { port: "u", value: 0.5 },
    fixed: { port: "every", value: 1 },
    updated: { port: "n", ...first, value: 1 },
    event: { port: "n", ...first, value: 1 },
    readyToRead: { port: "u", ...first, value: 7, shows: { port: "y", expected: 7 } },
  };
}
