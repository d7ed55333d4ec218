/**
 * One stabilization, timed: `node stabilize-case.mjs <lift> [exact]` prints CPU seconds, growth rate and proof. The matrices are
 * computed here from the parameters of the pendulum.
 */
import { stabilize } from "../../packages/cosimo/dist/stability/stabilize.js";
import { verifyStability } from "../../packages/cosimo/dist/stability/stabilize-verify.js";
import { freeSystem } from "../../packages/cosimo/dist/stability/switched-system.js";

const times = (a, b) =>
  a.map((row) => b[0].map((_, j) => row.reduce((sum, value, k) => sum + value * b[k][j], 0)));

/** 1 + hA, or 1 + hA + (hA)²/2, to the power of `steps`. */
function solved(a, length, steps, isMidpoint) {
  const h = length / steps;
  const square = times(a, a);
  const one = a.map((row, i) =>
    row.map((x, j) => +(i === j) + h * x + (isMidpoint ? (h * h * square[i][j]) / 2 : 0)),
  );
  let power = one;
  for (let k = 1; k < steps; k++) power = times(one, power);
  return power;
}

/** The inverted pendulum under state feedback: two communication steps, two internal steps, two solvers. */
function pendulum() {
  const [M, m, b, I, g, l] = [0.5, 0.2, 0.1, 0.006, 9.8, 0.3];
  const p = I * (M + m) + M * m * l * l;
  const held = [
    [0, 1, 0, 0, 0],
    [0, (-(I + m * l * l) * b) / p, (m * m * g * l * l) / p, 0, (I + m * l * l) / p],
    [0, 0, 0, 1, 0],
    [0, (-m * l * b) / p, (m * g * l * (M + m)) / p, 0, (m * l) / p],
    [0, 0, 0, 0, 0],
  ];
  const feedback = [1, 1.6567, -18.6854, -3.4594];
  const policies = [0.1, 0.2].flatMap((H) =>
    [10, 1].flatMap((steps) =>
      [false, true].map((isMidpoint) => solved(held, H, steps, isMidpoint)),
    ),
  );
  return freeSystem(
    policies.map((step) =>
      [0, 1, 2, 3].map((i) => feedback.map((f, j) => step[i][j] + step[i][4] * f)),
    ),
  );
}

const [lift, exact] = process.argv.slice(2);
const system = pendulum();
const began = process.cpuUsage();
const result = stabilize(system, { lift: Number(lift), exact: exact === "exact" });
const { user, system: kernel } = process.cpuUsage(began);
const check = verifyStability({ ...system, automaton: result.automaton }, result.forms);
console.log(
  JSON.stringify({
    seconds: (user + kernel) / 1e6,
    rate: result.rate.lower,
    removed: result.forbidden.length,
    rounds: result.rounds,
    isOptimal: result.isOptimal,
    longest: result.proof.longest,
    holds: check.holds,
  }),
);
