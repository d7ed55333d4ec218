/**
 * Formats the text of an adaptation: what printSa writes, with the comments where they belong (text/notes.ts) and the blank lines that set
 * statements apart.
 */
import { type AstNode, AstUtils } from "langium";
import type { Checked } from "../../base/diagnostic.ts";
import { collectNotes, keyOf, type Part } from "../text/notes.ts";
import { positionsIn } from "../text/text-positions.ts";
import type { SemanticAdaptation } from "./ast.ts";
import { parseSa } from "./parse-sa.ts";
import { printWithNotes } from "./print-sa.ts";
import { SA } from "./services.ts";

/** @returns the formatted text; without a value where it has mistakes that keep it from being read. */
export function formatSa(text: string, file: string): Checked<string> {
  const { value, diagnostics } = parseSa(text, file);
  if (value === undefined || diagnostics.length > 0) return { diagnostics };
  const parts = partsOf(SA.parseTree(text).value, text);
  const notes = collectNotes(text, SA.tokenize(text), parts, (word) => word === "with");
  const formatted = printWithNotes(value, (part) =>
    notes.get(typeof part === "string" ? part : keyOf(part)),
  );
  return { value: formatted, diagnostics };
}

const ELEMENTS: ReadonlySet<string> = new Set([
  "SemanticAdaptation",
  "InnerUnit",
  "Connection",
  "Port",
  "Declaration",
  "Rule",
  "Assignment",
  "Variable",
  "If",
  "For",
  "While",
  "Break",
  "Return",
  "CallStatement",
]);

/** Parts that begin lines, in the order of the text. */
function partsOf(tree: SemanticAdaptation, text: string): Part[] {
  const found: Part[] = [];
  const sections = new Set<AstNode>(tree.sections);
  const positionAt = positionsIn(text);
  for (const node of AstUtils.streamAst(tree)) {
    const offset = (node as AstNode).$cstNode?.offset ?? 0;
    const section = sections.has(node);
    if (!section && !ELEMENTS.has(node.$type)) continue;
    // `else if` goes on with the line of the `if` before it.
    if (node.$containerProperty === "otherwiseIf") continue;
    found.push({ key: section ? node.$type : keyOf(positionAt(offset)), offset });
  }
  return found.sort((a, b) => a.offset - b.offset);
}
