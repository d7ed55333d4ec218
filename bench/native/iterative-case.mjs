/**
 * One run of the two coupled mass-spring-dampers as FMUs, its processor time measured inside the
 * process.
 * @param argv version, scenario master as JSON, steps, executor (`fastest`, or `interpreter`: call
 * by call)
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { simulateScenarioFile } from "../../packages/cosimo/dist/node.js";
import { ROOT } from "../../scripts/setup.mjs";

const [version, master, steps, executor = "fastest"] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "cosimo-iterative-"));
const fmu = (name) => join(ROOT, "fixtures", "build", `fmi${version}`, `${name}.fmu`);
/** Processor time, ms: what other processes do at the same time is not counted. */
const now = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
const step = 0.01;
const scenario = {
  name: "coupled masses",
  units: {
    left: { fmu: fmu("MassSpringDamperLeft"), set: { d: 0 } },
    right: { fmu: fmu("MassSpringDamperRight"), set: { d_c: 0 } },
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
  let last = 0;
  const options = {
    ...(executor === "interpreter" && { executor: undefined }),
    // The first row comes when everything is initialized; the first steps warm the compiler up.
    onRow: (time, [position]) => {
      last = position;
      if (began === 0 && time > (step * Number(steps)) / 10) began = now();
    },
  };
  const { outcome, master: summary } = await simulateScenarioFile(file, options);
  const microseconds = ((now() - began) * 1000) / (0.9 * Number(steps));
  if (outcome.kind !== "completed") throw new Error(JSON.stringify(outcome));
  const taken = summary?.steps ?? Number(steps);
  const advances = summary?.advances ?? 2 * Number(steps);
  const evaluations = advances / (2 * Number(steps));
  console.log(JSON.stringify({ microseconds, evaluations, advances, taken, last }));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
