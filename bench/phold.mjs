/**
 * PHOLD with HELICS' settings (64 federates, 16 events each, 10 % remote, lookahead 0.1 s) in one
 * process, against HELICS from PyPI in the same run, and with heavy events on threads. One process
 * per case, the two take turns, medians of wall-clock rates; `--write` puts the tables into
 * bench/phold.md.
 */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { ROOT, setup } from "../scripts/setup.mjs";
import { startNode, startServer, stopAll } from "./nodes.mjs";
import { conditions, median, writeResults } from "./results.mjs";

const RUNS = Number(process.env.BENCH_RUNS ?? 5);
const HELICS = "3.6.1";
const VENV = join(ROOT, "node_modules", ".cache", "helics");
const PYTHON = join(VENV, "bin", "python");
const WANTED = 5;
/** Events per second that HELICS publishes for its C++ benchmark, in process, with 64 federates. */
const PUBLISHED = 257_000;
/** Simulated seconds: as many as take each about a second. */
const [OURS, THEIRS, HEAVY, FAR] = [1000, 1, 2, 200];
/** Over loopback: the type of HELICS' cores, and what it publishes for 32 federates. */
const [CORE, WANTED_FAR, PUBLISHED_FAR] = ["zmq", 2, 8900];

if (!process.argv.includes("--as-is")) await setup({ fixtures: false });
if (!existsSync(PYTHON)) {
  execFileSync("python3", ["-m", "venv", VENV]);
  execFileSync(PYTHON, ["-m", "pip", "install", "--quiet", `helics==${HELICS}`]);
}
const busy = loadavg()[0];
const taken = Array.from({ length: RUNS }, () => {
  const ours = rate(run(process.execPath, "native/phold-case.mjs", "light", OURS, "off"));
  const theirs = rate(run(PYTHON, "peers/helics_phold.py", 64, THEIRS));
  return { ours, theirs, ratio: ours / theirs };
});
const ours = median(taken.map((one) => one.ours));
const theirs = median(taken.map((one) => one.theirs));
const ratio = median(taken.map((one) => one.ratio));
const far = await measureNodes();
const heavy = measureHeavy();
const text = `${processTable()}\n\n${nodesTable(far)}\n\n${threadsTable(heavy)}`;
console.log(text);
if (process.argv.includes("--write"))
  writeResults("phold.md", `${conditions(RUNS, busy)} HELICS ${HELICS}.`, text);
const isFarMet = far.every((one) => one.ratio >= WANTED_FAR && one.ours > PUBLISHED_FAR);
process.exitCode = ratio >= WANTED && ours > PUBLISHED && isFarMet ? 0 : 1;

/** Two processes each: nodes with parts behind a NATS server, cores with federates behind a broker. */
async function measureNodes() {
  const url = await startServer();
  const model = join(ROOT, "bench", "native", "phold-model.mjs");
  try {
    for (const name of ["left", "right"]) await startNode(url, name, `phold=${model}`);
    const places = ["left/phold", "right/phold"];
    return [64, 32].map((federates) => {
      const runs = Array.from({ length: RUNS }, () => {
        const nodes = "native/phold-nodes-case.mjs";
        const mine = rate(run(process.execPath, nodes, url, `ahead${federates}`, FAR, ...places));
        const peer = rate(run(PYTHON, "peers/helics_phold.py", federates, THEIRS, CORE, 2));
        return { mine, peer, ratio: mine / peer };
      });
      const of = (key) => median(runs.map((one) => one[key]));
      return { federates, ours: of("mine"), theirs: of("peer"), ratio: of("ratio") };
    });
  } finally {
    await stopAll();
  }
}

function nodesTable(rows) {
  return [
    "| over loopback, two processes | events/s | Cosimo against it | wanted |",
    "|---|--:|--:|--:|",
    ...rows.flatMap(({ federates, ours: mine, theirs: peer, ratio: factor }) => [
      `| Cosimo, parts on NATS nodes, ${federates} federates | ${number(mine)} | | |`,
      `| HELICS ${HELICS}, Python, ${CORE} core, ${federates} federates | ${number(peer)} | **${number(factor)}** | ≥ ${WANTED_FAR} |`,
      ...(federates === 32
        ? [
            `| HELICS, C++, ${CORE} core, as published | ${number(PUBLISHED_FAR)} | **${(mine / PUBLISHED_FAR).toFixed(1)}** | > 1 |`,
          ]
        : []),
    ]),
  ].join("\n");
}

function measureHeavy() {
  const kinds = ["off", "conservative", "optimistic", "auto"];
  const runs = Array.from({ length: RUNS }, () =>
    kinds.map((kind) => run(process.execPath, "native/phold-case.mjs", "heavy", HEAVY, kind)),
  );
  for (const one of runs.flat())
    if (one.count !== runs[0][0].count) throw new Error("events differ between ways to run");
  return kinds.map((kind, k) => ({
    kind,
    ...runs.at(-1)[k],
    rate: median(runs.map((one) => rate(one[k]))),
    speed: median(runs.map((one) => one[0].seconds / one[k].seconds)),
  }));
}

function run(program, file, ...words) {
  const args = [join(ROOT, "bench", file), ...words.map(String)];
  return JSON.parse(execFileSync(program, args, { encoding: "utf8" }));
}

function rate({ count, seconds }) {
  return count / seconds;
}

function number(value) {
  return Math.round(value).toLocaleString("en");
}

function processTable() {
  return [
    "| 64 federates in one process | events/s | Cosimo against it | wanted |",
    "|---|--:|--:|--:|",
    `| Cosimo | ${number(ours)} | | |`,
    `| HELICS ${HELICS}, Python, in-process core | ${number(theirs)} | **${number(ratio)}** | ≥ ${WANTED} |`,
    `| HELICS, C++, as published | ${number(PUBLISHED)} | **${(ours / PUBLISHED).toFixed(1)}** | > 1 |`,
  ].join("\n");
}

function threadsTable(rows) {
  return [
    "| heavy events | events/s | against one kernel | how, and why |",
    "|---|--:|--:|---|",
    ...rows.map(
      (r) =>
        `| ${r.kind} | ${number(r.rate)} | ${r.speed.toFixed(2)} | ${r.how}, ${r.parts} ${r.parts === 1 ? "part" : "parts"}: ${r.reason} |`,
    ),
  ].join("\n");
}
