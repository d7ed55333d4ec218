/**
 * Whole systems: chains of many units, planning of a large one, and the same three units in other
 * tools. One process a case, cases take turns, medians, ratios within one run. `--write` puts the
 * tables into bench/scenario.md, `--json` prints figures, `--as-is` measures what is built and
 * installs nothing.
 *
 * Loading is not stepping: every figure per step is the difference between a long and a short run
 * of the same command, so that start-up, reading and initialization drop out, for every tool in the
 * same way.
 */
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { strFromU8, strToU8, unzipSync, zipSync } from "fflate";
import { stagePackage } from "../scripts/pack.mjs";
import { ROOT, setup } from "../scripts/setup.mjs";
import { conditions, median, writeResults } from "./results.mjs";
import { chain, large, STEP, threeUnits } from "./scenario-systems.mjs";

const RUNS = Number(process.env.BENCH_RUNS ?? 5);
const COSIMO = [process.execPath, join(ROOT, "packages", "cosimo", "bin", "cosimo.js")];
const VENV = join(ROOT, "node_modules", ".cache", "interop");
const PYTHON = existsSync(join(VENV, "bin", "python")) ? join(VENV, "bin", "python") : "python3";
const PEERS = join(ROOT, "bench", "peers");
/** As users have it: fewer and larger files than the checkout. */
const INSTALLED = "cosimo, as installed";
/** Of the long run of every chain, whatever its length. */
const UNIT_STEPS = Number(process.env.BENCH_UNIT_STEPS ?? 50_000_000);
/** What FMPy records of the three units: all inputs and outputs. */
const CONNECTORS = "mass.F_e,mass.?_1,load.F_c,load.x_c,load.v_c,load.?_2,filter.u*,filter.y*";

if (!process.argv.includes("--as-is")) await setup();
const busy = loadavg()[0];
const folder = mkdtempSync(join(tmpdir(), "cosimo-scenario-"));
try {
  const result = { chains: chains(), planning: planning(await installed()), peers: peers() };
  const text = markdown(result);
  console.log(process.argv.includes("--json") ? JSON.stringify(result, null, 1) : text);
  if (process.argv.includes("--write")) writeResults("scenario.md", conditions(RUNS, busy), text);
  const rows = [...result.chains, ...result.peers].filter(({ wanted }) => wanted !== undefined);
  const missed = rows.filter(({ isMet }) => !isMet);
  for (const { what, ratio, wanted } of missed)
    console.error(`missed: ${what}: ${ratio.toFixed(2)}, wanted ${wanted}`);
  process.exitCode = missed.length > 0 ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function chains() {
  const counts = [10, 100, 1000];
  const cases = counts.map((count) => ({
    steps: UNIT_STEPS / count,
    command: cosimo(chain(folder, count)),
  }));
  const [short, ...longer] = perStep(cases).map(({ seconds, peakMiB }, i) => ({
    what: `chain of ${counts[i].toLocaleString("en")} FMUs`,
    nanoseconds: (1e9 * seconds) / counts[i],
    peakMiB,
  }));
  const compared = longer.map((row) => ({ ...row, ratio: row.nanoseconds / short.nanoseconds }));
  const last = compared.pop();
  return [{ ...short, ratio: 1 }, ...compared, { ...last, wanted: "≤ 2", isMet: last.ratio <= 2 }];
}

function planning(installed) {
  const scenario = large(folder, 1001);
  const ssp = exported(scenario, "large");
  dropEnumerations(ssp);
  const timed = (file, what) =>
    JSON.parse(output([process.execPath, join(ROOT, "bench", "scenario-plan.mjs"), file, what]));
  const ready = {
    [INSTALLED]: [...installed, "run", ssp, "--stop", String(STEP), "--quiet"],
    "cosimo, this checkout": [...COSIMO, "run", ssp, "--stop", String(STEP), "--quiet"],
    ...(hasPeer("libcosimpy")
      ? { libcosim: [PYTHON, join(PEERS, "libcosim.py"), ssp, String(STEP * 1e9), "1"] }
      : {}),
  };
  const taken = { parse: [], plan: [], planSsp: [] };
  const whole = Object.fromEntries(Object.keys(ready).map((name) => [name, []]));
  let sizes;
  for (let run = 0; run < RUNS; run++) {
    taken.parse.push(timed(scenario, "parse").milliseconds);
    sizes = timed(scenario, "plan");
    taken.plan.push(sizes.milliseconds);
    taken.planSsp.push(timed(ssp, "plan").milliseconds);
    for (const [name, command] of Object.entries(ready)) whole[name].push(measure(command));
  }
  return {
    units: sizes.units,
    connections: sizes.connections,
    parseMilliseconds: median(taken.parse),
    planMilliseconds: median(taken.plan),
    planSspMilliseconds: median(taken.planSsp),
    ready: Object.fromEntries(Object.entries(whole).map(([name, list]) => [name, middle(list)])),
  };
}

function peers() {
  const ssp = exported(threeUnits(folder), "three-units");
  const seldom = { name: "cosimo", steps: 2_000_000, command: cosimo(ssp) };
  const everything = {
    name: "cosimo, all recorded",
    steps: 1_000_000,
    command: (steps) => [
      ...cosimo(ssp)(steps),
      ...["--record", CONNECTORS, "--out", join(folder, "three-units.parquet")],
    ],
  };
  const libcosim = {
    name: "libcosim",
    steps: 50_000,
    command: (steps) => [PYTHON, join(PEERS, "libcosim.py"), ssp, String(STEP * 1e9), steps],
  };
  const fmpy = {
    name: "FMPy",
    steps: 20_000,
    command: (steps) => [PYTHON, join(PEERS, "fmpy_system.py"), ssp, String(STEP), steps],
  };
  const pairs = [
    { ours: seldom, theirs: libcosim, needs: "libcosimpy", about: "nothing recorded", limit: 5 },
    { ours: everything, theirs: fmpy, needs: "fmpy", about: "all 12 signals recorded", limit: 20 },
  ].filter(({ needs }) => hasPeer(needs));
  const figures = perStep(pairs.flatMap(({ ours, theirs }) => [ours, theirs]));
  return pairs.map(({ theirs, about, limit }, i) => {
    const [ours, peer] = figures.slice(2 * i, 2 * i + 2);
    const ratio = peer.seconds / ours.seconds;
    const wanted = `≥ ${limit}`;
    const isMet = ratio >= limit;
    return { what: `3 units, ${about}, against ${theirs.name}`, ours, peer, ratio, wanted, isMet };
  });
}

/** The package that users install, with the native code of this checkout. @returns its command. */
async function installed() {
  const stage = join(folder, "installed");
  mkdirSync(join(stage, "node_modules"), { recursive: true });
  await stagePackage(stage);
  symlinkSync(join(ROOT, "node_modules", "koffi"), join(stage, "node_modules", "koffi"));
  return [process.execPath, join(stage, "bin", "cosimo.js")];
}

function cosimo(file) {
  const stop = (steps) => String(Number(steps) * STEP);
  return (steps) => [...COSIMO, "run", file, "--step", STEP, "--stop", stop(steps), "--quiet"];
}

function exported(scenario, name) {
  const ssp = join(folder, `${name}.ssp`);
  output([...COSIMO, "export", scenario, "--out", ssp]);
  return ssp;
}

/** libcosim refuses a system with enumerations, connected or not; these are not. */
function dropEnumerations(ssp) {
  const files = unzipSync(readFileSync(ssp));
  const text = strFromU8(files["SystemStructure.ssd"]);
  const rest = text.replaceAll(
    /<ssd:Connector name="Enumeration\w*"[\s\S]*?<\/ssd:Connector>/g,
    "",
  );
  if (rest === text) throw new Error("the large system has no enumerations to drop");
  writeFileSync(ssp, zipSync({ ...files, "SystemStructure.ssd": strToU8(rest) }));
}

function hasPeer(module) {
  try {
    execFileSync(PYTHON, ["-c", `import ${module}`], { stdio: "ignore" });
    return true;
  } catch {
    console.error(`skipped: ${module} is not installed; scripts/interop.sh tries to`);
    return false;
  }
}

/** Seconds a macro step and the peak memory of the long run, for each case; all take turns. */
function perStep(cases) {
  const runs = cases.map(() => ({ long: [], short: [] }));
  for (let run = 0; run < RUNS; run++) {
    cases.forEach(({ steps, command }, i) => {
      runs[i].short.push(measure(command(String(steps / 10))));
      runs[i].long.push(measure(command(String(steps))));
    });
  }
  return runs.map(({ long, short }, i) => {
    const differences = long.map(({ seconds }, run) => seconds - short[run].seconds);
    const { peakMiB } = middle(long);
    return { seconds: median(differences) / (0.9 * cases[i].steps), peakMiB };
  });
}

function measure(command) {
  return JSON.parse(output([PYTHON, join(ROOT, "bench", "measure.py"), ...command.map(String)]));
}

function output([program, ...args]) {
  return execFileSync(program, args, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
}

function middle(runs) {
  return {
    seconds: median(runs.map(({ seconds }) => seconds)),
    peakMiB: median(runs.map(({ peakMiB }) => peakMiB)),
  };
}

function markdown({ chains: rows, planning: plan, peers: pairs }) {
  const mib = (value) => `${value.toFixed(0)} MiB`;
  const ms = (value) => `${value.toFixed(0)} ms`;
  const perSecond = ({ seconds }) => Math.round(1 / seconds).toLocaleString("en");
  const size = `${plan.units.toLocaleString("en")} units, ${plan.connections.toLocaleString("en")} connections`;
  return [
    "| chain | ns per unit-step | against 10 | wanted | peak memory |",
    "|---|--:|--:|--:|--:|",
    ...rows.map(
      (r) =>
        `| ${r.what} | ${r.nanoseconds.toFixed(0)} | **${r.ratio.toFixed(2)}** | ${r.wanted ?? ""} | ${mib(r.peakMiB)} |`,
    ),
    "",
    `| ${size} | time | peak memory |`,
    "|---|--:|--:|",
    `| reading YAML alone | ${ms(plan.parseMilliseconds)} | |`,
    `| YAML to checked plan | ${ms(plan.planMilliseconds)} | |`,
    `| SSP to checked plan | ${ms(plan.planSspMilliseconds)} | |`,
    ...Object.entries(plan.ready).map(
      ([name, r]) =>
        `| ${name}: process start, SSP, instances, one step${name === INSTALLED ? " (wanted: ≤ 1500 ms)" : ""} | ${ms(1000 * r.seconds)} | ${mib(r.peakMiB)} |`,
    ),
    "",
    "| the same system | ours, steps/s | peer, steps/s | ratio | wanted | peak memory ours / peer |",
    "|---|--:|--:|--:|--:|--:|",
    ...pairs.map(
      (r) =>
        `| ${r.what} | ${perSecond(r.ours)} | ${perSecond(r.peer)} | **${r.ratio.toFixed(0)}** | ${r.wanted} | ${mib(r.ours.peakMiB)} / ${mib(r.peer.peakMiB)} |`,
    ),
  ].join("\n");
}
