/**
 * Computes what the runs should give without Cosimo: forward Euler of both masses, composed as the master does, with the decisions that
 * follow from its rules. The estimated error of a step is half of what an input (x_1, v_1, F) changed by, against the tolerance; above 1
 * it asks for the careful policy, below 0.5 for the quick one. The guard allows a quick step when the three before were careful.
 *
 *     node examples/double-mass/expected.mjs careful > examples/double-mass/expected-careful.csv
 *     node examples/double-mass/expected.mjs guarded > examples/double-mass/expected-guarded.csv
 *     node examples/double-mass/expected.mjs unguarded > examples/double-mass/expected-unguarded.csv
 *     node examples/double-mass/expected.mjs hasty > examples/double-mass/expected-hasty.csv
 *     node examples/double-mass/expected.mjs table
 */
import { step } from "./policies.mjs";

const [H, STEPS] = [0.1, 2000];
const START = [1, 0, 0, 0];
const SUBSTEPS = { quick: 1, careful: 10 };

const RELATIVE = 1e-4;

const RUNS = {
  careful: { absolute: 0, isAllowed: () => true },
  guarded: { absolute: 0.03, isAllowed: (taken) => !taken.slice(-3).includes("quick") },
  unguarded: { absolute: 0.03, isAllowed: () => true },
  hasty: { absolute: 100, isAllowed: () => true },
  "hasty, guarded": { absolute: 100, isAllowed: (taken) => !taken.slice(-3).includes("quick") },
};

const inputsOf = ([x1, v1, x2, v2]) => [x1, v1, x2 - x1 + 0.1 * (v2 - v1)];

function errorOf(before, after, absolute) {
  const [a, b] = [inputsOf(before), inputsOf(after)];
  const errors = a.map((value, i) => {
    const size = Math.max(Math.abs(value), Math.abs(b[i]));
    return (0.5 * Math.abs(b[i] - value)) / (absolute + RELATIVE * size);
  });
  return Math.max(...errors);
}

function simulate({ absolute, isAllowed }) {
  let state = START;
  let evaluations = 0;
  let wanted = "careful";
  const taken = [];
  const rows = [{ state, evaluations }];
  for (let i = 0; i < STEPS; i++) {
    const policy = wanted === "quick" && !isAllowed(taken) ? "careful" : wanted;
    const before = state;
    state = step(state, SUBSTEPS[policy]);
    evaluations += SUBSTEPS[policy];
    taken.push(policy);
    rows.push({ state, evaluations });
    const error = errorOf(before, state, absolute);
    wanted = error > 1 ? "careful" : error < 0.5 ? "quick" : policy;
  }
  return rows;
}

/** The differential equations of both masses together, by the exponential series of one step. */
function exact(steps) {
  const a = [
    [0, 1, 0, 0],
    [-2, -0.2, 1, 0.1],
    [0, 0, 0, 1],
    [1, 0.1, -2, -0.1],
  ];
  const states = [START];
  for (let i = 0; i < steps; i++) {
    let term = states[i];
    let sum = term;
    for (let k = 1; k <= 20; k++) {
      term = a.map((row) => (H / k) * row.reduce((total, value, j) => total + value * term[j], 0));
      sum = sum.map((value, j) => value + term[j]);
    }
    states.push(sum);
  }
  return states;
}

/** The largest |x_1| of the last 10 s. */
function largest(states) {
  return Math.max(...states.slice(-100).map((state) => Math.abs(state[0])));
}

const [what] = process.argv.slice(2);
if (what === "table") {
  const truth = exact(STEPS);
  console.log(`exact: largest |x_1| of the last 10 s ${largest(truth).toPrecision(3)}`);
  for (const [name, run] of Object.entries(RUNS)) {
    const rows = simulate(run);
    const error = Math.max(...rows.map(({ state }, i) => Math.abs(state[0] - truth[i][0])));
    const size = largest(rows.map(({ state }) => state));
    console.log(
      `${name}: ${2 * rows.at(-1).evaluations} evaluations, error ${error.toFixed(4)}, largest |x_1| of the last 10 s ${size.toPrecision(3)}`,
    );
  }
} else {
  console.log("time,left.x_1,right.x_2,left.evaluations,right.evaluations");
  simulate(RUNS[what]).forEach(({ state, evaluations }, i) => {
    if (i % 20 === 0) console.log(`${i * H},${state[0]},${state[2]},${evaluations},${evaluations}`);
  });
}
