/**
 * Measures what a call allocates, for guards of hot paths. Short trials, because one long trial
 * reports nothing for a loop whose garbage is collected meanwhile; every guard shows with a
 * positive control that it can fail.
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

const TRIALS = 15;
const CALLS = 400;
const ROUNDS = 3;

/** Heap growth per call, in bytes: the smallest lower quartile of some rounds of short trials. */
export function bytesPerCall(call: () => void): number {
  // On a busy machine the compiler may come late, which is not an allocation of the code's own:
  // then a later round shows it.
  return Math.min(...Array.from({ length: ROUNDS }, () => quartile(call)));
}

function quartile(call: () => void): number {
  for (let i = 0; i < 20_000; i++) call();
  const growth: number[] = [];
  for (let trial = 0; trial < TRIALS; trial++) {
    collect();
    const before = process.memoryUsage().heapUsed;
    for (let i = 0; i < CALLS; i++) call();
    growth.push((process.memoryUsage().heapUsed - before) / CALLS);
  }
  growth.sort((a, b) => a - b);
  return growth[TRIALS >> 2] as number;
}
