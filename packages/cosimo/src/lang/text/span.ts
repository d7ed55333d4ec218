/**
 * Ranges of a text, as offsets; the language server converts them to lines and columns.
 */
import { type AstNode, GrammarUtils } from "langium";

/** `end` is behind the last sign. */
export interface Span {
  readonly offset: number;
  readonly end: number;
}

/** Where a property of a node stands; undefined where it is missing. */
export function spanOf(node: AstNode, property: string): Span | undefined {
  const found = GrammarUtils.findNodeForProperty(node.$cstNode, property);
  if (found === undefined || found.length === 0) return undefined;
  return { offset: found.offset, end: found.end };
}

export function wholeSpan(node: AstNode): Span {
  const { offset = 0, end = 0 } = node.$cstNode ?? {};
  return { offset, end };
}

/** An edit of the text: `text` in place of what stands at `span`. */
export interface Edit {
  readonly span: Span;
  readonly text: string;
}

/** Edits of one text, none of which overlap. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  let result = text;
  for (const { span, text: inserted } of [...edits].sort((a, b) => b.span.offset - a.span.offset))
    result = result.slice(0, span.offset) + inserted + result.slice(span.end);
  return result;
}

/** The offset of a place; lines and columns count from 1. */
export function offsetOf(text: string, line: number, column: number): number {
  let offset = 0;
  for (let n = 1; n < line; n++) {
    const next = text.indexOf("\n", offset);
    if (next < 0) return text.length;
    offset = next + 1;
  }
  return offset + column - 1;
}

/** The end of the word that begins at an offset; at least one sign. */
export function wordEnd(text: string, offset: number): number {
  const word = /^[^\s;,(){}]+/.exec(text.slice(offset))?.[0] ?? "";
  return offset + Math.max(word.length, 1);
}

export function lineEnd(text: string, offset: number): number {
  const end = text.indexOf("\n", offset);
  return end < 0 ? text.length : end;
}
