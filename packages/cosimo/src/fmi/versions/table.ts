/**
 * The versions of FMI that Cosimo reads, one row each.
 */

import type { FmiVersion } from "./fmi-version.ts";
import { FMI1 } from "./fmi1.ts";
import { FMI2 } from "./fmi2.ts";
import { FMI3 } from "./fmi3.ts";

/** Major versions of FMI. */
export type FmiMajor = 1 | 2 | 3;

const ROWS: { readonly [Major in FmiMajor]: FmiVersion<Major> } = {
  1: FMI1,
  2: FMI2,
  3: FMI3,
};

/** Oldest first. */
export const FMI_VERSIONS: readonly FmiVersion<FmiMajor>[] = Object.values(ROWS);

/** What the version of a description offers. */
export function fmiVersion({ major }: { readonly major: FmiMajor }): FmiVersion {
  return ROWS[major];
}

/** "FMI 2.0 and 3.0": for messages. */
export function fmiVersionNames(conjunction: "and" | "or"): string {
  const names = FMI_VERSIONS.map(({ name }) => name);
  return `FMI ${names.slice(0, -1).join(", ")} ${conjunction} ${names.at(-1)}`;
}
