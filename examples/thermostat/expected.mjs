/**
 * Computes the expected traces without Cosimo.
 *
 *     node examples/thermostat/expected.mjs late > examples/thermostat/expected-late.csv
 *     node examples/thermostat/expected.mjs exact > examples/thermostat/expected.csv
 *     node examples/thermostat/expected.mjs sampled > examples/thermostat/expected-sampled.csv
 *     node examples/thermostat/expected.mjs quantized > examples/thermostat/expected-quantized.csv
 *     node examples/thermostat/expected.mjs one > examples/thermostat/expected-qss.csv
 *
 * `late`: steps of 0.5 s in which both units keep what they got at the start. `exact`: the closed solution between switches, with
 * ln(11/9) / a from 19 to 21 degrees, and ln(21/19) / a back. `sampled`: the controller looks every 0.1 s. `quantized`: it hears of every 0.3 degrees, and
 * acts on the first of these values that lies beyond a threshold. `one`: as `exact`, as one unit.
 */
const [A, HOT, LOW, HIGH, START] = [0.1, 30, 19, 21, 20];
const [STEP, STEPS] = [0.5, 60];
const QUANTUM = 0.3;

function late(row) {
  let [x, q, switches] = [START, true, 0];
  for (let i = 0; i <= STEPS; i++) {
    row(i * STEP, x, q, switches);
    const target = q ? HOT : 0;
    const next = target + (x - target) * Math.exp(-A * STEP);
    if (q ? x >= HIGH : x <= LOW) {
      q = !q;
      switches++;
    }
    x = next;
  }
}

function exact(row) {
  const firstOff = Math.log((HOT - START) / (HOT - HIGH)) / A;
  const cooling = Math.log(HIGH / LOW) / A;
  const warming = Math.log((HOT - LOW) / (HOT - HIGH)) / A;
  for (let i = 0; i <= STEPS; i++) {
    const t = i * STEP;
    let [begin, from, q, switches] = [0, START, true, 0];
    for (let end = firstOff; end <= t; end += q ? warming : cooling) {
      [begin, from, q] = [end, q ? HIGH : LOW, !q];
      switches++;
    }
    const target = q ? HOT : 0;
    row(t, target + (from - target) * Math.exp(-A * (t - begin)), q, switches);
  }
}

/** Samples are counted in tenths of a second. Where a sample switches the heater the row would show both sides of an event: it is left out. */
function sampled(row) {
  let [begin, from, q, switches] = [0, START, true, 0];
  for (let k = 0; k <= 10 * STEP * STEPS; k++) {
    const target = q ? HOT : 0;
    const x = target + (from - target) * Math.exp(-A * (k / 10 - begin));
    const acts = k > 0 && (q ? x >= HIGH : x <= LOW);
    if (k % 5 === 0 && !acts) row(k / 10, x, q, switches);
    if (!acts) continue;
    [begin, from, q] = [k / 10, x, !q];
    switches++;
  }
}

/** From value to value, each a quantum from the last one; in between the last one is shown. */
function quantized(row) {
  let [time, level, q, switches, step] = [0, START, true, 0, 0];
  for (;;) {
    const target = q ? HOT : 0;
    const next = level + (q ? QUANTUM : -QUANTUM);
    const until = time + Math.log((level - target) / (next - target)) / A;
    for (; step <= STEPS && step * STEP < until; step++) row(step * STEP, level, q, switches);
    if (step > STEPS) return;
    [time, level] = [until, next];
    // Sums of tenths are a little beside the values that are meant.
    if (q ? level < HIGH - 1e-9 : level > LOW + 1e-9) continue;
    q = !q;
    switches++;
  }
}

const how = { late, exact, sampled, quantized, one: exact }[process.argv[2]];
if (how === undefined) throw new Error("say how: late, exact, sampled, quantized or one");
if (process.argv[2] === "one") {
  console.log('"time","thermostat.x","thermostat.q"');
  how((t, x, q) => console.log([t, x, Number(q)].join(",")));
} else {
  console.log('"time","room.x","controller.q","controller.switches"');
  how((t, x, q, switches) => console.log([t, x, Number(q), switches].join(",")));
}
