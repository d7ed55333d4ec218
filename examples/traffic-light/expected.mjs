/**
 * Computes the expected trace without Cosimo.
 *
 *     node examples/traffic-light/expected.mjs > examples/traffic-light/expected.csv
 *
 * Every 300 s the officer goes to work at 100 s and leaves at 300 s. So the light is red for 60 s and green for 40 s, and off for 200 s; yellow is never
 * reached. It says so only when it changes by itself: at 60 s, to green.
 */
const [RED, GREEN, OFF] = [1, 3, 4];
console.log('"time","light.lamp","light.colour"');
for (let t = 0; t <= 1000; t += 10) {
  const phase = t % 300;
  const lamp = phase < 60 ? RED : phase < 100 ? GREEN : OFF;
  console.log([t, lamp, t < 60 ? RED : GREEN].join(","));
}
