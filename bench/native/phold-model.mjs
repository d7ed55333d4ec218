/**
 * PHOLD with the settings of HELICS' benchmark, 64 units: 16 events each, 10 % of them go to
 * another unit, lookahead 0.1 s, then an exponential time (mean 1 s). `heavy` does some work at
 * every event, so that threads have something to do.
 */
import { atomic, coupled, exponential, port, seeded, uniform } from "cosimo/devs";

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
