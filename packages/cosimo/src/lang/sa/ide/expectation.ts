/**
 * What may stand at the cursor of an adaptation (text/expectation.ts says how that is found).
 */

import { UNIT_ENDINGS } from "../../../model/source-kind.ts";
import type { InsideText } from "../../text/editor-language.ts";
import {
  type CompletionStyle,
  type Expectation as ExpectationOf,
  expectationAt as expectationIn,
  HERE,
  isInComment as isInCommentOf,
  quotedTextAt,
} from "../../text/expectation.ts";
import type * as ast from "../ast.ts";
import { SA } from "../services.ts";

export type Expectation = ExpectationOf<ast.SaFile>;

/** These are names where no two names follow. */
const KINDS: ReadonlySet<string> = new Set(["reactive", "delayed", "mealy", "moore"]);

const STYLE: CompletionStyle<ast.SaFile> = {
  language: SA,
  closings: ["", ";", ":= 0;", ");", ") {}"],
  phrases: [
    "semantic adaptation",
    "for inner fmu",
    "for fmu",
    "coupled as",
    "multiply rate 10 times",
    "successive substitution starts at",
    "delay at",
    "triggered by",
    "periodic every 1",
    "with input ports",
    "with output ports",
    "input ports",
    "output ports",
    "control var",
    "control rules",
    "in var",
    "in rules",
    "out var",
    "out rules",
  ],
  nameRules: new Set(["Name", "UnitPart"]),
  // What begins with 'with' is distinguished by what follows.
  behind: (phrase) =>
    KINDS.has(phrase) ? ` ${HERE} ${HERE}` : phrase.includes(" ") ? ` ${HERE}` : "",
  quote: "'",
};

/**
 * Where the name of the adaptation is missing yet; a section may follow a head with one name, but
 * nobody calls one 'reactive'.
 */
const IN_HEAD = /\badaptation(\s+(reactive|delayed|mealy|moore))*\s+\w*$/;

export function expectationAt(text: string, offset: number): Expectation | undefined {
  const found = expectationIn(STYLE, text, offset);
  if (found === undefined || !IN_HEAD.test(text.slice(0, offset))) return found;
  return { ...found, keywords: found.keywords.filter((word) => KINDS.has(word)) };
}

export function isInComment(text: string, offset: number): boolean {
  return isInCommentOf(SA, text, offset);
}

/** The text in double quotes that the cursor is in, closed or not. */
export function insideText(text: string, offset: number): InsideText | undefined {
  const quoted = quotedTextAt(SA, text, offset);
  if (quoted === undefined) return undefined;
  const { span, before } = quoted;
  const opens = before.findLast((image) => image === "for" || image === "semantic");
  const isSource = before.at(-1) === "at" && opens === "for";
  return { span, endings: isSource ? UNIT_ENDINGS : [] };
}
