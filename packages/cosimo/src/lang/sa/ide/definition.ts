/**
 * Where something is declared: here, or in the file that an inner unit comes from.
 */

import type { Target } from "../../text/editor-language.ts";
import { spanOf } from "../../text/span.ts";
import type * as ast from "../ast.ts";
import type { SaDocument } from "./sa-document.ts";
import { type Occurrence, occurrenceAt } from "./symbols.ts";

export function definitionAt(document: SaDocument, offset: number): Target | undefined {
  const source = sourceAt(document, offset);
  if (source !== undefined) return source;
  const found = occurrenceAt(document.symbols, offset);
  if (found === undefined) return undefined;
  const { span: from, symbol, name } = found;
  // A port that the author lists is declared by its unit: there, if that is a text.
  const unit = symbol?.kind === "unit port" ? symbol.unit : found.unit;
  const file = unit === undefined ? undefined : sourceOf(document, unit);
  if (file !== undefined && /\.sa$/i.test(file))
    return { kind: "there", from, source: file, port: name };
  if (symbol !== undefined) return { kind: "here", from, span: symbol.span };
  return file === undefined ? undefined : { kind: "there", from, source: file, port: name };
}

/** All places at which the name at the cursor stands for the same thing. */
export function usesAt({ symbols }: SaDocument, offset: number): readonly Occurrence[] {
  const found = occurrenceAt(symbols, offset);
  if (found === undefined) return [];
  const { symbol, role, name, unit } = found;
  if (symbol !== undefined) return symbols.occurrences.filter((one) => one.symbol === symbol);
  return symbols.occurrences.filter(
    (one) =>
      one.symbol === undefined && one.role === role && one.name === name && one.unit === unit,
  );
}

function sourceOf({ symbols }: SaDocument, unit: string): string | undefined {
  const symbol = symbols.symbols.find(({ kind, name }) => kind === "unit" && name === unit);
  return symbol && (symbol.node as ast.InnerUnit).source;
}

/** `at "here"`. */
function sourceAt({ tree }: SaDocument, offset: number): Target | undefined {
  for (const unit of tree.inner) {
    const span = spanOf(unit, "source");
    if (span === undefined || unit.source === undefined) continue;
    if (span.offset <= offset && offset <= span.end)
      return { kind: "there", from: span, source: unit.source };
  }
  return undefined;
}
