/**
 * What a request to compile may say: start, step, master, columns; and which of the scenario's
 * words give way.
 */
import { describe, expect, it } from "vitest";
import type { Scenario } from "../model/scenario.ts";
import type { Capabilities, UnitDescription } from "../model/unit-description.ts";
import { decidesAtRunTime } from "./compile.ts";
import { codesOf, findingsOf } from "./testing/codes-of.ts";
import { describedUnit } from "./testing/described-unit.ts";
import { planFor } from "./testing/plan-for.ts";
import { scenarioOf } from "./testing/scenario-of.ts";

const ABLE: Partial<Capabilities> = { rollback: true, variableStep: true };
const unit = (more: Partial<Capabilities> = {}): UnitDescription =>
  describedUnit("u -> y", { through: "", capabilities: { ...ABLE, ...more } });
const RING = "a.y -> b.u; b.y -> a.u";
const ring = (options: Parameters<typeof scenarioOf>[2] = {}): Scenario =>
  scenarioOf({ a: unit(), b: unit() }, RING, { step: 1, ...options });
const place = { file: "test" };
const at = { unit: 0, port: 1, element: 0 };

describe("a request", () => {
  it("[PN37] comes before the scenario: start, step, master, rows", () => {
    const scenario = {
      ...ring(),
      experiment: { start: 2, step: 1 },
      record: { patterns: [], every: 4 },
    };
    const { start, step, master, record } = planFor(scenario);
    expect([start, step, master, record.every]).toEqual([2, 1, "jacobi", 4]);
    const asked = planFor(scenario, {
      start: 3,
      step: 0.5,
      master: "gauss-seidel",
      recordEvery: 2,
    });
    expect([asked.start, asked.step, asked.master, asked.record.every]).toEqual([
      3,
      0.5,
      "gauss-seidel",
      2,
    ]);
  });

  it("[PN37] without a start begins at 0", () => {
    expect(planFor({ ...ring(), experiment: { step: 1 } }).start).toBe(0);
  });

  it("[PN64] takes the step of the experiment before what units prefer, and their experiment before their capability", () => {
    const prefers = (step: number | undefined, preferredStep?: number): UnitDescription => ({
      ...unit(preferredStep === undefined ? {} : { preferredStep }),
      experiment: step === undefined ? {} : { step },
    });
    const stepOf = (a: UnitDescription, step?: number): number =>
      planFor(scenarioOf({ a, b: unit() }, RING, step === undefined ? {} : { step })).step;
    expect(stepOf(prefers(0.5), 2)).toBe(2);
    expect(stepOf(prefers(0.5, 0.1))).toBe(0.5);
    expect(stepOf(prefers(undefined, 0.1))).toBe(0.1);
    expect(codesOf(scenarioOf({ a: prefers(0), b: unit() }, RING))).toEqual(["step-missing"]);
  });

  it("[IT20] leaves options of the master in the file alone where it names another one", () => {
    const written = ring({ master: "iterative", options: { waveform: 2 } });
    expect(codesOf(written)).toEqual([]);
    expect(codesOf(written, { master: "adaptive" })).toEqual([]);
    const unknown = ring({ master: "adaptive", options: { wave: 2 } });
    expect(codesOf(unknown)).toEqual(["master-option-unknown"]);
    expect(codesOf(unknown, { master: "iterative" })).toEqual([]);
  });

  it.each(["jacobi", "gauss-seidel", ""])(
    "[IT15] refuses options that no master has under '%s'",
    (master) => {
      expect(codesOf(ring({ master, options: { algorithm: "iterative" } }))).toEqual([
        "master-option-unknown",
      ]);
      expect(codesOf(ring({ master, options: { method: "newton", order: "automatic" } }))).toEqual(
        [],
      );
    },
  );
});

describe("a master that decides at run time", () => {
  const event = { signal: at, level: 1, direction: "any" as const, text: "e", place };

  it.each<[string, Partial<Scenario>, Partial<Capabilities>, boolean]>([
    ["nothing", {}, {}, false],
    ["an event", { events: [event] }, {}, true],
    ["a limit", { limits: [{ kind: "at", times: [1] }] }, {}, true],
    [
      "a bond",
      { bonds: [{ name: "b", effort: 0, flow: 1, preserve: "nothing", place }] },
      {},
      true,
    ],
    ["a unit that refuses steps", {}, { refusesSteps: true }, true],
  ])("[IT20] is needed for %s: %o", (_, more, capabilities, expected) => {
    const scenario = {
      ...scenarioOf({ a: unit(capabilities), b: unit() }, RING, { step: 1 }),
      ...more,
    };
    expect(decidesAtRunTime(scenario, "jacobi")).toBe(expected);
    expect(planFor(scenario).coupling !== undefined).toBe(expected);
    // A unit that runs alone is handled outside of the plan.
    expect(planFor(scenario, { isSingle: true }).coupling).toBeUndefined();
  });

  it("[IT20] is needed for a clock and for an integral, and by its name", () => {
    const clock = { interval: "constant" as const, seconds: 1, shift: 0 };
    const ticking = { ...unit(), ports: unit().ports.map((port) => ({ ...port, clock })) };
    expect(decidesAtRunTime(scenarioOf({ a: ticking }, ""), "jacobi")).toBe(true);
    const scenario = ring();
    const [one, other] = scenario.connections;
    const kept = { ...scenario, connections: [one, { ...other, integral: { unit: 1, port: 1 } }] };
    expect(decidesAtRunTime(kept, "jacobi")).toBe(true);
    const straight = ["jacobi", "gauss-seidel", "event-driven"] as const;
    expect(straight.map((name) => decidesAtRunTime(scenario, name))).toEqual([false, false, false]);
    expect(
      (["iterative", "adaptive"] as const).map((name) => decidesAtRunTime(scenario, name)),
    ).toEqual([true, true]);
  });

  it("[IT15] has one step for all units: a longer one is refused, an equal one is not", () => {
    const codes = (own: number): string[] =>
      codesOf(ring({ master: "iterative", steps: { a: own } }));
    expect([codes(0.5), codes(1), codes(2)]).toEqual([[], [], ["unit-step-too-long"]]);
  });

  it("[EV14] has no event mode inside another scenario", () => {
    const events = scenarioOf({ a: unit({ eventMode: true }), b: unit() }, RING, {
      step: 1,
      master: "iterative",
    });
    expect(planFor(events).coupling?.settings.eventMode).toBe(true);
    expect(planFor(events, { isNested: true }).coupling?.settings.eventMode).toBe(false);
  });

  it("[IT12] must iterate to hold a constraint", () => {
    const by = [{ unit: 0, port: 0, element: 0, factor: 1 }];
    const right = { unit: 1, port: 1, element: 0 };
    const constraint = { left: at, right, factor: 1, offset: 0, by, text: "a.y = b.y", place };
    const held = (master: string, options = {}): string[] =>
      codesOf({
        ...scenarioOf({ a: unit(), b: unit() }, "", { step: 1, master, options }),
        constraints: [constraint],
      });
    expect(held("iterative")).toEqual([]);
    expect(held("jacobi")).toContain("constraint-needs-iteration");
    expect(held("adaptive", { coupling: "gauss-seidel" })).toContain("constraint-needs-iteration");
    expect(held("adaptive")).toEqual([]);
  });
});

describe("policies and guards", () => {
  const policies = { quick: { set: {} }, careful: { set: {} } };

  it("[GU8] are used by the adaptive master alone; others warn", () => {
    expect(codesOf(ring({ master: "adaptive", options: { policies } }))).toEqual([]);
    for (const master of ["jacobi", "gauss-seidel", "event-driven"]) {
      const [found] = findingsOf(ring({ master, options: { policies } }));
      expect([found.code, found.severity]).toEqual(["policies-idle", "warning"]);
      expect(found.message).toContain(`'${master}'`);
    }
  });

  it("[GU8] a guard without policies is an error, one that is off is none", () => {
    const guard = { policies: [], automaton: { nodes: 1, edges: [] }, start: 0 };
    expect(codesOf(ring({ master: "adaptive", options: { guard } }))).toEqual([
      "guard-without-policies",
    ]);
    expect(codesOf(ring({ master: "adaptive", options: { guard: "off" } }))).toEqual([]);
  });
});
