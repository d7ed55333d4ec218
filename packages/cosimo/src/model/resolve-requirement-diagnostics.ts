/**
 * What can be wrong with a requirement once its signals are known: a part of the table of
 * scenarios.
 */
import { type RulesFor, rulesFrom, type Texts } from "../base/diagnostic.ts";

export interface RequirementParams {
  "requirement-name-taken": Texts<"name" | "first">;
  "requirement-signal": Texts<"text" | "why" | "fix">;
  "requirement-units": Texts<"what" | "why" | "fix">;
  "requirement-units-doubtful": Texts<"what" | "why">;
  "requirement-bond": Texts<"bond" | "fix">;
  "requirement-nested": Texts<"name">;
}

export const REQUIREMENT_RULES: RulesFor<RequirementParams> = rulesFrom<RequirementParams>({
  "requirement-name-taken": {
    rule: "Names of requirements are unique.",
    message: (p) => `there is a requirement '${p.name}' already, at ${p.first}`,
    fix: "rename one of them",
  },
  "requirement-signal": {
    rule: "Comparisons and functions are about single numbers; a signal that stands alone is boolean or an event.",
    message: (p) => `'${p.text}' ${p.why}`,
    fix: (p) => p.fix,
  },
  "requirement-units": {
    rule: "What is compared, added or used together measures the same thing.",
    message: (p) => `${p.what}: ${p.why}`,
    fix: (p) => p.fix,
  },
  "requirement-units-doubtful": {
    severity: "warning",
    rule: "Units of what is compared are known, and do not differ in the radian.",
    message: (p) => `${p.what}: ${p.why}`,
    fix: "check the numbers, or give the port a unit",
  },
  "requirement-bond": {
    rule: "Energies are those of bonds of the scenario.",
    message: (p) => `there is no bond '${p.bond}'`,
    fix: (p) => p.fix,
  },
  "requirement-nested": {
    severity: "note",
    rule: "Requirements are checked for the scenario that is run, not for those inside of it.",
    message: (p) => `the requirements of '${p.name}' are not checked in this run`,
    fix: "run that scenario on its own, or state them in the outer one",
  },
});
