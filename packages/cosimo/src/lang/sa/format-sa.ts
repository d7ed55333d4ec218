/**
 * Formats the text of an adaptation: what printSa writes, with the comments where they belong and the blank lines that set
 * statements apart.
 *
 * A comment on a line of its own belongs to what follows it, or to what it follows at the end of a block; a comment behind
 * something belongs to that. Where it stands inside of something that is written on one line, it moves to the line before.
 */
import { type AstNode, AstUtils } from "langium";
import type { Checked, Place } from "../../base/diagnostic.ts";
import type { SemanticAdaptation } from "./ast.ts";
import { parseSa, parseTree } from "./parse-sa.ts";
import { type Notes, printWithNotes } from "./print-sa.ts";
import { saServices } from "./services.ts";
import { beginsLine, firstAtLeast, isBlankAbove, positionsIn } from "./text-positions.ts";

/** @returns the formatted text; without a value where it has mistakes that keep it from being read. */
export function formatSa(text: string, file: string): Checked<string> {
  const { value, diagnostics } = parseSa(text, file);
  if (value === undefined || diagnostics.length > 0) return { diagnostics };
  const notes = collectNotes(text);
  const formatted = printWithNotes(value, (part) =>
    notes.get(typeof part === "string" ? part : keyOf(part)),
  );
  return { value: formatted, diagnostics };
}

const keyOf = ({ line, column }: Omit<Place, "file">): string => `${line}:${column}`;

interface Element {
  readonly key: string;
  readonly offset: number;
  /** How many blocks are open where it begins. */
  readonly depth: number;
}

interface Comment {
  readonly text: string;
  readonly offset: number;
  readonly end: number;
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

type MutableNotes = { -readonly [Key in keyof Notes]: Notes[Key] } & {
  before: string[];
  after: string[];
};

function collectNotes(text: string): Map<string, Notes> {
  const { tokens, hidden } = saServices().parser.Lexer.tokenize(text);
  const elements = elementsOf(parseTree(text).value, text, depthsOf(tokens));
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
    if (next === undefined) return void of("end").before.push(comment.text);
    if (next.image === "}" && owner !== undefined && previous !== "{")
      return void of(owner.key).after.push(comment.text);
    const follower = elements[firstAtLeast(offsets, next.startOffset)];
    const leads =
      follower !== undefined && (follower.offset === next.startOffset || next.image === "with");
    const target = leads ? follower : (owner ?? follower);
    of(target?.key ?? "end").before.push(...(leads ? lines : [comment.text]));
  }
}

/** Parts that begin lines, in the order of the text. */
function elementsOf(
  tree: SemanticAdaptation,
  text: string,
  depthAt: (offset: number) => number,
): Element[] {
  const found: Element[] = [];
  const sections = new Set<AstNode>(tree.sections);
  const positionAt = positionsIn(text);
  for (const node of AstUtils.streamAst(tree)) {
    const offset = (node as AstNode).$cstNode?.offset ?? 0;
    const section = sections.has(node);
    if (!section && !ELEMENTS.has(node.$type)) continue;
    // `else if` goes on with the line of the `if` before it.
    if (node.$containerProperty === "otherwiseIf") continue;
    const key = section ? node.$type : keyOf(positionAt(offset));
    found.push({ key, offset, depth: depthAt(offset) });
  }
  return found.sort((a, b) => a.offset - b.offset);
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
