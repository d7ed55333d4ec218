/** What happens at one instant, in which order, at which times, and what is refused. */
import { describe, expect, it } from "vitest";
import { unwrap } from "../base/diagnostic.ts";
import { UnitError } from "../base/outcome.ts";
import { bytesPerCall } from "../numerics/testing/bytes-per-call.ts";
import { flatten } from "./flatten.ts";
import { Kernel } from "./kernel.ts";
import { type AtomicModel, atomic, type Component, coupled, port, type Select } from "./model.ts";
import { runDevs } from "./run-devs.ts";
import { NEVER, recorder, sender } from "./testing/small-models.ts";
import { MAX_TICKS, toSeconds, toTicks } from "./ticks.ts";

const logIn = (model: Component, path: string, stop = 10): string =>
  (runDevs(model, { stop }).states.get(path) as { log: string }).log;

describe("atomic models", () => {
  it("[DE1] elapsed times count from the last transition of any kind", () => {
    const model = coupled({
      components: { a: sender(1, "a"), b: sender(2.5, "b"), r: recorder(4) },
      couplings: ["a.out -> r.in", "b.out -> r.in"],
    });
    expect(logIn(model, "r")).toBe("ext e=1 a; ext e=1.5 b; int e=1.5");
  });

  it("[DE3] what a translation maps to absent is not an event for the receiver", () => {
    const model = coupled({
      components: { a: sender(1, "a"), b: sender(2.5, "b"), r: recorder(4) },
      couplings: [
        { from: "a.out", to: "r.in", map: () => undefined },
        { from: "b.out", to: "r.in", map: (value: unknown) => `${value as string}!` },
      ],
    });
    expect(logIn(model, "r")).toBe("ext e=2.5 b!; int e=1.5");
  });

  it("[DE3] what has no external transition ignores inputs, and its elapsed time goes on", () => {
    const deaf = atomic({
      name: "deaf",
      inputs: { in: port<string>() },
      outputs: { out: port<number>() },
      initial: 0,
      timeAdvance: () => 4,
      output: (n, send) => send("out", n),
      internal: (n) => n + 1,
    });
    const model = coupled({
      outputs: { out: port<number>() },
      components: { a: sender(1, "a"), deaf },
      couplings: ["a.out -> deaf.in", "deaf.out -> out"],
    });
    expect(runDevs(model, { stop: 9 }).events.map(({ time }) => time)).toEqual([4, 8]);
  });

  it("[DE4] zero time advances raise the index and leave the time", () => {
    const burst = atomic({
      name: "burst",
      outputs: { out: port<number>() },
      initial: 0,
      timeAdvance: (n) => (n % 3 === 0 ? 0.5 : 0),
      output: (n, send) => send("out", n),
      internal: (n) => n + 1,
    });
    const { events } = runDevs(burst, { stop: 1 });
    expect(events.map(({ time, index, value }) => [time, index, value])).toEqual([
      [0.5, 0, 0],
      [0.5, 1, 1],
      [0.5, 2, 2],
      [1, 0, 3],
      [1, 1, 4],
      [1, 2, 5],
    ]);
  });

  it("[DE5] instances do not share their initial state, and may change it in place", () => {
    const counter = atomic({
      name: "counter",
      outputs: { out: port<number>() },
      initial: { count: 0 },
      timeAdvance: () => 1,
      output: ({ count }, send) => send("out", count),
      internal: (state) => {
        state.count++;
      },
    });
    const model = coupled({ components: { one: counter, two: counter }, couplings: [] });
    for (let run = 0; run < 2; run++) {
      const { states } = runDevs(model, { stop: 3 });
      expect([states.get("one"), states.get("two")]).toEqual([{ count: 3 }, { count: 3 }]);
    }
  });
});

function failureOf(run: () => unknown): UnitError["failure"] {
  try {
    run();
  } catch (error) {
    if (error instanceof UnitError) return error.failure;
    throw error;
  }
  throw new Error("nothing failed");
}

/** Keeps `send` from the output phase and uses it later. */
function stolenSend() {
  let stolen: (port: string, value: unknown) => void = () => undefined;
  return {
    output: (_: unknown, send: (port: string, value: unknown) => void) => {
      stolen = send;
    },
    internal: () => {
      stolen("out", 1);
    },
  };
}

describe("mistakes while a model runs", () => {
  const broken = (spec: Partial<Parameters<typeof atomic<unknown>>[0]>): Component =>
    coupled({
      name: "model",
      components: {
        group: coupled({
          components: {
            bad: atomic({
              name: "bad",
              outputs: { out: port<unknown>() },
              initial: 0,
              timeAdvance: () => 1,
              internal: () => undefined,
              ...spec,
            } as Parameters<typeof atomic<unknown>>[0]),
          },
          couplings: [],
        }),
      },
      couplings: [],
    });

  it.each([
    [
      "a negative time advance",
      { timeAdvance: () => -1 },
      "timeAdvance",
      "timeAdvance returned -1",
      "0 or more",
      0,
    ],
    [
      "a time advance that is NaN",
      { timeAdvance: () => Number.NaN },
      "timeAdvance",
      "timeAdvance returned NaN",
      "Infinity",
      0,
    ],
    [
      "an absent value",
      { output: (_: unknown, send: (p: string, v: unknown) => void) => send("out", undefined) },
      "output",
      "absent value (undefined) from port 'out'",
      "do not call 'send'",
      1,
    ],
    [
      "a port that is not declared",
      { output: (_: unknown, send: (p: string, v: unknown) => void) => send("ouch", 1) },
      "output",
      "port 'ouch', which it does not declare",
      "its outputs are out",
      1,
    ],
    [
      "a value sent in a transition",
      stolenSend(),
      "internal",
      "sends from port 'out' in a transition",
      "send in 'output' only",
      1,
    ],
    [
      "no internal transition",
      { internal: undefined },
      "internal",
      "it has none",
      "write 'internal'",
      1,
    ],
    [
      "an event beyond the last tick",
      { timeAdvance: () => 1e9 },
      "timeAdvance",
      "beyond the last tick",
      "ticksPerSecond",
      0,
    ],
    [
      "an elapsed time beyond the first event",
      { initialElapsed: 2 },
      "initialElapsed",
      "2 s have elapsed",
      "start with less",
      0,
    ],
  ])("[DE6] %s: unit, function, cause and fix", (_, spec, call, problem, fix, time) => {
    const failure = failureOf(() => runDevs(broken(spec as never), { stop: 5 }));
    expect(failure).toMatchObject({ unit: "group.bad", call, time });
    expect(failure.problem).toContain(problem);
    expect(failure.log.join(" ")).toContain(`fix: `);
    expect(failure.log.join(" ")).toContain(fix);
  });

  it("[DE6] what an author's function throws is a failure of its unit, with the place", () => {
    const failure = failureOf(() =>
      runDevs(
        broken({
          internal: () => {
            throw new RangeError("no such gear");
          },
        }),
        { stop: 5 },
      ),
    );
    expect(failure).toMatchObject({ unit: "group.bad", call: "internal", time: 1 });
    expect(failure.problem).toContain("RangeError: no such gear");
    expect(failure.log[0]).toContain("kernel.test.ts");
  });

  it.each([
    [
      "a text as time advance",
      { timeAdvance: () => "1" as unknown as number },
      'timeAdvance returned "1"',
    ],
    ["a promise as time advance", { timeAdvance: async () => 1 }, "timeAdvance returned a promise"],
    ["an asynchronous transition", { internal: async () => 1 }, "internal returned a promise"],
    ["an asynchronous output", { output: async () => undefined }, "output returned a promise"],
  ])("[DE7] %s", (_, spec, problem) => {
    const failure = failureOf(() =>
      runDevs(broken(spec as Parameters<typeof broken>[0]), { stop: 3 }),
    );
    expect(failure.problem).toBe(problem);
    expect(failure.log[0]).toMatch(/^fix: /);
  });

  it("[DE6] a state that is not data is found when it is saved, with the path in it", () => {
    const flat = unwrap(flatten(broken({ internal: () => ({ a: [1, { handler: () => 1 }] }) })));
    const kernel = new Kernel(flat);
    kernel.initialize(0);
    kernel.save();
    kernel.step();
    const failure = failureOf(() => kernel.save());
    expect(failure.unit).toBe("group.bad");
    expect(failure.problem).toContain("'a[1].handler' is a function");
  });

  it("[DE6] options that are not above 0 are refused", () => {
    expect(() => runDevs(sender(1, "a"), { stop: 1, ticksPerSecond: 0 })).toThrow(
      "'ticksPerSecond' is 0",
    );
    expect(() => runDevs(sender(1, "a"), { stop: 1, maxTransitions: Number.NaN })).toThrow(
      "'maxTransitions' is NaN",
    );
  });

  it("[DE6] get refuses to drop values that arrived together", () => {
    const single = atomic({
      name: "single",
      inputs: { in: port<string>() },
      initial: "",
      timeAdvance: () => NEVER,
      external: (_, input) => input.get("in")!,
    });
    const model = coupled({
      components: { a: sender(1, "a"), b: sender(1, "b"), single },
      couplings: ["a.out -> single.in", "b.out -> single.in"],
    });
    expect(failureOf(() => runDevs(model, { stop: 2 })).problem).toContain("input.values('in')");
  });
});

describe("parallel semantics", () => {
  const model = (own: number, hasConfluent: boolean): Component =>
    coupled({
      components: { a: sender(2, "a"), b: sender(2, "b"), r: recorder(own, hasConfluent) },
      couplings: ["b.out -> r.in", "a.out -> r.in"],
    });

  it("[DE11] what arrives together arrives as one bag, by sender", () => {
    expect(logIn(model(5, false), "r", 4)).toBe("ext e=2 a+b");
  });

  it("[DE11] an internal event at the same time is confluent: δcon, or δint and then δext", () => {
    expect(logIn(model(2, true), "r")).toBe("con e=2 a+b");
    expect(logIn(model(2, false), "r")).toBe("int e=2; ext e=0 a+b");
  });

  it("[DE11] an imminent unit sends its state from before the transitions of that instant", () => {
    const ports = { out: port<string>() };
    const { events } = runDevs(
      coupled({
        outputs: ports,
        components: { a: sender(2, "a"), r: recorder(2) },
        couplings: ["a.out -> r.in", "r.out -> out"],
      }),
      { stop: 5 },
    );
    expect(events.map(({ value }) => value)).toEqual([""]);
  });
});

describe("classic semantics", () => {
  /** Who sends first at one time: a and b in one group, c beside them. */
  const orderWith = (outer: Select | undefined, inner: Select | undefined): string => {
    const model = coupled({
      semantics: "classic",
      components: {
        group: coupled({
          outputs: { out: port<string>() },
          components: { a: sender(2, "a"), b: sender(2, "b") },
          couplings: ["a.out -> out", "b.out -> out"],
          ...(inner && { select: inner }),
        }),
        c: sender(2, "c"),
        r: recorder(2),
      },
      couplings: ["group.out -> r.in", "c.out -> r.in"],
      ...(outer && { select: outer }),
    });
    return logIn(model, "r");
  };

  it("[DE12] one after the other in the order of the components; a receiver that is imminent gets its external transition", () => {
    expect(orderWith(undefined, undefined)).toBe("ext e=2 a; ext e=0 b; ext e=0 c; int e=0");
  });

  it("[DE12] select is an order, on every level", () => {
    expect(orderWith(["c", "group", "r"], ["b", "a"])).toBe(
      "ext e=2 c; ext e=0 b; ext e=0 a; int e=0",
    );
    expect(orderWith(["r", "c", "group"], undefined)).toBe(
      "int e=2; ext e=0 c; ext e=0 a; ext e=0 b",
    );
  });

  it("[DE12] select is a function of the names of those that are imminent", () => {
    const offered: string[][] = [];
    const last = (imminent: readonly string[]): string => {
      offered.push([...imminent]);
      return imminent.at(-1)!;
    };
    expect(orderWith(last, undefined)).toBe("int e=2; ext e=0 c; ext e=0 a; ext e=0 b");
    expect(offered).toEqual([
      ["group", "c", "r"],
      ["group", "c"],
    ]);
  });

  it("[DE12] select must choose one of them", () => {
    const failure = failureOf(() => orderWith(() => "x", undefined));
    expect(failure).toMatchObject({ call: "select", time: 2 });
    expect(failure.problem).toContain("'x'");
  });
});

describe("time", () => {
  /** Times at which a chain of delays sends. */
  function timesOf(delays: readonly number[], options = {}): number[] {
    const chain = atomic({
      name: "chain",
      outputs: { out: port<number>() },
      initial: 0,
      timeAdvance: (n) => delays[n] ?? NEVER,
      output: (n, send) => send("out", n),
      internal: (n) => n + 1,
    });
    return runDevs(chain, { stop: 100, ...options }).events.map(({ time }) => time);
  }

  it("[DE20] times that should coincide do: 0.1 + 0.2 is 0.3, and ten tenths are one", () => {
    expect(0.1 + 0.2).not.toBe(0.3);
    expect(timesOf([0.1, 0.2])[1]).toBe(0.3);
    expect(timesOf(new Array<number>(10).fill(0.1)).at(-1)).toBe(1);
    const merge = coupled({
      components: { one: sender(0.3, "x"), chain: twoSteps(0.1, 0.2), r: recorder(NEVER) },
      couplings: ["one.out -> r.in", "chain.out -> r.in"],
    });
    expect(logIn(merge, "r", 1)).toBe("ext e=0.3 x+y");
  });

  it("[DE20] the start is part of the same count", () => {
    expect(timesOf([0.2], { start: 0.1 })).toEqual([0.3]);
  });

  it("[DE21] delays are rounded to the nearest tick, however fine ticks are", () => {
    expect(timesOf([0.4e-9, 0, 0.6e-9, 1.4e-9])).toEqual([0, 0, 1e-9, 2e-9]);
    expect(timesOf([1e-12], { ticksPerSecond: 1e12 })).toEqual([1e-12]);
    expect(timesOf([90], { ticksPerSecond: 1 })).toEqual([90]);
  });

  it("[DE21] ticks are the same after a way through seconds, up to the last one", () => {
    for (const perSecond of [1, 1e6, 1e9, 3, 44_100]) {
      for (let ticks = MAX_TICKS; ticks > 1; ticks = Math.floor(ticks / 1.37))
        for (const near of [ticks - 1, ticks])
          expect(toTicks(toSeconds(near, perSecond), perSecond)).toBe(near);
    }
  });

  it("[DE22] periods that are not a number of ticks are counted by the author from the time, and do not drift", () => {
    const third = atomic({
      name: "third",
      outputs: { out: port<number>() },
      initial: 0,
      timeAdvance: (n, now) => (n + 1) / 3 - now.time,
      output: (n, send) => send("out", n),
      internal: (n) => n + 1,
    });
    const times = runDevs(third, { stop: 3000 }).events.map(({ time }) => time);
    expect(times).toHaveLength(9000);
    expect(times[8999]).toBe(3000);
    times.forEach((time, k) => {
      expect(Math.abs(time - (k + 1) / 3)).toBeLessThan(0.51e-9);
    });
  });

  it("[DE28] a run without an end ends with the last event", () => {
    const three = atomic({
      outputs: { out: port<number>() },
      initial: 0,
      timeAdvance: (n) => (n < 3 ? 0.5 : NEVER),
      output: (n, send) => send("out", n),
      internal: (n) => n + 1,
    });
    const times = (stop: number): number[] =>
      runDevs(three, { stop }).events.map(({ time }) => time);
    expect(times(NEVER)).toEqual([0.5, 1, 1.5]);
    expect(times(1e300)).toEqual([0.5, 1, 1.5]);
    expect(times(-1)).toEqual([]);
    const forever = atomic({ initial: 0, timeAdvance: () => 1e6, internal: (n: number) => n });
    expect(() => runDevs(forever, { stop: NEVER })).toThrow("beyond the last tick");
  });

  it.each([Number.NaN, undefined, null, "5"])("[DE28] %s is not a time to stop at", (stop) => {
    expect(() => runDevs(sender(1, "a"), { stop: stop as number })).toThrow(
      `'stop' is ${String(stop)}; give seconds, or Infinity`,
    );
  });

  it.each([Number.NaN, NEVER, 1e300])("[DE28] %s is not a time to start at", (start) => {
    expect(() => runDevs(sender(1, "a"), { start, stop: 1 })).toThrow(`'start' is ${start}; give`);
  });

  it("[DE23] time that has elapsed before the start counts", () => {
    const late = atomic({
      name: "late",
      outputs: { out: port<number>() },
      initial: 0,
      initialElapsed: 3,
      timeAdvance: () => 5,
      output: (n, send) => send("out", n),
      internal: (n) => n + 1,
    });
    expect(runDevs(late, { stop: 10 }).events.map(({ time }) => time)).toEqual([2, 7]);
  });
});

function twoSteps(first: number, second: number): AtomicModel {
  return atomic({
    outputs: { out: port<string>() },
    initial: 0,
    timeAdvance: (n) => [first, second][n] ?? NEVER,
    output: (n, send) => {
      if (n === 1) send("out", "y");
    },
    internal: (n) => n + 1,
  });
}

describe("cost", () => {
  /** Units that pass a number on to the next, each after whole seconds. */
  function ring(size: number): Component {
    const names = Array.from({ length: size }, (_, i) => `u${i}`);
    const relay = (i: number): AtomicModel =>
      atomic({
        inputs: { in: port<number>() },
        outputs: { out: port<number>() },
        initial: { value: i % 3 === 0 ? 1 : 0 },
        timeAdvance: ({ value }) => (value > 0 ? 1 + (i % 4) : NEVER),
        output: ({ value }, send) => send("out", value),
        internal: (state) => {
          state.value = 0;
        },
        external: (state, input) => {
          state.value = input.has("in") ? 1 : 0;
        },
        confluent: (state, input) => {
          state.value = input.has("in") ? 1 : 0;
        },
      });
    return coupled({
      components: Object.fromEntries(names.map((name, i) => [name, relay(i)])),
      couplings: names.map((name, i) => `${name}.out -> ${names[(i + 1) % size]}.in`),
    });
  }

  it("[DE26] an event allocates nothing", () => {
    const kernel = new Kernel(unwrap(flatten(ring(64))));
    kernel.initialize(0);
    // A step of this ring is several events; eight bytes would be half a boxed number.
    expect(bytesPerCall(() => kernel.step())).toBeLessThan(8);
    let sink: unknown;
    const allocating = bytesPerCall(() => {
      kernel.step();
      sink = [kernel.index];
    });
    expect(allocating).toBeGreaterThan(8);
    expect(sink).toBeDefined();
  });
});
