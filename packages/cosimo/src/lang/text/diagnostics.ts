/**
 * What can be wrong with the syntax of a text, whatever its language (adaptations have codes of
 * their own, which are older).
 */
import { diagnose, type RulesFor, rulesFrom } from "../../base/diagnostic.ts";
import { type BeyondLimit, MOST_CHARACTERS, MOST_NESTED, MOST_OPERATORS } from "./limits.ts";
import type { SyntaxWords } from "./syntax-errors.ts";
import type { LanguageDefinition } from "./text-language.ts";

interface TextParams {
  "text-character": { readonly found: string };
  "text-syntax": { readonly expected: string; readonly found: string; readonly fix: string };
  "text-more-errors": { readonly count: number };
  "text-too-deep": { readonly limit: BeyondLimit["limit"] };
}

const LIMITS: Readonly<
  Record<BeyondLimit["limit"], { readonly message: string; readonly fix: string }>
> = {
  nested: {
    message: `more than ${MOST_NESTED} brackets, blocks or signs are inside of each other`,
    fix: "simplify it",
  },
  operators: {
    message: `there are more than ${MOST_OPERATORS} operators in one expression`,
    fix: "simplify it",
  },
  characters: {
    message: `a name, number or text has more than ${MOST_CHARACTERS} characters`,
    fix: "shorten it; a quote that is not closed takes what follows",
  },
};

export const TEXT_RULES: RulesFor<TextParams> = rulesFrom<TextParams>({
  "text-character": {
    rule: "A text consists of the words and signs of its language.",
    message: (p) => `'${p.found}' is not a part of the language`,
    fix: (p) =>
      /^["']/.test(p.found) ? "close the quotes on the same line" : `remove '${p.found}'`,
  },
  "text-syntax": {
    rule: "A text follows the grammar of its language.",
    message: (p) => `expected ${p.expected}, found ${p.found}`,
    fix: (p) => p.fix,
  },
  "text-more-errors": {
    rule: "Of very many syntax errors the first are listed.",
    message: (p) => `${p.count} more syntax errors follow`,
    fix: "correct the first ones; is this a text of this language?",
  },
  "text-too-deep": {
    rule: "Texts are nested and long only up to a limit.",
    message: (p) => LIMITS[p.limit].message,
    fix: (p) => LIMITS[p.limit].fix,
  },
});

type OwnWords = Pick<SyntaxWords, "more" | "string" | "group" | "isReserved" | "fixFor">;

/** The words of a language that reports its syntax errors with the codes of this table. */
export function languageWords(own: OwnWords): Pick<LanguageDefinition, "words" | "reportLimit"> {
  const words: SyntaxWords = {
    ...own,
    reportCharacter: (found, place) => diagnose(TEXT_RULES, "text-character", { found }, place),
    reportSyntax: (mistake, place) => diagnose(TEXT_RULES, "text-syntax", mistake, place),
    reportMore: (count, place) => diagnose(TEXT_RULES, "text-more-errors", { count }, place),
  };
  const reportLimit: LanguageDefinition["reportLimit"] = (limit, place) =>
    diagnose(TEXT_RULES, "text-too-deep", { limit }, place);
  return { words, reportLimit };
}
