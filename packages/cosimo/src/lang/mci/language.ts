/**
 * MCILang: its grammar (mci.langium), its words and its names.
 */
import { nearest } from "../../base/nearest.ts";
import { languageWords } from "../text/diagnostics.ts";
import { printQuotedName } from "../text/quoted-names.ts";
import { TextLanguage } from "../text/text-language.ts";
import type { Interface } from "./ast.ts";
import { MCI_GRAMMAR, MCI_TYPES } from "./grammar.ts";

export const MCI: TextLanguage<Interface> = new TextLanguage({
  id: "mci",
  grammar: MCI_GRAMMAR,
  types: MCI_TYPES,
  ...languageWords({
    more: "the end: one interface per file",
    string: 'a text in double quotes ("plant.fmu")',
    isReserved: () => false,
    group(tokens) {
      if (tokens.has("direction") && tokens.has("nature"))
        return "an attribute (direction, nature, type, …) or '}'";
      if (tokens.has("ports") && tokens.has("SUPath"))
        return "a path, ports, temporalreferences, properties or '}'";
      if (tokens.has("piecewise-constant"))
        return "continuous, piecewise-continuous, piecewise-constant, constant or transient";
      return undefined;
    },
    fixFor(found, expected) {
      if (/^(input|output)$/i.test(found) && expected.includes("'INPUT'"))
        return `write ${found.toUpperCase()}`;
      const near = /^[a-z-]+$/i.test(found) ? nearest(found, MCI.keywords) : undefined;
      if (near !== undefined && near !== found) return `did you mean '${near}'?`;
      if (expected === "'}'")
        return "close the block with '}', or write what belongs there: a path, ports, direction, nature, type, …";
      return undefined;
    },
  }),
});

/** The name of an event, which may be omitted: a word of the language would be read as one. */
export function printEventName(name: string): string {
  return printQuotedName(name, (word) => MCI.keywords.includes(word));
}

/** As the formatter writes a name. */
export function printName(name: string): string {
  return printQuotedName(name, () => false);
}
