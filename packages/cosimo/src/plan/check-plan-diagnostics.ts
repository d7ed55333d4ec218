/**
 * What can be wrong with a plan: its shape, and the six conditions of a valid co-simulation step.
 */
import { type RulesFor, rulesFrom, type Texts } from "../base/diagnostic.ts";

/** `where`: "op 12 of the step". */
type Finding = Texts<"where" | "what">;

export type PlanCheckCode =
  | "plan-malformed"
  | "plan-reads-old"
  | "plan-advance-wrong"
  | "plan-input-unwritten"
  | "plan-value-lost"
  | "plan-interpolates-old"
  | "plan-input-untimely";

type PlanCheckParams = { readonly [Code in PlanCheckCode]: Finding } & {
  readonly "plan-check-partial": { readonly checked: number; readonly period: number };
};

const fix =
  "do not run this plan: compile the scenario again; if Cosimo made it, report it together with the scenario";

const broken = (number: number, condition: string) => ({
  rule: `Condition ${number}: ${condition}`,
  message: ({ where, what }: Finding): string =>
    `${where}: ${what} (condition ${number} of a valid step)`,
  fix,
});

export const PLAN_CHECK_RULES: RulesFor<PlanCheckParams> = rulesFrom<PlanCheckParams>({
  "plan-malformed": {
    rule: "A plan consists of known ops whose arguments exist.",
    message: ({ where, what }) => `${where}: ${what}`,
    fix,
  },
  "plan-reads-old": broken(
    1,
    "what is used was read from the newest state, after the inputs on which it depends directly were written.",
  ),
  "plan-advance-wrong": broken(
    2,
    "every unit is advanced exactly once per step, by the whole step.",
  ),
  "plan-input-unwritten": broken(
    3,
    "every connected input is written between two advances of its unit.",
  ),
  "plan-value-lost": broken(
    4,
    "a value that was read reaches the inputs it feeds, converted as the connection says, before they are used.",
  ),
  "plan-interpolates-old": broken(
    5,
    "an interpolated input gets its source's value at the end of the step.",
  ),
  "plan-input-untimely": broken(
    6,
    "a held or extrapolated input gets its source's values up to the start of the step.",
  ),
  "plan-check-partial": {
    severity: "note",
    rule: "The conditions of a valid step are checked over the whole period of a plan.",
    message: (p) =>
      `only the first ${p.checked} of ${p.period} ticks of the plan's period were checked`,
    fix: "nothing to do; steps with a small common multiple are checked completely",
  },
});
