/**
 * Computes the expected traces without Cosimo.
 *
 *     node examples/servo/expected.mjs found > examples/servo/expected-found.csv
 *     node examples/servo/expected.mjs exact > examples/servo/expected-exact.csv
 *
 * `found`: load, then plant, steps of 1 µs in eight parts of the classical Runge-Kutta method, each with what the other has; the
 * software with what was there when its period began. `exact`: the mechanics as one system, in parts of 1 ns, and the
 * software beside it.
 */
const [M, K, C, F_MAX] = [1e-3, 1.25e6, 1e-3, 5];
const [M_L, D] = [5e-6, 0.2];
const [PERIOD, K_X, K_V, K_L, OMEGA] = [1e-6, 8.6e6, 130, 10, 2e4];
const [SUPPLY, T_STEP, HEIGHT] = [100, 1e-4, 1e-6];
const [STEPS, EVERY, PARTS, FINE] = [2000, 20, 8, 1000];

const limited = (value, bound) => Math.max(-bound, Math.min(bound, value));
const force = (v, q, vl) => limited(K * q + C * (v - vl), F_MAX);
const reference = (n) => (n * PERIOD >= T_STEP - 1e-12 ? HEIGHT : 0);

/** The classical Runge-Kutta method. */
function rungeKutta(slope, x, h) {
  const moved = (k, part) => x.map((value, i) => value + part * k[i]);
  const a = slope(x);
  const b = slope(moved(a, h / 2));
  const c = slope(moved(b, h / 2));
  const d = slope(moved(c, h));
  return x.map((value, i) => value + (h / 6) * (a[i] + 2 * b[i] + 2 * c[i] + d[i]));
}

/** The software: what it reads at the begin of a period is answered at its end. */
function software() {
  let [r1, r2, r3, last] = [0, 0, 0, 0];
  return (ref, x, v) => {
    const part = OMEGA * PERIOD;
    r1 += part * (ref - r1);
    r2 += part * (r1 - r2);
    r3 += part * (r2 - r3);
    const wanted = OMEGA * (r2 - r3);
    const speed = (x - last) / PERIOD;
    last = x;
    return K_X * (r3 - x) + K_V * (wanted - v) + K_L * (wanted - speed);
  };
}

/** @param advance the mechanics over a period: from (v, q, v_l, x) and the voltage to the same later. */
function* servo(advance) {
  let [state, u] = [[0, 0, 0, 0], 0];
  const task = software();
  for (let n = 0; n <= STEPS; n++) {
    const [v, q, vl, x] = state;
    if (n % EVERY === 0) yield [(n * PERIOD).toPrecision(6) * 1, x, vl, force(v, q, vl)];
    const answer = task(reference(n), x, v);
    state = advance(state, limited(u, SUPPLY));
    u = answer;
  }
}

const drag = (vl) => D * vl * Math.abs(vl);

/** Load first, with the force at the start of the step; then the plant, with the velocity at its end. */
function found([v, q, vl, x], u) {
  const f = force(v, q, vl);
  const h = PERIOD / PARTS;
  let [load, plant] = [
    [vl, x],
    [v, q],
  ];
  for (let i = 0; i < PARTS; i++) load = rungeKutta(([w]) => [(f - drag(w)) / M_L, w], load, h);
  const slope = ([w, d]) => [(u - force(w, d, load[0])) / M, w - load[0]];
  for (let i = 0; i < PARTS; i++) plant = rungeKutta(slope, plant, h);
  return [...plant, ...load];
}

function exact(state, u) {
  const slope = ([v, q, vl]) => {
    const f = force(v, q, vl);
    return [(u - f) / M, v - vl, (f - drag(vl)) / M_L, vl];
  };
  let now = state;
  for (let i = 0; i < FINE; i++) now = rungeKutta(slope, now, PERIOD / FINE);
  return now;
}

const rows = servo({ found, exact }[process.argv[2]]);
console.log('"time","load.x","load.v","plant.f"');
for (const row of rows) console.log(row.join(","));
