/**
 * The grammar of an FMI 3.0 modelDescription.xml (schema of revision 3.0.2), reading into a draft.
 */

import type { Value, ValueType } from "../model/value-type.ts";
import type {
  Alias,
  Causality,
  ClockAttributes,
  Dimension,
  EnumerationItem,
  FmuInterface,
  FmuVariable,
  TypeAttributes,
  TypeDefinition,
} from "./description.ts";
import { defaultInitial, defaultVariability } from "./description-defaults.ts";
import {
  annotationsRule,
  appended,
  type DescriptionDraft,
  experimentRule,
  IDENTITY_ATTRIBUTES,
  INITIALS,
  itemRule,
  logCategoriesRule,
  type Mutable,
  NONE,
  readIdentity,
  readTypeAttributes,
  type StatedClock,
  typeAttributeNames,
  unitsRule,
  unknownRule,
  VARIABILITIES,
} from "./description-draft.ts";
import { type AttributeReader, type ElementRule, elementRule } from "./element-walker.ts";
import { parseBig, parseHex, parseStart, parseUnsignedList, startExpected } from "./literals.ts";

const TYPES: Readonly<Record<string, ValueType>> = {
  Float32: "float32",
  Float64: "float64",
  Int8: "int8",
  UInt8: "uint8",
  Int16: "int16",
  UInt16: "uint16",
  Int32: "int32",
  UInt32: "uint32",
  Int64: "int64",
  UInt64: "uint64",
  Boolean: "boolean",
  String: "string",
  Binary: "binary",
  Enumeration: "enumeration",
  Clock: "clock",
};

export function fmi3Rule(draft: DescriptionDraft): ElementRule {
  const annotated = {
    Annotations: annotationsRule("Annotation", "type", draft.text, (annotation) =>
      draft.annotations.push(annotation),
    ),
  };
  const unknowns = unknownRules(draft, annotated);
  return elementRule({
    attributes: `${IDENTITY_ATTRIBUTES} instantiationToken!`,
    children: {
      ModelExchange: interfaceRule(annotated, MODEL_EXCHANGE_FLAGS, (e) => {
        draft.modelExchange = readInterface(e);
      }),
      CoSimulation: interfaceRule(annotated, CO_SIMULATION_FLAGS, (e) => {
        draft.coSimulation = readCoSimulation(e);
      }),
      ScheduledExecution: interfaceRule(annotated, "", (e) => {
        draft.scheduledExecution = readInterface(e);
      }),
      UnitDefinitions: unitsRule(draft, 3, annotated),
      TypeDefinitions: typesRule(draft, annotated),
      LogCategories: logCategoriesRule(draft, annotated),
      DefaultExperiment: experimentRule(draft, annotated),
      ModelVariables: variablesRule(draft),
      ModelStructure: elementRule({
        children: unknowns,
        open: (e) => {
          draft.structureLine = e.line;
        },
      }),
      ...annotated,
    },
    needs: ["ModelVariables", "ModelStructure"],
    open: (e) => readIdentity(e, draft, "instantiationToken"),
  });
}

function unknownRules(
  draft: DescriptionDraft,
  annotated: Readonly<Record<string, ElementRule>>,
): Record<string, ElementRule> {
  const rule = (list: Parameters<typeof unknownRule>[1]): ElementRule =>
    unknownRule(draft, list, "valueReference", annotated);
  return {
    "*Output": rule("outputs"),
    "*ContinuousStateDerivative": rule("derivatives"),
    "*ClockedState": rule("clockedStates"),
    "*InitialUnknown": rule("initialUnknowns"),
    "*EventIndicator": rule("eventIndicators"),
  };
}

const SHARED_FLAGS =
  "modelIdentifier! needsExecutionTool canBeInstantiatedOnlyOncePerProcess canGetAndSetFMUState canSerializeFMUState providesDirectionalDerivatives providesAdjointDerivatives providesPerElementDependencies";
const MODEL_EXCHANGE_FLAGS = "needsCompletedIntegratorStep providesEvaluateDiscreteStates";
const CO_SIMULATION_FLAGS =
  "canHandleVariableCommunicationStepSize fixedInternalStepSize maxOutputDerivativeOrder recommendedIntermediateInputSmoothness providesIntermediateUpdate mightReturnEarlyFromDoStep canReturnEarlyAfterIntermediateUpdate hasEventMode providesEvaluateDiscreteStates";

function interfaceRule(
  children: Readonly<Record<string, ElementRule>>,
  flags: string,
  open: (e: AttributeReader) => void,
): ElementRule {
  return elementRule({
    attributes: `${SHARED_FLAGS} ${flags}`,
    anyAttribute: true,
    children,
    open,
  });
}

function readInterface(e: AttributeReader): FmuInterface {
  return {
    modelIdentifier: e.text("modelIdentifier") ?? "",
    needsExecutionTool: e.flag("needsExecutionTool"),
    canBeInstantiatedOnlyOncePerProcess: e.flag("canBeInstantiatedOnlyOncePerProcess"),
    canNotUseMemoryManagementFunctions: false,
    canGetAndSetState: e.flag("canGetAndSetFMUState"),
    canSerializeState: e.flag("canSerializeFMUState"),
    providesDirectionalDerivatives: e.flag("providesDirectionalDerivatives"),
    providesAdjointDerivatives: e.flag("providesAdjointDerivatives"),
    providesPerElementDependencies: e.flag("providesPerElementDependencies"),
    completedIntegratorStepNotNeeded: false,
    needsCompletedIntegratorStep: e.flag("needsCompletedIntegratorStep"),
    providesEvaluateDiscreteStates: e.flag("providesEvaluateDiscreteStates"),
    sourceFiles: NONE,
    line: e.line,
  };
}

function readCoSimulation(e: AttributeReader): NonNullable<DescriptionDraft["coSimulation"]> {
  const step = e.double("fixedInternalStepSize");
  return {
    ...readInterface(e),
    canHandleVariableCommunicationStepSize: e.flag("canHandleVariableCommunicationStepSize"),
    ...(step === undefined ? {} : { fixedInternalStepSize: step }),
    recommendedIntermediateInputSmoothness:
      e.integer("recommendedIntermediateInputSmoothness") ?? 0,
    canInterpolateInputs: false,
    maxOutputDerivativeOrder: e.unsigned("maxOutputDerivativeOrder") ?? 0,
    canRunAsynchronously: false,
    providesIntermediateUpdate: e.flag("providesIntermediateUpdate"),
    mightReturnEarlyFromDoStep: e.flag("mightReturnEarlyFromDoStep"),
    canReturnEarlyAfterIntermediateUpdate: e.flag("canReturnEarlyAfterIntermediateUpdate"),
    hasEventMode: e.flag("hasEventMode"),
  };
}

function typesRule(
  draft: DescriptionDraft,
  annotated: Readonly<Record<string, ElementRule>>,
): ElementRule {
  let items: EnumerationItem[] = [];
  const item = itemRule(() => items, annotated);
  const rules: Record<string, ElementRule> = {};
  for (const [name, type] of Object.entries(TYPES)) {
    const isEnumeration = type === "enumeration";
    rules[`*|${name}Type`] = elementRule({
      attributes: `name! description ${typeAttributeNames(type)}`,
      children: isEnumeration ? { ...annotated, "*Item": item } : annotated,
      ...(isEnumeration ? { needs: ["Item"] } : {}),
      open: (e) => {
        const entry: Mutable<TypeDefinition> = { name: e.text("name") ?? "", type, line: e.line };
        const description = e.text("description");
        if (description !== undefined) entry.description = description;
        readTypeAttributes(e, type, entry);
        if (type === "clock") readClock(e, draft, entry);
        if (isEnumeration) entry.items = items = [];
        draft.types.push(entry);
      },
    });
  }
  return elementRule({ children: rules, listOf: "…Type" });
}

const INTERVALS: ReadonlySet<ClockAttributes["intervalVariability"]> = new Set([
  "constant",
  "fixed",
  "tunable",
  "changing",
  "countdown",
  "triggered",
] as const);

const UINT64_MAX = 2n ** 64n - 1n;

function readClock(e: AttributeReader, draft: DescriptionDraft, owner: TypeAttributes): void {
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

function variablesRule(draft: DescriptionDraft): ElementRule {
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
  for (const [name, type] of Object.entries(TYPES)) {
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
