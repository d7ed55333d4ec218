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
