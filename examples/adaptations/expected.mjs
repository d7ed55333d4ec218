/**
 * What the scenarios should give, by formula and without Cosimo; the derivations stand in README.md.
 *
 *     node examples/adaptations/expected.mjs crossing > examples/adaptations/expected-crossing.csv
 */
const CASES = {
  frame: {
    times: [0, 0.5, 1, 1.5, 2],
    columns: {
      "plain.x": (t) => t,
      "plain.y": (t) => 2 * t,
      "adapted.x": (t) => 3 + t,
      "adapted.y": (t) => -1 + 2 * t,
    },
  },
  iterate: {
    times: [0.5, 1, 1.5, 2],
    columns: { "adapted.power": power, "adapted.temperature": (t) => power(t) / 2 },
  },
  "multi-rate": {
    times: [0, 0.1, 0.2, 0.5, 1],
    columns: {
      "plain.x": (t) => (-2) ** Math.round(10 * t),
      "adapted.x": (t) => 0.7 ** Math.round(100 * t),
    },
  },
  derivative: {
    times: [0.2, 0.5, 1],
    columns: { "line.slope": (t) => 9.8 * (t - 0.05), "adapted.slope": (t) => 9.8 * t },
  },
  crossing: {
    times: [0, 0.5, 1.5, 2],
    columns: { "adapted.x": (t) => Math.max(0, t - Math.SQRT1_2) },
  },
  "crossing-plain": {
    times: [0, 0.5, 1.5, 2],
    columns: { "plain.x": (t) => Math.max(0, t - 0.75) },
  },
  timed: {
    times: [0.9, 1, 1.2, 1.27, 1.3, 2],
    columns: {
      "adapted.x": (t) => Math.min(Math.max(0, t - 1), 0.27),
      "adapted.running": (t) => (t >= 1 && t < 1.27 ? 1 : 0),
    },
  },
};

/** The positive root of P = 100 (1 + t) / (1 + 0.002 P). */
function power(t) {
  return (Math.sqrt(1 + 0.8 * (1 + t)) - 1) / 0.004;
}

const { times, columns } = CASES[process.argv[2]] ?? {};
if (times === undefined) throw new Error(`say which: ${Object.keys(CASES).join(", ")}`);
const line = (cells) => console.log(cells.join(","));
line(["time", ...Object.keys(columns)].map((name) => JSON.stringify(name)));
for (const t of times) line([t, ...Object.values(columns).map((value) => value(t))]);
