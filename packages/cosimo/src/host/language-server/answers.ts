/**
 * Answers to what an editor asks about one document: offsets in, lines and characters out.
 */
import { existsSync } from "node:fs";
import { dirname, extname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import {
  type CodeAction,
  CodeActionKind,
  type DocumentSymbol,
  type Hover,
  type Location,
  MarkupKind,
  type Position,
  type Range,
  type SignatureHelp,
  SymbolKind,
  type TextEdit,
} from "vscode-languageserver/node.js";
import { languageOf } from "../../lang/languages.ts";
import type { KnownUnits, OutlineItem, Refusal } from "../../lang/text/editor-language.ts";
import { offsetOf } from "../../lang/text/span.ts";
import { DISK_TEXTS } from "../sources/files.ts";
import { type Finding, toProtocol } from "./protocol-findings.ts";
import { rangeOf, smallestEdit, textEdit } from "./protocol-ranges.ts";
import type { OpenDocument, Workspace } from "./workspace.ts";

export function offsetAt({ document }: OpenDocument, { line, character }: Position): number {
  return Math.min(offsetOf(document.text, line + 1, character + 1), document.text.length);
}

export function hover(
  { document }: OpenDocument,
  units: KnownUnits,
  offset: number,
): Hover | undefined {
  const found = document.hover(units, offset);
  if (found === undefined) return undefined;
  return {
    contents: { kind: MarkupKind.Markdown, value: found.markdown },
    range: rangeOf(document.text, found.span),
  };
}

/** Files that an editor can show. */
const TEXTS: ReadonlySet<string> = new Set([
  ".sa",
  ".mci",
  ".mcl",
  ".hint",
  ".yaml",
  ".yml",
  ".ssd",
  ".js",
  ".mjs",
  ".ts",
  ".mts",
]);
const BEGIN: Range = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };

export function definition(
  { document, path }: OpenDocument,
  uri: string,
  offset: number,
  workspace: Workspace,
): Location | undefined {
  const target = document.definition(offset);
  if (target === undefined) return undefined;
  if (target.kind === "here") return { uri, range: rangeOf(document.text, target.span) };
  const file = resolve(dirname(path), target.source.split("#", 1)[0]!);
  if (!TEXTS.has(extname(file).toLowerCase()) || !existsSync(file)) return undefined;
  const language = languageOf(file);
  const there = language && workspace.textOf(file);
  if (language === undefined || there === undefined)
    return { uri: pathToFileURL(file).href, range: BEGIN };
  const declared =
    target.port === undefined
      ? undefined
      : language.open(there.text, file).declarationOf(target.port);
  return {
    uri: there.uri,
    range: declared === undefined ? BEGIN : rangeOf(there.text, declared),
  };
}

export function uses(
  { document }: OpenDocument,
  offset: number,
  withDeclaration: boolean,
): Range[] {
  return document
    .uses(offset)
    .filter(({ isDeclaration }) => withDeclaration || !isDeclaration)
    .map(({ span }) => rangeOf(document.text, span));
}

export function prepareRename(
  { document }: OpenDocument,
  offset: number,
): { readonly range: Range; readonly placeholder: string } | Refusal {
  const found = document.renamable(offset);
  if ("refused" in found) return found;
  return { range: rangeOf(document.text, found.span), placeholder: found.name };
}

export function rename(
  { document }: OpenDocument,
  units: KnownUnits,
  offset: number,
  to: string,
): TextEdit[] | Refusal {
  const found = document.rename(units, offset, to);
  return "refused" in found ? found : found.map((edit) => textEdit(document.text, edit));
}

export function format({ document, path }: OpenDocument): TextEdit[] {
  const { text } = document;
  const formatted = languageOf(path)?.format?.(text, path, DISK_TEXTS).value;
  return formatted === undefined
    ? []
    : smallestEdit(text, formatted).map((edit) => textEdit(text, edit));
}

const SYMBOLS: Readonly<Record<OutlineItem["kind"], SymbolKind>> = {
  adaptation: SymbolKind.Class,
  unit: SymbolKind.Module,
  port: SymbolKind.Field,
  parameter: SymbolKind.Constant,
  variable: SymbolKind.Variable,
  rules: SymbolKind.Function,
  connector: SymbolKind.Interface,
};

export function outline({ document }: OpenDocument): DocumentSymbol[] {
  const { text } = document;
  const symbol = (item: OutlineItem): DocumentSymbol => ({
    name: item.name,
    detail: item.detail,
    kind: SYMBOLS[item.kind],
    range: rangeOf(text, item.whole),
    selectionRange: rangeOf(text, item.span),
    children: item.children.map(symbol),
  });
  return document.outline().map(symbol);
}

export function signature({ document }: OpenDocument, offset: number): SignatureHelp | undefined {
  const found = document.signature?.(offset);
  if (found === undefined) return undefined;
  const { label, documentation, parameters, active } = found;
  return {
    signatures: [{ label, documentation, parameters: parameters.map((one) => ({ label: one })) }],
    activeSignature: 0,
    activeParameter: active,
  };
}

export function fixes(
  { document }: OpenDocument,
  uri: string,
  findings: readonly Finding[],
  range: Range,
): CodeAction[] {
  return findings.flatMap((finding) => {
    const diagnostic = toProtocol(finding, document, false);
    const fix = meets(diagnostic.range, range) ? document.fix(finding.finding) : undefined;
    if (fix === undefined) return [];
    const edit = { changes: { [uri]: [textEdit(document.text, fix.edit)] } };
    return [
      {
        title: fix.title,
        kind: CodeActionKind.QuickFix,
        diagnostics: [diagnostic],
        isPreferred: true,
        edit,
      },
    ];
  });
}

function meets(a: Range, b: Range): boolean {
  const isBefore = (one: Position, other: Position): boolean =>
    one.line < other.line || (one.line === other.line && one.character < other.character);
  return !isBefore(a.end, b.start) && !isBefore(b.end, a.start);
}
