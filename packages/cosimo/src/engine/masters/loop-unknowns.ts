/**
 * The unknowns of a loop as one vector, and what they mean: nodes of inputs, then forces of
 * constraints.
 */
import type { CoupledComponent, CoupledConstraint } from "../../plan/coupling-plan.ts";
import type { Coupling } from "./coupling.ts";
import type { NodeTrajectories } from "./node-trajectories.ts";

/**
 * Forces at both ends of the step where position and rate are held, one where only the position is.
 */
export function forceCount(constraints: readonly CoupledConstraint[]): number {
  return constraints.reduce((sum, { rate }) => sum + (rate ? 2 : 1), 0);
}

/** Unknowns → nodes of the inputs, and trajectories of the forces. */
export function putUnknowns(
  component: CoupledComponent,
  constraints: readonly CoupledConstraint[],
  nodes: NodeTrajectories,
  size: number,
  x: Float64Array,
): void {
  const { pieces } = nodes.trajectories;
  const { inputs } = component;
  const k = inputs.length;
  for (let m = 0; m < pieces; m++)
    for (let j = 0; j < k; j++) nodes.nodes[m * size + inputs[j]] = x[m * k + j];
  let at = pieces * k;
  for (const { by, rate } of constraints) {
    const first = x[at];
    const last = rate ? x[at + 1] : first;
    at += rate ? 2 : 1;
    for (const { input, factor } of by) {
      nodes.begin[input] = factor * first;
      for (let m = 0; m < pieces; m++)
        nodes.nodes[m * size + input] = factor * (first + ((last - first) * (m + 1)) / pieces);
    }
  }
}

/** Where the constraints stand with the signals of the end of the step; from `at` on. */
export function constraintResidual(
  constraints: readonly CoupledConstraint[],
  coupling: Coupling,
  out: Float64Array,
  at: number,
): void {
  const { f64 } = coupling.state.banks;
  let row = at;
  for (const { left, right, factor, offset, rate, nominal } of constraints) {
    out[row++] = (f64[left] - factor * f64[right] - offset) / nominal;
    if (rate) out[row++] = (f64[rate.left] - rate.factor * f64[rate.right]) / nominal;
  }
}
