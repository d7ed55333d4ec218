/**
 * Milne's estimate: what the past predicted for the end of the step against what came. The
 * trajectory that an input followed errs by a known part of that (trajectory-defect.ts). Costs
 * nothing and rolls nothing back; sees inputs only, so that it asks for short steps where an input
 * turns sharply, whether that matters or not.
 */
import { copyAll } from "../../numerics/copy-numbers.ts";
import type { Coupling } from "./coupling.ts";
import { StepEstimator } from "./error-estimator.ts";
import { hasMiddle, middle, withinStep } from "./half-steps.ts";
import type { StepMethod } from "./step-method.ts";
import { Extrapolation } from "./trajectories.ts";
import { TrajectoryKinds } from "./trajectory-kinds.ts";

/** What a trajectory misses on average of a jump that comes anywhere in the step. */
const ROUGH_PART = 0.5;

/** Mean errors of the inputs' trajectories over a step, from predictions. */
export class InputDefects {
  /** By coupled input, in its own unit; 0 where the past is too short. */
  readonly defects: Float64Array;
  /** Signals at the end of the step. */
  readonly actual: Float64Array;
  private readonly coupling: Coupling;
  private readonly method: StepMethod;
  private readonly kinds: TrajectoryKinds;
  private readonly extrapolation: Extrapolation;
  private readonly predicted: Float64Array;

  constructor(coupling: Coupling, method: StepMethod) {
    this.coupling = coupling;
    this.method = method;
    this.kinds = new TrajectoryKinds(coupling);
    this.extrapolation = new Extrapolation(coupling);
    this.defects = new Float64Array(coupling.size);
    this.actual = new Float64Array(coupling.size);
    this.predicted = new Float64Array(coupling.size);
  }

  take(to: number, isRough: boolean): boolean {
    const coupling = this.coupling;
    const h = to - coupling.time;
    if (coupling.size > 0) this.extrapolation.nodes(to, 1, this.predicted);
    if (!this.method.step(to)) return false;
    coupling.signals(this.actual);
    for (let i = 0; i < coupling.size; i++) {
      const part = this.kinds.isBlind(i) ? 0 : this.kinds.defectPart(i, h);
      this.defects[i] =
        (isRough ? Math.max(part, ROUGH_PART) : part) * (this.predicted[i] - this.actual[i]);
    }
    return true;
  }
}

export class Milne extends StepEstimator {
  readonly isDefect = true;
  readonly needsRollback = false;
  private readonly inputs = new InputDefects(this.coupling, this.method);

  take(to: number, isRough = false): boolean {
    if (!this.inputs.take(to, isRough)) return false;
    const { begin } = this.coupling;
    const { defects, actual } = this.inputs;
    for (let i = 0; i < defects.length; i++)
      this.errors[i] = Math.abs(defects[i]) / this.tolerances.of(i, begin[i], actual[i]);
    return true;
  }
}

/**
 * The first step, and the first one after a discontinuity: nothing can be predicted yet, so it is
 * taken in two halves, and the second is judged by the first.
 */
export class FirstStep extends StepEstimator {
  readonly isDefect = true;
  readonly needsRollback = false;
  private readonly milne = new Milne(this.coupling, this.method, this.tolerances);

  take(to: number): boolean {
    const from = this.coupling.time;
    if (!hasMiddle(from, to)) {
      const hasArrived = this.milne.take(to);
      copyAll(this.milne.errors, this.errors);
      return hasArrived;
    }
    if (!this.milne.take(middle(from, to))) return false;
    copyAll(this.milne.errors, this.errors);
    if (!withinStep(this.coupling, () => this.milne.take(to))) return false;
    for (let i = 0; i < this.errors.length; i++)
      this.errors[i] = Math.max(this.errors[i], this.milne.errors[i]);
    return true;
  }
}
