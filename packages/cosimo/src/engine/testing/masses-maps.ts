/**
 * The one-step maps of two coupled mass-spring-dampers (theory: AX-4) under explicit masters,
 * written down from the definition of the masters and the exact solution of each half: an account
 * of them that shares nothing with plans and engine.
 */
import { expm, expmWork } from "../../numerics/expm.ts";

/**
 * In a sequence the later half interpolates to what the earlier one has reached, or holds it over
 * the whole step.
 */
export type MassesMaster =
  | "jacobi"
  | "left first"
  | "right first"
  | "left first, held"
  | "right first, held";

export interface MassesNumbers {
  /** Damper between the masses, and of the right one to the ground. */
  readonly coupling: number;
  readonly damping: number;
}

type Rows = readonly (readonly number[])[];

const times = (m: Rows, x: readonly number[]): number[] =>
  m.map((row) => row.reduce((sum, a, j) => sum + a * x[j], 0));

/**
 * x(t+H) = E x + K0 u + K1 u' for x' = A x + B u with u linear, from one exponential of an
 * augmented matrix.
 */
function halfStep(a: Rows, b: Rows, step: number): { e: Rows; k0: Rows; k1: Rows } {
  const n = a.length;
  const m = b[0].length;
  const size = n + 2 * m;
  const block = new Float64Array(size * size);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) block[i * size + j] = a[i][j] * step;
    for (let j = 0; j < m; j++) block[i * size + n + j] = b[i][j] * step;
  }
  for (let j = 0; j < m; j++) block[(n + j) * size + n + m + j] = step;
  const e = new Float64Array(size * size);
  expm(size, block, e, expmWork(size));
  const part = (from: number, count: number): Rows =>
    Array.from({ length: n }, (_, i) =>
      Array.from({ length: count }, (__, j) => e[i * size + from + j]),
    );
  return { e: part(0, n), k0: part(n, m), k1: part(n + m, m) };
}

/** 4 × 4, row-major, of (x1, v1, x2, v2). */
export function massesMap(
  { coupling: dc, damping: d2 }: MassesNumbers,
  step: number,
  master: MassesMaster,
): Float64Array {
  const left = halfStep(
    [
      [0, 1],
      [-1, -1],
    ],
    [[0], [1]],
    step,
  );
  const right = halfStep(
    [
      [0, 1],
      [-2, -dc - d2],
    ],
    [
      [0, 0],
      [1, dc],
    ],
    step,
  );
  const force = (x2: readonly number[], x1: readonly number[]): number =>
    x2[0] - x1[0] + dc * (x2[1] - x1[1]);
  const next = (
    half: typeof left,
    x: readonly number[],
    u: readonly number[],
    slope: readonly number[],
  ): number[] => {
    const parts = [times(half.e, x), times(half.k0, u), times(half.k1, slope)];
    return x.map((_, i) => parts.reduce((sum, part) => sum + part[i], 0));
  };
  const map = new Float64Array(16);
  for (let j = 0; j < 4; j++) {
    const z = [0, 1, 2, 3].map((i) => Number(i === j));
    const [x1, x2] = [z.slice(0, 2), z.slice(2)];
    const f = force(x2, x1);
    let after: number[];
    if (master === "right first" || master === "right first, held") {
      const n2 = next(right, x2, x1, [0, 0]);
      const reached = force(n2, x1);
      const n1 =
        master === "right first"
          ? next(left, x1, [f], [(reached - f) / step])
          : next(left, x1, [reached], [0]);
      after = [...n1, ...n2];
    } else if (master === "left first, held") {
      const n1 = next(left, x1, [f], [0]);
      after = [...n1, ...next(right, x2, n1, [0, 0])];
    } else {
      const n1 = next(left, x1, [f], [0]);
      const slope = master === "jacobi" ? [0, 0] : n1.map((x, i) => (x - x1[i]) / step);
      after = [...n1, ...next(right, x2, x1, slope)];
    }
    after.forEach((value, i) => {
      map[4 * i + j] = value;
    });
  }
  return map;
}
