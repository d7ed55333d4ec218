/**
 * One case of bench/distributed.mjs in a process of its own: microseconds of every step of `units`
 * units that work at once, each with an input that is written and outputs that are read. Prints the
 * median, and the tenth and ninetieth part of all steps.
 *
 *     node bench/native/distributed-case.mjs <server> <node/offer> <units> <steps>
 */
import { RemoteUnits } from "../../packages/cosimo/dist/host/network/remote-units.js";
import { makeBanks } from "../../packages/cosimo/dist/model/value-type.js";
import { networkSettings } from "../../packages/cosimo/dist/platform/nats/network-settings.js";

const [server, at, count, many] = process.argv.slice(2);
const [node, offer] = at.split("/");
const [STEP, steps] = [1 / 128, Number(many)];
const remote = new RemoteUnits(networkSettings({ COSIMO_SERVER: server }));
const source = { kind: "remote", places: [{ node, offer }] };
const place = { file: "bench" };
const description = remote.describe({ name: "unit", place }, source, new Map());
const ports = (direction) => description.ports.filter((port) => port.direction === direction);

const units = Array.from({ length: Number(count) }, (_, i) => {
  const flags = { takesSlopes: false, hasEvents: false, mayReturnEarly: false };
  const use = { name: `unit${i}`, structural: new Map(), ...flags, start: 0, place };
  const unit = remote.open(source, description, use, { native: () => ({}) });
  unit.enterInitialization({ start: 0, stop: 1e6 });
  unit.exitInitialization();
  const slots = (list) => list.map(({ index: port }, slot) => ({ port, slot }));
  const banks = makeBanks({ f64: 8 });
  return {
    unit,
    banks,
    inputs: unit.bind(slots(ports("input"))),
    outputs: unit.bind(slots(ports("output"))),
  };
});

const until = { kind: "time", time: 0 };
const times = [];
for (let k = 0; k < steps; k++) {
  const begun = performance.now();
  const from = k * STEP;
  for (const { unit, inputs, banks } of units) {
    banks.f64[0] = Math.sin(from);
    unit.write(inputs, banks);
    unit.beginAdvance(from, { ...until, time: from + STEP });
  }
  for (const { unit, outputs, banks } of units) {
    unit.finishAdvance();
    unit.read(outputs, banks);
  }
  times.push(1000 * (performance.now() - begun));
}
for (const { unit } of units) unit.dispose();
remote.end();
// The first half is compiled on the way.
const sorted = times.slice(steps / 2).sort((a, b) => a - b);
const part = (q) => sorted[Math.floor(q * (sorted.length - 1))];
console.log(JSON.stringify({ median: part(0.5), low: part(0.1), high: part(0.9) }));
