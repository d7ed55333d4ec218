/**
 * The systems of bench/scenario.mjs as files: chains of any length, a large system to plan, and the
 * three units that every peer can run (scripts/interop/system.yaml). Nothing is random.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../scripts/setup.mjs";

/**
 * Powers of two, so that a step is always the same number and no unit has to adapt to another one.
 */
export const STEP = 1 / 512;
const FIXTURES = join(ROOT, "fixtures", "build", "fmi2");

/** As good as nothing recorded: one signal, now and then. */
const seldom = (signal) => `record: { patterns: [${signal}], every: 1000 }`;

/**
 * Each unit's position is the force on the next. Hardly damped: numbers stay far from 0 and from
 * infinity.
 */
export function chain(folder, count) {
  const units = names(count).map(
    (name) => `  ${name}: { fmu: ${join(FIXTURES, "MassSpringDamperLeft.fmu")}, set: { d: 0.01 } }`,
  );
  const connections = names(count)
    .slice(1)
    .map((name, i) => `  - { from: u${i}.x_1, to: ${name}.F_e, suppress: unit }`);
  return write(folder, `chain-${count}`, units, connections, seldom(`u${count - 1}.x_1`));
}

/**
 * Units with five inputs each, fed through by earlier units at different distances: every value
 * passes through many units at one instant, so that there is an order to find.
 */
export function large(folder, count) {
  const units = names(count).map((name) => `  ${name}: ${join(FIXTURES, "Feedthrough.fmu")}`);
  const signals = ["Float64_continuous", "Float64_discrete", "Int32", "Boolean", "String"];
  const connections = names(count)
    .slice(1)
    .flatMap((name, i) =>
      signals.map(
        (signal, k) => `  - u${Math.max(0, i - 7 * k)}.${signal}_output -> ${name}.${signal}_input`,
      ),
    );
  return write(folder, `large-${count}`, units, connections, "record: [u1.Int32_output]");
}

/** The system of the interop checks, with a record of next to nothing. */
export function threeUnits(folder) {
  const file = join(folder, "three-units.yaml");
  const text = readFileSync(join(ROOT, "scripts", "interop", "system.yaml"), "utf8");
  const here = text.replaceAll("../../", `${ROOT}/`);
  writeFileSync(file, `${here}${seldom("load.x_2")}\n`);
  return file;
}

function names(count) {
  return Array.from({ length: count }, (_, i) => `u${i}`);
}

function write(folder, name, units, connections, record) {
  const file = join(folder, `${name}.yaml`);
  const experiment = `experiment: { start: 0, stop: 1, step: ${STEP} }`;
  const lines = ["units:", ...units, "connections:", ...connections];
  writeFileSync(file, [...lines, "master: jacobi", experiment, record, ""].join("\n"));
  return file;
}
