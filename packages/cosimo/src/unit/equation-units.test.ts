/**
 * Units of equations: the contract on each, known solutions, and what the spec says of units
 * written in TypeScript.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UnitError } from "../base/outcome.ts";
import { DORMAND_PRINCE, RK4, TABLEAUS } from "../numerics/tableau.ts";
import { type FunctionModel, functionUnit } from "./function-unit.ts";
import { type LinearModel, linearUnit } from "./linear-unit.ts";
import { type OdeModel, odeUnit } from "./ode-unit.ts";
import { unitContract } from "./testing/contract.ts";
import type { ContractSubject } from "./testing/contract-subject.ts";
import { advanceTo, getNumber, indexOf, setValues, startUnit } from "./testing/drive.ts";
import { expectNoAllocation } from "./testing/internal/allocation.ts";
import type { Unit } from "./unit.ts";

/** x' = -k x + u from x = 1, y = 2 x + u. */
const DECAY: OdeModel = {
  name: "decay",
  parameters: { k: { start: 2 }, order: { start: 1, variability: "fixed" } },
  inputs: { u: {} },
  states: { x: { start: 1, unit: "m" } },
  outputs: { y: { feedThrough: ["u"] } },
  derivatives: (_t, x, u, p, dx) => {
    dx[0] = -p[0] * x[0] + u[0];
  },
  evaluate: (_t, x, u, _p, y) => {
    y[0] = 2 * x[0] + u[0];
  },
  solver: { method: RK4, step: 0.01 },
};

/** The same with k = 2, solved exactly. */
const LINEAR_DECAY: LinearModel = {
  name: "linear-decay",
  inputs: { u: {} },
  states: { x: { start: 1 } },
  outputs: { y: {} },
  a: [[-2]],
  b: [[1]],
  c: [[2]],
  d: [[1]],
};

const WAVE: FunctionModel = {
  name: "wave",
  parameters: { amplitude: { start: 3 } },
  inputs: { u: {} },
  outputs: { y: {} },
  evaluate: (t, u, p, y) => {
    y[0] = p[0] * Math.sin(t) + 4 * u[0];
  },
};

/** Facts of x' = -2 x + u, y = 2 x + u after 0.1 s steps from 1. */
function decayFacts(open: () => Unit, tolerance: number): ContractSubject {
  const h = 0.1;
  return {
    open,
    start: 1,
    step: h,
    behaviour: { port: "y", at: (t) => 2 * Math.exp(-2 * (t - 1)), tolerance },
    settable: { port: "u", value: 0.5 },
    feedThrough: { input: "u", value: 3, output: "y", expected: 5, tolerance: 0 },
    threshold: {
      port: "y",
      value: 1,
      direction: "falling",
      time: 1 + Math.log(2) / 2,
      timeTolerance: tolerance,
      valueTolerance: 1e-12,
    },
    directional: { unknown: "y", known: "u", value: 1, tolerance: 1e-8 },
    outputDerivative: {
      port: "y",
      at: (t) => -4 * Math.exp(-2 * (t - 1)),
      tolerance: 10 * tolerance,
    },
    inputDerivative: {
      input: "u",
      value: 1,
      slope: 2,
      output: "x",
      // x(h) for u = 1 + 2 t: with k = 2 the particular solution is t, the rest decays.
      expected: h + Math.exp(-2 * h),
      tolerance,
    },
  };
}

unitContract("an ODE unit with RK4", {
  ...decayFacts(() => odeUnit(DECAY), 1e-8),
  fixed: { port: "order", value: 9 },
  values: { k: 2 },
});
unitContract(
  "an ODE unit with error control",
  decayFacts(() => odeUnit({ ...DECAY, solver: { method: DORMAND_PRINCE } }), 2e-6),
);
unitContract(
  "an ODE unit with a Jacobian",
  decayFacts(
    () =>
      odeUnit({
        ...DECAY,
        jacobian: (_t, _x, _u, p, j) => {
          j.set([-p[0], 1, 2, 1]);
        },
      }),
    1e-8,
  ),
);
unitContract(
  "a linear unit",
  decayFacts(() => linearUnit(LINEAR_DECAY), 1e-9),
);

const WAVE_FACTS: ContractSubject = {
  open: () => functionUnit(WAVE),
  step: 0.25,
  behaviour: { port: "y", at: (t) => 3 * Math.sin(t), tolerance: 1e-15 },
  settable: { port: "amplitude", value: 7 },
  feedThrough: { input: "u", value: 2, output: "y", expected: 8, tolerance: 0 },
  directional: { unknown: "y", known: "u", value: 4, tolerance: 1e-8 },
  outputDerivative: { port: "y", at: (t) => 3 * Math.cos(t), tolerance: 1e-8 },
  inputDerivative: {
    input: "u",
    value: 1,
    slope: 2,
    output: "y",
    expected: 3 * Math.sin(0.25) + 6,
    tolerance: 1e-14,
  },
};
unitContract("a function unit", WAVE_FACTS);
unitContract("a function unit with a Jacobian", {
  ...WAVE_FACTS,
  open: () =>
    functionUnit({
      ...WAVE,
      jacobian: (_t, _u, _p, j) => {
        j[0] = 4;
      },
    }),
});

/** x'' = -ω² x, ω = 2 */
const OSCILLATOR: OdeModel = {
  name: "oscillator",
  states: { x: { start: 1 }, v: {} },
  derivatives: (_t, x, _u, _p, dx) => {
    dx[0] = x[1];
    dx[1] = -4 * x[0];
  },
};
const LINEAR_OSCILLATOR: LinearModel = {
  name: "linear-oscillator",
  states: { x: { start: 1 }, v: {} },
  a: [
    [0, 1],
    [-4, 0],
  ],
};

function trajectoryOf(unit: Unit, times: readonly number[]): number[] {
  startUnit(unit);
  return times.map((t, i) => {
    advanceTo(unit, i === 0 ? 0 : times[i - 1], t);
    return getNumber(unit, "x");
  });
}

describe("ODE units", () => {
  it.each(TABLEAUS)("[UN16] follow the oscillator with the order of $name", (method) => {
    const error = (step: number): number => {
      const [x] = trajectoryOf(odeUnit({ ...OSCILLATOR, solver: { method, step } }), [1.5]);
      return Math.abs(x - Math.cos(3));
    };
    // Midpoint and Heun happen to agree on linear systems; the observed order is that of the phase
    // or the amplitude.
    expect(Math.log2(error(0.02) / error(0.01))).toBeGreaterThan(method.order - 0.3);
  });

  it("[UN16] with error control are as accurate as requested", () => {
    const error = (tolerance: number): number => {
      const unit = odeUnit(OSCILLATOR);
      startUnit(unit, { start: 0, tolerance });
      advanceTo(unit, 0, 5);
      return Math.abs(getNumber(unit, "x") - Math.cos(10));
    };
    expect(error(1e-4)).toBeLessThan(1e-2);
    expect(error(1e-9)).toBeLessThan(1e-6);
    expect(error(1e-4)).toBeGreaterThan(error(1e-9));
  });

  it("[UN61] give the same values on the grid however the way there was cut", () => {
    const solver = { method: RK4, step: 0.01 };
    const whole = trajectoryOf(odeUnit({ ...OSCILLATOR, solver }), [1]);
    const grid = Array.from({ length: 100 }, (_, i) => (i + 1) * 0.01);
    fc.assert(
      fc.property(fc.subarray(grid.slice(0, -1)), (times) => {
        const pieces = trajectoryOf(odeUnit({ ...OSCILLATOR, solver }), [...times, 1]);
        expect(pieces.at(-1)).toBe(whole[0]);
      }),
      { seed: 61, numRuns: 40 },
    );
  });

  it("[UN61] a communication point between grid points moves none of the others", () => {
    const derivativeTimes: number[] = [];
    const unit = odeUnit({
      ...OSCILLATOR,
      derivatives: (t, x, _u, _p, dx) => {
        derivativeTimes.push(t);
        dx[0] = x[1];
        dx[1] = -4 * x[0];
      },
      solver: { method: TABLEAUS[0], step: 0.25 },
    });
    startUnit(unit);
    advanceTo(unit, 0, 0.3);
    advanceTo(unit, 0.3, 1);
    expect(derivativeTimes).toEqual([0, 0.25, 0.3, 0.5, 0.75]);
  });

  it("[UN22] stops at the earliest of several thresholds, forwards and backwards", () => {
    const unit = odeUnit({ ...OSCILLATOR, solver: { method: RK4, step: 0.01 } });
    startUnit(unit);
    const x = indexOf(unit, "x");
    const v = indexOf(unit, "v");
    const stops: string[] = [];
    let from = 0;
    while (from < 3) {
      const { reason, port, time } = unit.advance(from, {
        kind: "or",
        any: [
          { kind: "threshold", port: x, value: 0, direction: "any" },
          { kind: "threshold", port: v, value: 0, direction: "rising" },
          { kind: "time", time: 3 },
        ],
      });
      stops.push(`${reason} ${port} ${time.toFixed(6)}`);
      from = time;
    }
    // x = cos 2t crosses 0 at π/4 and 3π/4; v = -2 sin 2t rises through 0 at π/2.
    expect(stops).toEqual([
      `threshold ${x} ${(Math.PI / 4).toFixed(6)}`,
      `threshold ${v} ${(Math.PI / 2).toFixed(6)}`,
      `threshold ${x} ${((3 * Math.PI) / 4).toFixed(6)}`,
      "time -1 3.000000",
    ]);
  });

  it("[UN22] a stop inside a micro-step leaves the grid where it was", () => {
    const times: number[] = [];
    const unit = odeUnit({
      ...DECAY,
      derivatives: (t, x, _u, _p, dx) => {
        times.push(t);
        dx[0] = -x[0];
      },
      solver: { method: TABLEAUS[0], step: 0.25 },
    });
    startUnit(unit);
    const port = indexOf(unit, "x");
    const stop = unit.advance(0, {
      kind: "or",
      any: [
        { kind: "time", time: 1 },
        { kind: "threshold", port, value: 0.9, direction: "falling" },
      ],
    });
    expect(stop).toMatchObject({ reason: "threshold", port });
    const { time } = stop;
    times.length = 0;
    advanceTo(unit, time, 1);
    expect(times).toEqual([time, 0.25, 0.5, 0.75]);
  });

  it("[UN30] let the start value of a state be set, until the first step", () => {
    const unit = odeUnit(DECAY);
    startUnit(unit, { start: 0 }, { x: 4 });
    expect(getNumber(unit, "y")).toBe(8);
    expect(() => setValues(unit, { x: 1 })).toThrow("'x'");
  });

  it("[UN50] differentiate with respect to states and parameters, with and without a Jacobian", () => {
    const exact = odeUnit({ ...DECAY, jacobian: (_t, _x, _u, p, j) => j.set([-p[0], 1, 2, 1]) });
    for (const unit of [odeUnit(DECAY), exact]) {
      startUnit(unit);
      const rows = ["y", "der(x)"].map((name) => indexOf(unit, name));
      const out = new Float64Array(2);
      unit.directionalDerivative(rows, [indexOf(unit, "x")], Float64Array.of(1), out);
      expect(out[0]).toBeCloseTo(2, 8);
      expect(out[1]).toBeCloseTo(-2, 8);
      unit.directionalDerivative(rows, [indexOf(unit, "k")], Float64Array.of(1), out);
      expect(out[1]).toBeCloseTo(-1, 8);
      const seed = Float64Array.of(3, 5);
      unit.adjointDerivative(rows, [indexOf(unit, "x"), indexOf(unit, "u")], seed, out);
      expect(out[0]).toBeCloseTo(3 * 2 - 5 * 2, 7);
      expect(out[1]).toBeCloseTo(3 + 5, 7);
    }
  });

  it("[UN2] say what is wrong with a model before it runs", () => {
    expect(() => odeUnit({ ...DECAY, solver: { method: RK4 } })).toThrow("error control");
    expect(() => odeUnit({ ...DECAY, solver: { method: RK4, step: 0 } })).toThrow("greater than 0");
    expect(() => odeUnit({ ...DECAY, outputs: { y: { feedThrough: ["w"] } } })).toThrow("'w'");
    expect(() => odeUnit({ ...DECAY, inputs: { x: {} } })).toThrow("two ports 'x'");
    expect(() => odeUnit({ ...DECAY, inputs: { u: { type: "string" } } })).toThrow("'u'");
  });

  it("fail with a UnitError when the solution blows up", () => {
    const explode: OdeModel = {
      name: "explode",
      states: { x: { start: 1 } },
      derivatives: (_t, x, _u, _p, dx) => {
        dx[0] = x[0] * x[0];
      },
    };
    for (const solver of [{ method: RK4, step: 0.01 }, { method: DORMAND_PRINCE }]) {
      const unit = odeUnit({ ...explode, solver });
      startUnit(unit);
      expect(() => advanceTo(unit, 0, 3)).toThrow(UnitError);
    }
  });
});

describe("linear units", () => {
  it("[UN16] are exact for steps of any size", () => {
    const times = [0.1, 0.2, 1, 7.3, 1000];
    trajectoryOf(linearUnit(LINEAR_OSCILLATOR), times).forEach((x, i) => {
      expect(Math.abs(x - Math.cos(2 * times[i]))).toBeLessThan(1e-11);
    });
  });

  it("[UN61] do not drift over many steps whose sizes carry rounding", () => {
    const unit = linearUnit(LINEAR_OSCILLATOR);
    startUnit(unit);
    for (let i = 0; i < 100_000; i++)
      unit.advance(i * 0.01, { kind: "time", time: (i + 1) * 0.01 });
    expect(Math.abs(getNumber(unit, "x") - Math.cos(2000))).toBeLessThan(1e-9);
  });

  it("[UN13] reach the same state however the way there was cut", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.integer({ min: 1, max: 999 }), { maxLength: 12 }),
        (milliseconds) => {
          const times = [...milliseconds].sort((a, b) => a - b).map((ms) => ms / 1000);
          const last = trajectoryOf(linearUnit(LINEAR_OSCILLATOR), [...times, 1]).at(-1)!;
          expect(Math.abs(last - Math.cos(2))).toBeLessThan(1e-13);
        },
      ),
      { seed: 13, numRuns: 100 },
    );
  });

  it("[UN35] know their feed-through from D", () => {
    const { ports } = linearUnit({ ...LINEAR_DECAY, outputs: { y: {} }, d: [[0]] }).description;
    expect(ports.find(({ name }) => name === "y")?.feedThrough).toEqual([]);
    const through = linearUnit(LINEAR_DECAY).description.ports;
    expect(through.find(({ name }) => name === "y")?.feedThrough).toEqual([0]);
  });

  it("say which matrix has the wrong size, and when the solution overflows", () => {
    expect(() => linearUnit({ ...LINEAR_DECAY, b: [[1, 2]] })).toThrow("matrix b must have 1 rows");
    const unit = linearUnit({ name: "grow", states: { x: { start: 1 } }, a: [[1e4]] });
    startUnit(unit);
    expect(() => advanceTo(unit, 0, 1)).toThrow(UnitError);
  });
});

describe("all units of equations", () => {
  const OPEN: [string, () => Unit][] = [
    ["ODE, RK4", () => odeUnit({ ...DECAY, solver: { method: RK4, step: 0.125 } })],
    ["ODE, error control", () => odeUnit({ ...DECAY, solver: { method: DORMAND_PRINCE } })],
    ["linear", () => linearUnit(LINEAR_DECAY)],
    ["function", () => functionUnit(WAVE)],
  ];

  it.each(OPEN)("[UN65] save and restore anywhere change nothing: %s", (_, open) => {
    const steps = fc.array(
      fc.record({ h: fc.integer({ min: 1, max: 50 }), u: fc.integer({ min: -3, max: 3 }) }),
      { minLength: 1, maxLength: 8 },
    );
    fc.assert(
      fc.property(steps, fc.nat(7), fc.integer({ min: 1, max: 40 }), (pieces, where, detour) => {
        const run = (rollback: boolean): number[] => {
          const unit = open();
          startUnit(unit);
          let ms = 0;
          return pieces.map(({ h, u }, i) => {
            setValues(unit, { u });
            if (rollback && i === where % pieces.length) {
              const snapshot = unit.save();
              advanceTo(unit, ms / 1000, (ms + detour) / 1000);
              setValues(unit, { u: u + 1 });
              advanceTo(unit, (ms + detour) / 1000, (ms + 3 * detour) / 1000);
              unit.restore(snapshot);
            }
            advanceTo(unit, ms / 1000, (ms + h) / 1000);
            ms += h;
            return getNumber(unit, "y");
          });
        };
        expect(run(true)).toEqual(run(false));
      }),
      { seed: 65, numRuns: 60 },
    );
  });

  it.each(OPEN)("[UN60] advance, read and write allocate nothing: %s", (_, open) => {
    // One advance calls the model up to a dozen times, and the JavaScript engine may box the time
    // that it passes (12–16 bytes).
    expectNoAllocation(open(), { input: "u", output: "y", step: 0.125 }, 240);
  });
});
