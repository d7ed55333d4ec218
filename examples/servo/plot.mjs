/**
 * Draws docs/images/servo.svg: where the load goes under the masters of the README, and with what was found. Velocities of Gauss-Seidel and
 * of what was found, whose positions cannot be told apart beside that of Jacobi.
 *
 *     node examples/servo/plot.mjs
 */
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { simulateScenarioFile } from "cosimo/node";
import { plotSvg } from "cosimo/plot";

const RUNS = {
  "jacobi, 0.1 µs": ["scenario.yaml", { step: 1e-7 }, "load.x"],
  "found, 1 µs": ["found.yaml", {}, "load.x", "load.v"],
  "gauss-seidel, 1 µs": ["scenario.yaml", { master: "gauss-seidel" }, "load.v"],
};

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const runs = [];
for (const [label, [file, options, ...record]] of Object.entries(RUNS)) {
  const { trace } = await simulateScenarioFile(here(file), { ...options, record });
  const columns = trace.columns.filter((column) => record.includes(column.name));
  runs.push({ label, trace: { ...trace, columns } });
}
const title = "The load of a servo that is told to go 1 µm";
writeFileSync(here("../../docs/images/servo.svg"), plotSvg(runs, { title, caption: "" }));
