/**
 * Numbers for the FMI functions, so that one word of shared memory can say which call a crashed process was in.
 */
import { FMI2_CALLS } from "./fmi2-calls.ts";
import { FMI3_CALLS } from "./fmi3-calls.ts";

/** Function names by call id; 0 is "no call". */
export const CALL_NAMES: readonly string[] = [
  "",
  ...Object.keys(FMI2_CALLS),
  ...Object.keys(FMI3_CALLS),
];

const IDS = new Map(CALL_NAMES.map((name, id) => [name, id]));

export function callId(name: string): number {
  return IDS.get(name) ?? 0;
}
