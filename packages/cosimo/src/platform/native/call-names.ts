/**
 * Numbers for the FMI functions, so that one word of shared memory can say which call a crashed
 * process was in. The loading of a library counts as one: its constructors are code of the FMU,
 * too.
 */
import { ALL_VERSIONS } from "./fmi-version.ts";

/** As it stands in "'unit' failed at t=0: … ended with SIGSEGV". */
const LOADING = "loading its library";

/** Function names by call id; 0 is "no call". */
export const CALL_NAMES: readonly string[] = [
  "",
  ...ALL_VERSIONS.flatMap(({ calls }) => Object.keys(calls)),
  LOADING,
];

const IDS = new Map(CALL_NAMES.map((name, id) => [name, id]));

export function callId(name: string): number {
  return IDS.get(name) ?? 0;
}

/** The id while a library is loaded. */
export const LOADING_ID: number = callId(LOADING);
