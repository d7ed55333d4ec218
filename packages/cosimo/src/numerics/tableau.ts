/**
 * Coefficients of explicit Runge–Kutta methods, as data. The claimed orders are tested in
 * runge-kutta.test.ts.
 *
 * `a` is row-major, `stages` × `stages`, strictly lower triangular. `error`, where present, is b −
 * b̂: its combination of the stages estimates the local error. Hairer, Nørsett & Wanner, Solving
 * Ordinary Differential Equations I, sec. II.1 and II.5.
 */

export interface Tableau {
  readonly name: string;
  readonly order: number;
  readonly stages: number;
  readonly a: Float64Array;
  readonly b: Float64Array;
  readonly c: Float64Array;
  readonly error?: Float64Array;
}

function tableau(
  name: string,
  order: number,
  rows: readonly (readonly number[])[],
  b: readonly number[],
  error?: readonly number[],
): Tableau {
  const stages = b.length;
  const a = new Float64Array(stages * stages);
  const c = new Float64Array(stages);
  rows.forEach((row, i) => {
    a.set(row, i * stages);
    c[i] = row.reduce((sum, coefficient) => sum + coefficient, 0);
  });
  const data = { name, order, stages, a, b: Float64Array.from(b), c };
  return error === undefined ? data : { ...data, error: Float64Array.from(error) };
}

export const EULER: Tableau = tableau("euler", 1, [[]], [1]);
export const HEUN: Tableau = tableau("heun", 2, [[], [1]], [1 / 2, 1 / 2]);
export const MIDPOINT: Tableau = tableau("midpoint", 2, [[], [1 / 2]], [0, 1]);
export const RK4: Tableau = tableau(
  "rk4",
  4,
  [[], [1 / 2], [0, 1 / 2], [0, 0, 1]],
  [1 / 6, 1 / 3, 1 / 3, 1 / 6],
);

/** Dormand & Prince 1980, 5(4): the everyday method with error control. */
export const DORMAND_PRINCE: Tableau = tableau(
  "dormand-prince",
  5,
  [
    [],
    [1 / 5],
    [3 / 40, 9 / 40],
    [44 / 45, -56 / 15, 32 / 9],
    [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729],
    [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656],
    [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84],
  ],
  [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84, 0],
  [
    35 / 384 - 5179 / 57600,
    0,
    500 / 1113 - 7571 / 16695,
    125 / 192 - 393 / 640,
    -2187 / 6784 + 92097 / 339200,
    11 / 84 - 187 / 2100,
    -1 / 40,
  ],
);

export const TABLEAUS: readonly Tableau[] = [EULER, HEUN, MIDPOINT, RK4, DORMAND_PRINCE];
