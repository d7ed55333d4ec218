/**
 * What is known of the trajectories that inputs follow under a master: whether they go through the
 * value of the end of the step, and how good that makes them against a prediction from the past.
 */
import { iterates } from "../../model/masters.ts";
import type { Coupling } from "./coupling.ts";
import { MasterPart } from "./master-part.ts";
import {
  type Degree,
  extrapolationMean,
  interpolationMean,
  predictionEnd,
} from "./trajectory-defect.ts";

export class TrajectoryKinds extends MasterPart {
  /** By coupled input: its trajectory ends at the value that its source has there. */
  readonly isInterpolated: readonly boolean[] = this.coupling.plan.inputs.map((_, i) =>
    endIsKnown(this.coupling, i),
  );

  /** The degree of a prediction of input `i`: what it asks for and its past allows. */
  degree(i: number): Degree {
    const { history, plan } = this.coupling;
    return Math.min(plan.inputs[i].order, history.count - 1) as Degree;
  }

  /** The past is too short to say anything about how good the trajectory of input `i` is. */
  isBlind(i: number): boolean {
    return (
      this.isInterpolated[i] && this.degree(i) < Math.min(1, this.coupling.plan.inputs[i].order)
    );
  }

  /**
   * The mean error of a trajectory over a step of length `h`, relative to that of the prediction at
   * its end.
   */
  defectPart(i: number, h: number): number {
    const { history } = this.coupling;
    const degree = this.degree(i);
    const a1 = history.ago(1);
    const a2 = history.ago(2);
    const { settings } = this.coupling.plan;
    const piece = iterates(settings) ? h / settings.iteration.pieces : h;
    const mean = this.isInterpolated[i]
      ? interpolationMean(degree, piece, a1)
      : extrapolationMean(degree, h, a1, a2);
    return mean / predictionEnd(degree, h, a1, a2);
  }

  /**
   * The error that two half steps leave, relative to the difference between them and one step of
   * length `h`. Where some trajectories are interpolated and some extrapolated, the extrapolated
   * ones, which are worse, decide.
   */
  halvedPart(h: number): number {
    const { history, plan } = this.coupling;
    const extrapolated = this.isInterpolated.indexOf(false);
    if (plan.inputs.length === 0) return 1;
    if (extrapolated < 0) {
      const order = Math.min(...plan.inputs.map((input) => input.order)) as Degree;
      const half = interpolationMean(order, h / 2, h / 2);
      return half / (interpolationMean(order, h, h) - half);
    }
    const degree = this.degree(extrapolated);
    const a1 = history.ago(1);
    const a2 = history.ago(2);
    const first = extrapolationMean(degree, h / 2, a1, a2) / 2;
    // The second half knows the middle: where the past was too short, its error is of higher order.
    const isFull = degree === plan.inputs[extrapolated].order;
    const second = isFull ? extrapolationMean(degree, h / 2, h / 2, h / 2 + a1) / 2 : 0;
    return (first + second) / (extrapolationMean(degree, h, a1, a2) - first - second);
  }
}

function endIsKnown(coupling: Coupling, i: number): boolean {
  const { settings, components, inputs, order } = coupling.plan;
  const { source, unit, interpolated } = inputs[i];
  if (!iterates(settings)) return interpolated;
  const loop = components.find(({ units }) => units.includes(unit) && units.includes(source));
  if (source < 0 || loop === undefined) return true;
  // A loop that is not iterated goes in sequence.
  return coupling.canRollBack(loop.units) || order.indexOf(source) < order.indexOf(unit);
}
