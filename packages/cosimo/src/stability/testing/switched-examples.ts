/**
 * Switched systems whose joint spectral radius is known, for tests: from the literature, or built
 * so that theory gives it.
 */
import type { SwitchedSystem } from "../switched-system.ts";
import { freeSystem } from "../switched-system.ts";
import { doubleMass, type Solver } from "./coupled-examples.ts";

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

/**
 * Lost control packets, never more than two in a row of a kind (Philippe, Essick, Dullerud &
 * Jungers 2016): 0.9748171979372074.
 */
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

/**
 * The double mass–spring–damper, each unit by forward Euler or midpoint with 1 or 10 steps inside:
 * 16 matrices over x1, v1, x2, v2.
 */
export function massSpringPolicies(): SwitchedSystem {
  const solvers = (["E", "M"] as const).flatMap((name) =>
    [1, 10].map((steps): Solver => ({ name, steps })),
  );
  const pairs = solvers.flatMap((left) => solvers.map((right) => [left, right] as const));
  const text = ({ name, steps }: Solver): string => `${name}${steps}`;
  return { ...doubleMass(pairs), names: pairs.map((pair) => pair.map(text).join(" ")) };
}

/** The same modes, only some of them allowed, in any order. */
export function only(system: SwitchedSystem, allowed: (mode: number) => boolean): SwitchedSystem {
  const edges = system.automaton.edges.filter(({ mode }) => allowed(mode));
  return { ...system, automaton: { ...system.automaton, edges } };
}
