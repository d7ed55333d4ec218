/**
 * How long joint spectral radii take, and how near they come: sets with known values, the policies
 * of two masses on springs, the inverted pendulum, and quadratic certificates over large automata.
 * One process a case, medians; `--write` puts the table into bench/jsr.md, `--json` prints figures,
 * `--as-is` measures what is built and installs nothing.
 */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { ROOT } from "../scripts/setup.mjs";
import { built, conditions, median, writeResults } from "./results.mjs";

const RUNS = Number(process.env.BENCH_RUNS ?? 5);
const CASE = join(ROOT, "bench", "native", "jsr-case.mjs");
/**
 * What a case is called in the table, its name in the case file, and the gap and time that are
 * wanted of it.
 */
const CASES = [
  ["2 × 2, word 1 2", "two-by-two", { gap: 1e-6 }],
  ["3 × 3, golden ratio", "three-by-three", { gap: 1e-6 }],
  ["two shears", "shears", { gap: 1e-6 }],
  ["radius exactly 1", "exactly-one", { gap: 1e-6 }],
  ["lost packets, automaton of 4 nodes", "constrained", { gap: 1e-4, seconds: 5 }],
  ["two masses, 16 policies of size 4", "masses", {}],
  ["two masses, the 12 that are stable alone", "masses-stable", {}],
  ["pendulum, the 5 that are stable alone", "pendulum-stable", {}],
  ["random, 3 of size 6", "random", {}],
  ["certificate: 64 nodes of size 4, edges that do not grow in three", "certificate", {}],
];

const run = promisify(execFile);
const busy = await built();
const rows = [];
for (const [name, key, wanted] of CASES) rows.push(await measure(name, key, wanted));
if (process.argv.includes("--json")) console.log(JSON.stringify(rows, null, 1));
else console.log(markdown(rows));
if (process.argv.includes("--write"))
  writeResults("jsr.md", conditions(RUNS, busy), markdown(rows));
const missed = rows.filter(
  ({ gap, seconds, wanted }) =>
    gap > (wanted.gap ?? Number.POSITIVE_INFINITY) ||
    seconds > (wanted.seconds ?? Number.POSITIVE_INFINITY),
);
for (const { name } of missed) console.error(`missed: ${name}`);
process.exitCode = missed.length > 0 ? 1 : 0;

async function measure(name, key, wanted) {
  const taken = [];
  for (let i = 0; i < RUNS; i++)
    taken.push(JSON.parse((await run(process.execPath, [CASE, key])).stdout));
  return { name, wanted, ...taken[0], seconds: median(taken.map(({ seconds }) => seconds)) };
}

function markdown(list) {
  const digits = (value) => value.toPrecision(10);
  const time = (s) => (s < 1 ? `${(1000 * s).toFixed(0)} ms` : `${s.toFixed(1)} s`);
  return [
    "| case | at least | at most | gap | proved by | time |",
    "|---|--:|--:|--:|---|--:|",
    ...list.map(
      (r) =>
        `| ${r.name} | ${digits(r.lower)} | ${digits(r.upper)} | ${r.gap.toExponential(1)} | ${r.method} | ${time(r.seconds)} |`,
    ),
  ].join("\n");
}
