/**
 * PHOLD (Fujimoto 1990) as HELICS measures it: every unit holds some events; each is over after a
 * delay that is the lookahead and an exponential time, and then goes to another unit, or, mostly,
 * stays for another turn.
 */
import { atomic, type Component, coupled, type Ports, port } from "../../devs/model.ts";
import { exponential, type RandomState, seeded, uniform } from "../../numerics/random.ts";

export interface PholdOptions {
  readonly units: number;
  /** Events per unit at the start. */
  readonly events: number;
  /** The part of events that goes to another unit. */
  readonly remote: number;
  /** Seconds. */
  readonly lookahead?: number;
  readonly mean?: number;
  /** Work of every event: so many square roots. */
  readonly work?: number;
}

interface Held {
  due: number[];
  /** Where the first one goes; -1: it stays. */
  target: number;
  done: number;
  /** The result of the work, which must not be left out. */
  sum: number;
  random: RandomState;
}

export function phold(options: PholdOptions): Component {
  const { units, events, remote, lookahead = 0.1, mean = 1, work = 0 } = options;
  const hold = (held: Held, now: number): void => {
    const at = now + lookahead + exponential(held.random, mean);
    let place = held.due.length;
    while (place > 0 && held.due[place - 1] > at) place--;
    held.due.splice(place, 0, at);
  };
  const aim = (held: Held): void => {
    held.target =
      uniform(held.random) < remote ? Math.floor((units - 1) * uniform(held.random)) : -1;
  };
  const toil = (held: Held): void => {
    held.done++;
    for (let k = 0; k < work; k++) held.sum += Math.sqrt(held.sum + k);
  };
  const ways: Ports = Object.fromEntries(
    Array.from({ length: units - 1 }, (_, k) => [`o${k}`, port<number>()]),
  );
  const names = Object.keys(ways);
  const unit = (i: number) =>
    atomic<Held, { in: ReturnType<typeof port<number>> }, Ports>({
      inputs: { in: port<number>() },
      outputs: ways,
      initial: () => {
        const held: Held = { due: [], target: -1, done: 0, sum: 0, random: seeded(i + 1) };
        for (let k = 0; k < events; k++) hold(held, 0);
        aim(held);
        return held;
      },
      minimumDelay: lookahead,
      timeAdvance: ({ due }, now) =>
        due.length > 0 ? Math.max(0, due[0] - now.time) : Number.POSITIVE_INFINITY,
      output: ({ target }, send) => {
        if (target >= 0) send(names[target], i);
      },
      internal: (held, now) => {
        toil(held);
        held.due.shift();
        if (held.target < 0) hold(held, now.time);
        aim(held);
        return undefined;
      },
      external: (held, input) => {
        for (const _ of input.values("in")) hold(held, input.time);
        return undefined;
      },
    });
  const all = Array.from({ length: units }, (_, i) => i);
  return coupled({
    name: "phold",
    components: Object.fromEntries(all.map((i) => [`u${i}`, unit(i)])),
    couplings: all.flatMap((i) => names.map((o, k) => `u${i}.${o} -> u${(i + 1 + k) % units}.in`)),
  });
}
