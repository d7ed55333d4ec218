/**
 * What can be written at a place of a scenario: keys and words of the schema, units, ports that
 * fit, physical units.
 */
import type { PhysicalUnit } from "../../../model/physical-unit.ts";
import { conversion } from "../../../model/physical-unit-conversion.ts";
import type { Direction, Port, UnitDescription } from "../../../model/unit-description.ts";
import { FORMULA_FUNCTIONS, FORMULA_WORDS } from "../../requirement/words.ts";
import { measures } from "../../sa/ide/measures.ts";
import type { Candidate, KnownUnits } from "../../text/editor-language.ts";
import { natureLine, portPageOf, unitLine } from "../../text/port-texts.ts";
import type { Span } from "../../text/span.ts";
import { ALL, type Role, roleAt } from "./roles.ts";
import type { ScenarioNames } from "./scenario-names.ts";
import { keysAt, type Step, textAt, wordsAt } from "./schema.ts";
import { contextsAt, type YamlContext } from "./yaml-context.ts";

export interface CompletionRequest {
  readonly text: string;
  readonly names: ScenarioNames;
  readonly units: KnownUnits;
  readonly offset: number;
}

export function completionsAt(request: CompletionRequest): Candidate[] {
  const { text, offset } = request;
  const found = contextsAt(text, offset).flatMap((context) =>
    context.isKey ? keys(request, context) : values(request, context),
  );
  const known = new Set<string>();
  return found.filter(({ label }) => !known.has(label) && known.add(label));
}

/**
 * From the begin of `written`, which stands before the cursor, to the end of the word that it is
 * in.
 */
function spanOfWord({ text, offset }: CompletionRequest, written: string): Span {
  const rest = /^[\p{L}\p{N}_]*/u.exec(text.slice(offset))?.[0] ?? "";
  return { offset: offset - written.length, end: offset + rest.length };
}

function keys(request: CompletionRequest, { path, before, siblings }: YamlContext): Candidate[] {
  const span = spanOfWord(request, before);
  const isNew = (name: string): boolean => !siblings.includes(name);
  const [first, unit, third] = path;
  if (first === "units" && third === "set" && path.length === 3)
    return portsOf(request.units.get(String(unit)), SETTABLE)
      .filter(({ name }) => isNew(name))
      .map((port) => portCandidate(String(unit), port, request, span, ": "));
  if (first === "structure" && path.at(-1) === "transfer")
    return names(request, before, SETTABLE, () => 0, ": ");
  return keysAt(path)
    .filter(({ name }) => isNew(name))
    .map(({ name, text }) => ({
      label: name,
      kind: "keyword",
      span,
      insert: withColon(request, name),
      ...(text !== "" && { documentation: text, detail: firstSentence(text) }),
    }));
}

const SETTABLE: readonly Direction[] = ["parameter", "structural-parameter", "input", "local"];

/** A colon behind a key, where there is none yet. */
function withColon({ text, offset }: CompletionRequest, name: string): string {
  return /^[\p{L}\p{N}_-]*[ \t]*:/u.test(text.slice(offset)) ? name : `${name}: `;
}

function firstSentence(text: string): string {
  return /^.*?[.:](?= |$)/.exec(text)?.[0].replace(/[.:]$/, "") ?? text;
}

function values(request: CompletionRequest, context: YamlContext): Candidate[] {
  const { path, before } = context;
  const role = roleAt(path);
  return [...named(request, context, role), ...words(request, path, before)];
}

/** Words of the schema, where nothing but a word can stand; units of time behind a number. */
function words(request: CompletionRequest, path: readonly Step[], before: string): Candidate[] {
  const isTime = wordsAt(path).some((word) => /^[\d.e+-]+ (ms|s|min|h)$/.test(word));
  const number = /^([+-]?[\d.]+(?:e[+-]?\d+)?)(\s+)(\S*)$/i.exec(before);
  if (isTime && number !== null)
    return ["s", "ms", "us", "min", "h"].map((label) => ({
      label,
      kind: "measure",
      span: spanOfWord(request, number[3] ?? ""),
    }));
  if (/\s/.test(before)) return [];
  const span = spanOfWord(request, before);
  const documentation = textAt(path);
  return wordsAt(path).map((label) => ({
    label,
    kind: "keyword",
    span: { ...span, end: Math.max(span.end, wordEnd(request)) },
    rank: 3,
    ...(documentation !== "" && { documentation }),
  }));
}

/** Words of choices have dashes. */
function wordEnd({ text, offset }: CompletionRequest): number {
  return offset + (/^[\p{L}\p{N}_-]*/u.exec(text.slice(offset))?.[0].length ?? 0);
}

function named(
  request: CompletionRequest,
  { path, before }: YamlContext,
  role: Role | undefined,
): Candidate[] {
  switch (role?.kind) {
    case "unit": {
      const span = spanOfWord(request, before);
      return unitNames(request).map((name) => unitCandidate(request, name, span));
    }
    case "set":
      return settings(request, before, role);
    case "ports": {
      const isFirst = before.trim() !== "" && /\s$/.test(before) && !/->|→/.test(before);
      if (role.isArrow && isFirst)
        return [{ label: "->", kind: "keyword", span: at(request), insert: "-> " }];
      const isTarget = role.isArrow && /->|→/.test(before);
      const source = sourceOf(request, before, path);
      const directions: readonly Direction[] = isTarget ? ["input"] : role.directions;
      const rank = source && (isTarget || path.at(-1) === "to") ? fitsTo(source) : () => 0;
      return names(request, before, directions, rank);
    }
    case "formula":
      return inFormula(request, before);
    default:
      return [];
  }
}

/**
 * Behind a unit's dot its ports; behind a number what measures the same as the signal before it;
 * else units, functions and words.
 */
function inFormula(request: CompletionRequest, before: string): Candidate[] {
  const number = /(?:^|[\s<>=([+*/-])\d[\d.]*(?:e[+-]?\d+)?\s+(\S*)$/i.exec(before);
  const found = names(request, before.replace(/[()[\]/^]/g, " "), ALL, () => 0);
  if (found.some(({ kind }) => kind !== "unit")) return found;
  const span = spanOfWord(request, /[\p{L}\p{N}_]*$/u.exec(before)?.[0] ?? "");
  const functions = Object.entries(FORMULA_FUNCTIONS).map(
    ([label, { usage, help }]): Candidate => ({
      label,
      kind: "function",
      span,
      insert: `${label}(`,
      detail: usage,
      documentation: help,
      rank: 3,
    }),
  );
  const words = FORMULA_WORDS.filter((word) => !Object.hasOwn(FORMULA_FUNCTIONS, word)).map(
    (label): Candidate => ({ label, kind: "keyword", span, rank: 5 }),
  );
  if (number === null) return [...found, ...functions, ...words];
  const measured = measures(lastSignal(request, before)?.unit).map(
    ({ name: label, detail, fits }): Candidate => ({
      label,
      kind: "measure",
      span: spanOfWord(request, number[1] ?? ""),
      detail,
      rank: fits ? 0 : 1,
    }),
  );
  return [...measured, ...words];
}

/** The signal that is compared with what is being written. */
function lastSignal({ units }: CompletionRequest, before: string): Port | undefined {
  const [, unit = "", name = ""] =
    [...before.matchAll(/([\p{L}_][\p{L}\p{N}_-]*)\.([\p{L}_][\p{L}\p{N}_.]*)/gu)].at(-1) ?? [];
  return units.get(unit)?.ports.find((port) => port.name === name);
}

function at({ offset }: CompletionRequest): Span {
  return { offset, end: offset };
}

/** Units, or behind the dot of one its ports. */
function names(
  request: CompletionRequest,
  before: string,
  directions: readonly Direction[],
  rank: (port: Port) => number,
  ending = "",
): Candidate[] {
  const word = lastWord(before);
  const unit = unitNames(request).find((name) => word.startsWith(`${name}.`));
  if (unit === undefined) {
    const span = spanOfWord(request, word);
    return unitNames(request).map((name) => unitCandidate(request, name, span));
  }
  const written = word.slice(unit.length + 1);
  const span = spanOfWord(request, written);
  return portsOf(request.units.get(unit), directions).map((port) => ({
    ...portCandidate(unit, port, request, span, ending),
    rank: rank(port),
  }));
}

/** Behind the last blank or operator. Names may have dashes: one is a sign only at the begin. */
function lastWord(before: string): string {
  return (before.split(/->|[\s,<>=+*→]/).at(-1) ?? "").replace(/^-/, "");
}

function unitNames({ names, units }: CompletionRequest): string[] {
  const declared = names.things.flatMap(({ key, isDeclaration, name }) =>
    isDeclaration && key.startsWith("unit ") ? [name] : [],
  );
  // Longer names first: one may begin like another.
  return [...new Set([...declared, ...units.keys()])].sort((a, b) => b.length - a.length);
}

function unitCandidate({ units, names }: CompletionRequest, name: string, span: Span): Candidate {
  const description = units.get(name);
  const source = names.sources.get(name);
  const path = source && "path" in source ? source.path : "";
  return {
    label: name,
    kind: "unit",
    span,
    detail: description === undefined ? path : unitLine(description),
  };
}

function portsOf(
  description: UnitDescription | undefined,
  directions: readonly Direction[],
): readonly Port[] {
  return (description?.ports ?? [])
    .filter(({ direction }) => directions.includes(direction))
    .toSorted((a, b) => directions.indexOf(a.direction) - directions.indexOf(b.direction));
}

function portCandidate(
  unit: string,
  port: Port,
  { units }: CompletionRequest,
  span: Span,
  ending = "",
): Candidate {
  return {
    label: port.name,
    kind: port.direction === "parameter" ? "parameter" : "port",
    span,
    insert: `${port.name}${ending}`,
    detail: natureLine(port),
    documentation: portPageOf(`${unit}.${port.name}`, port, units.get(unit)),
  };
}

/** The output of a connection whose input is being written. */
function sourceOf(
  { units, names }: CompletionRequest,
  before: string,
  path: readonly Step[],
): Port | undefined {
  const from = path.at(-1) === "to" ? [...path.slice(0, -1), "from"].join(" ") : undefined;
  const written =
    from === undefined
      ? before.split(/->|→/)[0]
      : names.scalars.find((one) => !one.isKey && one.path.join(" ") === from)?.value;
  const word = (written ?? "").trim();
  const unit = [...units.keys()].find((name) => word.startsWith(`${name}.`));
  if (unit === undefined) return undefined;
  const name = word.slice(unit.length + 1).replace(/\[.*$/, "");
  return units.get(unit)?.ports.find((port) => port.name === name);
}

/** Ports that take what the source gives come first. */
function fitsTo({ unit, type }: Port): (port: Port) => number {
  return (port) => {
    if (unit !== undefined && port.unit !== undefined) return converts(unit, port.unit) ? 0 : 2;
    return port.type === type ? 0 : 1;
  };
}

function converts(from: PhysicalUnit, to: PhysicalUnit): boolean {
  return !("error" in conversion(from, to));
}

/** The value of a port: its items, true and false, or physical units behind a number. */
function settings(
  request: CompletionRequest,
  before: string,
  { unit, port: name = "" }: Extract<Role, { readonly kind: "set" }>,
): Candidate[] {
  const port = request.units.get(unit)?.ports.find((one) => one.name === name);
  if (port === undefined) return [];
  const number = /^[+-]?[\d.]+(?:e[+-]?\d+)?\s+(\S*)$/i.exec(before);
  if (number !== null) {
    const span = spanOfWord(request, number[1] ?? "");
    return measures(port.unit).map(({ name: label, detail, fits }) => ({
      label,
      kind: "measure",
      span,
      detail,
      rank: fits ? 0 : 1,
    }));
  }
  const span = spanOfWord(request, before);
  const choices = port.type === "boolean" ? ["true", "false"] : [...(port.items?.values() ?? [])];
  return choices.map((label) => ({ label, kind: "keyword", span }));
}
