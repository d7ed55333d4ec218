/**
 * What integrating units do beyond the contract: events of every kind, inputs that move, steps that
 * the model refuses, snapshots from outside.
 */
import { describe, expect, it } from "vitest";
import { UnitError } from "../base/outcome.ts";
import {
  advanceTo,
  failureOf,
  getNumber,
  settleEvents,
  setValues,
  startUnit,
} from "../unit/testing/drive.ts";
import { CapabilityError, type Unit } from "../unit/unit.ts";
import { integratingUnit } from "./integrating-unit.ts";
import { type PlainModel, type PlainOde, plainOde } from "./testing/plain-ode.ts";

/** x' = u. */
const INTEGRATOR: PlainModel = {
  name: "integrator",
  inputs: { u: {} },
  states: { x: {} },
  evaluate: ({ u, dx }) => {
    dx[0] = u[0];
  },
};

function started(model: PlainModel, options: Parameters<typeof integratingUnit>[1] = {}) {
  const ode = plainOde(model);
  const unit = integratingUnit(ode, options);
  startUnit(unit);
  return { ode, unit };
}

/** The stops on the way from 0 to `end`, as "reason time". */
function stops(unit: Unit, end: number): [string, number][] {
  const found: [string, number][] = [];
  for (let at = 0; at < end; ) {
    const { reason, time } = unit.advance(at, { kind: "time", time: end });
    found.push([reason, time]);
    if (reason === "terminated") break;
    if (reason === "event") settleEvents(unit);
    at = time;
  }
  return found;
}

describe("state events", () => {
  /** x' = 1, and an event where `indicator` of x changes its sign. */
  const ramp = (indicator: (x: number) => number): PlainModel => ({
    name: "ramp",
    states: { x: {} },
    indicators: 1,
    evaluate: ({ x, dx, z }) => {
      dx[0] = 1;
      z[0] = indicator(x[0]);
    },
  });

  it("[ME2] are located where the indicator has changed its sign, to the rounding of time", () => {
    const { unit } = started(ramp((x) => Math.cos(x)));
    const times = stops(unit, 10).filter(([reason]) => reason === "event");
    expect(times.length).toBe(3);
    times.forEach(([, time], i) => {
      const exact = Math.PI * (i + 0.5);
      expect(time).toBeGreaterThanOrEqual(exact - 4e-15);
      expect(time - exact).toBeLessThan(1e-12);
    });
  });

  it("[ME2] two crossings inside one step do not go unnoticed", () => {
    const { unit } = started(ramp((x) => (x - 0.3) ** 2 - 1e-4));
    const events = stops(unit, 1).filter(([reason]) => reason === "event");
    expect(events.map(([, time]) => time)).toEqual([
      expect.closeTo(0.29, 9),
      expect.closeTo(0.31, 9),
    ]);
  });

  it("[ME2] an indicator at 0 belongs to those below: leaving it upwards is an event", () => {
    const { unit } = started(ramp((x) => x));
    const [[reason, time]] = stops(unit, 1);
    expect(reason).toBe("event");
    expect(time).toBeLessThan(1e-12);
  });

  it("[ME8] an input that jumps across the zero of an indicator is an event at that instant", () => {
    const { unit } = started({
      ...INTEGRATOR,
      indicators: 1,
      evaluate: ({ u, dx, z }) => {
        dx[0] = u[0];
        z[0] = u[0] - 0.5;
      },
    });
    advanceTo(unit, 0, 1);
    setValues(unit, { u: 1 });
    expect(unit.advance(1, { kind: "time", time: 2 })).toMatchObject({ reason: "event", time: 1 });
    settleEvents(unit);
    expect(unit.advance(1, { kind: "time", time: 2 })).toMatchObject({ reason: "time", time: 2 });
    expect(getNumber(unit, "x")).toBeCloseTo(1, 12);
  });

  it("[ME11] that come ever faster end the run instead of hanging it", () => {
    const ball: PlainModel = {
      name: "ball",
      states: { h: { start: 1 }, v: {} },
      indicators: 1,
      evaluate: ({ x, dx, z }) => {
        dx[0] = x[1];
        dx[1] = -9.81;
        z[0] = x[0];
      },
      update: ({ x }) => {
        if (x[0] > 0 || x[1] >= 0) return {};
        x[0] = 0;
        x[1] *= -0.5;
        return { statesChanged: true };
      },
    };
    const { unit } = started(ball);
    const failure = failureOf(() => stops(unit, 3));
    expect(failure.status).toContain("events at one instant");
    expect(failure.unit).toBe("ball");
    // √(2/g) (1 + 2 (e + e² + …)) with e = 1/2
    expect(failure.time).toBeCloseTo(3 * Math.sqrt(2 / 9.81), 6);
  });
});

describe("other events", () => {
  it("[ME3] time events happen at exactly their time, and are asked for again after each", () => {
    const { unit } = started({
      ...INTEGRATOR,
      discrete: [0],
      evaluate: ({ dx, d }) => {
        dx[0] = d[0];
      },
      update: ({ t, d }) => {
        d[0] = Math.round(t / 0.3);
        return { nextEventTime: (d[0] + 1) * 0.3 };
      },
    });
    const times = stops(unit, 1).map(([reason, time]) => `${reason} ${time}`);
    expect(times).toEqual([`event ${0.3}`, `event ${2 * 0.3}`, `event ${3 * 0.3}`, "time 1"]);
    expect(getNumber(unit, "x")).toBeCloseTo(0.3 * (1 + 2) + 3 * 0.1, 12);
  });

  it("[ME4] the end of each accepted step is announced, once, and may ask for an event or the end", () => {
    let ends: number[] = [];
    const { unit, ode } = started({
      ...INTEGRATOR,
      complete: ({ t }) => {
        ends.push(t);
        return t >= 2 ? "terminate" : t > 1 && t < 1.5 ? "event" : "go-on";
      },
    });
    expect(unit.advance(0, { kind: "time", time: 1 }).reason).toBe("time");
    expect(ends).toEqual([...ends].sort((a, b) => a - b));
    expect(new Set(ends).size).toBe(ends.length);
    expect(ends.at(-1)).toBe(1);
    expect(unit.advance(1, { kind: "time", time: 1.25 })).toMatchObject({ reason: "event" });
    settleEvents(unit);
    ends = [];
    const from = (ode as PlainOde).calls.get("completeStep")!;
    expect(from).toBeGreaterThan(0);
  });

  it("[ME4] is not announced to models that do not want it", () => {
    const { unit, ode } = started(INTEGRATOR);
    advanceTo(unit, 0, 1);
    expect(ode.calls.get("completeStep")).toBeUndefined();
  });

  it("[ME5] states and nominal values are read again after an event", () => {
    let nominal = 1;
    const ode = plainOde({
      ...INTEGRATOR,
      indicators: 1,
      evaluate: ({ t, dx, z }) => {
        dx[0] = 0;
        z[0] = t - 1;
      },
      update: ({ t, x }) => {
        if (t < 1) return {};
        x[0] = 7;
        nominal = 100;
        return { statesChanged: true, nominalsChanged: true };
      },
    });
    let asked = 0;
    const getNominals = (nominals: Float64Array): void => {
      asked++;
      nominals.fill(nominal);
    };
    Object.defineProperty(ode, "getNominals", { value: getNominals });
    const unit = integratingUnit(ode);
    startUnit(unit);
    expect(asked).toBe(1);
    advanceTo(unit, 0, 2);
    expect(asked).toBe(2);
    expect(getNumber(unit, "x")).toBe(7);
  });

  it("[ME7] a discrete input that changes between steps is an event, one that does not is none", () => {
    const { unit, ode } = started({
      ...INTEGRATOR,
      inputs: { u: {}, mode: { variability: "discrete" } },
      evaluate: ({ u, dx }) => {
        dx[0] = u[1];
      },
    });
    const before = ode.calls.get("enterEventMode") ?? 0;
    setValues(unit, { mode: 0 });
    expect(ode.calls.get("enterEventMode") ?? 0).toBe(before);
    setValues(unit, { mode: 2 });
    expect(ode.calls.get("enterEventMode")).toBe(before + 1);
    expect(unit.phase).toBe("step");
    advanceTo(unit, 0, 1);
    expect(getNumber(unit, "x")).toBeCloseTo(2, 12);
  });

  it("[ME6] a model without states has events of time alone", () => {
    const { unit } = started({
      name: "clockwork",
      states: {},
      outputs: { y: {} },
      indicators: 1,
      evaluate: ({ t, y, z }) => {
        y[0] = Math.sin(t);
        z[0] = y[0];
      },
    });
    const times = stops(unit, 7).filter(([reason]) => reason === "event");
    expect(times.map(([, time]) => time).slice(1)).toEqual([
      expect.closeTo(Math.PI, 12),
      expect.closeTo(2 * Math.PI, 12),
    ]);
  });
});

describe("inputs that move", () => {
  it.each(["dormand-prince", "radau"] as const)(
    "[ME8] are followed inside the step by %s",
    (method) => {
      const { unit } = started(INTEGRATOR, { method });
      setValues(unit, { u: 1 });
      unit.setInputDerivatives([0, 0], [1, 2], Float64Array.of(2, 6));
      advanceTo(unit, 0, 1);
      // ∫ 1 + 2t + 3t² = t + t² + t³
      expect(getNumber(unit, "x")).toBeCloseTo(3, 9);
      expect(getNumber(unit, "u")).toBeCloseTo(6, 12);
      advanceTo(unit, 1, 2);
      expect(getNumber(unit, "x")).toBeCloseTo(2 + 4 + 8, 9);
    },
  );

  it("[ME8] take derivatives up to the second order, of continuous inputs only", () => {
    const { unit } = started({ ...INTEGRATOR, inputs: { u: {}, n: { variability: "discrete" } } });
    expect(() => unit.setInputDerivatives([0], [3], Float64Array.of(1))).toThrow(CapabilityError);
    expect(() => unit.setInputDerivatives([1], [1], Float64Array.of(1))).toThrow("'n'");
  });
});

describe("steps", () => {
  it("[ME10] that the model refuses to evaluate are repeated with smaller ones", () => {
    let refused = 0;
    const { unit } = started({
      name: "touchy",
      states: { x: {} },
      // x' = 1, from a model whose own equations are solved by iterations that fail now and then.
      evaluate: ({ dx, t }) => {
        if (t > 0.5 && refused < 3) {
          refused++;
          throw new UnitError({
            unit: "touchy",
            call: "f",
            status: "fmi2Discard",
            time: t,
            log: [],
          });
        }
        dx[0] = 1;
      },
    });
    advanceTo(unit, 0, 1);
    expect(getNumber(unit, "x")).toBeCloseTo(1, 12);
    expect(refused).toBe(3);
  });

  it("[ME10] of zero size fail with the time, the method and advice", () => {
    const { unit } = started({
      name: "pole",
      states: { x: { start: 1 } },
      evaluate: ({ x, dx }) => {
        dx[0] = x[0] * x[0];
      },
    });
    const failure = failureOf(() => advanceTo(unit, 0, 2));
    expect(failure.status).toContain("fell to zero");
    expect(failure.time).toBeCloseTo(1, 6);
    expect(failure.log.join()).toContain("method");
  });

  it("[ME12] keep the tolerance that the unit, then the experiment, then the default asks for", () => {
    const circle: PlainModel = {
      name: "circle",
      states: { x: { start: 1 }, y: {} },
      evaluate: ({ x, dx }) => {
        dx[0] = -x[1];
        dx[1] = x[0];
      },
    };
    const error = (tolerance: number | undefined, experiment: number | undefined): number => {
      const unit = integratingUnit(plainOde(circle), tolerance === undefined ? {} : { tolerance });
      startUnit(unit, { start: 0, ...(experiment !== undefined && { tolerance: experiment }) });
      advanceTo(unit, 0, 10);
      return Math.abs(getNumber(unit, "x") - Math.cos(10));
    };
    const byDefault = error(undefined, undefined);
    expect(byDefault).toBeLessThan(1e-4);
    expect(error(undefined, 1e-10)).toBeLessThan(1e-8);
    expect(error(1e-10, 1e-3)).toBe(error(1e-10, undefined));
    expect(error(1e-3, 1e-10)).toBeGreaterThan(byDefault);
  });

  it("[ME23] cost few evaluations where few columns of the Jacobian share a row", () => {
    const n = 20;
    const names = Array.from({ length: n }, (_, i) => `x${i}`);
    const rod = (isSparse: boolean): PlainModel => ({
      name: "rod",
      states: Object.fromEntries(names.map((name) => [name, { start: 1 }])),
      ...(isSparse && {
        pattern: names.map((_, i) => [i - 1, i, i + 1].filter((j) => j >= 0 && j < n)),
      }),
      evaluate: ({ x, dx }) => {
        for (let i = 0; i < n; i++) dx[i] = 1e3 * ((x[i - 1] ?? 0) - 2 * x[i] + (x[i + 1] ?? x[i]));
      },
    });
    const run = (isSparse: boolean) => {
      const { unit, ode } = started(rod(isSparse), { method: "radau" });
      advanceTo(unit, 0, 1);
      return { value: getNumber(unit, "x19"), calls: ode.calls.get("getDerivatives")! };
    };
    const [sparse, dense] = [run(true), run(false)];
    expect(sparse.value).toBeCloseTo(dense.value, 9);
    expect(sparse.calls).toBeLessThan(dense.calls);
  });

  it("[ME21] method 'auto' changes to the implicit method when the equations prove stiff, and says so", () => {
    const changes: unknown[] = [];
    const stiff: PlainModel = {
      name: "stiff",
      states: { x: { start: 1 } },
      evaluate: ({ t, x, dx }) => {
        dx[0] = -1e4 * (x[0] - Math.cos(t));
      },
    };
    const auto = started(stiff, { onMethodChange: (change) => changes.push(change) });
    advanceTo(auto.unit, 0, 10);
    expect(changes).toEqual([{ unit: "stiff", method: "radau", time: expect.any(Number) }]);
    expect(getNumber(auto.unit, "x")).toBeCloseTo(Math.cos(10), 3);
    const explicit = started(stiff, { method: "dormand-prince" });
    advanceTo(explicit.unit, 0, 10);
    const calls = (ode: PlainOde) => ode.calls.get("getDerivatives")!;
    expect(calls(auto.ode)).toBeLessThan(calls(explicit.ode) / 5);
  });
});

describe("snapshots from outside", () => {
  it("[ME9] bring back inputs and tunable parameters, too", () => {
    const { unit } = started({
      ...INTEGRATOR,
      cannotSave: true,
      parameters: { gain: { start: 1 } },
      evaluate: ({ u, p, dx }) => {
        dx[0] = p[0] * u[0];
      },
    });
    setValues(unit, { u: 1 });
    advanceTo(unit, 0, 1);
    const saved = unit.save();
    setValues(unit, { u: 5, gain: 3 });
    advanceTo(unit, 1, 2);
    unit.restore(saved);
    expect(getNumber(unit, "gain")).toBe(1);
    advanceTo(unit, 1, 2);
    expect(getNumber(unit, "x")).toBeCloseTo(2, 12);
  });

  it("[ME9] are refused across an event, whose effects they cannot undo", () => {
    const { unit } = started({
      ...INTEGRATOR,
      cannotSave: true,
      update: ({ t }) => (t < 1 ? { nextEventTime: 1 } : {}),
    });
    const saved = unit.save();
    advanceTo(unit, 0, 2);
    const failure = failureOf(() => unit.restore(saved));
    expect(failure.status).toContain("an event happened since the snapshot");
  });

  it("[ME9] are not claimed where a model has discrete state that it cannot save", () => {
    const { unit } = started({ ...INTEGRATOR, cannotSave: true, discrete: [1] });
    expect(unit.description.capabilities).toMatchObject({ rollback: false, serialize: false });
    expect(() => unit.save()).toThrow(CapabilityError);
  });
});
