/**
 * Benchmarks: one process a case, cases interleaved, medians, ratios within one run. Prints a
 * table; `--write` puts it into bench/README.md with commit and date. Needs python3 and FMPy
 * (scripts/interop.sh installs it).
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { zipSync } from "fflate";
import { ROOT, run, setup, tool } from "../scripts/setup.mjs";
import { generateDescription } from "./generate-description.mjs";
import { commitAndDate, machine, median, writeResults } from "./results.mjs";

const RUNS = Number(process.env.BENCH_RUNS ?? 7);
const COSIMO = [process.execPath, join(ROOT, "packages", "cosimo", "bin", "cosimo.js")];
const VENV = join(ROOT, "node_modules", ".cache", "interop", "bin");
const PYTHON = existsSync(join(VENV, "python")) ? join(VENV, "python") : "python3";

await setup({ fixtures: false });
const folder = mkdtempSync(join(tmpdir(), "cosimo-bench-"));
try {
  const rows = [...startUp(), ...description(2, 100_000), ...description(3, 100_000)];
  const table = markdown(rows);
  console.log(table);
  if (process.argv.includes("--write")) writeReadme(table);
  const missed = rows.filter((row) => row.limit !== undefined && row.ratio > row.limit);
  for (const row of missed)
    console.error(`missed: ${row.what}: ${row.ratio.toFixed(2)} > ${row.limit}`);
  process.exitCode = missed.length > 0 ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function startUp() {
  const [ours, node] = compare([...COSIMO, "--help"], [process.execPath, "-e", "0"]);
  return [row("`cosimo --help` against `node -e 0`", ours, node, 3)];
}

function description(major, count) {
  const fmu = join(folder, `variables-${major}.fmu`);
  const xml = [...generateDescription(major, count)].join("");
  writeFileSync(fmu, zipSync({ "modelDescription.xml": new TextEncoder().encode(xml) }));
  const fmpy = [PYTHON, "-m", "fmpy", "info", fmu];
  const [ours, theirs] = compare([...COSIMO, "info", fmu], fmpy);
  return [
    row(
      `\`cosimo info\` against \`fmpy info\`, FMI ${major}.0, ${count.toLocaleString("en")} variables`,
      ours,
      theirs,
      0.5,
    ),
  ];
}

/** Both commands in turn, so that a busy moment of the machine hits both. */
function compare(a, b) {
  const runs = [[], []];
  for (let i = 0; i < RUNS; i++) {
    runs[0].push(measure(a));
    runs[1].push(measure(b));
  }
  return runs.map((list) => ({
    seconds: median(list.map((r) => r.seconds)),
    peakMiB: median(list.map((r) => r.peakMiB)),
  }));
}

function measure(command) {
  return JSON.parse(
    execFileSync(PYTHON, [join(ROOT, "bench", "measure.py"), ...command], { encoding: "utf8" }),
  );
}

function row(what, ours, theirs, limit) {
  return { what, ours, theirs, ratio: ours.seconds / theirs.seconds, limit };
}

function markdown(rows) {
  const ms = (seconds) => `${(1000 * seconds).toFixed(0)} ms`;
  const mib = (value) => `${value.toFixed(0)} MiB`;
  return [
    "| case | ours | peer | time ratio | wanted | peak memory ours / peer |",
    "|---|--:|--:|--:|--:|--:|",
    ...rows.map(
      (r) =>
        `| ${r.what} | ${ms(r.ours.seconds)} | ${ms(r.theirs.seconds)} | **${r.ratio.toFixed(2)}** | ≤ ${r.limit} | ${mib(r.ours.peakMiB)} / ${mib(r.theirs.peakMiB)} |`,
    ),
  ].join("\n");
}

function writeReadme(table) {
  writeResults("README.md", `${commitAndDate()}; ${machine()}; medians of ${RUNS}.`, table);
  run(tool("biome"), ["format", "--write", join(ROOT, "bench", "README.md")], { stdio: "ignore" });
}
