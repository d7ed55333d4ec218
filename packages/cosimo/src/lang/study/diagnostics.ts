/**
 * Mistakes in the text of a study, beyond those of every YAML file.
 */
import { type RulesFor, rulesFrom, type Texts } from "../../base/diagnostic.ts";

interface StudyTextParams {
  "study-factor-target": Texts<"factor" | "why" | "fix">;
  "study-factor-levels": Texts<"factor" | "why" | "fix">;
  "study-distribution": Texts<"factor" | "why" | "fix">;
  "study-design": Texts<"why" | "fix">;
  "study-goal": Texts<"why" | "fix">;
  "study-name-taken": Texts<"name">;
}

export const STUDY_TEXT_RULES: RulesFor<StudyTextParams> = rulesFrom<StudyTextParams>({
  "study-factor-target": {
    rule: "A factor says what it varies: 'port', 'step', 'master', 'approximation', 'adapt' or 'fault'; a key 'unit.port', 'step' or 'master' says it by itself.",
    message: (p) => `the factor '${p.factor}' ${p.why}`,
    fix: (p) => p.fix,
  },
  "study-factor-levels": {
    rule: "A factor has values: a list, or a range or distribution of numbers.",
    message: (p) => `the factor '${p.factor}' ${p.why}`,
    fix: (p) => p.fix,
  },
  "study-distribution": {
    rule: "Distributions have a positive width, and their parameters are in order.",
    message: (p) => `the distribution of '${p.factor}' ${p.why}`,
    fix: (p) => p.fix,
  },
  "study-design": {
    rule: "A design says how many runs or points it has, and has what its method uses.",
    message: (p) => `the design ${p.why}`,
    fix: (p) => p.fix,
  },
  "study-goal": {
    rule: "A study has one purpose: a design, 'minimize', 'maximize' or 'calibrate'; goals vary ranges.",
    message: (p) => p.why,
    fix: (p) => p.fix,
  },
  "study-name-taken": {
    rule: "Columns of the table of a study have different names.",
    message: (p) => `two columns of the table would be called '${p.name}'`,
    fix: "give one of them another name: 'maximum(motor.speed) as fastest'",
  },
});
