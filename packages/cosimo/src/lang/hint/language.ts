/**
 * Hints: their grammar (hint.langium), words and names.
 */
import { languageWords } from "../text/diagnostics.ts";
import { printQuotedName } from "../text/quoted-names.ts";
import { TextLanguage } from "../text/text-language.ts";
import type { HintFile } from "./ast.ts";
import { HINT_GRAMMAR, HINT_TYPES } from "./grammar.ts";

/** Words of the grammar that are not names: all but those that the rule of names lists. */
const NAMES: ReadonlySet<string> = new Set([
  "description",
  "statements",
  "scope",
  "pattern",
  "with",
  "val",
  "every",
  "Until",
  "Existence",
  "Response",
]);

export const HINT: TextLanguage<HintFile> = new TextLanguage({
  id: "hint",
  grammar: HINT_GRAMMAR,
  types: HINT_TYPES,
  ...languageWords({
    more: "Hint or the end",
    string: 'a text in double quotes ("What is expected.")',
    isReserved,
    group(tokens) {
      if (tokens.has("Universality"))
        return "a pattern (Universality: always-the-case-that P holds)";
      if (tokens.has("Globally") && tokens.size < 8)
        return "a scope (Globally, Before, After, Between)";
      if (tokens.has("always") && tokens.has("NUMBER") && tokens.has("ID"))
        return "a formula (plant.speed < 3 m/s) or the name of a statement";
      if (tokens.has("(") && tokens.has("NUMBER") && tokens.has("ID"))
        return "a number, a signal or '('";
      return undefined;
    },
    fixFor(found, expected) {
      if (found === "=") return "compare with ==; a statement is 'Property name := …'";
      if (found === "&" || found === "|") return "write 'and', 'or'";
      if (expected.startsWith("':='")) return "a statement is 'Property name := …'";
      return undefined;
    },
  }),
});

function isReserved(word: string): boolean {
  return HINT.keywords.includes(word) && !NAMES.has(word);
}

/** As the formatter writes the name of a hint or a statement. */
export function printName(name: string): string {
  return printQuotedName(name, isReserved);
}
