/**
 * The meaning of `Unit`, as a suite that every backend runs: one call with a model whose behaviour
 * is known.
 *
 * The rules are those of docs/spec/unit.md. Each is checked as far as the unit's capabilities claim
 * it, and what they do not claim must throw. A claim about which the subject states no fact fails,
 * so nothing goes unexamined unnoticed.
 */
import { afterEach, describe, it } from "vitest";
import type { Unit } from "../unit.ts";
import { type ContractSubject, makeLab, type Rule } from "./contract-subject.ts";
import { LIFE_RULES } from "./rules-life.ts";
import { STATE_RULES } from "./rules-state.ts";
import { PREDICATE_RULES, VALUE_RULES } from "./rules-values.ts";

/** Every rule that the suite checks, in its order. */
export const CONTRACT_RULES: readonly Rule[] = [
  ...LIFE_RULES,
  ...PREDICATE_RULES,
  ...VALUE_RULES,
  ...STATE_RULES,
];

export interface RuleSkip {
  /** `UN22` */
  readonly rule: string;
  /** Why this backend cannot keep the rule; shown in the test report. */
  readonly reason: string;
}

/** Registers the contract suite for one backend and subject. Call it at the top of a test file. */
export function unitContract(
  backend: string,
  subject: ContractSubject,
  skip: readonly RuleSkip[] = [],
): void {
  const reasons = new Map(skip.map(({ rule, reason }) => [rule, reason]));
  for (const [rule, reason] of reasons) {
    if (!CONTRACT_RULES.some((known) => known.rule === rule))
      throw new Error(`no rule '${rule}' to skip`);
    if (reason.trim() === "") throw new Error(`skipping '${rule}' needs a reason`);
  }
  describe(`the unit contract on ${backend}`, () => {
    const opened: Unit[] = [];
    afterEach(() => {
      for (const unit of opened.splice(0)) unit.dispose();
    });
    for (const { rule, says, check } of CONTRACT_RULES) {
      it(`[${rule}] ${says}`, async (test) => {
        const reason = reasons.get(rule);
        if (reason !== undefined) test.skip(reason);
        await check(makeLab(subject, opened));
      });
    }
  });
}
