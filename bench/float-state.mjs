/**
 * What checking and restoring the floating-point state after every call costs machine code: the
 * ring of two trivial FMUs (ring.mjs), once with a library that cannot change it, once with one
 * that has an instruction to do so, which is never executed.
 *
 *   node bench/float-state.mjs [--write]
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "../scripts/setup.mjs";
import { conditions, median, writeResults } from "./results.mjs";

const RUNS = Number(process.env.BENCH_RUNS ?? 7);
const REPEATS = 9;
const STEPS = 4_000_000;
/** Of a macro step: two get, two set, two doStep. */
const CALLS = 6;
const NATIVE = join(ROOT, "bench", "native");
const KINDS = { steady: [], checked: ["-DCAN_CHANGE_FLOAT_STATE"] };

const busy = loadavg()[0];
const folder = mkdtempSync(join(tmpdir(), "cosimo-float-"));
try {
  const rows = [2, 3].flatMap((version) => [measure(version, 0), measure(version, 1)]);
  const table = [
    "| ring of trivial FMUs | steady, ns/step | checked, ns/step | more per call, ns | ratio |",
    "|---|--:|--:|--:|--:|",
    ...rows.map(({ what, steady, checked, more, ratio }) => {
      const figures = [steady, checked, more].map((value) => value.toFixed(1));
      return `| ${what} | ${figures.join(" | ")} | **${ratio.toFixed(2)}** |`;
    }),
  ].join("\n");
  console.log(table);
  if (process.argv.includes("--write"))
    writeResults("float-state.md", conditions(RUNS, busy), table);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function trivialFmu(version, kind) {
  const home = join(folder, `nop${version}-${kind}`);
  const library = join(home, "binaries", version === 2 ? "linux64" : "x86_64-linux", "Nop.so");
  mkdirSync(join(library, ".."), { recursive: true });
  const headers = join(ROOT, "fixtures", "fmus", "include");
  const flags = ["-std=gnu11", "-O2", `-DFMI_VERSION=${version}`, `-I${headers}`, ...KINDS[kind]];
  const more = ["-shared", "-fPIC", "-o", library];
  execFileSync(process.env.CC ?? "cc", [...flags, join(NATIVE, "nop.c"), ...more]);
  const xml = readFileSync(join(NATIVE, `nop-fmi${version}.xml`), "utf8");
  writeFileSync(join(home, "modelDescription.xml"), xml);
  return home;
}

function measure(version, recorded) {
  const taken = { steady: [], checked: [] };
  const homes = { steady: trivialFmu(version, "steady"), checked: trivialFmu(version, "checked") };
  const script = join(NATIVE, "ring-case.mjs");
  for (let run = 0; run < RUNS; run++) {
    const order = Object.keys(taken);
    for (const kind of run % 2 === 0 ? order : order.toReversed()) {
      const rest = [homes[kind], "u", "x", STEPS, REPEATS, recorded, "machine-code"].map(String);
      const said = execFileSync(process.execPath, [script, ...rest], { encoding: "utf8" });
      taken[kind].push(JSON.parse(said).nanoseconds);
    }
  }
  const { steady, checked } = taken;
  return {
    what: `FMI ${version}.0${recorded ? ", 4 signals recorded" : ""}`,
    steady: median(steady),
    checked: median(checked),
    more: median(checked.map((value, run) => (value - steady[run]) / CALLS)),
    ratio: median(checked.map((value, run) => value / steady[run])),
  };
}
