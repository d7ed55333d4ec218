/** The library: every part against what a few lines of arithmetic say. */
import { describe, expect, it } from "vitest";
import { exponential, seeded, uniform } from "../../numerics/random.ts";
import { type Component, coupled, port } from "../model.ts";
import { type DevsEvent, runDevs } from "../run-devs.ts";
import { bus, router, switchedRouter } from "./branches.ts";
import { counts, ticks } from "./counters.ts";
import { listSource, periodicSource, randomSource } from "./sources.ts";
import { delay, queue, type SinkState, server, sink } from "./stations.ts";

const at = (events: readonly DevsEvent[]): [number, unknown][] =>
  events.map(({ time, value }) => [time, value]);

describe("sources", () => {
  it("[DE40] a periodic source sends at start + k · period, counted", () => {
    const { events } = runDevs(periodicSource({ period: 0.1, start: 0.05, count: 1000 }), {
      stop: 1000,
    });
    expect(events).toHaveLength(1000);
    events.forEach(({ time, value }, k) => {
      expect([time, value]).toEqual([Math.round(50 + 100 * k) / 1000, k]);
    });
    const thirds = runDevs(periodicSource({ period: 1 / 3 }), { stop: 1000 }).events;
    expect(thirds.at(-1)).toMatchObject({ time: 1000, value: 3000 });
  });

  it("[DE40] a list source sends what is in the list; values of one time together", () => {
    const events = [
      { time: 0, value: "a" },
      { time: 2, value: "b" },
      { time: 2, value: "c" },
      { time: 3.5, value: "d" },
    ];
    const run = runDevs(listSource({ events }), { stop: 10 });
    expect(run.events.map(({ time, index, value }) => [time, index, value])).toEqual([
      [0, 0, "a"],
      [2, 0, "b"],
      [2, 0, "c"],
      [3.5, 0, "d"],
    ]);
    expect(() => listSource({ events: [...events].reverse() })).toThrow("ordered");
  });

  it("[DE41] a random source sends at times that its seed determines, with its mean", () => {
    const mean = 0.5;
    const times = (seed: number): number[] =>
      runDevs(randomSource({ mean, seed }), { stop: 2000 }).events.map(({ time }) => time);
    expect(times(7)).toEqual(times(7));
    expect(times(7)).not.toEqual(times(8));
    // The standard deviation of the number of events of a Poisson process is the root of its mean.
    const expected = 2000 / mean;
    expect(Math.abs(times(7).length - expected)).toBeLessThan(4 * Math.sqrt(expected));
    const random = seeded(7);
    let time = 0;
    for (const found of times(7)) {
      time += exponential(random, mean);
      expect(found).toBeCloseTo(time, 5);
    }
  });

  it("[DE41] random numbers are uniform in [0, 1)", () => {
    const random = seeded(2 ** 40 + 3);
    const counts = new Array<number>(10).fill(0);
    const n = 20_000;
    for (let i = 0; i < n; i++) counts[Math.floor(10 * uniform(random))]!++;
    const chi = counts.reduce((sum, count) => sum + (count - n / 10) ** 2 / (n / 10), 0);
    // The 99.9 % quantile of χ² with 9 degrees of freedom.
    expect(chi).toBeLessThan(27.9);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(n);
  });
});

/** A source, a queue and a server in a row, with a sink. */
function station(
  source: Component,
  service: Parameters<typeof server>[0],
  places = 1,
  capacity?: number,
) {
  return coupled({
    name: "station",
    outputs: { length: port<number>(), lost: port<unknown>(), out: port<unknown>() },
    components: {
      source,
      queue: queue({ servers: places, ...(capacity !== undefined && { capacity }) }),
      server: server({ ...service, places }),
      sink: sink({ keep: 1e6 }),
    },
    couplings: [
      "source.out -> queue.in",
      "queue.out -> server.in",
      "server.done -> queue.done",
      "server.out -> sink.in",
      "server.out -> out",
      "queue.lost -> lost",
      "queue.length -> length",
    ],
  });
}

describe("queues and servers", () => {
  it("[DE42] jobs leave as Lindley's recursion says, at random times of arrival and service", () => {
    const [mean, service, count] = [1, 0.8, 500];
    const model = station(randomSource({ mean, seed: 3, count }), {
      service: { mean: service, seed: 4 },
    });
    const { kept } = runDevs(model, { stop: 1e5 }).states.get("sink") as SinkState<number>;
    const [arrivals, services] = [seeded(3), seeded(4)];
    let [arrival, free] = [0, 0];
    expect(kept).toHaveLength(count);
    kept.forEach(({ time, value }, k) => {
      arrival += exponential(arrivals, mean);
      free = Math.max(free, arrival) + exponential(services, service);
      expect(value).toBe(k);
      expect(Math.abs(time - free)).toBeLessThan(1e-9 * (2 * k + 2));
    });
  });

  it("[DE42] several places work at once", () => {
    const times = [0, 0, 0, 1, 1].map((time, value) => ({ time, value }));
    const { events } = runDevs(station(listSource({ events: times }), { service: 3 }, 2), {
      stop: 100,
    });
    const out = events.filter((event) => event.port === "out");
    expect(at(out)).toEqual([
      [3, 0],
      [3, 1],
      [6, 2],
      [6, 3],
      [9, 4],
    ]);
    expect(events.filter((event) => event.port === "length").map(({ value }) => value)).toContain(
      3,
    );
  });

  it("[DE42] what finds no place in the queue is lost, and said to be", () => {
    const times = [0, 0.1, 0.2, 0.3, 5].map((time, value) => ({ time, value }));
    const { events } = runDevs(station(listSource({ events: times }), { service: 2 }, 1, 1), {
      stop: 100,
    });
    expect(at(events.filter((event) => event.port === "lost"))).toEqual([
      [0.2, 2],
      [0.3, 3],
    ]);
    expect(at(events.filter((event) => event.port === "out"))).toEqual([
      [2, 0],
      [4, 1],
      [7, 4],
    ]);
  });

  it("[DE42] a queue with priorities serves the lowest first, equal ones in order", () => {
    const times = [9, 5, 7, 5].map((value, k) => ({ time: k / 10, value: { value, k } }));
    const model = coupled({
      outputs: { out: port<{ k: number }>() },
      components: {
        source: listSource({ events: times }),
        queue: queue<{ value: number; k: number }>({ priority: ({ value }) => value }),
        server: server({ service: 1 }),
      },
      couplings: [
        "source.out -> queue.in",
        "queue.out -> server.in",
        "server.done -> queue.done",
        "server.out -> out",
      ],
    });
    const order = runDevs(model, { stop: 10 }).events.map(
      ({ value }) => (value as { k: number }).k,
    );
    expect(order).toEqual([0, 1, 3, 2]);
  });

  it("[DE42] a server without a queue refuses a second job with a fix", () => {
    const model = coupled({
      components: { source: periodicSource({ period: 1 }), server: server({ service: 2.5 }) },
      couplings: ["source.out -> server.in"],
    });
    expect(() => runDevs(model, { stop: 5 })).toThrow(
      /a job arrived while the place is taken; put a queue/,
    );
  });

  it.each([
    [
      "capacity",
      () => queue({ capacity: -1 }),
      "the 'capacity' of a queue is a whole number from 0",
    ],
    ["servers", () => queue({ servers: 0.5 }), "from 1 on, or Infinity, not 0.5"],
    ["service", () => server({ service: -1 }), "a 'service' takes 0 or more seconds, not -1"],
    ["mean", () => server({ service: { mean: 0, seed: 1 } }), "with a mean above 0"],
    ["places", () => server({ service: 1, places: Number.NaN }), "not NaN"],
    ["keep", () => sink({ keep: -2 }), "from 0 on, or Infinity, not -2"],
    ["count", () => periodicSource({ period: 1, count: 2.5 }), "not 2.5"],
  ])("[DE46] a %s without a meaning is refused where it is given", (_, make, message) => {
    expect(make).toThrow(message);
  });

  it("[DE46] a service of a job that is negative fails the server", () => {
    const model = coupled({
      components: { source: periodicSource({ period: 1 }), server: server({ service: () => -1 }) },
      couplings: ["source.out -> server.in"],
    });
    expect(() => runDevs(model, { stop: 5 })).toThrow(
      "a 'service' takes 0 or more seconds, not -1",
    );
  });

  it("[DE43] a delay keeps everything for as long as it says, however much is under way", () => {
    const model = coupled({
      outputs: { out: port<number>() },
      components: { source: periodicSource({ period: 0.1, count: 20 }), delay: delay(0.7) },
      couplings: ["source.out -> delay.in", "delay.out -> out"],
    });
    expect(at(runDevs(model, { stop: 10 }).events)).toEqual(
      Array.from({ length: 20 }, (_, k) => [(k + 7) / 10, k]),
    );
  });

  it("[DE43] a sink counts, and keeps the last arrivals", () => {
    const model = coupled({
      outputs: { count: port<number>() },
      components: { source: periodicSource({ period: 1 }), sink: sink({ keep: 2 }) },
      couplings: ["source.out -> sink.in", "sink.count -> count"],
    });
    const { events, states } = runDevs(model, { stop: 5 });
    expect(at(events)).toEqual([0, 1, 2, 3, 4, 5].map((k) => [k, k + 1]));
    expect(states.get("sink")).toMatchObject({
      kept: [
        { time: 4, value: 4 },
        { time: 5, value: 5 },
      ],
    });
  });
});

describe("routers, switches, buses", () => {
  const waysOf = (model: ReturnType<typeof router>, count: number): string[] => {
    const net = coupled({
      components: { source: periodicSource({ period: 1, count }), router: model },
      couplings: ["source.out -> router.in"],
    });
    return runDevs(net, { stop: count, record: "all" })
      .events.filter(({ unit }) => unit === "router")
      .map((event) => `${event.value as number}:${event.port}`);
  };

  it("[DE44] a router sends in turn, by value, or at random with weights, at once and each value once", () => {
    expect(waysOf(router({ ways: 2, route: "in-turn" }), 4)).toEqual([
      "0:out0",
      "1:out1",
      "2:out0",
      "3:out1",
    ]);
    expect(waysOf(router<number>({ ways: 3, route: (value) => 2 - value }), 3)).toEqual([
      "0:out2",
      "1:out1",
      "2:out0",
    ]);
    const n = 4000;
    const random = waysOf(router({ ways: 2, route: { weights: [1, 3], seed: 5 } }), n);
    const first = random.filter((way) => way.endsWith("out0")).length;
    // Binomial with p = 1/4: four standard deviations.
    expect(Math.abs(first - n / 4)).toBeLessThan(4 * Math.sqrt((n * 3) / 16));
    expect(random).toHaveLength(n);
    expect(() => waysOf(router({ ways: 2, route: () => 2 }), 1)).toThrow("way 2 does not exist");
  });

  it("[DE44] a switch sends the way that was selected last; a new way holds for values of the same instant", () => {
    const net = coupled({
      components: {
        source: periodicSource({ period: 1, count: 5 }),
        ways: listSource({
          events: [
            { time: 1.5, value: 1 },
            { time: 3, value: 0 },
          ],
        }),
        gate: switchedRouter<number>(2),
      },
      couplings: ["source.out -> gate.in", "ways.out -> gate.select"],
    });
    const found = runDevs(net, { stop: 10, record: "all" }).events.filter(
      ({ unit }) => unit === "gate",
    );
    expect(found.map((event) => [event.value, event.port])).toEqual([
      [0, "out0"],
      [1, "out0"],
      [2, "out1"],
      [3, "out0"],
      [4, "out0"],
    ]);
  });

  it("[DE45] a bus carries one frame at a time, never interrupts one, and lets the lowest identifier go first", () => {
    const frames = (id: number, times: readonly number[]) =>
      listSource({ events: times.map((time) => ({ time, value: { id } })) });
    const net = coupled({
      outputs: { out: port<unknown>() },
      components: {
        a: frames(30, [0, 0.1]),
        b: frames(20, [0.5, 0.5]),
        c: frames(10, [0.5, 4.2]),
        bus: bus<{ id: number }>({ stations: 3, transmission: () => 1, priority: ({ id }) => id }),
      },
      couplings: ["a.out -> bus.in0", "b.out -> bus.in1", "c.out -> bus.in2", "bus.out -> out"],
    });
    const out = runDevs(net, { stop: 20 }).events.map(({ time, value }) => [
      time,
      (value as { station: number }).station,
    ]);
    // 30 has begun; 10, 20, 20 go before the second 30, which has begun when the second 10 arrives.
    expect(out).toEqual([
      [1, 0],
      [2, 2],
      [3, 1],
      [4, 1],
      [5, 0],
      [6, 2],
    ]);
  });

  it("[DE45] frames that arrive at one instant compete, in whichever order they were sent", () => {
    const net = coupled({
      outputs: { out: port<unknown>() },
      components: {
        slow: listSource({ events: [{ time: 1, value: 2 }] }),
        fast: listSource({ events: [{ time: 1, value: 1 }] }),
        bus: bus<number>({ stations: 2, transmission: (id) => id, priority: (id) => id }),
      },
      couplings: ["slow.out -> bus.in0", "fast.out -> bus.in1", "bus.out -> out"],
    });
    expect(runDevs(net, { stop: 20 }).events.map(({ time }) => time)).toEqual([2, 4]);
  });
});

describe("counters", () => {
  const shown = [
    { time: 1, value: 1 },
    { time: 2, value: 4 },
    { time: 3, value: 4 },
    { time: 5, value: 2 },
  ].map((event) => ({ ...event, port: "count" }));

  it("[HC7] every event of a counter is a tick, and a restart counts what it shows", () => {
    const { events } = runDevs(ticks(), { stop: 9, inputs: shown });
    expect(events.map(({ time }) => time)).toEqual([1, 2, 2, 2, 5, 5]);
  });

  it("[HC7] ticks are counted, those of one instant together", () => {
    const model = coupled({
      inputs: { count: port<number>() },
      outputs: { count: port<number>() },
      components: { ticks: ticks(), counts: counts() },
      couplings: ["count -> ticks.count", "ticks.tick -> counts.tick", "counts.count -> count"],
    });
    expect(at(runDevs(model, { stop: 9, inputs: shown }).events)).toEqual([
      [1, 1],
      [2, 4],
      [5, 6],
    ]);
  });
});
