/**
 * What can be wrong with an orchestration algorithm, and why none can be made.
 */
import { type RulesFor, rulesFrom, type Texts } from "../../base/diagnostic.ts";

export interface OrchestrationParams {
  "orchestration-wrong": Texts<"what" | "why" | "fix">;
  "orchestration-impossible": Texts<"why" | "fix">;
}

export const ORCHESTRATION_RULES: RulesFor<OrchestrationParams> = rulesFrom<OrchestrationParams>({
  "orchestration-wrong": {
    rule: "Every operation of an orchestration algorithm finds its units, inputs and outputs at the time that it needs.",
    message: (p) => `'${p.what}' is wrong: ${p.why}`,
    fix: (p) => p.fix,
  },
  "orchestration-impossible": {
    rule: "Steps are repeated only by units that can save and restore their state.",
    message: (p) => `there is no correct algorithm: ${p.why}`,
    fix: (p) => p.fix,
  },
});
