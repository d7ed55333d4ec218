/**
 * The adaptation language: its grammar (sa.langium) and its words.
 */
import { TextLanguage } from "../text/text-language.ts";
import type { SaFile } from "./ast.ts";
import { report } from "./diagnostics.ts";
import { SA_GRAMMAR, SA_TYPES } from "./grammar.ts";
import { SA_WORDS } from "./syntax-words.ts";

export const SA: TextLanguage<SaFile> = new TextLanguage({
  id: "sa",
  grammar: SA_GRAMMAR,
  types: SA_TYPES,
  words: SA_WORDS,
  hasEscapes: true,
  reportLimit: (limit, place) => report("sa-too-deep", { limit }, place),
});
