/**
 * What putting the floating-point state back after every call costs: the ring of two trivial FMUs (ring.mjs) with this checkout
 * and with another one that is built in a folder of its own, taking turns.
 *
 *   node bench/float-state.mjs <folder of the other checkout> [--write]
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { ROOT } from "../scripts/setup.mjs";
import { conditions, median, writeResults } from "./results.mjs";

const RUNS = Number(process.env.BENCH_RUNS ?? 7);
const REPEATS = 5;
/** Of a macro step: two get, two set, two doStep. */
const CALLS = 6;
const NATIVE = join(ROOT, "bench", "native");
const STEPS = { "machine-code": 2_000_000, interpreter: 200_000 };

const [, , before] = process.argv;
if (before === undefined) throw new Error("name the folder of a built checkout to compare with");
const busy = loadavg()[0];
const folder = mkdtempSync(join(tmpdir(), "cosimo-float-"));
try {
  const rows = [2, 3].flatMap((version) => {
    const home = trivialFmu(version);
    return Object.keys(STEPS).map((executor) => measure(home, version, executor));
  });
  const table = [
    "| executor | without, ns/step | with, ns/step | more a call, ns | ratio |",
    "|---|--:|--:|--:|--:|",
    ...rows.map(({ what, without, having, more, ratio }) => {
      const figures = [without, having, more].map((value) => value.toFixed(1));
      return `| ${what} | ${figures.join(" | ")} | **${ratio.toFixed(2)}** |`;
    }),
  ].join("\n");
  console.log(table);
  if (process.argv.includes("--write"))
    writeResults("float-state.md", conditions(RUNS, busy), table);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function trivialFmu(version) {
  const home = join(folder, `nop${version}`);
  const library = join(home, "binaries", version === 2 ? "linux64" : "x86_64-linux", "Nop.so");
  mkdirSync(join(library, ".."), { recursive: true });
  const headers = join(ROOT, "fixtures", "fmus", "include");
  const flags = ["-std=gnu11", "-O2", `-DFMI_VERSION=${version}`, `-I${headers}`];
  const more = ["-shared", "-fPIC", "-o", library];
  execFileSync(process.env.CC ?? "cc", [...flags, join(NATIVE, "nop.c"), ...more]);
  const xml = readFileSync(join(NATIVE, `nop-fmi${version}.xml`), "utf8");
  writeFileSync(join(home, "modelDescription.xml"), xml);
  return home;
}

function measure(home, version, executor) {
  const taken = { without: [], having: [] };
  const roots = { without: resolve(before), having: ROOT };
  for (let run = 0; run < RUNS; run++) {
    const order = Object.keys(taken);
    for (const name of run % 2 === 0 ? order : order.toReversed()) {
      const script = join(roots[name], "bench", "native", "ring-case.mjs");
      const rest = [home, "u", "x", STEPS[executor], REPEATS, 0, executor].map(String);
      const said = execFileSync(process.execPath, [script, ...rest], { encoding: "utf8" });
      taken[name].push(JSON.parse(said).nanoseconds);
    }
  }
  const { without, having } = taken;
  return {
    what: `${executor === "interpreter" ? "interpreter" : "machine code"}, FMI ${version}.0`,
    without: median(without),
    having: median(having),
    more: median(having.map((value, run) => (value - without[run]) / CALLS)),
    ratio: median(having.map((value, run) => value / without[run])),
  };
}
