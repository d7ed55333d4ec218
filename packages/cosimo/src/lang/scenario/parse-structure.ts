/**
 * `structure` of a scenario.yaml: units that come later, and the rules by which units and
 * connections come and go.
 */

import type {
  ConditionDraft,
  StructureDraft,
  StructureRuleDraft,
  TransferDraft,
} from "../../model/scenario.ts";
import { parseCondition } from "../../model/scenario-notation.ts";
import type { TextReporter } from "./diagnostics.ts";
import {
  type Fields,
  type MapShape,
  readEntries,
  readFields,
  readText,
  readTexts,
  readTime,
} from "./fields.ts";
import { STRUCTURE_KEYS, STRUCTURE_RULE_KEYS } from "./keys.ts";
import { parseConnections } from "./parse-connections.ts";
import { parseList } from "./parse-couplings.ts";
import type { YamlEntry, YamlNode } from "./yaml-tree.ts";

const RULE_EXAMPLE = "- { at: 3 s, replace: detailed, with: cheap }";
const RULE: MapShape<(typeof STRUCTURE_RULE_KEYS)[number]> = {
  owner: "a rule of the structure",
  keys: STRUCTURE_RULE_KEYS,
  example: RULE_EXAMPLE,
};
const TIME = { expected: "a time", example: "3 s", accepts: () => true };

export function parseStructure(entry: YamlEntry, reporter: TextReporter): StructureDraft {
  const shape = {
    owner: "'structure'",
    keys: STRUCTURE_KEYS,
    example: `structure: { absent: [cheap], rules: [${RULE_EXAMPLE.slice(2)}] }`,
  };
  const { absent, rules } = readFields(entry.node, shape, reporter) ?? {};
  return {
    absent: names(absent, "[cheap]", reporter),
    rules: rules
      ? parseList(rules, RULE, reporter, (one, node) => parseRule(one, node, reporter))
      : [],
    place: entry.place,
  };
}

function names(entry: YamlEntry | undefined, example: string, reporter: TextReporter): string[] {
  return entry ? readTexts(entry, example, reporter).map(({ text }) => text) : [];
}

function parseRule(
  fields: Fields<(typeof STRUCTURE_RULE_KEYS)[number]>,
  { place }: YamlNode,
  reporter: TextReporter,
): StructureRuleDraft | undefined {
  const { at, when, replace, connect, disconnect, transfer } = fields;
  if ((at === undefined) === (when === undefined)) {
    reporter.report("scenario-rule-when", { isTwice: at !== undefined }, place);
    return undefined;
  }
  if ((replace === undefined) !== (fields.with === undefined)) {
    const [key, missing] = replace ? ["replace", "with"] : ["with", "replace"];
    reporter.report("scenario-replace", { key, missing }, place);
    return undefined;
  }
  const time = at && readTime(at, TIME, reporter);
  const conditions = when ? parseConditions(when, reporter) : [];
  if (conditions === undefined || (at !== undefined && time === undefined)) return undefined;
  return {
    ...(time !== undefined && { at: time }),
    when: conditions,
    remove: [...names(fields.remove, "[a]", reporter), ...names(replace, "a", reporter)],
    add: [...names(fields.add, "[b]", reporter), ...names(fields.with, "b", reporter)],
    connect: connect ? parseConnections(connect, reporter) : [],
    disconnect: disconnect ? parseConnections(disconnect, reporter) : [],
    transfer: transfer ? parseTransfer(transfer, reporter) : [],
    place,
  };
}

/** One condition, or a list of which all must hold; undefined when one of them cannot be read. */
function parseConditions(entry: YamlEntry, reporter: TextReporter): ConditionDraft[] | undefined {
  const texts = readTexts(entry, "motor.temperature > 90 degC", reporter);
  const conditions = texts.flatMap(({ text, place }): ConditionDraft[] => {
    const parsed = parseCondition(text);
    if (parsed === undefined) reporter.report("scenario-condition", { text }, place);
    return parsed ? [{ ...parsed, place }] : [];
  });
  return conditions.length > 0 && conditions.length === texts.length ? conditions : undefined;
}

/** `{ cheap.x: detailed.x }`: port of the new unit ← port of an old one. */
function parseTransfer(entry: YamlEntry, reporter: TextReporter): TransferDraft[] {
  const shape = { owner: "'transfer'", example: "transfer: { cheap.x: detailed.x }" };
  return (readEntries(entry.node, shape, reporter) ?? []).flatMap((one): TransferDraft[] => {
    const from = readText(one, "detailed.x", reporter);
    return from === undefined ? [] : [{ to: one.key, from, place: one.place }];
  });
}
