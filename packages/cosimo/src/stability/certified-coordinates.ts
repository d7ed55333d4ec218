/**
 * Matrices in the coordinates of quadratic forms, with bounds of what rounding did to them. In good
 * coordinates no factor of a product is much larger than the product itself, so that errors of long
 * products stay small beside them: in the coordinates that people use, bounds of long products say
 * nothing.
 */
import { choleskyFactor } from "../numerics/cholesky.ts";
import type { EdgeMatrices } from "../numerics/lyapunov-assemble.ts";
import { inCoordinatesOf } from "../numerics/lyapunov-coordinates.ts";
import { multiply } from "../numerics/matrix.ts";
import { normFrobenius, normInf, roundedUp, ULP } from "../numerics/rounding.ts";
import { inverseBound } from "../numerics/spectral-radius-bound.ts";

export interface CertifiedCoordinates {
  readonly graph: EdgeMatrices;
  /** At least the spectral norm of an edge's matrix. */
  readonly sizes: Float64Array;
  /** At least the spectral norm of what it is off. */
  readonly errors: Float64Array;
}

/**
 * @param forms one block per node. @returns undefined when a form is not positive definite, or
 * nearly so.
 */
export function certifiedCoordinates(
  graph: EdgeMatrices,
  forms: Float64Array,
): CertifiedCoordinates | undefined {
  const changed = inCoordinatesOf(graph, forms, 1);
  const errors = changed && coordinateErrors(graph, changed, forms);
  return (
    errors && { graph: changed, sizes: Float64Array.from(changed.matrices, normFrobenius), errors }
  );
}

/**
 * A bound of the error (spectral norm) of A P, for the edge of A and a product P of this size and
 * error.
 */
export function nextError(
  { graph: { n }, sizes, errors }: CertifiedCoordinates,
  edge: number,
  size: number,
  error: number,
): number {
  const factor = sizes[edge];
  return roundedUp(factor * error + errors[edge] * (size + error) + (n + 2) * ULP * factor * size);
}

/**
 * How far the matrices in coordinates are from the exact ones, in the spectral norm: B T(from) −
 * T(to) A is small and computable, and what is left is a bound for the inverse of T(from).
 */
function coordinateErrors(
  { n, nodes, from, to, matrices }: EdgeMatrices,
  changed: EdgeMatrices,
  blocks: Float64Array,
): Float64Array | undefined {
  const size = n * n;
  const factors: Float64Array[] = [];
  const inverses = new Float64Array(nodes);
  for (let v = 0; v < nodes; v++) {
    const l = blocks.slice(v * size, (v + 1) * size);
    choleskyFactor(n, l);
    const t = new Float64Array(size);
    for (let i = 0; i < n; i++) for (let j = 0; j <= i; j++) t[j * n + i] = l[i * n + j];
    factors.push(t);
    inverses[v] = inverseBound(n, t);
  }
  const left = new Float64Array(size);
  const right = new Float64Array(size);
  const errors = Float64Array.from(matrices, (a, e) => {
    const source = factors[from[e]];
    const target = factors[to[e]];
    const b = changed.matrices[e];
    multiply(n, b, source, left);
    multiply(n, target, a, right);
    for (let i = 0; i < size; i++) left[i] = left[i] - right[i];
    const rounding =
      (n + 2) * ULP * (normInf(n, b) * normInf(n, source) + normInf(n, target) * normInf(n, a));
    // √n from the ∞-norm to the spectral norm.
    return roundedUp(Math.sqrt(n) * (normInf(n, left) + rounding) * inverses[from[e]]);
  });
  return errors.every(Number.isFinite) ? errors : undefined;
}
