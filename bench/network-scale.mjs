/**
 * What large and long runs over nodes need: the start of a thousand units on four nodes, the memory
 * of a node, its session and a watcher over a million steps of units, and what it costs a run that
 * others watch it. Needs nats-server and /proc. `--write` puts the table into
 * bench/network-scale.md, `--json` prints figures, `--short` takes fewer and shorter cases,
 * `--as-is` measures what is built and installs nothing.
 */
import { execFile, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { ROOT } from "../scripts/setup.mjs";
import { end, startNode, startServer, stopAll } from "./nodes.mjs";
import { built, conditions, median, writeResults } from "./results.mjs";

const isShort = process.argv.includes("--short");
const RUNS = isShort ? 1 : Number(process.env.BENCH_RUNS ?? 5);
const MANY = 1000;
const NODES = ["lab-a", "lab-b", "lab-c", "lab-d"];
const TOGETHER = 8;
/** Steps of eight units. */
const LONG = (isShort ? 1e5 : 1e6) / TOGETHER;
const FAST_STEPS = isShort ? 4e6 : 1e7;
const STEP = 1 / 128;
/** Seconds until it has started, growth of memory, and how much slower a run may be. */
const WANTED = { start: 20, growth: 1.1, cost: 1.1 };
const POLL_MS = 250;
const FMU = join(ROOT, "fixtures", "build", "fmi2", "MassSpringDamperLeft.fmu");
const COMMAND = join(ROOT, "packages", "cosimo", "bin", "cosimo.js");

const run = promisify(execFile);
const busy = await built();
const folder = mkdtempSync(join(tmpdir(), "cosimo-network-scale-"));
const watching = [];
try {
  const url = await startServer();
  const nodes = [];
  for (const name of NODES) nodes.push(await startNode(url, name, `left=${FMU}`));
  const env = { ...process.env, COSIMO_SERVER: url };
  const rows = [await startOfMany(env), ...(await longRun(env, nodes[0])), await watched(env)];
  if (process.argv.includes("--json")) console.log(JSON.stringify(rows, null, 1));
  else console.log(markdown(rows));
  if (process.argv.includes("--write"))
    writeResults("network-scale.md", conditions(RUNS, busy), markdown(rows));
  const missed = rows.filter(({ isMissed }) => isMissed);
  for (const { what, shown, wanted } of missed)
    console.error(`missed: ${what}: ${shown}, not ${wanted}`);
  process.exitCode = missed.length > 0 ? 1 : 0;
} finally {
  for (const child of watching) await end(child);
  await stopAll();
  rmSync(folder, { recursive: true, force: true });
}

/** A ring of a thousand units, from the command to the end of its second step. */
async function startOfMany(env) {
  const scenario = ring("many", MANY, 2, (i) => NODES[i % NODES.length]);
  const seconds = [];
  for (let i = 0; i < RUNS; i++) {
    const begun = performance.now();
    await run(process.execPath, [COMMAND, "run", scenario, "-q"], { env });
    seconds.push((performance.now() - begun) / 1000);
  }
  const found = median(seconds);
  return {
    what: `${MANY} units on ${NODES.length} nodes: from the command to the end of two steps`,
    shown: `${found.toFixed(1)} s`,
    wanted: `< ${WANTED.start} s`,
    isMissed: found >= WANTED.start,
  };
}

/** Eight units on one node, watched: memory after a fifth of the run and at its end. */
async function longRun(env, node) {
  const scenario = ring("long", TOGETHER, LONG, () => NODES[0]);
  const watcher = spawn(process.execPath, [COMMAND, "watch", "long", "--csv"], {
    env,
    stdio: ["ignore", "ignore", "inherit"],
  });
  watching.push(watcher);
  await sleep(2000);
  const before = new Set(childrenOf(node.pid));
  const args = [COMMAND, "run", scenario, "-q", "--publish"];
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "ignore", "inherit"] });
  const memory = { session: [], node: [], watcher: [] };
  while (child.exitCode === null && child.signalCode === null) {
    await sleep(POLL_MS);
    const session = childrenOf(node.pid).find((pid) => !before.has(pid));
    const found = {
      session: residentOf(session),
      node: residentOf(node.pid),
      watcher: residentOf(watcher.pid),
    };
    // From the first to the last moment of the session: the run, without what comes before it.
    if (found.session !== undefined && found.watcher !== undefined)
      for (const [who, mib] of Object.entries(found)) memory[who].push(mib);
  }
  if (child.exitCode !== 0) throw new Error(`the long run ended with ${child.exitCode}`);
  return Object.entries(memory).map(([who, samples]) => {
    const part = (from, to) =>
      median(samples.slice(Math.floor(from * samples.length), Math.ceil(to * samples.length)));
    const [early, late] = [part(0.15, 0.25), part(0.9, 1)];
    const what = { session: "the session on the node", node: "the node", watcher: "a watcher" }[
      who
    ];
    return {
      what: `memory of ${what}, after a fifth and at the end of ${LONG * TOGETHER} steps of units`,
      shown: `${early.toFixed(0)} and ${late.toFixed(0)} MiB`,
      wanted: `< ${WANTED.growth} times`,
      isMissed: !(late < WANTED.growth * early),
    };
  });
}

/** A fast run alone, and with two watchers, one of which does not read; they take turns. */
async function watched(env) {
  const scenario = join(folder, "fast.yaml");
  writeFileSync(
    scenario,
    `units: { left: ${FMU} }\nexperiment: { stop: ${FAST_STEPS * STEP}, step: ${STEP} }\nmaster: jacobi\n`,
  );
  const seconds = async (...more) => {
    const args = [COMMAND, "run", scenario, "--json", ...more];
    return JSON.parse((await run(process.execPath, args, { env })).stdout).wallSeconds;
  };
  const [alone, seen] = [[], []];
  for (let i = 0; i < RUNS; i++) {
    alone.push(await seconds());
    const watchers = [0, 1].map(() =>
      spawn(process.execPath, [COMMAND, "watch", "fast"], { env, stdio: "ignore" }),
    );
    watching.push(...watchers);
    await sleep(2000);
    watchers[1].kill("SIGSTOP");
    seen.push(await seconds("--publish"));
    watchers[1].kill("SIGCONT");
    for (const one of watchers) await end(one);
  }
  const ratio = median(seen) / median(alone);
  return {
    what: `a run of ${FAST_STEPS} steps with two watchers, one of which does not read, against one that is not published`,
    shown: `${ratio.toFixed(2)} times (${median(seen).toFixed(2)} s, ${median(alone).toFixed(2)} s)`,
    wanted: `< ${WANTED.cost} times`,
    isMissed: ratio >= WANTED.cost,
  };
}

function ring(name, units, steps, nodeOf) {
  const numbers = Array.from({ length: units }, (_, i) => i);
  const file = join(folder, `${name}.yaml`);
  writeFileSync(
    file,
    [
      "units:",
      ...numbers.map((i) => `  u${i}: { remote: ${nodeOf(i)}/left }`),
      "connections:",
      ...numbers.map((i) => `  - { from: u${i}.x_1, to: u${(i + 1) % units}.F_e, suppress: unit }`),
      `experiment: { stop: ${steps * STEP}, step: ${STEP} }`,
      "master: jacobi",
      "record: [u0.x_1]",
      "",
    ].join("\n"),
  );
  return file;
}

function childrenOf(pid) {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
  return text.trim().split(" ").filter(Boolean).map(Number);
}

/** MiB; undefined where the process is not there. */
function residentOf(pid) {
  try {
    const found = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
    return found === null ? undefined : Number(found[1]) / 1024;
  } catch {
    return undefined;
  }
}

function markdown(rows) {
  return [
    "| case | measured | wanted |",
    "|---|--:|--:|",
    ...rows.map(({ what, shown, wanted }) => `| ${what} | **${shown}** | ${wanted} |`),
  ].join("\n");
}
