/**
 * Offsets in a text ↔ lines and characters of the protocol: both count UTF-16 units, as JavaScript
 * does.
 */

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Position, Range, TextEdit } from "vscode-languageserver/node.js";
import { languageOf } from "../../lang/languages.ts";
import type { Edit, Span } from "../../lang/text/span.ts";

export function positionOf(text: string, offset: number): Position {
  const before = text.slice(0, offset);
  const line = before.split("\n").length - 1;
  return { line, character: offset - (before.lastIndexOf("\n") + 1) };
}

export function rangeOf(text: string, { offset, end }: Span): Range {
  return { start: positionOf(text, offset), end: positionOf(text, end) };
}

export function textEdit(text: string, edit: Edit): TextEdit {
  return { range: rangeOf(text, edit.span), newText: edit.text };
}

/** A document that was never saved is taken as a file of the folder in which the server runs. */
export function pathOf(uri: string): string {
  if (uri.startsWith("file:")) return fileURLToPath(uri);
  const name = decodeURIComponent(uri.replace(/^.*[:/]/, ""));
  return join(process.cwd(), languageOf(name) === undefined ? `${name}.sa` : name);
}

/** The lines that differ, as one edit; none where nothing does. */
export function smallestEdit(before: string, after: string): Edit[] {
  if (before === after) return [];
  const [old, now] = [before, after].map((text) => text.split(/(?<=\n)/)) as [string[], string[]];
  let first = 0;
  while (first < old.length && first < now.length && old[first] === now[first]) first++;
  let last = 0;
  while (
    last < old.length - first &&
    last < now.length - first &&
    old[old.length - 1 - last] === now[now.length - 1 - last]
  )
    last++;
  const offset = old.slice(0, first).join("").length;
  const end = before.length - old.slice(old.length - last).join("").length;
  return [{ span: { offset, end }, text: now.slice(first, now.length - last).join("") }];
}
