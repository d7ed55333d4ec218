/**
 * The parts of a plan for masters that decide at run time, unit by unit.
 */
import { describe, expect, it } from "vitest";
import { unwrap } from "../base/diagnostic.ts";
import type { Scenario } from "../model/scenario.ts";
import type { Capabilities, UnitDescription } from "../model/unit-description.ts";
import { compilePlan } from "./compile.ts";
import type { CouplingPlan } from "./coupling-plan.ts";
import { OP_WIDTH, type Plan } from "./plan.ts";
import { printOps } from "./print-plan-ops.ts";
import { SlotNames } from "./print-plan-slots.ts";
import { describedUnit } from "./testing/described-unit.ts";
import { type ScenarioOptions, scenarioOf } from "./testing/scenario-of.ts";

const ABLE: Partial<Capabilities> = { rollback: true, variableStep: true };
const unit = (more: Partial<Capabilities> = {}, notation = "u -> y"): UnitDescription =>
  describedUnit(notation, { through: "", capabilities: { ...ABLE, ...more } });
const RING = "a.y -> b.u; b.y -> a.u";
const place = { file: "test" };
const at = (index: number, port = 1) => ({ unit: index, port, element: 0 });

interface Coupled {
  readonly plan: Plan;
  readonly coupling: CouplingPlan;
  readonly text: (ops: Int32Array) => string[];
}

function coupled(
  units: Readonly<Record<string, UnitDescription>>,
  wires: string,
  options: ScenarioOptions = {},
  change: (scenario: Scenario) => Scenario = (scenario) => scenario,
): Coupled {
  const scenario = change(scenarioOf(units, wires, { step: 1, master: "iterative", ...options }));
  const { plan } = unwrap(compilePlan(scenario, { record: [at(0)] }));
  const names = new SlotNames(plan, scenario);
  const text = (ops: Int32Array): string[] =>
    printOps(ops, plan, names).map((line) =>
      line.replace(/^\s*\d+ {2}/, "").replace(/ [←→] [sio]\d+.*/, ""),
    );
  return { plan, coupling: plan.coupling!, text };
}

describe("what is watched", () => {
  const crossing = { level: 2, direction: "any" as const, text: "crossing", place };

  it("[EV1] [EV5] are the signals of crossings and of limited differences, unit by unit", () => {
    const events = [
      { ...crossing, signal: at(1) },
      { ...crossing, signal: at(0), other: { ...at(2), factor: 2, offset: 1 } },
    ];
    const limits = [{ kind: "difference" as const, signal: at(2), atMost: 1 }];
    const units = { a: unit(), b: unit(), c: unit(), d: unit() };
    const { coupling, text } = coupled(units, RING, { extras: { events, limits } });
    expect(text(coupling.watch)).toEqual(["read a.y", "read b.y", "read c.y"]);
    expect(coupling.crossings[1]).toMatchObject({ other: { factor: 2, offset: 1 } });
    expect(coupling.limits.map(({ name, atMost }) => [name, atMost])).toEqual([["c.y", 1]]);
  });

  it("[PN33] are the recorded ports that no connection feeds", () => {
    const { coupling, text } = coupled({ a: unit(), b: unit() }, RING);
    expect(text(coupling.observe)).toEqual(["read a.y"]);
  });

  it("[AD6] are points in time: periods as given, single times in order", () => {
    const limits = [
      { kind: "at" as const, times: [3, 1] },
      { kind: "every" as const, every: 0.5, offset: 0.25 },
      { kind: "at" as const, times: [2] },
    ];
    const { coupling } = coupled({ a: unit(), b: unit() }, RING, { extras: { limits } });
    expect(coupling.points).toEqual({ every: [{ every: 0.5, offset: 0.25 }], at: [1, 2, 3] });
    expect(coupling.limits).toEqual([]);
  });

  it("[EV1] are located within the tolerance of the crossing, else of the master, times the nominal value", () => {
    const wide: UnitDescription = {
      ...unit(),
      ports: unit().ports.map((port) => ({ ...port, nominal: -50 })),
    };
    const tolerances = (tolerance?: number): number[] => {
      const events = [
        { ...crossing, signal: at(0), ...(tolerance === undefined ? {} : { tolerance }) },
      ];
      const options = { eventTolerance: 0.01 };
      return coupled({ a: wide, b: unit() }, RING, {
        options,
        extras: { events },
      }).coupling.crossings.map((one) => one.tolerance);
    };
    expect(tolerances()).toEqual([0.5]);
    expect(tolerances(3)).toEqual([3]);
  });
});

describe("stages", () => {
  it("[IT1] know the inputs of their unit, those that it feeds, and what it gives", () => {
    const { coupling, text } = coupled({ a: unit(), b: unit(), c: unit() }, `${RING}; a.y -> c.u`);
    expect(coupling.inputs.map(({ name, source }) => [name, source])).toEqual([
      ["b.u", 0],
      ["a.u", 1],
      ["c.u", 0],
    ]);
    expect(coupling.stages.map(({ inputs, feeds }) => [inputs, feeds])).toEqual([
      [[1], [0, 2]],
      [[0], [1]],
      [[2], []],
    ]);
    expect(text(coupling.stages[0].collect)).toEqual(["read a.y", "b.u ← a.y", "c.u ← a.y"]);
    expect(coupling.stages[2].collect).toHaveLength(0);
  });

  it("[IT11] are grouped: loops in the order of the sweep, chains one after the other", () => {
    const units = { a: unit(), b: unit(), c: unit() };
    const { coupling } = coupled(units, `${RING}; a.y -> c.u`, {
      options: { order: ["b", "a", "c"] },
    });
    expect(coupling.components.map((one) => [one.units, one.cyclic, one.inputs])).toEqual([
      [[1, 0], true, [0, 1]],
      [[2], false, []],
    ]);
  });

  it("[PN23] are in parts where an input varies and the unit takes no slopes", () => {
    const parts = (more: Partial<Capabilities>, approximation: string): unknown[] => {
      const { coupling } = coupled({ a: unit(more), b: unit(more) }, RING, {
        options: { approximation, microSteps: 4 },
      });
      const [{ inParts, parts: count, writeCoupled, writeValues }] = coupling.stages;
      return [inParts, count, (writeCoupled.length - writeValues.length) / OP_WIDTH];
    };
    expect(parts({}, "linear")).toEqual([true, 4, 0]);
    expect(parts({}, "hold")).toEqual([false, 1, 0]);
    expect(parts({ inputDerivativeOrder: 1 }, "linear")).toEqual([false, 1, 1]);
  });

  it("[IT12] a constraint drives inputs of its own, with the force's factor", () => {
    const by = [
      { ...at(0, 0), factor: 1 },
      { ...at(1, 0), factor: -2 },
    ];
    const rate = { left: at(0), right: at(1), factor: 3 };
    const constraint = {
      left: at(0),
      right: at(1),
      factor: 1,
      offset: 0.5,
      rate,
      by,
      text: "a.y = b.y",
      place,
    };
    const { coupling } = coupled({ a: unit(), b: unit() }, "", {
      extras: { constraints: [constraint] },
    });
    expect(
      coupling.inputs.map(({ name, source, order, factor }) => [name, source, order, factor]),
    ).toEqual([
      ["a.u", -1, 1, 1],
      ["b.u", -1, 1, -2],
    ]);
    expect(coupling.constraints[0]).toMatchObject({
      offset: 0.5,
      by: [
        { input: 0, factor: 1 },
        { input: 1, factor: -2 },
      ],
      rate: { factor: 3 },
    });
    expect(coupling.components).toMatchObject([{ units: [0, 1], cyclic: true, constraints: [0] }]);
    expect(coupling.stages.every(({ inParts }) => inParts)).toBe(true);
  });
});

describe("discrete inputs", () => {
  const sink = describedUnit("u -> y", { type: "boolean", through: "", capabilities: ABLE });

  it("[IT21] keep the start's value inside an iterated loop, and where they are delayed", () => {
    const both = describedUnit("u -> y", { through: "", capabilities: ABLE });
    const discrete = coupled({ a: sink, b: sink }, "a.y -> b.u");
    expect(discrete.coupling.keepsStart).toBe(false);
    expect(
      coupled({ a: sink, b: sink }, "a.y -> b.u", { kind: "delayed" }).coupling.keepsStart,
    ).toBe(true);
    expect(coupled({ a: both, b: both }, RING).coupling.keepsStart).toBe(false);
  });

  it("[PN26] are written as they are held", () => {
    const { coupling, text } = coupled({ a: sink, b: sink }, "a.y -> b.u");
    expect(text(coupling.stages[1].writeHeld)).toEqual(["write b.u"]);
    expect(coupling.inputs).toEqual([]);
  });
});

describe("bonds", () => {
  it("[PB1] know both inputs, both outputs and the factors of their connections", () => {
    const bonds = [{ name: "shaft", effort: 0, flow: 1, preserve: "energy" as const, place }];
    const { coupling, text } = coupled(
      { a: unit(), b: unit() },
      "a.y -> b.u * -2; b.y -> a.u * 3",
      { extras: { bonds } },
    );
    const [bond] = coupling.bonds;
    expect(bond).toMatchObject({
      name: "shaft",
      effortInput: 0,
      flowInput: 1,
      effortFactor: -2,
      flowFactor: 3,
      preserve: "energy",
    });
    expect([text(bond.readEffort), text(bond.readFlow)]).toEqual([["read a.y"], ["read b.y"]]);
    const names = coupling.statistics.map(({ name }) => name);
    expect(names.slice(0, 2)).toEqual(["bond.shaft.power", "bond.shaft.energy"]);
  });
});

describe("an instant in event mode", () => {
  const events: Partial<Capabilities> = { eventMode: true };
  const writes = ({ instant }: CouplingPlan): string[] =>
    instant.flatMap((part) => part.writes.map(({ unit: u, port }) => `${u}.${port}`));

  it("[EV7] writes every connected input once, also one that several connections feed", () => {
    const wide = describedUnit("u -> y", {
      through: "",
      shape: [2],
      capabilities: { ...ABLE, ...events },
    });
    const one = unit();
    const { coupling } = coupled(
      { a: one, b: wide, c: one },
      "a.y -> b.u; c.y -> b.u",
      {},
      (scenario) => ({
        ...scenario,
        connections: scenario.connections.map((connection, i) => ({
          ...connection,
          toElement: i,
          count: 1,
        })),
      }),
    );
    expect(writes(coupling)).toEqual(["1.0"]);
  });

  it("[EV7] writes inputs with feed-through where they are resolved, the others at the end", () => {
    const through = describedUnit("u, v -> y, z", {
      through: "y",
      capabilities: { ...ABLE, ...events },
    });
    const ports = through.ports.map((port) =>
      port.name === "y" ? { ...port, feedThrough: [0] } : port,
    );
    const { coupling } = coupled(
      { a: unit(), b: { ...through, ports }, c: unit() },
      "a.y -> b.u; a.y -> b.v; b.y -> c.u",
    );
    expect(coupling.instant.map((part) => part.writes.map(({ port }) => port))).toEqual([[0], [1]]);
    expect(coupling.instant[1].ops.length).toBeGreaterThan(0);
  });

  it("[EV14] is empty where no unit has event mode, or it is off", () => {
    expect(coupled({ a: unit(), b: unit() }, RING).coupling.instant).toEqual([]);
    const off = coupled({ a: unit(events), b: unit(events) }, RING, {
      options: { eventMode: false },
    });
    expect(off.coupling.instant).toEqual([]);
  });
});
