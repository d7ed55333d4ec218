/** Connections from several ports, and triggers on a port that is neither end. */
import { describe, expect, it } from "vitest";
import { limitedUnit } from "../engine/testing/limited-unit.ts";
import { formulaUnit } from "../unit/formula-unit.ts";
import { functionUnit } from "../unit/function-unit.ts";
import type { StateMachineModel } from "../unit/state-machine-model.ts";
import { stateMachineUnit } from "../unit/state-machine-unit.ts";
import { unitContract } from "../unit/testing/contract.ts";
import type { Unit } from "../unit/unit.ts";
import type { ConnectionModel } from "./define-declarations.ts";
import { defineScenario, type ScenarioModel } from "./define-scenario.ts";
import { simulateScenario } from "./simulate-scenario.ts";

const signal = (name: string, of: (t: number) => number, unit?: string) => (): Unit =>
  functionUnit({
    name,
    outputs: { y: unit === undefined ? {} : { unit } },
    evaluate: (t, _u, _p, y) => {
      y[0] = of(t);
    },
  });
const x = (t: number): number => 1 + t;
const z = (t: number): number => 10 * t * t;
const sink = (unit?: string) => (): Unit =>
  functionUnit({
    name: "sink",
    inputs: { u: unit === undefined ? {} : { unit } },
    outputs: { y: unit === undefined ? {} : { unit } },
    evaluate: (_t, [u = 0], _p, y) => {
      y[0] = u;
    },
  });
/** Emits `now` at these instants. */
const bell = (...times: readonly number[]): StateMachineModel => ({
  name: "bell",
  outputs: { count: { type: "int32" } },
  events: ["now"],
  initial: "s0",
  states: Object.fromEntries(
    [...times, undefined].map((time, k) => [
      `s${k}`,
      {
        transitions:
          time === undefined
            ? []
            : [
                {
                  after: time - (times[k - 1] ?? 0),
                  to: `s${k + 1}`,
                  do: (m) => {
                    m.set("count", k + 1);
                    m.emit("now");
                  },
                },
              ],
      },
    ]),
  ),
});

async function valuesOf(
  units: ScenarioModel["units"],
  connections: readonly (string | ConnectionModel)[],
  more: Partial<ScenarioModel> = {},
): Promise<(readonly [number, number])[]> {
  const scenario = defineScenario({
    units: { a: signal("a", x), b: signal("b", z), c: sink(), ...units },
    connections,
    record: ["c.u"],
    experiment: { stop: 2, step: 0.5 },
    ...more,
  });
  const { trace, outcome } = await simulateScenario(scenario);
  expect(outcome.kind).toBe("completed");
  const [column] = trace.columns;
  return Array.from(trace.time, (t, i) => [t, Number(column?.data[i])] as const);
}

/** The values that arrived, where they changed. */
function changes(values: readonly (readonly [number, number])[]): (readonly [number, number])[] {
  return values.filter(([, value], i) => i === 0 || value !== values[i - 1]?.[1]);
}

describe("connections from several ports", () => {
  it("[CO22] exchange what the formula gives of all terms at the same instant, every period", async () => {
    const got = await valuesOf({}, [
      { from: "a.y + b.y", to: "c.u", trigger: { kind: "every", seconds: 0.5 } },
    ]);
    for (const t of [0, 0.5, 1, 1.5, 2]) expect(got).toContainEqual([t, x(t) + z(t)]);
  });

  it.each(["jacobi", "gauss-seidel", "iterative"])("[CO22] work under %s", async (master) => {
    const got = await valuesOf({}, ["2 * a.y - b.y -> c.u"], { master });
    expect(got.at(-1)).toEqual([2, 2 * x(2) - z(2)]);
  });

  it("[CO22] take terms when an event of a third unit occurs, at its instant", async () => {
    const got = await valuesOf({ d: () => stateMachineUnit(bell(0.7, 1.9)) }, [
      { from: "a.y * b.y", to: "c.u", trigger: { kind: "event", on: "d.now" } },
    ]);
    expect(changes(got).slice(1)).toEqual([0.7, 1.9].map((t) => [t, x(t) * z(t)]));
  });

  it("[CO23] a single port may wait for an update of a third one", async () => {
    const got = await valuesOf({ d: () => stateMachineUnit(bell(0.3, 1.25)) }, [
      { from: "a.y", to: "c.u", trigger: { kind: "updated", on: "d.count" } },
    ]);
    expect(changes(got)).toEqual([
      [0, x(0)],
      [0.3, x(0.3)],
      [1.25, x(1.25)],
    ]);
  });

  it("[CO23] a single port may wait for a crossing of a third one", async () => {
    const got = await valuesOf({}, [
      {
        from: "a.y",
        to: "c.u",
        trigger: { kind: "threshold", when: "b.y", level: 2.5, direction: "rising" },
      },
    ]);
    const last = changes(got).at(-1);
    expect(last?.[0]).toBeCloseTo(0.5, 8);
    expect(last?.[1]).toBeCloseTo(x(0.5), 8);
  });

  it("[CO22] are computed of values of the instant at which the target reads", async () => {
    const reader: StateMachineModel = {
      name: "reader",
      inputs: { u: {} },
      outputs: { got: {} },
      initial: "wait",
      states: {
        wait: {
          transitions: [
            { after: 0.4, reads: ["u"], to: "wait", do: (m) => m.set("got", m.get("u")) },
          ],
        },
      },
    };
    const got = await valuesOf(
      { c: () => stateMachineUnit(reader) },
      [{ from: "a.y + b.y", to: "c.u", trigger: { kind: "ready-to-read" } }],
      { record: ["c.got"] },
    );
    const instants = [0.4, 0.8, 1.2, 1.6, 2];
    expect(changes(got).slice(1)).toEqual(instants.map((t) => [t, x(t) + z(t)]));
  });

  it("[CO22] exchange booleans, on update of any of them", async () => {
    const flag = (name: string, at: number): StateMachineModel => ({
      name,
      outputs: { on: { type: "boolean" } },
      initial: "off",
      states: {
        off: { transitions: [{ after: at, to: "on", do: (m) => m.set("on", 1) }] },
        on: {},
      },
    });
    const light = (): Unit =>
      functionUnit({
        name: "light",
        inputs: { u: { type: "boolean" } },
        outputs: { y: { type: "boolean" } },
        evaluate: (_t, [u = 0], _p, y) => {
          y[0] = u;
        },
      });
    const got = await valuesOf(
      {
        c: light,
        p: () => stateMachineUnit(flag("p", 0.6)),
        q: () => stateMachineUnit(flag("q", 1.1)),
      },
      [{ from: "p.on and not q.on", to: "c.u", trigger: { kind: "updated" } }],
    );
    expect(changes(got)).toEqual([
      [0, 0],
      [0.6, 1],
      [1.1, 0],
    ]);
  });

  it("[CO22] convert terms of a sum to the unit of the target", async () => {
    const units = { a: signal("a", x, "mm"), b: signal("b", z, "cm"), c: sink("m") };
    const got = await valuesOf(units, ["a.y + b.y -> c.u"], { master: "jacobi" });
    expect(got.at(-1)?.[1]).toBeCloseTo(x(2) / 1000 + z(2) / 100, 12);
  });

  it.each([
    [{ from: "d.now + a.y", to: "c.u" }, "carries events"],
    [{ from: "a.y and b.y", to: "c.u" }, "'and' is for booleans"],
    [{ from: "sqrt(a.y, 2) + b.y", to: "c.u" }, "'sqrt' has 2 arguments"],
    [{ from: "a.y + b.w", to: "c.u" }, "no port 'w'"],
    [
      { from: "a.y + b.y", to: "c.u", trigger: { kind: "updated", on: "c.u" } },
      "waits for an output",
    ],
  ] as const)("[CO22] refuse what is not a value: %j", (connection, message) => {
    const units = {
      a: signal("a", x),
      b: signal("b", z),
      c: sink(),
      d: () => stateMachineUnit(bell(1)),
    };
    expect(() => defineScenario({ units, connections: [connection] })).toThrow(message);
  });

  it("[SC59] natures that do not go together are refused in every scenario", () => {
    const units = { c: sink(), d: () => stateMachineUnit(bell(1)) };
    expect(() => defineScenario({ units, connections: ["d.now -> c.u"] })).toThrow(
      "'d.now' cannot drive 'c.u': the output carries events",
    );
  });

  it("a port whose name looks like a formula is a port", async () => {
    const odd = (): Unit =>
      functionUnit({
        name: "odd",
        outputs: { "x-z": {} },
        evaluate: (_t, _u, _p, y) => {
          y[0] = 7;
        },
      });
    const got = await valuesOf({ odd }, ["odd.x-z -> c.u"], { master: "jacobi" });
    expect(got.at(-1)).toEqual([2, 7]);
  });
});

describe("units that decide instants for each other", () => {
  /** Sends at `first`, and a second after every event that it gets. */
  const relay = (name: string, first: number, rollback: boolean) => (): Unit =>
    limitedUnit(
      stateMachineUnit({
        name,
        inputs: { in: { type: "boolean", nature: "transient" } },
        outputs: { at: {} },
        events: ["out"],
        initial: "first",
        states: {
          first: {
            transitions: [
              { on: "in", to: "sends" },
              { after: first, to: "sends" },
            ],
          },
          waits: { transitions: [{ on: "in", to: "sends" }] },
          sends: {
            transitions: [
              {
                after: 1,
                to: "waits",
                do: (m) => {
                  m.set("at", m.time);
                  m.emit("out");
                },
              },
            ],
          },
        },
      }),
      { rollback },
    );
  const ring = (canRollBack: readonly boolean[]): ScenarioModel => ({
    units: Object.fromEntries(
      canRollBack.map((can, i) => [`r${i}`, relay(`r${i}`, 3 + i / 8, can)]),
    ),
    connections: canRollBack.map((_, i) => `r${i}.out -> r${(i + 1) % canRollBack.length}.in`),
    experiment: { stop: 20, step: 1 },
    master: "event-driven",
  });

  it.each([[[false, true]], [[true, false, true]]])(
    "[CO6] are scheduled with rollback where one that cannot is among them: %j",
    async (canRollBack) => {
      const timesOf = async (model: ScenarioModel): Promise<unknown> => {
        const { trace, outcome } = await simulateScenario(defineScenario(model));
        expect(outcome.kind).toBe("completed");
        return trace.columns.map(({ data }) => Array.from(data as Float64Array));
      };
      const able = canRollBack.map(() => true);
      expect(await timesOf(ring(canRollBack))).toEqual(await timesOf(ring(able)));
    },
  );

  it("[CO11] are refused where two stop at instants of their own and cannot roll back", async () => {
    await expect(simulateScenario(defineScenario(ring([false, true, false])))).rejects.toThrow(
      "'r0' and 'r2' stop at instants of their own and cannot roll back, which only one may",
    );
  });
});

const { source } = defineScenario({
  units: { a: signal("a", x), b: signal("b", z), c: sink() },
  connections: ["a.y + 2 * b.y -> c.u"],
}).scenario.units[3]!;
if (source.kind !== "formula") throw new Error("the fixture has no formula");
const formula = source;
unitContract(
  "the formula of a connection",
  {
    open: () => formulaUnit(formula, "sum"),
    step: 0.25,
    behaviour: { port: "y", at: () => 0, tolerance: 0 },
    settable: { port: "u1", value: 7 },
    feedThrough: { input: "u2", value: 3, output: "y", expected: 6, tolerance: 0 },
    directional: { unknown: "y", known: "u2", value: 2, tolerance: 1e-8 },
    outputDerivative: { port: "y", at: () => 0, tolerance: 1e-8 },
    inputDerivative: {
      input: "u2",
      value: 1,
      slope: 2,
      output: "y",
      expected: 3,
      tolerance: 1e-14,
    },
  },
  [{ rule: "UN23", reason: "its output is new when an input was written, not by itself" }],
);
