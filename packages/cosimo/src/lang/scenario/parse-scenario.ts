/**
 * scenario.yaml → a draft: the format people write by hand. docs/spec/scenario.md numbers its
 * rules, and docs/reference/scenario.schema.json describes it to editors.
 *
 * Nothing is resolved here, so no FMU is needed: a draft is names and texts, each with the place it
 * was written at.
 */
import { type Checked, hasErrors, type Place } from "../../base/diagnostic.ts";
import type {
  ExposedPortDraft,
  MasterDraft,
  RecordDraft,
  ScenarioDraft,
} from "../../model/scenario.ts";
import type { Experiment } from "../../model/unit-description.ts";
import { TextReporter } from "./diagnostics.ts";
import {
  type Fields,
  POSITIVE,
  readEntries,
  readFields,
  readNumber,
  readText,
  readTexts,
  readTime,
  wrongType,
} from "./fields.ts";
import { EXPERIMENT_KEYS, RECORD_KEYS, SCENARIO_KEYS } from "./keys.ts";
import type { Mutable } from "./mutable.ts";
import { parseConnections } from "./parse-connections.ts";
import { parseBonds, parseConstraints, parseEvents, parseLimits } from "./parse-couplings.ts";
import { parseFaults } from "./parse-faults.ts";
import { parseRequirements } from "./parse-requirements.ts";
import { parseStructure } from "./parse-structure.ts";
import { parseUnits } from "./parse-units.ts";
import { readYaml, type YamlEntry, type YamlNode } from "./yaml-tree.ts";

/**
 * Reads the text of a scenario.yaml; `file` is the name in places, and sources are relative to its
 * folder. Never throws, whatever the text. Beside errors the value is what could be read; it is
 * absent when nothing could.
 */
export function parseScenarioYaml(text: string, file: string): Checked<ScenarioDraft> {
  const reporter = new TextReporter();
  const { diagnostics } = reporter;
  const root = readYaml(text, file, reporter);
  if (root === undefined) return { diagnostics };
  const shape = {
    owner: "a scenario",
    keys: SCENARIO_KEYS,
    example: "units: { motor: motor.fmu }",
  };
  const fields = readFields(root, shape, reporter);
  if (fields === undefined) return { diagnostics };
  const value = parseFields(fields, file, root.place, reporter);
  return hasErrors(diagnostics) && value.units.length === 0
    ? { diagnostics }
    : { value, diagnostics };
}

type ScenarioFields = Fields<(typeof SCENARIO_KEYS)[number]>;

function parseFields(
  fields: ScenarioFields,
  file: string,
  place: Place,
  reporter: TextReporter,
): ScenarioDraft {
  const { name, description, units, connections, ports, experiment, master, record } = fields;
  const { bonds, constraints, events, limits, faults, structure, requirements } = fields;
  if (units === undefined) {
    const params = { owner: "a scenario", key: "units", example: "units: { motor: motor.fmu }" };
    reporter.report("scenario-missing-key", params, place);
  }
  const draft: Mutable<ScenarioDraft> = {
    name: (name && readText(name, "drive line", reporter)) ?? nameOf(file),
    file,
    units: units ? parseUnits(units, reporter) : [],
    connections: connections ? parseConnections(connections, reporter) : [],
    ports: ports ? parsePorts(ports, reporter) : [],
    experiment: experiment ? parseExperiment(experiment, reporter) : {},
    master: master ? parseMaster(master, reporter) : { name: "", options: {}, place: { file } },
    record: record ? parseRecord(record, reporter) : { patterns: [], every: 1 },
    ...(bonds && { bonds: parseBonds(bonds, reporter) }),
    ...(constraints && { constraints: parseConstraints(constraints, reporter) }),
    ...(events && { events: parseEvents(events, reporter) }),
    ...(limits && { limits: parseLimits(limits, reporter) }),
    ...(faults && parseFaults(faults, reporter)),
    ...(structure && { structure: parseStructure(structure, reporter) }),
    ...(requirements && parseRequirements(requirements, reporter)),
    place,
  };
  const about = description && readText(description, "what it shows", reporter);
  if (about !== undefined) draft.description = about;
  return draft;
}

/** `lines/drive.yaml` → `drive`. */
function nameOf(file: string): string {
  const base = file.slice(Math.max(file.lastIndexOf("/"), file.lastIndexOf("\\")) + 1);
  return base.replace(/\.[^.]*$/, "") || "scenario";
}

function parsePorts(entry: YamlEntry, reporter: TextReporter): ExposedPortDraft[] {
  const shape = { owner: "'ports'", example: "ports: { u: plant.u }" };
  const drafts: ExposedPortDraft[] = [];
  for (const one of readEntries(entry.node, shape, reporter) ?? [])
    for (const { text, place } of readTexts(one, "plant.u", reporter))
      drafts.push({ name: one.key, inner: text, place });
  return drafts;
}

const TIME = { expected: "a time", example: "10 s", accepts: () => true };
const STEP = { expected: "a time above 0", example: "10 ms", accepts: POSITIVE };
const TOLERANCE = {
  expected: "a number between 0 and 1",
  example: "1e-6",
  accepts: (value: number) => value > 0 && value < 1,
};

function parseExperiment(entry: YamlEntry, reporter: TextReporter): Experiment {
  const shape = {
    owner: "'experiment'",
    keys: EXPERIMENT_KEYS,
    example: "experiment: { stop: 10 s, step: 10 ms }",
  };
  const fields = readFields(entry.node, shape, reporter) ?? {};
  const experiment: Mutable<Experiment> = {};
  const start = fields.start && readTime(fields.start, TIME, reporter);
  if (start !== undefined) experiment.start = start;
  const after = start ?? 0;
  const later = { ...TIME, expected: `later than ${after} s`, accepts: (t: number) => t > after };
  const stop = fields.stop && readTime(fields.stop, later, reporter);
  if (stop !== undefined) experiment.stop = stop;
  const step = fields.step && readTime(fields.step, STEP, reporter);
  if (step !== undefined) experiment.step = step;
  const tolerance = fields.tolerance && readNumber(fields.tolerance, TOLERANCE, reporter);
  if (tolerance !== undefined) experiment.tolerance = tolerance;
  return experiment;
}

/** A name, or a map with `name` and whatever options that master has; the master checks them. */
function parseMaster(entry: YamlEntry, reporter: TextReporter): MasterDraft {
  const { node, place } = entry;
  const unnamed = { name: "", options: {}, place };
  if (node.kind !== "map") {
    if (node.kind === "scalar" && typeof node.value === "string")
      return { name: node.value.trim(), options: {}, place };
    wrongType(node, "'master'", "a name or a map", "master: gauss-seidel", reporter);
    return unnamed;
  }
  let name = "";
  const options: Record<string, unknown> = {};
  const seen = new Map<YamlNode, unknown>();
  for (const one of node.entries) {
    if (one.key === "name") name = readText(one, "gauss-seidel", reporter) ?? "";
    else options[one.key] = plainValue(one.node, seen);
  }
  return { name, options, place };
}

/**
 * Plain data for options that only a master understands. Shared nodes stay shared, so aliases
 * cannot multiply.
 */
function plainValue(node: YamlNode, seen: Map<YamlNode, unknown>): unknown {
  if (node.kind === "scalar") return node.value;
  if (seen.has(node)) return seen.get(node);
  const value =
    node.kind === "list"
      ? node.items.map((item) => plainValue(item, seen))
      : Object.fromEntries(
          node.entries.map(({ key, node: inner }) => [key, plainValue(inner, seen)]),
        );
  seen.set(node, value);
  return value;
}

const EVERY = {
  expected: "a whole number above 0",
  example: "10",
  accepts: (value: number) => Number.isInteger(value) && value > 0,
};

function parseRecord(entry: YamlEntry, reporter: TextReporter): RecordDraft {
  const { node, place } = entry;
  const example = "[motor.speed, load.*]";
  if (node.kind !== "map") {
    const patterns = readTexts(entry, example, reporter).map(({ text }) => text);
    return { patterns, every: 1, place };
  }
  const shape = { owner: "'record'", keys: RECORD_KEYS, example: `record: ${example}` };
  const fields = readFields(node, shape, reporter) ?? {};
  const patterns = fields.patterns ? readTexts(fields.patterns, example, reporter) : [];
  const every = fields.every && readNumber(fields.every, EVERY, reporter);
  return { patterns: patterns.map(({ text }) => text), every: every ?? 1, place };
}
