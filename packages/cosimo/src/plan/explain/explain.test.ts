import { describe, expect, it } from "vitest";
import type { UnitDescription } from "../../model/unit-description.ts";
import { describedUnit } from "../testing/described-unit.ts";
import { explain } from "../testing/explain.ts";
import { explanationText } from "./explanation-text.ts";

const RING = "a.y -> b.u; b.y -> a.u";

const mealy = describedUnit("u -> y", { through: "y" });
const moore = describedUnit("u -> y", { through: "" });
const able = { variableStep: true };
const reactive = describedUnit("u! -> y", { through: "", capabilities: able });

describe("algebraic loops of two units that feed each other", () => {
  it("[PN60] run through both outputs when both have feed-through", () => {
    const { loops } = explain({ a: mealy, b: mealy }, RING);
    expect(loops).toEqual([
      {
        through: "feed-through",
        path: ["a.y", "b.u", "b.y", "a.u"],
        ports: ["a.y", "b.u", "b.y", "a.u"],
        units: ["a", "b"],
        treatment: "solved at initialization; while stepping b.y → a.u is one step late",
      },
    ]);
  });

  it("[PN61] run through the states when both interpolate, whatever breaks them", () => {
    const sequence = explain({ a: reactive, b: reactive }, RING, { master: "gauss-seidel" });
    expect(sequence.loops).toMatchObject([
      {
        through: "interpolation",
        ports: ["a.y", "b.u", "b.y", "a.u"],
        treatment:
          "a.u uses its source's value of the start instead; an iterating master would solve it",
      },
    ]);
    const atOnce = explain({ a: reactive, b: reactive }, RING, { master: "jacobi" });
    expect(atOnce.loops[0].treatment).toContain("b.u, a.u use their sources' values of the start");
  });

  it("[PN61] mix: feed-through one way, interpolation the other", () => {
    const both = describedUnit("u! -> y", { through: "y", capabilities: able });
    const { loops } = explain({ a: reactive, b: both }, RING, { master: "gauss-seidel" });
    expect(loops.map(({ through }) => through)).toEqual(["interpolation"]);
  });

  it("[PN60] [PN61] are not there without feed-through and with extrapolation", () => {
    expect(explain({ a: moore, b: moore }, RING).loops).toEqual([]);
    expect(explain({ a: mealy, b: moore }, RING).loops).toEqual([]);
  });
});

describe("the explanation of a scenario", () => {
  it("[PN62] tells what unconnected inputs keep, with units, and which elements are left", () => {
    const ports = describedUnit("t, p, q, r -> y", { through: "" }).ports.map((port) => {
      if (port.name === "t") return { ...port, start: [20], unit: { name: "degC" } };
      if (port.name === "p") return { ...port, shape: [3], start: [1, 2, 3] };
      return port;
    });
    const unit: UnitDescription = { ...moore, ports };
    const { openInputs } = explain({ a: unit, b: unit }, "a.y -> b.p", {}, (scenario) => {
      const place = { file: "test" };
      const [a, b] = scenario.units;
      return {
        ...scenario,
        units: [a!, { ...b!, values: [{ port: 2, values: [7], place }] }],
        ports: [{ name: "r", inner: { unit: 1, port: 3 } }],
      };
    });
    expect(openInputs).toEqual([
      { input: "a.t", value: "20 degC", origin: "start value" },
      { input: "a.p", value: "(1, 2, 3)", origin: "start value" },
      { input: "a.q", origin: "unit" },
      { input: "a.r", origin: "unit" },
      { input: "b.t", value: "20 degC", origin: "start value" },
      { input: "b.p[2, 3]", value: "(2, 3)", origin: "start value" },
      { input: "b.q", value: "7", origin: "scenario" },
      { input: "b.r", origin: "outside" },
    ]);
  });

  it("[PN63] says how every input is approximated and converted", () => {
    const sloped = describedUnit("u! -> y", {
      through: "",
      capabilities: { inputDerivativeOrder: 1 },
    });
    const { connections } = explain(
      { a: moore, b: sloped, c: reactive, d: moore },
      "a.y -> b.u; b.y -> c.u; c.y -> d.u",
      { master: "gauss-seidel", options: { microSteps: 4 } },
      (scenario) => ({
        ...scenario,
        connections: scenario.connections.map((c, i) =>
          i === 0 ? { ...c, factor: 0.001, conversion: "mm → m" } : c,
        ),
      }),
    );
    expect(connections).toMatchObject([
      { conversion: "mm → m (· 0.001)", approximation: "interpolation", through: "slopes" },
      { approximation: "interpolation", through: "micro-steps", parts: 4 },
      { approximation: "hold", through: "write", heldThoughReactive: false },
    ]);
  });

  it("[PN64] recommends jacobi where no input is declared reactive, and gauss-seidel for reactive inputs", () => {
    const held = explain({ a: moore, b: moore }, RING).recommendation;
    expect(held.master).toBe("jacobi");
    expect(held.masterReason).toContain("no input is declared reactive");
    const chain = explain({ a: moore, b: reactive }, "a.y -> b.u").recommendation;
    expect(chain.master).toBe("gauss-seidel");
    expect(chain.masterReason).toContain("chain");
    const loop = explain({ a: reactive, b: reactive }, RING).recommendation;
    expect(loop.masterReason).toContain("loop (a, b)");
    expect(explain({ a: moore }, "").recommendation.masterReason).toContain("nothing is coupled");
  });

  it("[PN64] recommends the smallest step that a unit prefers, and smaller ones for delayed loops", () => {
    const prefers = (step: number): UnitDescription => ({ ...mealy, experiment: { step } });
    const { recommendation } = explain({ a: prefers(0.02), b: prefers(0.01) }, RING);
    expect(recommendation.step).toBe(0.01);
    expect(recommendation.stepReason).toContain("'b' prefers it, the smallest of 2 preferences");
    expect(recommendation.stepReason).toContain("halve the step");
    expect(explain({ a: moore }, "").recommendation).toMatchObject({ step: 0.1 });
  });

  it("[PN65] says what the master needs and who cannot do it", () => {
    const once = describedUnit("u -> y", {
      through: "",
      capabilities: { oncePerProcess: true, preferredStep: 0.03 },
    });
    const { master } = explain({ a: once, b: once }, RING, {}, (scenario) => ({
      ...scenario,
      units: scenario.units.map((unit) => ({ ...unit, source: { kind: "fmu", path: "m.fmu" } })),
    }));
    expect(master.needs.filter(({ met }) => !met)).toEqual([
      {
        need: "steps of a fixed size",
        met: false,
        detail:
          "a works with 0.03 s and gets 0.1 s; b works with 0.03 s and gets 0.1 s: choose a whole multiple",
      },
    ]);
    expect(master.needs).toContainEqual({
      need: "every unit in this process",
      met: true,
      detail: "b in processes of their own: their FMU allows one instance per process",
    });
    const fitting = explain({ a: { ...once } }, "", { step: 0.09 }).master;
    expect(fitting.needs.every(({ met }) => met)).toBe(true);
  });

  it("[PN66] classifies by the features of the taxonomy", () => {
    const fmu: UnitDescription = { ...moore, backend: "fmi2" };
    const { classification } = explain(
      { a: fmu, b: mealy, c: reactive },
      "a.y -> c.u; c.y -> b.u",
      {
        master: "gauss-seidel",
        steps: { b: 0.2 },
      },
    );
    const features = new Map(classification.map(({ group, features: list }) => [group, list]));
    expect(features.get("non-functional")).toEqual([
      "configuration reusability",
      "performance",
      "accuracy",
      "IP protection",
    ]);
    expect(features.get("units")).toEqual([
      "causal",
      "local",
      "no time constraints",
      "no rollback",
      "feed-through",
      "input extrapolation",
    ]);
    expect(features.get("framework")).toEqual([
      "FMI",
      "I/O assignments",
      "three or more units",
      "CT",
      "multi-rate",
      "fixed step",
      "explicit coupling",
      "post-mortem results",
      "Gauss-Seidel",
    ]);
  });

  it("[PN66] [PN67] calls units what they are written as", () => {
    const place = { file: "s.yaml" };
    const kinds = [
      { kind: "adaptation", path: "a.sa" },
      { kind: "module", path: "a.mjs" },
      {
        kind: "adapted",
        inner: { kind: "fmu", path: "a.fmu" },
        adaptation: "hold",
        arguments: [{ name: "period", value: 2, place }],
        place,
      },
    ] as const;
    const shown = kinds.map((source) => {
      const { units, classification } = explain({ a: moore }, "", {}, (scenario) => ({
        ...scenario,
        units: scenario.units.map((unit) => ({ ...unit, source })),
      }));
      const features = classification.flatMap((group) => group.features);
      const said = ["FMI", "hierarchy", "platform independence"].filter((f) =>
        features.includes(f),
      );
      return [units[0].backend, ...said];
    });
    expect(shown).toEqual([
      ["adaptation", "hierarchy"],
      ["TypeScript", "platform independence"],
      ["a.fmu in hold { period: 2 }", "FMI", "hierarchy"],
    ]);
  });

  it("[PN67] is a page that people read", () => {
    const text = explanationText(
      explain({ a: moore, b: reactive }, RING, { master: "gauss-seidel", steps: { b: 0.2 } }),
    );
    expect(text).toBe(`units (2)
  a: TypeScript 'described'
    inputs of no declared kind: u
    Moore outputs: y
    - no rollback, constant steps only, no input slopes, no directional derivatives
  b: TypeScript 'described'
    reactive inputs: u
    Moore outputs: y
    + steps of any size
    - no rollback, no input slopes, no directional derivatives

couplings
  a  → b
  b  → a

algebraic loops
  none

inputs within a step
  a.y → b.u  interpolation  in 10 micro-steps
  the other one is held constant

rates
  one tick is 0.1 s
  every tick: a
  every 2 ticks: b

order
  1. a  breaks a loop of inputs that wait for each other: it has no feed-through
  2. b  after a, whose new values it gets

what gauss-seidel needs
  ok  steps of a fixed size                                   every unit can take them
  ok  whole steps                                             no unit ends a step early
  ok  reactive inputs that follow their source within a step  1 of 1 do
  ok  rollback                                                not needed: every step is taken once
  ok  every unit in this process                              all can

recommended
  master gauss-seidel  reactive inputs form a chain: in the right order each gets its source's value at the end of the step
  step 0.1 s           as the scenario says; no unit prefers another

classification
  non-functional  configuration reusability, performance, accuracy, platform independence
  units           causal, local, no time constraints, no rollback, feed-through, input extrapolation
  framework       I/O assignments, two units, CT, multi-rate, fixed step, explicit coupling, post-mortem results, Gauss-Seidel`);
  });
});
