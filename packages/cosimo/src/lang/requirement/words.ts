import { PAST_FUNCTIONS, POINT_FUNCTIONS, RESPONSE_FUNCTIONS } from "../../model/requirement.ts";

/**
 * The words of formulas, which no signal may be called without quotes. Both notations of
 * requirements share them.
 */
export const FORMULA_WORDS: readonly string[] = [
  "always",
  "never",
  "eventually",
  "historically",
  "once",
  "until",
  "since",
  "implies",
  "iff",
  "and",
  "or",
  "not",
  "true",
  "false",
  "after",
  "before",
  "between",
  "globally",
  "while",
  "within",
  "for",
  "as",
  "start",
  "end",
  "time",
  "rises",
  "falls",
  "energy",
];

/** Usage and meaning of every function of formulas, for editors. */
export const FORMULA_FUNCTIONS: Readonly<
  Record<string, { readonly usage: string; readonly help: string }>
> = {
  ...POINT_FUNCTIONS,
  ...PAST_FUNCTIONS,
  ...RESPONSE_FUNCTIONS,
  energy: { usage: "energy(bond)", help: "what a bond of the scenario has transferred so far" },
  rises: { usage: "rises(a.on)", help: "a condition becomes true" },
  falls: { usage: "falls(a.on)", help: "a condition becomes false" },
};
