/**
 * Computes the expected trace without Cosimo: joined by a rod, both masses are one body of 3 kg between two springs and a damper,
 * 3 x'' = -2 x - x', whose solution is a damped oscillation.
 *
 *     node examples/rigid-link/expected.mjs > examples/rigid-link/expected.csv
 */
const decay = 1 / 6;
const frequency = Math.sqrt(2 / 3 - decay * decay);

console.log('"time","left.x_1","left.v_1","right.x_1","right.v_1"');
for (let i = 0; i <= 100; i++) {
  const t = i / 10;
  const [c, s] = [Math.cos(frequency * t), Math.sin(frequency * t)];
  const x = Math.exp(-decay * t) * (c + (decay / frequency) * s);
  const v = -Math.exp(-decay * t) * ((2 / 3 / frequency) * s);
  console.log([t, x, v, x, v].join(","));
}
