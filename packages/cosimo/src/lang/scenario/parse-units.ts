/**
 * The units of a scenario.yaml: `motor: motor.fmu`, or a map when there is more to say.
 */
import type { UnitDraft, UnitSource } from "../../model/scenario.ts";
import { sourceAt } from "../../model/source-kind.ts";
import type { TextReporter } from "./diagnostics.ts";
import {
  type Fields,
  knownFields,
  POSITIVE,
  readEntries,
  readText,
  readTime,
  wrongType,
} from "./fields.ts";
import { UNIT_KEYS } from "./keys.ts";
import type { Mutable } from "./mutable.ts";
import { parseAdapt } from "./parse-adapt.ts";
import { parseValues } from "./parse-values.ts";
import type { YamlEntry } from "./yaml-tree.ts";

const NAME = /^[\p{L}_][\p{L}\p{N}_-]*$/u;
const STEP = { expected: "a time above 0", example: "1 ms", accepts: POSITIVE };

export function parseUnits(entry: YamlEntry, reporter: TextReporter): UnitDraft[] {
  const shape = { owner: "'units'", example: "units: { motor: motor.fmu }" };
  const drafts: UnitDraft[] = [];
  for (const one of readEntries(entry.node, shape, reporter) ?? []) {
    if (!NAME.test(one.key)) reporter.report("scenario-unit-name", { name: one.key }, one.place);
    const draft = parseUnitEntry(one, reporter);
    if (draft !== undefined) drafts.push(draft);
  }
  return drafts;
}

function parseUnitEntry(entry: YamlEntry, reporter: TextReporter): UnitDraft | undefined {
  const { key: name, node, place } = entry;
  if (node.kind === "scalar" && typeof node.value === "string") {
    const source = sourceAt(node.value.trim());
    if (source === undefined)
      reporter.report("scenario-unit-source", { unit: name, path: node.value }, node.place);
    return source && { name, source, values: [], place };
  }
  if (node.kind !== "map") {
    wrongType(node, `the unit '${name}'`, "a file or a map", `${name}: ${name}.fmu`, reporter);
    return undefined;
  }
  const shape = { owner: `the unit '${name}'`, keys: UNIT_KEYS };
  const fields = knownFields(node.entries, shape, reporter);
  const source = parseSource(name, fields, entry, reporter);
  const values = fields.set ? parseValues(fields.set, reporter) : [];
  const step = fields.step && readTime(fields.step, STEP, reporter);
  if (source === undefined) return undefined;
  const adapted = fields.adapt ? parseAdapt(fields.adapt, source, reporter) : source;
  const draft: Mutable<UnitDraft> = { name, source: adapted, values, place };
  if (step !== undefined) draft.step = step;
  const declared = fields.interface && readText(fields.interface, `${name}.mci`, reporter);
  if (fields.interface && declared !== undefined)
    draft.interface = { path: declared, place: fields.interface.place };
  return draft;
}

function parseSource(
  unit: string,
  fields: Fields<(typeof UNIT_KEYS)[number]>,
  entry: YamlEntry,
  reporter: TextReporter,
): UnitSource | undefined {
  const given = (["fmu", "module", "adaptation", "machine", "scenario"] as const).flatMap(
    (kind) => {
      const field = fields[kind];
      return field === undefined ? [] : [{ kind, field }];
    },
  );
  const [first, second] = given;
  if (first === undefined || second !== undefined) {
    const { place } = second?.field ?? entry;
    reporter.report("scenario-unit-sources", { unit, keys: given.map(({ kind }) => kind) }, place);
    return undefined;
  }
  const { kind: key, field } = first;
  const name = fields.export && readText(fields.export, "makeUnit", reporter);
  if (fields.export !== undefined && key !== "module") {
    const owner = `the unit '${unit}' (${key})`;
    const always: readonly string[] = ["adapt", "interface", "step", "set"];
    const known = UNIT_KEYS.filter((one) => one === key || always.includes(one));
    const params = { key: "export", owner, nearest: undefined, known };
    reporter.report("scenario-unknown-key", params, fields.export.place);
  }
  const path = readText(field, `${unit}.fmu`, reporter);
  if (path === undefined) return undefined;
  if (key === "fmu" || key === "adaptation" || key === "machine") return { kind: key, path };
  if (key === "scenario") return { kind: "scenario-file", path };
  return name === undefined ? { kind: "module", path } : { kind: "module", path, export: name };
}
