/**
 * MCL: its grammar (mcl.langium), its words and its names.
 */
import { languageWords } from "../text/diagnostics.ts";
import { printQuotedName } from "../text/quoted-names.ts";
import { TextLanguage } from "../text/text-language.ts";
import type { Specification } from "./ast.ts";
import { MCL_GRAMMAR, MCL_TYPES } from "./grammar.ts";

/** Words that open a part, so that a unit or a connector with such a name needs quotes. */
const RESERVED: ReadonlySet<string> = new Set([
  "load",
  "experiment",
  "Connector",
  "when",
  "sync",
  "do",
  "not",
]);

const isReserved = (word: string): boolean => RESERVED.has(word);

export const MCL: TextLanguage<Specification> = new TextLanguage({
  id: "mcl",
  grammar: MCL_GRAMMAR,
  types: MCL_TYPES,
  ...languageWords({
    more: "load, experiment, Connector or the end",
    string: 'a text in double quotes ("plant.mci")',
    isReserved,
    group(tokens) {
      if (tokens.has("every") && tokens.has("event") && tokens.has("value") && tokens.size < 5)
        return "'every', 'event on' or 'value on'";
      if (tokens.has("(") && tokens.has("NUMBER") && tokens.has("ID"))
        return "what is exchanged (plant.temperature -> control.temperature)";
      return undefined;
    },
    fixFor(found, expected) {
      if (found === "-->" || found === "→") return undefined;
      if (expected.startsWith("'->'")) return "an interaction is 'source -> target'";
      return undefined;
    },
  }),
});

/** As the formatter writes the name of a unit or of a connector. */
export function printName(name: string): string {
  return printQuotedName(name, isReserved);
}

/** As the formatter writes the name of a port: names of FMI variables may have dots. */
export function printPort(name: string): string {
  const parts = name.split(".");
  const printed = parts.map((part) => printQuotedName(part, () => false));
  return printed.some((part) => part.startsWith('"'))
    ? printQuotedName(name, () => true)
    : printed.join(".");
}
