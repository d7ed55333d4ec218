/**
 * Rules about the FMU as a whole: interfaces, experiment, log categories, units and types.
 */
import type { RulesFor } from "../../base/diagnostic.ts";
import { didYouMean, error, say, warning } from "../../base/rule-text.ts";
import type { Dangling, Named } from "./rule-params.ts";

export interface IdentityParams {
  "token-empty": { readonly attribute: string };
  "no-interface": Record<never, never>;
  "no-co-simulation": { readonly offers: string };
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

export const IDENTITY_RULES: RulesFor<IdentityParams> = {
  "token-empty": warning("The token that ties description and binary together is not empty.", (p) =>
    say(
      `${p.attribute} is empty, so that a description and a binary that do not belong together go unnoticed`,
      `write the ${p.attribute} that the binary expects`,
    ),
  ),
  "no-interface": error("A description has at least one interface.", () =>
    say(
      "there is neither <ModelExchange> nor <CoSimulation> (nor, in FMI 3, <ScheduledExecution>)",
      "add the element of the interface that the binary implements",
    ),
  ),
  "no-co-simulation": warning("An FMU that Cosimo shall run offers Co-Simulation.", (p) =>
    say(
      `only ${p.offers} is offered; Cosimo runs Co-Simulation FMUs`,
      "export the model again for Co-Simulation if you want to run it with Cosimo",
    ),
  ),
  "identifier-invalid": error("modelIdentifier is a valid C identifier.", (p) =>
    say(
      `modelIdentifier '${p.identifier}' is not a C identifier; it names functions and the binary`,
      "use letters, digits and '_' only, and begin with no digit",
    ),
  ),
  "serialize-without-state": error("An FMU that serializes its state can get and set it.", (p) =>
    say(
      `<${p.element}> says that the state can be serialized, but not that it can be read and restored`,
      "set the flag to get and set the FMU state, or drop the one to serialize it",
    ),
  ),
  "internal-step-invalid": error("fixedInternalStepSize is positive.", (p) =>
    say(
      `fixedInternalStepSize is ${p.step}`,
      "give a positive step size, or leave the attribute out",
    ),
  ),
  "early-return-without-update": warning(
    "Early return after an intermediate update needs intermediate updates.",
    () =>
      say(
        "canReturnEarlyAfterIntermediateUpdate is true, but providesIntermediateUpdate is not",
        'set providesIntermediateUpdate="true", or drop canReturnEarlyAfterIntermediateUpdate',
      ),
  ),
  "clocks-without-event-mode": warning("A Co-Simulation FMU with clocks has event mode.", (p) =>
    say(
      `clock '${p.name}' can never tick: clocks tick in event mode, and hasEventMode is not true`,
      'set hasEventMode="true" on <CoSimulation> if the binary supports it',
    ),
  ),
  "experiment-invalid": error(
    "In DefaultExperiment stop comes after start; step size and tolerance are positive.",
    (p) => say(p.what, p.fix),
  ),
  "log-category-duplicate": error("Names of log categories are unique.", (p) =>
    say(`log category '${p.name}' is defined twice`, "remove one of the two"),
  ),
  "unit-duplicate": error("Names of units are unique.", (p) =>
    say(`unit '${p.name}' is defined twice`, "remove one of the two"),
  ),
  "unit-factor-zero": error("The factor of a unit or display unit is not zero.", (p) =>
    say(
      `the factor of '${p.name}' is zero, so that every value becomes the same`,
      "give the factor to the base unit, 1 if they are equal",
    ),
  ),
  "display-unit-duplicate": error("Names of the display units of one unit are unique.", (p) =>
    say(`display unit '${p.name}' of unit '${p.unit}' is defined twice`, "remove one of the two"),
  ),
  "display-unit-inverse": error("An inverse display unit has no offset.", (p) =>
    say(`display unit '${p.name}' is inverse and has an offset`, "drop the offset or the inverse"),
  ),
  "type-duplicate": error("Names of types are unique.", (p) =>
    say(`type '${p.name}' is defined twice`, "rename or remove one of the two"),
  ),
  "type-name-clash": error("No type has the name of a variable.", (p) =>
    say(`'${p.name}' is the name of a type and of a variable`, "rename the type"),
  ),
  "enumeration-item-duplicate": error(
    "Names and values of the items of one enumeration are unique.",
    (p) =>
      say(
        `item '${p.item}' of enumeration '${p.name}' repeats the name or value of another item`,
        "give every item a name and a value of its own",
      ),
  ),
  "unit-undefined": error("Every unit that is used is defined.", (p) =>
    say(
      `'${p.name}' has the unit '${p.missing}', which is not defined`,
      didYouMean(p.nearest, "add it to <UnitDefinitions>"),
    ),
  ),
  "display-unit-undefined": error("Every display unit that is used is defined for its unit.", (p) =>
    say(
      `'${p.name}' has the display unit '${p.missing}', which unit '${p.unit}' does not define`,
      didYouMean(p.nearest, `add a <DisplayUnit> to unit '${p.unit}'`),
    ),
  ),
  "display-unit-alone": error("A display unit needs a unit.", (p) =>
    say(
      `'${p.name}' has the display unit '${p.displayUnit}' but no unit`,
      "add the attribute unit",
    ),
  ),
};
