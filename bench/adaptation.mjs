/**
 * What an adaptation costs that changes nothing: a step of an FMU (write inputs, advance, read
 * outputs) directly and through an adaptation of the FMU's own kind, without control rules and with
 * some that say the same. One process a case, the two take turns, medians; `--write` puts the table
 * into bench/adaptation.md, `--json` prints figures, `--as-is` measures what is built and installs
 * nothing.
 */
import { execFile } from "node:child_process";
import { loadavg } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { ROOT, setup } from "../scripts/setup.mjs";
import { conditions, median, writeResults } from "./results.mjs";

const RUNS = Number(process.env.BENCH_RUNS ?? 7);
const STEPS = 200_000;
const CASE = join(ROOT, "bench", "native", "adaptation-case.mjs");
const MODELS = ["Feedthrough", "MassSpringDamperLeft", "MassSpringDamperRight", "PowerWindowPower"];

const run = promisify(execFile);
if (!process.argv.includes("--as-is")) await setup();
const busy = loadavg()[0];
const rows = [];
for (const version of [2, 3]) for (const model of MODELS) rows.push(await measure(version, model));
if (process.argv.includes("--json")) console.log(JSON.stringify(rows, null, 1));
else console.log(markdown(rows));
if (process.argv.includes("--write"))
  writeResults("adaptation.md", conditions(RUNS, busy), markdown(rows));

async function measure(version, model) {
  const fmu = join(ROOT, "fixtures", "build", `fmi${version}`, `${model}.fmu`);
  const runOf = async (how) =>
    JSON.parse((await run(process.execPath, [CASE, fmu, how, String(STEPS)])).stdout);
  const taken = [];
  for (let i = 0; i < RUNS; i++) {
    const direct = await runOf("direct");
    const adapted = await runOf("adapted");
    const ruled = await runOf("ruled");
    taken.push({ direct, adapted, ruled });
  }
  const { inputs, outputs } = taken[0].direct;
  return {
    version,
    model,
    inputs,
    outputs,
    direct: median(taken.map(({ direct }) => direct.nanoseconds)),
    adapted: median(taken.map(({ adapted }) => adapted.nanoseconds)),
    ruled: median(taken.map(({ ruled }) => ruled.nanoseconds)),
    ratio: median(taken.map(({ direct, adapted }) => adapted.nanoseconds / direct.nanoseconds)),
    ruledRatio: median(taken.map(({ direct, ruled }) => ruled.nanoseconds / direct.nanoseconds)),
  };
}

function markdown(list) {
  const ns = (value) => `${value.toFixed(0)} ns`;
  return [
    "| FMI | model | inputs, outputs | direct, a step | adapted, a step | ratio | with control rules, a step | ratio |",
    "|--:|---|--:|--:|--:|--:|--:|--:|",
    ...list.map(
      (r) =>
        `| ${r.version}.0 | ${r.model} | ${r.inputs}, ${r.outputs} | ${ns(r.direct)} | ${ns(r.adapted)} | **${r.ratio.toFixed(2)}** | ${ns(r.ruled)} | **${r.ruledRatio.toFixed(2)}** |`,
    ),
  ].join("\n");
}
