/**
 * How long the stabilization of the inverted pendulum's eight policies takes, and how much freedom
 * it leaves, against the published figures. One process a case, medians of CPU time; `--write` puts
 * the table into bench/stabilize.md, `--json` prints figures, `--as-is` measures what is built and
 * installs nothing, `--lift3` tries three remembered decisions too, which takes minutes.
 */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { ROOT } from "../scripts/setup.mjs";
import { built, conditions, median, writeResults } from "./results.mjs";

const RUNS = Number(process.env.BENCH_RUNS ?? 5);
const CASE = join(ROOT, "bench", "native", "stabilize-case.mjs");
/** Remembered decisions, whether exactly, and what was published: growth rate and CPU seconds. */
const CASES = [
  { lift: 0, exact: true, rate: 5, seconds: 0.13 },
  { lift: 1, exact: true, rate: 7.2568898, seconds: 1.8 },
  { lift: 2, exact: false, rate: 7.7083039, seconds: 280 },
  ...(process.argv.includes("--lift3") ? [{ lift: 3, exact: false, runs: 1 }] : []),
];

const run = promisify(execFile);
const busy = await built();
const rows = [];
for (const one of CASES) rows.push({ ...one, found: await measure(one) });
if (process.argv.includes("--json")) console.log(JSON.stringify(rows, null, 1));
else console.log(markdown(rows));
if (process.argv.includes("--write"))
  writeResults("stabilize.md", conditions(RUNS, busy), markdown(rows));
/** Half a unit of the last printed digit. */
const PRINTED = 5e-8;
const missed = rows.filter(
  ({ lift, rate = 0, seconds = Number.POSITIVE_INFINITY, found }) =>
    !found.holds || found.rate < rate - PRINTED || (lift === 2 && found.seconds > seconds / 10),
);
for (const { lift } of missed) console.error(`missed: lift ${lift}`);
process.exitCode = missed.length > 0 ? 1 : 0;

async function measure({ lift, exact, runs = RUNS }) {
  const taken = [];
  for (let i = 0; i < runs; i++) {
    const words = [CASE, String(lift), ...(exact ? ["exact"] : [])];
    taken.push(JSON.parse((await run(process.execPath, words)).stdout));
  }
  return { ...taken[0], seconds: median(taken.map(({ seconds }) => seconds)) };
}

function markdown(list) {
  const times = (x) => (x < 10 ? x.toFixed(1) : x.toFixed(0));
  const time = (s) => (s < 10 ? `${s.toFixed(2)} s` : `${s.toFixed(0)} s`);
  return [
    "| decisions remembered | growth rate | published | sequences forbidden | oracle calls | a path shrinks within | CPU time | published | times faster |",
    "|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ...list.map(({ lift, rate, seconds, found }) => {
      const best = found.isOptimal ? ", the largest" : "";
      const faster = seconds === undefined ? "–" : times(seconds / found.seconds);
      return `| ${lift} | ${found.rate.toFixed(7)}${best} | ${rate ?? "–"} | ${found.removed} | ${found.rounds} | ${found.longest} | ${time(found.seconds)} | ${seconds === undefined ? "–" : `${seconds} s`} | ${faster} |`;
    }),
  ].join("\n");
}
