/**
 * Least squares for calibration: Levenberg and Marquardt's method with Marquardt's scaling, bounds
 * by projection, and derivatives by differences, whose runs are made side by side. Nocedal and
 * Wright, "Numerical Optimization", 2006, sec. 10.3.
 */
import { choleskyFactor, choleskySolve } from "../../../numerics/cholesky.ts";
import type { SearchEnd, SearchOptions } from "./score.ts";

/** Gets the residuals of each point; undefined where its run failed. */
export type LeastSquares = Generator<
  readonly Float64Array[],
  LeastSquaresEnd,
  readonly (Float64Array | undefined)[]
>;

export interface LeastSquaresEnd {
  readonly why: SearchEnd["why"] | "failed";
  readonly point: Float64Array;
  /** Of the squares. */
  readonly sum: number;
  /**
   * Standard deviation of each coordinate as the residuals have it; NaN where they do not determine
   * it.
   */
  readonly deviations: Float64Array;
}

/** Of the unit cube: large against rounding in a simulation, small against a bend of it. */
const DIFFERENCE = 1e-5;
const MAX_DAMPING = 1e12;

export function* leastSquares({
  start,
  runs,
  tolerance,
}: Omit<SearchOptions, "seed">): LeastSquares {
  const n = start.length;
  let point: Float64Array = start.slice();
  let damping = 1e-3;
  let [residuals] = yield [point];
  let used = 1;
  const hessian = new Float64Array(n * n);
  const end = (why: LeastSquaresEnd["why"]): LeastSquaresEnd => ({
    why,
    point,
    sum: residuals ? squares(residuals) : Number.NaN,
    deviations: deviationsOf(n, hessian, residuals),
  });
  if (residuals === undefined) return end("failed");
  while (used + n + 1 <= runs) {
    const steps = point.map((x) => (x + DIFFERENCE <= 1 ? DIFFERENCE : -DIFFERENCE));
    const moved = yield Array.from(point, (x, i) => point.with(i, x + steps[i]));
    used += n;
    const columns: Float64Array[] = [];
    for (const [i, other] of moved.entries()) {
      if (other === undefined) return end("failed");
      const here = residuals;
      columns.push(other.map((value, k) => (value - here[k]) / steps[i]));
    }
    const gradient = Float64Array.from(columns, (column) => dot(column, residuals as Float64Array));
    for (let i = 0; i < n; i++)
      for (let j = 0; j < n; j++) hessian[i * n + j] = dot(columns[i], columns[j]);
    const sum = squares(residuals);
    for (;;) {
      const next = stepFrom(n, point, hessian, gradient, damping);
      const size = Math.max(...next.map((x, i) => Math.abs(x - point[i])));
      if (size < tolerance) return end("converged");
      if (used >= runs) return end("runs");
      const [found] = yield [next];
      used++;
      if (found !== undefined && squares(found) < sum) {
        point = next;
        residuals = found;
        damping = Math.max(damping / 10, 1e-15);
        break;
      }
      damping *= 10;
      if (damping > MAX_DAMPING) return end("converged");
    }
  }
  return end("runs");
}

/**
 * Coordinates that would leave the unit cube stay where they are, and the others take their step
 * without them.
 */
function stepFrom(
  n: number,
  point: Float64Array,
  hessian: Float64Array,
  gradient: Float64Array,
  damping: number,
): Float64Array {
  const isHeld = point.map((x, i) =>
    Number((x <= 0 && gradient[i] > 0) || (x >= 1 && gradient[i] < 0)),
  );
  const largest = Math.max(...Array.from(point, (_, i) => hessian[i * (n + 1)]), 1e-300);
  const matrix = hessian.slice();
  const step = gradient.map((g, i) => (isHeld[i] === 1 ? 0 : -g));
  for (let i = 0; i < n; i++) {
    matrix[i * (n + 1)] += damping * Math.max(matrix[i * (n + 1)], 1e-12 * largest);
    if (isHeld[i] === 0) continue;
    for (let j = 0; j < n; j++) {
      matrix[i * n + j] = 0;
      matrix[j * n + i] = 0;
    }
    matrix[i * (n + 1)] = 1;
  }
  if (choleskyFactor(n, matrix) >= 0) return point.slice();
  choleskySolve(n, matrix, step);
  return point.map((x, i) => Math.min(1, Math.max(0, x + step[i])));
}

/** Roots of the diagonal of s² (JᵀJ)⁻¹, with s² the sum of squares per degree of freedom. */
function deviationsOf(
  n: number,
  hessian: Float64Array,
  residuals: Float64Array | undefined,
): Float64Array {
  const unknown = new Float64Array(n).fill(Number.NaN);
  const factor = hessian.slice();
  if (residuals === undefined || residuals.length <= n || choleskyFactor(n, factor) >= 0)
    return unknown;
  const variance = squares(residuals) / (residuals.length - n);
  return unknown.map((_, i) => {
    const unit = new Float64Array(n);
    unit[i] = 1;
    choleskySolve(n, factor, unit);
    return Math.sqrt(variance * unit[i]);
  });
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

function squares(a: Float64Array): number {
  return dot(a, a);
}
