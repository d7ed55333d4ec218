/**
 * Rules about the FMU as a whole: interfaces, experiment, log categories, units and types.
 */
import { type RulesFor, rulesFrom } from "../../base/diagnostic.ts";
import { didYouMean } from "../../base/rule-text.ts";
import type { Dangling, Named } from "./rule-params.ts";

export interface IdentityParams {
  "token-empty": { readonly attribute: string };
  "no-interface": Record<never, never>;
  "identifier-invalid": { readonly identifier: string };
  "serialize-without-state": { readonly element: string };
  "internal-step-invalid": { readonly step: number };
  "early-return-without-update": Record<never, never>;
  "clocks-without-event-mode": Named;
  "experiment-invalid": { readonly what: string; readonly fix: string };
  "log-category-duplicate": Named;
  "unit-duplicate": Named;
  "unit-factor-zero": Named;
  "display-unit-duplicate": Named & { readonly unit: string };
  "display-unit-inverse": Named;
  "type-duplicate": Named;
  "type-name-clash": Named;
  "enumeration-item-duplicate": Named & { readonly item: string };
  "unit-undefined": Dangling;
  "display-unit-undefined": Dangling & { readonly unit: string };
  "display-unit-alone": Named & { readonly displayUnit: string };
}

export const IDENTITY_RULES: RulesFor<IdentityParams> = rulesFrom<IdentityParams>({
  "token-empty": {
    severity: "warning",
    rule: "The token that ties description and binary together is not empty.",
    message: (p) =>
      `${p.attribute} is empty, so that a description and a binary that do not belong together go unnoticed`,
    fix: (p) => `write the ${p.attribute} that the binary expects`,
  },
  "no-interface": {
    rule: "A description has at least one interface.",
    message:
      "there is neither <ModelExchange> nor <CoSimulation> (nor, in FMI 3, <ScheduledExecution>)",
    fix: "add the element of the interface that the binary implements",
  },
  "identifier-invalid": {
    rule: "modelIdentifier is a valid C identifier.",
    message: (p) =>
      `modelIdentifier '${p.identifier}' is not a C identifier; it names functions and the binary`,
    fix: "use letters, digits and '_' only, and begin with no digit",
  },
  "serialize-without-state": {
    rule: "An FMU that serializes its state can get and set it.",
    message: (p) =>
      `<${p.element}> says that the state can be serialized, but not that it can be read and restored`,
    fix: "set the flag to get and set the FMU state, or drop the one to serialize it",
  },
  "internal-step-invalid": {
    rule: "fixedInternalStepSize is positive.",
    message: (p) => `fixedInternalStepSize is ${p.step}`,
    fix: "give a positive step size, or leave the attribute out",
  },
  "early-return-without-update": {
    severity: "warning",
    rule: "Early return after an intermediate update needs intermediate updates.",
    message: "canReturnEarlyAfterIntermediateUpdate is true, but providesIntermediateUpdate is not",
    fix: 'set providesIntermediateUpdate="true", or drop canReturnEarlyAfterIntermediateUpdate',
  },
  "clocks-without-event-mode": {
    severity: "warning",
    rule: "A Co-Simulation FMU with clocks has event mode.",
    message: (p) =>
      `clock '${p.name}' can never tick: clocks tick in event mode, and hasEventMode is not true`,
    fix: 'set hasEventMode="true" on <CoSimulation> if the binary supports it',
  },
  "experiment-invalid": {
    rule: "In DefaultExperiment stop comes after start; step size and tolerance are positive.",
    message: (p) => p.what,
    fix: (p) => p.fix,
  },
  "log-category-duplicate": {
    rule: "Names of log categories are unique.",
    message: (p) => `log category '${p.name}' is defined twice`,
    fix: "remove one of the two",
  },
  "unit-duplicate": {
    rule: "Names of units are unique.",
    message: (p) => `unit '${p.name}' is defined twice`,
    fix: "remove one of the two",
  },
  "unit-factor-zero": {
    rule: "The factor of a unit or display unit is not zero.",
    message: (p) => `the factor of '${p.name}' is zero, so that every value becomes the same`,
    fix: "give the factor to the base unit, 1 if they are equal",
  },
  "display-unit-duplicate": {
    rule: "Names of the display units of one unit are unique.",
    message: (p) => `display unit '${p.name}' of unit '${p.unit}' is defined twice`,
    fix: "remove one of the two",
  },
  "display-unit-inverse": {
    rule: "An inverse display unit has no offset.",
    message: (p) => `display unit '${p.name}' is inverse and has an offset`,
    fix: "drop the offset or the inverse",
  },
  "type-duplicate": {
    rule: "Names of types are unique.",
    message: (p) => `type '${p.name}' is defined twice`,
    fix: "rename or remove one of the two",
  },
  "type-name-clash": {
    rule: "No type has the name of a variable.",
    message: (p) => `'${p.name}' is the name of a type and of a variable`,
    fix: "rename the type",
  },
  "enumeration-item-duplicate": {
    rule: "Names and values of the items of one enumeration are unique.",
    message: (p) =>
      `item '${p.item}' of enumeration '${p.name}' repeats the name or value of another item`,
    fix: "give every item a name and a value of its own",
  },
  "unit-undefined": {
    rule: "Every unit that is used is defined.",
    message: (p) => `'${p.name}' has the unit '${p.missing}', which is not defined`,
    fix: (p) => didYouMean(p.nearest, "add it to <UnitDefinitions>"),
  },
  "display-unit-undefined": {
    rule: "Every display unit that is used is defined for its unit.",
    message: (p) =>
      `'${p.name}' has the display unit '${p.missing}', which unit '${p.unit}' does not define`,
    fix: (p) => didYouMean(p.nearest, `add a <DisplayUnit> to unit '${p.unit}'`),
  },
  "display-unit-alone": {
    rule: "A display unit needs a unit.",
    message: (p) => `'${p.name}' has the display unit '${p.displayUnit}' but no unit`,
    fix: "add the attribute unit",
  },
});
