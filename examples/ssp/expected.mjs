/**
 * Computes expected.csv without Cosimo: both halves solved exactly over each step of 0.1 s with inputs that stand still, the
 * lever in between, the parameters of parameters.ssv.
 *
 *     node examples/ssp/expected.mjs > examples/ssp/expected.csv
 */
const [STEP, STEPS, LEVER] = [0.1, 100, 0.5];
const LEFT = { mass: 1.5, stiffness: 1, damping: 1 };
const COUPLING = { stiffness: 1, damping: 0.5 };
const RIGHT = {
  mass: 1,
  stiffness: 2 + COUPLING.stiffness,
  damping: 0 + COUPLING.damping,
};

/** m x'' = -c x - d x' + f with a constant f, from (x, v) over one step: a damped oscillation about f/c. */
function swing({ mass, stiffness, damping }, [x, v], f) {
  const decay = damping / (2 * mass);
  const frequency = Math.sqrt(stiffness / mass - decay * decay);
  const rest = f / stiffness;
  const [sine, cosine] = [Math.sin(frequency * STEP), Math.cos(frequency * STEP)];
  const a = x - rest;
  const b = (v + decay * a) / frequency;
  const shrink = Math.exp(-decay * STEP);
  return [
    rest + shrink * (a * cosine + b * sine),
    shrink * ((frequency * b - decay * a) * cosine - (frequency * a + decay * b) * sine),
  ];
}

const end = ([x, v]) => [LEVER * x, LEVER * v];
const pull = ([x, v]) => COUPLING.stiffness * x + COUPLING.damping * v;

console.log('"time","left.x_1","left.v_1","right.F_c","right.x_2","right.v_2"');
let [left, right] = [
  [0.5, 0],
  [0, 0],
];
for (let i = 0; i <= STEPS; i++) {
  const force = pull(right) - pull(end(left));
  console.log([i / 10, ...left, force, ...right].join(","));
  [left, right] = [swing(LEFT, left, LEVER * force), swing(RIGHT, right, pull(end(left)))];
}
