/**
 * FMI 3.0: what it offers, and the grammar of its modelDescription.xml (schema of revision 3.0.2),
 * reading into a draft.
 */

import { present } from "../../base/present.ts";
import type { EnumerationItem, TypeDefinition } from "../description.ts";
import { type DescriptionDraft, type Mutable, NONE } from "../description-draft.ts";
import {
  annotationsRule,
  experimentRule,
  IDENTITY_ATTRIBUTES,
  type InterfaceFlags,
  interfaceAttributes,
  itemRule,
  logCategoriesRule,
  readCoSimulation,
  readIdentity,
  readInterface,
  readTypeAttributes,
  typeAttributeNames,
  unitsRule,
  unknownRule,
} from "../description-parts.ts";
import { type AttributeReader, type ElementRule, elementRule } from "../element-walker.ts";
import type { FmiVersion, UnknownList } from "./fmi-version.ts";
import { FMI3_DEFAULTS, FMI3_TYPES, readClock, variablesRule } from "./fmi3-variables.ts";

export const FMI3: FmiVersion<3> = {
  major: 3,
  name: "3.0",
  backend: "fmi3",
  exchangeBackend: "fmi3-exchange",
  scheduledBackend: "fmi3-scheduled",
  spellings: /^3\.(0|[1-9]\d*)(\.(0|[1-9]\d*))?(-.+)?$/,
  knownMinors: /^3\.0/,
  grammar,
  tokenAttribute: "instantiationToken",
  references: "value-reference",
  lists: {
    outputs: "Output",
    derivatives: "ContinuousStateDerivative",
    clockedStates: "ClockedState",
    initialUnknowns: "InitialUnknown",
    eventIndicators: "EventIndicator",
  },
  ...FMI3_DEFAULTS,
  sharesValueReferences: false,
  needsIndependent: true,
  hasInitialUnknowns: true,
  ordersInitialUnknowns: false,
  mayOmitInitialUnknowns: false,
  needsBuildDescription: true,
  folderSchemes: ["tuple"],
  needsCompletedSteps: (exchange) => exchange.needsCompletedIntegratorStep,
  // Derivatives of inputs reach it in intermediate updates, which it asks for some inputs.
  capabilities: { followsInputs: "declared" },
};

function grammar(draft: DescriptionDraft): ElementRule {
  const annotated = {
    Annotations: annotationsRule("Annotation", "type", draft.text, (annotation) =>
      draft.annotations.push(annotation),
    ),
  };
  const unknowns = unknownRules(draft, annotated);
  return elementRule({
    attributes: `${IDENTITY_ATTRIBUTES} ${FMI3.tokenAttribute}!?`,
    children: {
      ModelExchange: interfaceRule(annotated, interfaceAttributes(MODEL_EXCHANGE), (e) => {
        draft.modelExchange = readInterface(e, MODEL_EXCHANGE, NONE);
      }),
      CoSimulation: interfaceRule(annotated, CO_SIMULATION_ATTRIBUTES, (e) => {
        draft.coSimulation = {
          ...readCoSimulation(e, CO_SIMULATION, NONE),
          ...present({ fixedInternalStepSize: e.double("fixedInternalStepSize") }),
          recommendedIntermediateInputSmoothness:
            e.integer("recommendedIntermediateInputSmoothness") ?? 0,
        };
      }),
      ScheduledExecution: interfaceRule(annotated, interfaceAttributes(SHARED), (e) => {
        draft.scheduledExecution = readInterface(e, SHARED, NONE);
      }),
      UnitDefinitions: unitsRule(draft, true, annotated),
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
    assumes: ["ModelVariables", "ModelStructure"],
    open: (e) => readIdentity(e, draft),
  });
}

function unknownRules(
  draft: DescriptionDraft,
  annotated: Readonly<Record<string, ElementRule>>,
): Record<string, ElementRule> {
  const lists = Object.entries(FMI3.lists) as [UnknownList, string][];
  return Object.fromEntries(
    lists.map(([list, element]) => [
      `*${element}`,
      unknownRule(draft, list, "valueReference", annotated),
    ]),
  );
}

const SHARED: InterfaceFlags = {
  needsExecutionTool: "needsExecutionTool",
  canBeInstantiatedOnlyOncePerProcess: "canBeInstantiatedOnlyOncePerProcess",
  canGetAndSetState: "canGetAndSetFMUState",
  canSerializeState: "canSerializeFMUState",
  providesDirectionalDerivatives: "providesDirectionalDerivatives",
  providesAdjointDerivatives: "providesAdjointDerivatives",
  providesPerElementDependencies: "providesPerElementDependencies",
};
const MODEL_EXCHANGE: InterfaceFlags = {
  ...SHARED,
  needsCompletedIntegratorStep: "needsCompletedIntegratorStep",
  providesEvaluateDiscreteStates: "providesEvaluateDiscreteStates",
};
const CO_SIMULATION: InterfaceFlags = {
  ...SHARED,
  canHandleVariableCommunicationStepSize: "canHandleVariableCommunicationStepSize",
  providesIntermediateUpdate: "providesIntermediateUpdate",
  mightReturnEarlyFromDoStep: "mightReturnEarlyFromDoStep",
  canReturnEarlyAfterIntermediateUpdate: "canReturnEarlyAfterIntermediateUpdate",
  hasEventMode: "hasEventMode",
  providesEvaluateDiscreteStates: "providesEvaluateDiscreteStates",
};
const CO_SIMULATION_ATTRIBUTES = `${interfaceAttributes(CO_SIMULATION)} fixedInternalStepSize maxOutputDerivativeOrder recommendedIntermediateInputSmoothness`;

function interfaceRule(
  children: Readonly<Record<string, ElementRule>>,
  attributes: string,
  open: (e: AttributeReader) => void,
): ElementRule {
  return elementRule({ attributes, anyAttribute: true, children, open });
}

function typesRule(
  draft: DescriptionDraft,
  annotated: Readonly<Record<string, ElementRule>>,
): ElementRule {
  let items: EnumerationItem[] = [];
  const item = itemRule(() => items, annotated);
  const rules: Record<string, ElementRule> = {};
  for (const [name, type] of Object.entries(FMI3_TYPES)) {
    const isEnumeration = type === "enumeration";
    rules[`*|${name}Type`] = elementRule({
      attributes: `name! description ${typeAttributeNames(type)}`,
      children: isEnumeration ? { ...annotated, "*Item": item } : annotated,
      ...(isEnumeration ? { assumes: ["Item"] } : {}),
      open: (e) => {
        const entry: Mutable<TypeDefinition> = {
          name: e.text("name") ?? "",
          type,
          ...e.texts("description"),
          line: e.line,
        };
        readTypeAttributes(e, type, entry);
        if (type === "clock") readClock(e, draft, entry);
        if (isEnumeration) entry.items = items = [];
        draft.types.push(entry);
      },
    });
  }
  return elementRule({ children: rules, listOf: "…Type" });
}
