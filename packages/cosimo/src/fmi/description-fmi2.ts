/**
 * The grammar of an FMI 2.0 modelDescription.xml (schema of revision 2.0.5), reading into a draft.
 */

import type { ValueType } from "../model/value-type.ts";
import { parseStart, startExpected } from "../xml/literals.ts";
import type {
  Causality,
  EnumerationItem,
  FmiVariability,
  FmuInterface,
  FmuVariable,
  Initial,
  TypeDefinition,
} from "./description.ts";
import { defaultInitial, defaultVariability } from "./description-defaults.ts";
import {
  appended,
  type DescriptionDraft,
  type Mutable,
  NONE,
  type UnknownList,
} from "./description-draft.ts";
import {
  annotationsRule,
  experimentRule,
  IDENTITY_ATTRIBUTES,
  INITIALS,
  itemRule,
  logCategoriesRule,
  readIdentity,
  readTypeAttributes,
  typeAttributeNames,
  unitsRule,
  unknownRule,
  VARIABILITIES,
} from "./description-parts.ts";
import { type AttributeReader, type ElementRule, elementRule } from "./element-walker.ts";

const TYPES: Readonly<Record<string, ValueType>> = {
  Real: "float64",
  Integer: "int32",
  Boolean: "boolean",
  String: "string",
  Enumeration: "enumeration",
};

const TYPE_CHOICE = "Real, Integer, Boolean, String or Enumeration";

export function fmi2Rule(draft: DescriptionDraft): ElementRule {
  const vendor = annotationsRule("Tool", "name", draft.text, (annotation) =>
    draft.annotations.push(annotation),
  );
  return elementRule({
    attributes: `${IDENTITY_ATTRIBUTES} guid! numberOfEventIndicators`,
    children: {
      ModelExchange: interfaceRule(draft, "modelExchange"),
      "=CoSimulation": interfaceRule(draft, "coSimulation"),
      UnitDefinitions: unitsRule(draft, 2, {}),
      TypeDefinitions: typesRule(draft),
      LogCategories: logCategoriesRule(draft, {}),
      DefaultExperiment: experimentRule(draft, {}),
      VendorAnnotations: vendor,
      ModelVariables: variablesRule(draft),
      ModelStructure: structureRule(draft),
    },
    needs: ["ModelVariables", "ModelStructure"],
    open: (e) => {
      readIdentity(e, draft, "guid");
      const indicators = e.unsigned("numberOfEventIndicators");
      if (indicators !== undefined) draft.identity.numberOfEventIndicators = indicators;
    },
  });
}

const SHARED_FLAGS =
  "modelIdentifier! needsExecutionTool canBeInstantiatedOnlyOncePerProcess canNotUseMemoryManagementFunctions canGetAndSetFMUstate canSerializeFMUstate providesDirectionalDerivative";
const MODEL_EXCHANGE_FLAGS = "completedIntegratorStepNotNeeded";
const CO_SIMULATION_FLAGS =
  "canHandleVariableCommunicationStepSize canInterpolateInputs maxOutputDerivativeOrder canRunAsynchronuously";

function interfaceRule(
  draft: DescriptionDraft,
  kind: "modelExchange" | "coSimulation",
): ElementRule {
  let sourceFiles: string[] = [];
  const file = elementRule({
    attributes: "name!",
    open: (e) => sourceFiles.push(e.text("name") ?? ""),
  });
  const files = elementRule({ children: { "*File": file }, listOf: "File" });
  const flags = kind === "modelExchange" ? MODEL_EXCHANGE_FLAGS : CO_SIMULATION_FLAGS;
  return elementRule({
    attributes: `${SHARED_FLAGS} ${flags}`,
    children: { SourceFiles: files },
    open: (e) => {
      sourceFiles = [];
      const shared = readInterface(e, sourceFiles);
      if (kind === "modelExchange") {
        draft.modelExchange = shared;
        return;
      }
      draft.coSimulation = {
        ...shared,
        canHandleVariableCommunicationStepSize: e.flag("canHandleVariableCommunicationStepSize"),
        canInterpolateInputs: e.flag("canInterpolateInputs"),
        maxOutputDerivativeOrder: e.unsigned("maxOutputDerivativeOrder") ?? 0,
        canRunAsynchronously: e.flag("canRunAsynchronuously"),
        recommendedIntermediateInputSmoothness: 0,
        providesIntermediateUpdate: false,
        mightReturnEarlyFromDoStep: false,
        canReturnEarlyAfterIntermediateUpdate: false,
        hasEventMode: false,
      };
    },
  });
}

function readInterface(e: AttributeReader, sourceFiles: readonly string[]): FmuInterface {
  return {
    modelIdentifier: e.text("modelIdentifier") ?? "",
    needsExecutionTool: e.flag("needsExecutionTool"),
    canBeInstantiatedOnlyOncePerProcess: e.flag("canBeInstantiatedOnlyOncePerProcess"),
    canNotUseMemoryManagementFunctions: e.flag("canNotUseMemoryManagementFunctions"),
    canGetAndSetState: e.flag("canGetAndSetFMUstate"),
    canSerializeState: e.flag("canSerializeFMUstate"),
    providesDirectionalDerivatives: e.flag("providesDirectionalDerivative"),
    providesAdjointDerivatives: false,
    providesPerElementDependencies: false,
    completedIntegratorStepNotNeeded: e.flag("completedIntegratorStepNotNeeded"),
    needsCompletedIntegratorStep: false,
    providesEvaluateDiscreteStates: false,
    sourceFiles,
    line: e.line,
  };
}

function typesRule(draft: DescriptionDraft): ElementRule {
  let current: Mutable<TypeDefinition> | undefined;
  let items: EnumerationItem[] = [];
  let typed = false;
  const item = itemRule(() => items, {});
  const choices: Record<string, ElementRule> = {};
  for (const [name, type] of Object.entries(TYPES)) {
    const isEnumeration = type === "enumeration";
    choices[`|${name}`] = elementRule({
      attributes: isEnumeration ? "quantity" : typeAttributeNames(type),
      ...(isEnumeration ? { children: { "*Item": item }, listOf: "Item" } : {}),
      open: (e) => {
        typed = true;
        current!.type = type;
        readTypeAttributes(e, type, current!);
        if (isEnumeration) current!.items = items = [];
      },
    });
  }
  let line = 0;
  const simpleType = elementRule({
    attributes: "name! description",
    children: choices,
    open: (e) => {
      line = e.line;
      typed = false;
      current = { name: e.text("name") ?? "", type: "float64", line };
      const description = e.text("description");
      if (description !== undefined) current.description = description;
      draft.types.push(current);
    },
    close: () => {
      if (!typed) missingType(draft, "SimpleType", line);
    },
  });
  return elementRule({ children: { "*SimpleType": simpleType }, listOf: "SimpleType" });
}

function missingType(draft: DescriptionDraft, parent: string, line: number): void {
  draft.reporter.report("missing-element", { element: TYPE_CHOICE, parent }, line);
}

const CAUSALITIES: ReadonlySet<Causality> = new Set<Causality>([
  "parameter",
  "calculatedParameter",
  "input",
  "output",
  "local",
  "independent",
]);
function variablesRule(draft: DescriptionDraft): ElementRule {
  let current: Mutable<FmuVariable> | undefined;
  let typed = false;
  let variability: FmiVariability | undefined;
  let initial: Initial | undefined;
  const children: Record<string, ElementRule> = {};
  for (const [name, type] of Object.entries(TYPES)) {
    children[`|${name}`] = elementRule({
      attributes: `declaredType${type === "enumeration" ? "!" : ""} ${typeAttributeNames(type)} start ${type === "float64" ? "derivative reinit" : ""}`,
      open: (e) => {
        typed = true;
        readTyped(e, type, current!);
      },
    });
  }
  const annotations = annotationsRule("Tool", "name", draft.text, (annotation) => {
    current!.annotations = appended(current!.annotations, annotation);
  });
  const variable = elementRule({
    attributes:
      "name! valueReference! description causality variability initial canHandleMultipleSetPerTimeInstant",
    children: { ...children, Annotations: annotations },
    open: (e) => {
      typed = false;
      variability = e.oneOf("variability", VARIABILITIES);
      initial = e.oneOf("initial", INITIALS);
      current = {
        name: e.text("name") ?? "",
        valueReference: e.unsigned("valueReference") ?? -1,
        type: "float64",
        causality: e.oneOf("causality", CAUSALITIES) ?? "local",
        variability: "continuous",
        dimensions: NONE,
        reinit: false,
        canHandleMultipleSetPerTimeInstant: e.boolean("canHandleMultipleSetPerTimeInstant") ?? true,
        intermediateUpdate: false,
        aliases: NONE,
        annotations: NONE,
        line: e.line,
      };
      const description = e.text("description");
      if (description !== undefined) current.description = description;
      draft.variables.push(current);
    },
    close: () => {
      const done = current!;
      if (!typed) missingType(draft, "ScalarVariable", done.line);
      done.variability = variability ?? defaultVariability(2, done.type, done.causality);
      const settled = initial ?? defaultInitial(2, done.causality, done.variability);
      if (settled !== undefined) done.initial = settled;
    },
  });
  return elementRule({ children: { "*ScalarVariable": variable }, listOf: "ScalarVariable" });
}

function readTyped(e: AttributeReader, type: ValueType, variable: Mutable<FmuVariable>): void {
  variable.type = type;
  const declaredType = e.symbol("declaredType");
  if (declaredType !== undefined) variable.declaredType = declaredType;
  const start = e.parsed("start", (text) => scalarStart(type, text), startExpected(type));
  if (start !== undefined) variable.start = start;
  readTypeAttributes(e, type, variable);
  if (type !== "float64") return;
  const derivative = e.unsigned("derivative");
  if (derivative !== undefined) variable.derivativeReference = derivative;
  variable.reinit = e.flag("reinit");
}

/** FMI 2 knows no arrays: exactly one value. */
function scalarStart(type: ValueType, text: string): FmuVariable["start"] {
  const values = parseStart(type, text);
  return values?.length === 1 ? values : undefined;
}

function structureRule(draft: DescriptionDraft): ElementRule {
  const list = (name: UnknownList): ElementRule =>
    elementRule({
      children: { "*Unknown": unknownRule(draft, name, "index", {}) },
      listOf: "Unknown",
    });
  return elementRule({
    children: {
      Outputs: list("outputs"),
      Derivatives: list("derivatives"),
      InitialUnknowns: list("initialUnknowns"),
    },
    open: (e) => {
      draft.structureLine = e.line;
    },
  });
}
