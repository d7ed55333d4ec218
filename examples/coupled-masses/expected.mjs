/**
 * Computes the expected traces without Cosimo: the exact solution of each unit over a step, composed as the master does.
 *
 *     node examples/coupled-masses/expected.mjs jacobi > examples/coupled-masses/expected.csv
 *     node examples/coupled-masses/expected.mjs gauss-seidel > examples/coupled-masses/expected-gauss-seidel.csv
 *     node examples/coupled-masses/expected.mjs iterative > examples/coupled-masses/expected-iterative.csv
 *
 * A unit x' = A x + B u whose input runs along a straight line from u to w during a step of length h has the solution of the
 * linear system (x, u, (w - u)/h)' with a matrix that holds A and B: its exponential gives the step.
 */
const [STEP, STEPS] = [0.1, 100];
const LEFT = {
  a: [
    [0, 1],
    [-1, -1],
  ],
  b: [[0], [1]],
};
const RIGHT = {
  a: [
    [0, 1],
    [-2, -1],
  ],
  b: [
    [0, 0],
    [1, 1],
  ],
};

const times = (m, n) =>
  m.map((row) => n[0].map((_, j) => row.reduce((sum, x, k) => sum + x * n[k][j], 0)));
const apply = (m, x) => m.map((row) => row.reduce((sum, value, j) => sum + value * x[j], 0));

/** The exponential series; at h = 0.1 twenty terms are more than a double can tell apart. */
function exponential(m) {
  let term = m.map((row, i) => row.map((_, j) => (i === j ? 1 : 0)));
  let sum = term;
  for (let k = 1; k <= 20; k++) {
    term = times(term, m).map((row) => row.map((value) => value / k));
    sum = sum.map((row, i) => row.map((value, j) => value + term[i][j]));
  }
  return sum;
}

/** x after a step in which the inputs run from u to w. */
function stepOf({ a, b }) {
  const [n, m] = [a.length, b[0].length];
  const matrix = Array.from({ length: n + 2 * m }, () => new Array(n + 2 * m).fill(0));
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) matrix[i][j] = a[i][j] * STEP;
    for (let j = 0; j < m; j++) matrix[i][n + j] = b[i][j] * STEP;
  }
  for (let j = 0; j < m; j++) matrix[n + j][n + m + j] = STEP;
  const map = exponential(matrix);
  return (x, u, w = u) =>
    apply(map, [...x, ...u, ...w.map((value, j) => (value - u[j]) / STEP)]).slice(0, n);
}

const left = stepOf(LEFT);
const right = stepOf(RIGHT);
const force = (x1, x2) => x2[0] - x1[0] + x2[1] - x1[1];

const MASTERS = {
  /** Both begin with what the other had at the beginning of the step, and keep it. */
  jacobi: (x1, x2) => [left(x1, [force(x1, x2)]), right(x2, x1)],
  /** The left goes first; the right then knows where the left has come to. */
  "gauss-seidel": (x1, x2) => {
    const next = left(x1, [force(x1, x2)]);
    return [next, right(x2, x1, next)];
  },
  /** Both know where the other comes to: sweeps until nothing changes, which at this step they do fast. */
  iterative: (x1, x2) => {
    let ends = [x1, x2];
    for (let k = 0; k < 60; k++) {
      const next = left(x1, [force(x1, x2)], [force(...ends)]);
      ends = [next, right(x2, x1, next)];
    }
    return ends;
  },
};

const master = MASTERS[process.argv[2]];
if (master === undefined) throw new Error(`name a master: ${Object.keys(MASTERS).join(" or ")}`);
console.log('"time","left.x_1","left.v_1","right.F_c","right.x_2","right.v_2"');
let [x1, x2] = [
  [1, 0],
  [0, 0],
];
for (let i = 0; i <= STEPS; i++) {
  console.log([i / 10, ...x1, force(x1, x2), ...x2].join(","));
  [x1, x2] = master(x1, x2);
}
