/**
 * Computes the expected traces without Cosimo.
 *
 *     node examples/quarter-car/expected.mjs hold-jacobi > examples/quarter-car/expected-hold-jacobi.csv
 *
 * and so on for hold-gauss-seidel, hold-iterative and area-preserving: chassis and wheel, each solved exactly over a step of
 * 10 ms for the inputs that the master gives it. `exact` is the whole car as one linear system, before, on and after the
 * ramp. All by the exponential of a matrix in which inputs are states with a constant slope.
 */
const [M_C, M_W, C_S, D_S, C_T] = [400, 40, 15000, 1000, 150000];
const [BEGIN, DURATION, HEIGHT] = [0.998, 0.004, 0.1];
const [STEP, STEPS, EVERY] = [0.01, 1000, 10];

const times = (m, n) =>
  m.map((row) => n[0].map((_, j) => row.reduce((sum, x, k) => sum + x * n[k][j], 0)));
const apply = (m, x) => m.map((row) => row.reduce((sum, value, j) => sum + value * x[j], 0));

/** exp(m h): the series for a part of h that is short enough, squared. */
function exponential(m, h) {
  const squarings = Math.max(0, Math.ceil(Math.log2(h / 1e-5)));
  let term = m.map((row, i) => row.map((_, j) => (i === j ? 1 : 0)));
  let sum = term;
  for (let k = 1; k <= 12; k++) {
    term = times(term, m).map((row) => row.map((value) => (value * h) / 2 ** squarings / k));
    sum = sum.map((row, i) => row.map((value, j) => value + term[i][j]));
  }
  for (let s = 0; s < squarings; s++) sum = times(sum, sum);
  return sum;
}

/** x' = a x + b u, u' = slopes: (x, u, slopes) one step later, the states alone. */
function unit(a, b) {
  const inputs = b[0].length;
  const size = a.length + 2 * inputs;
  const rows = Array.from({ length: size }, (_, i) =>
    Array.from({ length: size }, (_, j) => {
      if (i < a.length) return j < a.length ? a[i][j] : (b[i][j - a.length] ?? 0);
      return j === i + inputs ? 1 : 0;
    }),
  );
  const map = exponential(rows, STEP);
  return (x, u, slopes = u.map(() => 0)) => apply(map, [...x, ...u, ...slopes]).slice(0, a.length);
}

/** z_c, v_c; in: z_w, v_w */
const stepChassis = unit(
  [
    [0, 1],
    [-C_S / M_C, -D_S / M_C],
  ],
  [
    [0, 0],
    [C_S / M_C, D_S / M_C],
  ],
);
/** z_w, v_w, z_road; in: F, v_road */
const stepWheel = unit(
  [
    [0, 1, 0],
    [-C_T / M_W, 0, C_T / M_W],
    [0, 0, 0],
  ],
  [
    [0, 0],
    [1 / M_W, 0],
    [0, 1],
  ],
);
/** z_c, v_c, z_w, v_w, z_road; v_road */
const CAR = [
  [0, 1, 0, 0, 0, 0],
  [-C_S / M_C, -D_S / M_C, C_S / M_C, D_S / M_C, 0, 0],
  [0, 0, 0, 1, 0, 0],
  [C_S / M_W, D_S / M_W, (-C_S - C_T) / M_W, -D_S / M_W, C_T / M_W, 0],
  [0, 0, 0, 0, 0, 1],
  [0, 0, 0, 0, 0, 0],
];

const force = ([zc, vc], [zw, vw]) => C_S * (zc - zw) + D_S * (vc - vw);
const sampledVelocity = (t) => (t >= BEGIN && t < BEGIN + DURATION ? HEIGHT / DURATION : 0);
const roadHeight = (t) => HEIGHT * Math.min(1, Math.max(0, (t - BEGIN) / DURATION));

/** The chassis follows the wheel on a straight line from where it was to where it is. */
function follow(chassis, before, after) {
  const slopes = [0, 1].map((i) => (after[i] - before[i]) / STEP);
  return stepChassis(chassis, before.slice(0, 2), slopes);
}

/** What becomes of chassis and wheel in a step; `memory` is what a master carries on. */
const MASTERS = {
  "hold-jacobi": (t, chassis, wheel) => [
    stepChassis(chassis, wheel.slice(0, 2)),
    stepWheel(wheel, [force(chassis, wheel), sampledVelocity(t)]),
  ],
  // The road goes first: over its step the wheel has the velocity that the road has reached.
  "hold-gauss-seidel": (t, chassis, wheel) => {
    const next = stepWheel(wheel, [force(chassis, wheel), sampledVelocity(t + STEP)]);
    return [follow(chassis, wheel, next), next];
  },
  // Inputs are held at what they will be: the force is the one that it leads to, and everything is linear.
  "hold-iterative": (t, chassis, wheel) => {
    const trial = (f) => {
      const next = stepWheel(wheel, [f, sampledVelocity(t + STEP)]);
      return [stepChassis(chassis, next.slice(0, 2)), next];
    };
    const [at0, at1] = [force(...trial(0)), force(...trial(1))];
    return trial(at0 / (1 - (at1 - at0)));
  },
  // The wheel gets the mean of the road's velocity, and of the force what the step before did not give it.
  "area-preserving": (t, chassis, wheel, memory) => {
    const velocity = (roadHeight(t + STEP) - roadHeight(t)) / STEP;
    const before = force(chassis, wheel);
    const next = stepWheel(wheel, [before + (memory.owed ?? 0) / STEP, velocity]);
    const after = follow(chassis, wheel, next);
    memory.owed = (STEP / 2) * (force(after, next) - before);
    return [after, next];
  },
};

function stepwise(master, row) {
  let [chassis, wheel] = [
    [0, 0],
    [0, 0, 0],
  ];
  const memory = {};
  for (let i = 0; i <= STEPS; i++) {
    if (i % EVERY === 0) row(i, chassis, wheel);
    [chassis, wheel] = master(i * STEP, chassis, wheel, memory);
  }
}

function exact(row) {
  const pieces = [
    { until: BEGIN, velocity: 0 },
    { until: BEGIN + DURATION, velocity: HEIGHT / DURATION },
    { until: Number.POSITIVE_INFINITY, velocity: 0 },
  ];
  for (let i = 0; i <= STEPS; i += EVERY) {
    let [car, at] = [[0, 0, 0, 0, 0], 0];
    for (const { until, velocity } of pieces) {
      const h = Math.min(until, i * STEP) - at;
      if (h <= 0) break;
      car = apply(exponential(CAR, h), [...car, velocity]).slice(0, 5);
      at += h;
    }
    row(i, car.slice(0, 2), car.slice(2));
  }
}

const how = process.argv[2];
const master = MASTERS[how];
if (master === undefined && how !== "exact")
  throw new Error(`say how: ${[...Object.keys(MASTERS), "exact"].join(", ")}`);
console.log('"time","wheel.z_w","wheel.z_road","chassis.z_c"');
const print = (i, chassis, wheel) =>
  console.log([i / 100, wheel[0], wheel[2], chassis[0]].join(","));
if (master === undefined) exact(print);
else stepwise(master, print);
