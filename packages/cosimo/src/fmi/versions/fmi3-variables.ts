/**
 * The variables of an FMI 3.0 description, all fifteen types, and what they share with the type
 * definitions.
 */

import { present } from "../../base/present.ts";
import { TYPE_NAMES, type Value, type ValueType } from "../../model/value-type.ts";
import {
  parseBig,
  parseHex,
  parseStart,
  parseUnsignedList,
  startExpected,
} from "../../xml/literals.ts";
import type { Causality, ClockAttributes, FmuVariable, TypeAttributes } from "../description.ts";
import { defaultInitial, defaultVariability } from "../description-defaults.ts";
import {
  appended,
  type DescriptionDraft,
  type Mutable,
  NONE,
  type StatedClock,
} from "../description-draft.ts";
import {
  annotationsRule,
  blankVariable,
  INITIALS,
  readTypeAttributes,
  readVariable,
  typeAttributeNames,
  VARIABILITIES,
} from "../description-parts.ts";
import { type AttributeReader, type ElementRule, elementRule } from "../element-walker.ts";
import type { FmiVersion } from "./fmi-version.ts";

/** Element name → type. */
export const FMI3_TYPES: Readonly<Record<string, ValueType>> = Object.fromEntries(
  Object.entries(TYPE_NAMES).map(([type, name]) => [name, type as ValueType]),
);

/** Defaults of attributes that are absent. */
export const FMI3_DEFAULTS: Required<Pick<FmiVersion, "parameterVariability" | "inputInitials">> = {
  parameterVariability: "fixed",
  inputInitials: ["exact", "approx"],
};

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
  const counter = (attribute: string): bigint | undefined =>
    e.parsed(attribute, (text) => parseBig(text, 0n, UINT64_MAX), "an unsigned integer");
  const stated: StatedClock = present({
    intervalVariability: e.oneOf("intervalVariability", INTERVALS),
    canBeDeactivated: e.boolean("canBeDeactivated"),
    priority: e.unsigned("priority"),
    intervalDecimal: e.double("intervalDecimal"),
    shiftDecimal: e.double("shiftDecimal"),
    supportsFraction: e.boolean("supportsFraction"),
    resolution: counter("resolution"),
    intervalCounter: counter("intervalCounter"),
    shiftCounter: counter("shiftCounter"),
  });
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
  let current = blankVariable(0);
  const annotations = annotationsRule("Annotation", "type", draft.text, (annotation) => {
    current.annotations = appended(current.annotations, annotation);
  });
  const dimension = elementRule({
    attributes: "start valueReference",
    open: (e) => {
      const size = e.integer("start", 0, Number.MAX_SAFE_INTEGER);
      const reference = e.unsigned("valueReference");
      const entry = { ...present({ size, reference }), line: e.line };
      current.dimensions = appended(current.dimensions, entry);
    },
  });
  const rules: Record<string, ElementRule> = {};
  for (const [name, type] of Object.entries(FMI3_TYPES)) {
    const start = startRule(type, () => current);
    rules[`*|${name}`] = elementRule({
      attributes: variableAttributes(type),
      children: {
        Annotations: annotations,
        ...(type === "clock" ? {} : { "*Dimension": dimension }),
        ...(start === undefined ? {} : { "*Start": start }),
        "*Alias": aliasRule(type, () => current),
      },
      open: (e) => {
        current = readTyped(e, type);
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
    type === "enumeration" ? "declaredType!?" : "declaredType",
    type === "clock" ? "" : "initial intermediateUpdate previous",
    hasStartAttribute(type) ? "start" : "",
    isFloat ? "derivative reinit" : "",
    typeAttributeNames(type),
  ].join(" ");
}

function hasStartAttribute(type: ValueType): boolean {
  return type !== "clock" && type !== "string" && type !== "binary";
}

function readTyped(e: AttributeReader, type: ValueType): Mutable<FmuVariable> {
  const variable = readVariable(e, CAUSALITIES);
  const { causality } = variable;
  const variability =
    e.oneOf("variability", VARIABILITIES) ?? defaultVariability(FMI3_DEFAULTS, type, causality);
  const isFloat = type === "float64" || type === "float32";
  variable.type = type;
  variable.variability = variability;
  variable.reinit = isFloat && e.flag("reinit");
  variable.intermediateUpdate = e.flag("intermediateUpdate");
  if (type !== "clock") {
    const initial =
      e.oneOf("initial", INITIALS) ?? defaultInitial(FMI3_DEFAULTS, causality, variability);
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
      const alias = {
        name: e.text("name") ?? "",
        ...e.texts("description", "displayUnit"),
        line: e.line,
      };
      variable().aliases = appended(variable().aliases, alias);
    },
  });
}
