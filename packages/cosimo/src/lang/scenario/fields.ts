/**
 * Reads the fields of a map: known keys, the right kind of content, and a remark with the place
 * where it is otherwise.
 */
import type { Place } from "../../base/diagnostic.ts";
import { nearest } from "../../base/nearest.ts";
import { parseSeconds } from "../../model/physical-unit-conversion.ts";
import type { TextReporter } from "./diagnostics.ts";
import { describeNode, type YamlEntry, type YamlNode } from "./yaml-tree.ts";

/** What a map of this kind may contain and what it must, and how messages call it. */
export interface MapShape<Key extends string, Required extends Key = never> {
  readonly owner: string;
  readonly keys: readonly Key[];
  readonly required?: readonly Required[];
  readonly example: string;
}

export type Fields<Key extends string, Required extends Key = never> = Partial<
  Record<Key, YamlEntry>
> &
  Record<Required, YamlEntry>;

/** Keys that begin with this are the author's own: a home for anchors. */
const OWN_KEY = "x-";

/** The known keys of `node`; undefined when it is not a map, or lacks a required key. */
export function readFields<Key extends string, Required extends Key = never>(
  node: YamlNode,
  shape: MapShape<Key, Required>,
  reporter: TextReporter,
): Fields<Key, Required> | undefined {
  const entries = readEntries(node, shape, reporter);
  const fields = entries && knownFields(entries, shape, reporter);
  if (fields === undefined) return undefined;
  const { owner, example, required = [] } = shape;
  const missing = required.filter((key) => fields[key] === undefined);
  for (const key of missing)
    reporter.report("scenario-missing-key", { owner, key, example }, node.place);
  return missing.length === 0 ? (fields as Fields<Key, Required>) : undefined;
}

/** Those of the entries whose keys are known; the others are reported. */
export function knownFields<Key extends string>(
  entries: readonly YamlEntry[],
  { keys, owner }: Pick<MapShape<Key>, "keys" | "owner">,
  reporter: TextReporter,
): Fields<Key> {
  const fields: Partial<Record<Key, YamlEntry>> = {};
  for (const entry of entries) {
    const { key, place } = entry;
    if ((keys as readonly string[]).includes(key)) fields[key as Key] = entry;
    else if (!key.startsWith(OWN_KEY)) {
      const params = { key, owner, nearest: nearest(key, keys), known: keys };
      reporter.report("scenario-unknown-key", params, place);
    }
  }
  return fields as Fields<Key>;
}

/** The entries of a map with names of the author's choice. */
export function readEntries(
  node: YamlNode,
  shape: { readonly owner: string; readonly example: string },
  reporter: TextReporter,
): readonly YamlEntry[] | undefined {
  if (node.kind === "map") return node.entries;
  wrongType(node, shape.owner, "a map", shape.example, reporter);
  return undefined;
}

export function wrongType(
  node: YamlNode,
  what: string,
  expected: string,
  example: string,
  reporter: TextReporter,
): void {
  const params = { what, expected, found: describeNode(node), example };
  reporter.report("scenario-wrong-type", params, node.place);
}

/** A text that is not empty. Numbers count: a name may be `2024`. */
export function readText(
  entry: YamlEntry,
  example: string,
  reporter: TextReporter,
): string | undefined {
  const { node } = entry;
  if (node.kind === "scalar") {
    if (typeof node.value === "string" && node.value.trim() !== "") return node.value.trim();
    if (typeof node.value === "number") return String(node.value);
  }
  wrongType(node, `'${entry.key}'`, "a text", `${entry.key}: ${example}`, reporter);
  return undefined;
}

export interface NumberRule {
  readonly expected: string;
  readonly example: string;
  readonly accepts: (value: number) => boolean;
}

export const POSITIVE: (value: number) => boolean = (value) => value > 0;

export function readNumber(
  entry: YamlEntry,
  rule: NumberRule,
  reporter: TextReporter,
): number | undefined {
  const { value } = scalar(entry);
  if (typeof value === "number" && Number.isFinite(value) && rule.accepts(value)) return value;
  return badNumber(entry, rule, reporter);
}

/** A time in seconds: a number, or a text with a unit of time ("10 ms"). */
export function readTime(
  entry: YamlEntry,
  rule: NumberRule,
  reporter: TextReporter,
): number | undefined {
  const { value } = scalar(entry);
  const seconds = typeof value === "string" ? parseSeconds(value) : value;
  if (typeof seconds === "number" && Number.isFinite(seconds) && rule.accepts(seconds))
    return seconds;
  return badNumber(entry, rule, reporter);
}

function scalar({ node }: YamlEntry): { readonly value: unknown } {
  return node.kind === "scalar" ? node : { value: undefined };
}

function badNumber(entry: YamlEntry, rule: NumberRule, reporter: TextReporter): undefined {
  const { node } = entry;
  const found = node.kind === "scalar" ? String(node.value ?? "nothing") : describeNode(node);
  const params = {
    what: `'${entry.key}'`,
    found,
    expected: rule.expected,
    example: `${entry.key}: ${rule.example}`,
  };
  reporter.report("scenario-number", params, node.place);
  return undefined;
}

/** One of `choices`. */
export function readChoice<Choice extends string>(
  node: YamlNode,
  what: string,
  choices: readonly Choice[],
  reporter: TextReporter,
): Choice | undefined {
  const value = node.kind === "scalar" ? node.value : undefined;
  const found = choices.find((choice) => choice === value);
  if (found !== undefined) return found;
  const text = typeof value === "string" ? value : describeNode(node);
  const params = { what, found: text, nearest: nearest(text, choices), choices };
  reporter.report("scenario-choice", params, node.place);
  return undefined;
}

/** A list of texts, or one text. */
export function readTexts(
  entry: YamlEntry,
  example: string,
  reporter: TextReporter,
): { readonly text: string; readonly place: Place }[] {
  const { node } = entry;
  const items = node.kind === "list" ? node.items : [node];
  const texts: { text: string; place: Place }[] = [];
  for (const item of items) {
    if (item.kind === "scalar" && typeof item.value === "string" && item.value.trim() !== "")
      texts.push({ text: item.value.trim(), place: item.place });
    else
      wrongType(
        item,
        `'${entry.key}'`,
        "a text or a list of texts",
        `${entry.key}: ${example}`,
        reporter,
      );
  }
  return texts;
}
