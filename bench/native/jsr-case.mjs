/**
 * One joint spectral radius, timed: `node jsr-case.mjs <case>` prints seconds, bounds and what
 * proves the upper one. The systems are those of the tests.
 */

import { spectralRadius } from "../../packages/cosimo/dist/numerics/eigenvalues.js";
import { multiply } from "../../packages/cosimo/dist/numerics/matrix.js";
import { jsrBounds } from "../../packages/cosimo/dist/stability/jsr.js";
import { edgeShift } from "../../packages/cosimo/dist/stability/kronecker-lift.js";
import { bestPathComplete } from "../../packages/cosimo/dist/stability/quadratic-certificate.js";
import { freeSystem } from "../../packages/cosimo/dist/stability/switched-system.js";
import { pendulum } from "../../packages/cosimo/dist/stability/testing/coupled-examples.js";
import {
  CONSTRAINED,
  EXACTLY_ONE,
  massSpringPolicies,
  only,
  SHEARS,
  THREE_BY_THREE,
  TWO_BY_TWO,
} from "../../packages/cosimo/dist/stability/testing/switched-examples.js";
import { fastestClosedWalk } from "../../packages/cosimo/dist/stability/unstable-cycle.js";

const BUDGET_MS = 10_000;

const CASES = {
  "two-by-two": () => TWO_BY_TWO,
  "three-by-three": () => THREE_BY_THREE,
  shears: () => SHEARS,
  "exactly-one": () => EXACTLY_ONE,
  constrained: () => CONSTRAINED,
  masses: massSpringPolicies,
  "masses-stable": () => stableAlone(massSpringPolicies()),
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
 * The pendulum where two decisions are remembered and three in a row must not be a product that
 * grows: the smallest rate that a form a node proves, and the fastest cycle up to length 12 beside
 * it.
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

function grows({ dimension: n, matrices }, [first, ...others]) {
  let product = matrices[first];
  for (const mode of others) {
    const next = new Float64Array(n * n);
    multiply(n, matrices[mode], product, next);
    product = next;
  }
  return spectralRadius(n, product) > 1;
}

function stableAlone(system) {
  return only(system, (mode) => spectralRadius(system.dimension, system.matrices[mode]) < 1);
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
