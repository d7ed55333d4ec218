/**
 * What can be wrong with a plan, whoever made it: its shape, and the six conditions of a valid co-simulation step.
 */
import type { RulesFor } from "../base/diagnostic.ts";

interface Finding {
  /** "op 12 of the step". */
  readonly where: string;
  readonly what: string;
}

interface PlanCheckParams {
  "plan-malformed": Finding;
  "plan-reads-old": Finding;
  "plan-advance-wrong": Finding;
  "plan-input-unwritten": Finding;
  "plan-value-lost": Finding;
  "plan-interpolates-old": Finding;
  "plan-input-untimely": Finding;
  "plan-check-partial": { readonly checked: number; readonly period: number };
}

const FIX =
  "do not run this plan: compile the scenario again; when Cosimo made it, report it together with the scenario";

const broken =
  (condition: number) =>
  ({ where, what }: Finding): { message: string; fix: string } => ({
    message: `${where}: ${what} (condition ${condition} of a valid step)`,
    fix: FIX,
  });

export const PLAN_CHECK_RULES: RulesFor<PlanCheckParams> = {
  "plan-malformed": {
    severity: "error",
    rule: "A plan consists of known ops whose arguments exist.",
    text: ({ where, what }) => ({ message: `${where}: ${what}`, fix: FIX }),
  },
  "plan-reads-old": {
    severity: "error",
    rule: "Condition 1: what is used was read from the newest state, after the inputs that act on it at once were written.",
    text: broken(1),
  },
  "plan-advance-wrong": {
    severity: "error",
    rule: "Condition 2: every unit is advanced exactly once a step, by the whole step.",
    text: broken(2),
  },
  "plan-input-unwritten": {
    severity: "error",
    rule: "Condition 3: every connected input is written between two advances of its unit.",
    text: broken(3),
  },
  "plan-value-lost": {
    severity: "error",
    rule: "Condition 4: a value that was read reaches the inputs it feeds, converted as the connection says, before they are used.",
    text: broken(4),
  },
  "plan-interpolates-old": {
    severity: "error",
    rule: "Condition 5: an interpolated input gets its source's value at the end of the step.",
    text: broken(5),
  },
  "plan-input-untimely": {
    severity: "error",
    rule: "Condition 6: a held or extrapolated input gets its source's values up to the start of the step.",
    text: broken(6),
  },
  "plan-check-partial": {
    severity: "note",
    rule: "The conditions of a valid step are checked over the whole period of a plan.",
    text: (p) => ({
      message: `only the first ${p.checked} of ${p.period} ticks of the plan's period were checked`,
      fix: "nothing to do; steps with a small common multiple are checked completely",
    }),
  },
};
