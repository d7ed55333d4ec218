/**
 * The variables of an FMI 3.0 description, all fifteen types, and what they share with the type definitions.
 */

import { TYPE_NAMES, type Value, type ValueType } from "../model/value-type.ts";
import {
  parseBig,
  parseHex,
  parseStart,
  parseUnsignedList,
  startExpected,
} from "../xml/literals.ts";
import type {
  Alias,
  Causality,
  ClockAttributes,
  Dimension,
  FmuVariable,
  TypeAttributes,
} from "./description.ts";
import { defaultInitial, defaultVariability } from "./description-defaults.ts";
import {
  appended,
  type DescriptionDraft,
  type Mutable,
  NONE,
  type StatedClock,
} from "./description-draft.ts";
import {
  annotationsRule,
  INITIALS,
  readTypeAttributes,
  typeAttributeNames,
  VARIABILITIES,
} from "./description-parts.ts";
import { type AttributeReader, type ElementRule, elementRule } from "./element-walker.ts";

/** Element name → type. */
export const FMI3_TYPES: Readonly<Record<string, ValueType>> = Object.fromEntries(
  Object.entries(TYPE_NAMES).map(([type, name]) => [name, type as ValueType]),
);

const INTERVALS: ReadonlySet<ClockAttributes["intervalVariability"]> = new Set([
  "constant",
  "fixed",
  "tunable",
  "changing",
  "countdown",
  "triggered",
] as const);

const UINT64_MAX = 2n ** 64n - 1n;

export function readClock(
  e: AttributeReader,
  draft: DescriptionDraft,
  owner: TypeAttributes,
): void {
  const stated: StatedClock = {};
  const counter = (attribute: string): bigint | undefined =>
    e.parsed(attribute, (text) => parseBig(text, 0n, UINT64_MAX), "an unsigned integer");
  const intervalVariability = e.oneOf("intervalVariability", INTERVALS);
  const canBeDeactivated = e.boolean("canBeDeactivated");
  const priority = e.unsigned("priority");
  const intervalDecimal = e.double("intervalDecimal");
  const shiftDecimal = e.double("shiftDecimal");
  const supportsFraction = e.boolean("supportsFraction");
  const resolution = counter("resolution");
  const intervalCounter = counter("intervalCounter");
  const shiftCounter = counter("shiftCounter");
  if (intervalVariability !== undefined) stated.intervalVariability = intervalVariability;
  if (canBeDeactivated !== undefined) stated.canBeDeactivated = canBeDeactivated;
  if (priority !== undefined) stated.priority = priority;
  if (intervalDecimal !== undefined) stated.intervalDecimal = intervalDecimal;
  if (shiftDecimal !== undefined) stated.shiftDecimal = shiftDecimal;
  if (supportsFraction !== undefined) stated.supportsFraction = supportsFraction;
  if (resolution !== undefined) stated.resolution = resolution;
  if (intervalCounter !== undefined) stated.intervalCounter = intervalCounter;
  if (shiftCounter !== undefined) stated.shiftCounter = shiftCounter;
  draft.clocks.set(owner, stated);
}

const CAUSALITIES: ReadonlySet<Causality> = new Set<Causality>([
  "parameter",
  "structuralParameter",
  "calculatedParameter",
  "input",
  "output",
  "local",
  "independent",
]);

export function variablesRule(draft: DescriptionDraft): ElementRule {
  let current: Mutable<FmuVariable> | undefined;
  const annotations = annotationsRule("Annotation", "type", draft.text, (annotation) => {
    current!.annotations = appended(current!.annotations, annotation);
  });
  const dimension = elementRule({
    attributes: "start valueReference",
    open: (e) => {
      const entry: Mutable<Dimension> = { line: e.line };
      const size = e.integer("start", 0, Number.MAX_SAFE_INTEGER);
      const reference = e.unsigned("valueReference");
      if (size !== undefined) entry.size = size;
      if (reference !== undefined) entry.reference = reference;
      current!.dimensions = appended(current!.dimensions, entry);
    },
  });
  const rules: Record<string, ElementRule> = {};
  for (const [name, type] of Object.entries(FMI3_TYPES)) {
    const start = startRule(type, () => current!);
    rules[`*|${name}`] = elementRule({
      attributes: variableAttributes(type),
      children: {
        Annotations: annotations,
        ...(type === "clock" ? {} : { "*Dimension": dimension }),
        ...(start === undefined ? {} : { "*Start": start }),
        "*Alias": aliasRule(type, () => current!),
      },
      open: (e) => {
        current = readVariable(e, type);
        if (type === "clock") readClock(e, draft, current);
        draft.variables.push(current);
      },
    });
  }
  return elementRule({ children: rules, listOf: "variable" });
}

function variableAttributes(type: ValueType): string {
  const isFloat = type === "float64" || type === "float32";
  return [
    "name! valueReference! description causality variability canHandleMultipleSetPerTimeInstant",
    "clocks",
    type === "enumeration" ? "declaredType!" : "declaredType",
    type === "clock" ? "" : "initial intermediateUpdate previous",
    hasStartAttribute(type) ? "start" : "",
    isFloat ? "derivative reinit" : "",
    typeAttributeNames(type),
  ].join(" ");
}

function hasStartAttribute(type: ValueType): boolean {
  return type !== "clock" && type !== "string" && type !== "binary";
}

function readVariable(e: AttributeReader, type: ValueType): Mutable<FmuVariable> {
  const causality = e.oneOf("causality", CAUSALITIES) ?? "local";
  const variability =
    e.oneOf("variability", VARIABILITIES) ?? defaultVariability(3, type, causality);
  const isFloat = type === "float64" || type === "float32";
  const variable: Mutable<FmuVariable> = {
    name: e.text("name") ?? "",
    valueReference: e.unsigned("valueReference") ?? -1,
    type,
    causality,
    variability,
    dimensions: NONE,
    reinit: isFloat && e.flag("reinit"),
    canHandleMultipleSetPerTimeInstant: e.boolean("canHandleMultipleSetPerTimeInstant") ?? true,
    intermediateUpdate: e.flag("intermediateUpdate"),
    aliases: NONE,
    annotations: NONE,
    line: e.line,
  };
  const description = e.text("description");
  if (description !== undefined) variable.description = description;
  if (type !== "clock") {
    const initial = e.oneOf("initial", INITIALS) ?? defaultInitial(3, causality, variability);
    if (initial !== undefined) variable.initial = initial;
  }
  if (hasStartAttribute(type)) {
    const start = e.parsed("start", (text) => parseStart(type, text), startExpected(type));
    if (start !== undefined) variable.start = start;
  }
  const declaredType = e.symbol("declaredType");
  if (declaredType !== undefined) variable.declaredType = declaredType;
  readTypeAttributes(e, type, variable);
  const previous = e.unsigned("previous");
  if (previous !== undefined) variable.previous = previous;
  const clocks = e.parsed("clocks", parseUnsignedList, "a list of value references");
  if (clocks !== undefined) variable.clocks = clocks;
  const derivative = isFloat ? e.unsigned("derivative") : undefined;
  if (derivative !== undefined) variable.derivativeReference = derivative;
  return variable;
}

/** Strings and binaries have one <Start> per element instead of a list. */
function startRule(type: ValueType, variable: () => Mutable<FmuVariable>): ElementRule | undefined {
  if (type !== "string" && type !== "binary") return undefined;
  return elementRule({
    attributes: "value",
    open: (e) => {
      const value: Value =
        type === "string"
          ? (e.text("value") ?? "")
          : (e.parsed("value", parseHex, "an even number of hexadecimal digits") ??
            new Uint8Array());
      variable().start = appended(variable().start ?? NONE, value);
    },
  });
}

function aliasRule(type: ValueType, variable: () => Mutable<FmuVariable>): ElementRule {
  const isFloat = type === "float64" || type === "float32";
  return elementRule({
    attributes: `name! description ${isFloat ? "displayUnit" : ""}`,
    open: (e) => {
      const alias: Mutable<Alias> = { name: e.text("name") ?? "", line: e.line };
      const description = e.text("description");
      const displayUnit = e.symbol("displayUnit");
      if (description !== undefined) alias.description = description;
      if (displayUnit !== undefined) alias.displayUnit = displayUnit;
      variable().aliases = appended(variable().aliases, alias);
    },
  });
}
