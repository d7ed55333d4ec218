/**
 * Findings as an editor shows them: a place becomes the range of text that it is about, and a fix
 * that says what to write becomes an edit.
 */
import { AstUtils, CstUtils } from "langium";
import type { Diagnostic } from "../../../base/diagnostic.ts";
import type { QuickFix } from "../../text/editor-language.ts";
import { lineEnd, offsetOf, type Span, spanOf, wordEnd } from "../../text/span.ts";
import type * as ast from "../ast.ts";
import { printName } from "../names.ts";
import type { SaDocument } from "./sa-document.ts";

/** Begins where the finding says; of what is long only the part that names it. */
export function spanOfFinding(document: SaDocument, { place }: Diagnostic): Span {
  const { text, tree } = document;
  if (place.line === undefined) return { offset: 0, end: lineEnd(text, 0) };
  const offset = Math.min(offsetOf(text, place.line, place.column ?? 1), text.length);
  const leaf = tree.$cstNode && CstUtils.findLeafNodeAtOffset(tree.$cstNode, offset);
  if (leaf === undefined || leaf.offset !== offset) return { offset, end: wordEnd(text, offset) };
  const node = leaf.astNode;
  const end =
    (node.$type === "InnerUnit" && (spanOf(node, "source") ?? spanOf(node, "name"))?.end) ||
    (node.$type === "SemanticAdaptation" && spanOf(node, "name")?.end) ||
    (node.$type === "PortName" && spanOf(node, "port")?.end) ||
    (node.$type === "Reference" && spanOf(node, "name")?.end) ||
    leaf.end;
  return { offset, end: Math.max(end, offset + 1) };
}

/** Codes whose "did you mean" is about the port behind the dot, not about the unit before it. */
const ABOUT_PORTS: ReadonlySet<string> = new Set(["sa-unknown-port", "sa-direction"]);

/** The edit that a fix describes, where there is nothing left to decide. */
export function quickFix(document: SaDocument, finding: Diagnostic): QuickFix | undefined {
  const span = spanOfFinding(document, finding);
  const { code, fix, message } = finding;
  const meant = /^did you mean '(.+)'\?/.exec(fix)?.[1];
  if (meant !== undefined) return replaceName(document, code, span, meant);
  if (code === "sa-syntax" && message.startsWith("expected ';'"))
    return {
      title: "Write ';'",
      edit: { span: { offset: span.offset, end: span.offset }, text: ";" },
    };
  if (code === "sa-character" && fix.startsWith("write ':='"))
    return {
      title: "Write ':='",
      edit: { span: { offset: span.offset, end: span.offset + 1 }, text: ":=" },
    };
  if (code === "sa-syntax" && fix.endsWith("as a name it needs its quotes")) {
    const word = document.text.slice(span.offset, span.end);
    return { title: `Write '${word}' in quotes`, edit: { span, text: `'${word}'` } };
  }
  return code === "sa-return" ? returnStep(document, span) : undefined;
}

function replaceName(
  { tree, text }: SaDocument,
  code: string,
  span: Span,
  meant: string,
): QuickFix | undefined {
  const leaf = tree.$cstNode && CstUtils.findLeafNodeAtOffset(tree.$cstNode, span.offset);
  if (leaf === undefined) return undefined;
  const node = leaf.astNode;
  const property = ABOUT_PORTS.has(code)
    ? node.$type === "PortName"
      ? "port"
      : "name"
    : undefined;
  const place =
    property === undefined ? { offset: leaf.offset, end: leaf.end } : spanOf(node, property);
  if (place === undefined) return undefined;
  const old = text.slice(place.offset, place.end);
  return {
    title: `Write '${meant}' in place of '${old}'`,
    edit: { span: place, text: printName(meant) },
  };
}

/** Behind the last statement of the control rules. */
function returnStep({ tree, text }: SaDocument, span: Span): QuickFix | undefined {
  const leaf = tree.$cstNode && CstUtils.findLeafNodeAtOffset(tree.$cstNode, span.offset);
  const rules = leaf && AstUtils.getContainerOfType(leaf.astNode, isControl);
  const last = rules?.statements.at(-1)?.$cstNode;
  if (last === undefined) return undefined;
  const begin = text.lastIndexOf("\n", last.offset - 1) + 1;
  const indent = text.slice(begin).match(/^[^\S\n]*/)?.[0] ?? "";
  const at = { offset: last.end, end: last.end };
  return { title: "End with 'return H;'", edit: { span: at, text: `\n${indent}return H;` } };
}

const isControl = (node: { readonly $type: string }): node is ast.ControlRules =>
  node.$type === "ControlRules";
