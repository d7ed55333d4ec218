/**
 * Quantized-state systems against closed solutions: published error bounds, how events multiply
 * with smaller quanta, inputs and crossings.
 */
import { describe, expect, it } from "vitest";
import { type OdeModel, odeUnit } from "../../unit/ode-unit.ts";
import { unitContract } from "../../unit/testing/contract.ts";
import { devsUnit } from "../devs-unit.ts";
import { atomic, coupled, port, signal } from "../model.ts";
import { type DevsEvent, runDevs } from "../run-devs.ts";
import { qss } from "./qss.ts";

/** x' = A x. */
function linear(a: readonly (readonly number[])[], start: readonly number[]): OdeModel {
  return {
    name: "linear",
    states: Object.fromEntries(start.map((value, i) => [`x${i}`, { start: value }])),
    derivatives: (_t, x, _u, _p, out) => {
      for (const [i, row] of a.entries()) out[i] = row.reduce((sum, v, j) => sum + v * x[j]!, 0);
    },
  };
}

/** x' = -a x + u. */
const LAG: OdeModel = {
  name: "lag",
  inputs: { u: {} },
  parameters: { a: { start: 2 } },
  states: { x: { start: 1 } },
  derivatives: (_t, x, u, p, out) => {
    out[0] = u[0]! - p[0]! * x[0]!;
  },
};

interface Sample {
  readonly time: number;
  readonly port: string;
  readonly value: number;
}
const samples = (events: readonly DevsEvent[]): Sample[] =>
  events.map(({ time, port: name, value }) => ({ time, port: name, value: Number(value) }));

/**
 * The trajectory of a state, from its events: value and, with QSS2, slope. Its state follows it to
 * ΔQ.
 */
function trajectory(events: readonly DevsEvent[], state: string): (t: number) => number {
  const values = samples(events).filter((one) => one.port === state);
  const slopes = samples(events).filter((one) => one.port === `der(${state})`);
  return (t) => {
    let k = values.length - 1;
    while (k > 0 && values[k]!.time > t) k--;
    return values[k]!.value + (slopes[k]?.value ?? 0) * (t - values[k]!.time);
  };
}

/** Half a tick of time is a rounding of events. */
const TICK = 1e-9;

describe("numbers of quantized states", () => {
  it("[QS1] an event is where a state is a quantum away from its quantized value", () => {
    // x' = 2, from 0 in quanta of 1/2: an event every quarter of a second.
    const ramp: OdeModel = {
      name: "ramp",
      states: { x: {} },
      derivatives: (_t, _x, _u, _p, out) => {
        out[0] = 2;
      },
    };
    const { events } = runDevs(qss(ramp, { quantum: 0.5, order: 1 }), { stop: 1 });
    expect(samples(events)).toEqual(
      [0, 1, 2, 3, 4].map((k) => ({ time: k / 4, port: "x", value: k / 2 })),
    );
    // QSS2 knows the slope, and has nothing more to say.
    const second = runDevs(qss(ramp, { quantum: 0.5 }), { stop: 1 });
    expect(samples(second.events).map(({ time, port: name }) => [time, name])).toEqual([
      [0, "x"],
      [0, "der(x)"],
    ]);
  });

  it("[QS2] QSS2 has an event where a parabola leaves its tangent by a quantum", () => {
    // x' = v, v' = -10: v is a line, which QSS2 follows; x leaves its tangent by 5 τ².
    const fall = linear(
      [
        [0, 1],
        [0, 0],
      ],
      [3, 0],
    );
    const model: OdeModel = {
      ...fall,
      derivatives: (_t, x, _u, _p, out) => {
        out[0] = x[1]!;
        out[1] = -10;
      },
    };
    const { events } = runDevs(qss(model, { quantum: { x0: 0.2, x1: 1 } }), { stop: 1 });
    const heights = samples(events).filter((one) => one.port === "x0");
    const interval = Math.sqrt(0.2 / 5);
    heights.forEach(({ time, value }, k) => {
      expect(time).toBeCloseTo(k * interval, 8);
      expect(value).toBeCloseTo(3 - 5 * time * time, 8);
    });
    expect(heights.length).toBe(1 + Math.floor(1 / interval + 1e-9));
  });
});

describe("errors", () => {
  /** Systems with their closed solutions and |V| |Re(Λ)⁻¹ Λ| |V⁻¹|, by hand. */
  const damping = 0.3;
  const frequency = 2;
  const cases = [
    {
      name: "one eigenvalue",
      a: [[-2]],
      start: [1],
      exact: (t: number) => [Math.exp(-2 * t)],
      bound: [[1]],
    },
    {
      name: "real eigenvalues -1, -2",
      a: [
        [0, 1],
        [-2, -3],
      ],
      start: [1, 0],
      exact: (t: number) => [
        2 * Math.exp(-t) - Math.exp(-2 * t),
        2 * Math.exp(-2 * t) - 2 * Math.exp(-t),
      ],
      // V = [1 1; -1 -2], V⁻¹ = [2 1; -1 -1].
      bound: [
        [3, 2],
        [4, 3],
      ],
    },
    {
      name: "complex eigenvalues",
      a: [
        [-damping, -frequency],
        [frequency, -damping],
      ],
      start: [1, 0],
      exact: (t: number) => [
        Math.exp(-damping * t) * Math.cos(frequency * t),
        Math.exp(-damping * t) * Math.sin(frequency * t),
      ],
      // |V| |V⁻¹| = [1 1; 1 1] for V = [1 1; -i i] / √2.
      bound: [
        [1, 1],
        [1, 1],
      ].map((row) => row.map((v) => (v * Math.hypot(damping, frequency)) / damping)),
    },
  ];
  const orders = [1, 2] as const;
  const table = cases.flatMap((one) =>
    orders.flatMap((order) => [0.1, 0.01, 0.001].map((quantum) => ({ ...one, order, quantum }))),
  );

  it.each(table)("[QS3] of QSS$order are bounded: $name, quantum $quantum", (row) => {
    const { a, start, exact, bound, order, quantum } = row;
    const { events } = runDevs(qss(linear(a, start), { quantum, order }), { stop: 10 });
    start.forEach((_, i) => {
      const limit = bound[i]!.reduce((sum, factor) => sum + factor * quantum, 0);
      const follow = trajectory(events, `x${i}`);
      let worst = 0;
      for (let k = 0; k <= 2000; k++) {
        const t = (k * 10) / 2000;
        worst = Math.max(worst, Math.abs(follow(t) - exact(t)[i]!));
      }
      // The quantized state is up to a quantum from the state, the state up to the bound from the
      // solution.
      expect(worst).toBeLessThanOrEqual(limit + quantum + 10 * TICK);
      // At its events a state is sent as it is.
      for (const { time, value } of samples(events).filter((one) => one.port === `x${i}`))
        expect(Math.abs(value - exact(time)[i]!)).toBeLessThanOrEqual(limit + 10 * TICK);
    });
  });

  it("[QS3] a bound that is not published would be missed: half of it is too little", () => {
    // The error comes close to its bound, so that the test above can fail.
    const { a, start, exact, bound } = cases[0]!;
    const { events } = runDevs(qss(linear(a, start), { quantum: 0.1, order: 1 }), { stop: 10 });
    const follow = trajectory(events, "x0");
    const errors = Array.from({ length: 2001 }, (_, k) =>
      Math.abs(follow(k / 200) - exact(k / 200)[0]!),
    );
    expect(Math.max(...errors)).toBeGreaterThan(0.5 * bound[0]![0]! * 0.1);
  });

  it.each([
    { order: 1, exponent: 1 },
    { order: 2, exponent: 0.5 },
  ] as const)("[QS4] QSS$order has ∝ ΔQ^-$exponent events", ({ order, exponent }) => {
    const { a, start } = cases[2]!;
    const count = (quantum: number): number =>
      runDevs(qss(linear(a, start), { quantum, order }), { stop: 3 }).events.length;
    const [coarse, fine] = [1e-2, 1e-4];
    const observed = Math.log(count(fine) / count(coarse)) / Math.log(coarse / fine);
    expect(observed).toBeGreaterThan(exponent - 0.08);
    expect(observed).toBeLessThan(exponent + 0.08);
  });
});

describe("inputs, outputs and crossings", () => {
  it("[QS5] inputs hold what arrives, exactly from its instant on", () => {
    const quantum = 1e-5;
    const inputs = [
      { time: 0.3, port: "u", value: 4 },
      { time: 1.1, port: "u", value: -1 },
    ];
    const { events } = runDevs(qss(LAG, { quantum, parameters: { a: 3 } }), { stop: 2, inputs });
    const follow = trajectory(events, "x");
    const part = (x: number, u: number, t: number): number =>
      u / 3 + (x - u / 3) * Math.exp(-3 * t);
    const exact = (t: number): number => {
      if (t < 0.3) return part(1, 0, t);
      if (t < 1.1) return part(part(1, 0, 0.3), 4, t - 0.3);
      return part(part(part(1, 0, 0.3), 4, 0.8), -1, t - 1.1);
    };
    for (let k = 0; k <= 200; k++)
      expect(Math.abs(follow(k / 100) - exact(k / 100))).toBeLessThan(2 * quantum + 10 * TICK);
  });

  it("[QS6] outputs are those of quantized states and inputs, and sent when they change", () => {
    const model: OdeModel = {
      ...LAG,
      outputs: { twice: {}, sum: {} },
      evaluate: (_t, x, u, _p, y) => {
        y[0] = 2 * x[0]!;
        y[1] = x[0]! + u[0]!;
      },
    };
    const inputs = [{ time: 0.5, port: "u", value: 3 }];
    const { events } = runDevs(qss(model, { quantum: 0.1, order: 1 }), { stop: 1, inputs });
    const found = samples(events);
    const xs = found.filter((one) => one.port === "x");
    const twice = found.filter((one) => one.port === "twice");
    expect(twice).toEqual(xs.map((one) => ({ ...one, port: "twice", value: 2 * one.value })));
    // The input acts on the sum at once, and on nothing else.
    const at = found.filter((one) => one.time === 0.5);
    const before = xs.filter((one) => one.time < 0.5).at(-1)!.value;
    expect(at).toEqual([{ time: 0.5, port: "sum", value: before + 3 }]);
  });

  it("[QS7] crossings occur where the state reaches the level, once per crossing", () => {
    const oscillator = linear(
      [
        [0, -1],
        [1, 0],
      ],
      [1, 0],
    );
    const crossings = {
      up: { of: "x1", level: 0.5, direction: "rising" },
      down: { of: "x1", level: 0.5, direction: "falling" },
      both: { of: "x1", level: 0.5 },
    } as const;
    const quantum = 1e-6;
    const { events } = runDevs(qss(oscillator, { quantum, crossings }), { stop: 12 });
    const times = (name: string): number[] =>
      samples(events).flatMap((one) => (one.port === name ? [one.time] : []));
    const rising = [Math.PI / 6, (13 * Math.PI) / 6];
    const falling = [(5 * Math.PI) / 6, (17 * Math.PI) / 6];
    const all = [...rising, ...falling].sort((a, b) => a - b);
    expect(times("up").length).toBe(2);
    for (const [name, expected] of [
      ["up", rising],
      ["down", falling],
      ["both", all],
    ] as const) {
      expect(times(name).length).toBe(expected.length);
      // An oscillator without damping has no bound; its error grows by at most a quantum a radian
      // per state.
      for (const [k, time] of times(name).entries())
        expect(Math.abs(time - expected[k]!)).toBeLessThan(
          (2 * quantum * 12) / Math.cos(Math.PI / 6),
        );
    }
  });

  it("[QS8] derivatives that depend on time are evaluated again after its quantum", () => {
    const model: OdeModel = {
      name: "forced",
      states: { x: {} },
      derivatives: (t, _x, _u, _p, out) => {
        out[0] = Math.cos(t);
      },
    };
    const options = { quantum: 1e-4, timeQuantum: 1e-2 };
    const { events } = runDevs(qss(model, options), { stop: 6 });
    const follow = trajectory(events, "x");
    // x'' is constant over a time quantum: an error of at most τ³/6 each, beside the quantum.
    const limit = options.quantum + (6 / 1e-2) * (1e-6 / 6);
    for (let k = 0; k <= 60; k++)
      expect(Math.abs(follow(k / 10) - Math.sin(k / 10))).toBeLessThan(limit);
  });

  it("[QS9] agrees with the same equations as a continuous unit", () => {
    const model = linear(
      [
        [0, 1],
        [-2, -3],
      ],
      [1, 0],
    );
    const unit = odeUnit(model);
    unit.enterInitialization({ start: 0, tolerance: 1e-10 });
    unit.exitInitialization();
    unit.advance(0, { kind: "time", time: 2 });
    const banks = { f64: new Float64Array(2), i64: new BigInt64Array(0), obj: [] };
    unit.read(
      unit.bind([
        { port: 0, slot: 0 },
        { port: 1, slot: 1 },
      ]),
      banks,
    );
    const { events } = runDevs(qss(model, { quantum: 1e-7 }), { stop: 2 });
    [0, 1].forEach((i) => {
      const follow = trajectory(events, `x${i}`);
      expect(Math.abs(follow(2) - banks.f64[i]!)).toBeLessThan(8 * 1e-7 + 10 * TICK);
    });
  });

  it("[QS9] is a component like any other: a controller switches it at its crossings", () => {
    // AX-7 with a = 0.1: ln(10/9) / a, then ln(21/19) / a and ln(11/9) / a in turn.
    const room: OdeModel = {
      name: "room",
      inputs: { q: { start: 1 } },
      states: { x: { start: 20 } },
      derivatives: (_t, x, u, _p, out) => {
        out[0] = -0.1 * (x[0]! - 30 * u[0]!);
      },
    };
    const controller = atomic({
      inputs: { hot: signal(), cold: signal() },
      outputs: { q: port<number>() },
      initial: { q: 1, isNew: false },
      timeAdvance: ({ isNew }) => (isNew ? 0 : Number.POSITIVE_INFINITY),
      output: ({ q }, send) => send("q", q),
      internal: ({ q }) => ({ q, isNew: false }),
      external: (_state, input) => ({ q: input.has("hot") ? 0 : 1, isNew: true }),
    });
    const quantum = 1e-6;
    const model = coupled({
      outputs: { q: port<number>() },
      components: {
        room: qss(room, {
          quantum,
          crossings: {
            hot: { of: "x", level: 21, direction: "rising" },
            cold: { of: "x", level: 19, direction: "falling" },
          },
        }),
        controller,
      },
      couplings: [
        "room.hot -> controller.hot",
        "room.cold -> controller.cold",
        "controller.q -> room.q",
        "controller.q -> q",
      ],
    });
    const { events } = runDevs(model, { stop: 30 });
    const [first, off, on] = [10 / 9, 21 / 19, 11 / 9].map((ratio) => Math.log(ratio) / 0.1);
    let expected = first!;
    events.forEach(({ time, value }, k) => {
      expect(value).toBe(k % 2);
      // At every crossing the temperature is wrong by at most the quantum, at a speed of at least
      // 0.9; errors of phases add up.
      expect(Math.abs(time - expected)).toBeLessThan(((k + 1) * 2 * quantum) / 0.9);
      expected += k % 2 === 0 ? off! : on!;
    });
    expect(events.length).toBe(20);
  });
});

describe("mistakes", () => {
  it.each([
    [{ quantum: 0 }, "the quantum of 'x' is 0"],
    [{ quantum: {} }, "the quantum of 'x' is undefined"],
    [{ quantum: { y: 1 } }, "there is no state 'y'; it has x"],
    [{ quantum: 1, parameters: { b: 1 } }, "there is no parameter 'b'"],
    [{ quantum: 1, crossings: { c: { of: "u", level: 1 } } }, "there is no state 'u'"],
    [{ quantum: 1, timeQuantum: 0 }, "timeQuantum is 0"],
  ])("[QS10] %j: %s", (options, message) => {
    expect(() => qss(LAG, options as Parameters<typeof qss>[1])).toThrow(message);
  });
});

/** The first event after the start: x' = -2, x'' = 4. */
function first(order: 1 | 2): { port: string; time: number; timeTolerance: number } {
  const time = order === 1 ? 0.01 / 2 : Math.sqrt((2 * 0.01) / 4);
  return { port: "x", time, timeTolerance: TICK };
}

describe("[QS11] as units", () => {
  for (const order of [1, 2] as const)
    for (const eventMode of [true, false])
      unitContract(`QSS${order} ${eventMode ? "with" : "without"} event mode`, {
        open: () => devsUnit(qss(LAG, { quantum: 0.01, order }), { eventMode }),
        step: 0.1,
        settable: { port: "u", value: 3 },
        behaviour: {
          port: "x",
          at: (t) => Math.exp(-2 * t),
          // A quantum of the state, and what the state moves before its next event: with QSS2 √(2
          // ΔQ |x'|² / |x''|).
          tolerance: 0.01 + (order === 1 ? 0.01 : Math.sqrt(2 * 0.01)),
        },
        // Without event mode the values of the start are an event of the first step.
        event: eventMode ? first(order) : { port: "x", time: 0, timeTolerance: 0 },
        updated: first(order),
      });
});
