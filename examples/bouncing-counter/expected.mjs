/**
 * Computes the expected traces without Cosimo, from the closed solution of every flight.
 *
 *     node examples/bouncing-counter/expected.mjs sampled > examples/bouncing-counter/expected-sampled.csv
 *     node examples/bouncing-counter/expected.mjs exact
 *     node examples/bouncing-counter/expected.mjs bounces
 *
 * `sampled`: the counter counts at the end of a step what changed at its start. `exact`: it counts at the bounce. `bounces`: when they
 * are, and how fast the ball is then.
 */
const [G, E, V_MIN] = [9.81, 0.7, 0.1];
const [STEP, STEPS] = [0.1, 30];

/** Bounce k (from 1): its time, the speed before it and the speed after it. */
const bounces = [];
for (let [time, before] = [Math.sqrt(2 / G), Math.sqrt(2 * G)]; ; ) {
  const after = before * E;
  bounces.push({ time, before, after: after < V_MIN ? 0 : after });
  if (after < V_MIN) break;
  [time, before] = [time + (2 * after) / G, after];
}

function ball(t) {
  const passed = bounces.filter(({ time }) => time <= t);
  const { time, after } = passed.at(-1) ?? { time: -Math.sqrt(2 / G), after: Math.sqrt(2 * G) };
  const tau = t - time;
  const count = passed.length;
  if (after === 0) return { h: 0, v: 0, count, sum: sumOf(passed) };
  return { h: (after - (G / 2) * tau) * tau, v: after - G * tau, count, sum: sumOf(passed) };
}

const sumOf = (passed) => passed.reduce((sum, { before }) => sum + before, 0);
const grid = Array.from({ length: STEPS + 1 }, (_, i) => i * STEP);

const WAYS = {
  sampled() {
    console.log('"time","ball.h","ball.v","ball.bounces","counter.changes"');
    let [seen, sampled, changes] = [0, 0, 0];
    for (const t of grid) {
      if (sampled !== seen) changes++;
      seen = sampled;
      const { h, v, count } = ball(t);
      console.log([t, h, v, count, changes].join(","));
      sampled = count;
    }
  },
  exact() {
    console.log(
      '"time","ball.h","ball.v","ball.bounces","counter.count","counter.sum","counter.changes"',
    );
    for (const t of grid) {
      const { h, v, count, sum } = ball(t);
      console.log([t, h, v, count, count, sum, count].join(","));
    }
  },
  bounces() {
    console.log('"time","impact"');
    for (const { time, before } of bounces) console.log([time, before].join(","));
  },
};

const way = WAYS[process.argv[2]];
if (way === undefined) throw new Error(`say what: ${Object.keys(WAYS).join(", ")}`);
way();
