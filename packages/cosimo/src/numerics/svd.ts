/**
 * Singular values of small dense matrices: what a set of measurements spans, and how surely.
 *
 * Row-major layout as everywhere in numerics. The decomposition is ml-matrix's (Golub-Reinsch).
 */
import { Matrix, SingularValueDecomposition } from "ml-matrix";

/** A = U diag(s) Vᵀ, thin: k = min(rows, columns) singular values, largest first. */
export interface Svd {
  readonly k: number;
  /** rows × k */
  readonly u: Float64Array;
  readonly s: Float64Array;
  /** columns × k */
  readonly v: Float64Array;
}

export function svd(rows: number, columns: number, a: Float64Array): Svd {
  const k = Math.min(rows, columns);
  const matrix = new Matrix(rows, columns);
  for (let i = 0; i < rows; i++)
    for (let j = 0; j < columns; j++) matrix.set(i, j, a[i * columns + j]);
  const found = new SingularValueDecomposition(matrix, { autoTranspose: true });
  const { leftSingularVectors: left, rightSingularVectors: right, diagonal } = found;
  const u = new Float64Array(rows * k);
  const v = new Float64Array(columns * k);
  for (let c = 0; c < k; c++) {
    for (let i = 0; i < rows; i++) u[i * k + c] = left.get(i, c);
    for (let j = 0; j < columns; j++) v[j * k + c] = right.get(j, c);
  }
  return { k, u, s: Float64Array.from(diagonal.slice(0, k)), v };
}
