/**
 * One case of bench/isolation.mjs in a process of its own: microseconds per step of a scenario,
 * from the difference of a long run and a short one, so that opening units and starting their
 * processes do not count.
 *
 *     node bench/native/isolation-case.mjs <scenario.yaml> <steps> <step> [interpreter]
 */
import { simulateScenario } from "../../packages/cosimo/dist/index.js";
import { openScenarioFile, simulateScenarioFile } from "../../packages/cosimo/dist/node.js";

const [path, count, step, executor] = process.argv.slice(2);
const steps = Number(count);

async function run(many) {
  const options = { stop: many * Number(step) };
  const begun = performance.now();
  const { outcome, trace } =
    executor === "interpreter"
      ? await simulateScenario(await openScenarioFile(path), options)
      : await simulateScenarioFile(path, options);
  if (outcome.kind !== "completed") throw new Error(JSON.stringify(outcome));
  return { ms: performance.now() - begun, last: lastRow(trace) };
}

function lastRow(trace) {
  return trace.columns.map(({ data }) => String(data.at(-1)));
}

await run(steps >> 2);
const short = await run(steps);
const long = await run(3 * steps);
const microseconds = (1000 * (long.ms - short.ms)) / (2 * steps);
console.log(JSON.stringify({ microseconds, last: long.last }));
