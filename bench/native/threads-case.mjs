/**
 * One case of the threads benchmark in a process of its own: two heavy units in a ring, run by
 * Cosimo.
 *
 *   node threads-case.mjs <folders, by comma> <work> <steps> <threads>
 *
 * Prints JSON: microseconds a step, threads that were used, and the last outputs. The clock starts
 * when the units are measured: whether threads pay is found out by the run itself.
 */
import { runPlan } from "../../packages/cosimo/dist/engine/run-plan.js";
import { NO_DECLARATIONS } from "../../packages/cosimo/dist/model/scenario.js";
import { compilePlan } from "../../packages/cosimo/dist/plan/compile.js";
import { machineCodeExecutor } from "../../packages/cosimo/dist/platform/native/machine-code/machine-code-executor.js";
import { openNativeUnit } from "../../packages/cosimo/dist/platform/native/open-native-unit.js";
import { parallelExecutor } from "../../packages/cosimo/dist/platform/native/parallel/parallel-executor.js";
import { openFmuFile } from "../../packages/cosimo/dist/platform/node/fmu-file.js";

const STEP = 1 / 128;
const [folders, work, steps, threads] = process.argv.slice(2);
const count = Number(steps);
const place = { file: "threads" };
const units = folders.split(",").map((folder, u) => {
  const { description } = openFmuFile(folder).value;
  return openNativeUnit({ folder, description }, { name: `unit${u}`, eventMode: false });
});
const port = (name) => units[0].description.ports.find((p) => p.name === name).index;
const wire = (source, target, factor) => ({
  from: { unit: source, port: port("x") },
  to: { unit: target, port: port("u") },
  fromElement: 0,
  toElement: 0,
  count: 1,
  factor,
  offset: 0,
  place,
});
const scenario = {
  ...NO_DECLARATIONS,
  name: "threads",
  file: "threads",
  units: units.map(({ name, description }) => ({
    name,
    source: { kind: "fmu", path: name },
    description,
    values: [{ port: port("work"), values: [Number(work)], place }],
    place,
  })),
  connections: units.length === 2 ? [wire(0, 1, 1), wire(1, 0, 0.5)] : [],
  ports: [],
  experiment: { start: 0, step: STEP },
  master: { name: "jacobi", options: {}, place },
  record: { patterns: [], every: 1 },
};
const columns = units.map((_, unit) => ({ unit, port: port("x"), element: 0 }));
const { plan } = compilePlan(scenario, { record: columns }).value;
let began = 0;
let executor;
let last = [];
const outcome = await runPlan(plan, scenario, units, {
  stop: count * STEP,
  onRow: (_, { f64 }) => {
    last = plan.record.columns.map(({ slot }) => f64[slot]);
  },
  executor: (state) => {
    executor =
      threads === "1"
        ? machineCodeExecutor(state)
        : parallelExecutor(state, { threads: Number(threads) });
    began = performance.now();
    return executor;
  },
});
const microseconds = (1e3 * (performance.now() - began)) / count;
if (outcome.kind !== "completed")
  throw new Error(`the run ended early: ${JSON.stringify(outcome)}`);
const used = executor.report?.groups.length ?? 1;
console.log(JSON.stringify({ microseconds, threads: used, last, why: executor.report?.why }));
for (const unit of units) unit.dispose();
