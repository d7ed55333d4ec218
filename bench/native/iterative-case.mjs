/**
 * One run of the two coupled mass-spring-dampers as FMUs, its time a step measured inside the process.
 * @param argv version, scenario master as JSON, steps
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { simulateScenarioFile } from "../../packages/cosimo/dist/node.js";
import { ROOT } from "../../scripts/setup.mjs";

const [version, master, steps] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "cosimo-iterative-"));
const fmu = (name) => join(ROOT, "fixtures", "build", `fmi${version}`, `${name}.fmu`);
const step = 0.01;
const scenario = {
  name: "coupled masses",
  units: {
    left: { fmu: fmu("MassSpringDamperLeft") },
    right: { fmu: fmu("MassSpringDamperRight") },
  },
  connections: [
    { from: "left.x_1", to: "right.x_c" },
    { from: "left.v_1", to: "right.v_c" },
    { from: "right.F_c", to: "left.F_e" },
  ],
  experiment: { step, stop: step * Number(steps) },
  master: JSON.parse(master),
  record: ["left.x_1"],
};
try {
  const file = join(folder, "scenario.yaml");
  writeFileSync(file, JSON.stringify(scenario));
  let began = 0;
  const options = {
    executor: undefined,
    // The first row comes when everything is initialized; the first steps warm the compiler up.
    onRow: (time) => {
      if (began === 0 && time > (step * Number(steps)) / 10) began = performance.now();
    },
  };
  const { outcome, master: summary } = await simulateScenarioFile(file, options);
  const microseconds = ((performance.now() - began) * 1000) / (0.9 * Number(steps));
  if (outcome.kind !== "completed") throw new Error(JSON.stringify(outcome));
  const advances = summary?.advances ?? 2 * Number(steps);
  console.log(JSON.stringify({ microseconds, evaluations: advances / (2 * Number(steps)) }));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
