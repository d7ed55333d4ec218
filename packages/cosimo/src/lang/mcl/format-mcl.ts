/**
 * Formats the text of a coordination specification: what printMcl writes, with the comments where
 * they belong (text/notes.ts).
 */
import { AstUtils } from "langium";
import { type Checked, hasErrors } from "../../base/diagnostic.ts";
import { collectNotes, keyOf, type Part } from "../text/notes.ts";
import { placeOf } from "../text/text-language.ts";
import { MCL } from "./language.ts";
import { parseMcl } from "./parse-mcl.ts";
import { printWithNotes } from "./print-mcl.ts";

const PARTS: ReadonlySet<string> = new Set([
  "Load",
  "Experiment",
  "Setting",
  "Connector",
  "Every",
  "Event",
  "Updated",
  "ReadyToRead",
  "Threshold",
  "Synchronization",
  "Interaction",
]);

/** Words in front of a part that stand on the line of the part. */
const LEADING: ReadonlySet<string> = new Set(["when", "sync", "do"]);

/**
 * @returns the formatted text; without a value where it has mistakes that keep it from being read.
 */
export function formatMcl(text: string, file: string): Checked<string> {
  const { value, diagnostics } = parseMcl(text, file);
  if (value === undefined || hasErrors(diagnostics)) return { diagnostics };
  const parts: Part[] = [];
  for (const node of AstUtils.streamAst(MCL.parseTree(text).value)) {
    const offset = node.$cstNode?.offset ?? 0;
    if (PARTS.has(node.$type)) parts.push({ key: keyOf(placeOf(node, file)), offset });
  }
  parts.sort((a, b) => a.offset - b.offset);
  const notes = collectNotes(text, MCL.tokenize(text), parts, (word) => LEADING.has(word));
  return { value: printWithNotes(value, (key) => notes.get(key)), diagnostics };
}
