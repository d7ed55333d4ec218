/**
 * Models that share one integrator: the coupled solution, algebraic loops, events of one for all,
 * snapshots.
 */
import { describe, expect, it } from "vitest";
import { unitContract } from "../unit/testing/contract.ts";
import { advanceTo, failureOf, getNumber, setValues, startUnit } from "../unit/testing/drive.ts";
import type { Unit } from "../unit/unit.ts";
import { describeGroup, type GroupConnection, orderConnections } from "./group-description.ts";
import { GroupOde } from "./group-ode.ts";
import { type IntegratingUnitOptions, integratingUnit } from "./integrating-unit.ts";
import { type PlainModel, type PlainOde, plainOde } from "./testing/plain-ode.ts";

/** `a.y -> b.u`, times `factor`. */
interface Wire {
  readonly from: string;
  readonly to: string;
  readonly factor?: number;
}

function group(
  models: Readonly<Record<string, PlainModel>>,
  wires: readonly Wire[],
  options: IntegratingUnitOptions = {},
): { readonly unit: Unit; readonly members: Readonly<Record<string, PlainOde>> } {
  const names = Object.keys(models);
  const members = Object.fromEntries(names.map((name) => [name, plainOde(models[name])]));
  const place = (text: string): GroupConnection["from"] => {
    const [member, port] = text.split(".") as [string, string];
    const found = members[member].description.ports.find(({ name }) => name === port);
    return { unit: names.indexOf(member), port: found!.index };
  };
  const connections = wires.map(({ from, to, factor = 1 }) => ({
    from: place(from),
    to: place(to),
    fromElement: 0,
    toElement: 0,
    count: 1,
    factor,
    offset: 0,
  }));
  const list = names.map((name) => ({ name, model: members[name] }));
  const described = list.map(({ name, model }) => ({ name, description: model.description }));
  const description = describeGroup("group", described, connections);
  return {
    unit: integratingUnit(new GroupOde("group", list, connections, description), options),
    members,
  };
}

/** x' = u. */
const INTEGRATOR: PlainModel = {
  name: "integrator",
  inputs: { u: {} },
  states: { x: { start: 1 } },
  evaluate: ({ u, dx }) => {
    dx[0] = u[0];
  },
};

/** x' = −x + u/2, y = x + gain u. */
const feed = (gain: number, start = 1): PlainModel => ({
  name: "feed",
  inputs: { u: {} },
  states: { x: { start } },
  outputs: { y: { feedThrough: ["u"] } },
  evaluate: ({ x, u, dx, y }) => {
    dx[0] = -x[0] + u[0] / 2;
    y[0] = x[0] + gain * u[0];
  },
});

const CIRCLE: readonly Wire[] = [
  { from: "a.x", to: "b.u" },
  { from: "b.x", to: "a.u", factor: -1 },
];
const LOOP: readonly Wire[] = [
  { from: "a.y", to: "b.u" },
  { from: "b.y", to: "a.u" },
];

/** Two lags in an algebraic loop, from 1 and 0: their sum and difference decouple. */
function loopSolution(gain: number, t: number): { readonly a: number; readonly b: number } {
  // y_a ± y_b = (x_a ± x_b) / (1 ∓ gain), and (x_a ± x_b)' = −(x_a ± x_b) ± (y_a ± y_b) / 2
  const sum = Math.exp((-1 + 0.5 / (1 - gain)) * t);
  const difference = Math.exp((-1 - 0.5 / (1 + gain)) * t);
  return { a: (sum + difference) / 2, b: (sum - difference) / 2 };
}

describe("coupled integration", () => {
  it.each(["dormand-prince", "radau"] as const)(
    "[ME30] gives the solution of the coupled equations by %s",
    (method) => {
      const { unit } = group({ a: INTEGRATOR, b: INTEGRATOR }, CIRCLE, { method, tolerance: 1e-9 });
      startUnit(unit);
      // One communication step, however long: nothing is exchanged between the members but by
      // equations.
      advanceTo(unit, 0, 10);
      expect(getNumber(unit, "a.x")).toBeCloseTo(Math.cos(10) - Math.sin(10), 6);
      expect(getNumber(unit, "b.x")).toBeCloseTo(Math.cos(10) + Math.sin(10), 6);
    },
  );

  it("[ME31] solves algebraic loops at every evaluation", () => {
    for (const gain of [0.5, -0.9, 3]) {
      const { unit } = group({ a: feed(gain), b: feed(gain, 0) }, LOOP, { tolerance: 1e-9 });
      startUnit(unit);
      advanceTo(unit, 0, 2);
      const { a, b } = loopSolution(gain, 2);
      expect(getNumber(unit, "a.x"), `gain ${gain}`).toBeCloseTo(a, 6);
      expect(getNumber(unit, "b.x")).toBeCloseTo(b, 6);
      expect(getNumber(unit, "a.y")).toBeCloseTo((a + gain * b) / (1 - gain * gain), 6);
      expect(getNumber(unit, "b.u")).toBeCloseTo(getNumber(unit, "a.y"), 12);
    }
  });

  it("[ME31] a loop without a solution fails with the inputs in it", () => {
    const { unit } = group({ a: feed(1), b: feed(1, 0) }, LOOP);
    const failure = failureOf(() => startUnit(unit));
    expect(failure.status).toContain("algebraic loop");
    expect(failure.log.join()).toContain("a.u");
  });

  it("[ME31] connections without feed-through are ordered, not solved", () => {
    const { members } = group({ a: feed(0.5), b: INTEGRATOR }, []);
    const descriptions = [members["a"].description, members["b"].description];
    const wire = (from: [number, number], to: [number, number]): GroupConnection => ({
      from: { unit: from[0], port: from[1] },
      to: { unit: to[0], port: to[1] },
      fromElement: 0,
      toElement: 0,
      count: 1,
      factor: 1,
      offset: 0,
    });
    // a.y follows a.u, which follows b's state: the second connection comes first.
    const order = orderConnections(descriptions, [wire([0, 2], [1, 0]), wire([1, 1], [0, 0])]);
    expect(order.looped).toEqual([]);
    expect(order.straight.map(({ from }) => from.unit)).toEqual([1, 0]);
  });

  it("[ME32] an event of one member is an event of all, and what it changes reaches the others at once", () => {
    /** Switches its output where x passes 1. */
    const source: PlainModel = {
      name: "source",
      states: { x: {} },
      outputs: { level: { variability: "discrete", feedThrough: [] } },
      indicators: 1,
      discrete: [0],
      evaluate: ({ x, dx, y, z, d }) => {
        dx[0] = 1;
        z[0] = x[0] - 1;
        y[0] = d[0];
      },
      update: ({ x, d }) => {
        d[0] = x[0] > 1 ? 5 : 0;
        return {};
      },
    };
    /** Adds what its discrete input gets to its state, once. */
    const sink: PlainModel = {
      name: "sink",
      inputs: { level: { variability: "discrete" } },
      states: { x: {} },
      discrete: [0],
      evaluate: ({ dx }) => {
        dx[0] = 0;
      },
      update: ({ u, x, d }) => {
        if (u[0] === d[0]) return {};
        x[0] += u[0];
        d[0] = u[0];
        return { statesChanged: true };
      },
    };
    const { unit, members } = group({ source, sink }, [{ from: "source.level", to: "sink.level" }]);
    startUnit(unit);
    const stop = unit.advance(0, { kind: "time", time: 3 });
    expect(stop.reason).toBe("event");
    expect(stop.time).toBeCloseTo(1, 9);
    unit.enterEventMode();
    expect(members["sink"].phase).toBe("event");
    while (unit.updateDiscreteStates().again);
    unit.enterStepMode();
    advanceTo(unit, stop.time, 3);
    expect(getNumber(unit, "sink.x")).toBe(5);
  });

  it("shows inputs from outside, and none that are connected inside", () => {
    const { unit } = group({ a: INTEGRATOR, b: INTEGRATOR }, [{ from: "a.x", to: "b.u" }]);
    const directions = Object.fromEntries(
      unit.description.ports.map(({ name, direction }) => [name, direction]),
    );
    expect(directions).toMatchObject({ "a.u": "input", "b.u": "local", "b.x": "output" });
    startUnit(unit);
    setValues(unit, { "a.u": 2 });
    advanceTo(unit, 0, 1);
    // x_a = 1 + 2t, x_b = 1 + t + t²
    expect(getNumber(unit, "b.x")).toBeCloseTo(3, 9);
  });
});

for (const cannotSave of [false, true]) {
  const models = { a: { ...feed(0.5), cannotSave }, b: { ...feed(0.5, 0), cannotSave } };
  unitContract(
    `a group with an algebraic loop${cannotSave ? ", saved from outside" : ""}`,
    {
      open: () => group(models, LOOP, { tolerance: 1e-9 }).unit,
      step: 0.1,
      behaviour: { port: "a.x", at: (t) => loopSolution(0.5, t).a, tolerance: 1e-7 },
      threshold: {
        port: "b.x",
        value: 0.2,
        direction: "rising",
        ...crossingOf((t) => loopSolution(0.5, t).b, 0.2),
        timeTolerance: 1e-6,
        valueTolerance: 1e-6,
      },
      directional: { unknown: "a.y", known: "a.x", value: 1 / 0.75, tolerance: 1e-6 },
      outputDerivative: {
        port: "a.x",
        at: (t) => {
          const h = 1e-5;
          return (loopSolution(0.5, t + h).a - loopSolution(0.5, t - h).a) / (2 * h);
        },
        tolerance: 1e-6,
      },
    },
    [{ rule: "UN23", reason: "the models have no events" }],
  );
}

/** Where a rising function reaches `level`, by bisection. */
function crossingOf(f: (t: number) => number, level: number): { readonly time: number } {
  let [low, high] = [0, 1];
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (f(middle) < level) low = middle;
    else high = middle;
  }
  return { time: high };
}
