/**
 * Listings of Liboni, "Complex systems co-simulation with the CoSim20 framework", as they are
 * printed, with only the line numbers removed. Files are named after the listings:
 * `mci/testing/listings/5.1.mci`.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface Listing {
  readonly name: string;
  readonly text: string;
}

export function listingsOf(language: "mci" | "mcl"): readonly Listing[] {
  const folder = join(import.meta.dirname, "..", "..", language, "testing", "listings");
  return readdirSync(folder)
    .sort()
    .map((name) => ({ name, text: readFileSync(join(folder, name), "utf8") }));
}

export function listing(name: string): string {
  const language = name.endsWith(".mci") ? "mci" : "mcl";
  const found = listingsOf(language).find((one) => one.name === name);
  if (found === undefined) throw new Error(`there is no listing ${name}`);
  return found.text;
}
