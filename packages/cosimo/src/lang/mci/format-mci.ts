/**
 * Formats the text of an interface: what printMci writes, with the comments where they belong
 * (text/notes.ts).
 */
import { AstUtils } from "langium";
import { type Checked, hasErrors } from "../../base/diagnostic.ts";
import { collectNotes, keyOf, type Part } from "../text/notes.ts";
import { placeOf } from "../text/text-language.ts";
import type { Attribute } from "./ast.ts";
import { MCI } from "./language.ts";
import { parseMci } from "./parse-mci.ts";
import { attributeKey, printWithNotes } from "./print-mci.ts";

const BY_PLACE: ReadonlySet<string> = new Set([
  "Interface",
  "UnitPath",
  "Port",
  "IoEvent",
  "TemporalReference",
  "UnitProperty",
]);
const BY_KIND: ReadonlySet<string> = new Set(["Ports", "TemporalReferences", "UnitProperties"]);

/**
 * @returns the formatted text; without a value where it has mistakes that keep it from being read.
 */
export function formatMci(text: string, file: string): Checked<string> {
  const { value, diagnostics } = parseMci(text, file);
  if (value === undefined || hasErrors(diagnostics)) return { diagnostics };
  const parts: Part[] = [];
  for (const node of AstUtils.streamAst(MCI.parseTree(text).value)) {
    const offset = node.$cstNode?.offset ?? 0;
    const { $type: kind, $container: around } = node;
    if (BY_PLACE.has(kind)) parts.push({ key: keyOf(placeOf(node, file)), offset });
    else if (BY_KIND.has(kind)) parts.push({ key: kind, offset });
    else if (around?.$type === "Port")
      parts.push({ key: attributeKey(placeOf(around, file), kind as Attribute["$type"]), offset });
  }
  parts.sort((a, b) => a.offset - b.offset);
  const notes = collectNotes(text, MCI.tokenize(text), parts);
  return { value: printWithNotes(value, (key) => notes.get(key)), diagnostics };
}
