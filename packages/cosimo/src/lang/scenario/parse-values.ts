/**
 * Parameter and start values as they are written: numbers, texts ("5 mm"), lists of lists, or `{
 * value, unit }`. What they mean depends on the port, so they stay as written here.
 */

import type { Place } from "../../base/diagnostic.ts";
import type { ValueDraft } from "../../model/scenario.ts";
import type { Value } from "../../model/value-type.ts";
import type { TextReporter } from "./diagnostics.ts";
import { readEntries, readFields, readText, wrongType } from "./fields.ts";
import { VALUE_KEYS } from "./keys.ts";
import type { Mutable } from "./mutable.ts";
import { WALK_LIMIT, type YamlEntry, type YamlNode } from "./yaml-tree.ts";

export function parseValues(entry: YamlEntry, reporter: TextReporter): ValueDraft[] {
  const shape = { owner: "'set'", example: "set: { length: 5 mm }" };
  const entries = readEntries(entry.node, shape, reporter) ?? [];
  return entries.flatMap((one) => parseOne(one, reporter) ?? []);
}

function parseOne(entry: YamlEntry, reporter: TextReporter): ValueDraft | undefined {
  const { key: port, place, node } = entry;
  if (node.kind !== "map") {
    const value = readValue(port, node, reporter);
    return value === undefined ? undefined : { port, value, place };
  }
  const shape = {
    owner: `the value of '${port}'`,
    keys: VALUE_KEYS,
    required: ["value"] as const,
    example: `${port}: { value: 5, unit: mm }`,
  };
  const fields = readFields(node, shape, reporter);
  if (fields === undefined) return undefined;
  const value = readValue(port, fields.value.node, reporter);
  if (value === undefined) return undefined;
  const draft: Mutable<ValueDraft> = { port, value, place };
  const unit = fields.unit && readText(fields.unit, "mm", reporter);
  if (unit !== undefined) draft.unit = unit;
  return draft;
}

function readValue(
  port: string,
  node: YamlNode,
  reporter: TextReporter,
): Value | readonly Value[] | undefined {
  if (node.kind === "scalar" && node.value !== null) return node.value;
  if (node.kind !== "list") {
    const expected = "a number, a text, true or false, or a list of them";
    wrongType(node, `the value of '${port}'`, expected, `${port}: 5 mm`, reporter);
    return undefined;
  }
  const flat = new Flattener(port, node.place, reporter);
  flat.walk(node.items, 0);
  return flat.failed ? undefined : flat.values;
}

/** Rows of rows, element after element; all lists of one depth must be equally long. */
class Flattener {
  readonly values: Value[] = [];
  failed = false;
  private readonly lengths: number[] = [];
  private steps = 0;
  private readonly port: string;
  private readonly place: Place;
  private readonly reporter: TextReporter;

  constructor(port: string, place: Place, reporter: TextReporter) {
    this.port = port;
    this.place = place;
    this.reporter = reporter;
  }

  walk(items: readonly YamlNode[], depth: number): void {
    for (const item of items) {
      this.take(item, depth);
      if (this.failed) return;
    }
  }

  private take(item: YamlNode, depth: number): void {
    const { port, reporter } = this;
    if (++this.steps > WALK_LIMIT) {
      this.failed = true;
      const params = { what: `the value of '${port}'`, limit: WALK_LIMIT };
      reporter.report("yaml-limit", params, this.place);
    } else if (item.kind === "list") {
      this.lengths[depth] ??= item.items.length;
      const first = this.lengths[depth];
      const other = item.items.length;
      if (first === other) {
        this.walk(item.items, depth + 1);
        return;
      }
      this.failed = true;
      reporter.report("scenario-ragged", { port, first, other }, item.place);
    } else if (item.kind === "scalar" && item.value !== null) {
      this.values.push(item.value);
    } else {
      this.failed = true;
      wrongType(item, `an element of '${port}'`, "a value", `${port}: [1, 2, 3]`, reporter);
    }
  }
}
