/**
 * What a master did, as numbers in the trace and in the summary: sizes of steps, iterations, what
 * was rejected and why.
 */
import {
  type MasterStatistic,
  REJECTION_REASONS,
  type RejectionReason,
  unitStatistic,
} from "../../plan/statistics.ts";
import { MasterPart } from "./master-part.ts";
import type { StepMethod } from "./step-method.ts";

const OF_STEPS: readonly MasterStatistic[] = [
  "master.step",
  "master.iterations",
  "master.residual",
  "master.accepted",
  "master.rejected",
  "master.reason",
];

export class MasterStatistics extends MasterPart {
  steps = 0;
  iterations = 0;
  readonly rejections: Map<RejectionReason, number> = new Map();
  private readonly slots: ReadonlyMap<string, number> = new Map(
    this.coupling.plan.statistics.map(({ name, slot }) => [name, slot]),
  );
  private readonly errorSlots: readonly (number | undefined)[] = this.coupling.units.map((_, u) =>
    this.slots.get(unitStatistic("master.error", this.coupling.unitName(u)).name),
  );
  /** Of the numbers of every step, which are put without looking for them. */
  private readonly stepSlots: readonly (number | undefined)[] = OF_STEPS.map((name) =>
    this.slots.get(name),
  );
  private rejectedSteps = 0;
  /** Why a step was last rejected since the last one was accepted; 0: none was. */
  private lastReason = 0;
  /**
   * The largest residual of a step, and how many were above the tolerance: where corrections are
   * counted, nothing else checks that.
   */
  private residual = 0;
  private unsolved = 0;

  get rejected(): number {
    return this.rejectedSteps;
  }

  /** Why a step was last rejected since the last one was accepted. */
  get reason(): RejectionReason | undefined {
    return REJECTION_REASONS[this.lastReason - 1];
  }

  onRejected(reason: RejectionReason): void {
    this.rejections.set(reason, (this.rejections.get(reason) ?? 0) + 1);
    this.rejectedSteps++;
    this.lastReason = REJECTION_REASONS.indexOf(reason) + 1;
  }

  /** A step from `from` to the coupling's time was accepted. */
  onAccepted(from: number, method: StepMethod): void {
    this.steps++;
    this.iterations += method.iterations ?? 0;
    this.judge(method.residual ?? 0);
    if (this.slots.size > 0) this.putAccepted(from, method);
    this.lastReason = 0;
  }

  private putAccepted(from: number, method: StepMethod): void {
    const [step, iterations, residual, accepted, rejected, reason] = this.stepSlots;
    this.set(step, this.coupling.time - from);
    this.set(iterations, method.iterations ?? 0);
    this.set(residual, method.residual ?? 0);
    this.set(accepted, this.steps);
    this.set(rejected, this.rejectedSteps);
    this.set(reason, this.lastReason);
  }

  private judge(residual: number): void {
    if (residual <= this.coupling.plan.settings.iteration.tolerance) return;
    this.unsolved++;
    // A NaN must not hide behind the comparison.
    if (!(residual <= this.residual)) this.residual = residual;
  }

  /** How far a fixed number of corrections was from agreement. */
  notes(): string[] {
    const { corrections, tolerance } = this.coupling.plan.settings.iteration;
    if (corrections === undefined || this.unsolved === 0) return [];
    const left = `${this.residual.toPrecision(3)} nominal values`;
    return [
      `corrections: ${corrections} left units up to ${left} apart, and by more than the tolerance of ${tolerance} in ${this.unsolved} of ${this.steps} steps`,
    ];
  }

  /** Sets a recorded number; nothing happens where the plan does not record it. */
  put(name: MasterStatistic, value: number): void {
    this.set(this.slots.get(name), value);
  }

  /** The largest error of the step, and that of every unit. */
  putErrors(largest: number, ofUnit: Float64Array): void {
    if (this.slots.size === 0) return;
    this.put("master.error", largest);
    for (let u = 0; u < ofUnit.length; u++) this.set(this.errorSlots[u], ofUnit[u]);
  }

  private set(slot: number | undefined, value: number): void {
    if (slot !== undefined) this.coupling.state.banks.f64[slot] = value;
  }

  /** For checkpoints. */
  save(): Float64Array {
    const counts = REJECTION_REASONS.map((reason) => this.rejections.get(reason) ?? 0);
    return Float64Array.of(
      this.steps,
      this.iterations,
      this.lastReason,
      this.residual,
      this.unsolved,
      ...counts,
    );
  }

  restore(saved: Float64Array): void {
    const [steps = 0, iterations = 0, reason = 0, residual = 0, unsolved = 0, ...counts] = saved;
    this.steps = steps;
    this.iterations = iterations;
    this.lastReason = reason;
    this.residual = residual;
    this.unsolved = unsolved;
    this.rejectedSteps = 0;
    REJECTION_REASONS.forEach((rejection, i) => {
      if (counts[i] > 0) this.rejections.set(rejection, counts[i]);
      this.rejectedSteps += counts[i] ?? 0;
    });
  }
}
