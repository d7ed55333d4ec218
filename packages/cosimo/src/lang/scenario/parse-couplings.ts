/**
 * What a scenario.yaml says beside units and connections: bonds of energy, constraints, events and
 * what bounds the steps.
 */
import { parseQuantity } from "../../model/physical-unit-conversion.ts";
import type {
  BondDraft,
  ConstraintDraft,
  EventDraft,
  StepLimitDraft,
} from "../../model/scenario.ts";
import {
  parseEquation,
  parseLevel,
  parseSigned,
  splitList,
} from "../../model/scenario-notation.ts";
import type { TextReporter } from "./diagnostics.ts";
import {
  type Fields,
  type MapShape,
  type NumberRule,
  POSITIVE,
  readChoice,
  readFields,
  readNumber,
  readText,
  readTexts,
  readTime,
  wrongType,
} from "./fields.ts";
import {
  BOND_KEYS,
  CONSTRAINT_KEYS,
  DIRECTIONS,
  EVENT_KEYS,
  LIMIT_KEYS,
  LIMIT_KINDS,
  PRESERVABLE,
  REGULARIZATION_KEYS,
} from "./keys.ts";
import type { Mutable } from "./mutable.ts";
import { parseConnection } from "./parse-connections.ts";
import type { YamlEntry, YamlNode } from "./yaml-tree.ts";

/** The maps of a list, each read by `one`. */
export function parseList<Key extends string, Required extends Key, Draft>(
  entry: YamlEntry,
  shape: MapShape<Key, Required>,
  reporter: TextReporter,
  one: (fields: Fields<Key, Required>, node: YamlNode) => Draft | undefined,
): Draft[] {
  const { node } = entry;
  if (node.kind !== "list") {
    if (node.kind !== "scalar" || node.value !== null)
      wrongType(node, `'${entry.key}'`, "a list", shape.example, reporter);
    return [];
  }
  return node.items.flatMap((item) => {
    const fields = readFields(item, shape, reporter);
    return (fields && one(fields, item)) ?? [];
  });
}

const BOND: MapShape<(typeof BOND_KEYS)[number], "name" | "effort" | "flow"> = {
  owner: "a bond",
  keys: BOND_KEYS,
  required: ["name", "effort", "flow"],
  example: "- { name: hub, effort: wheel.F -> car.F, flow: car.v -> wheel.v }",
};

export function parseBonds(entry: YamlEntry, reporter: TextReporter): BondDraft[] {
  return parseList(entry, BOND, reporter, (fields, node) => {
    const name = readText(fields.name, "hub", reporter);
    const effort = parseConnection(fields.effort.node, reporter);
    const flow = parseConnection(fields.flow.node, reporter);
    const preserve =
      fields.preserve === undefined
        ? "nothing"
        : readChoice(fields.preserve.node, "'preserve'", PRESERVABLE, reporter);
    if (!name || !effort || !flow || !preserve) return undefined;
    return { name, effort, flow, preserve, place: node.place };
  });
}

const CONSTRAINT: MapShape<(typeof CONSTRAINT_KEYS)[number], "constraint" | "by"> = {
  owner: "a constraint",
  keys: CONSTRAINT_KEYS,
  required: ["constraint", "by"],
  example: '- { constraint: left.x = right.x, by: "left.F, -right.F" }',
};

export function parseConstraints(entry: YamlEntry, reporter: TextReporter): ConstraintDraft[] {
  return parseList(entry, CONSTRAINT, reporter, (fields, node) => {
    const sides = readEquation(fields.constraint, "left.x = right.x", reporter);
    const by = readForces(fields.by, reporter);
    const rate = fields.rate && readRate(fields.rate, reporter);
    if (sides === undefined || by === undefined) return undefined;
    const draft: Mutable<ConstraintDraft> = { ...sides, by, place: node.place };
    if (rate !== undefined) draft.rate = rate;
    return draft;
  });
}

function readRate(entry: YamlEntry, reporter: TextReporter): ConstraintDraft["rate"] {
  const { node } = entry;
  if (node.kind === "scalar" && node.value === "none") return "none";
  return readEquation(entry, "left.v = right.v", reporter);
}

function readEquation(
  entry: YamlEntry,
  example: string,
  reporter: TextReporter,
): ReturnType<typeof parseEquation> {
  const text = readText(entry, example, reporter);
  const sides = text === undefined ? undefined : parseEquation(text);
  if (text !== undefined && sides === undefined)
    reporter.report(
      "scenario-equation",
      { key: entry.key, text, example: `${entry.key}: ${example}` },
      entry.node.place,
    );
  return sides;
}

/** `"left.F, -right.F"`, or a list of them; undefined when one of them cannot be read. */
function readForces(entry: YamlEntry, reporter: TextReporter): ConstraintDraft["by"] | undefined {
  const texts = readTexts(entry, '"left.F, -right.F"', reporter);
  const parts = texts.flatMap(({ text, place }) =>
    splitList(text).map((part) => ({ part, place })),
  );
  const forces: ConstraintDraft["by"][number][] = [];
  for (const { part, place } of parts) {
    const force = parseSigned(part);
    if (force !== undefined) forces.push(force);
    else reporter.report("scenario-force", { text: part }, place);
  }
  return forces.length > 0 && forces.length === parts.length ? forces : undefined;
}

const EVENT: MapShape<(typeof EVENT_KEYS)[number], "when" | "crosses"> = {
  owner: "an event",
  keys: EVENT_KEYS,
  required: ["when", "crosses"],
  example: "- { when: tank.level, crosses: 2 m }",
};

const TOLERANCE: NumberRule = {
  expected: "a number above 0, in the unit of the signal",
  example: "1e-9",
  accepts: POSITIVE,
};

export function parseEvents(entry: YamlEntry, reporter: TextReporter): EventDraft[] {
  return parseList(entry, EVENT, reporter, (fields, node) => {
    const when = readText(fields.when, "tank.level", reporter);
    const level = readText(fields.crosses, "2 m", reporter);
    const direction =
      fields.direction === undefined
        ? "any"
        : readChoice(fields.direction.node, "'direction'", DIRECTIONS, reporter);
    const tolerance = fields.tolerance && readNumber(fields.tolerance, TOLERANCE, reporter);
    if (!when || !level || !direction) return undefined;
    const draft: Mutable<EventDraft> = {
      when,
      ...parseLevel(level),
      direction,
      place: node.place,
    };
    if (tolerance !== undefined) draft.tolerance = tolerance;
    const regularization =
      fields.regularization && readRegularization(fields.regularization, reporter);
    if (regularization !== undefined) draft.regularization = regularization;
    return draft;
  });
}

const DWELL: NumberRule = { expected: "a time above 0", example: "1 ms", accepts: POSITIVE };

/** `{ temporal: 1 ms }`, `{ spatial: 1 mm }`, or both. */
function readRegularization(
  { node }: YamlEntry,
  reporter: TextReporter,
): EventDraft["regularization"] {
  const shape = {
    owner: "'regularization'",
    keys: REGULARIZATION_KEYS,
    example: "regularization: { temporal: 1 ms }",
  };
  const { temporal, spatial } = readFields(node, shape, reporter) ?? {};
  const seconds = temporal && readTime(temporal, DWELL, reporter);
  const distance = spatial && readQuantity(spatial, reporter);
  if (seconds === undefined && distance === undefined) return undefined;
  return {
    ...(seconds !== undefined && { temporal: seconds }),
    ...(distance && { spatial: distance.value }),
    ...(distance && distance.unit !== "" && { unit: distance.unit }),
  };
}

const LIMIT: MapShape<(typeof LIMIT_KEYS)[number]> = {
  owner: "a limit",
  keys: LIMIT_KEYS,
  example: "- { every: 10 ms }",
};

/** Which of its keys belongs to which kind of limit. */
const LIMIT_OPTIONS = { offset: "every", atMost: "difference" } as const;

export function parseLimits(entry: YamlEntry, reporter: TextReporter): StepLimitDraft[] {
  return parseList(entry, LIMIT, reporter, (fields, node) => {
    const kinds = LIMIT_KINDS.filter((kind) => fields[kind] !== undefined);
    const [kind] = kinds;
    const chosen = kind && fields[kind];
    if (kind === undefined || chosen === undefined || kinds.length > 1) {
      reporter.report("scenario-limit", { keys: kinds }, node.place);
      return undefined;
    }
    for (const option of ["offset", "atMost"] as const) {
      if (fields[option] === undefined || LIMIT_OPTIONS[option] === kind) continue;
      const owner = `a limit with '${kind}'`;
      const known = LIMIT_KEYS.filter(
        (key) => key === kind || (key in LIMIT_OPTIONS && LIMIT_OPTIONS[key as never] === kind),
      );
      const params = { key: option, owner, nearest: undefined, known };
      reporter.report("scenario-unknown-key", params, fields[option].place);
    }
    return PARSE_LIMIT[kind](chosen, fields, node, reporter);
  });
}

type ParseLimit = (
  chosen: YamlEntry,
  fields: Fields<(typeof LIMIT_KEYS)[number]>,
  node: YamlNode,
  reporter: TextReporter,
) => StepLimitDraft | undefined;

const PERIOD: NumberRule = { expected: "a time above 0", example: "10 ms", accepts: POSITIVE };
const OFFSET: NumberRule = {
  expected: "a time of 0 or more",
  example: "5 ms",
  accepts: (value) => value >= 0,
};
const TIME: NumberRule = { expected: "a time", example: "1.5 s", accepts: () => true };

const PARSE_LIMIT: Readonly<Record<(typeof LIMIT_KINDS)[number], ParseLimit>> = {
  every: (chosen, fields, { place }, reporter) => {
    const every = readTime(chosen, PERIOD, reporter);
    const offset = fields.offset === undefined ? 0 : readTime(fields.offset, OFFSET, reporter);
    if (every === undefined || offset === undefined) return undefined;
    return { kind: "every", every, offset, place };
  },
  at: (chosen, _fields, { place }, reporter) => {
    const items = chosen.node.kind === "list" ? chosen.node.items : [chosen.node];
    const times = items.flatMap((node) => readTime({ ...chosen, node }, TIME, reporter) ?? []);
    return times.length < items.length || times.length === 0
      ? undefined
      : { kind: "at", times, place };
  },
  difference: (chosen, { atMost }, node, reporter) => {
    if (atMost === undefined) {
      const params = { owner: LIMIT.owner, key: "atMost", example: DIFFERENCE };
      reporter.report("scenario-missing-key", params, node.place);
      return undefined;
    }
    const port = readText(chosen, "motor.speed", reporter);
    const quantity = readQuantity(atMost, reporter);
    if (port === undefined || quantity === undefined) return undefined;
    const { value, unit } = quantity;
    const draft = { kind: "difference" as const, port, atMost: value, place: node.place };
    return unit === "" ? draft : { ...draft, unit };
  },
};

const DIFFERENCE = "- { difference: motor.speed, atMost: 10 rpm }";
const AT_MOST: NumberRule = {
  expected: "a number above 0, with a unit or without",
  example: "10 rpm",
  accepts: POSITIVE,
};

function readQuantity(
  entry: YamlEntry,
  reporter: TextReporter,
): { readonly value: number; readonly unit: string } | undefined {
  const { node } = entry;
  const quantity =
    node.kind === "scalar" && typeof node.value === "string"
      ? parseQuantity(node.value)
      : undefined;
  if (quantity !== undefined && quantity.unit !== "" && POSITIVE(quantity.value)) return quantity;
  const value = readNumber(entry, AT_MOST, reporter);
  return value === undefined ? undefined : { value, unit: "" };
}
