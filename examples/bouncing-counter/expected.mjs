/**
 * Computes the expected traces without Cosimo, from the closed solution of every flight.
 *
 *     node examples/bouncing-counter/expected.mjs sampled > examples/bouncing-counter/expected-sampled.csv
 *     node examples/bouncing-counter/expected.mjs clocked > examples/bouncing-counter/expected-clocked.csv
 *     node examples/bouncing-counter/expected.mjs discarded > examples/bouncing-counter/expected-discarded.csv
 *     node examples/bouncing-counter/expected.mjs zeno > examples/bouncing-counter/expected-zeno.csv
 *
 * `sampled`: the counter counts at the end of a step what changed at its start. `clocked`: it counts at the bounce; every bounce has a row.
 * `discarded`: it counts right after the bounce. `zeno`: a ball without a smallest speed, up to where its bounces accumulate.
 */
const [G, E] = [9.81, 0.7];
/** A ball that is slower than this stays on the floor; without a limit it is as good as there after 200 bounces. */
const V_MIN = process.argv[2] === "zeno" ? 1e-30 : 0.1;
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
  clocked() {
    console.log(
      '"time","ball.h","ball.v","ball.bounces","counter.count","counter.sum","counter.changes"',
    );
    const times = [...grid, ...bounces.map(({ time }) => time)].sort((a, b) => a - b);
    for (const t of times) {
      const { h, v, count, sum } = ball(t);
      console.log([t, h, v, count, count, sum, count].join(","));
    }
  },
  discarded() {
    console.log('"time","ball.h","ball.v","ball.bounces","counter.changes"');
    for (const t of grid) {
      const { h, v, count } = ball(t);
      console.log([t, h, v, count, count].join(","));
    }
  },
  zeno() {
    console.log('"time","ball.h","ball.v"');
    for (const t of grid) {
      const { h, v } = ball(t);
      console.log([t, h, v].join(","));
    }
  },
};

const way = WAYS[process.argv[2]];
if (way === undefined) throw new Error(`say what: ${Object.keys(WAYS).join(", ")}`);
way();
