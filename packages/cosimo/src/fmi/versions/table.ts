/**
 * The versions of FMI that Cosimo reads, one row each.
 */

import type { FmiVersion } from "./fmi-version.ts";
import { FMI2 } from "./fmi2.ts";
import { FMI3 } from "./fmi3.ts";

export const FMI_VERSIONS: readonly [typeof FMI2, typeof FMI3] = [FMI2, FMI3];

export type FmiMajor = (typeof FMI_VERSIONS)[number]["major"];

const BY_MAJOR: ReadonlyMap<FmiMajor, FmiVersion> = new Map(
  FMI_VERSIONS.map((version) => [version.major, version]),
);

/** What the version of a description offers. */
export function fmiVersion({ major }: { readonly major: FmiMajor }): FmiVersion {
  const version = BY_MAJOR.get(major);
  if (version === undefined) throw new Error(`internal: no row for FMI ${major}`);
  return version;
}

/** "FMI 2.0 and 3.0": for messages. */
export function fmiVersionNames(conjunction: "and" | "or"): string {
  const names = FMI_VERSIONS.map(({ name }) => name);
  return `FMI ${names.slice(0, -1).join(", ")} ${conjunction} ${names.at(-1)}`;
}
