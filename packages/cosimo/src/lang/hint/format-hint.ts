/**
 * Formats the text of a file of hints: what printHints writes, with the comments where they belong
 * (text/notes.ts).
 */
import { AstUtils } from "langium";
import { type Checked, hasErrors } from "../../base/diagnostic.ts";
import { collectNotes, keyOf, type Part } from "../text/notes.ts";
import { placeOf } from "../text/text-language.ts";
import { HINT } from "./language.ts";
import { parseHint } from "./parse-hint.ts";
import { printHints } from "./print-hint.ts";

const PARTS: ReadonlySet<string> = new Set(["Hint", "Statement", "Scope", "Pattern"]);

/** Words in front of a part that stand on the line of the part. */
const LEADING: ReadonlySet<string> = new Set(["scope", "pattern"]);

/**
 * @returns the formatted text; without a value where it has mistakes that keep it from being read.
 */
export function formatHint(text: string, file: string): Checked<string> {
  const { value, diagnostics } = parseHint(text, file);
  if (value === undefined || hasErrors(diagnostics)) return { diagnostics };
  const parts: Part[] = [];
  for (const node of AstUtils.streamAst(HINT.parseTree(text).value)) {
    const offset = node.$cstNode?.offset ?? 0;
    if (PARTS.has(node.$type)) parts.push({ key: keyOf(placeOf(node, file)), offset });
  }
  parts.sort((a, b) => a.offset - b.offset);
  const notes = collectNotes(text, HINT.tokenize(text), parts, (word) => LEADING.has(word));
  return { value: printHints(value, (key) => notes.get(key)), diagnostics };
}
