/**
 * What is offered, as the protocol wants it; and the paths that can be units, which only the host
 * can list.
 */
import { readdirSync, statSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import {
  type CompletionItem,
  CompletionItemKind,
  type CompletionList,
  InsertTextFormat,
  MarkupKind,
} from "vscode-languageserver/node.js";
import type { Candidate, KnownUnits } from "../../lang/text/editor-language.ts";
import type { Span } from "../../lang/text/span.ts";
import { textEdit } from "./protocol-ranges.ts";
import type { OpenDocument } from "./workspace.ts";

const KINDS: Readonly<Record<Candidate["kind"], CompletionItemKind>> = {
  port: CompletionItemKind.Field,
  variable: CompletionItemKind.Variable,
  parameter: CompletionItemKind.Constant,
  function: CompletionItemKind.Function,
  unit: CompletionItemKind.Module,
  measure: CompletionItemKind.Unit,
  keyword: CompletionItemKind.Keyword,
};

/** More than a reader needs; FMUs have thousands of ports. */
const SHOWN = 500;

export function completionList(
  { document, path }: OpenDocument,
  units: KnownUnits,
  offset: number,
): CompletionList {
  const { text } = document;
  const quoted = document.insideText(offset);
  if (quoted !== undefined) {
    const { span, endings } = quoted;
    const items = endings.length > 0 ? paths(text, span, endings, offset, path) : [];
    return { items, isIncomplete: false };
  }
  const all = document.complete(units, offset);
  if (all.length <= SHOWN) return { items: all.map(item), isIncomplete: false };
  // The editor asks again with every letter.
  const fitting = all.filter(({ label, span }) =>
    label.toLowerCase().includes(text.slice(span.offset, offset).toLowerCase()),
  );
  return { items: fitting.slice(0, SHOWN).map(item), isIncomplete: true };

  function item(one: Candidate, i: number): CompletionItem {
    return {
      label: one.label,
      kind: KINDS[one.kind],
      textEdit: textEdit(text, { span: one.span, text: one.insert ?? one.label }),
      insertTextFormat: InsertTextFormat.PlainText,
      // Editors compare it with what is replaced, the quote of a name included.
      filterText: `${/^['"]/.exec(text.slice(one.span.offset, one.span.end))?.[0] ?? ""}${one.label}`,
      sortText: `${one.rank ?? 0}${String(i).padStart(4, "0")}`,
      ...(one.detail === undefined ? {} : { detail: one.detail }),
      ...(one.documentation === undefined
        ? {}
        : { documentation: { kind: MarkupKind.Markdown, value: one.documentation } }),
    };
  }
}

/** Folders and files beside the text, for the last part of the path that is being written. */
function paths(
  text: string,
  span: Span,
  endings: readonly string[],
  offset: number,
  file: string,
): CompletionItem[] {
  const written = text.slice(span.offset, offset);
  const begin = span.offset + written.lastIndexOf("/") + 1;
  const folder = join(dirname(file), written.slice(0, written.lastIndexOf("/") + 1));
  return entriesOf(folder, endings).map(({ name, isFolder }) => ({
    label: isFolder ? `${name}/` : name,
    kind: isFolder ? CompletionItemKind.Folder : CompletionItemKind.File,
    textEdit: textEdit(text, {
      span: { offset: begin, end: span.end },
      text: isFolder ? `${name}/` : name,
    }),
    sortText: `${isFolder ? 1 : 0}${name}`,
  }));
}

function entriesOf(
  folder: string,
  endings: readonly string[],
): { readonly name: string; readonly isFolder: boolean }[] {
  try {
    return readdirSync(folder).flatMap((name) => {
      if (name.startsWith(".") || name === "node_modules") return [];
      const isFolder = statSync(join(folder, name), { throwIfNoEntry: false })?.isDirectory();
      return isFolder || endings.includes(extname(name).toLowerCase())
        ? [{ name, isFolder: isFolder ?? false }]
        : [];
    });
  } catch {
    return [];
  }
}
