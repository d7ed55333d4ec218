/**
 * The algebraic loop between models that share an integrator: u = G(u), by Newton's method with a
 * Jacobian that is kept from evaluation to evaluation and corrected by Broyden's update. It is
 * found again, by differences, when iterations do not converge fast.
 */

import { broydenUpdate, newtonWork, solveNewtonStep } from "../numerics/newton.ts";
import type { NumericalMemory } from "./event-ode.ts";

export interface LoopEquations {
  /** out = G(u) */
  evaluate(u: Float64Array, out: Float64Array): void;
}

const MOST_ITERATIONS = 20;
/** Changes below this, relative to the values, are rounding. */
const TOLERANCE = 1e-12;
const RELATIVE_STEP = Math.sqrt(Number.EPSILON);

export class CouplingLoop implements NumericalMemory {
  readonly size: number;
  private readonly n: number;
  private readonly equations: LoopEquations;
  private readonly jacobian: Float64Array;
  private readonly work;
  private readonly residual: Float64Array;
  private readonly next: Float64Array;
  private readonly step: Float64Array;
  /** The last solution, where the next iteration begins. */
  private readonly u: Float64Array;
  private hasSolution = false;
  private hasJacobian = false;

  constructor(n: number, equations: LoopEquations) {
    this.n = n;
    this.equations = equations;
    this.jacobian = new Float64Array(n * n);
    this.work = newtonWork(n);
    this.residual = new Float64Array(n);
    this.next = new Float64Array(n);
    this.step = new Float64Array(n);
    this.u = new Float64Array(n);
    this.size = n + 1;
  }

  reset(): void {
    this.hasSolution = false;
    this.hasJacobian = false;
  }

  /**
   * @param first where to begin when nothing was solved before. @returns false: there is no
   * solution that is found.
   */
  solve(first: () => Float64Array): boolean {
    const { u } = this;
    if (!this.hasSolution) u.set(first());
    const start = u.slice();
    const wasKept = this.hasJacobian;
    this.hasSolution = true;
    if (this.iterate(u)) return true;
    u.set(start);
    this.hasJacobian = false;
    return wasKept && this.iterate(u);
  }

  save(into: Float64Array): void {
    into.set(this.u);
    into[this.n] = this.hasSolution ? 1 : 0;
  }

  restore(from: Float64Array): void {
    this.u.set(from.subarray(0, this.n));
    this.hasSolution = from[this.n] !== 0;
    this.hasJacobian = false;
  }

  settle(): void {
    this.hasJacobian = false;
  }

  private iterate(u: Float64Array): boolean {
    const { n, residual, next, step, jacobian } = this;
    this.evaluate(u, residual);
    if (!this.hasJacobian) this.differentiate(u);
    for (let k = 0; k < MOST_ITERATIONS; k++) {
      if (isSmall(residual, u)) return true;
      if (solveNewtonStep(n, jacobian, residual, step, this.work) === "singular") return false;
      for (let i = 0; i < n; i++) u[i] += step[i];
      this.evaluate(u, next);
      if (!next.every(Number.isFinite)) return false;
      const change = next.map((value, i) => value - residual[i]);
      broydenUpdate(n, jacobian, step, change);
      residual.set(next);
    }
    return isSmall(residual, u);
  }

  /** r(u) = G(u) − u */
  private evaluate(u: Float64Array, residual: Float64Array): void {
    this.equations.evaluate(u, residual);
    for (let i = 0; i < this.n; i++) residual[i] -= u[i];
  }

  private differentiate(u: Float64Array): void {
    const { n, jacobian, residual, next } = this;
    for (let j = 0; j < n; j++) {
      const kept = u[j];
      u[j] = kept + RELATIVE_STEP * Math.max(1, Math.abs(kept));
      const size = u[j] - kept;
      this.evaluate(u, next);
      for (let i = 0; i < n; i++) jacobian[i * n + j] = (next[i] - residual[i]) / size;
      u[j] = kept;
    }
    this.evaluate(u, residual);
    this.hasJacobian = true;
  }
}

function isSmall(residual: Float64Array, u: Float64Array): boolean {
  return residual.every((r, i) => Math.abs(r) <= TOLERANCE * Math.max(1, Math.abs(u[i])));
}
