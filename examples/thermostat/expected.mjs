/**
 * Computes the expected traces without Cosimo.
 *
 *     node examples/thermostat/expected.mjs late > examples/thermostat/expected-late.csv
 *     node examples/thermostat/expected.mjs exact > examples/thermostat/expected.csv
 *
 * `late`: steps of 0.5 s in which both units keep what they got at the start. `exact`: the closed solution between switches, with
 * ln(11/9) / a from 19 to 21 degrees, and ln(21/19) / a back.
 */
const [A, HOT, LOW, HIGH, START] = [0.1, 30, 19, 21, 20];
const [STEP, STEPS] = [0.5, 60];

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

const how = { late, exact }[process.argv[2]];
if (how === undefined) throw new Error("say how: late or exact");
console.log('"time","room.x","controller.q","controller.switches"');
how((t, x, q, switches) => {
  console.log([t, x, Number(q), switches].join(","));
});
