/**
 * One joint spectral radius, timed: `node jsr-case.mjs <case>` prints seconds, bounds and what proves the upper one. The matrices of the physical systems
 * are computed here from their parameters.
 */

import { spectralRadius } from "../../packages/cosimo/dist/numerics/eigenvalues.js";
import { jsrBounds } from "../../packages/cosimo/dist/stability/jsr.js";
import { edgeShift } from "../../packages/cosimo/dist/stability/kronecker-lift.js";
import { bestPathComplete } from "../../packages/cosimo/dist/stability/quadratic-certificate.js";
import { freeSystem } from "../../packages/cosimo/dist/stability/switched-system.js";
import { fastestClosedWalk } from "../../packages/cosimo/dist/stability/unstable-cycle.js";

const BUDGET_MS = 10_000;

const CASES = {
  "two-by-two": () =>
    freeSystem([
      [
        [-1, -1],
        [-4, 0],
      ],
      [
        [3, 3],
        [-2, 1],
      ],
    ]),
  "three-by-three": () =>
    freeSystem([
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
    ]),
  shears: () =>
    freeSystem([
      [
        [1, 1],
        [0, 1],
      ],
      [
        [0.8, 0],
        [0.8, 0.8],
      ],
    ]),
  "exactly-one": () =>
    freeSystem([
      [
        [1, 0],
        [1, 0],
      ],
      [
        [0, 1],
        [0, -1],
      ],
    ]),
  constrained,
  masses,
  "masses-stable": () => stableAlone(masses()),
  "pendulum-stable": () => stableAlone(pendulum()),
  random: () => random(3, 6),
};

const name = process.argv[2];
const began = performance.now();
const answer = name === "certificate" ? certificate() : radius(CASES[name]());
console.log(JSON.stringify({ seconds: (performance.now() - began) / 1000, ...answer }));

function radius(system) {
  const { lower, upper } = jsrBounds(system, {
    budgetMs: BUDGET_MS,
    now: () => performance.now(),
  });
  const gap = upper.value / lower.value - 1;
  return { lower: lower.value, upper: upper.value, gap, method: upper.method };
}

/**
 * The pendulum where two decisions are remembered and three in a row must not be a product that grows: the smallest rate that a form a node
 * proves, and the fastest cycle up to length 12 beside it.
 */
function certificate() {
  const free = pendulum();
  const shifted = edgeShift(edgeShift(free));
  const words = (from, to) => [from >> 3, from & 7, to & 7];
  const edges = shifted.automaton.edges.filter(({ from, to }) => !grows(free, words(from, to)));
  const system = { ...shifted, automaton: { nodes: 64, edges } };
  const { gamma, certificate: found } = bestPathComplete(system, { tolerance: 1e-4 });
  const { rate } = fastestClosedWalk(system, { forms: found, maxLength: 12 });
  return { lower: rate, upper: gamma, gap: gamma / rate - 1, method: "quadratic form a node" };
}

function grows({ dimension: n, matrices }, word) {
  const rows = (a) => Array.from({ length: n }, (_, i) => [...a.subarray(i * n, (i + 1) * n)]);
  const product = word.map((mode) => rows(matrices[mode])).reduce((all, a) => times(a, all));
  return spectralRadius(n, Float64Array.from(product.flat())) > 1;
}

function stableAlone(system) {
  const edges = system.automaton.edges.filter(
    ({ mode }) => spectralRadius(system.dimension, system.matrices[mode]) < 1,
  );
  return { ...system, automaton: { ...system.automaton, edges } };
}

function constrained() {
  const modes = [
    [-0.49, 0.27],
    [0, 0.27],
    [-0.49, 0],
    [0, 0],
  ];
  const edges = [
    [1, 2, 3],
    [2, 1, 2],
    [1, 3, 1],
    [3, 1, 2],
    [2, 3, 1],
    [3, 2, 3],
    [3, 3, 1],
    [3, 4, 4],
    [4, 3, 1],
  ];
  return {
    ...freeSystem(
      modes.map(([a, b]) => [
        [0.94, 0.56],
        [0.14 + a, 0.46 + b],
      ]),
    ),
    automaton: {
      nodes: 4,
      edges: edges.map(([from, to, mode]) => ({ from: from - 1, to: to - 1, mode: mode - 1 })),
    },
  };
}

/** m = c = 1 and d = 0.1 throughout, H = 0.1, jacobi with held inputs. */
function masses() {
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
  const policies = [
    [false, 1],
    [false, 10],
    [true, 1],
    [true, 10],
  ];
  const one = (l, r) => {
    const a = integrated(left, ...l, 0.1);
    const b = integrated(right, ...r, 0.1);
    return [
      ...[0, 1].map((i) => force.map((f, j) => (j < 2 ? a[i][j] : 0) + a[i][2] * f)),
      ...[0, 1].map((i) => [b[i][2], b[i][3], b[i][0], b[i][1]]),
    ];
  };
  return freeSystem(policies.flatMap((l) => policies.map((r) => one(l, r))));
}

/** Inverted pendulum on a cart under state feedback; H and h from {(0.1, 0.01), (0.1, 0.1), (0.2, 0.02), (0.2, 0.2)}. */
function pendulum() {
  const [M, m, b, I, g, l] = [0.5, 0.2, 0.1, 0.006, 9.8, 0.3];
  const p = I * (M + m) + M * m * l * l;
  const feedback = [1, 1.6567, -18.6854, -3.4594];
  const plant = [
    [0, 1, 0, 0, 0],
    [0, (-(I + m * l * l) * b) / p, (m * m * g * l * l) / p, 0, (I + m * l * l) / p],
    [0, 0, 0, 1, 0],
    [0, (-m * l * b) / p, (m * g * l * (M + m)) / p, 0, (m * l) / p],
    [0, 0, 0, 0, 0],
  ];
  const policies = [
    [0.1, 10],
    [0.1, 1],
    [0.2, 10],
    [0.2, 1],
  ];
  return freeSystem(
    policies.flatMap(([H, steps]) =>
      [false, true].map((midpoint) =>
        integrated(plant, midpoint, steps, H)
          .slice(0, 4)
          .map((row) => feedback.map((k, j) => row[j] + row[4] * k)),
      ),
    ),
  );
}

function integrated(a, midpoint, steps, time) {
  const h = time / steps;
  const square = times(a, a);
  const one = a.map((row, i) =>
    row.map((x, j) => (i === j ? 1 : 0) + h * x + (midpoint ? ((h * h) / 2) * square[i][j] : 0)),
  );
  let all = one;
  for (let k = 1; k < steps; k++) all = times(one, all);
  return all;
}

function times(a, b) {
  return a.map((row) => b[0].map((_, j) => row.reduce((sum, x, k) => sum + x * b[k][j], 0)));
}

function random(modes, n) {
  let state = 20_261_116;
  const next = () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648 - 0.5;
  };
  const rows = () => Array.from({ length: n }, () => Array.from({ length: n }, next));
  return freeSystem(Array.from({ length: modes }, rows));
}
