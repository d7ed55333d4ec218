/**
 * Studies against FMPy: Monte Carlo of short runs of the quarter car, in a pool of processes on the
 * same cores. `--write` puts the table into bench/study.md, `--runs <n>` makes fewer than 10 000,
 * `--as-is` measures what is built and installs nothing, `--json` prints figures.
 *
 * Throughput is runs per second from the first run to the last row. What Cosimo needs to start its
 * processes and to load FMUs counts; what Python needs to import and to unpack does not. FMPy makes
 * a part of the runs, enough for its pace.
 */
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "../scripts/setup.mjs";
import { setup as stagePackage } from "../scripts/staged-package.mjs";
import { built, conditions, writeResults } from "./results.mjs";

const option = (name, usual) => {
  const at = process.argv.indexOf(name);
  return at < 0 ? usual : Number(process.argv[at + 1]);
};
const RUNS = option("--runs", 10_000);
const JOBS = option("--jobs", availableParallelism());
const [STEP, STEPS] = [0.01, 100];
/** Of Cosimo's runs: what each peer makes. */
const PART = { ssp: 1 / 40, kept: 1 / 5 };
const WANTED = 20;
/** Whole measurements, in which Cosimo and its peers take turns. */
const TURNS = option("--turns", 5);
/** Of a longer study, for the memory of its workers, and how often that is looked at. */
const LONG = { runs: 6 * RUNS, looks: 6 };
/** As users install it. */
const COSIMO = join(ROOT, "out", "package", "bin", "cosimo.js");
const VENV = join(ROOT, "node_modules", ".cache", "interop");
const PYTHON =
  process.env.COSIMO_PYTHON ??
  (existsSync(join(VENV, "bin", "python")) ? join(VENV, "bin", "python") : "python3");
const fmu = (name) => join(ROOT, "fixtures", "build", "fmi2", `QuarterCar${name}.fmu`);

const busy = await built();
await stagePackage();
const folder = mkdtempSync(join(tmpdir(), "cosimo-study-"));
try {
  const scenario = join(folder, "quarter-car.yaml");
  writeFileSync(
    scenario,
    `units: { road: ${fmu("Road")}, wheel: ${fmu("Wheel")}, chassis: ${fmu("Chassis")} }
connections: [road.v -> wheel.v_road, wheel.z_w -> chassis.z_w, wheel.v_w -> chassis.v_w, chassis.F -> wheel.F]
experiment: { stop: ${STEP * STEPS} s, step: ${STEP} s }
master: jacobi
`,
  );
  const written = (name, runs) => {
    const path = join(folder, name);
    writeFileSync(
      path,
      `scenario: quarter-car.yaml
factors: { chassis.c: { from: 10000, to: 30000 }, chassis.d: { distribution: normal, mean: 1500, deviation: 200 } }
design: { method: monte-carlo, runs: ${runs} }
keep: [chassis.z_c, maximum(abs(chassis.F)) as force]
`,
    );
    return path;
  };
  const study = written("study.yaml", RUNS);
  const turns = [];
  const withPeers = hasFmpy();
  for (let turn = 0; turn < TURNS; turn++) {
    const ours = await cosimo(study, `results-${turn}`, RUNS);
    const peers = withPeers ? fmpy(scenario) : [];
    turns.push({
      ours,
      peers: peers.map((peer) => ({ ...peer, ratio: ours.runsPerSecond / peer.runsPerSecond })),
    });
  }
  const [{ peers }] = turns;
  const result = {
    ours: middle(
      turns.map(({ ours }) => ours),
      (one) => one.runsPerSecond,
    ),
    peers: peers.map((peer, p) => ({
      ...peer,
      runsPerSecond: middle(turns.map((turn) => turn.peers[p].runsPerSecond)),
      ratio: middle(turns.map((turn) => turn.peers[p].ratio)),
      ratios: turns.map((turn) => turn.peers[p].ratio).sort((a, b) => a - b),
    })),
    memoryMiB: (await cosimo(written("long.yaml", LONG.runs), "results-long", LONG.runs)).memoryMiB,
  };
  const text = markdown(result);
  console.log(process.argv.includes("--json") ? JSON.stringify(result, null, 1) : text);
  const fewer = RUNS === 10_000 ? "" : ` ${RUNS.toLocaleString("en")} runs in place of 10,000.`;
  if (process.argv.includes("--write"))
    writeResults("study.md", `${conditions(TURNS, busy)}${fewer}`, text);
  const [whole] = result.peers;
  if (whole !== undefined && whole.ratio < WANTED) {
    console.error(
      `missed: ${whole.ratio.toFixed(1)} times the throughput of FMPy, wanted ${WANTED}`,
    );
    process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** The command, and the memory of its workers at equal parts of its time. */
async function cosimo(study, results, wanted) {
  const child = spawn(
    process.execPath,
    [COSIMO, "study", study, "-o", join(folder, results), "--json", "--jobs", String(JOBS)],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (piece) => {
    text += piece;
  });
  const samples = [];
  const timer = setInterval(() => samples.push(workerMemory(child.pid)), 250);
  const code = await new Promise((resolve) => child.on("close", resolve));
  clearInterval(timer);
  if (code !== 0) throw new Error(`cosimo study ended with ${code}`);
  const { runs, wallSeconds, failed } = JSON.parse(text);
  if (runs !== wanted || failed !== 0) throw new Error(`${failed} of ${runs} runs failed`);
  const known = samples.filter((sample) => sample > 0);
  const at = (part) => known[Math.floor(part * (known.length - 1))] ?? 0;
  const parts = Array.from({ length: LONG.looks }, (_, i) => (i + 0.9) / LONG.looks);
  return {
    what: "cosimo study",
    runs,
    runsPerSecond: runs / wallSeconds,
    memoryMiB: parts.map((part) => at(part) / 2 ** 20),
  };
}

/** Resident bytes of the largest child of a process. */
function workerMemory(parent) {
  let most = 0;
  for (const name of readdirSync("/proc").filter((one) => /^\d+$/.test(one))) {
    try {
      const status = readFileSync(`/proc/${name}/status`, "latin1");
      if (Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]) !== parent) continue;
      most = Math.max(most, 1024 * Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0));
    } catch {
      // It has ended meanwhile.
    }
  }
  return most;
}

/** The median. */
function middle(values, key = (value) => value) {
  const sorted = [...values].sort((a, b) => key(a) - key(b));
  return sorted[Math.floor(sorted.length / 2)];
}

function hasFmpy() {
  try {
    execFileSync(PYTHON, ["-c", "import fmpy"], { stdio: "ignore" });
    return true;
  } catch {
    console.error("skipped: fmpy is not installed; scripts/interop.sh tries to");
    return false;
  }
}

function fmpy(scenario) {
  const ssp = join(folder, "quarter-car.ssp");
  execFileSync(process.execPath, [COSIMO, "export", scenario, "--out", ssp]);
  const files = { ssp: [ssp], kept: [fmu("Road"), fmu("Wheel"), fmu("Chassis")] };
  const names = {
    ssp: "FMPy, `simulate_ssp` per run",
    kept: "FMPy, a master by hand, instances kept and reset",
  };
  return Object.keys(files).map((mode) => {
    const runs = Math.max(2 * JOBS, Math.round(PART[mode] * RUNS));
    const args = [join(ROOT, "bench", "peers", "fmpy_study.py"), mode, JOBS, runs, STEP, STEPS];
    const text = execFileSync(PYTHON, [...args.map(String), ...files[mode]], { encoding: "utf8" });
    const { seconds } = JSON.parse(text);
    return { what: names[mode], runs, runsPerSecond: runs / seconds };
  });
}

function markdown({ ours, peers, memoryMiB }) {
  const number = (value) =>
    value < 100 ? value.toFixed(1) : Math.round(value).toLocaleString("en");
  return [
    `| ${JOBS} processes, ${STEPS} steps of three FMUs per run | runs | runs per second | cosimo / it | wanted |`,
    "|---|---|---|---|---|",
    `| ${ours.what} | ${ours.runs.toLocaleString("en")} | ${number(ours.runsPerSecond)} | 1 | |`,
    ...peers.map(
      ({ what, runs, runsPerSecond, ratio, ratios }, i) =>
        `| ${what} | ${runs.toLocaleString("en")} | ${number(runsPerSecond)} | ${number(ratio)} (${number(ratios[0])} to ${number(ratios.at(-1))}) | ${i === 0 ? `≥ ${WANTED}` : ""} |`,
    ),
    "",
    `Memory of the largest worker of a study of ${LONG.runs.toLocaleString("en")} runs, in each sixth of its time: ${memoryMiB.map(number).join(", ")} MiB.`,
  ].join("\n");
}
