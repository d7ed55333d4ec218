/**
 * Steps of one FMU, directly or through an adaptation that changes nothing: inputs written, a step,
 * outputs read. The time a step is measured inside the process.
 * @param argv fmu, direct | adapted | ruled, steps
 */

import { hierarchicalAdaptation } from "../../packages/cosimo/dist/adapt/hierarchical-unit.js";
import { adaptedUnit, kindsOf, makeBanks } from "../../packages/cosimo/dist/index.js";
import { createTempFolder, openFmuFile, openNativeUnit } from "../../packages/cosimo/dist/node.js";

/** Control rules that do what would be done without them, and are not recognized as that. */
const place = { file: "case" };
const name = (text) => ({ kind: "reference", name: text, place });
const stepInner = { callee: "do_step", arguments: ["inner", "t", "H"].map(name) };
const CONTROL = [
  { kind: "call", call: { kind: "call", ...stepInner, place }, place },
  { kind: "return", value: name("H"), place },
];

const [path, how, count] = process.argv.slice(2);
const steps = Number(count);
const step = 1e-3;
const temp = createTempFolder();
const { value: fmu } = openFmuFile(path);
await fmu.extract(temp.path);
const native = openNativeUnit(
  { folder: temp.path, description: fmu.description },
  { name: "inner", eventMode: false, earlyReturn: false },
);
const unit = how === "direct" ? native : adapted();
const { ports } = unit.description;
const bind = (direction) => {
  const sizes = { f64: 0, i64: 0, obj: 0 };
  const slots = [];
  for (const { index, type, shape, direction: own } of ports) {
    if (own !== direction || shape.length > 0 || type === "binary" || type === "clock") continue;
    const bank = type === "string" ? "obj" : /int64/.test(type) ? "i64" : "f64";
    slots.push({ port: index, slot: sizes[bank]++ });
  }
  return { access: unit.bind(slots), banks: makeBanks(sizes), count: slots.length };
};
const input = bind("input");
const output = bind("output");
unit.enterInitialization({ start: 0 });
unit.exitInitialization();
const until = { kind: "time", time: 0 };
let n = 0;
const run = (end) => {
  for (; n < end; n++) {
    input.banks.f64.fill(n & 1);
    unit.write(input.access, input.banks);
    until.time = (n + 1) * step;
    unit.advance(n * step, until);
    unit.read(output.access, output.banks);
  }
};
run(steps / 5);
const began = performance.now();
run(steps);
const nanoseconds = ((performance.now() - began) * 1e6) / (0.8 * steps);
unit.dispose();
temp.remove();
console.log(JSON.stringify({ nanoseconds, inputs: input.count, outputs: output.count }));

function adapted() {
  const inner = { units: new Map([["inner", native]]), connections: [] };
  const adaptation = hierarchicalAdaptation("adapted", inner, kindsOf(native.description));
  const control = how === "ruled" ? { control: CONTROL } : {};
  return adaptedUnit("adapted", { ...adaptation, ...control }, inner.units);
}
