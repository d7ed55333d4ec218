/**
 * The units of a scenario.yaml: `motor: motor.fmu`, or a map when there is more to say.
 */
import { present } from "../../base/present.ts";
import {
  FMI_INTERFACES,
  type FmiInterfaceName,
  type FmuChoice,
  INTEGRATION_METHODS,
  type IntegratorOptions,
} from "../../model/integrator.ts";
import { FAILURE_RESPONSES } from "../../model/isolation.ts";
import type { ScenarioDraft, UnitDraft, UnitSource } from "../../model/scenario.ts";
import { sourceAt } from "../../model/source-kind.ts";
import type { TextReporter } from "./diagnostics.ts";
import {
  type Fields,
  knownFields,
  POSITIVE,
  readChoice,
  readEntries,
  readFields,
  readNumber,
  readText,
  readTexts,
  readTime,
  wrongType,
} from "./fields.ts";
import { INTEGRATOR_KEYS, UNIT_KEYS } from "./keys.ts";
import type { Mutable } from "./mutable.ts";
import { parseAdapt } from "./parse-adapt.ts";
import { parseConnections } from "./parse-connections.ts";
import { parseIsolation } from "./parse-isolation.ts";
import { parseValues } from "./parse-values.ts";
import type { YamlEntry } from "./yaml-tree.ts";

export const UNIT_NAME: RegExp = /^[\p{L}_][\p{L}\p{N}_-]*$/u;
/** Of these a unit has one. */
const SOURCE_KEYS = [
  "fmu",
  "module",
  "adaptation",
  "machine",
  "table",
  "scenario",
  "group",
  "remote",
] as const;
const STEP = { expected: "a time above 0", example: "1 ms", accepts: POSITIVE };

export function parseUnits(entry: YamlEntry, reporter: TextReporter): UnitDraft[] {
  const shape = { owner: `'${entry.key}'`, example: "units: { motor: motor.fmu }" };
  const drafts: UnitDraft[] = [];
  for (const one of readEntries(entry.node, shape, reporter) ?? []) {
    if (!UNIT_NAME.test(one.key))
      reporter.report("scenario-unit-name", { name: one.key }, one.place);
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
  const isolation = fields.remote ? undefined : parseIsolation(name, fields, reporter);
  if (isolation !== undefined) draft.isolation = isolation;
  const declared = fields.interface && readText(fields.interface, `${name}.mci`, reporter);
  if (fields.interface && declared !== undefined && !isFmiInterface(declared))
    draft.interface = { path: declared, place: fields.interface.place };
  return draft;
}

function parseSource(
  unit: string,
  fields: Fields<(typeof UNIT_KEYS)[number]>,
  entry: YamlEntry,
  reporter: TextReporter,
): UnitSource | undefined {
  const given = SOURCE_KEYS.flatMap((kind) => {
    const field = fields[kind];
    return field === undefined ? [] : [{ kind, field }];
  });
  const [first, second] = given;
  if (first === undefined || second !== undefined) {
    const { place } = second?.field ?? entry;
    reporter.report("scenario-unit-sources", { unit, keys: given.map(({ kind }) => kind) }, place);
    return undefined;
  }
  const { kind: key, field } = first;
  const refuse = (one: (typeof UNIT_KEYS)[number], kind: string): void => {
    const place = fields[one]?.place;
    if (place === undefined) return;
    const owner = `the unit '${unit}' (${kind})`;
    const always: readonly string[] = ["adapt", "interface", "step", "set", "isolate"];
    const known = UNIT_KEYS.filter((other) => other === key || always.includes(other));
    const params = { key: one, owner, nearest: undefined, known };
    reporter.report("scenario-unknown-key", params, place);
  };
  const name = fields.export && readText(fields.export, "makeUnit", reporter);
  if (key !== "module") refuse("export", key);
  if (key !== "fmu" && key !== "group") refuse("integrator", key);
  if (key !== "group") refuse("connections", key);
  const choice = parseFmuChoice(fields, reporter);
  if (choice.interface !== undefined && key !== "fmu") refuse("interface", key);
  if (choice.interface !== undefined && choice.interface !== "model-exchange")
    refuse("integrator", choice.interface);
  if (key === "group") return parseGroup(unit, field, fields, choice, reporter);
  if (key === "remote") return parseRemote(field, fields, refuse, reporter);
  const path = readText(field, `${unit}.fmu`, reporter);
  if (path === undefined) return undefined;
  if (key === "fmu") return { kind: key, path, ...choice };
  if (key === "scenario") return { kind: "scenario-file", path };
  if (key !== "module") return { kind: key, path };
  return name === undefined ? { kind: key, path } : { kind: key, path, export: name };
}

/** `supplier-a/motor`, or a list of places of which the first that is there is used. */
function parseRemote(
  field: YamlEntry,
  { onFailure }: Fields<(typeof UNIT_KEYS)[number]>,
  refuse: (key: (typeof UNIT_KEYS)[number], kind: string) => void,
  reporter: TextReporter,
): UnitSource | undefined {
  refuse("isolate", "remote");
  refuse("limits", "remote");
  const places = readTexts(field, "supplier-a/motor", reporter).flatMap(({ text, place }) => {
    const [, node, offer] = /^([\w-]+)\/([\w-]+)$/.exec(text) ?? [];
    if (node !== undefined && offer !== undefined) return [{ node, offer }];
    reporter.report("scenario-remote", { text }, place);
    return [];
  });
  const [first, ...others] = places;
  const response =
    onFailure && readChoice(onFailure.node, "'onFailure'", FAILURE_RESPONSES, reporter);
  if (first === undefined) return undefined;
  return { kind: "remote", places: [first, ...others], ...present({ onFailure: response }) };
}

/** Model Exchange FMUs that share one integrator, and the connections between them. */
function parseGroup(
  unit: string,
  field: YamlEntry,
  { connections }: Fields<(typeof UNIT_KEYS)[number]>,
  { integrator }: FmuChoice,
  reporter: TextReporter,
): UnitSource {
  const { place } = field;
  const members = parseUnits(field, reporter).map((draft): UnitDraft => {
    const { source } = draft;
    if (draft.isolation !== undefined)
      reporter.report("scenario-group-isolated", { unit, member: draft.name }, draft.place);
    const isOpen = source.kind === "fmu" && source.interface === undefined;
    return isOpen ? { ...draft, source: { ...source, interface: "model-exchange" } } : draft;
  });
  const scenario: ScenarioDraft = {
    name: unit,
    file: place.file,
    units: members,
    connections: connections ? parseConnections(connections, reporter) : [],
    ports: [],
    experiment: {},
    master: { name: "", options: {}, place },
    record: { patterns: [], every: 1 },
    place,
  };
  return { kind: "group", scenario, ...(integrator && { integrator }) };
}

/**
 * `interface: model-exchange` chooses one of FMI; anything else is the path of an interface file.
 */
function isFmiInterface(text: string): text is FmiInterfaceName {
  return (FMI_INTERFACES as readonly string[]).includes(text);
}

function parseFmuChoice(
  fields: Fields<(typeof UNIT_KEYS)[number]>,
  reporter: TextReporter,
): FmuChoice {
  const { interface: named, integrator } = fields;
  const text = named?.node.kind === "scalar" ? named.node.value : undefined;
  const choice: Mutable<FmuChoice> = {};
  if (typeof text === "string" && isFmiInterface(text.trim()))
    choice.interface = text.trim() as FmiInterfaceName;
  const options = integrator && parseIntegrator(integrator, reporter);
  if (options !== undefined) choice.integrator = options;
  return choice;
}

const TOLERANCE = {
  expected: "a number above 0 and below 1",
  example: "1e-6",
  accepts: (value: number): boolean => value > 0 && value < 1,
};
const ABSOLUTE = { expected: "a number above 0", example: "1e-9", accepts: POSITIVE };

/** A method, or a map when there is more to say. */
function parseIntegrator(entry: YamlEntry, reporter: TextReporter): IntegratorOptions | undefined {
  const { node } = entry;
  if (node.kind === "scalar") {
    const method = readChoice(node, "'integrator'", INTEGRATION_METHODS, reporter);
    return method && { method };
  }
  const shape = { owner: "'integrator'", keys: INTEGRATOR_KEYS, example: "integrator: radau" };
  const fields = readFields(node, shape, reporter);
  if (fields === undefined) return undefined;
  const { method, tolerance, absoluteTolerance, maxStep } = fields;
  return {
    ...present({
      method: method && readChoice(method.node, "'method'", INTEGRATION_METHODS, reporter),
      tolerance: tolerance && readNumber(tolerance, TOLERANCE, reporter),
      absoluteTolerance: absoluteTolerance && readNumber(absoluteTolerance, ABSOLUTE, reporter),
      maxStep: maxStep && readTime(maxStep, STEP, reporter),
    }),
  };
}
