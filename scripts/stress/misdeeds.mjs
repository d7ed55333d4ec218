/**
 * The class "misdeeds": every way of ways.mjs, as FMI 2.0 and 3.0, alone and between two healthy
 * units on every executor.
 */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { unzipSync, zipSync } from "fflate";
import { ROOT, readIfThere, runCommand } from "./command.mjs";
import { judgeBlame, judgeCommand, judgeRows } from "./judge.mjs";
import { STEPS, WAYS } from "./ways.mjs";

const HOW = {
  alone: [],
  interpreter: ["--executor", "interpreter"],
  "machine-code": ["--executor", "machine-code"],
  threads: ["--threads", "2"],
};
const STEP_SECONDS = 0.01;
/**
 * Wall-clock limit given to FMUs that hang, at least this, and this many times what a well-behaved
 * run takes: machines are busy.
 */
const TIMEOUT_SECONDS = 2;
const TIMEOUT_FACTOR = 3;
const BOUND_SECONDS = 40;
const TOO_SLOW = /when the time allowed by --timeout was over/;
const PATIENCE = 6;
const CALLS = { 2: "fmi2", 3: "fmi3" };

/** All cases; `work` is a folder for this class. */
export function misdeedCases(work) {
  const makers = new Map();
  return Object.entries(WAYS).flatMap(([name, way]) =>
    (way.versions ?? [2, 3]).flatMap((version) =>
      (way.how ?? Object.keys(HOW)).map((how) => ({
        name: `${name}, FMI ${version}, ${how}`,
        run: () => runWay(work, { name, way, version, how }, makers),
      })),
    ),
  );
}

async function runWay(work, { name, way, version, how }, makers) {
  const base = way.base ?? "Saboteur";
  const bench = await once(makers, `${base}-${version}`, () => makeBench(work, base, version));
  const reference = await once(makers, `${base}-${version}-${how}-${JSON.stringify(way.set)}`, () =>
    makeReference(bench, how, way),
  );
  const folder = join(work, `${name}-${version}-${how}`.replace(/[^A-Za-z0-9]+/g, "-"));
  mkdirSync(folder, { recursive: true });
  writeSaboteur(bench, join(folder, "bad.fmu"), `${way.order}\n`);
  const prepared = prepare(folder, bench, how, way);
  if (way.mark) writeFileSync(join(prepared.temporary, "saboteur-may-empty-this"), "");
  const seconds = Math.ceil(Math.max(TIMEOUT_SECONDS, reference.seconds * TIMEOUT_FACTOR));
  const attempt = (allowed) =>
    runCommand(folder, [...prepared.args, ...(way.hangs ? ["--timeout", String(allowed)] : [])], {
      temporary: prepared.temporary,
      boundMs: (way.boundSeconds ?? BOUND_SECONDS + allowed) * 1000,
    });
  let seen = await attempt(seconds);
  // The machine became slower since the well-behaved run was timed: nothing was seen of the
  // misdeed.
  if (TOO_SLOW.test(seen.stderr)) seen = await attempt(seconds * PATIENCE);
  if (way.mark)
    seen.leftovers = seen.leftovers.filter((file) => file !== "saboteur-may-empty-this");
  const text = readIfThere(join(folder, "out.csv"));
  return { broken: judgeWay(way, how, seen, text, reference.text), seen, folder };
}

/** Exported for the tests of the judge. */
export function judgeWay(way, how, seen, text, reference) {
  const codes = { failed: [3], done: [0], either: [0, 3], refused: [1, 3], closing: [0, 3] };
  const broken = judgeCommand(seen, { codes: way.codes ?? codes[way.ends], prints: way.prints });
  if (seen.timedOut) return broken;
  const done = seen.code === 0;
  const rows = done ? (way.rows === "begun" ? "begun" : "all") : way.rows;
  // A run that ends well has all rows, but what an event or a shorter step adds may differ.
  const values = way.values ?? "same";
  broken.push(
    ...judgeRows(text, reference, { rows: values === "any" && done ? "begun" : rows, values }),
  );
  const blamed = {
    unit: how === "alone" ? (way.base ?? "Saboteur") : "bad",
    others: ["before", "after"],
  };
  const [wrong] = judgeBlame(`${seen.stderr}${blamed.unit}`, blamed);
  if (wrong) broken.push(wrong);
  else if (!done && !way.quiet)
    broken.push(...judgeBlame(seen.stderr, { ...blamed, call: way.call }));
  else if (done && way.ends === "closing" && !way.quiet)
    broken.push(...judgeBlame(seen.stderr, { ...blamed, call: undefined }));
  return broken;
}

/** Unpacks what all cases of one FMU share. */
function makeBench(work, base, version) {
  const folder = join(work, `bench-${base}-${version}`);
  mkdirSync(folder, { recursive: true });
  const build = join(ROOT, "fixtures", "build", CALLS[version]);
  for (const name of ["before", "after"])
    copyFileSync(join(build, "Heavy.fmu"), join(folder, `${name}.fmu`));
  const entries = unzipSync(readFileSync(join(build, `${base}.fmu`)));
  const bench = { folder, entries };
  writeSaboteur(bench, join(folder, "bad.fmu"), undefined);
  return bench;
}

function writeSaboteur({ entries }, path, order) {
  const orders = order ? { "resources/saboteur.txt": new TextEncoder().encode(order) } : {};
  writeFileSync(path, zipSync({ ...entries, ...orders }, { level: 1 }));
}

async function makeReference(bench, how, way) {
  const folder = join(bench.folder, `reference-${how}-${readdirSync(bench.folder).length}`);
  mkdirSync(folder);
  copyFileSync(join(bench.folder, "bad.fmu"), join(folder, "bad.fmu"));
  const { args, temporary } = prepare(folder, bench, how, { ...way, options: [] });
  const seen = await runCommand(folder, args, { temporary, boundMs: 120_000 });
  const text = readIfThere(join(folder, "out.csv"));
  if (seen.code !== 0 || text === undefined)
    throw new Error(`the well-behaved run failed (${seen.code}): ${seen.stderr}`);
  return { text, seconds: seen.seconds };
}

/** Writes the scenario, and gives the command line. */
function prepare(folder, bench, how, way) {
  const temporary = join(folder, "tmp");
  mkdirSync(temporary, { recursive: true });
  const settings = Object.entries(way.set ?? {});
  const common = ["-o", "out.csv", ...HOW[how], ...(way.options ?? [])];
  if (how === "alone") {
    const set = settings.flatMap(([port, value]) => ["--set", `${port}=${value}`]);
    const times = ["--stop", String(STEPS * STEP_SECONDS), "--step", String(STEP_SECONDS)];
    return { temporary, args: ["run", "bad.fmu", ...times, ...set, ...common] };
  }
  for (const name of ["before", "after"])
    if (!existsSync(join(folder, `${name}.fmu`)))
      copyFileSync(join(bench.folder, `${name}.fmu`), join(folder, `${name}.fmu`));
  const set = settings.length > 0 ? `, set: ${JSON.stringify(way.set)}` : "";
  writeFileSync(
    join(folder, "scenario.yaml"),
    `name: neighbours
units:
  before: { fmu: before.fmu, set: { work: 2000 } }
  bad: { fmu: bad.fmu${set} }
  after: { fmu: after.fmu, set: { work: 2000 } }
connections:
  - before.x -> bad.u
  - bad.x -> after.u
experiment: { stop: ${STEPS * STEP_SECONDS}, step: ${STEP_SECONDS} }
master: jacobi
`,
  );
  return { temporary, args: ["run", "scenario.yaml", ...common] };
}

async function once(made, key, make) {
  if (!made.has(key)) made.set(key, Promise.resolve().then(make));
  return made.get(key);
}
