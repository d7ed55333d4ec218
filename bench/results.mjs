/**
 * What all benchmarks do with their figures: the median of runs, and a table put into its page with
 * the commit and the date it belongs to.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { buildExamples, ROOT, setup } from "../scripts/setup.mjs";

/**
 * Builds what is to be measured, unless `--as-is` says that it is there. @returns the load average
 * before the first case.
 */
export async function built() {
  if (!process.argv.includes("--as-is")) {
    await setup();
    buildExamples();
  }
  return loadavg()[0];
}

export function median(values) {
  return values.toSorted((x, y) => x - y)[values.length >> 1];
}

/** `Commit 1a2b3c4, 2026-01-31`. */
export function commitAndDate() {
  const git = ["rev-parse", "--short", "HEAD"];
  const commit = execFileSync("git", git, { cwd: ROOT, encoding: "utf8" }).trim();
  return `Commit ${commit}, ${new Date().toISOString().slice(0, 10)}`;
}

export function machine() {
  return `${cpus().length} × ${cpus()[0].model}, Node ${process.versions.node}`;
}

/**
 * Under what conditions processes were timed. @param busy the load average before the first of
 * them.
 */
export function conditions(runs, busy) {
  const load = `load average before: ${busy.toFixed(1)}, after: ${loadavg()[0].toFixed(1)}`;
  return `${commitAndDate()}; ${machine()}; medians of ${runs} processes; ${load}.`;
}

/** Replaces what stands between the marks `<!-- mark -->` and `<!-- /mark -->` of bench/`page`. */
export function writeResults(page, head, table, mark = "results") {
  const file = join(ROOT, "bench", page);
  const block = `<!-- ${mark} -->\n${head}\n\n${table}\n<!-- /${mark} -->`;
  const text = readFileSync(file, "utf8");
  writeFileSync(file, text.replace(new RegExp(`<!-- ${mark} -->[^]*<!-- /${mark} -->`), block));
}
