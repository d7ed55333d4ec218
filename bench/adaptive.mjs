/**
 * What steps of their own choice save on a system that is stiff first and slow afterwards: calls of
 * FMUs under the adaptive master against fixed steps of the same coupling that make the same error.
 * One process a case; counts, not times, so one run says it all. `--write` puts the table into
 * bench/adaptive.md, `--json` prints figures, `--as-is` measures what is built and installs
 * nothing.
 */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { ROOT, setup } from "../scripts/setup.mjs";
import { commitAndDate, writeResults } from "./results.mjs";

const CASE = join(ROOT, "bench", "native", "adaptive-case.mjs");
const FIXED = {
  iterative: { name: "iterative" },
  "gauss-seidel": { name: "gauss-seidel", approximation: "linear" },
  jacobi: { name: "jacobi", approximation: "linear" },
};
const TOLERANCES = [1e-2, 1e-3];
const FIRST_STEP = 1e-3;
const WANTED = 3;

const run = promisify(execFile);
if (!process.argv.includes("--as-is")) await setup();
const rows = [];
for (const coupling of Object.keys(FIXED)) {
  const fixed = [];
  for (const tolerance of TOLERANCES) {
    const tolerances = { relative: tolerance, absolute: tolerance };
    const adaptive = await measure({ name: "adaptive", coupling, ...tolerances }, FIRST_STEP);
    while (fixed.length < 2 || fixed.at(-1).error > adaptive.error)
      fixed.push(await ladder(coupling, fixed.length));
    rows.push({ coupling, tolerance, ...compare(adaptive, fixed) });
  }
}
if (process.argv.includes("--json")) console.log(JSON.stringify(rows, null, 1));
else console.log(markdown(rows));
if (process.argv.includes("--write"))
  writeResults("adaptive.md", `${commitAndDate()}.`, markdown(rows));
for (const { coupling, tolerance, ratio } of rows)
  if (ratio < WANTED) {
    console.error(`missed: ${coupling}, ${tolerance}: ${ratio.toFixed(1)} < ${WANTED}`);
    process.exitCode = 1;
  }

async function measure(master, step) {
  const { stdout } = await run(process.execPath, [CASE, JSON.stringify(master), String(step)]);
  return JSON.parse(stdout);
}

async function ladder(coupling, rung) {
  const step = FIRST_STEP / 2 ** rung;
  return { step, ...(await measure(FIXED[coupling], step)) };
}

/**
 * Fixed steps that make the error of `adaptive`: between the two rungs around it, on the line that
 * an order makes.
 */
function compare(adaptive, fixed) {
  const below = fixed.findIndex(({ error }) => error <= adaptive.error);
  const [coarse, fine] = fixed.slice(Math.max(0, below - 1), Math.max(0, below - 1) + 2);
  const part = Math.log(coarse.error / adaptive.error) / Math.log(coarse.error / fine.error);
  const between = (key) => coarse[key] * (fine[key] / coarse[key]) ** part;
  const { error, advances, calls } = adaptive;
  const equal = { step: between("step"), advances: between("advances"), calls: between("calls") };
  return { error, advances, calls, steps: adaptive.rows - 1, equal, ratio: equal.calls / calls };
}

function markdown(list) {
  const count = (value) => Math.round(value).toLocaleString("en");
  return [
    "| coupling | tolerance | error | adaptive: steps | unit steps | calls | fixed step of that error | unit steps | calls | calls, fixed / adaptive |",
    "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ...list.map(
      (r) =>
        `| ${r.coupling} | ${r.tolerance} | ${r.error.toExponential(1)} | ${r.steps} | ${count(r.advances)} | ${count(r.calls)} | ` +
        `${(r.equal.step * 1e6).toPrecision(3)} µs | ${count(r.equal.advances)} | ${count(r.equal.calls)} | **${count(r.ratio)}** |`,
    ),
  ].join("\n");
}
