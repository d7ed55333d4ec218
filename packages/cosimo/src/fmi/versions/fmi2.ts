/**
 * FMI 2.0: what it offers, and the grammar of its modelDescription.xml (schema of revision 2.0.5),
 * reading into a draft.
 */

import type { ValueType } from "../../model/value-type.ts";
import { parseStart, startExpected } from "../../xml/literals.ts";
import type {
  Causality,
  EnumerationItem,
  FmiVariability,
  FmuVariable,
  Initial,
  TypeDefinition,
} from "../description.ts";
import { defaultInitial, defaultVariability } from "../description-defaults.ts";
import { appended, type DescriptionDraft, type Mutable } from "../description-draft.ts";
import {
  annotationsRule,
  blankVariable,
  experimentRule,
  IDENTITY_ATTRIBUTES,
  INITIALS,
  type InterfaceFlags,
  interfaceAttributes,
  itemRule,
  logCategoriesRule,
  readCoSimulation,
  readIdentity,
  readInterface,
  readTypeAttributes,
  readVariable,
  typeAttributeNames,
  unitsRule,
  unknownRule,
  VARIABILITIES,
} from "../description-parts.ts";
import { type AttributeReader, type ElementRule, elementRule } from "../element-walker.ts";
import type { FmiVersion, UnknownList } from "./fmi-version.ts";

const TYPES: Readonly<Record<string, ValueType>> = {
  Real: "float64",
  Integer: "int32",
  Boolean: "boolean",
  String: "string",
  Enumeration: "enumeration",
};

const TYPE_CHOICE = "Real, Integer, Boolean, String or Enumeration";

export const FMI2: FmiVersion<2> = {
  major: 2,
  name: "2.0",
  backend: "fmi2",
  exchangeBackend: "fmi2-exchange",
  spellings: /^2(\.0(\.\d+)?)?$/,
  onlySpelling: "2.0",
  grammar,
  tokenAttribute: "guid",
  references: "position",
  lists: {
    outputs: "Outputs",
    derivatives: "Derivatives",
    clockedStates: "ClockedState",
    initialUnknowns: "InitialUnknowns",
    eventIndicators: "EventIndicator",
  },
  inputInitials: [],
  sharesValueReferences: true,
  needsIndependent: false,
  hasInitialUnknowns: true,
  ordersInitialUnknowns: true,
  mayOmitInitialUnknowns: true,
  needsBuildDescription: false,
  folderSchemes: ["name", "tuple"],
  needsCompletedSteps: (exchange) => !exchange.completedIntegratorStepNotNeeded,
  // Every step may be discarded.
  capabilities: { mayDiscard: true },
};

function grammar(draft: DescriptionDraft): ElementRule {
  const vendor = annotationsRule("Tool", "name", draft.text, (annotation) =>
    draft.annotations.push(annotation),
  );
  return elementRule({
    attributes: `${IDENTITY_ATTRIBUTES} ${FMI2.tokenAttribute}!? numberOfEventIndicators`,
    children: {
      ModelExchange: interfaceRule(interfaceAttributes(MODEL_EXCHANGE), (e, files) => {
        draft.modelExchange = readInterface(e, MODEL_EXCHANGE, files);
      }),
      "=CoSimulation": interfaceRule(CO_SIMULATION_ATTRIBUTES, (e, files) => {
        draft.coSimulation = readCoSimulation(e, CO_SIMULATION, files);
      }),
      UnitDefinitions: unitsRule(draft, false, {}),
      TypeDefinitions: typesRule(draft),
      LogCategories: logCategoriesRule(draft, {}),
      DefaultExperiment: experimentRule(draft, {}),
      VendorAnnotations: vendor,
      ModelVariables: variablesRule(draft),
      ModelStructure: structureRule(draft),
    },
    assumes: ["ModelVariables", "ModelStructure"],
    open: (e) => {
      readIdentity(e, draft);
      const indicators = e.unsigned("numberOfEventIndicators");
      if (indicators !== undefined) draft.identity.numberOfEventIndicators = indicators;
    },
  });
}

const SHARED: InterfaceFlags = {
  needsExecutionTool: "needsExecutionTool",
  canBeInstantiatedOnlyOncePerProcess: "canBeInstantiatedOnlyOncePerProcess",
  canNotUseMemoryManagementFunctions: "canNotUseMemoryManagementFunctions",
  canGetAndSetState: "canGetAndSetFMUstate",
  canSerializeState: "canSerializeFMUstate",
  providesDirectionalDerivatives: "providesDirectionalDerivative",
};
const MODEL_EXCHANGE: InterfaceFlags = {
  ...SHARED,
  completedIntegratorStepNotNeeded: "completedIntegratorStepNotNeeded",
};
const CO_SIMULATION: InterfaceFlags = {
  ...SHARED,
  canHandleVariableCommunicationStepSize: "canHandleVariableCommunicationStepSize",
  canInterpolateInputs: "canInterpolateInputs",
  // The standard's spelling.
  canRunAsynchronously: "canRunAsynchronuously",
};
const CO_SIMULATION_ATTRIBUTES = `${interfaceAttributes(CO_SIMULATION)} maxOutputDerivativeOrder`;

function interfaceRule(
  attributes: string,
  open: (e: AttributeReader, sourceFiles: readonly string[]) => void,
): ElementRule {
  let sourceFiles: string[] = [];
  const file = elementRule({
    attributes: "name!?",
    open: (e) => sourceFiles.push(e.text("name") ?? ""),
  });
  const files = elementRule({ children: { "*File": file }, listOf: "File" });
  return elementRule({
    attributes,
    children: { SourceFiles: files },
    open: (e) => {
      sourceFiles = [];
      open(e, sourceFiles);
    },
  });
}

function typesRule(draft: DescriptionDraft): ElementRule {
  let current: Mutable<TypeDefinition> = { name: "", type: "float64", line: 0 };
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
        current.type = type;
        readTypeAttributes(e, type, current);
        if (isEnumeration) current.items = items = [];
      },
    });
  }
  const simpleType = elementRule({
    attributes: "name! description",
    children: choices,
    open: (e) => {
      typed = false;
      current = {
        name: e.text("name") ?? "",
        type: "float64",
        ...e.texts("description"),
        line: e.line,
      };
      draft.types.push(current);
    },
    close: () => {
      if (!typed) missingType(draft, "SimpleType", current.line);
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
  let current: Mutable<FmuVariable> = blankVariable(0);
  let typed = false;
  let variability: FmiVariability | undefined;
  let initial: Initial | undefined;
  const children: Record<string, ElementRule> = {};
  for (const [name, type] of Object.entries(TYPES)) {
    children[`|${name}`] = elementRule({
      attributes: `declaredType${type === "enumeration" ? "!?" : ""} ${typeAttributeNames(type)} start ${type === "float64" ? "derivative reinit" : ""}`,
      open: (e) => {
        typed = true;
        readTyped(e, type, current, draft);
      },
    });
  }
  const annotations = annotationsRule("Tool", "name", draft.text, (annotation) => {
    current.annotations = appended(current.annotations, annotation);
  });
  const variable = elementRule({
    attributes:
      "name! valueReference! description causality variability initial canHandleMultipleSetPerTimeInstant",
    children: { ...children, Annotations: annotations },
    open: (e) => {
      typed = false;
      variability = e.oneOf("variability", VARIABILITIES);
      initial = e.oneOf("initial", INITIALS);
      current = readVariable(e, CAUSALITIES);
      draft.variables.push(current);
    },
    close: () => {
      const done = current;
      if (!typed) missingType(draft, "ScalarVariable", done.line);
      done.variability = variability ?? defaultVariability(FMI2, done.type, done.causality);
      if (variability === undefined && done.type !== "float64") done.assumesVariability = true;
      const settled = initial ?? defaultInitial(FMI2, done.causality, done.variability);
      if (settled !== undefined) done.initial = settled;
    },
  });
  return elementRule({ children: { "*ScalarVariable": variable }, listOf: "ScalarVariable" });
}

function readTyped(
  e: AttributeReader,
  type: ValueType,
  variable: Mutable<FmuVariable>,
  { types }: DescriptionDraft,
): void {
  variable.type = type;
  const declaredType = e.symbol("declaredType");
  if (declaredType !== undefined) variable.declaredType = declaredType;
  const read = (text: string): FmuVariable["start"] =>
    scalarStart(type, text) ?? itemNamed(e, text, types, declaredType);
  const start = e.parsed("start", read, startExpected(type));
  if (start !== undefined) variable.start = start;
  readTypeAttributes(e, type, variable);
  if (type !== "float64") return;
  const derivative = e.unsigned("derivative");
  if (derivative !== undefined) variable.derivativeReference = derivative;
  variable.reinit = e.flag("reinit");
}

/** Some tools write the name of an item in place of its number. */
function itemNamed(
  e: AttributeReader,
  text: string,
  types: readonly TypeDefinition[],
  declaredType: string | undefined,
): FmuVariable["start"] {
  const { items = [] } = types.find(({ name }) => name === declaredType) ?? {};
  const found = items.filter(({ name }) => name === text);
  if (found.length !== 1) return undefined;
  e.odd("start", text);
  return found.map(({ value }) => value);
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
