/**
 * Two heavy units on one thread and on two. One process a case, cases take turns, medians;
 * `--write` puts the table into bench/threads.md, `--json` prints figures, `--as-is` measures what
 * is built and installs nothing.
 */
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { unzipSync } from "fflate";
import { ROOT, setup } from "../scripts/setup.mjs";
import { conditions, median, writeResults } from "./results.mjs";

const RUNS = Number(process.env.BENCH_RUNS ?? 7);
const CASE = join(ROOT, "bench", "native", "threads-case.mjs");
/** Iterations of a step, steps of a run, and how much faster two threads are to be. */
const CASES = [
  { work: 100, steps: 40_000 },
  { work: 500, steps: 20_000 },
  { work: 1000, steps: 10_000 },
  { work: 4000, steps: 5000, wanted: 1.6 },
];

const run = promisify(execFile);
if (!process.argv.includes("--as-is")) await setup();
const busy = loadavg()[0];
const folder = mkdtempSync(join(tmpdir(), "cosimo-threads-"));
try {
  const homes = ["a", "b"].map(unpack);
  const rows = [];
  for (const one of CASES) rows.push(await measure(one, homes));
  if (process.argv.includes("--json")) console.log(JSON.stringify(rows, null, 1));
  else console.log(markdown(rows));
  if (process.argv.includes("--write"))
    writeResults("threads.md", conditions(RUNS, busy), markdown(rows));
  const missed = rows.filter(({ gain, wanted }) => gain < (wanted ?? 0));
  for (const { micro, gain, wanted, limit } of missed)
    console.error(
      `missed: ${micro.toFixed(0)} µs: ${gain.toFixed(2)} < ${wanted} (two processes: ${limit.toFixed(2)})`,
    );
  process.exitCode = missed.length > 0 ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** The fixture in a folder of its own: a library with globals of its own. */
function unpack(name) {
  const home = join(folder, name);
  const archive = readFileSync(join(ROOT, "fixtures", "build", "fmi2", "Heavy.fmu"));
  for (const [file, bytes] of Object.entries(unzipSync(archive))) {
    mkdirSync(dirname(join(home, file)), { recursive: true });
    writeFileSync(join(home, file), bytes, { mode: 0o755 });
  }
  return home;
}

async function measure({ work, steps, wanted }, [a, b]) {
  const runOf = async (folders, threads) => {
    const args = [CASE, folders, String(work), String(steps), String(threads)];
    return JSON.parse((await run(process.execPath, args)).stdout);
  };
  const taken = [];
  for (let i = 0; i < RUNS; i++) {
    const one = await runOf(`${a},${b}`, 1);
    const two = await runOf(`${a},${b}`, 2);
    if (one.last.join() !== two.last.join())
      throw new Error(`one thread ends at ${one.last}, two at ${two.last}`);
    // What the machine can give at the moment: the same work in two processes that know nothing of
    // each other.
    const apart = await Promise.all([runOf(a, 1), runOf(b, 1)]);
    const longest = Math.max(...apart.map(({ microseconds }) => microseconds));
    taken.push({ one, two, gain: ratio(one, two), limit: one.microseconds / longest });
  }
  return {
    micro: median(taken.map(({ one }) => one.microseconds / 2)),
    one: median(taken.map(({ one }) => one.microseconds)),
    two: median(taken.map(({ two }) => two.microseconds)),
    threads: median(taken.map(({ two }) => two.threads)),
    gain: median(taken.map(({ gain }) => gain)),
    limit: median(taken.map(({ limit }) => limit)),
    wanted,
  };
}

function ratio(one, two) {
  return one.microseconds / two.microseconds;
}

function markdown(rows) {
  const us = (value) => `${value.toFixed(1)} µs`;
  return [
    "| a unit's step | one thread, a tick | two threads, a tick | threads used | gain | wanted | two processes |",
    "|--:|--:|--:|--:|--:|--:|--:|",
    ...rows.map(
      (r) =>
        `| ${us(r.micro)} | ${us(r.one)} | ${us(r.two)} | ${r.threads} | **${r.gain.toFixed(2)}** | ${r.wanted ? `≥ ${r.wanted}` : ""} | ${r.limit.toFixed(2)} |`,
    ),
  ].join("\n");
}
