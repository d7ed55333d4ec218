/**
 * FMI 1.0: what it offers, and the grammar of its modelDescription.xml, reading into the draft that
 * all versions share.
 *
 * What FMI 1.0 says otherwise is translated here. A parameter is a variability: with a start value
 * it is one that can be set, without it one that the FMU calculates. Dependencies are lists of
 * names at the outputs. Units have no definition, only a name. Variables that cannot be read
 * (without value reference) or whose value is that of another one with the opposite sign are left
 * out.
 */
import type { ValueType } from "../../model/value-type.ts";
import { parseStart, startExpected } from "../../xml/literals.ts";
import type {
  Causality,
  DisplayUnit,
  EnumerationItem,
  FmiVariability,
  FmuVariable,
  Initial,
  TypeDefinition,
} from "../description.ts";
import type { DescriptionDraft, Mutable } from "../description-draft.ts";
import {
  annotationsRule,
  blankVariable,
  IDENTITY_ATTRIBUTES,
  type InterfaceFlags,
  readCoSimulation,
  readIdentity,
  readInterface,
  readTypeAttributes,
  typeAttributeNames,
} from "../description-parts.ts";
import { type AttributeReader, type ElementRule, elementRule } from "../element-walker.ts";
import type { FmiVersion } from "./fmi-version.ts";

const TYPES: Readonly<Record<string, ValueType>> = {
  Real: "float64",
  Integer: "int32",
  Boolean: "boolean",
  String: "string",
  Enumeration: "enumeration",
};
const TYPE_CHOICE = "Real, Integer, Boolean, String or Enumeration";

export const FMI1: FmiVersion<1> = {
  major: 1,
  name: "1.0",
  backend: "fmi1",
  exchangeBackend: "fmi1-exchange",
  spellings: /^1(\.0(\.\d+)?)?$/,
  onlySpelling: "1.0",
  grammar,
  tokenAttribute: "guid",
  references: "position",
  lists: {
    outputs: "DirectDependency",
    derivatives: "Derivatives",
    clockedStates: "ClockedState",
    initialUnknowns: "InitialUnknowns",
    eventIndicators: "EventIndicator",
  },
  inputInitials: [],
  sharesValueReferences: true,
  needsIndependent: false,
  hasInitialUnknowns: false,
  ordersInitialUnknowns: false,
  mayOmitInitialUnknowns: true,
  needsBuildDescription: false,
  folderSchemes: ["name", "tuple"],
  needsCompletedSteps: () => true,
  // Every step may be discarded.
  capabilities: { mayDiscard: true },
};

function grammar(draft: DescriptionDraft): ElementRule {
  let modelIdentifier = "";
  const vendor = annotationsRule("Tool", "name", draft.text, (annotation) =>
    draft.annotations.push(annotation),
  );
  const experiment = elementRule({
    attributes: "startTime stopTime tolerance",
    open: (e) => {
      const [start, stop, tolerance] = ["startTime", "stopTime", "tolerance"].map((name) =>
        e.double(name),
      );
      draft.experiment = {
        ...(start !== undefined && { start }),
        ...(stop !== undefined && { stop }),
        ...(tolerance !== undefined && { tolerance }),
        line: e.line,
      };
    },
  });
  return elementRule({
    attributes: `${IDENTITY_ATTRIBUTES} modelIdentifier! ${FMI1.tokenAttribute}!? numberOfContinuousStates!? numberOfEventIndicators!?`,
    children: {
      UnitDefinitions: unitsRule(draft),
      TypeDefinitions: typesRule(draft),
      DefaultExperiment: experiment,
      VendorAnnotations: vendor,
      ModelVariables: variablesRule(draft),
      Implementation: implementationRule(draft, () => modelIdentifier),
    },
    open: (e) => {
      readIdentity(e, draft);
      modelIdentifier = e.text("modelIdentifier") ?? "";
      draft.modelExchange = { ...readInterface(e, {}, []), modelIdentifier };
      draft.identity.numberOfEventIndicators = e.unsigned("numberOfEventIndicators") ?? 0;
      draft.identity.numberOfContinuousStates = e.unsigned("numberOfContinuousStates") ?? 0;
    },
  });
}

const CAPABILITIES: InterfaceFlags = {
  canHandleVariableCommunicationStepSize: "canHandleVariableCommunicationStepSize",
  canInterpolateInputs: "canInterpolateInputs",
  // The standard's spelling.
  canRunAsynchronously: "canRunAsynchronuously",
  canBeInstantiatedOnlyOncePerProcess: "canBeInstantiatedOnlyOncePerProcess",
  canNotUseMemoryManagementFunctions: "canNotUseMemoryManagementFunctions",
};
/**
 * What concerns events is for masters of FMI 1.0 alone; steps are never rejected without a saved
 * state.
 */
const CAPABILITY_ATTRIBUTES = `${Object.values(CAPABILITIES).join(" ")} canHandleEvents canRejectSteps canSignalEvents maxOutputDerivativeOrder`;

/**
 * A description with an implementation is one for co-simulation, one without for model exchange.
 */
function implementationRule(draft: DescriptionDraft, identifier: () => string): ElementRule {
  const capabilities = (needsExecutionTool: boolean): ElementRule =>
    elementRule({
      attributes: CAPABILITY_ATTRIBUTES,
      open: (e) => {
        draft.coSimulation = {
          ...readCoSimulation(e, CAPABILITIES, []),
          modelIdentifier: identifier(),
          needsExecutionTool,
        };
        draft.modelExchange = undefined;
      },
    });
  const model = elementRule({
    attributes: "entryPoint manualStart type",
    children: { "*File": elementRule({ attributes: "file" }) },
  });
  return elementRule({
    children: {
      CoSimulation_StandAlone: elementRule({ children: { Capabilities: capabilities(false) } }),
      "|CoSimulation_Tool": elementRule({
        children: { Capabilities: capabilities(true), Model: model },
      }),
    },
  });
}

/** Units are names; their display units are gain × value + offset. */
function unitsRule(draft: DescriptionDraft): ElementRule {
  let displayUnits: DisplayUnit[] = [];
  const display = elementRule({
    attributes: "displayUnit! gain offset",
    open: (e) => {
      displayUnits.push({
        name: e.text("displayUnit") ?? "",
        factor: e.double("gain") ?? 1,
        offset: e.double("offset") ?? 0,
        inverse: false,
        line: e.line,
      });
    },
  });
  const unit = elementRule({
    attributes: "unit!",
    children: { "*DisplayUnitDefinition": display },
    open: (e) => {
      displayUnits = [];
      draft.units.push({ unit: { name: e.text("unit") ?? "" }, displayUnits, line: e.line });
    },
  });
  return elementRule({ children: { "*BaseUnit": unit }, listOf: "BaseUnit" });
}

function typesRule(draft: DescriptionDraft): ElementRule {
  let current: Mutable<TypeDefinition> = { name: "", type: "float64", line: 0 };
  let items: EnumerationItem[] = [];
  const item = elementRule({
    attributes: "name!? description",
    open: (e) => {
      // Items have no values of their own: they are counted from 1.
      items.push({ name: e.text("name") ?? "", value: items.length + 1, line: e.line });
    },
  });
  const choices: Record<string, ElementRule> = {};
  for (const [name, type] of Object.entries(TYPES)) {
    const isEnumeration = type === "enumeration";
    choices[`|${name}Type`] = elementRule({
      attributes: typeAttributeNames(type),
      ...(isEnumeration ? { children: { "*Item": item } } : {}),
      open: (e) => {
        current.type = type;
        readTypeAttributes(e, type, current);
        if (isEnumeration) current.items = items = [];
      },
    });
  }
  const type = elementRule({
    attributes: "name! description",
    children: choices,
    open: (e) => {
      current = { name: e.text("name") ?? "", type: "float64", line: e.line };
      draft.types.push(current);
    },
  });
  return elementRule({ children: { "*Type": type }, listOf: "Type" });
}

type Causality1 = "input" | "output" | "internal" | "none";
type Variability1 = "constant" | "parameter" | "discrete" | "continuous";
type Alias = "noAlias" | "alias" | "negatedAlias";
const CAUSALITIES: ReadonlySet<Causality1> = new Set([
  "input",
  "output",
  "internal",
  "none",
] as const);
const VARIABILITIES: ReadonlySet<Variability1> = new Set([
  "constant",
  "parameter",
  "discrete",
  "continuous",
] as const);
const ALIASES: ReadonlySet<Alias> = new Set(["noAlias", "alias", "negatedAlias"] as const);

/** Of variables that the FMU was optimized without. */
const NO_REFERENCE = 4294967295;

interface Stated {
  readonly causality: Causality1;
  readonly variability: Variability1;
  readonly alias: Alias;
}

function variablesRule(draft: DescriptionDraft): ElementRule {
  let current: Mutable<FmuVariable> = blankVariable(0);
  let stated: Stated = { causality: "internal", variability: "continuous", alias: "noAlias" };
  let isTyped = false;
  let isFixed = true;
  let names: string[] | undefined;
  /** Outputs and the names of the inputs that they depend on. */
  const dependencies: { variable: FmuVariable; names: readonly string[] | undefined }[] = [];
  const children: Record<string, ElementRule> = {};
  for (const [name, type] of Object.entries(TYPES)) {
    children[`|${name}`] = elementRule({
      attributes: `declaredType ${typeAttributeNames(type)} start fixed`,
      open: (e) => {
        isTyped = true;
        isFixed = e.boolean("fixed") ?? true;
        readTyped(e, type, current);
      },
    });
  }
  const nameRule = elementRule({ opaque: true });
  const dependency = elementRule({
    children: { "*Name": nameRule },
    open: () => {
      names = [];
    },
  });
  const variable = elementRule({
    attributes: "name! valueReference! description variability causality alias",
    children: { ...children, DirectDependency: dependency },
    open: (e) => {
      isTyped = false;
      isFixed = true;
      names = undefined;
      stated = {
        causality: e.oneOf("causality", CAUSALITIES) ?? "internal",
        variability: e.oneOf("variability", VARIABILITIES) ?? "continuous",
        alias: e.oneOf("alias", ALIASES) ?? "noAlias",
      };
      current = blankVariable(e.line);
      current.name = e.text("name") ?? "";
      current.valueReference = e.unsigned("valueReference") ?? -1;
      Object.assign(current, e.texts("description"));
    },
    close: (end) => {
      const done = current;
      if (!isTyped)
        draft.reporter.report(
          "missing-element",
          { element: TYPE_CHOICE, parent: "ScalarVariable" },
          done.line,
        );
      if (stated.alias === "negatedAlias") {
        draft.reporter.report("negated-alias", { name: done.name }, done.line);
        return;
      }
      if (done.valueReference === NO_REFERENCE) return;
      Object.assign(done, translated(stated, done, isFixed));
      draft.variables.push(done);
      if (done.causality === "output") {
        const listed = names && namesIn(draft.text.slice(0, end));
        dependencies.push({ variable: done, names: listed });
      }
    },
  });
  return elementRule({
    children: { "*ScalarVariable": variable },
    listOf: "ScalarVariable",
    open: (e) => {
      draft.structureLine = e.line;
    },
    close: () => {
      const positions = new Map(draft.variables.map(({ name }, index) => [name, index + 1]));
      for (const { variable: output, names: inputs } of dependencies) {
        const references = inputs?.flatMap((name) => positions.get(name) ?? []);
        draft.structure.outputs.push({
          reference: positions.get(output.name) ?? -1,
          variable: -1,
          ...(references && { dependencyReferences: references }),
          line: output.line,
        });
      }
    },
  });
}

/**
 * The names inside the last DirectDependency of `text`, which ends with the variable that has it.
 */
function namesIn(text: string): string[] {
  const list = text.slice(text.lastIndexOf("<DirectDependency"));
  return [...list.matchAll(/<Name>([^<]*)<\/Name>/g)].map(([, name = ""]) =>
    unescaped(name.trim()),
  );
}

const ENTITIES: Readonly<Record<string, string>> = {
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  amp: "&",
};

function unescaped(text: string): string {
  return text.replace(/&(lt|gt|quot|apos|amp);/g, (_, name: string) => ENTITIES[name] ?? "");
}

function readTyped(e: AttributeReader, type: ValueType, variable: Mutable<FmuVariable>): void {
  variable.type = type;
  const declaredType = e.symbol("declaredType");
  if (declaredType !== undefined) variable.declaredType = declaredType;
  const single = (text: string): FmuVariable["start"] => {
    const values = parseStart(type, text);
    return values?.length === 1 ? values : undefined;
  };
  const start = e.parsed("start", single, startExpected(type));
  if (start !== undefined) variable.start = start;
  readTypeAttributes(e, type, variable);
}

interface Translated {
  readonly causality: Causality;
  readonly variability: FmiVariability;
  readonly initial?: Initial;
}

/** Causality, variability and initial in the words of the later versions. */
function translated(
  { causality, variability }: Stated,
  { start, type }: FmuVariable,
  isFixed: boolean,
): Translated {
  const hasStart = start !== undefined;
  if (variability === "parameter")
    return hasStart
      ? { causality: "parameter", variability: "fixed", initial: "exact" }
      : { causality: "calculatedParameter", variability: "fixed", initial: "calculated" };
  const change = variability === "continuous" && type !== "float64" ? "discrete" : variability;
  if (causality === "input")
    return { causality, variability: change === "constant" ? "discrete" : change };
  const initial =
    variability === "constant" || (hasStart && isFixed)
      ? "exact"
      : hasStart
        ? "approx"
        : "calculated";
  return { causality: causality === "output" ? causality : "local", variability: change, initial };
}
