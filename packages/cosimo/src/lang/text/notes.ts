/**
 * Comments and blank lines of a text, by what they belong to: what a formatter needs beside the
 * syntax tree, which holds neither.
 *
 * A comment on a line of its own belongs to what follows it, or to what it follows at the end of a
 * block; a comment behind something belongs to that. Where it stands inside of something that is
 * written on one line, it moves to the line before.
 */
import type { LexerResult } from "langium";
import { beginsLine, firstAtLeast, isBlankAbove } from "./text-positions.ts";

/** What stands around a part in the text and is not a part of what it says. */
export interface Notes {
  /** Comments on lines of their own; an empty one is a blank line. */
  readonly before: readonly string[];
  /** At the end of its first line. */
  readonly trailing?: string;
  readonly after: readonly string[];
  /** The author set it apart with a blank line. */
  readonly blank: boolean;
}

/** The key of comments behind everything else. */
export const END = "end";

/** The key of what begins at a place. */
export function keyOf({
  line,
  column,
}: {
  readonly line?: number;
  readonly column?: number;
}): string {
  return `${line}:${column}`;
}

/** The lines of a part with its notes; a trailing comment joins the first line of its head. */
export function withNotes(
  notes: Notes | undefined,
  head: readonly string[],
  body: readonly string[] = [],
): string[] {
  const [first = "", ...more] = head;
  const opening = notes?.trailing === undefined ? first : `${first} ${notes.trailing}`;
  return [...(notes?.before ?? []), opening, ...more, ...body, ...(notes?.after ?? [])];
}

/** Two blanks more; a comment of several lines is one of them, so that only its first is moved. */
export function indented(lines: readonly string[]): string[] {
  return lines.map((line) => (line === "" ? "" : `  ${line}`));
}

/** A part that begins a line. */
export interface Part {
  readonly key: string;
  readonly offset: number;
}

interface Element extends Part {
  /** How many blocks are open where it begins. */
  readonly depth: number;
}

interface Comment {
  readonly text: string;
  readonly offset: number;
  readonly end: number;
}

type MutableNotes = { -readonly [Key in keyof Notes]: Notes[Key] } & {
  before: string[];
  after: string[];
};

/**
 * @param parts in the order of the text.
 * @param leads whether comments in front of this word belong to the part behind it.
 * @returns the notes by the key of their part, or END.
 */
export function collectNotes(
  text: string,
  { tokens, hidden }: Pick<LexerResult, "tokens" | "hidden">,
  parts: readonly Part[],
  leads: (word: string) => boolean = () => false,
): Map<string, Notes> {
  const depthAt = depthsOf(tokens);
  const elements = parts.map((part): Element => ({ ...part, depth: depthAt(part.offset) }));
  const offsets = elements.map(({ offset }) => offset);
  const lastBefore = lastByDepth(elements);
  const comments = hidden.map(({ startOffset }) => startOffset);
  const notes = new Map<string, MutableNotes>();
  const of = (key: string): MutableNotes => {
    const known = notes.get(key) ?? { before: [], after: [], blank: false };
    notes.set(key, known);
    return known;
  };
  for (const { key, offset } of elements)
    if (isBlankAbove(text, firstLineOf(text, offset, comments))) of(key).blank = true;

  const starts = tokens.map(({ startOffset }) => startOffset);
  let depth = 0;
  let at = 0;
  for (const { image, startOffset } of hidden) {
    const comment: Comment = {
      text: image.trimEnd(),
      offset: startOffset,
      end: startOffset + image.length,
    };
    for (; at < firstAtLeast(starts, startOffset); at++)
      depth += DEPTH[tokens[at]?.image ?? ""] ?? 0;
    place(comment, tokens[at - 1]?.image, tokens[at], depth);
  }
  return notes;

  function place(
    comment: Comment,
    previous: string | undefined,
    next: { readonly image: string; readonly startOffset: number } | undefined,
    open: number,
  ): void {
    const owner = lastBefore(comment.offset, previous === "{" ? open - 1 : open);
    const alone = beginsLine(text, comment.offset);
    const lines = [comment.text, ...(isGap(text, comment.end) ? [""] : [])];
    if (!alone && owner !== undefined && !comment.text.includes("\n")) {
      const known = of(owner.key);
      if (known.trailing === undefined) known.trailing = comment.text;
      else known.before.push(comment.text);
      return;
    }
    if (next === undefined) return void of(END).before.push(comment.text);
    if (next.image === "}" && owner !== undefined && previous !== "{")
      return void of(owner.key).after.push(comment.text);
    const follower = elements[firstAtLeast(offsets, next.startOffset)];
    const isLeading =
      follower !== undefined && (follower.offset === next.startOffset || leads(next.image));
    const target = isLeading ? follower : (owner ?? follower);
    of(target?.key ?? END).before.push(...(isLeading ? lines : [comment.text]));
  }
}

/** What a token adds to the number of open braces. */
const DEPTH: Readonly<Record<string, number>> = { "{": 1, "}": -1 };

function depthsOf(
  tokens: readonly { readonly image: string; readonly startOffset: number }[],
): (offset: number) => number {
  const starts = tokens.map(({ startOffset }) => startOffset);
  const depths = [0];
  let depth = 0;
  for (const { image } of tokens) {
    depth += DEPTH[image] ?? 0;
    depths.push(depth);
  }
  return (offset) => depths[firstAtLeast(starts, offset)] ?? 0;
}

/** The last element of a depth that begins before an offset. */
function lastByDepth(
  elements: readonly Element[],
): (offset: number, depth: number) => Element | undefined {
  const byDepth = new Map<number, { offsets: number[]; elements: Element[] }>();
  for (const element of elements) {
    const known = byDepth.get(element.depth) ?? { offsets: [], elements: [] };
    byDepth.set(element.depth, known);
    known.offsets.push(element.offset);
    known.elements.push(element);
  }
  return (offset, depth) => {
    const known = byDepth.get(depth);
    return known?.elements[firstAtLeast(known.offsets, offset) - 1];
  };
}

/** Where the comments above `offset` begin, on lines of their own. */
function firstLineOf(text: string, offset: number, comments: readonly number[]): number {
  let first = offset;
  for (const start of comments.slice(0, firstAtLeast(comments, offset)).reverse()) {
    // Trimmed first: a pattern that ends with \s*$ tries every one of many spaces.
    if (!/^(\/\/[^\n]*|\/\*[\s\S]*?\*\/)$/.test(text.slice(start, first).trimEnd())) break;
    if (!beginsLine(text, start)) break;
    first = start;
  }
  return first;
}

function isGap(text: string, end: number): boolean {
  return /^[^\S\n]*\n[^\S\n]*\r?\n/.test(text.slice(end));
}
