/**
 * What it costs that a unit is on a node: the round trip of a step over loopback, eight units at
 * once, and the same unit in the run's own process. Needs nats-server. `--write` puts the table
 * into bench/distributed.md, `--json` prints figures, `--short` takes fewer and shorter cases,
 * `--as-is` measures what is built and installs nothing.
 */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { ROOT } from "../scripts/setup.mjs";
import { startNode, startServer, stopAll } from "./nodes.mjs";
import { built, conditions, median, writeResults } from "./results.mjs";

const isShort = process.argv.includes("--short");
const RUNS = isShort ? 1 : Number(process.env.BENCH_RUNS ?? 5);
/** Of one unit, the first half to be compiled in. */
const STEPS = isShort ? 10_000 : 20_000;
const UNITS = 8;
/** Microseconds of a round trip, and how many round trips a step of eight units may take. */
const WANTED_TRIP = 150;
const WANTED_RATIO = 3;
const FMU = join(ROOT, "fixtures", "build", "fmi2", "MassSpringDamperLeft.fmu");
const inBench = (name) => join(ROOT, "bench", "native", name);

const run = promisify(execFile);
const busy = await built();
const folder = mkdtempSync(join(tmpdir(), "cosimo-distributed-"));
try {
  const url = await startServer();
  await startNode(url, "lab", `left=${FMU}`);
  const rows = await measure(url);
  if (process.argv.includes("--json")) console.log(JSON.stringify(rows, null, 1));
  else console.log(markdown(rows));
  if (process.argv.includes("--write"))
    writeResults("distributed.md", conditions(RUNS, busy), markdown(rows));
  const missed = rows.filter(({ isMissed }) => isMissed);
  for (const { what, shown, wanted } of missed)
    console.error(`missed: ${what}: ${shown}, not ${wanted}`);
  process.exitCode = missed.length > 0 ? 1 : 0;
} finally {
  await stopAll();
  rmSync(folder, { recursive: true, force: true });
}

async function measure(url) {
  const scenario = join(folder, "local.yaml");
  writeFileSync(
    scenario,
    `units: { left: ${FMU} }\nexperiment: { stop: 1, step: ${1 / 128} }\nmaster: jacobi\n`,
  );
  const [one, eight, local, floor] = [[], [], [], []];
  for (let i = 0; i < RUNS; i++) {
    const remote = (units, steps) =>
      json(inBench("distributed-case.mjs"), url, "lab/left", String(units), String(steps));
    floor.push(await json(inBench("ping-case.mjs"), url, String(STEPS)));
    one.push(await remote(1, STEPS));
    eight.push(await remote(UNITS, STEPS / 2));
    local.push(
      await json(inBench("isolation-case.mjs"), scenario, "100000", String(1 / 128), "interpreter"),
    );
  }
  const of = (runs, key) => median(runs.map((one) => one[key]));
  const [trip, all, here] = [of(one, "median"), of(eight, "median"), of(local, "microseconds")];
  const spread = `${of(one, "low").toFixed(0)} to ${of(one, "high").toFixed(0)} µs`;
  return [
    {
      what: "a message to and fro through the server, two connections in one process: the floor",
      shown: `${of(floor, "median").toFixed(0)} µs`,
    },
    {
      what: "a step of one remote unit: input, advance, outputs",
      shown: `${trip.toFixed(0)} µs (80 % of all steps: ${spread})`,
      wanted: `< ${WANTED_TRIP} µs`,
      isMissed: trip >= WANTED_TRIP,
    },
    {
      what: `a Jacobi step of ${UNITS} remote units on one node`,
      shown: `${all.toFixed(0)} µs, ${(all / trip).toFixed(2)} times one`,
      wanted: `< ${WANTED_RATIO} times`,
      isMissed: all / trip >= WANTED_RATIO,
    },
    {
      what: "a step of the same unit in the run's own process, interpreter",
      shown: `${here.toFixed(2)} µs; a remote one costs ${(trip - here).toFixed(0)} µs more`,
    },
  ];
}

async function json(program, ...args) {
  return JSON.parse((await run(process.execPath, [program, ...args])).stdout);
}

function markdown(rows) {
  return [
    "| case | measured | wanted |",
    "|---|--:|--:|",
    ...rows.map(({ what, shown, wanted = "" }) => `| ${what} | **${shown}** | ${wanted} |`),
  ].join("\n");
}
