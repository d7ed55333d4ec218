/**
 * Coordinates in which quadratic forms are plain lengths: with P = L Lᵀ, x becomes Lᵀ x, and a
 * matrix along an edge L(to)ᵀ A L(from)⁻ᵀ. Where the forms fall slowly along every edge, norms of
 * products in these coordinates are near what the products do in the long run: the good norm of
 * branch and bound.
 */
import { choleskyFactor } from "./cholesky.ts";
import type { EdgeMatrices } from "./lyapunov-assemble.ts";

/**
 * The graph in coordinates of `forms` (one block per node), divided by `scale`; undefined when a
 * form is not positive definite.
 */
export function inCoordinatesOf(
  graph: EdgeMatrices,
  forms: Float64Array,
  scale: number,
): EdgeMatrices | undefined {
  const { n, nodes, from, to, matrices } = graph;
  const size = n * n;
  const factors: Float64Array[] = [];
  for (let v = 0; v < nodes; v++) {
    const factor = forms.slice(v * size, (v + 1) * size);
    if (choleskyFactor(n, factor) !== -1) return undefined;
    factors.push(factor);
  }
  const changed = matrices.map((a, e) => changeOf(n, a, factors[from[e]], factors[to[e]], scale));
  return { n, nodes, from, to, matrices: changed };
}

/** L(to)ᵀ A L(from)⁻ᵀ / scale, by solving along rows: Y L(from)ᵀ = L(to)ᵀ A. */
function changeOf(
  n: number,
  a: Float64Array,
  source: Float64Array,
  target: Float64Array,
  scale: number,
): Float64Array {
  const y = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      let sum = 0;
      for (let k = i; k < n; k++) sum += target[k * n + i] * a[k * n + j];
      y[i * n + j] = sum / scale;
    }
  }
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      let sum = y[i * n + j];
      for (let k = 0; k < j; k++) sum -= y[i * n + k] * source[j * n + k];
      y[i * n + j] = sum / source[j * n + j];
    }
  }
  return y;
}
