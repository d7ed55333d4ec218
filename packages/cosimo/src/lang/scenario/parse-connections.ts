/**
 * The connections of a scenario.yaml: `a.y -> b.u`, or a map when there is more to say.
 */
import type { Place } from "../../base/diagnostic.ts";
import type { ConnectionDraft, TriggerDraft } from "../../model/scenario.ts";
import { parseLevel } from "../../model/scenario-notation.ts";
import type { Value } from "../../model/value-type.ts";
import { type Exchanged, parseSource } from "../expression/interaction.ts";
import type { TextReporter } from "./diagnostics.ts";
import {
  knownFields,
  type NumberRule,
  POSITIVE,
  readChoice,
  readNumber,
  readText,
  readTime,
  wrongType,
} from "./fields.ts";
import {
  APPROXIMATIONS,
  CONNECTION_KEYS,
  INTERACTIONS,
  KINDS,
  SUPPRESSIBLE,
  TRIGGERS,
} from "./keys.ts";
import type { Mutable } from "./mutable.ts";
import type { YamlEntry, YamlNode, YamlScalar } from "./yaml-tree.ts";

const EXAMPLE = "- motor.speed -> load.speed";
const ARROW = /\s*(?:->|→)\s*/;

export function parseConnections(entry: YamlEntry, reporter: TextReporter): ConnectionDraft[] {
  const { node } = entry;
  if (node.kind !== "list") {
    if (node.kind === "scalar" && node.value === null) return [];
    wrongType(node, "'connections'", "a list", EXAMPLE, reporter);
    return [];
  }
  return node.items.flatMap((item) => parseConnection(item, reporter) ?? []);
}

export function parseConnection(
  node: YamlNode,
  reporter: TextReporter,
): ConnectionDraft | undefined {
  const { place } = node;
  if (node.kind === "map") return parseFull(node.entries, place, reporter);
  const text = node.kind === "scalar" ? node.value : undefined;
  if (typeof text !== "string") {
    wrongType(node, "a connection", "a text or a map", EXAMPLE, reporter);
    return undefined;
  }
  const ends = text.trim().split(ARROW);
  const [from, to] = ends;
  if (ends.length !== 2 || !from || !to) {
    reporter.report("scenario-connection", { text: text.trim() }, place);
    return undefined;
  }
  return { ...exchanged(from, place, reporter), to, suppress: [], place };
}

/** What the text before the arrow says: a reference, or something that is computed. */
function exchanged(text: string, place: Place, reporter: TextReporter): Exchanged {
  const found = parseSource(text, place);
  if (found === undefined) return { from: text };
  if ("from" in found) return found;
  const { why, fix } =
    "mistake" in found ? { why: found.mistake.message, fix: found.mistake.fix } : found;
  reporter.report("scenario-formula", { text, why, fix }, place);
  return { from: text };
}

const ANY_NUMBER = (example: string) => ({
  expected: "a number",
  example,
  accepts: () => true,
});

function parseFull(
  entries: readonly YamlEntry[],
  place: Place,
  reporter: TextReporter,
): ConnectionDraft | undefined {
  const shape = { owner: "a connection", keys: CONNECTION_KEYS };
  const fields = knownFields(entries, shape, reporter);
  for (const key of ["from", "to"] as const) {
    if (fields[key] !== undefined) continue;
    const example = `{ from: motor.speed, to: load.speed }`;
    reporter.report("scenario-missing-key", { owner: "a connection", key, example }, place);
  }
  const from = fields.from && readText(fields.from, "motor.speed", reporter);
  const to = fields.to && readText(fields.to, "load.speed", reporter);
  const source = from && exchanged(from, fields.from?.node.place ?? place, reporter);
  const draft: Mutable<ConnectionDraft> = {
    ...(source || { from: "" }),
    to: to ?? "",
    suppress: fields.suppress === undefined ? [] : parseSuppress(fields.suppress, reporter),
    place,
  };
  const factor = fields.factor && readNumber(fields.factor, ANY_NUMBER("2.5"), reporter);
  if (factor !== undefined) {
    draft.factor = factor * (draft.factor ?? 1);
    if (draft.offset !== undefined) draft.offset *= factor;
  }
  const offset = fields.offset && readNumber(fields.offset, ANY_NUMBER("-1"), reporter);
  if (offset !== undefined) draft.offset = offset + (draft.offset ?? 0);
  const approximation =
    fields.approximation &&
    readChoice(fields.approximation.node, "'approximation'", APPROXIMATIONS, reporter);
  if (approximation !== undefined) draft.approximation = approximation;
  const kind = fields.kind && readChoice(fields.kind.node, "'kind'", KINDS, reporter);
  if (kind !== undefined) draft.kind = kind;
  const mapping = fields.mapping && parseMapping(fields.mapping, reporter);
  if (mapping !== undefined) draft.mapping = mapping;
  const integral = fields.integral && readText(fields.integral, "motor.angle", reporter);
  if (integral !== undefined) draft.integral = integral;
  const trigger = parseTrigger(fields.every, fields.when, reporter);
  if (trigger !== undefined) draft.trigger = trigger;
  const tolerance = fields.tolerance && readTime(fields.tolerance, TOLERANCE, reporter);
  if (tolerance !== undefined) draft.tolerance = tolerance;
  const interaction = fields.do && readChoice(fields.do.node, "'do'", INTERACTIONS, reporter);
  if (interaction !== undefined) draft.interaction = interaction;
  return from === undefined || to === undefined ? undefined : draft;
}

/** When it exchanges: at multiples of a period, or when a unit says so. */
function parseTrigger(
  every: YamlEntry | undefined,
  when: YamlEntry | undefined,
  reporter: TextReporter,
): TriggerDraft | undefined {
  if (every !== undefined && when !== undefined) {
    reporter.report("scenario-two-triggers", {}, when.place);
    return undefined;
  }
  const seconds = every && readTime(every, PERIOD, reporter);
  if (seconds !== undefined) return { kind: "every", seconds };
  const threshold = when && parseThreshold(when);
  if (threshold !== undefined) return threshold;
  const elsewhere = when && parseElsewhere(when);
  if (elsewhere !== undefined) return elsewhere;
  const kind = when && readChoice(when.node, "'when'", TRIGGERS, reporter);
  return kind && { kind };
}

const ELSEWHERE = /^\s*(updated|event|ready-to-read)\s+on\s+(\S.*?)\s*$/;

/** `event on valve.closed`: what another port than those of the connection says. */
function parseElsewhere({ node }: YamlEntry): TriggerDraft | undefined {
  if (node.kind !== "scalar" || typeof node.value !== "string") return undefined;
  const [, name, on] = ELSEWHERE.exec(node.value) ?? [];
  const kind = TRIGGERS.find((one) => one === name);
  return kind && on !== undefined ? { kind, on } : undefined;
}

/**
 * A port, a comparison, a level: which of > and >= is written makes no difference to a crossing.
 */
const COMPARISON = /^\s*([^<>=\s]+)\s*(>=?|<=?)\s*(.+?)\s*$/;

/** `tank.level > 3 m`; undefined where it is something else. */
function parseThreshold({ node }: YamlEntry): TriggerDraft | undefined {
  if (node.kind !== "scalar" || typeof node.value !== "string") return undefined;
  const [, when, sign, text] = COMPARISON.exec(node.value) ?? [];
  if (when === undefined || sign === undefined || text === undefined) return undefined;
  const { crosses: level, unit } = parseLevel(text);
  if (typeof level !== "number") return undefined;
  const direction = sign.startsWith(">") ? "rising" : "falling";
  return { kind: "threshold", when, level, direction, ...(unit !== undefined && { unit }) };
}

const TOLERANCE: NumberRule = {
  expected: "a time of 0 or more",
  example: "1 ms",
  accepts: (value) => value >= 0,
};

const PERIOD: NumberRule = { expected: "a time above 0", example: "5 s", accepts: POSITIVE };

function parseSuppress({ node }: YamlEntry, reporter: TextReporter): "unit"[] {
  const items = node.kind === "list" ? node.items : [node];
  return items.flatMap((item) => readChoice(item, "'suppress'", SUPPRESSIBLE, reporter) ?? []);
}

type Mapping = NonNullable<ConnectionDraft["mapping"]>;

/** `{ open: 1, closed: 0 }`: values of the source → values of the target. */
function parseMapping({ node }: YamlEntry, reporter: TextReporter): Mapping | undefined {
  if (node.kind !== "map") {
    wrongType(node, "'mapping'", "a map", "mapping: { open: 1, closed: 0 }", reporter);
    return undefined;
  }
  const mapping: { from: Value; to: Value }[] = [];
  for (const { keyValue, node: target } of node.entries) {
    const to: YamlScalar = target.kind === "scalar" ? target.value : null;
    if (to === null || keyValue === null) {
      wrongType(target, "a mapped value", "a value", "mapping: { open: 1, closed: 0 }", reporter);
      continue;
    }
    mapping.push({ from: keyValue, to });
  }
  return mapping;
}
