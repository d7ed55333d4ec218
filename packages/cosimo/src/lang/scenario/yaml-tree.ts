/**
 * YAML text as a small tree in which every node knows its place, so that the rest of the language
 * sees neither the library nor aliases, merge keys and duplicate keys.
 *
 * An alias is the very node of its anchor: nothing is copied, so aliases of aliases cost nothing
 * here. Those who walk a tree to the bottom count their steps (see `WALK_LIMIT`).
 */
import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  type Scalar,
  visit,
  type YAMLError,
  type YAMLMap,
} from "yaml";
import type { Place } from "../../base/diagnostic.ts";
import type { TextReporter } from "./diagnostics.ts";
import { longForm } from "./yaml-short-form.ts";

export type YamlScalar = string | number | bigint | boolean | null;

export interface YamlEntry {
  readonly key: string;
  /** The key as a value: `true: 1` maps a boolean. */
  readonly keyValue: YamlScalar;
  readonly place: Place;
  readonly node: YamlNode;
}

export type YamlNode =
  | { readonly kind: "scalar"; readonly value: YamlScalar; readonly place: Place }
  | { readonly kind: "list"; readonly items: readonly YamlNode[]; readonly place: Place }
  | { readonly kind: "map"; readonly entries: readonly YamlEntry[]; readonly place: Place };

/** How many nodes a walk through aliases may visit. */
export const WALK_LIMIT = 1_000_000;

/**
 * How deep lists and maps may be nested: far more than real files need, far less than a stack
 * holds.
 */
const DEPTH_LIMIT = 200;
const TOO_DEEP = {
  detail: "lists and maps are nested too deeply",
  fix: `write at most ${DEPTH_LIMIT} levels of them`,
};

const EXAMPLE = "units: { motor: motor.fmu }";

/**
 * The tree of `text`; undefined when it is not valid YAML or empty, which is then reported.
 * `example` is how such a file may begin.
 */
export function readYaml(
  text: string,
  file: string,
  reporter: TextReporter,
  example: string = EXAMPLE,
): YamlNode | undefined {
  const lines = new LineCounter();
  const written = parse(text, lines);
  if (written === undefined) {
    reporter.report("yaml-syntax", TOO_DEEP, { file, line: 1, column: 1 });
    return undefined;
  }
  // What YAML refuses may be written in a short form of ours.
  const long = written.errors.length === 0 ? undefined : longForm(text);
  const document = (long && parse(long.text, new LineCounter())) ?? written;
  const placeAt = (offset: number): Place => {
    const { line, col } = lines.linePos(long === undefined ? offset : long.origin(offset));
    return { file, line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const error = document.errors[0];
  if (error !== undefined) {
    reporter.report("yaml-syntax", explain(error), placeAt(error.pos[0]));
    return undefined;
  }
  const root = document.contents as Node | null;
  if (root === null || (isScalar(root) && root.value === null)) {
    reporter.report("scenario-empty", { example }, { file, line: 1, column: 1 });
    return undefined;
  }
  if (depthOf(root) > DEPTH_LIMIT) {
    reporter.report("yaml-syntax", TOO_DEEP, placeAt(root.range?.[0] ?? 0));
    return undefined;
  }
  const targets = aliasTargets(root);
  const builder = new Builder(targets, placeAt, reporter);
  const tree = builder.build(root, root);
  return builder.lost ? undefined : tree;
}

/**
 * Undefined for text so deeply nested that the parser, which calls itself for every level, comes to
 * the end of the stack.
 */
function parse(text: string, lineCounter: LineCounter): Document.Parsed | undefined {
  try {
    return parseDocument(text, {
      lineCounter,
      prettyErrors: false,
      uniqueKeys: false,
      intAsBigInt: true,
      version: "1.2",
    });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The first error counts: those after it are mostly its echoes. */
function explain(error: YAMLError): { detail: string; fix: string } {
  switch (error.code) {
    case "TAB_AS_INDENT":
      return { detail: "a tab indents this line", fix: "indent with spaces" };
    case "BLOCK_AS_IMPLICIT_KEY":
    case "MULTILINE_IMPLICIT_KEY":
      return {
        detail: "a key stands where a value is expected",
        fix: "check the indentation, and quote text that contains ': '",
      };
    case "BAD_ALIAS":
      return { detail: "'*' alone is an unfinished alias", fix: 'put patterns in quotes: "*"' };
    case "MULTIPLE_DOCS":
      return {
        detail: "'---' begins a second document",
        fix: "one file is one scenario: use two files",
      };
    case "RESOURCE_EXHAUSTION":
      return TOO_DEEP;
    case "MISSING_CHAR":
    case "BAD_INDENT":
      return {
        detail: /closing|end with/.test(error.message)
          ? "a quote or bracket that was opened above is not closed"
          : lowerFirst(error.message),
        fix: "close every quote and bracket, and indent what belongs together equally",
      };
    default:
      return {
        detail: lowerFirst(error.message),
        fix: "correct the text here or in the line above",
      };
  }
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** Levels of lists and maps, counted without calling itself; no further than the limit. */
function depthOf(root: Node): number {
  let depth = 0;
  for (let level: unknown[] = [root]; level.length > 0 && depth <= DEPTH_LIMIT; depth++)
    level = level.flatMap((node) => {
      if (isMap(node)) return node.items.flatMap(({ key, value }) => [key, value]);
      return isSeq(node) ? node.items : [];
    });
  return depth;
}

/** Alias → the last anchor of its name above it, in one pass. */
function aliasTargets(root: Node): Map<Alias, Node> {
  const anchors = new Map<string, Node>();
  const targets = new Map<Alias, Node>();
  visit(root, {
    Alias: (_, alias) => {
      const target = anchors.get(alias.source);
      if (target !== undefined) targets.set(alias, target);
    },
    Value: (_, node) => {
      if (node.anchor !== undefined) anchors.set(node.anchor, node);
    },
  });
  return targets;
}

class Builder {
  /** An alias has no anchor, so the tree is not what was meant. */
  lost = false;
  private readonly done = new Map<Node, YamlNode>();
  private readonly open = new Set<Node>();
  private readonly targets: ReadonlyMap<Alias, Node>;
  private readonly placeAt: (offset: number) => Place;
  private readonly reporter: TextReporter;

  constructor(
    targets: ReadonlyMap<Alias, Node>,
    placeAt: (offset: number) => Place,
    reporter: TextReporter,
  ) {
    this.targets = targets;
    this.placeAt = placeAt;
    this.reporter = reporter;
  }

  /** `near` gives the place of a node that is not written at all (`key:` and nothing). */
  build(node: Node | null | undefined, near: Node): YamlNode {
    if (node === null || node === undefined) return this.nothing(near);
    if (isAlias(node)) return this.follow(node);
    const known = this.done.get(node);
    if (known !== undefined) return known;
    this.open.add(node);
    const built = this.buildNew(node);
    this.open.delete(node);
    this.done.set(node, built);
    return built;
  }

  private nothing(near: Node): YamlNode {
    return { kind: "scalar", value: null, place: this.placeOf(near) };
  }

  private placeOf(node: Node): Place {
    return this.placeAt(node.range?.[0] ?? 0);
  }

  private follow(alias: Alias): YamlNode {
    const target = this.targets.get(alias);
    this.lost ||= target === undefined || this.open.has(target);
    if (target === undefined) {
      this.reporter.report("yaml-alias-unknown", { alias: alias.source }, this.placeOf(alias));
      return this.nothing(alias);
    }
    if (this.open.has(target)) {
      this.reporter.report("yaml-alias-cycle", { alias: alias.source }, this.placeOf(alias));
      return this.nothing(alias);
    }
    return this.build(target, alias);
  }

  private buildNew(node: Node): YamlNode {
    const place = this.placeOf(node);
    if (isSeq(node)) {
      const items = node.items.map((item) => this.build(item as Node | null, node));
      return { kind: "list", items, place };
    }
    if (isMap(node)) return { kind: "map", entries: this.entriesOf(node), place };
    return { kind: "scalar", value: scalarOf(node as Scalar), place };
  }

  /** Own keys first; `<<` adds those of other maps that are not there yet. */
  private entriesOf(map: YAMLMap): YamlEntry[] {
    const found = new Map<string, YamlEntry>();
    const merged: YamlEntry[] = [];
    for (const pair of map.items as Pair<Node, Node | null>[]) {
      const { key, value } = pair;
      if (!isScalar(key)) {
        const what = isMap(key) ? "a map" : "a list";
        this.reporter.report("yaml-key", { found: what }, this.placeOf(key ?? map));
        continue;
      }
      const entry: YamlEntry = {
        key: keyText(key),
        keyValue: scalarOf(key),
        place: this.placeOf(key),
        node: this.build(value, key),
      };
      if (entry.key === "<<") merged.push(...mergedEntries(entry.node));
      else this.add(found, entry);
    }
    for (const entry of merged) if (!found.has(entry.key)) found.set(entry.key, entry);
    return [...found.values()];
  }

  private add(found: Map<string, YamlEntry>, entry: YamlEntry): void {
    const first = found.get(entry.key);
    if (first === undefined) found.set(entry.key, entry);
    else {
      const params = { key: entry.key, line: first.place.line ?? 1 };
      this.reporter.report("yaml-duplicate-key", params, entry.place);
    }
  }
}

function mergedEntries(node: YamlNode): readonly YamlEntry[] {
  if (node.kind === "map") return node.entries;
  if (node.kind === "list")
    return node.items.flatMap((item) => (item.kind === "map" ? item.entries : []));
  return [];
}

function keyText(key: Scalar): string {
  return key.source ?? String(key.value);
}

function scalarOf(node: Scalar): YamlScalar {
  const { value } = node;
  if (typeof value === "bigint") {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : value;
  }
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean")
    return value;
  return value === null ? null : String(node.source ?? value);
}

/** What stands there, in words. */
export function describeNode(node: YamlNode): string {
  if (node.kind === "list") return "a list";
  if (node.kind === "map") return "a map";
  const { value } = node;
  if (value === null) return "nothing";
  if (typeof value === "string") return `the text '${value}'`;
  return typeof value === "boolean" ? `'${value}'` : `the number ${value}`;
}
