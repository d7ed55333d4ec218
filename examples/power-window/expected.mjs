/**
 * Computes the expected traces without Cosimo.
 *
 *     node examples/power-window/expected.mjs exact > examples/power-window/expected.csv
 *     node examples/power-window/expected.mjs unadapted > examples/power-window/expected-unadapted.csv
 *     node examples/power-window/expected.mjs adapted > examples/power-window/expected-adapted.csv
 *     node examples/power-window/expected.mjs facts
 *
 * `exact`: the whole window as one system. Between events it is linear, x' = A x + c, so exp(A t) carries it from one event to the
 * next, and bisection on that solution finds them to rounding: contact with the obstacle, the current that crosses 5 A, the end of the
 * second in which the window retracts. `unadapted` and `adapted`: the units coupled as those scenarios say. `facts`: what the README
 * quotes.
 */

/** Motor: inertia, friction, torque per current, resistance, inductance, battery. */
const [J, B, K, R, L, V] = [0.085, 5, 7.45, 0.15, 0.036, 12];
/** Window: drum radius in m, friction of the glass per speed of the drum. Obstacle: height in m, stiffness in N/m. */
const [RADIUS, FRICTION, POSITION, STIFFNESS] = [0.11, 10, 0.45, 1e5];
/** Driver and controller: when "up" is pressed, the current that means an object, how long the window retracts. */
const [PRESSED, THRESHOLD, RETRACT] = [0.5, 5, 1];
const [STOP, UNADAPTED_STOP, STEP] = [5, 3.3, 0.02];
/** adapted.yaml and controller.sa: the step, and how close to the threshold a current is at it, relative. */
const [ADAPTED_STEP, CLOSE] = [0.002, 1e-4];
const VOLTAGE = { neutral: 0, up: V, emergency: -V };
/** Times that differ by less are the same. */
const TINY = 1e-9;
/** How densely crossings are looked for. */
const LOOK = 1e-3;

/** exp of a flat n × n matrix: the Taylor series of a 2^-k part of it, squared k times. */
function exponential(n, matrix) {
  const norm = Math.max(...matrix.map(Math.abs)) * n;
  const halvings = Math.max(0, Math.ceil(Math.log2(norm)) + 4);
  const small = matrix.map((value) => value / 2 ** halvings);
  let term = Array.from(small, (_, k) => (k % (n + 1) === 0 ? 1 : 0));
  let sum = [...term];
  for (let k = 1; k <= 16; k++) {
    term = product(n, term, small).map((value) => value / k);
    sum = sum.map((value, at) => value + term[at]);
  }
  for (let k = 0; k < halvings; k++) sum = product(n, sum, sum);
  return sum;
}

function product(n, a, b) {
  return Array.from(a, (_, at) => {
    const [row, column] = [Math.floor(at / n), at % n];
    let sum = 0;
    for (let k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + column];
    return sum;
  });
}

/** x' = A x of current, speed, angle and a constant 1, which carries the voltage and where the obstacle's spring begins. */
function dynamics({ voltage, damping = B, stiffness = 0, torque = 0 }) {
  return [
    ...[-R / L, -K / L, 0, voltage / L],
    ...[K / J, -damping / J, -stiffness / J, torque / J],
    ...[0, 1, 0, 0],
    ...[0, 0, 0, 0],
  ];
}

const flow = (matrix, h) =>
  exponential(
    4,
    matrix.map((value) => value * h),
  );
const apply = (e, x) =>
  x.map((_, row) => x.reduce((sum, value, k) => sum + e[4 * row + k] * value, 0));
const height = ([, , theta]) => RADIUS * theta;
const force = (x) => STIFFNESS * Math.max(height(x) - POSITION, 0);

/** The solution as pieces { from, to, x, matrix, mode, touching }, each of them linear. */
function solve() {
  const pieces = [];
  let [t, x, mode, touching, modeEnds] = [0, [0, 0, 0, 1], "neutral", false, PRESSED];
  while (t < STOP) {
    const matrix = dynamics({
      voltage: VOLTAGE[mode],
      damping: B + RADIUS * FRICTION,
      stiffness: touching ? STIFFNESS * RADIUS ** 2 : 0,
      torque: touching ? STIFFNESS * RADIUS * POSITION : 0,
    });
    const piece = { from: t, x, matrix, mode, touching };
    const { to, what, after } = firstEvent(piece, Math.min(modeEnds, STOP));
    pieces.push({ ...piece, to });
    [t, x] = [to, after];
    if (what === "contact") touching = !touching;
    else if (what === "object") [mode, modeEnds] = ["emergency", t + RETRACT];
    else [mode, modeEnds] = [mode === "neutral" ? "up" : "neutral", STOP];
  }
  return pieces;
}

/** How far a piece is beyond each of its events: the first one to get positive ends it. */
const EVENTS = {
  contact: (x, { touching }) => (touching ? -1 : 1) * (height(x) - POSITION),
  object: ([current], { mode }) => (mode === "up" ? current - THRESHOLD : -1),
};

/** Where a piece ends, at most at `until`: the crossings on a grid, then the earliest of them by bisection. */
function firstEvent(piece, until) {
  const longest = until - piece.from;
  for (let k = 1; ; k++) {
    const h = Math.min(k * LOOK, longest);
    const after = carried(piece, h);
    const crossed = Object.keys(EVENTS).filter((what) => EVENTS[what](after, piece) > 0);
    if (crossed.length > 0) {
      const found = crossed.map((what) => [bisect(piece, what, (k - 1) * LOOK, h), what]);
      const [at, what] = found.reduce((first, other) => (other[0] < first[0] ? other : first));
      return { to: piece.from + at, what, after: carried(piece, at) };
    }
    if (h === longest) return { to: until, what: "time", after };
  }
}

function bisect(piece, what, begin, end) {
  let [low, high] = [begin, end];
  for (let k = 0; k < 60; k++) {
    const middle = (low + high) / 2;
    if (EVENTS[what](carried(piece, middle), piece) > 0) high = middle;
    else low = middle;
  }
  return high;
}

/** The state some time after a piece began. */
function carried({ matrix, x }, h) {
  return apply(flow(matrix, h), x);
}

function stateAt(pieces, t) {
  const piece = pieces.find(({ from, to }) => from <= t && t < to) ?? pieces.at(-1);
  return carried(piece, t - piece.from);
}

function exact() {
  const pieces = solve();
  for (let n = 0; n <= Math.round(STOP / STEP); n++) print(n * STEP, stateAt(pieces, n * STEP));
}

/** Jacobi: within a step every unit keeps what it got at the start. The controller answers a step late; the torque has the wrong sign. */
function unadapted() {
  let [x, up] = [[0, 0, 0, 1], false];
  for (let n = 0; n <= Math.round(UNADAPTED_STOP / STEP); n++) {
    print(n * STEP, x);
    const torque = RADIUS * (force(x) + FRICTION * x[1]);
    x = apply(flow(dynamics({ voltage: up ? V : 0, torque }), STEP), x);
    up = n * STEP >= PRESSED;
  }
}

/**
 * Gauss-Seidel over the adapted units: the motor keeps the torque and the switch of the last step; the window answers with what the
 * motor came to (it has no memory, so of its ten steps the last one counts); the controller sees the new current, and sends a step back
 * that goes too far beyond the threshold, or beyond the end of its second. After an event the next step ends where it would have without.
 */
function adapted() {
  const grid = Math.round(STOP / ADAPTED_STEP);
  let [t, x, mode, modeEnds] = [0, [0, 0, 0, 1], "neutral", PRESSED];
  printAdapted(t, x);
  for (let n = 1; n <= grid; ) {
    const matrix = dynamics({ voltage: VOLTAGE[mode], torque: torqueOn(x) });
    const until = Math.min(n * ADAPTED_STEP, mode === "emergency" ? modeEnds : STOP);
    let h = until - t;
    let after = carried({ matrix, x }, h);
    while (mode === "up" && after[0] > THRESHOLD && !close(after[0])) {
      h *= (THRESHOLD - x[0]) / (after[0] - x[0]);
      after = carried({ matrix, x }, h);
    }
    const detected = mode === "up" && close(after[0]);
    t = t + h < until - TINY ? t + h : until;
    x = after;
    if (Math.abs(t - n * ADAPTED_STEP) < TINY) n++;
    if (detected) [mode, modeEnds] = ["emergency", t + RETRACT];
    else if (mode === "emergency" && t >= modeEnds) mode = "neutral";
    else if (mode === "neutral" && Math.abs(t - PRESSED) < TINY) mode = "up";
    if (Math.abs(t / STEP - Math.round(t / STEP)) < TINY || force(x) > 0) printAdapted(t, x);
  }
}

const close = (current) =>
  Math.abs(current - THRESHOLD) <= CLOSE * Math.max(Math.abs(current), THRESHOLD);
const torqueOn = (x) => -RADIUS * (force(x) + FRICTION * x[1]);

function printAdapted(t, x) {
  const [i, omega, theta] = x;
  console.log([t, i, omega, theta, torqueOn(x)].join(","));
}

/** What happens when, and the extremes of the current. */
function facts() {
  const pieces = solve();
  for (const { from, x, mode, touching } of pieces) {
    const [i, omega] = x;
    const where = touching ? "touching" : "free";
    console.log(`t=${from} ${mode}, ${where}: i=${i} omega=${omega} height=${height(x)}`);
  }
  const currents = (from, to) =>
    Array.from({ length: 1000 }, (_, k) => stateAt(pieces, from + ((to - from) * k) / 1000)[0]);
  console.log(`when it starts the current gets to ${Math.max(...currents(0.5, 0.6))} A`);
  console.log(`when it turns round, to ${Math.min(...currents(3.11, 3.3))} A`);
}

function print(t, x) {
  const [i, omega] = x;
  console.log([t, i, omega, height(x), force(x)].join(","));
}

const COLUMNS = {
  exact: ["time", "i", "omega", "height", "force"],
  unadapted: ["time", "i", "omega", "height", "force"],
  adapted: ["time", "i", "omega", "theta", "torque"],
};
const how = process.argv[2];
const make = { exact, unadapted, adapted, facts }[how];
if (make === undefined) throw new Error("say what: exact, unadapted, adapted or facts");
if (how in COLUMNS) console.log(COLUMNS[how].map((name) => `"${name}"`).join(","));
make();
