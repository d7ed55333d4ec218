/**
 * How the adaptation language speaks of its syntax.
 */
import type { SyntaxWords } from "../text/syntax-errors.ts";
import { report } from "./diagnostics.ts";
import { isReserved } from "./names.ts";

const MORE = "a section (input ports, param, control rules, …) or the end";

/** Words that go together, as one writes them. */
const PHRASES: Readonly<Record<string, string>> = {
  DISCRETE_PHRASE: "'discrete real'",
  TYPE_PHRASE: "'Real'",
  WITHOUT_MASTER_PHRASE: "'without master'",
  MODEL_TYPE_PHRASE: "'type DE'",
  FULL_DEPENDENCIES_PHRASE: "'full internal dependencies'",
  COMPOSED_OF_PHRASE: "'composed of'",
  COUPLED_AS_PHRASE: "'coupled as'",
  MULTIPLY_RATE_PHRASE: "'multiply rate 10 times'",
  INTERPOLATION_PHRASE: "'with first order interpolation'",
  SUBSTITUTION_PHRASE: "'successive substitution starts at'",
  DELAY_AT_PHRASE: "'delay at'",
  TRIGGERED_BY_PHRASE: "'triggered by'",
  PERIODIC_PHRASE: "'periodic every 0.1'",
  HOLD_PHRASE: "'zero order hold'",
  CROSSING_PHRASE: "'crossing absolute tolerance = 1e-6'",
  TOLERANCE_PHRASE: "'absolute tolerance = 1e-6'",
  WITH_TOLERANCE_PHRASE: "'with tolerance 1e-6'",
  REFUSED_PHRASE: "",
};

export const SA_WORDS: SyntaxWords = {
  more: MORE,
  tokens: PHRASES,
  string: 'a text in double quotes ("./window.fmu")',
  isReserved,
  group(tokens) {
    if (tokens.has("ID") && tokens.has("NUMBER") && tokens.has("true")) return "an expression";
    if (tokens.has("ID") && tokens.has("return")) return "a statement or '}'";
    if (tokens.has("control") && tokens.has("param")) return "a section (input ports, param, …)";
    return undefined;
  },
  fixFor(found, expected) {
    if (found === "=") return "write ':=' to assign and '==' to compare";
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
