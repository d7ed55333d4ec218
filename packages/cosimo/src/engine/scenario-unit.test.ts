import { describe, expect, it } from "vitest";
import { unwrap } from "../base/diagnostic.ts";
import { describeScenario } from "../model/resolve-scenario-nested.ts";
import type { Scenario } from "../model/scenario.ts";
import { makeBanks } from "../model/value-type.ts";
import { compilePlan } from "../plan/compile.ts";
import { scenarioOf } from "../plan/testing/scenario-of.ts";
import { functionUnit } from "../unit/function-unit.ts";
import { linearUnit } from "../unit/linear-unit.ts";
import { failureOf } from "../unit/testing/drive.ts";
import type { Unit } from "../unit/unit.ts";
import { scenarioUnit } from "./scenario-unit.ts";
import { runUnits } from "./testing/run-units.ts";
import { springUnit } from "./testing/spring.ts";

const mass = (name: string): Unit =>
  linearUnit(
    {
      name,
      inputs: { F: {} },
      states: { x: { start: 1 }, v: {} },
      a: [
        [0, 1],
        [-1, -1],
      ],
      b: [[0], [1]],
    },
    name,
  );
const spring = (name: string): Unit => springUnit(name);
/** Adds what comes from outside to the spring's force. */
const sum = (name: string): Unit =>
  functionUnit(
    {
      name,
      inputs: { a: {}, b: {} },
      outputs: { y: { feedThrough: ["a", "b"] } },
      evaluate: (_t, u, _p, y) => {
        y[0] = u[0] + u[1];
      },
    },
    name,
  );

const INSIDE = "mass.x -> spring.x; spring.F -> sum.a; sum.y -> mass.F";

/** mass + spring + sum as one unit with input F, outputs x and force (which F reaches at once). */
function nested(name: string, step: number): Unit {
  const units = { mass: mass("mass"), spring: spring("spring"), sum: sum("sum") };
  const descriptions = Object.fromEntries(
    Object.entries(units).map(([key, unit]) => [key, unit.description]),
  );
  const flat = scenarioOf(descriptions, INSIDE, { step });
  const ref = (unit: number, port: string) => ({
    unit,
    port: flat.units[unit].description.ports.findIndex((p) => p.name === port),
  });
  const scenario: Scenario = {
    ...flat,
    ports: [
      { name: "F", inner: ref(2, "b") },
      { name: "x", inner: ref(0, "x") },
      { name: "force", inner: ref(2, "y") },
    ],
  };
  const { plan } = unwrap(compilePlan(scenario, { start: 0, step, record: [] }));
  return scenarioUnit(name, describeScenario(scenario), scenario, plan, Object.values(units));
}

const shaker = (name: string): Unit =>
  functionUnit(
    {
      name,
      outputs: { F: { feedThrough: [] } },
      evaluate: (t, _u, _p, y) => {
        y[0] = Math.sin(3 * t);
      },
    },
    name,
  );

describe("a scenario as a unit", () => {
  it("[EN12] gives the trace of the flat scenario when both take the same steps", async () => {
    const outer = await runUnits(
      { shaker: shaker("shaker"), box: nested("box", 0.1) },
      "shaker.F -> box.F",
      ["box.x", "box.force"],
      {
        step: 0.1,
        stop: 3,
      },
    );
    const flat = await runUnits(
      { shaker: shaker("shaker"), mass: mass("mass"), spring: spring("spring"), sum: sum("sum") },
      `shaker.F -> sum.b; ${INSIDE}`,
      ["mass.x", "sum.y"],
      { step: 0.1, stop: 3 },
    );
    expect(outer.outcome.kind).toBe("completed");
    expect(outer.values["box.x"]).toEqual(flat.values["mass.x"]);
    expect(outer.values["box.force"]).toEqual(flat.values["sum.y"]);
  });

  it("[EN12] declares the feed-through that goes through it", () => {
    const { ports } = nested("box", 0.1).description;
    expect(ports.find((p) => p.name === "force")!.feedThrough).toEqual([0]);
    expect(ports.find((p) => p.name === "x")!.feedThrough).toEqual([]);
  });

  it("[EN13] takes smaller steps of its own inside", async () => {
    const fine = await runUnits(
      { shaker: shaker("shaker"), box: nested("box", 0.01) },
      "shaker.F -> box.F",
      ["box.x"],
      {
        step: 0.1,
        stop: 1,
      },
    );
    const coarse = await runUnits(
      { shaker: shaker("shaker"), box: nested("box", 0.1) },
      "shaker.F -> box.F",
      ["box.x"],
      {
        step: 0.1,
        stop: 1,
      },
    );
    expect(fine.time).toEqual(coarse.time);
    expect(fine.values["box.x"].at(-1)).not.toBe(coarse.values["box.x"].at(-1));
  });

  it("[EN12] what is set from outside replaces what the scenario gives inside, also after a reset", () => {
    const scaled = functionUnit(
      {
        name: "scaled",
        parameters: { k: { start: 1 } },
        outputs: { y: { feedThrough: [] } },
        evaluate: (_t, _u, p, y) => {
          y[0] = p[0];
        },
      },
      "scaled",
    );
    const place = { file: "test" };
    const flat = scenarioOf({ scaled: scaled.description }, "", { step: 0.1 });
    const port = (name: string): number =>
      scaled.description.ports.findIndex((one) => one.name === name);
    const scenario: Scenario = {
      ...flat,
      units: [{ ...flat.units[0], values: [{ port: port("k"), values: [2], place }] }],
      ports: [
        { name: "k", inner: { unit: 0, port: port("k") } },
        { name: "y", inner: { unit: 0, port: port("y") } },
      ],
    };
    const { plan } = unwrap(compilePlan(scenario, { start: 0, step: 0.1, record: [] }));
    const unit = scenarioUnit("n", describeScenario(scenario), scenario, plan, [scaled]);
    const banks = makeBanks({ f64: 1 });
    const started = (): number => {
      unit.enterInitialization({ start: 0 });
      unit.read(unit.bind([{ port: 1, slot: 0 }]), banks);
      return banks.f64[0];
    };
    banks.f64[0] = 3;
    unit.write(unit.bind([{ port: 0, slot: 0 }]), banks);
    expect(started()).toBe(3);
    unit.reset();
    expect(started()).toBe(2);
  });

  it("[EN14] rolls back with everything inside", () => {
    const unit = nested("box", 0.1);
    const access = unit.bind([{ port: 1, slot: 0 }]);
    const banks = { f64: new Float64Array(1), i64: new BigInt64Array(0), obj: [] };
    const read = (): number => {
      unit.read(access, banks);
      return banks.f64[0];
    };
    unit.enterInitialization({ start: 0 });
    unit.exitInitialization();
    unit.advance(0, { kind: "time", time: 0.1 });
    const snapshot = unit.save();
    unit.advance(0.1, { kind: "time", time: 0.2 });
    const once = read();
    unit.restore(snapshot);
    unit.advance(0.1, { kind: "time", time: 0.2 });
    expect(read()).toBe(once);
    unit.release(snapshot);
    unit.dispose();
  });

  it("[EN13] refuses a step that its own does not divide", () => {
    const unit = nested("box", 0.1);
    unit.enterInitialization({ start: 0 });
    unit.exitInitialization();
    expect(() => unit.advance(0, { kind: "time", time: 0.15 })).toThrow(/steps of 0.1 s/);
  });
});

describe("a step of a nested scenario", () => {
  const begun = (): Unit => {
    const unit = nested("inner", 0.1);
    unit.enterInitialization({ start: 0 });
    unit.exitInitialization();
    return unit;
  };

  it("[UN20] may be bounded in any words that mean a time", () => {
    const any = [
      { kind: "time", time: 0.3 },
      { kind: "time", time: 0.2 },
    ] as const;
    expect(begun().advance(0, { kind: "or", any })).toMatchObject({ reason: "time", time: 0.2 });
    const updated = { kind: "or", any: [...any, { kind: "updated", port: 1 }] } as const;
    expect(() => begun().advance(0, updated)).toThrow(/predicates besides time/);
  });

  it("that ends between two steps inside is a failure with a reason, and no mistake of ours", () => {
    const failure = failureOf(() => begun().advance(0, { kind: "time", time: 0.25 }));
    expect(failure.unit).toBe("inner");
    expect(failure.problem).toMatch(/steps of 0.1 s and cannot stop at t=0.25/);
  });
});
