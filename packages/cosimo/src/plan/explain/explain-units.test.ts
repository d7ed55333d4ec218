/**
 * What an explanation says of units, connections and masters: abilities, sources, needs.
 */
import { describe, expect, it } from "vitest";
import type { Connection, Scenario, UnitSource } from "../../model/scenario.ts";
import { testDraft } from "../../model/testing/plain-data.ts";
import type { Capabilities, UnitDescription } from "../../model/unit-description.ts";
import { describedUnit } from "../testing/described-unit.ts";
import { type ExplainedOptions, explained } from "../testing/explained.ts";
import type { ConnectionExplanation, MasterNeed } from "./explanation.ts";

const able: Partial<Capabilities> = { rollback: true, variableStep: true };
const unit = (capabilities: Partial<Capabilities> = {}): UnitDescription =>
  describedUnit("u -> y", { through: "", capabilities });
const RING = "a.y -> b.u; b.y -> a.u";
const place = { file: "test" };

describe("what a unit can do", () => {
  const NOTHING = [
    "no rollback",
    "constant steps only",
    "no input slopes",
    "no directional derivatives",
  ];
  const listed = (capabilities: Partial<Capabilities>): [string[], string[]] => {
    const [{ can, cannot }] = explained({ a: unit(capabilities) }, "").units;
    return [[...can], [...cannot]];
  };

  it.each<[Partial<Capabilities>, string[], string[]]>([
    [{}, [], NOTHING],
    [{ rollback: true }, ["rollback"], NOTHING.slice(1)],
    [{ variableStep: true }, ["steps of any size"], NOTHING.filter((_, i) => i !== 1)],
    [{ inputDerivativeOrder: 1 }, ["input slopes"], NOTHING.filter((_, i) => i !== 2)],
    [{ directionalDerivatives: true }, ["directional derivatives"], NOTHING.slice(0, 3)],
    [{ eventMode: true }, ["events"], NOTHING],
    [{ intermediateUpdate: true }, ["intermediate updates"], NOTHING],
    [{ serialize: true }, ["its state as bytes"], NOTHING],
    [{ oncePerProcess: true }, [], [...NOTHING, "one instance per process"]],
    [{ needsExecutionTool: true }, [], [...NOTHING, "needs its tool"]],
  ])("[PN67] with %j", (capabilities, can, cannot) => {
    expect(listed(capabilities)).toEqual([can, cannot]);
  });

  it("[PN67] is listed with the kinds of its ports, and outputs that disclose nothing", () => {
    const mixed = describedUnit("r!, d~, n -> y, z", { through: "y" });
    const ports = mixed.ports.map(({ feedThrough, ...port }) =>
      port.name === "z" ? port : { ...port, ...(feedThrough && { feedThrough }) },
    );
    const [first, second] = explained(
      { a: { ...mixed, ports }, b: describedUnit("-> y") },
      "",
    ).units;
    expect(first).toMatchObject({
      reactive: ["r"],
      delayed: ["d"],
      undeclared: ["n"],
      mealy: ["y", "z"],
      moore: [],
      undisclosed: ["z"],
    });
    // Without inputs there is nothing to depend on.
    expect(second).toMatchObject({ mealy: [], moore: ["y"], undisclosed: [] });
  });
});

describe("where a unit comes from", () => {
  const adapted = (inner: UnitSource, ...values: readonly [string, number][]): UnitSource => ({
    kind: "adapted",
    adaptation: "multi-rate",
    arguments: values.map(([name, value]) => ({ name, value, place })),
    inner,
    place,
  });
  const fmu: UnitSource = { kind: "fmu", path: "decay.fmu" };
  const inner = testDraft([], { name: "inside" });

  it.each<[string, UnitSource, UnitDescription["backend"], string, string]>([
    ["a module", { kind: "module", path: "a.ts" }, "typescript", "TypeScript", "described"],
    ["an FMU of version 2", fmu, "fmi2", "FMI 2.0 FMU", "described"],
    ["an FMU of version 3", fmu, "fmi3", "FMI 3.0 FMU", "described"],
    [
      "an adaptation",
      { kind: "adaptation", path: "a.sa" },
      "typescript",
      "adaptation",
      "described",
    ],
    [
      "a machine",
      { kind: "machine", path: "a.machine.yaml" },
      "typescript",
      "state machine",
      "described",
    ],
    [
      "a scenario file",
      { kind: "scenario-file", path: "a.yaml" },
      "typescript",
      "scenario",
      "described",
    ],
    [
      "a scenario in place",
      { kind: "scenario", scenario: inner },
      "typescript",
      "scenario",
      "described",
    ],
    ["an adapted FMU", adapted(fmu), "fmi2", "decay.fmu in multi-rate", "a"],
    [
      "an adapted FMU with arguments",
      adapted(fmu, ["rate", 10], ["gain", 2]),
      "fmi2",
      "decay.fmu in multi-rate { rate: 10, gain: 2 }",
      "a",
    ],
    [
      "two adaptations, the inner one first",
      adapted(adapted(fmu, ["rate", 10])),
      "fmi2",
      "decay.fmu in multi-rate { rate: 10 } in multi-rate",
      "a",
    ],
    [
      "an adapted scenario in place",
      adapted({ kind: "scenario", scenario: inner }),
      "typescript",
      "inside in multi-rate",
      "a",
    ],
  ])("[PN67] %s", (_, source, backend, expected, model) => {
    const change = (scenario: Scenario): Scenario => ({
      ...scenario,
      units: scenario.units.map((one) => ({ ...one, source })),
    });
    const [found] = explained({ a: { ...unit(), backend } }, "", { change }).units;
    expect([found.backend, found.model]).toEqual([expected, model]);
  });
});

describe("a connection", () => {
  const first = (
    more: Partial<Connection>,
    options: ExplainedOptions = {},
  ): ConnectionExplanation =>
    explained({ a: unit(able), b: unit(able) }, RING, {
      ...options,
      change: (scenario) => ({
        ...scenario,
        connections: scenario.connections.map((c, i) => (i === 0 ? { ...c, ...more } : c)),
      }),
    }).connections[0];

  it.each<[Partial<Connection>, string | undefined]>([
    [{}, undefined],
    [{ factor: 2 }, "· 2"],
    [{ offset: 3 }, "+ 3"],
    [{ offset: -3 }, "- 3"],
    [{ factor: -0.5, offset: 3 }, "· -0.5 + 3"],
    [{ conversion: "degC → K", offset: 273.15 }, "degC → K (+ 273.15)"],
    [{ conversion: "m → m" }, "m → m"],
    [{ mapping: [{ from: 1, to: 2 }], factor: 2 }, "value table"],
  ])("[PN63] with %j is converted: %s", (more, expected) => {
    expect(first(more).conversion).toBe(expected);
  });

  it("[PN63] has the kind that its connection declares, else that of the unit, else none", () => {
    const kinds = ({ kind, kindFrom, heldThoughReactive }: ConnectionExplanation) => [
      kind,
      kindFrom,
      heldThoughReactive,
    ];
    expect(kinds(first({}))).toEqual(["undeclared", "default", false]);
    expect(kinds(first({ kind: "reactive" }))).toEqual(["reactive", "connection", true]);
    expect(kinds(first({ kind: "delayed" }))).toEqual(["delayed", "connection", false]);
    const follows = describedUnit("u! -> y", { through: "", capabilities: able });
    const { connections } = explained({ a: unit(), b: follows }, "a.y -> b.u", {
      master: "gauss-seidel",
    });
    expect(kinds(connections[0])).toEqual(["reactive", "unit", false]);
  });

  it("[PN23] counts the micro-steps of its unit, under every master", () => {
    const options = { options: { approximation: "linear", microSteps: 3 } };
    expect(first({}, options)).toMatchObject({ through: "micro-steps", parts: 3 });
    expect(first({}, { ...options, master: "iterative" })).toMatchObject({ parts: 3 });
    expect(first({})).not.toHaveProperty("parts");
  });

  it("[CO12] says when it exchanges under a master without common steps, and under no other", () => {
    expect(first({}, { master: "event-driven" }).exchanges).toEqual({
      when: "every 0.1 s",
      reason: "the source is continuous: it is sampled",
    });
    expect(first({})).not.toHaveProperty("exchanges");
  });
});

describe("the order", () => {
  const matters = (options: ExplainedOptions): boolean =>
    explained({ a: unit(able), b: unit(able) }, RING, options).order.matters;

  it("[PN67] matters where an input uses the end of the step, or steps are iterated", () => {
    expect(matters({})).toBe(false);
    expect(matters({ master: "gauss-seidel" })).toBe(true);
    expect(matters({ master: "gauss-seidel", kind: "delayed" })).toBe(false);
    expect(matters({ master: "iterative" })).toBe(true);
  });
});

describe("what a master that decides at run time needs", () => {
  const at = (u: number) => ({ unit: u, port: 1, element: 0 });
  const needs = (
    a: Partial<Capabilities>,
    options: ExplainedOptions,
    wires = RING,
  ): readonly MasterNeed[] =>
    explained({ a: unit(a), b: unit(able) }, wires, { master: "iterative", ...options }).master
      .needs;
  const detail = (list: readonly MasterNeed[], part: string): string | undefined =>
    list.find(({ need }) => need.includes(part))?.detail;

  it.each<[string, ExplainedOptions, string, string]>([
    [
      "sweeps to newton by default",
      {},
      "rollback of",
      "all can; each step is repeated until they agree, from sweeps to newton as needed; newton takes one more step per input and unit where it must renew its derivatives",
    ],
    [
      "a chosen method",
      { options: { method: "aitken" } },
      "rollback of",
      "all can; each step is repeated until they agree, by aitken; newton takes one more step per input and unit where it must renew its derivatives",
    ],
    [
      "corrections, one more than given",
      { options: { corrections: 1 } },
      "rollback of",
      "all can; each step is taken 2 times",
    ],
    [
      "waveforms",
      { options: { corrections: 1, waveform: 2 } },
      "rollback of",
      "all can; each step is taken 2 times, exchanging waveforms of 2 pieces",
    ],
    [
      "an adaptive master",
      { master: "adaptive" },
      "all units (milne)",
      "all can: a step with too large an error is rejected",
    ],
    [
      "an explicit exchange",
      { master: "adaptive", options: { coupling: "jacobi" } },
      "rollback in loops",
      "not needed: the exchange is explicit",
    ],
  ])("[IT16] %s", (_, options, part, expected) => {
    expect(detail(needs(able, options), part)).toBe(expected);
  });

  it("[IT16] gets derivatives from the units where all of them have some", () => {
    const exact = { ...able, directionalDerivatives: true };
    const both = { a: unit(exact), b: unit(exact) };
    const found = explained(both, RING, { master: "iterative" }).master.needs;
    expect(detail(found, "rollback of")).toContain("newton gets derivatives from the units");
    expect(detail(needs(exact, {}), "rollback of")).toContain("one more step");
  });

  it("[IT16] is nothing where there is no loop", () => {
    expect(detail(needs(able, {}, "a.y -> b.u"), "rollback in loops")).toBe(
      "there is no loop: units are advanced in sequence",
    );
  });

  it("[PN65] names units of constant steps", () => {
    expect(detail(needs({ rollback: true }, {}), "steps of any size")).toBe(
      "a take constant steps only: a step that fails cannot be halved, and events count at communication points",
    );
    expect(detail(needs(able, {}), "steps of any size")).toBe("every unit can take them");
  });

  it("[AD10] keeps steps where a unit cannot roll back", () => {
    const stuck = { variableStep: true };
    const options = { master: "adaptive", options: { coupling: "jacobi" } };
    expect(needs(stuck, options).find(({ need }) => need.includes("milne"))).toEqual({
      need: "rollback of all units (milne)",
      met: true,
      detail: "a cannot: a step with too large an error is kept and the next one is smaller",
    });
  });

  it("[EV6] [EV7] counts crossings, and names units with event mode", () => {
    const event = { signal: at(1), level: 1, direction: "any" as const, text: "", place };
    const located = (count: number, a: Partial<Capabilities>): readonly MasterNeed[] =>
      needs(a, {
        master: "adaptive",
        options: { coupling: "jacobi" },
        change: (s) => ({ ...s, events: Array.from({ length: count }, () => event) }),
      });
    expect(detail(located(1, able), "a crossing to be located")).toBe(
      "to tolerance: all units can roll back",
    );
    expect(detail(located(2, { variableStep: true }), "2 crossings to be located")).toBe(
      "a cannot roll back: steps become smaller near the level, and the delay is reported",
    );
    expect(located(0, able).some(({ need }) => need.includes("located"))).toBe(false);
    const events = { ...able, eventMode: true };
    expect(detail(needs(events, {}), "events at one instant")).toBe(
      "a handle them in event mode, all connected units together",
    );
    const off = needs(events, { options: { eventMode: false } });
    expect(detail(off, "events at one instant")).toBeUndefined();
    expect(detail(needs(able, {}), "events at one instant")).toBeUndefined();
  });

  it("[PB1] names bonds, and those that are corrected", () => {
    const bond = (name: string, preserve: "nothing" | "energy") => ({
      name,
      effort: 0,
      flow: 1,
      preserve,
      place,
    });
    const watched = (...bonds: readonly ReturnType<typeof bond>[]): string | undefined =>
      detail(needs(able, { change: (s) => ({ ...s, bonds }) }), "energy of bonds");
    expect(watched(bond("shaft", "nothing"))).toBe("shaft watched");
    expect(watched(bond("shaft", "nothing"), bond("rope", "energy"))).toBe(
      "shaft, rope watched; rope corrected",
    );
    expect(watched()).toBeUndefined();
  });
});
