/**
 * Adaptations without places, to compare what is said and not where.
 */
import { unwrap } from "../../../base/diagnostic.ts";
import type { Adaptation } from "../../../model/adaptation/data.ts";
import { parseSa } from "../parse-sa.ts";

/** Where it is said, and that it is what is done where nothing is said: text has neither. */
const NOT_SAID: ReadonlySet<string> = new Set(["place", "control"]);

export function bare<T>(value: T): T {
  return JSON.parse(
    JSON.stringify(value, (key, part: unknown) => (NOT_SAID.has(key) ? undefined : part)),
  ) as T;
}

export const read = (text: string): Adaptation => unwrap(parseSa(text, "test.sa"));

export const HEAD = "semantic adaptation reactive moore A a\n";

export const codes = (diagnostics: readonly { readonly code: string }[]): string[] =>
  diagnostics.map(({ code }) => code);
