/**
 * The grammar of an FMI 3.0 modelDescription.xml (schema of revision 3.0.2), reading into a draft.
 */

import type { EnumerationItem, FmuInterface, TypeDefinition } from "./description.ts";
import { type DescriptionDraft, type Mutable, NONE } from "./description-draft.ts";
import { FMI3_TYPES, readClock, variablesRule } from "./description-fmi3-variables.ts";
import {
  annotationsRule,
  experimentRule,
  IDENTITY_ATTRIBUTES,
  itemRule,
  logCategoriesRule,
  readIdentity,
  readTypeAttributes,
  typeAttributeNames,
  unitsRule,
  unknownRule,
} from "./description-parts.ts";
import { type AttributeReader, type ElementRule, elementRule } from "./element-walker.ts";

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
  for (const [name, type] of Object.entries(FMI3_TYPES)) {
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
