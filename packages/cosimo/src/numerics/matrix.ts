/**
 * The few dense products that the other kernels share. Row-major, size first, nothing allocated.
 */
import { spend } from "./time-limit.ts";

/** y += A x, with A of size rows × columns. */
export function addProduct(
  rows: number,
  columns: number,
  a: Float64Array,
  x: Float64Array,
  y: Float64Array,
): void {
  for (let i = 0; i < rows; i++) {
    let sum = 0;
    for (let j = 0; j < columns; j++) sum += a[i * columns + j] * x[j];
    y[i] += sum;
  }
}

/** C = A B, all n × n; `c` is none of the others. */
export function multiply(n: number, a: Float64Array, b: Float64Array, c: Float64Array): void {
  c.fill(0, 0, n * n);
  for (let i = 0; i < n; i++) {
    spend(n * n);
    for (let k = 0; k < n; k++) {
      const f = a[i * n + k];
      if (f === 0) continue;
      for (let j = 0; j < n; j++) c[i * n + j] += f * b[k * n + j];
    }
  }
}

/** Largest column sum of absolute values. */
export function norm1(n: number, a: Float64Array): number {
  let largest = 0;
  for (let j = 0; j < n; j++) {
    let sum = 0;
    for (let i = 0; i < n; i++) sum += Math.abs(a[i * n + j]);
    if (!(sum <= largest)) largest = sum;
  }
  return largest;
}
