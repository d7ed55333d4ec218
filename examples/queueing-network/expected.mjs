/**
 * Computes the expected trace without Cosimo.
 *
 *     node examples/queueing-network/expected.mjs > examples/queueing-network/expected.csv
 *
 * No simulation is needed: with one server a job begins when it has arrived and the job before it has left (Lindley 1952),
 * begin(k) = max(arrival(k), end(k - 1)), and jobs pass a station in order. The sum of all waiting times up to t is Σ min(begin(k), t) - arrival(k).
 * Random numbers are sfc32, seeded and drawn in the same order per station, written down again here.
 */
function generator(seed) {
  let [a, b, c, count] = [0, seed, 0, 1];
  const word = () => {
    const result = (a + b + count) | 0;
    count++;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + result) | 0;
    return result >>> 0;
  };
  for (let i = 0; i < 12; i++) word();
  return (mean) => {
    const high = Math.floor(word() / 32);
    const low = Math.floor(word() / 64);
    return -mean * Math.log1p(-(high * 67108864 + low) / 9007199254740992);
  };
}

/** When jobs begin and end that arrive at those times. */
function station(arrivals, service) {
  let end = 0;
  return arrivals.map((arrival) => {
    const begin = Math.max(arrival, end);
    end = begin + service();
    return { arrival, begin, end };
  });
}

const STOP = 200;
const [wait, receive, repair] = [generator(1), generator(2), generator(3)];
const arrivals = [];
for (let t = wait(1); t <= STOP; t += wait(1)) arrivals.push(t);
const received = station(arrivals, () => receive(0.7));
const ends = received.map(({ end }) => end);
const finished = [
  ...station(
    ends.filter((_, k) => k % 2 === 0),
    () => 1.5,
  ),
  ...station(
    ends.filter((_, k) => k % 2 === 1),
    () => repair(1.2),
  ),
];

console.log('"time","workshop.waiting","workshop.finished","meter.waited"');
for (let t = 0; t <= STOP; t += 5) {
  const here = received.filter(({ arrival }) => arrival <= t);
  const waiting = here.filter(({ begin }) => begin > t).length;
  const waited = here.reduce((sum, { arrival, begin }) => sum + Math.min(begin, t) - arrival, 0);
  console.log([t, waiting, finished.filter(({ end }) => end <= t).length, waited].join(","));
}
