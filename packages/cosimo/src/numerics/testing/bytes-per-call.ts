/**
 * Measures what a call allocates, for guards of hot paths. Short trials, because one long trial reports nothing for a loop
 * whose garbage is collected meanwhile; every guard shows with a positive control that it can fail.
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

const TRIALS = 15;
const CALLS = 400;

/** Lower quartile over short trials of the heap growth a call, in bytes. */
export function bytesPerCall(call: () => void): number {
  for (let i = 0; i < 20_000; i++) call();
  const growth: number[] = [];
  for (let trial = 0; trial < TRIALS; trial++) {
    collect();
    const before = process.memoryUsage().heapUsed;
    for (let i = 0; i < CALLS; i++) call();
    growth.push((process.memoryUsage().heapUsed - before) / CALLS);
  }
  growth.sort((a, b) => a - b);
  // The lower quartile: on a busy machine the compiler may come late, which is no allocation of the code's own.
  return growth[TRIALS >> 2] as number;
}
