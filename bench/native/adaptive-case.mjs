/**
 * One run of fixtures/scenarios/stiff-then-slow.yaml under a given master: what it asked of the
 * FMUs, and how far it was from the solution of the whole system (matrix exponential).
 * @param argv scenario master as JSON, step
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { simulateScenario } from "../../packages/cosimo/dist/index.js";
import { openScenarioFile } from "../../packages/cosimo/dist/node.js";
import { expm, expmWork } from "../../packages/cosimo/dist/numerics/expm.js";
import { ROOT } from "../../scripts/setup.mjs";

const [master, step] = process.argv.slice(2);
/** Seconds between the rows of fixed steps that are compared. */
const COMPARED = 1e-4;
const [C, D, COUPLING, START] = [200, 1000, 50, [1, 50, 0, 0]];
const MATRIX = Float64Array.of(
  ...[0, 1, 0, 0],
  ...[-(C + COUPLING), -(D + COUPLING), COUPLING, COUPLING],
  ...[0, 0, 0, 1],
  ...[COUPLING, COUPLING, -(C + COUPLING), -(D + COUPLING)],
);
const STATES = ["left.x_1", "left.v_1", "right.x_2", "right.v_2"];
const CALLS = ["advance", "read", "write", "setInputDerivatives", "save", "restore", "release"];

const folder = mkdtempSync(join(tmpdir(), "cosimo-adaptive-"));
const counts = { advances: 0, calls: 0 };
try {
  const { trace, outcome } = await simulateScenario(await opened());
  if (outcome.kind !== "completed") throw new Error(JSON.stringify(outcome));
  console.log(JSON.stringify({ ...counts, error: largestError(trace), rows: trace.time.length }));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function opened() {
  const file = join(folder, "scenario.yaml");
  const every = JSON.parse(master).name === "adaptive" ? 1 : Math.ceil(COMPARED / Number(step));
  const text = readFileSync(join(ROOT, "fixtures", "scenarios", "stiff-then-slow.yaml"), "utf8")
    .replaceAll("../build", join(ROOT, "fixtures", "build"))
    .replace("step: 1 ms", `step: ${step}`)
    .replace(/^record:.*$/m, `record: { patterns: [${STATES.join(", ")}], every: ${every} }`);
  writeFileSync(file, `${text}\nmaster: ${master}\n`);
  const scenario = await openScenarioFile(file);
  return {
    ...scenario,
    async open(given, plan) {
      const { units, close } = await scenario.open(given, plan);
      return { units: units.map(counted), close };
    },
  };
}

/** Every call that reaches the FMU. */
function counted(unit) {
  return new Proxy(
    {},
    {
      get(_, key) {
        const member = unit[key];
        if (typeof member !== "function") return member;
        if (!CALLS.includes(key)) return member.bind(unit);
        return (...given) => {
          counts.calls++;
          if (key === "advance") counts.advances++;
          return member.apply(unit, given);
        };
      },
    },
  );
}

function largestError({ time, columns }) {
  const work = expmWork(4);
  const map = new Float64Array(16);
  const data = STATES.map((name) => columns.find((column) => column.name === name).data);
  let most = 0;
  time.forEach((t, row) => {
    // What is left after the first tenth of a second changes slowly.
    if (t > 0.1 && row % Math.ceil(time.length / 1000) > 0) return;
    expm(
      4,
      MATRIX.map((entry) => entry * t),
      map,
      work,
    );
    data.forEach((values, i) => {
      const exact = START.reduce((sum, start, j) => sum + map[i * 4 + j] * start, 0);
      const error = Math.abs(values[row] - exact) / (1 + Math.abs(exact));
      if (!(error <= most)) most = error;
    });
  });
  return most;
}
