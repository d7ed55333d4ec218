/**
 * One case of bench/events.mjs in this process: `node events-case.mjs <case> <size> <amount>`.
 * Prints seconds, and how many transitions the model's own functions counted.
 *
 * PHOLD: every unit holds messages; each leaves after 0.1 s + an exponential time (mean 0.9 s) for
 * one of four neighbours, at random. DEVStone LI and HI (Glinsky & Wainer 2005): depth = width =
 * size, no work in the transitions; `amount` values are injected, one per second.
 */
import {
  atomic,
  coupled,
  exponential,
  periodicSource,
  port,
  runDevs,
  seeded,
  uniform,
} from "cosimo/devs";

const [name, size, amount] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])];
const OFFSETS = [1, 7, 31, 101];
let count = 0;

function phold(n) {
  const unit = (i) =>
    atomic({
      inputs: { in: port() },
      outputs: { o0: port(), o1: port(), o2: port(), o3: port() },
      initial: () => {
        const random = seeded(i + 1);
        return { due: [exponential(random, 0.9)], way: "o0", random };
      },
      timeAdvance: ({ due }, now) => (due.length > 0 ? Math.max(0, due[0] - now.time) : Infinity),
      output: ({ way }, send) => send(way, 1),
      internal: (state) => {
        count++;
        state.due.shift();
        state.way = `o${Math.floor(4 * uniform(state.random))}`;
      },
      external: (state, input) => {
        count++;
        const messages = input.values("in").length;
        for (let m = 0; m < messages; m++) {
          const at = input.time + 0.1 + exponential(state.random, 0.9);
          let place = state.due.length;
          while (place > 0 && state.due[place - 1] > at) place--;
          state.due.splice(place, 0, at);
        }
      },
    });
  return coupled({
    components: Object.fromEntries(Array.from({ length: n }, (_, i) => [`u${i}`, unit(i)])),
    couplings: Array.from({ length: n }, (_, i) => i).flatMap((i) =>
      OFFSETS.map((offset, k) => `u${i}.o${k} -> u${(i + offset) % n}.in`),
    ),
  });
}

const stone = () =>
  atomic({
    inputs: { in: port() },
    outputs: { out: port() },
    initial: { isActive: false },
    timeAdvance: ({ isActive }) => (isActive ? 0 : Infinity),
    output: (_, send) => send("out", 0),
    internal: (state) => {
      count++;
      state.isActive = false;
    },
    external: (state) => {
      count++;
      state.isActive = true;
    },
  });

function devstone(kind, width, depth) {
  const components = {};
  const couplings = [];
  if (depth === 1) {
    components.last = stone();
    couplings.push("in -> last.in", "last.out -> out");
  } else {
    components.inner = devstone(kind, width, depth - 1);
    couplings.push("in -> inner.in", "inner.out -> out");
    for (let i = 0; i < width - 1; i++) {
      components[`a${i}`] = stone();
      couplings.push(`in -> a${i}.in`);
      if (kind === "HI" && i > 0) couplings.push(`a${i - 1}.out -> a${i}.in`);
    }
  }
  return coupled({ inputs: { in: port() }, outputs: { out: port() }, components, couplings });
}

const model =
  name === "PHOLD"
    ? phold(size)
    : coupled({
        components: {
          source: periodicSource({ period: 1, start: 1, count: amount }),
          stone: devstone(name, size, size),
        },
        couplings: ["source.out -> stone.in"],
      });
/** CPU time of this process, seconds: other processes on the machine do not count. */
function cpu() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

// The code is compiled by a shorter run; building and initializing are subtracted.
runDevs(model, { stop: amount / 10, record: "none" });
const start = cpu();
runDevs(model, { stop: 0, record: "none" });
const begin = cpu();
count = 0;
runDevs(model, { stop: amount, record: "none" });
console.log(JSON.stringify({ seconds: cpu() - begin - (begin - start), count }));
