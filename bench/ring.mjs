/**
 * Rings of two FMUs against a plain C master written for them: how close plans come to the limit.
 * And rings with a unit in TypeScript: what machine code for the others gains over the interpreter
 * for all. One process per case, cases take turns, medians; `--write` puts the table into
 * bench/ring.md, `--json` prints figures, `--as-is` measures what is built and installs nothing,
 * `--mixed` omits the rings of two.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { unzipSync } from "fflate";
import { ROOT, setup } from "../scripts/setup.mjs";
import { conditions, median, writeResults } from "./results.mjs";

const RUNS = Number(process.env.BENCH_RUNS ?? 7);
/** In one process; the first few of them pay for V8 compiling our own code. */
const REPEATS = { ring: 9, mixed: 5 };
const NATIVE = join(ROOT, "bench", "native");
const HEADERS = join(ROOT, "fixtures", "fmus", "include");
const COMPILER = process.env.CC ?? "cc";
/**
 * Of the rings with a unit in TypeScript. In shorter runs the compiler of the JavaScript engine
 * takes a part of the time.
 */
const MIXED_STEPS = 500_000;
const MIXED_FMUS = 4;
const LIMITS = { plain: 1.2, recorded: 1.2 };

const isOnlyMixed = process.argv.includes("--mixed");
if (!process.argv.includes("--as-is")) await setup();
const busy = loadavg()[0];
const folder = mkdtempSync(join(tmpdir(), "cosimo-ring-"));
try {
  const rings = [2, 3].flatMap((version) => {
    const master = compile(version, "ring-master.c", join(folder, `master${version}`), ["-ldl"]);
    return [
      { name: "trivial", version, master, steps: 4_000_000, ...nop(version) },
      { name: "Dahlquist", version, master, steps: 2_000_000, ...dahlquist(version) },
    ];
  });
  const rows = isOnlyMixed ? [] : rings.flatMap((r) => [measure(r, false), measure(r, true)]);
  const mixed = rings.map(measureMixed);
  const tables = { results: rows.length > 0 && markdown(rows), mixed: mixedMarkdown(mixed) };
  if (process.argv.includes("--json")) console.log(JSON.stringify({ rows, mixed }, null, 1));
  else console.log(Object.values(tables).filter(Boolean).join("\n\n"));
  if (process.argv.includes("--write")) {
    const head = conditions(RUNS, busy);
    for (const [mark, table] of Object.entries(tables))
      if (table) writeResults("ring.md", head, table, mark);
  }
  const missed = rows.filter(({ ratio, limit }) => ratio > limit);
  for (const { what, ratio, limit } of missed)
    console.error(`missed: ${what}: ${ratio.toFixed(2)} > ${limit}`);
  process.exitCode = missed.length > 0 ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function compile(version, source, to, more) {
  const flags = ["-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off"];
  const input = [`-DFMI_VERSION=${version}`, `-I${HEADERS}`, join(NATIVE, source)];
  execFileSync(COMPILER, [...flags, ...input, "-o", to, ...more], { stdio: "inherit" });
  return to;
}

/** The trivial FMU, unpacked. */
function nop(version) {
  const home = join(folder, `nop${version}`);
  const library = join(home, "binaries", version === 2 ? "linux64" : "x86_64-linux", "Nop.so");
  mkdirSync(join(library, ".."), { recursive: true });
  compile(version, "nop.c", library, ["-shared", "-fPIC"]);
  const xml = readFileSync(join(NATIVE, `nop-fmi${version}.xml`), "utf8");
  writeFileSync(join(home, "modelDescription.xml"), xml);
  return { home, library, token: "{nop}", input: ["u", 1], output: ["x", 2] };
}

/** The fixture, whose output drives the rate of the other one. */
function dahlquist(version) {
  const home = join(folder, `dahlquist${version}`);
  const archive = readFileSync(join(ROOT, "fixtures", "build", `fmi${version}`, "Dahlquist.fmu"));
  const binary = version === 2 ? "binaries/linux64" : "binaries/x86_64-linux";
  const library = join(home, binary, "Dahlquist.so");
  const files = unzipSync(archive);
  mkdirSync(join(home, binary), { recursive: true });
  writeFileSync(library, files[`${binary}/Dahlquist.so`], { mode: 0o755 });
  writeFileSync(join(home, "modelDescription.xml"), files["modelDescription.xml"]);
  const text = Buffer.from(files["modelDescription.xml"]).toString("utf8");
  const token = /(?:guid|instantiationToken)="([^"]*)"/.exec(text)[1];
  return { home, library, token, input: ["k", 3], output: ["x", 1] };
}

function measure(ring, recorded) {
  const { home, library, token, input, output, steps, master } = ring;
  const tail = [steps, REPEATS.ring, recorded ? 1 : 0].map(String);
  const ours = (executor) => [
    process.execPath,
    join(NATIVE, "ring-case.mjs"),
    ...[home, input[0], output[0], ...tail, executor],
  ];
  const cases = {
    c: [master, library, token, String(input[1]), String(output[1]), ...tail],
    machineCode: ours("machine-code"),
    interpreter: ours("interpreter").map((arg, i) => (i === 5 ? String(steps / 40) : arg)),
  };
  const taken = { c: [], machineCode: [], interpreter: [] };
  const last = {};
  const once = (name) => {
    const [program, ...args] = cases[name];
    const result = JSON.parse(execFileSync(program, args, { encoding: "utf8" }));
    taken[name].push(result.nanoseconds);
    last[name] = result.last;
  };
  for (let run = 0; run < RUNS; run++) {
    // Neighbours in time, each first as often as the other.
    for (const name of run % 2 === 0 ? ["c", "machineCode"] : ["machineCode", "c"]) once(name);
  }
  once("interpreter");
  if (last.c !== last.machineCode)
    throw new Error(`the C master ends at ${last.c}, machine code at ${last.machineCode}`);
  return {
    what: `2 ${ring.name} FMUs, FMI ${ring.version}.0${recorded ? ", 4 signals recorded" : ""}`,
    c: median(taken.c),
    machineCode: median(taken.machineCode),
    interpreter: median(taken.interpreter),
    ratio: median(taken.machineCode.map((ours, run) => ours / taken.c[run])),
    limit: recorded ? LIMITS.recorded : LIMITS.plain,
  };
}

/**
 * Four FMUs and a unit in TypeScript, the interpreter for all of them against machine code for the
 * FMUs.
 */
function measureMixed({ name, version, home, input, output }) {
  const command = (executor) => [
    join(NATIVE, "ring-case.mjs"),
    ...[home, input[0], output[0], MIXED_STEPS, REPEATS.mixed, 0, executor, MIXED_FMUS, 1].map(
      String,
    ),
  ];
  const taken = { interpreter: [], "machine-code": [] };
  const ends = new Set();
  for (let run = 0; run < RUNS; run++) {
    const order = Object.keys(taken);
    for (const executor of run % 2 === 0 ? order : order.toReversed()) {
      const said = execFileSync(process.execPath, command(executor), { encoding: "utf8" });
      const { nanoseconds, last } = JSON.parse(said);
      taken[executor].push(nanoseconds);
      ends.add(last);
    }
  }
  if (ends.size > 1) throw new Error(`executors end differently: ${[...ends].join(", ")}`);
  return {
    what: `${MIXED_FMUS} ${name} FMUs, FMI ${version}.0, and a unit in TypeScript`,
    interpreter: median(taken.interpreter),
    mixed: median(taken["machine-code"]),
    ratio: median(taken.interpreter.map((slow, run) => slow / taken["machine-code"][run])),
  };
}

function markdown(rows) {
  const ns = (value) => value.toFixed(1);
  return [
    "| ring | C master, ns/step | machine code, ns/step | ratio | wanted | interpreter, ns/step |",
    "|---|--:|--:|--:|--:|--:|",
    ...rows.map(
      (r) =>
        `| ${r.what} | ${ns(r.c)} | ${ns(r.machineCode)} | **${r.ratio.toFixed(2)}** | ≤ ${r.limit} | ${ns(r.interpreter)} |`,
    ),
  ].join("\n");
}

function mixedMarkdown(rows) {
  return [
    "| ring | interpreter, ns/step | mixed, ns/step | times faster |",
    "|---|--:|--:|--:|",
    ...rows.map(
      (r) =>
        `| ${r.what} | ${r.interpreter.toFixed(0)} | ${r.mixed.toFixed(0)} | **${r.ratio.toFixed(1)}** |`,
    ),
  ].join("\n");
}

/** Tables that were measured, each into its block of ring.md. */
