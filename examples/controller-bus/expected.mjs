/**
 * The expected trace without Cosimo: times in whole nanoseconds, one list of instants, exponentials between them.
 *
 * At an instant, in this order: a command that has been carried arrives; the next of those that wait goes on the bus; temperatures are
 * measured and their commands join those that wait; if the bus is free, the lowest station of them goes.
 *
 *     node examples/controller-bus/expected.mjs > examples/controller-bus/expected.csv
 */
const NS = 1e9;
const STOP = 10 * NS;
const CARRY = 0.15 * NS;
const OVENS = [
  { tau: 4, target: 3, period: 0.7 * NS },
  { tau: 6, target: 2, period: 1 * NS },
  { tau: 8, target: 4, period: 1 * NS },
];
const GAIN = 4;

const x = [1, 1, 1];
const u = [0, 0, 0];
const waiting = [[], [], []];
let carried;
let sent = 1;
let now = 0;
let count = 0;
const rows = [["time", "plant.a", "plant.b", "plant.c", "bus.a", "bus.b", "bus.c", "bus.sent"]];
rows.push([0, ...x, ...u, sent]);

/** The lowest station that waits goes on the bus. */
function arbitrate(time) {
  const station = waiting.findIndex((commands) => commands.length > 0);
  carried =
    station < 0
      ? undefined
      : { station, command: waiting[station].shift(), end: time + Math.round(CARRY) };
}

for (;;) {
  const samples = OVENS.map(({ period }) => (Math.floor(now / period + 1e-9) + 1) * period);
  const next = Math.round(Math.min(carried?.end ?? Number.POSITIVE_INFINITY, ...samples));
  if (next > STOP) break;
  const seconds = (next - now) / NS;
  OVENS.forEach(({ tau }, i) => {
    x[i] = u[i] + (x[i] - u[i]) * Math.exp(-seconds / tau);
  });
  now = next;
  if (carried?.end === now) {
    u[carried.station] = carried.command;
    sent = carried.station + 1;
    count++;
    arbitrate(now);
    rows.push([now / NS, ...x, ...u, sent]);
  }
  OVENS.forEach(({ target, period }, i) => {
    if (now % Math.round(period) !== 0) return;
    const wanted = target + GAIN * (target - x[i]);
    waiting[i].push(Math.min(10, Math.max(0, Math.round(10 * wanted) / 10)));
  });
  if (carried === undefined) arbitrate(now);
}
for (const row of rows) console.log(row.join(","));
console.error(`${count} commands`);
