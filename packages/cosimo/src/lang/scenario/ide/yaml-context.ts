/**
 * Where in a YAML text a cursor is, while the text is being written: the keys that lead there, and
 * the text around the cursor.
 *
 * A mark is put at the cursor and the text is read by a parser that goes on behind mistakes; the
 * node that holds the mark knows its parents. On a line that has no colon yet the mark is tried as
 * a key too, because that is what it may become.
 */
import {
  type Document,
  isMap,
  isPair,
  isScalar,
  isSeq,
  type Node,
  parseDocument,
  type Scalar,
  visit,
} from "yaml";
import { longForm } from "../yaml-short-form.ts";
import type { Step } from "./schema.ts";

/** Letters that no text contains: of a private area. */
const MARK = "\uE0C0\uE0C1";

export interface YamlContext {
  /** Of the map, list or value that the cursor is in. */
  readonly path: readonly Step[];
  /** A key is being written, in the map at `path`. */
  readonly isKey: boolean;
  /** The text of the key or value before and behind the cursor. */
  readonly before: string;
  readonly behind: string;
  /** Keys that the map at `path` has already. */
  readonly siblings: readonly string[];
}

/** All that the place can be: a value, a key, or both at the begin of an item. */
export function contextsAt(text: string, offset: number): YamlContext[] {
  if (isInComment(text, offset)) return [];
  const head = text.slice(0, offset);
  const rest = text.slice(offset);
  const line = head.slice(head.lastIndexOf("\n") + 1);
  const asValue = findMark(`${head}${MARK}${rest}`);
  const isBegin =
    /^[ \t]*(?:- +)*[^:#{}[\],"']*$/.test(line) && !/^[^\n]*?:(?:[ \t]|\r?\n|$)/.test(rest);
  const asKey = isBegin ? findMark(`${head}${MARK}: ${rest}`) : undefined;
  const found = [asKey, asValue].flatMap((one) => one ?? []);
  // A scalar that goes on over several lines is what the parser makes of a key without its colon.
  return found.filter(({ before, isKey }) => isKey || !before.includes("\n"));
}

function isInComment(text: string, offset: number): boolean {
  const line = text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset);
  return /(^|\s)#/.test(line.replace(/"[^"]*"|'[^']*'/g, ""));
}

function findMark(marked: string): YamlContext | undefined {
  const { document } = readTolerantly(marked);
  let found: YamlContext | undefined;
  visit(document, {
    Scalar(key, node, ancestors) {
      const text = String(node.value);
      const at = text.indexOf(MARK);
      if (at < 0) return undefined;
      const isKey = key === "key";
      const path = pathOf(ancestors, isKey ? undefined : node);
      const parent = ancestors.at(isKey ? -2 : -1);
      found = {
        path,
        isKey,
        before: text.slice(0, at),
        behind: text.slice(at + MARK.length),
        siblings: isMap(parent) ? keysOf(parent.items).filter((one) => !one.includes(MARK)) : [],
      };
      return visit.BREAK;
    },
  });
  return found;
}

function keysOf(items: readonly unknown[]): string[] {
  return items.flatMap((pair) =>
    isPair(pair) && isScalar(pair.key) ? [String(pair.key.value)] : [],
  );
}

/** Keys and places on the way from the root. @param node the last one, where it is a value. */
function pathOf(ancestors: readonly unknown[], node: unknown): Step[] {
  const path: Step[] = [];
  const nodes = node === undefined ? ancestors.slice(0, -1) : [...ancestors, node];
  nodes.forEach((one, i) => {
    const parent = nodes[i - 1];
    if (isPair(one) && isScalar(one.key)) path.push(String(one.key.value));
    else if (isSeq(parent)) path.push(parent.items.indexOf(one));
  });
  return path;
}

export interface TolerantYaml {
  readonly document: Document.Parsed | Document;
  /** Where something stands in the text that was given. */
  readonly origin: (offset: number) => number;
}

/** As much of a text as can be read; nothing of one that is nested too deeply. */
function readTolerantly(text: string): TolerantYaml {
  const same = (offset: number): number => offset;
  const written = parse(text);
  if (written === undefined) return { document: parse("") as Document, origin: same };
  if (written.errors.length === 0) return { document: written, origin: same };
  const long = longForm(text);
  const document = long && parse(long.text);
  return long && document && document.errors.length < written.errors.length
    ? { document, origin: long.origin }
    : { document: written, origin: same };
}

function parse(text: string): Document.Parsed | undefined {
  try {
    const options = {
      prettyErrors: false,
      uniqueKeys: false,
      strict: false,
      version: "1.2",
    } as const;
    return parseDocument(text, options);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** A scalar of a text with its place. */
export interface WrittenScalar {
  readonly value: string;
  /** As it is written, with quotes. */
  readonly offset: number;
  readonly end: number;
  readonly path: readonly Step[];
  readonly isKey: boolean;
}

/**
 * All keys and values of a text, in their order. Aliases are not followed: their anchors are in the
 * list.
 */
export function scalarsOf(text: string): WrittenScalar[] {
  const { document, origin } = readTolerantly(text);
  const found: WrittenScalar[] = [];
  visit(document as Document, {
    Scalar(key, node, ancestors) {
      const [offset, end] = rangeOf(node, origin);
      if (offset === end) return;
      const isKey = key === "key";
      const path = isKey
        ? [...pathOf(ancestors, undefined), String(node.value)]
        : pathOf(ancestors, node);
      found.push({ value: String(node.value), offset, end, path, isKey });
    },
  });
  return found;
}

function rangeOf(node: Scalar | Node, origin: (offset: number) => number): [number, number] {
  const [begin, end] = node.range ?? [0, 0];
  return [origin(begin), origin(end)];
}
