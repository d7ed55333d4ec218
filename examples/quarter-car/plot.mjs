/**
 * Draws docs/images/quarter-car.svg: where the chassis goes under each of the scenarios beside this file.
 *
 *     node examples/quarter-car/plot.mjs
 */
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { simulateScenarioFile } from "cosimo/node";
import { plotSvg } from "cosimo/plot";

const RUNS = {
  "jacobi, held": "hold-jacobi",
  "gauss-seidel, held": "hold-gauss-seidel",
  "iterative, held": "hold-iterative",
  "area kept": "area-preserving",
  "event by event": "event-aware",
};

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const runs = [];
for (const [label, name] of Object.entries(RUNS)) {
  const { trace } = await simulateScenarioFile(here(`${name}.yaml`), {
    stop: 4,
    record: ["chassis.z_c"],
  });
  const columns = trace.columns.filter((column) => column.name === "chassis.z_c");
  runs.push({ label, trace: { ...trace, columns } });
}
const title = "Height of the chassis behind a step of 10 cm in the road";
writeFileSync(here("../../docs/images/quarter-car.svg"), plotSvg(runs, { title, caption: "" }));
