/**
 * Switched systems whose joint spectral radius is known, for tests: from the literature, or built so that theory tells it.
 */
import type { SwitchedSystem } from "../switched-system.ts";
import { freeSystem } from "../switched-system.ts";

type Rows = number[][];

/** 3.917384715148 = √15.3459…, the larger root of λ² + 13 λ − 36 in modulus, for the word 1 2. */
export const TWO_BY_TWO: SwitchedSystem = freeSystem([
  [
    [-1, -1],
    [-4, 0],
  ],
  [
    [3, 3],
    [-2, 1],
  ],
]);
export const TWO_BY_TWO_RADIUS: number = Math.sqrt((13 + Math.sqrt(313)) / 2);

/** The golden ratio. */
export const THREE_BY_THREE: SwitchedSystem = freeSystem([
  [
    [0, 1, 1],
    [1, 0, 0],
    [0, -1, 0],
  ],
  [
    [0, 1, 0],
    [-1, 0, 1],
    [-1, 0, 0],
  ],
]);
export const GOLDEN: number = (1 + Math.sqrt(5)) / 2;

/** Golden ratio times √0.8, for the word 1 2. */
export const SHEARS: SwitchedSystem = shears(0.8);

/** [[1, 1], [0, 1]] and `factor` times its transpose. */
export function shears(factor: number): SwitchedSystem {
  return freeSystem([
    [
      [1, 1],
      [0, 1],
    ],
    [
      [factor, 0],
      [factor, factor],
    ],
  ]);
}

/** Exactly 1, where one quadratic form for both proves only √2. */
export const EXACTLY_ONE: SwitchedSystem = freeSystem([
  [
    [1, 0],
    [1, 0],
  ],
  [
    [0, 1],
    [0, -1],
  ],
]);

const [K1, K2] = [-0.49, 0.27];
const feedback = (a: number, b: number): Rows => [
  [0.94, 0.56],
  [0.14 + a, 0.46 + b],
];

/** Lost control packets, never more than two in a row of a kind (Philippe, Essick, Dullerud & Jungers 2016): 0.9748171979372074. */
export const CONSTRAINED: SwitchedSystem = {
  ...freeSystem([feedback(K1, K2), feedback(0, K2), feedback(K1, 0), feedback(0, 0)]),
  automaton: {
    nodes: 4,
    edges: [
      [1, 2, 3],
      [2, 1, 2],
      [1, 3, 1],
      [3, 1, 2],
      [2, 3, 1],
      [3, 2, 3],
      [3, 3, 1],
      [3, 4, 4],
      [4, 3, 1],
    ].map(([from, to, mode]) => ({ from: from! - 1, to: to! - 1, mode: mode! - 1 })),
  },
};

const identity = (n: number): Rows =>
  Array.from({ length: n }, (_, i) => Array.from({ length: n }, (_, j) => (i === j ? 1 : 0)));
const times = (a: Rows, b: Rows): Rows =>
  a.map((row) => b[0]!.map((_, j) => row.reduce((sum, x, k) => sum + x * b[k]![j]!, 0)));
const plus = (a: Rows, factor: number, b: Rows): Rows =>
  a.map((row, i) => row.map((x, j) => x + factor * b[i]![j]!));

/** `steps` of forward Euler or of the midpoint rule through ẋ = A x, over `time`. */
export function integrated(a: Rows, midpoint: boolean, time: number, steps: number): Rows {
  const h = time / steps;
  const euler = plus(identity(a.length), h, a);
  const one = midpoint ? plus(euler, (h * h) / 2, times(a, a)) : euler;
  let all = identity(a.length);
  for (let k = 0; k < steps; k++) all = times(one, all);
  return all;
}

/**
 * The double mass–spring–damper: m1 = c1 = m2 = c2 = cc = 1, d1 = dc = 0.1, H = 0.1, jacobi with inputs held. Each unit by forward Euler or midpoint with
 * 1 or 10 steps inside: 16 matrices over x1, v1, x2, v2.
 */
export function massSpringPolicies(): SwitchedSystem {
  const H = 0.1;
  // ẋ of a unit over its states and its held inputs: the force on the left, x1 and v1 on the right.
  const left = [
    [0, 1, 0],
    [-1, -0.1, 1],
    [0, 0, 0],
  ];
  const right = [
    [0, 1, 0, 0],
    [-2, -0.1, 1, 0.1],
    [0, 0, 0, 0],
    [0, 0, 0, 0],
  ];
  const force = [-1, -0.1, 1, 0.1];
  const policies = ["E1", "E10", "M1", "M10"].map((name) => ({
    name,
    midpoint: name.startsWith("M"),
    steps: Number(name.slice(1)),
  }));
  const matrices: Rows[] = [];
  const names: string[] = [];
  for (const l of policies) {
    for (const r of policies) {
      const a = integrated(left, l.midpoint, H, l.steps);
      const b = integrated(right, r.midpoint, H, r.steps);
      matrices.push([
        ...[0, 1].map((i) => force.map((f, j) => (j < 2 ? a[i]![j]! : 0) + a[i]![2]! * f)),
        ...[0, 1].map((i) => [b[i]![2]!, b[i]![3]!, b[i]![0]!, b[i]![1]!]),
      ]);
      names.push(`${l.name} ${r.name}`);
    }
  }
  return freeSystem(matrices, names);
}

/** The same modes, only some of them allowed, in any order. */
export function only(system: SwitchedSystem, allowed: (mode: number) => boolean): SwitchedSystem {
  const edges = system.automaton.edges.filter(({ mode }) => allowed(mode));
  return { ...system, automaton: { ...system.automaton, edges } };
}
