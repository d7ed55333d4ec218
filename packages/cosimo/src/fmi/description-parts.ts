/**
 * The parts of a description that versions of FMI write alike, or almost alike: one piece of
 * grammar for each.
 */

import { present } from "../base/present.ts";
import { BASE_UNITS, type Dimension } from "../model/physical-unit.ts";
import type { ValueType } from "../model/value-type.ts";
import { parseList, parseUnsignedList } from "../xml/literals.ts";
import type {
  Annotation,
  Causality,
  CoSimulationInterface,
  DependencyKind,
  DisplayUnit,
  EnumerationItem,
  FmiVariability,
  FmuInterface,
  FmuVariable,
  Initial,
  TypeAttributes,
  Unknown,
} from "./description.ts";
import { type DescriptionDraft, type Mutable, NONE } from "./description-draft.ts";
import { type AttributeReader, type ElementRule, elementRule } from "./element-walker.ts";
import type { UnknownList } from "./versions/fmi-version.ts";

const IDENTITY_TEXTS = [
  "description",
  "author",
  "version",
  "copyright",
  "license",
  "generationTool",
  "generationDateAndTime",
] as const;

export const IDENTITY_ATTRIBUTES: string = `fmiVersion! modelName!? ${IDENTITY_TEXTS.join(" ")} variableNamingConvention`;

const NAMING: ReadonlySet<"flat" | "structured"> = new Set(["flat", "structured"] as const);

const DATE_TIME = /^-?\d{4,}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?$/;

/** The attributes of the root element that all versions have. */
export function readIdentity(e: AttributeReader, { identity, version }: DescriptionDraft): void {
  identity.line = e.line;
  identity.modelName = e.text("modelName") ?? "";
  identity.instantiationToken = e.text(version.tokenAttribute) ?? "";
  identity.variableNamingConvention = e.oneOf("variableNamingConvention", NAMING) ?? "flat";
  Object.assign(identity, e.texts(...IDENTITY_TEXTS));
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
    attributes: `${label}!?`,
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
      draft.experiment = present({
        start: e.double("startTime"),
        stop: e.double("stopTime"),
        tolerance: e.double("tolerance"),
        step: e.double("stepSize"),
        line: e.line,
      });
    },
  });
}

export function logCategoriesRule(
  draft: DescriptionDraft,
  children: Readonly<Record<string, ElementRule>>,
): ElementRule {
  const category = elementRule({
    attributes: "name!? description",
    children,
    open: (e) => {
      draft.logCategories.push({
        name: e.text("name") ?? "",
        ...e.texts("description"),
        line: e.line,
      });
    },
  });
  return elementRule({ children: { "*Category": category }, listOf: "Category" });
}

/** @param hasInverse display units may be proportional to 1 / value. */
export function unitsRule(
  draft: DescriptionDraft,
  hasInverse: boolean,
  annotations: Readonly<Record<string, ElementRule>>,
): ElementRule {
  let displayUnits: DisplayUnit[] = [];
  let name = "";
  let line = 0;
  const baseUnit = elementRule({
    attributes: `${BASE_UNITS.join(" ")} factor offset`,
    open: (e) => {
      const dimension = BASE_UNITS.map((unit) => e.integer(unit) ?? 0);
      const base = {
        dimension: dimension as unknown as Dimension,
        factor: e.double("factor") ?? 1,
        offset: e.double("offset") ?? 0,
      };
      draft.units[draft.units.length - 1] = { unit: { name, base }, displayUnits, line };
    },
  });
  const displayUnit = elementRule({
    attributes: `name!? factor offset ${hasInverse ? "inverse" : ""}`,
    children: annotations,
    open: (e) => {
      displayUnits.push({
        name: e.text("name") ?? "",
        factor: e.double("factor") ?? 1,
        offset: e.double("offset") ?? 0,
        inverse: hasInverse && e.flag("inverse"),
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
      line = e.line;
      draft.units.push({ unit: { name }, displayUnits, line });
    },
  });
  return elementRule({ children: { "*Unit": unit }, listOf: "Unit" });
}

export function itemRule(
  items: () => EnumerationItem[],
  children: Readonly<Record<string, ElementRule>>,
): ElementRule {
  return elementRule({
    attributes: "name!? value!? description",
    children,
    open: (e) => {
      const value = e.integer("value", Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
      items().push({
        name: e.text("name") ?? "",
        // Without values items are counted from 1, as FMI 1.0 does.
        value: value ?? (items().at(-1)?.value ?? 0) + 1,
        ...e.texts("description"),
        line: e.line,
      });
    },
  });
}

type FlagsOf<Interface> = {
  [Key in keyof Interface as Interface[Key] extends boolean ? Key : never]?: string;
};

/** Boolean attributes of an interface: field → what a version calls it. */
export type InterfaceFlags = Readonly<FlagsOf<CoSimulationInterface>>;

/** What the standards' defaults say of an interface. */
const NO_FLAGS: Omit<FmuInterface, "modelIdentifier" | "sourceFiles" | "line"> = {
  needsExecutionTool: false,
  canBeInstantiatedOnlyOncePerProcess: false,
  canNotUseMemoryManagementFunctions: false,
  canGetAndSetState: false,
  canSerializeState: false,
  providesDirectionalDerivatives: false,
  providesAdjointDerivatives: false,
  providesPerElementDependencies: false,
  completedIntegratorStepNotNeeded: false,
  needsCompletedIntegratorStep: false,
  providesEvaluateDiscreteStates: false,
};

const NO_CO_SIMULATION_FLAGS: Omit<CoSimulationInterface, keyof FmuInterface> = {
  canHandleVariableCommunicationStepSize: false,
  recommendedIntermediateInputSmoothness: 0,
  canInterpolateInputs: false,
  maxOutputDerivativeOrder: 0,
  canRunAsynchronously: false,
  providesIntermediateUpdate: false,
  mightReturnEarlyFromDoStep: false,
  canReturnEarlyAfterIntermediateUpdate: false,
  hasEventMode: false,
};

/** The attributes of an interface element, as the schema lists them. */
export function interfaceAttributes(flags: InterfaceFlags): string {
  return `modelIdentifier! ${Object.values(flags).join(" ")}`;
}

export function readInterface(
  e: AttributeReader,
  flags: InterfaceFlags,
  sourceFiles: readonly string[],
): FmuInterface {
  const read = Object.entries(flags).map(([field, attribute]) => [field, e.flag(attribute)]);
  return {
    modelIdentifier: e.text("modelIdentifier") ?? "",
    ...NO_FLAGS,
    ...(Object.fromEntries(read) as Partial<FmuInterface>),
    sourceFiles,
    line: e.line,
  };
}

export function readCoSimulation(
  e: AttributeReader,
  flags: InterfaceFlags,
  sourceFiles: readonly string[],
): CoSimulationInterface {
  const maxOutputDerivativeOrder = e.unsigned("maxOutputDerivativeOrder") ?? 0;
  const shared = readInterface(e, flags, sourceFiles);
  return { ...NO_CO_SIMULATION_FLAGS, ...shared, maxOutputDerivativeOrder };
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
    const maxSize = e.integer("maxSize", 0, Number.MAX_SAFE_INTEGER);
    Object.assign(into, present({ mimeType: e.symbol("mimeType"), maxSize }));
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

/** What grammars fill while a variable is open. */
export function blankVariable(line: number): Mutable<FmuVariable> {
  return {
    name: "",
    valueReference: -1,
    type: "float64",
    causality: "local",
    variability: "continuous",
    dimensions: NONE,
    reinit: false,
    canHandleMultipleSetPerTimeInstant: true,
    intermediateUpdate: false,
    aliases: NONE,
    annotations: NONE,
    line,
  };
}

/** Words of FMI 1.0, which some tools went on to write. */
const OLD_CAUSALITIES: Readonly<Record<string, Causality>> = { internal: "local", none: "local" };

/** What all versions say of a variable. Its type, and defaults that depend on it, come later. */
export function readVariable(
  e: AttributeReader,
  causalities: ReadonlySet<Causality>,
): Mutable<FmuVariable> {
  const variable = blankVariable(e.line);
  variable.name = e.text("name") ?? "";
  variable.valueReference = e.unsigned("valueReference") ?? -1;
  variable.causality = e.oneOf("causality", causalities, OLD_CAUSALITIES) ?? "local";
  variable.canHandleMultipleSetPerTimeInstant =
    e.boolean("canHandleMultipleSetPerTimeInstant") ?? true;
  const description = e.text("description");
  if (description !== undefined) variable.description = description;
  return variable;
}

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
    attributes: `${key}!? dependencies dependenciesKind`,
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
