/**
 * Follows the policies that were taken and says afterwards whether the guard allowed them all. It
 * reads the guard on its own, so that a mistake in the choice would be seen.
 */
import { FORBIDDEN } from "../../model/decision-guard.ts";
import type { PolicyPlan } from "../../plan/policies.ts";

export class GuardMonitor {
  /** Decisions in which the guard gave another policy than the error suggested. */
  heldBack = 0;
  private readonly plan: PolicyPlan;
  /** By policy: steps taken with it. */
  private readonly taken: Float64Array;
  private node: number;
  private forbidden = 0;
  private cut = 0;

  constructor(plan: PolicyPlan) {
    this.plan = plan;
    this.taken = new Float64Array(plan.policies.length);
    this.node = plan.guard?.start ?? 0;
  }

  /** A step was accepted. `isWhole`: it was not cut short. */
  onDecision(policy: number, isWhole: boolean): void {
    this.taken[policy]++;
    if (!isWhole) this.cut++;
    const { guard, policies } = this.plan;
    if (guard === undefined || this.node === FORBIDDEN) return;
    this.node = guard.next[this.node * policies.length + policy] ?? FORBIDDEN;
    if (this.node === FORBIDDEN) this.forbidden++;
  }

  notes(): string[] {
    const { guard, policies } = this.plan;
    const total = this.taken.reduce((sum, count) => sum + count, 0);
    const parts = policies.map(({ name }, p) => `${name} ${this.taken[p]}`);
    const said = [`policies: ${parts.join(", ")} steps`];
    if (guard === undefined) return said;
    said.push(
      this.forbidden === 0
        ? `guard: all ${total} decisions were allowed; it held back ${this.heldBack}`
        : "guard: a forbidden sequence of policies was taken; the proof of stability does not hold for this run",
    );
    if (this.cut > 0)
      said.push(
        `guard: ${this.cut} steps were cut short by events or requested points; the proof of stability is about whole steps`,
      );
    return said;
  }

  save(): number[] {
    return [this.heldBack, this.node, this.forbidden, this.cut, ...this.taken];
  }

  restore([heldBack = 0, node = 0, forbidden = 0, cut = 0, ...taken]: ArrayLike<number> &
    Iterable<number>): void {
    this.heldBack = heldBack;
    this.node = node;
    this.forbidden = forbidden;
    this.cut = cut;
    this.taken.set(taken);
  }
}
