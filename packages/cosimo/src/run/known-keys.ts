/**
 * Keys of objects that programs pass: TypeScript finds a misspelt one, plain JavaScript would not,
 * and a value that nobody reads is a wrong result without a word.
 */
import { DiagnosticsError, diagnose, type Place } from "../base/diagnostic.ts";
import { nearest } from "../base/nearest.ts";
import { SCENARIO_TEXT_RULES } from "../lang/scenario/diagnostics.ts";

/** @throws DiagnosticsError that lists the keys of `given` that are not among `known`. */
export function refuseUnknownKeys(
  given: object,
  known: readonly string[],
  owner: string,
  place: Place,
): void {
  const odd = Object.keys(given).filter((key) => !known.includes(key));
  if (odd.length === 0) return;
  throw new DiagnosticsError(
    odd.map((key) => {
      const params = { key, owner, nearest: nearest(key, known), known };
      return diagnose(SCENARIO_TEXT_RULES, "scenario-unknown-key", params, place);
    }),
  );
}
