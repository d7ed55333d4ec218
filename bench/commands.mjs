/**
 * Whole commands, from the start of the process to its end: one FMU for a million recorded steps
 * against FMPy, and the power window against another checkout of Cosimo. Cases take turns, medians;
 * `--write` puts the table into bench/commands.md, `--before <folder>` names the other checkout,
 * which is built; `--as-is` measures what is built and installs nothing.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { ROOT } from "../scripts/setup.mjs";
import { built, conditions, median, writeResults } from "./results.mjs";

const RUNS = Number(process.env.BENCH_RUNS ?? 5);
const STEPS = Number(process.env.BENCH_STEPS ?? 1_000_000);
const STEP = 1 / 1024;
const VENV = join(ROOT, "node_modules", ".cache", "interop", "bin");
const PYTHON = existsSync(join(VENV, "python")) ? join(VENV, "python") : "python3";
const cosimo = (root) => [process.execPath, join(root, "packages", "cosimo", "bin", "cosimo.js")];

const busy = await built();
const folder = mkdtempSync(join(tmpdir(), "cosimo-commands-"));
try {
  const rows = [million(2), powerWindow()];
  console.log(markdown(rows));
  if (process.argv.includes("--write"))
    writeResults("commands.md", conditions(RUNS, busy), markdown(rows));
  for (const { what, ratio, wanted } of rows)
    if (ratio > wanted) {
      console.error(`missed: ${what}: ${ratio.toFixed(2)} > ${wanted}`);
      process.exitCode = 1;
    }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function million(version) {
  const fmu = join(ROOT, "fixtures", "build", `fmi${version}`, "VanDerPol.fmu");
  const stop = String(STEPS * STEP);
  const out = (name) => join(folder, name);
  const ours = ["run", fmu, "--step", STEP, "--stop", stop, "--quiet", "--out", out("ours.csv")];
  const theirs = ["simulate", fmu, "--stop-time", stop, "--output-interval", STEP];
  const hasPeer = succeeds([PYTHON, "-c", "import fmpy"]);
  return {
    what: `\`cosimo run\` of an FMU, ${STEPS.toLocaleString("en")} steps recorded as CSV, against FMPy`,
    wanted: 1,
    ...compare(
      [...cosimo(ROOT), ...ours],
      hasPeer && [PYTHON, "-m", "fmpy", ...theirs, "--output-file", out("theirs.csv")],
    ),
  };
}

function powerWindow() {
  const at = process.argv.indexOf("--before");
  const before = at < 0 ? undefined : resolve(process.argv[at + 1] ?? "");
  const command = (root) => [
    ...cosimo(root),
    ...["run", join(ROOT, "examples", "power-window", "adapted.yaml"), "--quiet"],
    ...["--out", join(folder, "window.csv")],
  ];
  return {
    what: "`cosimo run` of the power window against an earlier commit",
    wanted: 0.5,
    ...compare(command(ROOT), before && command(before)),
  };
}

/** Both in turn, so that a busy moment of the machine hits both. */
function compare(ours, theirs) {
  const taken = { ours: [], theirs: [] };
  for (let i = 0; i < RUNS; i++) {
    taken.ours.push(seconds(ours));
    if (theirs) taken.theirs.push(seconds(theirs));
  }
  const [a, b] = [median(taken.ours), theirs ? median(taken.theirs) : undefined];
  return { ours: a, theirs: b, ratio: b === undefined ? undefined : a / b };
}

function seconds(command) {
  const measure = [join(ROOT, "bench", "measure.py"), ...command.map(String)];
  return JSON.parse(execFileSync(PYTHON, measure, { encoding: "utf8" })).seconds;
}

function succeeds([command, ...args]) {
  try {
    execFileSync(command, args, { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

function markdown(rows) {
  const s = (value) => (value === undefined ? "not here" : `${value.toFixed(2)} s`);
  return [
    "| case | ours | against | ratio | wanted |",
    "|---|--:|--:|--:|--:|",
    ...rows.map(
      (r) =>
        `| ${r.what} | ${s(r.ours)} | ${s(r.theirs)} | ${r.ratio === undefined ? "–" : `**${r.ratio.toFixed(2)}**`} | ≤ ${r.wanted} |`,
    ),
  ].join("\n");
}
