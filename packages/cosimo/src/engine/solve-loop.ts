/**
 * Solves one algebraic loop at one instant: finds u with g(u) = u, where g is the plan's sweep
 * around the loop.
 *
 * Newton with the loop's Jacobian, from directional derivatives where every unit has them, from
 * finite differences otherwise; a damped fixed point where Newton fails. What cannot be solved is
 * reported with the ports involved.
 */

import { luFactor, luSolve } from "../numerics/lu.ts";
import type { Loop } from "../plan/plan.ts";
import { EngineError } from "./engine-error.ts";
import type { Interpreter } from "./interpreter.ts";
import type { PlanState } from "./signals.ts";

export interface LoopSolution {
  readonly method:
    | "newton with directional derivatives"
    | "newton with finite differences"
    | "damped fixed point";
  readonly iterations: number;
  readonly residual: number;
}

const TOLERANCE = 1e-12;
/** A correction this small changes nothing that matters. */
const SETTLED = 1e-9;
/** A pivot this small against the largest entry is rounding, not information. */
const SINGULAR = 1e-9;
const MAX_NEWTON = 30;
const MAX_FIXED_POINT = 500;
const DAMPING = 0.5;

/** @throws LoopError when no method converges. */
export function solveLoop(state: PlanState, interpreter: Interpreter, loop: Loop): LoopSolution {
  const { f64 } = state.banks;
  const n = loop.unknowns.length;
  const start = Float64Array.from(loop.unknowns, (slot) => f64[slot]);
  const u = start.slice();
  const residual = new Float64Array(n);
  const evaluate = (at: Float64Array, out: Float64Array): number => {
    loop.unknowns.forEach((slot, i) => {
      f64[slot] = at[i];
    });
    interpreter.run(loop.sweep, 0);
    let worst = 0;
    for (let i = 0; i < n; i++) {
      out[i] = f64[loop.images[i]] - at[i];
      worst = Math.max(worst, Math.abs(out[i]) / (1 + Math.abs(at[i])));
    }
    return worst;
  };
  const exact = loop.unknownElements.every(
    ({ unit }) => state.units[unit].description.capabilities.directionalDerivatives,
  );
  const newton = runNewton(state, loop, u, residual, evaluate, exact);
  if (newton.converged) {
    const method = exact ? "newton with directional derivatives" : "newton with finite differences";
    return { method, iterations: newton.iterations, residual: newton.worst };
  }
  u.set(start);
  let worst = Number.POSITIVE_INFINITY;
  for (let k = 1; k <= MAX_FIXED_POINT; k++) {
    worst = evaluate(u, residual);
    if (!Number.isFinite(worst)) break;
    if (worst <= TOLERANCE) {
      // Where the equations are singular any value may do: that is not a solution to build on.
      if (runNewton(state, loop, u, residual, evaluate, exact).singular) break;
      return { method: "damped fixed point", iterations: k, residual: worst };
    }
    for (let i = 0; i < n; i++) u[i] += DAMPING * residual[i];
  }
  throw new LoopError(loop, newton.singular, worst);
}

function runNewton(
  state: PlanState,
  loop: Loop,
  u: Float64Array,
  residual: Float64Array,
  evaluate: (at: Float64Array, out: Float64Array) => number,
  exact: boolean,
): { converged: boolean; singular: boolean; iterations: number; worst: number } {
  const n = u.length;
  const jacobian = new Float64Array(n * n);
  const pivots = new Int32Array(n);
  let worst = evaluate(u, residual);
  for (let k = 0; k < MAX_NEWTON; k++) {
    if (!Number.isFinite(worst)) return { converged: false, singular: false, iterations: k, worst };
    if (exact) exactJacobian(state, loop, jacobian);
    else differenceJacobian(u, residual, evaluate, jacobian);
    const size = jacobian.reduce((most, entry) => Math.max(most, Math.abs(entry)), 1);
    for (let i = 0; i < n; i++) jacobian[i * n + i] -= 1;
    if (luFactor(n, jacobian, pivots) >= 0 || smallestPivot(n, jacobian) < SINGULAR * size) {
      return { converged: false, singular: true, iterations: k, worst };
    }
    const correction = residual.slice();
    luSolve(n, jacobian, pivots, 1, correction);
    // A small residual alone proves little: far away from a solution everything looks small against
    // u.
    const settled = correction.every((c, i) => Math.abs(c) <= SETTLED * (1 + Math.abs(u[i])));
    if (worst <= TOLERANCE && settled)
      return { converged: true, singular: false, iterations: k, worst };
    for (let i = 0; i < n; i++) u[i] -= correction[i];
    worst = evaluate(u, residual);
  }
  return { converged: false, singular: false, iterations: MAX_NEWTON, worst };
}

function smallestPivot(n: number, lu: Float64Array): number {
  let smallest = Number.POSITIVE_INFINITY;
  for (let i = 0; i < n; i++) smallest = Math.min(smallest, Math.abs(lu[i * n + i]));
  return smallest;
}

/**
 * ∂g/∂u by the units' own derivatives: image i is `factor` times an output of a unit, unknown j an
 * input of one.
 */
function exactJacobian(state: PlanState, loop: Loop, jacobian: Float64Array): void {
  const n = loop.unknowns.length;
  jacobian.fill(0);
  for (let j = 0; j < n; j++) {
    const known = loop.unknownElements[j];
    const unit = state.units[known.unit];
    const { ports } = unit.description;
    const size = (port: number): number => ports[port].shape.reduce((product, m) => product * m, 1);
    const seed = new Float64Array(size(known.port));
    seed[known.element] = 1;
    for (let i = 0; i < n; i++) {
      const image = loop.imageElements[i];
      if (image.unit !== known.unit) continue;
      const out = new Float64Array(size(image.port));
      unit.directionalDerivative([image.port], [known.port], seed, out);
      jacobian[i * n + j] = image.factor * out[image.element];
    }
  }
}

function differenceJacobian(
  u: Float64Array,
  residual: Float64Array,
  evaluate: (at: Float64Array, out: Float64Array) => number,
  jacobian: Float64Array,
): void {
  const n = u.length;
  const shifted = new Float64Array(n);
  const changed = u.slice();
  for (let j = 0; j < n; j++) {
    const h = Math.sqrt(Number.EPSILON) * Math.max(1, Math.abs(u[j]));
    changed[j] = u[j] + h;
    evaluate(changed, shifted);
    changed[j] = u[j];
    // residual = g(u) - u, so its difference lacks the identity.
    for (let i = 0; i < n; i++)
      jacobian[i * n + j] = (shifted[i] - residual[i]) / h + (i === j ? 1 : 0);
  }
  evaluate(u, residual);
}

export class LoopError extends EngineError {
  readonly loop: Loop;
  constructor(loop: Loop, singular: boolean, residual: number) {
    const ports = loop.ports.join(" → ");
    super(
      singular
        ? `the algebraic loop ${ports} is under-determined: its equations are singular (residual ${residual.toExponential(2)})`
        : `the algebraic loop ${ports} does not converge (residual ${residual.toExponential(2)})`,
    );
    this.name = "LoopError";
    this.loop = loop;
  }
}
