/**
 * Coupled inputs one by one: degree, nominal values, jumps, ends of steps, slots; and what stages
 * say of their units.
 */
import { describe, expect, it } from "vitest";
import type { Connection, Scenario } from "../model/scenario.ts";
import type { Capabilities, Port, UnitDescription } from "../model/unit-description.ts";
import type { CoupledInput, CouplingPlan, UnitStage } from "./coupling-plan.ts";
import { Op } from "./plan.ts";
import { describedUnit } from "./testing/described-unit.ts";
import { opsIn, planFor } from "./testing/plan-for.ts";
import { type ScenarioOptions, scenarioOf } from "./testing/scenario-of.ts";

const ABLE: Partial<Capabilities> = { rollback: true, variableStep: true };
const RING = "a.y -> b.u; b.y -> a.u";

const unit = (more: Partial<Capabilities> = {}, through = ""): UnitDescription =>
  describedUnit("u -> y", { through, capabilities: { ...ABLE, ...more } });
const withPort = (name: string, more: Partial<Port>, base = unit()): UnitDescription => ({
  ...base,
  ports: base.ports.map((port) => (port.name === name ? { ...port, ...more } : port)),
});

function coupling(
  units: Readonly<Record<string, UnitDescription>>,
  wires: string,
  options: ScenarioOptions & { readonly wire?: Partial<Connection> } = {},
): CouplingPlan {
  const { wire = {}, ...rest } = options;
  const made = scenarioOf(units, wires, { step: 1, master: "iterative", ...rest });
  const scenario: Scenario = {
    ...made,
    connections: made.connections.map((one, c) => (c === 0 ? { ...one, ...wire } : one)),
  };
  const { coupling: found } = planFor(scenario);
  if (found === undefined) throw new Error("test: the plan is straight");
  return found;
}

const first = (...given: Parameters<typeof coupling>): CoupledInput => coupling(...given).inputs[0];

describe("the nominal value of an input", () => {
  const nominal = (target: Partial<Port>, source: Partial<Port>, factor = 1): number =>
    first({ a: withPort("y", source), b: withPort("u", target) }, RING, { wire: { factor } })
      .nominal;

  it.each<[Partial<Port>, Partial<Port>, number, number]>([
    [{}, {}, 1, 1],
    [{ nominal: 5 }, { nominal: 7 }, 2, 5],
    [{}, { nominal: 7 }, 2, 14],
    [{}, { nominal: -7 }, -2, 14],
    [{}, { nominal: 7 }, 0, 7],
    [{}, {}, 100, 1],
  ])(
    "[IT4] of a target %j behind a source %j times %d is %d",
    (target, source, factor, expected) => {
      expect(nominal(target, source, factor)).toBe(expected);
    },
  );
});

describe("a coupled input", () => {
  it.each<[string, 0 | 1 | 2]>([
    ["hold", 0],
    ["linear", 1],
    ["quadratic", 2],
  ])("[IT2] with approximation '%s' has degree %d", (approximation, order) => {
    expect(first({ a: unit(), b: unit() }, RING, { options: { approximation } }).order).toBe(order);
  });

  it("[IT2] [SC20] has slots of its own, and a name that counts elements from 1", () => {
    const wide = describedUnit("u -> y", { through: "", shape: [2], capabilities: ABLE });
    const { inputs } = coupling({ a: wide, b: wide }, RING);
    expect(inputs.map(({ name }) => name)).toEqual(["b.u[1]", "b.u[2]", "a.u[1]", "a.u[2]"]);
    const slots = inputs.flatMap(({ signal, value, slope }) => [signal, value, slope, slope + 1]);
    expect(new Set(slots).size).toBe(slots.length);
    expect(inputs[1].signal).toBe(inputs[0].signal + 1);
    expect(inputs[1].value).toBe(inputs[0].value + 1);
    expect(inputs.map(({ element, connection }) => [element, connection])).toEqual([
      [0, 0],
      [1, 0],
      [0, 1],
      [1, 1],
    ]);
  });

  it("[AD8] jumps where its source is not continuous, unless its connection shapes it", () => {
    const jumping = withPort("y", { variability: "discrete" });
    expect(first({ a: jumping, b: unit() }, RING).jumps).toBe(true);
    expect(first({ a: unit(), b: unit() }, RING).jumps).toBe(false);
    const shaped = { wire: { approximation: "linear" as const } };
    expect(first({ a: jumping, b: unit() }, RING, shaped).jumps).toBe(false);
  });

  it("[PN26] takes the end of the step behind a source that jumps before its loop, not inside of it", () => {
    const jumping = withPort("y", { variability: "discrete" });
    const units = { a: jumping, b: unit(), c: unit() };
    const takes = (wires: string, wire: Partial<Connection> = {}): boolean =>
      first(units, wires, { wire }).takesEnd;
    expect(takes("a.y -> b.u")).toBe(true);
    expect(takes("a.y -> b.u", { kind: "delayed" })).toBe(false);
    expect(takes(RING)).toBe(false);
    expect(first({ ...units, a: unit() }, "a.y -> b.u").takesEnd).toBe(false);
  });

  it("[PN26] takes the end of the step in a sequence, where it is held and not delayed", () => {
    const takes = (options: object, kind?: "delayed"): boolean =>
      first({ a: unit(), b: unit() }, "a.y -> b.u", {
        master: "adaptive",
        options: { coupling: "gauss-seidel", approximation: "hold", ...options },
        ...(kind && { kind }),
      }).takesEnd;
    expect(takes({})).toBe(true);
    expect(takes({}, "delayed")).toBe(false);
    expect(takes({ order: ["b", "a"] })).toBe(false);
    expect(takes({ coupling: "jacobi" })).toBe(false);
    expect(takes({ approximation: "linear" })).toBe(false);
  });

  it("[IT2] is interpolated where it is reactive, in a sequence behind its source", () => {
    const reactive = describedUnit("u! -> y", { through: "", capabilities: ABLE });
    const options = { coupling: "gauss-seidel" };
    const found = first({ a: unit(), b: reactive }, "a.y -> b.u", { master: "adaptive", options });
    expect([found.interpolated, found.order, found.takesEnd]).toEqual([true, 1, false]);
  });

  it("[SC50] has the slot of its integral, element by element, with the factor of the connection", () => {
    const two = describedUnit("-> v, x", { shape: [2], capabilities: ABLE });
    const sink = describedUnit("u ->", { shape: [2], capabilities: ABLE });
    const { inputs } = coupling({ a: two, b: sink }, "a.v -> b.u", {
      master: "jacobi",
      wire: { integral: { unit: 0, port: 1 }, factor: -3 },
    });
    const [one, other] = inputs.map(({ integral }) => integral);
    expect(one?.factor).toBe(-3);
    expect(other?.slot).toBe((one?.slot ?? Number.NaN) + 1);
  });
});

describe("a stage", () => {
  const stages = (...given: Parameters<typeof coupling>): readonly UnitStage[] =>
    coupling(...given).stages;

  it("[IT1] has feed-through where something it gives depends on a coupled input", () => {
    const through = (a: UnitDescription, wires = RING): boolean =>
      stages({ a, b: unit() }, wires)[0].feedThrough;
    expect(through(unit({}, "y"))).toBe(true);
    expect(through(unit())).toBe(false);
    expect(through(describedUnit("u -> y", { capabilities: ABLE }))).toBe(true);
    // What is not given to others does not count.
    expect(through(unit({}, "y"), "b.y -> a.u")).toBe(false);
    const two = describedUnit("u -> y, z", { through: "z", capabilities: ABLE });
    expect(through(two)).toBe(false);
  });

  it("[IT15] takes steps no longer than its unit's own", () => {
    const [a, b] = stages({ a: unit(), b: unit() }, RING, { steps: { a: 0.25 } });
    expect([a.longest, b.longest]).toEqual([0.25, Number.POSITIVE_INFINITY]);
  });

  it("[EV7] of a unit with event mode writes no held inputs between events", () => {
    const flag = describedUnit("-> y", { type: "boolean", capabilities: ABLE });
    const sink = (eventMode: boolean): UnitDescription =>
      describedUnit("u ->", { type: "boolean", capabilities: { ...ABLE, eventMode } });
    const held = (eventMode: boolean, options = {}): number[][] =>
      opsIn(stages({ a: flag, b: sink(eventMode) }, "a.y -> b.u", { options })[1].writeHeld);
    expect(held(false).map(([op]) => op)).toEqual([Op.Write]);
    expect(held(true)).toEqual([]);
    expect(held(true, { eventMode: false }).map(([op]) => op)).toEqual([Op.Write]);
  });

  it("[PN23] gives slopes up to the order that the unit takes, quadratic ones in parts where it takes fewer", () => {
    const orders = (inputDerivativeOrder: number, approximation: string): unknown => {
      const units = { a: unit({ inputDerivativeOrder }), b: unit({ inputDerivativeOrder }) };
      const scenario = scenarioOf(units, RING, {
        step: 1,
        master: "iterative",
        options: { approximation },
      });
      const plan = planFor(scenario);
      return plan.coupling?.stages[0].inParts ? "parts" : plan.slopes[0]?.orders;
    };
    expect(orders(2, "quadratic")).toEqual([1, 2]);
    expect(orders(2, "linear")).toEqual([1]);
    expect(orders(1, "linear")).toEqual([1]);
    expect(orders(1, "quadratic")).toBe("parts");
    expect(orders(0, "linear")).toBe("parts");
    expect(orders(2, "hold")).toBeUndefined();
  });

  it("[IT21] moves discrete values of an iterated loop only between steps, where all of it rolls back", () => {
    const both = (capabilities: Partial<Capabilities>): UnitDescription => {
      const base = describedUnit("u, n -> y, m", { through: "", capabilities });
      const ports = base.ports.map((port) =>
        port.name === "n" || port.name === "m"
          ? { ...port, type: "int32" as const, variability: "discrete" as const }
          : port,
      );
      return { ...base, ports };
    };
    const wires = `${RING}; a.m -> b.n`;
    const collected = (b: Partial<Capabilities>, options = {}): number => {
      const [stage] = stages({ a: both(ABLE), b: both(b) }, wires, { options });
      return opsIn(stage.collect).filter(([op]) => op === Op.Copy).length;
    };
    expect(collected(ABLE)).toBe(1);
    expect(collected({ variableStep: true }, { fallback: "explicit" })).toBe(2);
    expect(coupling({ a: both(ABLE), b: both(ABLE) }, wires).keepsStart).toBe(true);
  });
});
