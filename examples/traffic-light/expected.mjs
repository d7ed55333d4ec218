/**
 * Computes the expected trace without Cosimo.
 *
 *     node examples/traffic-light/expected.mjs > examples/traffic-light/expected.csv
 *     node examples/traffic-light/expected.mjs machines > examples/traffic-light/expected-machines.csv
 *
 * Every 300 s the officer goes to work at 100 s and leaves at 300 s. So the light is red for 60 s and green for 40 s, and off for 200 s; yellow is never
 * reached. It says so only when it changes by itself: at 60 s, to green.
 */
const [RED, GREEN, OFF] = [1, 3, 4];

if (process.argv[2] === "machines") eventRows();
else gridRows();

function gridRows() {
  console.log('"time","light.lamp","light.colour"');
  for (let t = 0; t <= 1000; t += 10) console.log([t, lampAt(t), t < 60 ? RED : GREEN].join(","));
}

/** At events only: the light changes by itself 60 s into a period, and is switched 100 s into it and at its end. */
function eventRows() {
  console.log('"time","light.lamp","light.changed"');
  for (let t = 0; t <= 1000; t += 10) {
    const phase = t % 300;
    // The row of the event, and the one after it.
    if (phase === 60) console.log([t, lampAt(t), 1].join(","));
    if ([0, 60, 100].includes(phase)) console.log([t, lampAt(t), 0].join(","));
  }
}

function lampAt(t) {
  const phase = t % 300;
  return phase < 60 ? RED : phase < 100 ? GREEN : OFF;
}
