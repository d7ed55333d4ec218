/**
 * Draws height and current of the three scenarios beside this file in one picture, docs/images/power-window.svg unless another file is
 * given.
 *
 *     node examples/power-window/plot.mjs [picture.svg]
 */
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { simulateScenarioFile } from "cosimo/node";
import { plotSvg } from "cosimo/plot";

/** Drum radius in m: the adapted window tells nobody its height, the motor its angle. */
const RADIUS = 0.11;

/** The unadapted motor gets to -297 A within 0.2 s; a current beyond this one, in A, is left out, so that the others can be seen. */
const SHOWN = 8;

/** What each run calls height and current. The reference is sampled as densely as the adapted run, or its peaks would look cut off. */
const RUNS = [
  { label: "monolithic", height: "window.height", current: "window.i", step: 0.002 },
  { label: "unadapted", height: "obstacle.disp", current: "power.i" },
  { label: "adapted", angle: "power.displacement", current: "power.armature_current" },
];

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const runs = [];
for (const { label, height, angle, current, ...options } of RUNS) {
  const { trace } = await simulateScenarioFile(here(`${label}.yaml`), {
    trust: true,
    ...options,
  });
  const column = (name) => trace.columns.find((one) => one.name === name);
  const lifted = height
    ? column(height)
    : { ...column(angle), data: column(angle).data.map((value) => RADIUS * value), unit: "m" };
  const currents = column(current).data.map((value) => (Math.abs(value) > SHOWN ? NaN : value));
  const columns = [
    { ...lifted, name: "height" },
    { ...column(current), name: "current", data: currents },
  ];
  runs.push({ label, trace: { ...trace, columns } });
}
const title = "A power window meets something at 45 cm";
const picture = process.argv[2] ?? here("../../docs/images/power-window.svg");
writeFileSync(picture, plotSvg(runs, { title, caption: "" }));
