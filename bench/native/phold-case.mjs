/**
 * One case of bench/phold.mjs in this process: `node phold-case.mjs <light|heavy> <stop>
 * <auto|off|conservative|optimistic>`. Prints seconds of wall clock, the events that units have
 * finished, and how it was run. Threads and models are started within the time of `heavy`; `light`
 * is measured without building.
 */
import { fileURLToPath } from "node:url";
import { runDevs } from "cosimo/devs";
import { runDevsModule } from "cosimo/node";
import { light } from "./phold-model.mjs";

const [kind, stop, parallel] = [process.argv[2], Number(process.argv[3]), process.argv[4]];
const done = (states) => [...states.values()].reduce((sum, one) => sum + one.done, 0);

if (kind === "light") {
  const model = light();
  runDevs(model, { stop: stop / 10, record: "none" });
  const first = performance.now();
  runDevs(model, { stop: 0, record: "none" });
  const begin = performance.now();
  const { states } = runDevs(model, { stop, record: "none" });
  const seconds = (performance.now() - begin - (begin - first)) / 1000;
  console.log(JSON.stringify({ seconds, count: done(states) }));
} else {
  const module = fileURLToPath(new URL("./phold-model.mjs", import.meta.url));
  const begin = performance.now();
  const run = await runDevsModule(module, { export: kind, stop, record: "none", parallel });
  const seconds = (performance.now() - begin) / 1000;
  const { kind: how, parts, reason } = run.parallel;
  console.log(JSON.stringify({ seconds, count: done(run.states), how, parts, reason }));
}
