/**
 * Changes of a YAML text by position. The library would write the whole document again, with its
 * own idea of blanks and line breaks; here it only says where things stand, and nothing else of the
 * text is touched.
 */
import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseDocument,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import { longForm } from "../yaml-short-form.ts";
import type { TextChange } from "./scenario-edit.ts";

export type MapPair = Pair<unknown, unknown>;

/** An edit that the text has no place for, in words. */
export class CannotEdit extends Error {
  constructor(message: string) {
    super(message);
    this.name = "CannotEdit";
  }
}

export class YamlText {
  readonly text: string;
  readonly root: YAMLMap | undefined;
  private readonly origin: (offset: number) => number;
  private readonly made: TextChange[] = [];

  /** @throws CannotEdit where the text is not YAML, or no map. */
  constructor(text: string) {
    this.text = text;
    let document: Document.Parsed = parse(text);
    this.origin = (offset) => offset;
    const long = document.errors.length === 0 ? undefined : longForm(text);
    if (long !== undefined) {
      document = parse(long.text);
      this.origin = long.origin;
    }
    const [error] = document.errors;
    if (error !== undefined) throw new CannotEdit(`the text is not valid YAML: ${error.message}`);
    const { contents } = document;
    const isEmpty = contents === null || (isScalar(contents) && contents.value === null);
    if (!isEmpty && !isMap(contents)) throw new CannotEdit("the text is not a map of keys");
    this.root = isMap(contents) ? contents : undefined;
  }

  /** What was changed, in the order of the text. */
  changes(): TextChange[] {
    return this.made.toSorted((a, b) => a.from - b.from || a.to - b.to);
  }

  replace(from: number, to: number, insert: string): void {
    this.made.push({ from, to, insert });
  }

  /** Where a node stands in the text, without comments and blanks behind it. */
  range(node: unknown): readonly [number, number] {
    const { range } = node as Node;
    if (!range) throw new Error("internal: a node without a place");
    return [this.origin(range[0]), this.origin(range[1])];
  }

  startOfLine(offset: number): number {
    return this.text.lastIndexOf("\n", offset - 1) + 1;
  }

  /** Where the line of `offset` ends, before its line break. */
  endOfLine(offset: number): number {
    const end = this.text.indexOf("\n", offset);
    const at = end < 0 ? this.text.length : end;
    return this.text[at - 1] === "\r" && at > offset ? at - 1 : at;
  }

  /** Where the last line of a node ends; a comment behind it belongs to it. */
  endOfNode(node: unknown, after: number): number {
    const end = this.lastOffset(node) ?? after;
    // Texts in blocks end with their line break.
    return this.endOfLine(this.text[end - 1] === "\n" && end > after ? end - 1 : end);
  }

  /** Collections in blocks go on to the next node: what counts is their last item. */
  private lastOffset(node: unknown): number | undefined {
    if (isMap(node) && !node.flow) {
      const last = node.items.at(-1);
      return last && (this.lastOffset(last.value) ?? this.range(last.key)[1]);
    }
    if (isSeq(node) && !node.flow) return this.lastOffset(node.items.at(-1));
    const range = (node as Node | null)?.range;
    return range ? this.origin(range[1]) : undefined;
  }

  /** Whether another place of the text stands for what is anchored here (`&name`, `*name`). */
  isShared(node: unknown): boolean {
    const { anchor } = (node ?? {}) as { anchor?: string };
    if (anchor === undefined || this.root === undefined) return false;
    let isUsed = false;
    visit(this.root, {
      Alias(_, { source }) {
        if (source !== anchor) return undefined;
        isUsed = true;
        return visit.BREAK;
      },
    });
    return isUsed;
  }

  /** The line break of this text. */
  get newline(): string {
    return this.text.includes("\r\n") ? "\r\n" : "\n";
  }

  indentOf(offset: number): string {
    const start = this.startOfLine(offset);
    return /^[ \t]*/.exec(this.text.slice(start, offset))?.[0] ?? "";
  }

  column(offset: number): number {
    return offset - this.startOfLine(offset);
  }

  /** `key: value` at the end of a map. */
  addPair(map: YAMLMap, key: string, value: string): void {
    if (map.flow || map.items.length === 0) this.addToFlow(map, `${keyText(key)}: ${value}`);
    else {
      const last = map.items.at(-1) as MapPair;
      const [at, keyEnd] = this.range(last.key);
      const indent = " ".repeat(this.column(at));
      const end = this.endOfNode(last.value, keyEnd);
      this.replace(end, end, `${this.newline}${indent}${keyText(key)}: ${value}`);
    }
  }

  /** An item at the end of a list. */
  addItem(list: YAMLSeq, item: string): void {
    if (list.flow || list.items.length === 0) this.addToFlow(list, item);
    else {
      const last = list.items.at(-1);
      const [at] = this.range(last);
      const indent = " ".repeat(this.dashColumn(at));
      const end = this.endOfNode(last, at);
      this.replace(end, end, `${this.newline}${indent}- ${item}`);
    }
  }

  /** Column of the dash before an item. */
  private dashColumn(itemStart: number): number {
    const dash = this.text.lastIndexOf("-", itemStart - 1);
    return this.column(dash);
  }

  private addToFlow(collection: YAMLMap | YAMLSeq, item: string): void {
    const [start, end] = this.range(collection);
    const inside = this.text.slice(start + 1, end - 1);
    const close = this.text.slice(end - 1, end);
    if (collection.items.length === 0) {
      const isRoomy = close === "}" && !/\n/.test(inside);
      const filled = isRoomy ? ` ${item} ` : item;
      if (inside.trim() === "") this.replace(start + 1, end - 1, filled);
      else this.replace(end - 1, end - 1, filled);
      return;
    }
    const last = isMap(collection) ? (collection.items.at(-1) as MapPair) : collection.items.at(-1);
    const lastEnd = this.endInFlow(last);
    const rest = this.text.slice(lastEnd, end - 1);
    const comma = /^\s*,/.exec(rest);
    const lastStart = this.range(isMap(collection) ? (last as MapPair).key : last)[0];
    const indent = this.text.slice(this.startOfLine(lastStart), lastStart);
    if (indent.trim() === "" && lastStart > start + 1 && /\n/.test(inside)) {
      // Every item has its line, and those that follow each other have a comma; a last one keeps
      // its own.
      const behind = this.endOfLine(lastEnd);
      const isClosed = behind > end - 1;
      if (!comma) this.replace(lastEnd, lastEnd, ",");
      const at = isClosed ? lastEnd : behind;
      const line = `${this.newline}${indent}${item}${comma ? "," : ""}`;
      this.replace(at, at, line);
      return;
    }
    if (comma) this.replace(lastEnd + comma[0].length, lastEnd + comma[0].length, ` ${item}`);
    else this.replace(lastEnd, lastEnd, `, ${item}`);
  }

  private endInFlow(item: unknown): number {
    const pair = item as MapPair;
    if (typeof item === "object" && item !== null && "key" in item) {
      const value = (pair.value as Node | null)?.range;
      return value ? this.origin(value[1]) : this.range(pair.key)[1];
    }
    return this.range(item)[1];
  }

  /** An item of a list, or a pair of a map, with its lines or its comma. */
  remove(collection: YAMLMap | YAMLSeq, item: unknown): void {
    const items = collection.items as unknown[];
    const index = items.indexOf(item);
    const pair = item as MapPair;
    const start = isMap(collection) ? this.range(pair.key)[0] : this.range(item)[0];
    if (collection.flow) {
      const end = this.endInFlow(item);
      const next = items[index + 1];
      if (next !== undefined) {
        const nextStart = isMap(collection)
          ? this.range((next as MapPair).key)[0]
          : this.range(next)[0];
        this.replace(start, nextStart, "");
      } else {
        const before = items[index - 1];
        const from = before === undefined ? start : this.endInFlow(before);
        this.replace(from, end, "");
      }
      return;
    }
    const from = isMap(collection) ? start : this.text.lastIndexOf("-", start - 1);
    const end = isMap(collection)
      ? this.endOfNode(pair.value, this.range(pair.key)[1])
      : this.endOfNode(item, start);
    this.removeLines(from, end);
  }

  /** Lines from that of `from` to that of `end`; what stands before `from` in its line stays. */
  removeLines(from: number, end: number): void {
    const lineStart = this.startOfLine(from);
    if (this.text.slice(lineStart, from).trim() === "") {
      const next = this.text.indexOf("\n", end);
      if (next >= 0) this.replace(lineStart, next + 1, "");
      // The last line has no line break of its own: that before it goes.
      else this.replace(this.lineBreakBefore(lineStart), end, "");
      return;
    }
    // `- a: 1`: the first key of a map behind a dash; what follows moves up to it.
    const next = this.text.slice(end).search(/\S/);
    if (next < 0) throw new CannotEdit("the only line of an item cannot be removed alone");
    this.replace(from, end + next, "");
  }

  private lineBreakBefore(lineStart: number): number {
    if (lineStart === 0) return 0;
    return this.text[lineStart - 2] === "\r" ? lineStart - 2 : lineStart - 1;
  }
}

function parse(text: string): Document.Parsed {
  try {
    return parseDocument(text, { prettyErrors: false, uniqueKeys: false, version: "1.2" });
  } catch (error) {
    if (error instanceof RangeError) throw new CannotEdit("lists and maps are nested too deeply");
    throw error;
  }
}

/** The pair of `key` in a map. */
export function pairOf(map: unknown, key: string): MapPair | undefined {
  if (!isMap(map)) return undefined;
  return map.items.find((pair) => isScalar(pair.key) && String(pair.key.value) === key);
}

export function keyText(key: string): string {
  const document = parseDocument(`${key}: 1`);
  const [first] = isMap(document.contents) ? document.contents.items : [];
  const isPlain =
    document.errors.length === 0 &&
    isScalar(first?.key) &&
    first.key.value === key &&
    !/[,[\]{}]/.test(key);
  return isPlain ? key : JSON.stringify(key);
}

/** Plain where YAML reads the same of it wherever it stands, else in quotes. */
export function textScalar(text: string, inFlow: boolean): string {
  const document = parseDocument(inFlow ? `[${text}]` : `- ${text}`);
  const [item] = isSeq(document.contents) ? document.contents.items : [];
  const isPlain =
    document.errors.length === 0 &&
    isSeq(document.contents) &&
    document.contents.items.length === 1 &&
    isScalar(item) &&
    item.value === text;
  return isPlain ? text : JSON.stringify(text);
}

/** A value as people write it: numbers, lists and maps as they are, what is not YAML in quotes. */
export function valueText(text: string): string {
  const trimmed = text.trim();
  const document = parseDocument(`[${trimmed}]`);
  const { contents, errors } = document;
  const isOne =
    errors.length === 0 &&
    isSeq(contents) &&
    contents.items.length === 1 &&
    contents.comment == null &&
    !/[\n\r]/.test(trimmed) &&
    document.comment == null;
  const [item] = isSeq(contents) ? contents.items : [];
  // `a: b` would be a map.
  const isWritten = isScalar(item) ? item.range?.[1] === 1 + trimmed.length : /^[[{]/.test(trimmed);
  return isOne && isWritten && trimmed !== "" ? trimmed : JSON.stringify(trimmed);
}
