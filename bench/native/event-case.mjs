/**
 * One run of the thermostat or of the bouncing ball with its counter, under jacobi, its processor
 * time measured inside the process. The ball loses no energy, so that it bounces forever.
 * @param argv `thermostat` or `bounces`, steps, executor (`fastest`, or `interpreter`)
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { simulateScenarioFile } from "../../packages/cosimo/dist/node.js";
import { ROOT } from "../../scripts/setup.mjs";

const [name, steps, executor = "fastest"] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "cosimo-events-"));
const fmu = (model) => join(ROOT, "fixtures", "build", "fmi3", `${model}.fmu`);
/** Processor time, ms: what other processes do at the same time is not counted. */
const now = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
const crossing = (level, direction) => ({
  when: "room.x",
  crosses: level,
  direction,
  tolerance: 1e-9,
});
const CASES = {
  thermostat: {
    units: { room: fmu("ThermostatRoom"), controller: fmu("ThermostatController") },
    connections: [
      { from: "room.x", to: "controller.x" },
      { from: "controller.q", to: "room.q" },
    ],
    events: [crossing("21 degC", "rising"), crossing("19 degC", "falling")],
    record: ["room.x", "controller.q", "controller.switches"],
    step: 0.5,
  },
  bounces: {
    units: {
      ball: { fmu: fmu("BouncingBallClocked"), set: { e: 1 } },
      counter: fmu("Counter"),
    },
    connections: [
      { from: "ball.bounce", to: "counter.tick" },
      { from: "ball.impact", to: "counter.weight", suppress: ["unit"] },
      { from: "ball.bounces", to: "counter.u" },
    ],
    record: [
      ...["ball.h", "ball.v", "ball.bounces"],
      ...["counter.count", "counter.sum", "counter.changes"],
    ],
    step: 0.1,
  },
};
const { step, ...scenario } = CASES[name];
const stop = step * Number(steps);
try {
  const file = join(folder, "scenario.yaml");
  const experiment = { step, stop };
  writeFileSync(file, JSON.stringify({ name, ...scenario, experiment, master: "jacobi" }));
  let began = 0;
  let beganAt = 0;
  const options = {
    ...(executor === "interpreter" && { executor: undefined }),
    // The first steps warm the compiler up.
    onRow: (time) => {
      if (began > 0 || time <= stop / 10) return;
      beganAt = time;
      began = now();
    },
  };
  const { outcome, master: summary, trace } = await simulateScenarioFile(file, options);
  const microseconds = ((now() - began) * 1000 * step) / (stop - beganAt);
  if (outcome.kind !== "completed") throw new Error(JSON.stringify(outcome));
  const rows = trace.time.length;
  console.log(
    JSON.stringify({
      microseconds,
      rows,
      steps: summary.steps,
      events: summary.events,
      hash: hashOf(trace),
    }),
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** FNV-1a over all rows as doubles, in words of 32 bits: what event-master.c prints. */
function hashOf({ time, columns }) {
  const data = scenario.record.map((port) => columns.find((column) => column.name === port).data);
  const row = new Float64Array(1 + data.length);
  const words = new Uint32Array(row.buffer);
  let hash = 2166136261;
  for (let i = 0; i < time.length; i++) {
    row[0] = time[i];
    for (let k = 0; k < data.length; k++) row[k + 1] = Number(data[k][i]);
    for (const word of words) hash = Math.imul(hash ^ word, 16777619);
  }
  return hash >>> 0;
}
