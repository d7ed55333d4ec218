/**
 * Events per second of discrete-event models, against xdevs from PyPI in the same run: PHOLD with
 * 64 and 1024 units, DEVStone LI and HI. One process per case, the two take turns, medians of CPU
 * time (processes elsewhere on the machine do not count, caches do); `--write` puts the table into
 * bench/events.md.
 *
 * An event is a transition, counted by the models themselves; for DEVStone both must count the same
 * per injected value. xdevs runs flattened, and as a hierarchy; the faster counts.
 */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { ROOT, setup } from "../scripts/setup.mjs";
import { conditions, median, writeResults } from "./results.mjs";

const RUNS = Number(process.env.BENCH_RUNS ?? 5);
const XDEVS = "3.0.0";
const VENV = join(ROOT, "node_modules", ".cache", "xdevs");
const PYTHON = join(VENV, "bin", "python");
const WANTED = 10;
/** Simulated seconds, or injected values: as many as take each simulator about half a second. */
const CASES = [
  { name: "PHOLD", size: 64, ours: 20_000, theirs: 100 },
  { name: "PHOLD", size: 1024, ours: 1000, theirs: 2 },
  { name: "LI", size: 25, ours: 5000, theirs: 200 },
  { name: "HI", size: 25, ours: 500, theirs: 20 },
];

if (!process.argv.includes("--as-is")) await setup({ fixtures: false });
if (!existsSync(PYTHON)) {
  execFileSync("python3", ["-m", "venv", VENV]);
  execFileSync(PYTHON, ["-m", "pip", "install", "--quiet", `xdevs==${XDEVS}`]);
}
const busy = loadavg()[0];
const rows = CASES.map(measure);
console.log(markdown(rows));
if (process.argv.includes("--write"))
  writeResults("events.md", `${conditions(RUNS, busy)} xdevs ${XDEVS}.`, markdown(rows));
process.exitCode = rows.every(({ ratio }) => ratio >= WANTED) ? 0 : 1;

function measure({ name, size, ours, theirs }) {
  const taken = [];
  for (let i = 0; i < RUNS; i++) {
    const mine = run(process.execPath, "native/events-case.mjs", name, size, ours);
    const peers = ["flat", "tree"].map((how) =>
      run(PYTHON, "peers/xdevs_events.py", name, size, theirs, how),
    );
    for (const { count } of peers) {
      if (name !== "PHOLD" && count / theirs !== mine.count / ours)
        throw new Error(
          `${name}: ${mine.count / ours} events per value here, ${count / theirs} there`,
        );
    }
    taken.push({ ours: rate(mine), theirs: Math.max(...peers.map(rate)) });
  }
  return {
    name: name === "PHOLD" ? `PHOLD, ${size} units` : `DEVStone ${name}, depth and width ${size}`,
    ours: median(taken.map((one) => one.ours)),
    theirs: median(taken.map((one) => one.theirs)),
    ratio: median(taken.map((one) => one.ours / one.theirs)),
  };
}

function run(program, file, ...words) {
  const args = [join(ROOT, "bench", file), ...words.map(String)];
  return JSON.parse(execFileSync(program, args, { encoding: "utf8" }));
}

function rate({ count, seconds }) {
  return count / seconds;
}

function markdown(list) {
  const thousands = (value) => Math.round(value / 1000).toLocaleString("en");
  return [
    "| model | Cosimo, 1000 events/s | xdevs, 1000 events/s | ratio | wanted |",
    "|---|--:|--:|--:|--:|",
    ...list.map(
      (r) =>
        `| ${r.name} | ${thousands(r.ours)} | ${thousands(r.theirs)} | **${r.ratio.toFixed(0)}** | ≥ ${WANTED} |`,
    ),
  ].join("\n");
}
