/**
 * Chooses a policy for every step: a cheaper one while the estimated error is well within the
 * tolerance, a more careful one when it is not, and never one that the guard forbids. No step is
 * rejected for its error, so that a step does to the state what its policy says, which is what the
 * proof behind a guard is about.
 *
 * The policy of the next step is chosen, and its parameters are written, when the last one was
 * accepted: units that are saved at the beginning of a step are saved as the policy wants them.
 */
import type { ControlSettings } from "../../plan/master-settings.ts";
import type { PolicyPlan } from "../../plan/policies.ts";
import type { Coupling } from "./coupling.ts";
import { type ErrorEstimator, Tolerances } from "./error-estimator.ts";
import { estimatorFor } from "./estimator-for.ts";
import type { MasterStatistics } from "./master-statistics.ts";
import type { PolicyMethod } from "./policy-method.ts";
import { GuardMonitor } from "./policy-monitor.ts";
import { RequestedPoints, sameInstant } from "./requested-points.ts";
import { EARLY, REACHED, type StepControl, type Taken } from "./step-control.ts";

/**
 * Errors below this part of the tolerance ask for a cheaper policy, errors above the tolerance for
 * a more careful one.
 */
const CHEAPER = 0.5;
/** Steps that are shorter than their policy's by more than rounding were cut. */
const WHOLE = 1 - 1e-9;

export class PolicyControl implements StepControl {
  readonly needsRollback = false;
  private readonly coupling: Coupling;
  private readonly method: PolicyMethod;
  private readonly statistics: MasterStatistics;
  private readonly plan: PolicyPlan;
  private readonly stop: number;
  private readonly requested: RequestedPoints;
  private readonly estimator: ErrorEstimator;
  private readonly monitor: GuardMonitor;
  private readonly writers: readonly (() => void)[];
  private readonly errorOfUnit: Float64Array;
  /** What the error asks for; the guard may give another one. */
  private wanted: number;
  private policy: number;
  private node: number;
  private acceptedSteps = 0;
  private error = 0;
  /** Points are counted from the last change of the step, so that rounding does not add up. */
  private origin: number;
  private count = 0;

  constructor(
    coupling: Coupling,
    method: PolicyMethod,
    stop: number,
    settings: ControlSettings,
    statistics: MasterStatistics,
    plan: PolicyPlan,
  ) {
    this.coupling = coupling;
    this.method = method;
    this.statistics = statistics;
    this.plan = plan;
    this.stop = stop;
    const { start } = coupling.state.plan;
    this.requested = new RequestedPoints(coupling.plan.points, coupling.state.plan);
    const tolerances = new Tolerances(coupling, settings);
    this.estimator = estimatorFor(settings.estimator, coupling, method, tolerances);
    this.monitor = new GuardMonitor(plan);
    this.errorOfUnit = new Float64Array(coupling.units.length);
    this.writers = plan.policies.map(({ writes }) => coupling.writerOf(writes));
    this.origin = start;
    this.node = plan.guard?.start ?? 0;
    // Nothing is known yet, so care comes first.
    this.wanted = plan.policies.length - 1;
    this.policy = this.allowed();
    this.apply();
  }

  get points(): number {
    return this.acceptedSteps;
  }

  propose(): number {
    const { time } = this.coupling;
    const { step } = this.plan.policies[this.policy];
    const next = this.origin + (this.count + 1) * step;
    const requested = this.requested.after(time);
    // A requested point and the end of the step that differ by rounding are one.
    return Math.min(next < requested + sameInstant(next, step) ? next : requested, this.stop);
  }

  take(to: number): Taken {
    if (!this.estimator.take(to)) return EARLY;
    const { inputs } = this.coupling.plan;
    const { errors } = this.estimator;
    this.errorOfUnit.fill(0);
    this.error = 0;
    for (let i = 0; i < errors.length; i++) {
      const { source, unit } = inputs[i];
      const owner = source < 0 ? unit : source;
      const error = errors[i];
      if (!(error <= this.errorOfUnit[owner])) this.errorOfUnit[owner] = error;
      // A NaN must not hide behind the comparison.
      if (!(error <= this.error)) this.error = error;
    }
    return REACHED;
  }

  accepted(from: number): void {
    const { time } = this.coupling;
    const policy = this.policy;
    const { step } = this.plan.policies[policy];
    const isWhole = time - from >= step * WHOLE;
    this.acceptedSteps++;
    this.count++;
    this.monitor.onDecision(policy, isWhole || time >= this.stop - sameInstant(time, step));
    this.node = this.next(policy);
    this.put();
    this.wanted = this.suggested();
    this.policy = this.allowed();
    if (this.policy !== this.wanted) this.monitor.heldBack++;
    const hasNewStep = this.plan.policies[this.policy].step !== step;
    if (!isWhole || hasNewStep) {
      this.origin = time;
      this.count = 0;
    }
    if (this.policy !== policy) this.apply();
  }

  restart(): void {
    // What was decided before a jump still counts: the guard's proof is about all that was taken.
    this.wanted = this.plan.policies.length - 1;
    const before = this.policy;
    this.policy = this.allowed();
    if (this.policy !== before) this.apply();
  }

  /** What is to be said when the run is over. */
  notes(): string[] {
    return this.monitor.notes();
  }

  save(): Float64Array {
    return Float64Array.of(
      this.wanted,
      this.policy,
      this.node,
      this.acceptedSteps,
      this.origin,
      this.count,
      ...this.monitor.save(),
    );
  }

  restore(saved: Float64Array): void {
    const [wanted = 0, policy = 0, node = 0, accepted = 0, origin = 0, count = 0] = saved;
    this.wanted = wanted;
    this.policy = policy;
    this.node = node;
    this.acceptedSteps = accepted;
    this.origin = origin;
    this.count = count;
    this.monitor.restore(saved.subarray(6));
    this.apply();
  }

  /** One place towards care or thrift. */
  private suggested(): number {
    const last = this.plan.policies.length - 1;
    if (Number.isNaN(this.error)) return last;
    if (this.error > 1) return Math.min(last, this.policy + 1);
    return this.error < CHEAPER ? Math.max(0, this.policy - 1) : this.policy;
  }

  /** The wanted policy, or the nearest one that is allowed: more careful ones first. */
  private allowed(): number {
    const { policies, guard } = this.plan;
    if (guard === undefined) return this.wanted;
    for (let p = this.wanted; p < policies.length; p++) if (this.next(p) >= 0) return p;
    for (let p = this.wanted - 1; p >= 0; p--) if (this.next(p) >= 0) return p;
    throw new Error(`internal: the guard has no way on from node ${this.node + 1}`);
  }

  private next(policy: number): number {
    const { policies, guard } = this.plan;
    return guard === undefined ? 0 : guard.next[this.node * policies.length + policy];
  }

  private apply(): void {
    this.writers[this.policy]();
    this.method.choose(this.plan.policies[this.policy].coupling);
  }

  private put(): void {
    this.statistics.put("master.policy", this.policy + 1);
    this.statistics.put("master.guard", this.node + 1);
    this.statistics.putErrors(this.error, this.errorOfUnit);
  }
}
