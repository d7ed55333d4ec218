/**
 * `factors:` of a study.yaml: what varies, and between which values.
 *
 *   chassis.c: { from: 10 kN/m, to: 30 kN/m }                        a range of a parameter or start value
 *   chassis.m: { distribution: normal, mean: 400 kg, deviation: 20 kg }
 *   step: [1 ms, 10 ms]                                              the communication step
 *   master: [jacobi, { name: gauss-seidel, order: [road, wheel] }]
 *   road input: { approximation: road.v -> wheel.v_road, values: [hold, linear] }
 *   inside: { adapt: wheel, values: [none, multi-rate { rate: 10 }] }
 *   sensor: { fault: "wheel.z_w offset {} at 1 s", from: 0, to: 0.1 }
 */
import type { Place } from "../../base/diagnostic.ts";
import { present } from "../../base/present.ts";
import { parseQuantity } from "../../model/physical-unit-conversion.ts";
import {
  DISTRIBUTIONS,
  type DistributionName,
  type DistributionParameter,
  type FactorDraft,
  type FactorTarget,
  type LevelsDraft,
  type WrittenLevel,
  type WrittenQuantity,
} from "../../model/study.ts";
import {
  type Fields,
  readChoice,
  readEntries,
  readFields,
  readNumber,
  readText,
} from "../scenario/fields.ts";
import { WALK_LIMIT, type YamlEntry, type YamlNode } from "../scenario/yaml-tree.ts";
import { FACTOR_KEYS, TARGET_KEYS } from "./keys.ts";
import { COUNT, type StudyReader } from "./study-reader.ts";

type FactorFields = Fields<(typeof FACTOR_KEYS)[number]>;

const EXAMPLE = "factors: { motor.R: { from: 1, to: 2 } }";
const NAMES = Object.keys(DISTRIBUTIONS) as DistributionName[];

export function parseFactors(entry: YamlEntry, reader: StudyReader): FactorDraft[] {
  const entries = readEntries(
    entry.node,
    { owner: "'factors'", example: EXAMPLE },
    reader.reporter,
  );
  if (entries?.length === 0)
    reader.report(
      "study-factor-levels",
      { factor: entry.key, why: "varies nothing", fix: `write '${EXAMPLE}'` },
      entry.place,
    );
  return (entries ?? []).flatMap((one) => parseFactor(one, reader) ?? []);
}

function parseFactor(entry: YamlEntry, reader: StudyReader): FactorDraft | undefined {
  const { key: name, node, place } = entry;
  if (node.kind !== "map") {
    const target = targetOfKey(name, reader, place);
    const levels = parseList(entry, node, reader);
    return target && levels && { name, target, levels, place };
  }
  const shape = {
    owner: `the factor '${name}'`,
    keys: FACTOR_KEYS,
    example: `${name}: { from: 1, to: 2 }`,
  };
  const fields = readFields(node, shape, reader.reporter);
  if (fields === undefined) return undefined;
  const target = readTarget(name, fields, reader, place);
  const levels = readLevels(entry, fields, reader);
  const start = fields.start && readQuantity(name, fields.start, reader);
  const points = fields.points && readNumber(fields.points, COUNT, reader.reporter);
  return target && levels && { name, target, levels, place, ...present({ start, points }) };
}

/** What the key alone says. */
function targetOfKey(name: string, reader: StudyReader, place: Place): FactorTarget | undefined {
  if (name === "step" || name === "master") return { kind: name };
  if (/^[^\s.]+\..*\S$/.test(name)) return { kind: "port", port: name };
  return reader.report(
    "study-factor-target",
    {
      factor: name,
      why: "does not say what it varies",
      fix: `name a port ('motor.R'), 'step' or 'master', or write '${name}: { port: motor.R, from: 1, to: 2 }'`,
    },
    place,
  );
}

function readTarget(
  name: string,
  fields: FactorFields,
  reader: StudyReader,
  place: Place,
): FactorTarget | undefined {
  const given = TARGET_KEYS.filter((key) => fields[key] !== undefined);
  const [kind, second] = given;
  if (second !== undefined)
    return reader.report(
      "study-factor-target",
      {
        factor: name,
        why: `varies '${given.join("' and '")}' at once`,
        fix: "make a factor of each",
      },
      fields[second]?.place ?? place,
    );
  const entry = kind === undefined ? undefined : fields[kind];
  if (kind === undefined || entry === undefined) return targetOfKey(name, reader, place);
  if (kind === "master") return { kind };
  return textTarget(name, kind, entry, reader);
}

function textTarget(
  name: string,
  kind: keyof typeof EXAMPLES,
  entry: YamlEntry,
  reader: StudyReader,
): FactorTarget | undefined {
  const text = readText(entry, EXAMPLES[kind], reader.reporter);
  if (text === undefined) return undefined;
  switch (kind) {
    case "port":
      return { kind, port: text };
    case "step":
      return { kind, unit: text };
    case "adapt":
      return { kind: "adaptation", unit: text };
    case "fault":
      return { kind, pattern: text };
    case "approximation": {
      const [from, to, ...more] = text.split(/\s*(?:->|→)\s*/);
      if (from && to && more.length === 0) return { kind, from, to };
      return reader.report(
        "study-factor-target",
        { factor: name, why: `'${text}' is not a connection`, fix: `write '${EXAMPLES[kind]}'` },
        entry.node.place,
      );
    }
  }
}

const EXAMPLES = {
  port: "motor.R",
  step: "motor",
  approximation: "road.v -> wheel.v_road",
  adapt: "motor",
  fault: "motor.speed offset {} at 2 s",
} as const;

function readLevels(
  entry: YamlEntry,
  fields: FactorFields,
  reader: StudyReader,
): LevelsDraft | undefined {
  const { key: factor, place } = entry;
  const asNumbers = (["distribution", "from", "to", "mean", "median"] as const).filter(
    (key) => fields[key] !== undefined,
  );
  if (fields.values === undefined && asNumbers.length > 0)
    return readDistribution(entry, fields, reader);
  if (fields.values === undefined)
    return reader.report(
      "study-factor-levels",
      { factor, why: "has no values", fix: "add 'from' and 'to', or 'values: [1, 2, 3]'" },
      place,
    );
  if (asNumbers.length > 0)
    return reader.report(
      "study-factor-levels",
      { factor, why: `has 'values' and '${asNumbers[0]}' at once`, fix: "keep one of them" },
      fields.values.place,
    );
  return parseList(entry, fields.values.node, reader);
}

function parseList(
  { key: factor }: YamlEntry,
  node: YamlNode,
  reader: StudyReader,
): LevelsDraft | undefined {
  if (node.kind === "list" && node.items.length > 0) {
    const budget = { left: WALK_LIMIT };
    return { kind: "list", levels: node.items.map((item) => written(item, budget)) };
  }
  return reader.report(
    "study-factor-levels",
    {
      factor,
      why: "has neither a list of values nor a range",
      fix: `write '${factor}: [1, 2, 3]' or '${factor}: { from: 1, to: 3 }'`,
    },
    node.place,
  );
}

/** As plain data. Aliases of aliases end where the budget does. */
function written(node: YamlNode, budget: { left: number }): WrittenLevel {
  if (--budget.left < 0) return null;
  if (node.kind === "scalar") return node.value;
  if (node.kind === "list") return node.items.map((item) => written(item, budget));
  return Object.fromEntries(
    node.entries.map(({ key, node: inner }) => [key, written(inner, budget)]),
  );
}

function readDistribution(
  { key: factor, node }: YamlEntry,
  fields: FactorFields,
  reader: StudyReader,
): LevelsDraft | undefined {
  const name = fields.distribution
    ? readChoice(fields.distribution.node, "'distribution'", NAMES, reader.reporter)
    : "uniform";
  if (name === undefined) return undefined;
  const { parameters: wanted } = DISTRIBUTIONS[name];
  const all = ["from", "to", "mode", "mean", "median", "deviation"] as const;
  const parameters: Partial<Record<DistributionParameter, WrittenQuantity>> = {};
  let isWhole = true;
  for (const key of all) {
    const entry = fields[key];
    const isWanted = wanted.includes(key);
    if (entry === undefined && !isWanted) continue;
    const read = entry && isWanted ? readQuantity(factor, entry, reader) : undefined;
    if (read !== undefined) {
      parameters[key] = read;
      continue;
    }
    isWhole = false;
    if (entry === undefined || !isWanted)
      reader.report(
        "study-distribution",
        {
          factor,
          why: `(${name}) ${isWanted ? `needs '${key}'` : `has no '${key}'`}`,
          fix: `it has ${wanted.map((one) => `'${one}'`).join(", ")}`,
        },
        (entry ?? { place: node.place }).place,
      );
  }
  return isWhole ? { kind: "distribution", name, parameters } : undefined;
}

/** A number with or without a unit. */
function readQuantity(
  factor: string,
  { key, node }: YamlEntry,
  reader: StudyReader,
): WrittenQuantity | undefined {
  const value = node.kind === "scalar" ? node.value : null;
  const { place } = node;
  const quantity =
    typeof value === "number" ? { value, unit: "" } : parseQuantity(String(value ?? ""));
  if (quantity !== undefined && Number.isFinite(quantity.value)) return { ...quantity, place };
  return reader.report(
    "study-distribution",
    { factor, why: `has no number as '${key}'`, fix: `for example '${key}: 5 mm'` },
    place,
  );
}
