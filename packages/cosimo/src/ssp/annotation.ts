/**
 * What a scenario says and SSP has no word for: master, steps, approximation, bonds, what to
 * record. It travels in annotations of type "cosimo", which other tools skip, and comes back from
 * there when Cosimo reads its own export.
 */

import { present } from "../base/present.ts";
import { FMI_INTERFACES, type FmuChoice, INTEGRATION_METHODS } from "../model/integrator.ts";
import type { Approximation } from "../model/scenario.ts";
import type { Experiment } from "../model/unit-description.ts";
import type { Value } from "../model/value-type.ts";
import { parseDouble, parseHex, parseUnsigned } from "../xml/literals.ts";
import { type DeclarationsNote, parseDeclarations } from "./declarations-note.ts";
import { COSIMO_ANNOTATION } from "./names.ts";
import type { SspReporter } from "./ssp-diagnostics.ts";
import { attribute, childrenNamed, type SspNode } from "./xml-node.ts";

/** `cosimo:Scenario` on a system. */
export interface ScenarioNotes {
  /** Of a nested scenario, whose name and description SSP would lose. */
  readonly name?: string;
  readonly description?: string;
  readonly experiment: Experiment;
  readonly master: { readonly name: string; readonly options: Readonly<Record<string, unknown>> };
  readonly record: { readonly patterns: readonly string[]; readonly every: number };
  readonly declarations: DeclarationsNote;
}

/** `cosimo:Value`: a value that the version of SSP could not express. */
export interface ValueNote {
  readonly port: string;
  readonly value: Value | readonly Value[];
  readonly unit?: string;
  readonly optional?: boolean;
  readonly line: number;
}

const NO_NOTES: ScenarioNotes = {
  experiment: {},
  master: { name: "", options: {} },
  record: { patterns: [], every: 1 },
  declarations: {},
};

/** A record, so that none can be forgotten. */
const KNOWN_APPROXIMATIONS: Readonly<Record<Approximation, true>> = {
  hold: true,
  linear: true,
  quadratic: true,
  "extrapolated-interpolation": true,
  interpolation: true,
};

export const APPROXIMATIONS: readonly Approximation[] = Object.keys(
  KNOWN_APPROXIMATIONS,
) as Approximation[];

/** The children named `name` of Cosimo's own annotations on `node`. */
export function notesOf(node: SspNode, name: string): readonly SspNode[] {
  return node.children
    .filter((child) => child.name.endsWith(":Annotations"))
    .flatMap((list) => childrenNamed(list, "ssc:Annotation"))
    .filter((annotation) => annotation.attributes.get("type") === COSIMO_ANNOTATION)
    .flatMap((annotation) => childrenNamed(annotation, name));
}

/** `cosimo:Unit` on a component: what was chosen about its FMU. */
export function readFmuChoice(node: SspNode, reporter: SspReporter): FmuChoice | undefined {
  const note = notesOf(node, "cosimo:Unit")[0];
  if (note === undefined) return undefined;
  const word = <T extends string>(name: string, words: readonly T[]): T | undefined => {
    const parse = (text: string): T | undefined => words.find((one) => one === text);
    return attribute(note, name, parse, `one of ${words.join(", ")}`, reporter);
  };
  const number = (name: string) => attribute(note, name, parseDouble, "a number", reporter);
  const wanted = word("interface", FMI_INTERFACES);
  const integrator = present({
    method: word("method", INTEGRATION_METHODS),
    tolerance: number("tolerance"),
    absoluteTolerance: number("absoluteTolerance"),
    maxStep: number("maxStep"),
  });
  const isSaid = Object.keys(integrator).length > 0;
  if (wanted === undefined && !isSaid) return undefined;
  return { ...(wanted && { interface: wanted }), ...(isSaid && { integrator }) };
}

export function readScenarioNotes(system: SspNode, reporter: SspReporter): ScenarioNotes {
  const note = notesOf(system, "cosimo:Scenario")[0];
  if (note === undefined) return NO_NOTES;
  const number = (name: string) => attribute(note, name, parseDouble, "a number", reporter);
  const [start, stop, step, tolerance] = ["start", "stop", "step", "tolerance"].map(number);
  const name = note.attributes.get("name");
  const description = note.attributes.get("description");
  const every = attribute(note, "every", parseUnsigned, "an unsigned integer", reporter) ?? 1;
  return {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    experiment: {
      ...(start !== undefined && { start }),
      ...(stop !== undefined && { stop }),
      ...(step !== undefined && { step }),
      ...(tolerance !== undefined && { tolerance }),
    },
    master: {
      name: note.attributes.get("master") ?? "",
      options: readOptions(note, reporter),
    },
    record: {
      patterns: childrenNamed(note, "cosimo:Record").map(
        (record) => record.attributes.get("pattern") ?? "",
      ),
      every,
    },
    declarations: readDeclarations(note, reporter),
  };
}

function readDeclarations(note: SspNode, reporter: SspReporter): DeclarationsNote {
  const declarations = parseDeclarations(note.attributes.get("extras") ?? "{}");
  if (declarations !== undefined) return declarations;
  const why =
    "has declarations that are not bonds, constraints, events, limits and integrals in JSON";
  reporter.report("ssp-annotation", { why }, note.line);
  return {};
}

function readOptions(note: SspNode, reporter: SspReporter): Readonly<Record<string, unknown>> {
  const text = note.attributes.get("options");
  if (text === undefined) return {};
  try {
    const options: unknown = JSON.parse(text);
    if (typeof options === "object" && options !== null && !Array.isArray(options))
      return options as Record<string, unknown>;
  } catch {
    // Reported below: text that is not JSON and JSON that is not an object are the same mistake.
  }
  reporter.report("ssp-annotation", { why: "has options that are not a JSON object" }, note.line);
  return {};
}

export function readValueNotes(node: SspNode, reporter: SspReporter): ValueNote[] {
  const notes: ValueNote[] = [];
  for (const note of notesOf(node, "cosimo:Value")) {
    const port = note.attributes.get("port");
    const items = childrenNamed(note, "cosimo:Item").map(readItem);
    const unit = note.attributes.get("unit");
    const list = note.attributes.get("list") === "true";
    const values = items.filter((item) => item !== undefined);
    const value = list ? values : values[0];
    const isWhole = values.length === items.length && (list || items.length === 1);
    if (port === undefined || value === undefined || !isWhole) {
      const why = "has a value without a port or with an item of an unknown type";
      reporter.report("ssp-annotation", { why }, note.line);
      continue;
    }
    notes.push({
      port,
      value,
      ...(unit !== undefined && { unit }),
      ...(note.attributes.get("optional") === "true" && { optional: true }),
      line: note.line,
    });
  }
  return notes;
}

function readItem(item: SspNode): Value | undefined {
  const text = item.attributes.get("value") ?? "";
  switch (item.attributes.get("type")) {
    case "number":
      return parseDouble(text);
    case "bigint":
      return /^-?\d{1,40}$/.test(text) ? BigInt(text) : undefined;
    case "boolean":
      return text === "true";
    case "string":
      return text;
    case "binary":
      return parseHex(text);
    default:
      return undefined;
  }
}
