/**
 * The parts of a description that FMI 2 and 3 write alike, or almost alike: one piece of grammar for each.
 */

import { BASE_UNITS, type Dimension } from "../model/physical-unit.ts";
import type { ValueType } from "../model/value-type.ts";
import { parseList, parseUnsignedList } from "../xml/literals.ts";
import type {
  Annotation,
  DependencyKind,
  DisplayUnit,
  EnumerationItem,
  FmiVariability,
  Initial,
  LogCategory,
  TypeAttributes,
  Unknown,
} from "./description.ts";
import type { DescriptionDraft, Mutable, UnknownList } from "./description-draft.ts";
import { type AttributeReader, type ElementRule, elementRule } from "./element-walker.ts";

export const IDENTITY_ATTRIBUTES =
  "fmiVersion! modelName! description author version copyright license generationTool generationDateAndTime variableNamingConvention";

const NAMING: ReadonlySet<"flat" | "structured"> = new Set(["flat", "structured"] as const);

const DATE_TIME = /^-?\d{4,}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?$/;

/** The attributes of the root element, all but the version's own name for the token. */
export function readIdentity(e: AttributeReader, draft: DescriptionDraft, token: string): void {
  const { identity } = draft;
  identity.line = e.line;
  identity.modelName = e.text("modelName") ?? "";
  identity.instantiationToken = e.text(token) ?? "";
  identity.variableNamingConvention = e.oneOf("variableNamingConvention", NAMING) ?? "flat";
  for (const key of [
    "description",
    "author",
    "version",
    "copyright",
    "license",
    "generationTool",
    "generationDateAndTime",
  ] as const) {
    const value = e.text(key);
    if (value !== undefined) identity[key] = value;
  }
  const date = identity.generationDateAndTime;
  if (date !== undefined && !DATE_TIME.test(date.trim())) {
    const params = { attribute: "generationDateAndTime", value: date };
    e.reporter.report("malformed-date", params, e.line);
  }
}

/** A list of vendor entries; each is kept as written, tags included. */
export function annotationsRule(
  entry: "Tool" | "Annotation",
  label: "name" | "type",
  text: string,
  keep: (annotation: Annotation) => void,
): ElementRule {
  let type = "";
  let offset = 0;
  let line = 0;
  const rule = elementRule({
    attributes: `${label}!`,
    opaque: true,
    open: (e) => {
      type = e.text(label) ?? "";
      offset = e.offset;
      line = e.line;
    },
    close: (end) => keep({ type, xml: text.slice(offset, end), line }),
  });
  return elementRule({ children: { [`*${entry}`]: rule }, listOf: entry });
}

export function experimentRule(
  draft: DescriptionDraft,
  children: Readonly<Record<string, ElementRule>>,
): ElementRule {
  return elementRule({
    attributes: "startTime stopTime tolerance stepSize",
    children,
    open: (e) => {
      const { experiment } = draft;
      const start = e.double("startTime");
      const stop = e.double("stopTime");
      const tolerance = e.double("tolerance");
      const step = e.double("stepSize");
      experiment.line = e.line;
      if (start !== undefined) experiment.start = start;
      if (stop !== undefined) experiment.stop = stop;
      if (tolerance !== undefined) experiment.tolerance = tolerance;
      if (step !== undefined) experiment.step = step;
    },
  });
}

export function logCategoriesRule(
  draft: DescriptionDraft,
  children: Readonly<Record<string, ElementRule>>,
): ElementRule {
  const category = elementRule({
    attributes: "name! description",
    children,
    open: (e) => {
      const entry: Mutable<LogCategory> = { name: e.text("name") ?? "", line: e.line };
      const description = e.text("description");
      if (description !== undefined) entry.description = description;
      draft.logCategories.push(entry);
    },
  });
  return elementRule({ children: { "*Category": category }, listOf: "Category" });
}

export function unitsRule(
  draft: DescriptionDraft,
  version: 2 | 3,
  annotations: Readonly<Record<string, ElementRule>>,
): ElementRule {
  let displayUnits: DisplayUnit[] = [];
  let name = "";
  const baseUnit = elementRule({
    attributes: `${BASE_UNITS.join(" ")} factor offset`,
    open: (e) => {
      const dimension = BASE_UNITS.map((unit) => e.integer(unit) ?? 0);
      const base = {
        dimension: dimension as unknown as Dimension,
        factor: e.double("factor") ?? 1,
        offset: e.double("offset") ?? 0,
      };
      const last = draft.units.length - 1;
      draft.units[last] = { ...draft.units[last]!, unit: { name, base } };
    },
  });
  const displayUnit = elementRule({
    attributes: version === 3 ? "name! factor offset inverse" : "name! factor offset",
    children: annotations,
    open: (e) => {
      displayUnits.push({
        name: e.text("name") ?? "",
        factor: e.double("factor") ?? 1,
        offset: e.double("offset") ?? 0,
        inverse: version === 3 && e.flag("inverse"),
        line: e.line,
      });
    },
  });
  const unit = elementRule({
    attributes: "name!",
    children: { BaseUnit: baseUnit, "*DisplayUnit": displayUnit, ...annotations },
    open: (e) => {
      name = e.text("name") ?? "";
      displayUnits = [];
      draft.units.push({ unit: { name }, displayUnits, line: e.line });
    },
  });
  return elementRule({ children: { "*Unit": unit }, listOf: "Unit" });
}

export function itemRule(
  items: () => EnumerationItem[],
  children: Readonly<Record<string, ElementRule>>,
): ElementRule {
  return elementRule({
    attributes: "name! value! description",
    children,
    open: (e) => {
      const value = e.integer("value", Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
      const item: Mutable<EnumerationItem> = {
        name: e.text("name") ?? "",
        value: value ?? 0,
        line: e.line,
      };
      const description = e.text("description");
      if (description !== undefined) item.description = description;
      items().push(item);
    },
  });
}

const FLOAT_ATTRIBUTES = "quantity unit displayUnit relativeQuantity unbounded min max nominal";
const CLOCK_ATTRIBUTES =
  "canBeDeactivated priority intervalVariability! intervalDecimal shiftDecimal supportsFraction resolution intervalCounter shiftCounter";

/** The attributes that a type and a variable of it have in common, as the schema lists them. */
export function typeAttributeNames(type: ValueType): string {
  switch (type) {
    case "float64":
    case "float32":
      return FLOAT_ATTRIBUTES;
    case "boolean":
    case "string":
      return "";
    case "binary":
      return "mimeType maxSize";
    case "clock":
      return CLOCK_ATTRIBUTES;
    default:
      return "quantity min max";
  }
}

/** Reads what `typeAttributeNames` lists; clocks go elsewhere. */
export function readTypeAttributes(
  e: AttributeReader,
  type: ValueType,
  into: Mutable<TypeAttributes>,
): void {
  if (type === "boolean" || type === "string" || type === "clock") return;
  if (type === "binary") {
    const mimeType = e.symbol("mimeType");
    const maxSize = e.integer("maxSize", 0, Number.MAX_SAFE_INTEGER);
    if (mimeType !== undefined) into.mimeType = mimeType;
    if (maxSize !== undefined) into.maxSize = maxSize;
    return;
  }
  const quantity = e.symbol("quantity");
  const min = e.number("min", type);
  const max = e.number("max", type);
  if (quantity !== undefined) into.quantity = quantity;
  if (min !== undefined) into.min = min;
  if (max !== undefined) into.max = max;
  if (type !== "float64" && type !== "float32") return;
  const unit = e.symbol("unit");
  const displayUnit = e.symbol("displayUnit");
  const nominal = e.double("nominal");
  const relativeQuantity = e.boolean("relativeQuantity");
  const unbounded = e.boolean("unbounded");
  if (unit !== undefined) into.unit = unit;
  if (displayUnit !== undefined) into.displayUnit = displayUnit;
  if (nominal !== undefined) into.nominal = nominal;
  if (relativeQuantity !== undefined) into.relativeQuantity = relativeQuantity;
  if (unbounded !== undefined) into.unbounded = unbounded;
}

export const VARIABILITIES: ReadonlySet<FmiVariability> = new Set<FmiVariability>([
  "constant",
  "fixed",
  "tunable",
  "discrete",
  "continuous",
]);

export const INITIALS: ReadonlySet<Initial> = new Set<Initial>(["exact", "approx", "calculated"]);

const KINDS: ReadonlySet<string> = new Set<DependencyKind>([
  "dependent",
  "constant",
  "fixed",
  "tunable",
  "discrete",
]);

function parseKind(text: string): DependencyKind | undefined {
  return KINDS.has(text) ? (text as DependencyKind) : undefined;
}

/** An unknown of the model structure; `key` is the attribute that names its variable. */
export function unknownRule(
  draft: DescriptionDraft,
  list: UnknownList,
  key: "index" | "valueReference",
  children: Readonly<Record<string, ElementRule>>,
): ElementRule {
  return elementRule({
    attributes: `${key}! dependencies dependenciesKind`,
    children,
    open: (e) => {
      const entry: Mutable<Unknown> = {
        reference: e.unsigned(key) ?? -1,
        variable: -1,
        line: e.line,
      };
      const references = e.parsed("dependencies", parseUnsignedList, "a list of unsigned integers");
      const kinds = e.parsed(
        "dependenciesKind",
        (text) => parseList(text, parseKind),
        "a list of dependent, constant, fixed, tunable or discrete",
      );
      if (references !== undefined) entry.dependencyReferences = references;
      if (kinds !== undefined) entry.dependencyKinds = kinds;
      draft.structure[list].push(entry);
    },
  });
}
