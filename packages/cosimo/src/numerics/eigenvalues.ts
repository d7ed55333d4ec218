/**
 * Eigenvalues of small dense matrices, for the analysis of one-step maps.
 *
 * Row-major layout as everywhere in numerics. The decomposition is ml-matrix's (Householder, then shifted QR); it is backward stable, so
 * an eigenvalue is exact for a matrix that differs by a few ulps of the norm.
 */
import { EigenvalueDecomposition, Matrix } from "ml-matrix";

export interface Eigenvalues {
  readonly re: Float64Array;
  readonly im: Float64Array;
}

export interface Eigensystem extends Eigenvalues {
  /**
   * Right eigenvectors by column, n × n row-major, real and imaginary parts, each of length 1.
   */
  readonly vectorsRe: Float64Array;
  readonly vectorsIm: Float64Array;
}

export function eigenvalues(n: number, a: Float64Array): Eigenvalues {
  const { realEigenvalues, imaginaryEigenvalues } = decompose(n, a);
  return {
    re: Float64Array.from(realEigenvalues),
    im: Float64Array.from(imaginaryEigenvalues),
  };
}

/** Largest modulus of an eigenvalue. */
export function spectralRadius(n: number, a: Float64Array): number {
  const { re, im } = eigenvalues(n, a);
  let radius = 0;
  for (let i = 0; i < n; i++) radius = Math.max(radius, Math.hypot(re[i], im[i]));
  return radius;
}

/** Eigenvalues with right eigenvectors. Of a defective matrix, vectors of one eigenvalue may coincide. */
export function eigensystem(n: number, a: Float64Array): Eigensystem {
  const decomposition = decompose(n, a);
  const re = Float64Array.from(decomposition.realEigenvalues);
  const im = Float64Array.from(decomposition.imaginaryEigenvalues);
  const columns = decomposition.eigenvectorMatrix;
  const vectorsRe = new Float64Array(n * n);
  const vectorsIm = new Float64Array(n * n);
  for (let k = 0; k < n; k++) {
    const isPair = im[k] !== 0 && k + 1 < n;
    for (let i = 0; i < n; i++) {
      vectorsRe[n * i + k] = columns.get(i, k);
      if (!isPair) continue;
      // A conjugate pair shares two real columns: the parts of its first vector.
      const part = columns.get(i, k + 1);
      vectorsIm[n * i + k] = part;
      vectorsRe[n * i + k + 1] = vectorsRe[n * i + k];
      vectorsIm[n * i + k + 1] = -part;
    }
    normalize(n, vectorsRe, vectorsIm, k);
    if (isPair) normalize(n, vectorsRe, vectorsIm, ++k);
  }
  return { re, im, vectorsRe, vectorsIm };
}

function decompose(n: number, a: Float64Array): EigenvalueDecomposition {
  const matrix = new Matrix(n, n);
  for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) matrix.set(i, j, a[n * i + j]);
  return new EigenvalueDecomposition(matrix);
}

function normalize(n: number, re: Float64Array, im: Float64Array, k: number): void {
  let length = 0;
  for (let i = 0; i < n; i++) length = Math.hypot(length, re[n * i + k], im[n * i + k]);
  if (length === 0) return;
  for (let i = 0; i < n; i++) {
    re[n * i + k] /= length;
    im[n * i + k] /= length;
  }
}
