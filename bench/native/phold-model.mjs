/**
 * PHOLD with the settings of HELICS' benchmark, 64 units: 16 events each, 10 % of them go to
 * another unit, lookahead 0.1 s, then an exponential time (mean 1 s). `heavy` does some work at
 * every event, so that threads have something to do.
 */
import { atomic, coupled, devsUnit, exponential, port, seeded, uniform } from "cosimo/devs";

const [UNITS, EVENTS, REMOTE, LOOKAHEAD, MEAN] = [64, 16, 0.1, 0.1, 1];
/** Square roots of an event: about 0.1 ms. */
const WORK = 20_000;

function hold(held, now) {
  const at = now + LOOKAHEAD + exponential(held.random, MEAN);
  let place = held.due.length;
  while (place > 0 && held.due[place - 1] > at) place--;
  held.due.splice(place, 0, at);
}

function aim(held) {
  held.target = uniform(held.random) < REMOTE ? Math.floor((UNITS - 1) * uniform(held.random)) : -1;
}

const ways = Object.fromEntries(Array.from({ length: UNITS - 1 }, (_, k) => [`o${k}`, port()]));
const names = Object.keys(ways);

function phold(work) {
  const unit = (i) =>
    atomic({
      inputs: { in: port() },
      outputs: ways,
      initial: () => {
        const held = { due: [], target: -1, done: 0, sum: 0, random: seeded(i + 1) };
        for (let k = 0; k < EVENTS; k++) hold(held, 0);
        aim(held);
        return held;
      },
      minimumDelay: LOOKAHEAD,
      timeAdvance: ({ due }, now) => (due.length > 0 ? Math.max(0, due[0] - now.time) : Infinity),
      output: ({ target }, send) => {
        if (target >= 0) send(names[target], 1);
      },
      internal: (held, now) => {
        held.done++;
        for (let k = 0; k < work; k++) held.sum += Math.sqrt(held.sum + k);
        held.due.shift();
        if (held.target < 0) hold(held, now.time);
        aim(held);
      },
      external: (held, input) => {
        const count = input.values("in").length;
        for (let k = 0; k < count; k++) hold(held, input.time);
      },
    });
  const all = Array.from({ length: UNITS }, (_, i) => i);
  return coupled({
    name: "phold",
    components: Object.fromEntries(all.map((i) => [`u${i}`, unit(i)])),
    couplings: all.flatMap((i) => names.map((o, k) => `u${i}.${o} -> u${(i + 1 + k) % UNITS}.in`)),
  });
}

export const light = () => phold(0);
export const heavy = () => phold(WORK);

/**
 * The same for federates that send an event when it is made, with the time at which it is due, as
 * HELICS' messages are: a line holds it until then, and no event leaves before the lookahead.
 */
export function ahead(units = UNITS) {
  const outward = Object.fromEntries(
    Array.from({ length: units - 1 }, (_, k) => [`o${k}`, port()]),
  );
  const ports = Object.keys(outward);
  const federate = (i) =>
    atomic({
      inputs: { in: port() },
      outputs: { go: port() },
      initial: () => {
        const held = { due: [], sent: undefined, done: 0, random: seeded(i + 1) };
        for (let k = 0; k < EVENTS; k++) hold(held, 0);
        plan(held);
        return held;
      },
      timeAdvance: ({ due }, now) => (due.length > 0 ? Math.max(0, due[0] - now.time) : Infinity),
      output: ({ sent }, send, now) => {
        if (sent !== undefined) send("go", { to: sent.to, at: now.time + sent.delay });
      },
      internal: (held, now) => {
        held.done++;
        held.due.shift();
        if (held.sent === undefined) hold(held, now.time);
        plan(held);
      },
      external: (held, input) => {
        held.due.unshift(...input.values("in").map(() => input.time));
      },
    });
  const line = () =>
    atomic({
      inputs: { in: port() },
      outputs: outward,
      minimumDelay: LOOKAHEAD,
      initial: () => [],
      timeAdvance: (held, now) => (held.length > 0 ? Math.max(0, held[0].at - now.time) : Infinity),
      output: ([first], send) => send(ports[first.to], 1),
      internal: (held) => void held.shift(),
      external: (held, input) => {
        held.push(...input.values("in"));
        held.sort((a, b) => a.at - b.at);
      },
    });
  /** Where its next event goes, and how long that takes. */
  function plan(held) {
    const isRemote = uniform(held.random) < REMOTE;
    const to = isRemote ? Math.floor((units - 1) * uniform(held.random)) : -1;
    held.sent = isRemote ? { to, delay: LOOKAHEAD + exponential(held.random, MEAN) } : undefined;
  }
  const all = Array.from({ length: units }, (_, i) => i);
  return coupled({
    name: "phold-ahead",
    components: Object.fromEntries(
      all.flatMap((i) => [
        [`u${i}`, federate(i)],
        [`l${i}`, line()],
      ]),
    ),
    couplings: all.flatMap((i) => [
      `u${i}.go -> l${i}.in`,
      ...ports.map((o, k) => `l${i}.${o} -> u${(i + 1 + k) % units}.in`),
    ]),
  });
}

/** What nodes offer: a unit, and models of 64 and 32 federates that their parts are cut from. */
export const ahead64 = () => ahead(64);
export const ahead32 = () => ahead(32);
// biome-ignore lint/style/noDefaultExport: units of modules are default exports
export default (name) => devsUnit(light(), { name });
