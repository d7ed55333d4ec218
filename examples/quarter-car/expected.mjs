/**
 * Computes the expected traces without Cosimo.
 *
 *     node examples/quarter-car/expected.mjs hold > examples/quarter-car/expected-hold.csv
 *     node examples/quarter-car/expected.mjs exact
 *
 * `hold`: chassis and wheel, each solved exactly over a step of 10 ms in which its inputs are what they were at the start.
 * `exact`: the whole car as one linear system, before, on and after the ramp. All by the exponential of a matrix; in both,
 * inputs are states that do not change.
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

/** z_c, v_c; z_w, v_w */
const CHASSIS = [
  [0, 1, 0, 0],
  [-C_S / M_C, -D_S / M_C, C_S / M_C, D_S / M_C],
  [0, 0, 0, 0],
  [0, 0, 0, 0],
];
/** z_w, v_w, z_road; F, v_road */
const WHEEL = [
  [0, 1, 0, 0, 0],
  [-C_T / M_W, 0, C_T / M_W, 1 / M_W, 0],
  [0, 0, 0, 0, 1],
  [0, 0, 0, 0, 0],
  [0, 0, 0, 0, 0],
];
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

function hold(row) {
  const chassisStep = exponential(CHASSIS, STEP);
  const wheelStep = exponential(WHEEL, STEP);
  let [chassis, wheel] = [
    [0, 0],
    [0, 0, 0],
  ];
  for (let i = 0; i <= STEPS; i++) {
    if (i % EVERY === 0) row(i, chassis, wheel);
    const onRamp = i * STEP >= BEGIN && i * STEP < BEGIN + DURATION;
    const inputs = [force(chassis, wheel), onRamp ? HEIGHT / DURATION : 0];
    const next = apply(chassisStep, [...chassis, wheel[0], wheel[1]]).slice(0, 2);
    wheel = apply(wheelStep, [...wheel, ...inputs]).slice(0, 3);
    chassis = next;
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

const how = { hold, exact }[process.argv[2]];
if (how === undefined) throw new Error("say how: hold or exact");
console.log('"time","wheel.z_w","wheel.z_road","chassis.F","chassis.z_c"');
how((i, chassis, wheel) => {
  console.log([i / 100, wheel[0], wheel[2], force(chassis, wheel), chassis[0]].join(","));
});
