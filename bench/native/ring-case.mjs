/**
 * One case of the ring benchmark in a process of its own: instances of an FMU in a ring, run by
 * Cosimo.
 *
 *   node ring-case.mjs <folder> <input> <output> <steps> <repeats> <record> <executor> [<instances> <plain units>]
 *
 * Default: two instances. Units in TypeScript, each a gain, follow them in the ring. Prints
 * JSON: nanoseconds of processor time a macro step (all threads of this process), median of the
 * repeats, and the last output of the first instance.
 */

import { interpreterExecutor, runPlan } from "../../packages/cosimo/dist/engine/run-plan.js";
import { NO_DECLARATIONS } from "../../packages/cosimo/dist/model/scenario.js";
import { compilePlan } from "../../packages/cosimo/dist/plan/compile.js";
import { machineCodeExecutor } from "../../packages/cosimo/dist/platform/native/machine-code/machine-code-executor.js";
import { openNativeUnit } from "../../packages/cosimo/dist/platform/native/open-native-unit.js";
import { openFmuFile } from "../../packages/cosimo/dist/platform/node/fmu-file.js";
import { functionUnit } from "../../packages/cosimo/dist/unit/function-unit.js";

const STEP = 1 / 128;
const [folder, input, output, steps, repeats, record, executor, instances = "2", plain = "0"] =
  process.argv.slice(2);
const count = Number(steps);
const place = { file: "ring" };
const opened = openFmuFile(folder);
if (opened.value === undefined)
  throw new Error(opened.diagnostics.map((d) => d.message).join("\n"));
const fmu = { folder, description: opened.value.description };

/**
 * Made once, as the C master does: the first run touches the memory, the median does not see it.
 */
const rows = new Float64Array(record === "1" ? 4 * (count + 1) : 0);
const took = [];
let last = Number.NaN;
for (let repeat = 0; repeat < Number(repeats); repeat++) {
  const units = [
    ...names("fmu", instances).map((name) => openNativeUnit(fmu, { name, eventMode: false })),
    ...names("gain", plain).map(gain),
  ];
  took.push(await ring(units));
  for (const unit of units) unit.dispose();
}
const middle = took.toSorted((x, y) => x - y)[took.length >> 1];
console.log(JSON.stringify({ nanoseconds: middle, last }));

function names(stem, count) {
  return Array.from({ length: Number(count) }, (_, i) => `${stem}${i}`);
}

function gain(name) {
  const evaluate = (_t, u, _p, y) => {
    y[0] = 0.75 * u[0];
  };
  const outputs = { y: { feedThrough: ["u"] } };
  return functionUnit({ name, inputs: { u: {} }, outputs, evaluate }, name);
}

async function ring(units) {
  const port = ({ description }, ...wanted) =>
    description.ports.find(({ name }) => wanted.includes(name)).index;
  const [from, to] = [port(units[0], output), port(units[0], input)];
  const wire = (source, target) => ({
    from: { unit: source, port: port(units[source], output, "y") },
    to: { unit: target, port: port(units[target], input, "u") },
    fromElement: 0,
    toElement: 0,
    count: 1,
    factor: 1,
    offset: 0,
    place,
  });
  const scenario = {
    name: "ring",
    file: "ring",
    units: units.map(({ name, description }) => ({
      name,
      source: { kind: "fmu", path: name },
      description,
      values: [],
      place,
    })),
    connections: units.map((_, u) => wire(u, (u + 1) % units.length)),
    ports: [],
    experiment: { start: 0, step: STEP },
    master: { name: "jacobi", options: {}, place },
    record: { patterns: [], every: 1 },
    ...NO_DECLARATIONS,
  };
  const columns = [0, 1].flatMap((unit) => [to, from].map((p) => ({ unit, port: p, element: 0 })));
  const { value, diagnostics } = compilePlan(scenario, { record: record === "1" ? columns : [] });
  if (value === undefined) throw new Error(diagnostics.map((d) => d.message).join("\n"));
  const { plan } = value;
  const [s0, s1, s2, s3] = plan.record.columns.map(({ slot }) => slot);
  let at = 0;
  const keep = (_time, { f64 }) => {
    rows[at] = f64[s0];
    rows[at + 1] = f64[s1];
    rows[at + 2] = f64[s2];
    rows[at + 3] = f64[s3];
    at += 4;
  };
  const keepAll = ({ f64, count: some }) => {
    rows.set(f64.subarray(0, 4 * some), at);
    at += 4 * some;
  };
  let began;
  const outcome = await runPlan(plan, scenario, units, {
    stop: count * STEP,
    onRow: record === "1" ? keep : () => undefined,
    onRows: record === "1" ? keepAll : () => undefined,
    onInitialized: () => {
      began = process.cpuUsage();
    },
    executor: (state) =>
      executor === "interpreter" ? interpreterExecutor(state) : machineCode(state),
  });
  const { user, system } = process.cpuUsage(began);
  const nanoseconds = (1000 * (user + system)) / count;
  if (outcome.kind !== "completed" || outcome.steps !== count)
    throw new Error(`the ring ended early: ${JSON.stringify(outcome)}`);
  last = record === "1" ? rows[at - 3] : lastOutput(units[0], from);
  return nanoseconds;
}

function machineCode(state) {
  const made = machineCodeExecutor(state, (reason) => {
    throw new Error(`no machine code: ${reason}`);
  });
  return made;
}

function lastOutput(unit, port) {
  const banks = { f64: new Float64Array(1), i64: new BigInt64Array(0), obj: [] };
  unit.read(unit.bind([{ port, slot: 0 }]), banks);
  return banks.f64[0];
}
