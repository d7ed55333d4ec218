/**
 * What can be wrong with a study once its scenario is known.
 */
import { type RulesFor, rulesFrom, type Texts } from "../../base/diagnostic.ts";

interface StudyParams {
  "study-unknown-port": Texts<"factor" | "port" | "fix">;
  "study-not-settable": Texts<"factor" | "why" | "fix">;
  "study-unknown-unit": Texts<"factor" | "unit" | "fix">;
  "study-level": Texts<"factor" | "level" | "why" | "fix">;
  "study-width": Texts<"factor" | "why" | "fix">;
  "study-dimensions": Texts<"count" | "most">;
  "study-no-text": Texts<"factor">;
  "study-unknown-requirement": Texts<"name" | "fix">;
  "study-calibration": Texts<"why" | "fix">;
}

export type StudyDiagnosticParams = StudyParams;

export const STUDY_RULES: RulesFor<StudyParams> = rulesFrom<StudyParams>({
  "study-unknown-port": {
    rule: "A factor is a parameter, or something with a start value, of a unit of the scenario.",
    message: (p) => `the factor '${p.factor}' varies '${p.port}', which the scenario does not have`,
    fix: (p) => p.fix,
  },
  "study-not-settable": {
    rule: "What a factor varies can be set before a run.",
    message: (p) => `the factor '${p.factor}' cannot be varied: ${p.why}`,
    fix: (p) => p.fix,
  },
  "study-unknown-unit": {
    rule: "Factors name units of the scenario.",
    message: (p) =>
      `the factor '${p.factor}' is about '${p.unit}', and the scenario has no such unit`,
    fix: (p) => p.fix,
  },
  "study-level": {
    rule: "Every value of a factor is one that its target can have.",
    message: (p) => `'${p.level}' is not a value of the factor '${p.factor}': ${p.why}`,
    fix: (p) => p.fix,
  },
  "study-width": {
    rule: "Ranges go upwards, and deviations are positive.",
    message: (p) => `the values of '${p.factor}' have no width: ${p.why}`,
    fix: (p) => p.fix,
  },
  "study-dimensions": {
    rule: "The Sobol sequence has numbers for so many factors, half as many for indices.",
    message: (p) =>
      `the design would need ${p.count} dimensions, and the Sobol sequence has ${p.most}`,
    fix: "use latin-hypercube or monte-carlo, or vary fewer factors",
  },
  "study-no-text": {
    rule: "Steps, masters, approximations, adaptations and faults are varied in the text of a scenario.yaml.",
    message: (p) =>
      `the factor '${p.factor}' changes the text of the scenario, which is not a scenario.yaml`,
    fix: "vary parameters and start values, or write the scenario as scenario.yaml",
  },
  "study-unknown-requirement": {
    rule: "What is kept or optimized of requirements are requirements of the scenario.",
    message: (p) =>
      p.name === ""
        ? "the scenario requires nothing"
        : `the scenario has no requirement '${p.name}'`,
    fix: (p) => p.fix,
  },
  "study-calibration": {
    rule: "Measured data have a column 'time' and the columns that are compared.",
    message: (p) => `the data cannot be compared: ${p.why}`,
    fix: (p) => p.fix,
  },
});
