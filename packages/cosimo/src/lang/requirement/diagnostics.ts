/**
 * Mistakes in the text of a requirement.
 */
import { type RulesFor, rulesFrom, type Texts } from "../../base/diagnostic.ts";

interface RequirementTextParams {
  "requirement-malformed": Texts<"message" | "fix">;
  "requirement-instant": Texts<"text">;
}

export const REQUIREMENT_TEXT_RULES: RulesFor<RequirementTextParams> =
  rulesFrom<RequirementTextParams>({
    "requirement-malformed": {
      rule: "A requirement is a formula over signals, with or without a scope: 'always motor.current < 5 A after start'.",
      message: (p) => p.message,
      fix: (p) => p.fix,
    },
    "requirement-instant": {
      severity: "warning",
      rule: "A requirement without a temporal operator holds at the beginning of its scope only.",
      message: (p) => `'${p.text}' is required at the beginning only, not all the time`,
      fix: (p) => `write 'always ${p.text}', or 'eventually …'`,
    },
  });
