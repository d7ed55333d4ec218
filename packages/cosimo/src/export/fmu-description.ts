/**
 * modelDescription.xml of an exported FMU: what both versions share, and what each says in its own
 * way.
 */
import { BASE_UNITS, type PhysicalUnit } from "../model/physical-unit.ts";
import type { UnitDescription } from "../model/unit-description.ts";
import { TYPE_NAMES, type Value } from "../model/value-type.ts";
import { OWN_ANNOTATION } from "../xml/own-annotation.ts";
import { doubleText, hexText, printXml, type XmlOut, xml, xmlList } from "../xml/xml-writer.ts";
import { type FmuVariable, fmuVariables, hasInputDerivatives, isFloat } from "./fmu-variables.ts";
import { EXPORT_VERSIONS, type ExportVersion } from "./versions.ts";

export interface FmuFacts {
  readonly description: UnitDescription;
  readonly modelIdentifier: string;
  readonly token: string;
  /** Paths below `sources/` that have to be compiled. */
  readonly sources: readonly string[];
  /** Version of the tool, as it names itself. */
  readonly tool: string;
  /** Seconds of one step inside; absent where the FMU takes any. */
  readonly fixedStep?: number;
}

/** Errors are always logged; everything else belongs to the last category. */
const LOG_CATEGORIES = {
  logStatusError: "why a call failed",
  logStatusFatal: "why the instance cannot be used any more",
  logAll: "everything that the units inside say",
};

export function modelDescription(facts: FmuFacts, version: ExportVersion): string {
  const variables = fmuVariables(facts.description, version);
  const types = enumerationTypes(variables);
  return printXml(LAYOUTS[version](facts, variables, types));
}

/** sources/buildDescription.xml of FMI 3. */
export function buildDescription({ modelIdentifier, sources }: FmuFacts): string {
  const files = sources.map((name) => xml("SourceFile", { name }));
  return printXml(
    xml("fmiBuildDescription", { fmiVersion: "3.0" }, [
      xml("BuildConfiguration", { modelIdentifier }, [
        xml("SourceFileSet", { language: "C11" }, files),
        xml("Library", { name: "m", external: "true" }),
        xml("Library", { name: "dl", external: "true" }),
      ]),
    ]),
  );
}

type Layout = (
  facts: FmuFacts,
  variables: readonly FmuVariable[],
  types: EnumerationTypes,
) => XmlOut;

const LAYOUTS: Readonly<Record<ExportVersion, Layout>> = { 2: fmi2, 3: fmi3 };

// ---- what both versions share -------------------------------------------------------------------

/** Enumerations by the text of their items, each with its name. */
type EnumerationTypes = ReadonlyMap<string, { readonly name: string; readonly items: XmlOut[] }>;

function itemsKey({ port }: FmuVariable): string | undefined {
  if (port.type !== "enumeration" || port.items === undefined || port.items.size === 0)
    return undefined;
  return JSON.stringify([...port.items]);
}

function enumerationTypes(variables: readonly FmuVariable[]): EnumerationTypes {
  const types = new Map<string, { name: string; items: XmlOut[] }>();
  for (const variable of variables) {
    const key = itemsKey(variable);
    if (key === undefined || types.has(key)) continue;
    const items = [...variable.port.items!].map(([value, name]) =>
      xml("Item", { name, value: String(value) }),
    );
    types.set(key, { name: `Enumeration${types.size + 1}`, items });
  }
  return types;
}

function header(
  { description, token, tool }: FmuFacts,
  version: ExportVersion,
): Record<string, string> {
  return {
    fmiVersion: `${version}.0`,
    modelName: description.name,
    [EXPORT_VERSIONS[version].tokenAttribute]: token,
    ...(description.description !== undefined && { description: description.description }),
    generationTool: tool,
    variableNamingConvention: "flat",
  };
}

function unitDefinitions(variables: readonly FmuVariable[]): XmlOut | undefined {
  const units = new Map<string, PhysicalUnit>();
  for (const { port } of variables)
    if (port.unit !== undefined && isFloat(port.type) && !units.has(port.unit.name))
      units.set(port.unit.name, port.unit);
  return xmlList(
    "UnitDefinitions",
    [...units.values()].map(({ name, base }) =>
      xml("Unit", { name }, base === undefined ? [] : [baseUnit(base)]),
    ),
  );
}

function baseUnit({ dimension, factor, offset }: NonNullable<PhysicalUnit["base"]>): XmlOut {
  const exponents = BASE_UNITS.flatMap((unit, i) =>
    dimension[i] === 0 ? [] : [[unit, String(dimension[i])] as const],
  );
  return xml("BaseUnit", {
    ...Object.fromEntries(exponents),
    ...(factor !== 1 && { factor: doubleText(factor) }),
    ...(offset !== 0 && { offset: doubleText(offset) }),
  });
}

function logCategories(): XmlOut {
  return xml(
    "LogCategories",
    {},
    Object.entries(LOG_CATEGORIES).map(([name, description]) =>
      xml("Category", { name, description }),
    ),
  );
}

function experiment({ description, fixedStep }: FmuFacts): XmlOut {
  const { start, stop, tolerance, step } = description.experiment;
  const number = (value: number | undefined): string | undefined =>
    value === undefined ? undefined : doubleText(value);
  return xml("DefaultExperiment", {
    startTime: number(start ?? 0),
    stopTime: number(stop),
    tolerance: number(tolerance),
    stepSize: number(fixedStep ?? step),
  });
}

function interfaceOf(
  { description, modelIdentifier }: FmuFacts,
  version: ExportVersion,
): Record<string, string> {
  const { state } = EXPORT_VERSIONS[version];
  const { rollback, serialize, oncePerProcess, needsExecutionTool, variableStep } =
    description.capabilities;
  return {
    modelIdentifier,
    ...(needsExecutionTool && { needsExecutionTool: "true" }),
    ...(oncePerProcess && { canBeInstantiatedOnlyOncePerProcess: "true" }),
    [`canGetAndSet${state}`]: String(rollback),
    [`canSerialize${state}`]: String(rollback && serialize),
    canHandleVariableCommunicationStepSize: String(variableStep),
  };
}

function text(value: Value): string {
  if (value instanceof Uint8Array) return hexText(value);
  return typeof value === "number" ? doubleText(value) : String(value);
}

/** Attributes of a variable itself. */
function ownAttributes(
  { name, port, causality, variability, initial }: FmuVariable,
  reference: number,
): Record<string, string | undefined> {
  const valueReference = String(reference);
  return { name, valueReference, description: port.description, causality, variability, initial };
}

/** Attributes of a variable's type that both versions name alike. */
function typeAttributes({ port }: FmuVariable): Record<string, string | undefined> {
  const hasRange = port.type !== "boolean" && port.type !== "string" && port.type !== "binary";
  const number = (value: number | undefined): string | undefined =>
    value === undefined || !hasRange ? undefined : doubleText(value);
  return {
    unit: isFloat(port.type) ? port.unit?.name : undefined,
    min: number(port.min),
    max: number(port.max),
    nominal: isFloat(port.type) && port.nominal !== undefined ? text(port.nominal) : undefined,
  };
}

/** What the initialization finds: outputs and calculated parameters that are not given. */
function isInitialUnknown({ causality, initial }: FmuVariable): boolean {
  return (
    initial === "calculated" && (causality === "output" || causality === "calculatedParameter")
  );
}

// ---- FMI 2.0 ------------------------------------------------------------------------------------

function fmi2(facts: FmuFacts, variables: readonly FmuVariable[], types: EnumerationTypes): XmlOut {
  const { capabilities } = facts.description;
  const files = facts.sources.map((name) => xml("File", { name }));
  const numbered = variables.map((variable, v) => ({ variable, index: String(v + 1) }));
  return xml("fmiModelDescription", header(facts, 2), [
    xml(
      "CoSimulation",
      {
        ...interfaceOf(facts, 2),
        canInterpolateInputs: String(capabilities.inputDerivativeOrder > 0),
      },
      [xmlList("SourceFiles", files)],
    ),
    unitDefinitions(variables),
    xmlList(
      "TypeDefinitions",
      [...types.values()].map(({ name, items }) =>
        xml("SimpleType", { name }, [xml("Enumeration", {}, items)]),
      ),
    ),
    logCategories(),
    experiment(facts),
    ...unitAnnotation(facts, 2),
    xml(
      "ModelVariables",
      {},
      variables.map((variable, v) => scalarVariable(variable, v, types)),
    ),
    xml("ModelStructure", {}, [
      xmlList(
        "Outputs",
        numbered
          .filter(({ variable }) => variable.causality === "output")
          .map(({ variable, index }) => {
            const dependencies = variable.dependencies?.map((d) => d + 1).join(" ");
            return xml("Unknown", { index, dependencies });
          }),
      ),
      xmlList(
        "InitialUnknowns",
        numbered
          .filter(({ variable }) => isInitialUnknown(variable))
          .map(({ index }) => xml("Unknown", { index })),
      ),
    ]),
  ]);
}

/**
 * What FMI has no word for: a boolean or a whole number that the unit wants as it is at the end of
 * the step, and a boolean that carries events. Other tools skip it; Cosimo
 * reads it back (fmi/to-unit-description.ts).
 */
function kindAnnotation(
  { port, causality, variability }: FmuVariable,
  version: ExportVersion,
  hasEventMode = false,
): XmlOut[] {
  const isReactive =
    causality === "input" && port.reactive === true && variability !== "continuous";
  // Without event mode an input holds its event until the unit has moved, and an output shows one
  // at the end of its step.
  const isEvent = port.nature === "transient" && (hasEventMode || causality === "output");
  const kinds = [
    ...(isReactive ? [xml("Input", { reactive: "true" })] : []),
    ...(isEvent ? [xml("Port", { nature: "transient" })] : []),
  ];
  return ownAnnotations("Annotations", kinds, version);
}

/**
 * That masters must expect shorter steps, all the time: FMI 2 has no word for it, and that of FMI 3
 * says less.
 */
function unitAnnotation({ description }: FmuFacts, version: ExportVersion): XmlOut[] {
  if (description.capabilities.refusesSteps !== true) return [];
  const list = version === 2 ? "VendorAnnotations" : "Annotations";
  return ownAnnotations(list, [xml("Unit", { refusesSteps: "true" })], version);
}

function ownAnnotations(list: string, notes: readonly XmlOut[], version: ExportVersion): XmlOut[] {
  if (notes.length === 0) return [];
  const [entry, label] = version === 2 ? ["Tool", "name"] : ["Annotation", "type"];
  return [xml(list, {}, [xml(entry, { [label]: OWN_ANNOTATION }, [...notes])])];
}

function scalarVariable(variable: FmuVariable, reference: number, types: EnumerationTypes): XmlOut {
  const { port, start } = variable;
  const declaredType = types.get(itemsKey(variable) ?? "")?.name;
  return xml("ScalarVariable", ownAttributes(variable, reference), [
    xml(fmi2Type(port.type, declaredType), {
      declaredType,
      ...typeAttributes(variable),
      start: start === undefined ? undefined : text(start[0]),
    }),
    ...kindAnnotation(variable, 2),
  ]);
}

function fmi2Type(type: FmuVariable["port"]["type"], declaredType: string | undefined): string {
  if (isFloat(type)) return "Real";
  if (type === "boolean") return "Boolean";
  if (type === "string") return "String";
  return declaredType === undefined ? "Integer" : "Enumeration";
}

// ---- FMI 3.0 ------------------------------------------------------------------------------------

function fmi3(facts: FmuFacts, variables: readonly FmuVariable[], types: EnumerationTypes): XmlOut {
  const { fixedStep, description } = facts;
  const { refusesSteps, eventMode } = description.capabilities;
  const numbered = variables.map((variable, v) => ({ variable, valueReference: String(v) }));
  const time = xml("Float64", {
    name: timeName(variables),
    valueReference: String(variables.length),
    description: "simulation time",
    causality: "independent",
    variability: "continuous",
  });
  return xml("fmiModelDescription", header(facts, 3), [
    xml("CoSimulation", {
      ...interfaceOf(facts, 3),
      ...(fixedStep !== undefined && { fixedInternalStepSize: doubleText(fixedStep) }),
      ...((refusesSteps === true || eventMode) && { mightReturnEarlyFromDoStep: "true" }),
      ...(eventMode && { hasEventMode: "true" }),
      ...(description.ports.some((port) => hasInputDerivatives(port, description)) && {
        providesIntermediateUpdate: "true",
      }),
    }),
    unitDefinitions(variables),
    xmlList(
      "TypeDefinitions",
      [...types.values()].map(({ name, items }) => xml("EnumerationType", { name }, items)),
    ),
    logCategories(),
    experiment(facts),
    xml("ModelVariables", {}, [
      ...variables.map((variable, v) => typedVariable(variable, v, types, description)),
      time,
    ]),
    xml("ModelStructure", {}, [
      ...numbered
        .filter(({ variable }) => variable.causality === "output")
        .map(({ variable, valueReference }) =>
          xml("Output", { valueReference, dependencies: variable.dependencies?.join(" ") }),
        ),
      ...numbered
        .filter(({ variable }) => isInitialUnknown(variable))
        .map(({ valueReference }) => xml("InitialUnknown", { valueReference })),
    ]),
    ...unitAnnotation(facts, 3),
  ]);
}

function timeName(variables: readonly FmuVariable[]): string {
  const taken = new Set(variables.map(({ name }) => name));
  let name = "time";
  while (taken.has(name)) name += "_";
  return name;
}

function typedVariable(
  variable: FmuVariable,
  reference: number,
  types: EnumerationTypes,
  description: UnitDescription,
): XmlOut {
  const { port, start, shape } = variable;
  const followsInSteps = hasInputDerivatives(port, description);
  const { eventMode } = description.capabilities;
  const declaredType = types.get(itemsKey(variable) ?? "")?.name;
  const isListed = port.type === "string" || port.type === "binary";
  const plain = port.type === "enumeration" ? "int64" : port.type;
  const type = declaredType === undefined ? TYPE_NAMES[plain] : "Enumeration";
  return xml(
    type,
    {
      ...ownAttributes(variable, reference),
      ...(followsInSteps && { intermediateUpdate: "true" }),
      declaredType,
      ...typeAttributes(variable),
      start: start === undefined || isListed ? undefined : start.map(text).join(" "),
    },
    [
      ...kindAnnotation(variable, 3, eventMode),
      ...shape.map((size) => xml("Dimension", { start: String(size) })),
      ...(isListed && start !== undefined
        ? start.map((value) => xml("Start", { value: text(value) }))
        : []),
    ],
  );
}
