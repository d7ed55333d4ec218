/**
 * Masters that decide at run time against plain C masters that take the same steps
 * (native/coupled-master.c, native/event-master.c), and what an explicit step costs call by call.
 * One process per case, cases take turns, medians of processor times; `--write` puts the tables
 * into bench/masters.md, `--json` prints figures, `--as-is` measures what is built and installs
 * nothing.
 */
import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { unzipSync } from "fflate";
import { ROOT } from "../scripts/setup.mjs";
import { built, conditions, median, writeResults } from "./results.mjs";

const RUNS = Number(process.env.BENCH_RUNS ?? 5);
/** Fewer, and the compiler of the JavaScript engine takes a part of the time. */
const STEPS = Number(process.env.BENCH_STEPS ?? 100_000);
const CASE = join(ROOT, "bench", "native", "iterative-case.mjs");
const EVENT_CASE = join(ROOT, "bench", "native", "event-case.mjs");
const TOLERANCE = 1e-6;
const adaptive = (estimator) => ({
  name: "adaptive",
  estimator,
  relative: TOLERANCE,
  absolute: TOLERANCE,
});
/** `isSame`: steps of one size, so both end at the same position, bit for bit. */
const CASES = [
  {
    what: "iterative, two corrections",
    c: ["corrections", "2"],
    master: { name: "iterative", method: "gauss-seidel", corrections: 2 },
    wanted: 2,
    isSame: true,
  },
  {
    what: "iterative, converged to 1e-12",
    c: ["converged", "1e-12"],
    master: { name: "iterative", method: "gauss-seidel", tolerance: 1e-12 },
    wanted: 2,
    isSame: true,
  },
  ...["richardson", "milne"].map((estimator) => ({
    what: `adaptive, ${estimator}, ${TOLERANCE}`,
    c: [estimator, String(TOLERANCE)],
    master: adaptive(estimator),
    wanted: 2.5,
    isSame: false,
  })),
];
/** `step`: ms. Both record the same rows, bit for bit. */
const EVENT_CASES = [
  {
    what: "event-driven thermostat",
    name: "thermostat",
    models: ["ThermostatRoom", "ThermostatController"],
    step: 500,
    wanted: 3,
  },
  {
    what: "bouncing counter",
    name: "bounces",
    models: ["BouncingBallClocked", "Counter"],
    step: 100,
    wanted: 3,
  },
];
/** µs of an explicit step of two FMUs, call by call. */
const WANTED_EXPLICIT = 1;

const run = promisify(execFile);
const busy = await built();
const folder = mkdtempSync(join(tmpdir(), "cosimo-masters-"));
try {
  const rows = [];
  const events = [];
  const explicit = [];
  for (const version of [2, 3]) {
    const program = compileMaster("coupled-master", version);
    const units = ["Left", "Right"].flatMap((side) => unpack(version, `MassSpringDamper${side}`));
    for (const one of CASES) rows.push(await measure(version, program, units, one));
    explicit.push(await measureExplicit(version));
  }
  const eventMaster = compileMaster("event-master", 3);
  for (const one of EVENT_CASES) events.push(await measureEvents(eventMaster, one));
  const tables = [markdown(rows), markdownOfEvents(events), markdownOfExplicit(explicit)];
  if (process.argv.includes("--json"))
    console.log(JSON.stringify({ rows, events, explicit }, null, 1));
  else console.log(tables.join("\n\n"));
  if (process.argv.includes("--write")) {
    const head = conditions(RUNS, busy);
    ["results", "events", "explicit"].forEach((mark, i) => {
      writeResults("masters.md", head, tables[i], mark);
    });
  }
  for (const { version = 3, what, ratio, wanted } of [...rows, ...events])
    if (ratio > wanted) {
      console.error(`missed: FMI ${version}.0, ${what}: ${ratio.toFixed(2)} > ${wanted}`);
      process.exitCode = 1;
    }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function measure(version, program, units, { what, c, master, wanted, isSame }) {
  const args = [CASE, String(version), JSON.stringify(master), String(STEPS)];
  const taken = [];
  for (let i = 0; i < RUNS; i++) {
    const theirs = JSON.parse((await run(program, [...units, ...c, String(STEPS)])).stdout);
    const ours = JSON.parse((await run(process.execPath, args)).stdout);
    if (isSame && ours.last !== theirs.last)
      throw new Error(`${what}: the C master ends at ${theirs.last}, ours at ${ours.last}`);
    const microseconds = theirs.nanoseconds / 1000 / STEPS;
    const ratio = ours.microseconds / microseconds;
    taken.push({
      c: microseconds,
      ours: ours.microseconds,
      ratio,
      steps: [theirs.steps, ours.taken],
    });
  }
  return { version, what, wanted, steps: taken[0].steps, ...medians(taken) };
}

async function measureEvents(program, { what, name, models, step, wanted }) {
  const units = models.flatMap((model) => unpack(3, model));
  const args = [EVENT_CASE, name, String(STEPS)];
  const taken = [];
  let counts;
  for (let i = 0; i < RUNS; i++) {
    const theirs = JSON.parse((await run(program, [name, ...units, String(STEPS)])).stdout);
    const ours = JSON.parse((await run(process.execPath, args)).stdout);
    counts = ["rows", "steps", "events", "hash"].map((count) => ours[count]);
    const expected = ["rows", "steps", "events", "hash"].map((count) => theirs[count]);
    if (String(counts) !== String(expected))
      throw new Error(`${what}: rows, steps, events, hash: C ${expected}, ours ${counts}`);
    const microseconds = theirs.nanoseconds / 1000 / STEPS;
    const ratio = ours.microseconds / microseconds;
    taken.push({ c: microseconds, ours: ours.microseconds, ratio });
  }
  return { what, step, wanted, steps: counts[1], events: counts[2], ...medians(taken) };
}

function medians(taken) {
  const of = (name) => median(taken.map((one) => one[name]));
  return { c: of("c"), ours: of("ours"), ratio: of("ratio") };
}

async function measureExplicit(version) {
  const master = JSON.stringify({ name: "jacobi" });
  const args = [CASE, String(version), master, String(STEPS), "interpreter"];
  const taken = [];
  for (let i = 0; i < RUNS; i++)
    taken.push(JSON.parse((await run(process.execPath, args)).stdout).microseconds);
  return { version, microseconds: median(taken) };
}

function compileMaster(name, version) {
  const program = join(folder, `${name}-${version}`);
  const flags = ["-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off"];
  execFileSync(process.env.CC ?? "cc", [
    ...flags,
    `-DFMI_VERSION=${version}`,
    `-I${join(ROOT, "fixtures", "fmus", "include")}`,
    join(ROOT, "bench", "native", `${name}.c`),
    ...["-o", program, "-ldl", "-lm"],
  ]);
  return program;
}

/** The library of an FMU, and its token. */
function unpack(version, name) {
  const fmu = join(ROOT, "fixtures", "build", `fmi${version}`, `${name}.fmu`);
  const files = unzipSync(readFileSync(fmu));
  const library = join(folder, `fmi${version}-${name}.so`);
  const binary = Object.keys(files).find((file) => /^binaries\/.*\.(so|dylib)$/.test(file));
  writeFileSync(library, files[binary], { mode: 0o755 });
  const text = Buffer.from(files["modelDescription.xml"]).toString("utf8");
  return [library, /(?:guid|instantiationToken)="([^"]*)"/.exec(text)[1]];
}

function us(value) {
  return `${value.toFixed(2)} µs`;
}

function markdown(list) {
  return [
    "| FMI | master | C master, per 10 ms | ours | steps, C / ours | ratio | wanted |",
    "|--:|---|--:|--:|--:|--:|--:|",
    ...list.map(
      (r) =>
        `| ${r.version}.0 | ${r.what} | ${us(r.c)} | ${us(r.ours)} | ${r.steps.join(" / ")} | **${r.ratio.toFixed(2)}** | ≤ ${r.wanted} |`,
    ),
  ].join("\n");
}

function markdownOfEvents(list) {
  return [
    "| case | communication step | C master, per step | ours | steps taken | events | ratio | wanted |",
    "|---|--:|--:|--:|--:|--:|--:|--:|",
    ...list.map(
      (r) =>
        `| ${r.what} | ${r.step} ms | ${us(r.c)} | ${us(r.ours)} | ${r.steps} | ${r.events} | **${r.ratio.toFixed(2)}** | ≤ ${r.wanted} |`,
    ),
  ].join("\n");
}

function markdownOfExplicit(list) {
  return [
    "| FMI | explicit step of two FMUs by the interpreter | wanted |",
    "|--:|--:|--:|",
    ...list.map(
      (r) => `| ${r.version}.0 | **${r.microseconds.toFixed(2)} µs** | ≤ ${WANTED_EXPLICIT} µs |`,
    ),
  ].join("\n");
}
