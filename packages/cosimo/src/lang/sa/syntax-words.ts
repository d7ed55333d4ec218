/**
 * How the adaptation language speaks of its syntax.
 */
import type { SyntaxWords } from "../text/syntax-errors.ts";
import { report } from "./diagnostics.ts";
import { isReserved } from "./names.ts";

const MORE = "a section (input ports, param, control rules, …) or the end";

export const SA_WORDS: SyntaxWords = {
  more: MORE,
  string: 'a text in double quotes ("./window.fmu")',
  isReserved,
  group(tokens) {
    if (tokens.has("ID") && tokens.has("NUMBER") && tokens.has("true")) return "an expression";
    if (tokens.has("ID") && tokens.has("return")) return "a statement or '}'";
    if (tokens.has("control") && tokens.has("param")) return "a section (input ports, param, …)";
    return undefined;
  },
  fixFor(found, expected) {
    if (found === "<-") return "'<-' is an arrow: write '< -' to compare";
    // The parser gives up a list where its next item makes no sense.
    if (found === "," && expected === MORE)
      return "complete or remove what stands behind it: 'NAME := value', or a port";
    return undefined;
  },
  reportCharacter: (found, place) => report("sa-character", { found }, place),
  reportSyntax: (mistake, place) => report("sa-syntax", mistake, place),
  reportMore: (count, place) => report("sa-more-errors", { count }, place),
};
