/**
 * What a converged iterative step costs against an explicit one, on the same FMUs and by the same
 * interpreter: time a step, and time an evaluation (a step of all units from where it began).
 * Against a C master: bench/masters.mjs. One process a case, cases take turns, medians; `--write`
 * puts the table into bench/iterative.md, `--json` prints figures, `--as-is` measures what is built
 * and installs nothing.
 */
import { execFile } from "node:child_process";
import { loadavg } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { ROOT, setup } from "../scripts/setup.mjs";
import { conditions, median, writeResults } from "./results.mjs";

const RUNS = Number(process.env.BENCH_RUNS ?? 5);
/** Fewer, and the compiler of the JavaScript engine takes a part of the time. */
const STEPS = 100_000;
const CASE = join(ROOT, "bench", "native", "iterative-case.mjs");
const EXPLICIT = { name: "jacobi", approximation: "linear" };
const CASES = [
  { what: "one correction", master: { name: "iterative", corrections: 1 } },
  { what: "two corrections", master: { name: "iterative", corrections: 2 } },
  { what: "four corrections", master: { name: "iterative", corrections: 4 } },
  {
    what: "newton, two corrections",
    master: { name: "iterative", method: "newton", corrections: 2 },
  },
  { what: "converged to 1e-12", master: { name: "iterative", tolerance: 1e-12 } },
];

const run = promisify(execFile);
if (!process.argv.includes("--as-is")) await setup();
const busy = loadavg()[0];
const rows = [];
for (const version of [2, 3]) for (const one of CASES) rows.push(await measure(version, one));
if (process.argv.includes("--json")) console.log(JSON.stringify(rows, null, 1));
else console.log(markdown(rows));
if (process.argv.includes("--write"))
  writeResults("iterative.md", conditions(RUNS, busy), markdown(rows));

async function measure(version, { what, master }) {
  const runOf = async (one) => {
    const args = [CASE, String(version), JSON.stringify(one), String(STEPS)];
    return JSON.parse((await run(process.execPath, args)).stdout);
  };
  const taken = [];
  for (let i = 0; i < RUNS; i++) {
    const explicit = await runOf(EXPLICIT);
    const iterated = await runOf(master);
    taken.push({ explicit, iterated, ratio: iterated.microseconds / explicit.microseconds });
  }
  const evaluations = median(taken.map(({ iterated }) => iterated.evaluations));
  const ratio = median(taken.map((one) => one.ratio));
  return {
    version,
    what,
    explicit: median(taken.map(({ explicit }) => explicit.microseconds)),
    iterated: median(taken.map(({ iterated }) => iterated.microseconds)),
    evaluations,
    ratio,
    perEvaluation: ratio / evaluations,
  };
}

function markdown(list) {
  const us = (value) => `${value.toFixed(1)} µs`;
  return [
    "| FMI | iterative step | explicit, per step | iterated, per step | evaluations per step | step ratio | ratio per evaluation |",
    "|--:|---|--:|--:|--:|--:|--:|",
    ...list.map(
      (r) =>
        `| ${r.version}.0 | ${r.what} | ${us(r.explicit)} | ${us(r.iterated)} | ${r.evaluations.toFixed(2)} | ${r.ratio.toFixed(1)} | **${r.perEvaluation.toFixed(2)}** |`,
    ),
  ].join("\n");
}
