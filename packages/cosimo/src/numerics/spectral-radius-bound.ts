/**
 * A number that is certainly at most the spectral radius, for matrices that are known up to an
 * error: what makes an unstable product a proof.
 *
 * With approximate eigenvectors X and eigenvalues D, the matrix is similar to D + X⁻¹R, R = A X − X
 * D: its eigenvalues lie in discs of radius ‖X⁻¹R‖ around D, as many in a connected group of discs
 * as the group has discs (Bauer & Fike). X⁻¹ is bounded by an approximate inverse with a residual
 * below 1. Near defective matrices X⁻¹ is too large; there the bound of Elsner (1985) holds, for
 * any matrix, but with the n-th root of the error.
 */
import { type Eigensystem, eigensystem } from "./eigenvalues.ts";
import { luFactor, luSolve } from "./lu.ts";
import { multiply } from "./matrix.ts";
import { normFrobenius, normInf, roundedDown, roundedUp, ULP } from "./rounding.ts";

/**
 * @param error at least the ∞-norm of the difference between `a` and the matrix that is meant.
 * @returns at most the spectral radius of the matrix that is meant, and at least 0.
 */
export function spectralRadiusBelow(n: number, a: Float64Array, error: number): number {
  if (!a.every(Number.isFinite) || !(error < Infinity)) return 0;
  const system = eigensystem(n, a);
  let leading = 0;
  for (let k = 1; k < n; k++) if (modulus(system, k) > modulus(system, leading)) leading = k;
  const radius = modulus(system, leading);
  if (!(radius > 0)) return 0;
  return Math.max(
    roundedDown(radius * (1 - 4 * ULP) - discs(n, a, error, system)),
    roundedDown(radius * (1 - 4 * ULP) - elsner(n, a, error, system, leading)),
  );
}

function modulus({ re, im }: Eigensystem, k: number): number {
  return Math.hypot(re[k], im[k]);
}

/**
 * How far the leading eigenvalue may be from its approximation, by the discs; Infinity when
 * eigenvectors are too dependent.
 */
function discs(n: number, a: Float64Array, error: number, system: Eigensystem): number {
  // Complex matrices as real ones of twice the size: [Re −Im; Im Re].
  const m = 2 * n;
  const vectors = embed(n, system.vectorsRe, system.vectorsIm);
  const inverse = inverseBound(m, vectors);
  if (!(inverse < Infinity)) return Infinity;
  const matrix = embed(n, a, new Float64Array(n * n));
  const residual = new Float64Array(m * m);
  multiply(m, matrix, vectors, residual);
  for (let i = 0; i < m; i++) {
    for (let k = 0; k < n; k++) {
      const x = vectors[i * m + k];
      const y = vectors[i * m + n + k];
      // The columns k and n + k of X D.
      residual[i * m + k] -= x * system.re[k] + y * system.im[k];
      residual[i * m + n + k] -= y * system.re[k] - x * system.im[k];
    }
  }
  const sizes = normInf(m, vectors);
  const rounding = (m + 6) * ULP * sizes * (2 * normInf(n, a));
  const radius = roundedUp(inverse * (normInf(m, residual) + rounding + error * sizes));
  // A chain of n overlapping discs reaches this far.
  return (2 * n - 1) * radius;
}

function embed(n: number, re: Float64Array, im: Float64Array): Float64Array {
  const m = 2 * n;
  const out = new Float64Array(m * m);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      out[i * m + j] = re[i * n + j];
      out[i * m + n + j] = -im[i * n + j];
      out[(n + i) * m + j] = im[i * n + j];
      out[(n + i) * m + n + j] = re[i * n + j];
    }
  }
  return out;
}

/** At least the ∞-norm of the inverse; Infinity when it cannot be bounded. */
export function inverseBound(n: number, a: Float64Array): number {
  const inverse = approximateInverse(n, a);
  if (inverse === undefined) return Infinity;
  const residual = new Float64Array(n * n);
  multiply(n, inverse, a, residual);
  for (let i = 0; i < n; i++) residual[i * n + i] -= 1;
  const size = normInf(n, inverse);
  const off = normInf(n, residual) + (n + 4) * ULP * (size * normInf(n, a) + 1);
  return off < 0.5 ? roundedUp(size / (1 - roundedUp(off))) : Infinity;
}

/** The inverse as far as floating point gives it; undefined for a singular matrix. */
export function approximateInverse(n: number, a: Float64Array): Float64Array | undefined {
  const factors = Float64Array.from(a);
  const pivots = new Int32Array(n);
  if (luFactor(n, factors, pivots) !== -1) return undefined;
  const inverse = new Float64Array(n * n);
  for (let i = 0; i < n; i++) inverse[i * n + i] = 1;
  luSolve(n, factors, pivots, n, inverse);
  return inverse.every(Number.isFinite) ? inverse : undefined;
}

/** (‖A‖ + ‖B‖)^(1 − 1/n) ‖A − B‖^(1/n), where B has the approximate eigenvalue exactly. */
function elsner(n: number, a: Float64Array, error: number, system: Eigensystem, k: number): number {
  const { re, im, vectorsRe, vectorsIm } = system;
  let residual = 0;
  let length = 0;
  for (let i = 0; i < n; i++) {
    let x = -(re[k] * vectorsRe[i * n + k] - im[k] * vectorsIm[i * n + k]);
    let y = -(re[k] * vectorsIm[i * n + k] + im[k] * vectorsRe[i * n + k]);
    for (let j = 0; j < n; j++) {
      x += a[i * n + j] * vectorsRe[j * n + k];
      y += a[i * n + j] * vectorsIm[j * n + k];
    }
    residual = Math.hypot(residual, x, y);
    length = Math.hypot(length, vectorsRe[i * n + k], vectorsIm[i * n + k]);
  }
  if (!(length > 0.5)) return Infinity;
  const size = normFrobenius(a);
  // From ∞-norms to spectral norms: at most √n each.
  const off = roundedUp(residual / length + (n + 8) * ULP * 4 * size + Math.sqrt(n) * error);
  return roundedUp((2 * size + 2 * off) ** (1 - 1 / n) * off ** (1 / n) * (1 + 16 * ULP));
}
