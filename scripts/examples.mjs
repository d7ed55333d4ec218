/**
 * Runs every example as its README says and compares the trace with the expected one, so that an
 * example cannot rot.
 *
 * examples/<system>/example.json lists the runs: `command` as it stands in the README, `expected`
 * (a CSV beside it, whose rows are some of the times of the run), `tolerance` per column of that
 * file ("*" for the others; absolute), and `rename` where the run calls a column otherwise,
 * `diverges` where it is known to diverge. Text must be equal. A command that analyses has
 * `answers` in place of a trace: paths into what it prints with --json, each with the value or, for
 * numbers, [value, tolerance].
 *
 *     node scripts/examples.mjs [--built] [system…]
 *
 * `--built` takes packages, build and fixtures as they are, instead of setting them up first.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { ROOT, setup } from "./setup.mjs";
import { eachSideBySide, runProgram, withPackage } from "./side-by-side.mjs";

const words = process.argv.slice(2);
const missing = words.includes("--built") ? undefined : await setup();
if (missing) throw new Error(missing);
const env = await withPackage();
const { parseCsv } = await import(
  pathToFileURL(join(ROOT, "packages", "cosimo", "dist", "index.js")).href
);
const EXAMPLES = join(ROOT, "examples");
const PARENT = join(ROOT, "node_modules", ".cache");

const wanted = words.filter((word) => word !== "--built");
const systems = readdirSync(EXAMPLES, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && (wanted.length === 0 || wanted.includes(entry.name)))
  .map((entry) => entry.name);
if (systems.length === 0) throw new Error("no example of that name in examples/");

mkdirSync(PARENT, { recursive: true });
const folder = mkdtempSync(join(PARENT, "examples-"));
let failures = 0;
try {
  await eachSideBySide(systems, async (system) => {
    const { runs } = JSON.parse(readFileSync(join(EXAMPLES, system, "example.json"), "utf8"));
    if (runs.length === 0) throw new Error(`examples/${system}/example.json lists no runs`);
    for (const run of runs) report(run, await check(system, run));
  });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = failures > 0 ? 1 : 0;

/** @returns what is wrong, or how close the trace is. */
async function check(system, run) {
  const readme = join(EXAMPLES, system, "README.md");
  if (!existsSync(readme)) return { wrong: "there is no README.md" };
  if (!readFileSync(readme, "utf8").includes(run.command))
    return { wrong: "the README does not show this command" };
  const out = join(folder, `${system}.csv`);
  const more = run.answers ? "--json" : `--quiet -o ${JSON.stringify(out)}`;
  const done = await runProgram("bash", ["-c", `${run.command} ${more}`], {
    cwd: ROOT,
    timeout: 300_000,
    env,
  });
  if (done.status !== 0)
    return { wrong: `exited with ${done.status ?? done.signal}\n${done.stdout}${done.stderr}` };
  if (run.answers) return compareAnswers(JSON.parse(done.stdout), run.answers);
  const alarm = done.stderr.match(/.*(?:run-diverges|run-no-number).*/);
  if (alarm && !run.diverges) return { wrong: `a false alarm: ${alarm[0]}` };
  const expected = resolve(dirname(readme), run.expected);
  return compare(read(out), read(expected), run);
}

function compareAnswers(found, answers) {
  const paths = Object.entries(answers);
  if (paths.length === 0) return { wrong: "no answers are expected" };
  for (const [path, expected] of paths) {
    const value = path.split(".").reduce((part, key) => part?.[key], found);
    const [wanted, tolerance] = Array.isArray(expected) ? expected : [expected, 0];
    if (difference(value, wanted) <= tolerance) continue;
    return { wrong: `${path} is ${value}, expected ${wanted} (tolerance ${tolerance})` };
  }
  return { close: `${paths.length} answers as expected` };
}

function read(file) {
  const { value, diagnostics } = parseCsv(readFileSync(file, "utf8"), file);
  if (value === undefined) throw new Error(`${file}: ${diagnostics[0]?.message}`);
  return value;
}

/**
 * Rows of one time are an event: where the expected trace has several, they are the last ones of
 * that time.
 */
function rowsByTime(times) {
  const rows = new Map();
  for (const [row, time] of times.entries()) {
    const key = time.toPrecision(12);
    if (rows.has(key)) rows.get(key).push(row);
    else rows.set(key, [row]);
  }
  return rows;
}

function compare(found, expected, { tolerance, rename = {} }) {
  if (expected.columns.length === 0 || expected.time.length === 0)
    return { wrong: "the expected trace is empty" };
  const rowsAt = rowsByTime(found.time);
  const expectedAt = rowsByTime(expected.time);
  let worst = { part: -1 };
  for (const column of expected.columns) {
    const name = rename[column.name] ?? column.name;
    const other = found.columns.find((one) => one.name === name);
    if (other === undefined) return { wrong: `the trace has no column '${name}'` };
    const allowed = tolerance[column.name] ?? tolerance["*"];
    for (const [row, time] of expected.time.entries()) {
      const key = time.toPrecision(12);
      const fromLast = expectedAt.get(key).length - expectedAt.get(key).indexOf(row);
      const at = rowsAt.get(key)?.at(-fromLast);
      if (at === undefined) return { wrong: `the trace has too few rows at t=${time}` };
      const error = difference(other.data[at], column.data[row]);
      if (!(error <= allowed)) {
        const text = `${name} is ${other.data[at]} at t=${time}, expected ${column.data[row]}`;
        return { wrong: `${text} (tolerance ${allowed})` };
      }
      const part = allowed === 0 ? 0 : error / allowed;
      if (part > worst.part) worst = { part, name, error, allowed };
    }
  }
  const close =
    worst.part > 0
      ? `${worst.name} within ${worst.error.toExponential(1)}, ${worst.allowed} allowed`
      : "equal";
  return { close: `${expected.columns.length} × ${expected.time.length} values, ${close}` };
}

function difference(a, b) {
  if (a === b) return 0;
  const numbers = [a, b].every((value) => typeof value === "number" || typeof value === "bigint");
  return numbers ? Math.abs(Number(a) - Number(b)) || Number.NaN : Number.NaN;
}

function report(run, { wrong, close }) {
  const short = run.command.replace(/ --set .*/, " --set …");
  console.log(`${wrong === undefined ? "ok    " : "FAILED"} ${short}: ${wrong ?? close}`);
  if (wrong !== undefined) failures++;
}
