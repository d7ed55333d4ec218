/**
 * Computes expected.csv without Cosimo: the whole drive line as one system of equations, RK4 with 0.2 ms, the controller
 * every 10 ms. What remains between this and the co-simulation is the error of exchanging values only every millisecond.
 *
 *     node examples/drive-line/expected.mjs > examples/drive-line/expected.csv
 */
const [STOP, STEP, STEPS_PER_SAMPLE, SAMPLES_PER_ROW] = [90, 2e-4, 50, 100];
const [KP, KI, WINDUP] = [400, 100, 4];
const [LAG, INERTIA, MAX_TORQUE, MAX_POWER, RESISTANCE] = [0.04, 0.05, 280, 90_000, 0.12];
const [RATIO, STIFFNESS, DAMPING] = [9, 6000, 60];
const [MASS, RADIUS, ROLLING, DRAG_AREA, GRAVITY, AIR] = [1600, 0.3, 0.01, 0.65, 9.80665, 1.2];
const TIMES = [0, 2, 8, 18, 26, 38, 40, 52, 54, 58, 70, 75, 80, 90];
const TARGETS_KMH = [0, 0, 50, 50, 110, 110, 110, 110, 110, 110, 30, 30, 0, 0];
const SLOPES_PERCENT = [0, 0, 0, 0, 0, 0, 6, 6, 0, 0, 0, 0, 0, 0];

function at(t, values) {
  const next = Math.max(
    1,
    TIMES.findIndex((time) => time >= t),
  );
  const part = (t - TIMES[next - 1]) / (TIMES[next] - TIMES[next - 1]);
  return values[next - 1] + part * (values[next] - values[next - 1]);
}
const within = (value, limit) => Math.min(Math.max(value, -limit), limit);
const available = (w) => Math.min(MAX_TORQUE, MAX_POWER / Math.max(Math.abs(w), 1));
const wheelTorque = ([, w, twist, v]) => STIFFNESS * twist + DAMPING * (w / RATIO - v / RADIUS);

/** State: motor torque, motor speed, twist of the shaft, speed of the car. */
function derivatives(t, x, demand) {
  const [torque, w, , v] = x;
  const angle = Math.atan(at(t, SLOPES_PERCENT) / 100);
  const rolling = ROLLING * MASS * GRAVITY * Math.cos(angle) * Math.tanh(v / 0.2);
  const forces =
    rolling + (AIR / 2) * DRAG_AREA * v * Math.abs(v) + MASS * GRAVITY * Math.sin(angle);
  return [
    (within(demand, available(w)) - torque) / LAG,
    (torque - wheelTorque(x) / RATIO) / INERTIA,
    w / RATIO - v / RADIUS,
    (wheelTorque(x) / RADIUS - forces) / MASS,
  ];
}

const plus = (x, h, d) => x.map((value, i) => value + h * d[i]);

function rk4(t, x, demand) {
  const a = derivatives(t, x, demand);
  const b = derivatives(t + STEP / 2, plus(x, STEP / 2, a), demand);
  const c = derivatives(t + STEP / 2, plus(x, STEP / 2, b), demand);
  const d = derivatives(t + STEP, plus(x, STEP, c), demand);
  return x.map((value, i) => value + (STEP / 6) * (a[i] + 2 * b[i] + 2 * c[i] + d[i]));
}

console.log(
  '"time","driver.target","driver.slope","motor.available","motor.power","shaft.motorTorque","vehicle.speed"',
);
let x = [0, 0, 0, 0];
let integral = 0;
const samples = Math.round(STOP / (STEP * STEPS_PER_SAMPLE));
for (let sample = 0; sample <= samples; sample++) {
  const t = sample / 100;
  const [torque, w, , v] = x;
  const limit = available(w);
  const error = at(t, TARGETS_KMH) / 3.6 - v;
  const wanted = KP * error + integral;
  if (sample % SAMPLES_PER_ROW === 0) {
    const power = (torque * w + RESISTANCE * torque * torque) / 1000;
    const row = [
      at(t, TARGETS_KMH),
      at(t, SLOPES_PERCENT),
      limit,
      power,
      wheelTorque(x) / RATIO,
      v * 3.6,
    ];
    console.log([t, ...row.map((value) => Number(value.toPrecision(9)))].join(","));
  }
  integral += 0.01 * (KI * error + WINDUP * (within(wanted, limit) - wanted));
  for (let i = 0; i < STEPS_PER_SAMPLE; i++) x = rk4(t + i * STEP, x, within(wanted, limit));
}
