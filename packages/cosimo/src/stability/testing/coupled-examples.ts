/**
 * The two couplings whose adaptive simulation is analysed in the literature, as one-step matrices:
 * an inverted pendulum under state feedback (8 policies) and two masses with springs and dampers
 * (16 policies). Built from the printed data, so that tests of stability start from physics and not
 * from matrices typed by hand.
 */
import { freeSystem, type SwitchedSystem } from "../switched-system.ts";

type Rows = readonly (readonly number[])[];

export interface Solver {
  readonly name: "E" | "M";
  /** Internal steps within one communication step. */
  readonly steps: number;
}

/** 1 + hA (forward Euler) or 1 + hA + (hA)²/2 (midpoint), `steps` times. */
function solved(a: Rows, length: number, { name, steps }: Solver): number[][] {
  const h = length / steps;
  const once = add(identity(a.length), scale(a, h));
  const one = name === "E" ? once : add(once, scale(times(a, a), (h * h) / 2));
  let power = one;
  for (let k = 1; k < steps; k++) power = times(one, power);
  return power;
}

/**
 * The pendulum's eight policies: communication step and internal step (0.1, 0.01), (0.1, 0.1),
 * (0.2, 0.02), (0.2, 0.2), each with forward Euler and midpoint. The controller has no dynamics, so
 * the state is the pendulum's.
 */
export function pendulum(): SwitchedSystem {
  const [M, m, b, I, g, l] = [0.5, 0.2, 0.1, 0.006, 9.8, 0.3];
  const p = I * (M + m) + M * m * l * l;
  const a = [
    [0, 1, 0, 0],
    [0, (-(I + m * l * l) * b) / p, (m * m * g * l * l) / p, 0],
    [0, 0, 0, 1],
    [0, (-m * l * b) / p, (m * g * l * (M + m)) / p, 0],
  ];
  const input = [0, (I + m * l * l) / p, 0, (m * l) / p];
  const feedback = [1, 1.6567, -18.6854, -3.4594];
  // The input is held over the step: it is one more state without a derivative.
  const held = [...a.map((row, i) => [...row, input[i]]), [0, 0, 0, 0, 0]];
  const matrices: number[][][] = [];
  const names: string[] = [];
  for (const H of [0.1, 0.2])
    for (const steps of [10, 1])
      for (const name of ["E", "M"] as const) {
        const step = solved(held, H, { name, steps });
        matrices.push(
          [0, 1, 2, 3].map((i) => [0, 1, 2, 3].map((j) => step[i][j] + step[i][4] * feedback[j])),
        );
        names.push(`H=${H} h=${H / steps} ${name}`);
      }
  return freeSystem(matrices, names);
}

/**
 * Policies of the two masses: (left solver, right solver), 0.1 s, inputs held, both units at once.
 */
export function doubleMass(
  choices: readonly (readonly [Solver, Solver])[] = allPairs(),
): SwitchedSystem {
  const H = 0.1;
  const [c1, d1, c2, cc, dc] = [1, 0.1, 1, 1, 0.1];
  // States x1 v1 | x2 v2; left takes the force, right takes x1 and v1 and gives the force. All
  // masses are 1.
  const left = [
    [0, 1, 0],
    [-c1, -d1, 1],
    [0, 0, 0],
  ];
  const right = [
    [0, 1, 0, 0],
    [-c2 - cc, -dc, cc, dc],
    [0, 0, 0, 0],
    [0, 0, 0, 0],
  ];
  const force = [-cc, -dc, cc, dc];
  const matrices = choices.map(([one, other]) => {
    const l = solved(left, H, one);
    const r = solved(right, H, other);
    return [
      ...[0, 1].map((i) => force.map((f, j) => (j < 2 ? l[i][j] : 0) + l[i][2] * f)),
      ...[0, 1].map((i) => [r[i][2], r[i][3], r[i][0], r[i][1]]),
    ];
  });
  const text = ({ name, steps }: Solver): string => `(${name},${steps})`;
  return freeSystem(
    matrices,
    choices.map(([one, other]) => text(one) + text(other)),
  );
}

function allPairs(): (readonly [Solver, Solver])[] {
  const solvers: Solver[] = [
    { name: "E", steps: 10 },
    { name: "E", steps: 1 },
    { name: "M", steps: 10 },
    { name: "M", steps: 1 },
  ];
  return solvers.flatMap((left) => solvers.map((right) => [left, right] as const));
}

function identity(n: number): number[][] {
  return Array.from({ length: n }, (_, i) => Array.from({ length: n }, (_, j) => +(i === j)));
}

function add(a: Rows, b: Rows): number[][] {
  return a.map((row, i) => row.map((value, j) => value + b[i][j]));
}

function scale(a: Rows, factor: number): number[][] {
  return a.map((row) => row.map((value) => factor * value));
}

function times(a: Rows, b: Rows): number[][] {
  return a.map((row) =>
    b[0].map((_, j) => row.reduce((sum, value, k) => sum + value * b[k][j], 0)),
  );
}
