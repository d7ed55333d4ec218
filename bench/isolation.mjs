/**
 * What a process of its own costs a unit, and what it gains where units are heavy. One process a
 * case, cases take turns, medians; `--write` puts the table into bench/isolation.md, `--json`
 * prints figures, `--short` runs fewer and shorter cases, `--as-is` measures what is built and
 * installs nothing.
 */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { ROOT } from "../scripts/setup.mjs";
import { built, conditions, median, writeResults } from "./results.mjs";

const isShort = process.argv.includes("--short");
const RUNS = isShort ? 1 : Number(process.env.BENCH_RUNS ?? 7);
const CASE = join(ROOT, "bench", "native", "isolation-case.mjs");
const STEP = 1 / 128;
/**
 * Microseconds that a process may cost a step of a unit, and how much faster two heavy units are to
 * be.
 */
const WANTED_COST = 5;
const WANTED_GAIN = 1.6;

const run = promisify(execFile);
const busy = await built();
const folder = mkdtempSync(join(tmpdir(), "cosimo-isolation-"));
try {
  const rows = [];
  for (const measureOne of [light, heavy]) rows.push(...(await measureOne()));
  if (process.argv.includes("--json")) console.log(JSON.stringify(rows, null, 1));
  else console.log(markdown(rows));
  if (process.argv.includes("--write"))
    writeResults("isolation.md", conditions(RUNS, busy), markdown(rows));
  const missed = rows.filter(({ isMissed }) => isMissed);
  for (const { what, shown, wanted } of missed)
    console.error(`missed: ${what}: ${shown}, not ${wanted}`);
  process.exitCode = missed.length > 0 ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Two light FMUs that drive each other; those with a process of their own cost more. */
async function light() {
  const steps = isShort ? 10_000 : 40_000;
  const fmu = (name) => join(ROOT, "fixtures", "build", "fmi2", `${name}.fmu`);
  const wires = "[left.x_1 -> right.x_c, left.v_1 -> right.v_c, { from: right.F_c, to: left.F_e }]";
  const scenario = (name, left, right) =>
    write(name, {
      left: `{ fmu: ${fmu("MassSpringDamperLeft")}${left} }`,
      right: `{ fmu: ${fmu("MassSpringDamperRight")}${right} }`,
      wires,
    });
  const [own, sandbox] = [", isolate: process", ", isolate: sandbox"];
  const taken = await takeTurns({
    none: [scenario("none", "", ""), steps, "interpreter"],
    one: [scenario("one", own, ""), steps],
    both: [scenario("both", own, own), steps],
    sandboxed: [scenario("sandboxed", sandbox, ""), steps],
  });
  const cost = (name, units) =>
    median(taken.map((t) => (t[name].microseconds - t.none.microseconds) / units));
  const row = (what, name, units, wanted) => {
    const value = cost(name, units);
    return {
      what,
      shown: `${value.toFixed(1)} µs per unit step`,
      wanted: wanted && `≤ ${wanted} µs`,
      isMissed: wanted !== undefined && value > wanted,
    };
  };
  return [
    row("one of two units in a process", "one", 1, WANTED_COST),
    row("both in processes of their own, jacobi", "both", 2),
    row("one of two units in a sandbox", "sandboxed", 1),
  ];
}

/** Two heavy FMUs on one core, and on one each. */
async function heavy() {
  const steps = isShort ? 500 : 3000;
  const fmu = join(ROOT, "fixtures", "build", "fmi2", "Heavy.fmu");
  const scenario = (name, isolate) => {
    const unit = `{ fmu: ${fmu}, set: { work: 40000 }${isolate} }`;
    return write(name, {
      left: unit,
      right: unit,
      wires: "[left.x -> right.u, right.x -> left.u]",
    });
  };
  const taken = await takeTurns({
    none: [scenario("heavy", ""), steps, "interpreter"],
    both: [scenario("heavy-both", ", isolate: process"), steps],
  });
  const gain = median(taken.map(({ none, both }) => none.microseconds / both.microseconds));
  const step = median(taken.map(({ none }) => none.microseconds / 2));
  return [
    {
      what: `two units of ${step.toFixed(0)} µs per step, against one process`,
      shown: `${gain.toFixed(2)} times as fast`,
      wanted: `≥ ${WANTED_GAIN}`,
      isMissed: gain < WANTED_GAIN,
    },
  ];
}

/** All cases in turns; all must end with the same values. */
async function takeTurns(cases) {
  const taken = [];
  for (let i = 0; i < RUNS; i++) {
    const round = {};
    for (const [name, [file, steps, ...more]] of Object.entries(cases)) {
      const args = [CASE, file, String(steps), String(STEP), ...more];
      round[name] = JSON.parse((await run(process.execPath, args)).stdout);
      if (round[name].last.join() !== Object.values(round)[0].last.join())
        throw new Error(`'${name}' ends with other values: ${round[name].last}`);
    }
    taken.push(round);
  }
  return taken;
}

function write(name, { left, right, wires }) {
  const file = join(folder, `${name}.yaml`);
  writeFileSync(
    file,
    `units:\n  left: ${left}\n  right: ${right}\nconnections: ${wires}\nexperiment: { stop: 1, step: ${STEP} }\nmaster: jacobi\nrecord: [left.*]\n`,
  );
  return file;
}

function markdown(rows) {
  return [
    "| case | measured | wanted |",
    "|---|--:|--:|",
    ...rows.map(({ what, shown, wanted = "" }) => `| ${what} | **${shown}** | ${wanted} |`),
  ].join("\n");
}
