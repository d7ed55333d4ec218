/**
 * When connections exchange under the master 'event-driven', and what a plan refuses of it.
 */
import { describe, expect, it } from "vitest";
import type { Connection, Scenario, Trigger } from "../model/scenario.ts";
import type { Capabilities, Nature } from "../model/unit-description.ts";
import { codesOf, findingsOf } from "./testing/codes-of.ts";
import { describedUnit } from "./testing/described-unit.ts";
import { scenarioOf } from "./testing/scenario-of.ts";
import { chooseTrigger, decidingUnit, triggerText } from "./triggers.ts";

const every = (seconds: number): Trigger => ({ kind: "every", seconds });

function exchange(
  nature: Nature,
  source: Capabilities["predicates"],
  target: Capabilities["predicates"] = [],
  change: Partial<Connection> = {},
): Scenario {
  const a = describedUnit("-> y", { capabilities: { predicates: source } });
  const units = {
    a: { ...a, ports: a.ports.map((port) => ({ ...port, nature })) },
    b: describedUnit("u ->", { capabilities: { predicates: target } }),
  };
  const scenario = scenarioOf(units, "a.y -> b.u", { step: 0.5, master: "event-driven" });
  return { ...scenario, connections: scenario.connections.map((c) => ({ ...c, ...change })) };
}

const chosen = (scenario: Scenario) => chooseTrigger(scenario, scenario.connections[0], 0.5);

describe("a connection without a trigger", () => {
  it.each<[Nature, Capabilities["predicates"], string, string]>([
    ["transient", ["event"], "when event", "the source carries events"],
    ["piecewise-constant", ["updated"], "when updated", "the source is piecewise constant"],
    [
      "piecewise-constant",
      ["event"],
      "when updated",
      "the source is piecewise constant; 'a' does not report updates: they are noticed at the end of a communication step",
    ],
    ["continuous", ["updated"], "every 0.5 s", "the source is continuous: it is sampled"],
    ["constant", [], "every 0.5 s", "the source is constant: it is sampled"],
  ])("[CO9] exchanges as its source does: %s, reporting %j", (nature, predicates, when, reason) => {
    const { trigger, reason: why, problem } = chosen(exchange(nature, predicates));
    expect([triggerText(trigger), why, problem]).toEqual([when, reason, undefined]);
  });

  it("[CO31] from a source of events that does not report them is looked at after every step", () => {
    const { trigger, reason, problem } = chosen(exchange("transient", ["updated"]));
    expect([triggerText(trigger), problem]).toEqual(["when event", undefined]);
    expect(reason).toContain("'a' does not report");
  });
});

describe("a written trigger", () => {
  const written = (
    trigger: Trigger,
    nature: Nature = "continuous",
  ): Partial<Connection> & {
    nature: Nature;
  } => ({ trigger, nature });

  it.each<[string, ReturnType<typeof written>, string[], string[], string | undefined]>([
    ["a period", written(every(0.1)), [], [], undefined],
    [
      "updates of a unit that reports them",
      written({ kind: "updated" }),
      ["updated"],
      [],
      undefined,
    ],
    [
      "updates of one that does not",
      written({ kind: "updated" }),
      ["event"],
      ["updated"],
      "'a' does not report it",
    ],
    [
      "reads of a target that reports them",
      written({ kind: "ready-to-read" }),
      [],
      ["ready-to-read"],
      undefined,
    ],
    [
      "reads of one that does not",
      written({ kind: "ready-to-read" }),
      ["ready-to-read"],
      [],
      "'b' does not report it",
    ],
    [
      "events of a source of events",
      written({ kind: "event" }, "transient"),
      ["event"],
      [],
      undefined,
    ],
    [
      "events of a value that lasts",
      written({ kind: "event" }),
      ["event"],
      [],
      "'a.y' has a value that lasts, and no events",
    ],
  ])("[CO11] is followed as written: %s", (_, { nature, trigger }, source, target, why) => {
    const scenario = exchange(
      nature,
      source as Capabilities["predicates"],
      target as Capabilities["predicates"],
      trigger && { trigger },
    );
    const found = chosen(scenario);
    expect([found.trigger, found.problem?.why]).toEqual([trigger, why]);
    expect(found.reason.split(";")[0]).toBe("as written");
  });

  const threshold = (unit: number, port = 0): Trigger => ({
    kind: "threshold",
    port: { unit, port, element: 0 },
    level: 2,
    direction: "rising",
  });
  const able = { rollback: true, variableStep: true };
  /** The unit a with other capabilities. */
  const withSource = (trigger: Trigger, more: Partial<Capabilities>, nature: Nature): Scenario => {
    const scenario = exchange(nature, [], [], { trigger });
    const [a, b] = scenario.units;
    const capabilities = { ...a.description.capabilities, ...more };
    return { ...scenario, units: [{ ...a, description: { ...a.description, capabilities } }, b] };
  };

  it.each<[string, Trigger, Partial<Capabilities>, string | undefined]>([
    ["reported updates", { kind: "updated" }, { predicates: ["updated"] }, undefined],
    ["updates in event mode", { kind: "updated" }, { eventMode: true }, undefined],
    [
      "updates of a unit that rolls back",
      { kind: "updated" },
      able,
      "updates: they are located by repeating its steps",
    ],
    [
      "updates of one that does not",
      { kind: "updated" },
      { rollback: true },
      "updates: they are noticed at the end of a communication step",
    ],
    [
      "updates of one with fixed steps",
      { kind: "updated" },
      { variableStep: true },
      "updates: they are noticed at the end of a communication step",
    ],
    ["reported crossings", threshold(0), { predicates: ["threshold"] }, undefined],
    [
      "crossings beside event mode",
      threshold(0),
      { ...able, predicates: ["threshold"], eventMode: true },
      "crossings: they are located by repeating its steps",
    ],
    [
      "crossings that are not reported",
      threshold(0),
      {},
      "crossings: they are noticed at the end of a communication step",
    ],
    ["a period", every(1), {}, undefined],
  ])("[CO12] says how it comes to know of %s", (_, trigger, more, expected) => {
    const { reason, problem } = chosen(withSource(trigger, more, "piecewise-constant"));
    const note = expected === undefined ? "" : `; 'a' does not report ${expected}`;
    expect([reason, problem]).toEqual([`as written${note}`, undefined]);
  });

  it("[CO11] is decided by the source, by the target for reads, by its own unit for levels, or by none", () => {
    const ends = { from: { unit: 3, port: 0 }, to: { unit: 5, port: 0 } };
    const kinds = ["updated", "event", "ready-to-read"] as const;
    expect(kinds.map((kind) => decidingUnit(ends, { kind }))).toEqual([3, 3, 5]);
    expect([decidingUnit(ends, threshold(7)), decidingUnit(ends, every(1))]).toEqual([
      7,
      undefined,
    ]);
  });

  it("[CO11] compares a scalar, of any unit", () => {
    const scenario = exchange("continuous", [], [], { trigger: threshold(2) });
    const units = [...scenario.units, { ...scenario.units[0], name: "c" }];
    expect(chosen({ ...scenario, units }).problem).toBeUndefined();
    const [a, b] = scenario.units;
    const ports = a.description.ports.map((port) => ({ ...port, shape: [2] }));
    const wide = { ...a, description: { ...a.description, ports } };
    const own = exchange("continuous", [], [], { trigger: threshold(0) });
    expect(chosen({ ...own, units: [wide, b] }).problem?.why).toBe("'a.y' is an array");
    expect(chosen(own).problem).toBeUndefined();
  });

  it("[CO12] is shown with its level, and its port where the scenario is known", () => {
    const falling: Trigger = {
      kind: "threshold",
      port: { unit: 1, port: 0, element: 0 },
      level: -1,
      direction: "falling",
    };
    const scenario = exchange("continuous", []);
    expect(triggerText(threshold(0), scenario)).toBe("when a.y > 2");
    expect(triggerText(falling, scenario)).toBe("when b.u < -1");
    expect(triggerText(falling)).toBe("when a signal < -1");
  });

  it("[CO9] keeps its own period beside the step", () => {
    expect(triggerText(chosen(exchange("continuous", [], [], { trigger: every(2) })).trigger)).toBe(
      "every 2 s",
    );
  });

  it("negates booleans only", () => {
    const flags = {
      a: describedUnit("-> y", { type: "boolean" }),
      b: describedUnit("u ->", { type: "boolean" }),
    };
    const scenario = scenarioOf(flags, "a.y -> b.u");
    const toggled = { ...scenario.connections[0], interaction: "toggle" as const };
    expect(chooseTrigger(scenario, toggled, 1).problem).toBeUndefined();
    expect(chosen(exchange("continuous", [], [], { interaction: "not" })).problem).toEqual({
      why: "'not' is for booleans, and 'b.u' is none",
      fix: "remove 'do', or connect a boolean",
    });
  });
});

describe("a plan for the master 'event-driven'", () => {
  const plain = exchange("continuous", []);
  const place = { file: "test" };
  const at = { unit: 0, port: 0, element: 0 };

  it("[CO11] refuses what needs common steps, each with its code", () => {
    expect(codesOf(plain)).toEqual([]);
    expect(codesOf(plain, { isNested: true })).toEqual(["event-driven-nested"]);
    const events = [
      { signal: at, level: 1, direction: "any" as const, text: "a.y crosses 1", place },
    ];
    const limits = [{ kind: "at" as const, times: [1] }];
    const [declared] = findingsOf({ ...plain, events, limits });
    expect(declared.code).toBe("event-driven-declared");
    expect(declared.message).toContain("it cannot follow 'events', 'limits'");
    const integral = exchange("continuous", [], [], { integral: { unit: 0, port: 0 } });
    expect(findingsOf(integral).map(({ message }) => message)).toEqual([
      "'event-driven' has no common steps, so it cannot follow 'integral'",
    ]);
  });

  it("[CO11] refuses units that judge steps by their inputs at the end, and names them", () => {
    const codes = (notation: string, refusesSteps: boolean): string[] => {
      const sink = describedUnit(notation, { capabilities: { refusesSteps } });
      const units = { a: describedUnit("-> y"), b: sink };
      const scenario = scenarioOf(units, "a.y -> b.u", { step: 1, master: "event-driven" });
      return findingsOf(scenario).map(({ code, message }) => `${code}: ${message}`);
    };
    expect(codes("u! ->", true)).toEqual([
      "event-driven-unit: 'b' may refuse a step because of 'u' at its end, which needs a master with common steps",
    ]);
    for (const [notation, refuses] of [
      ["u! ->", false],
      ["u ->", true],
      ["u~ ->", true],
    ] as const)
      expect(codes(notation, refuses)).toEqual([]);
  });

  it("[CO11] under other masters clocks are connected with clocks only", () => {
    const scenario = scenarioOf(
      {
        a: describedUnit("-> y", { type: "boolean" }),
        b: describedUnit("u ->", { type: "clock" }),
      },
      "a.y -> b.u",
      { step: 1 },
    );
    expect(codesOf(scenario, { master: "jacobi" })).toContain("events-mixed");
    expect(codesOf(scenario, { master: "event-driven" })).not.toContain("events-mixed");
  });

  it("[CO8] [CO11] triggers are ignored by every other master, which is an error", () => {
    const triggered = exchange("continuous", [], [], { trigger: every(1) });
    expect(codesOf(triggered)).toEqual([]);
    expect(codesOf(triggered, { master: "jacobi" })).toEqual(["trigger-ignored"]);
    const unnamed = { ...triggered, master: { ...triggered.master, name: "" } };
    expect(codesOf(unnamed)).toEqual([]);
  });
});
