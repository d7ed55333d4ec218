/**
 * When connections exchange under the master 'event-driven', and what a plan refuses of it.
 */
import { describe, expect, it } from "vitest";
import type { Connection, Scenario, Trigger } from "../model/scenario.ts";
import type { Capabilities, Nature } from "../model/unit-description.ts";
import { codesOf, findingsOf } from "./testing/codes-of.ts";
import { describedUnit } from "./testing/described-unit.ts";
import { scenarioOf } from "./testing/scenario-of.ts";
import { chooseTrigger, triggerText } from "./triggers.ts";

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
      "every 0.5 s",
      "the source is piecewise constant, and its unit does not report updates: it is sampled",
    ],
    ["continuous", ["updated"], "every 0.5 s", "the source is continuous: it is sampled"],
    ["constant", [], "every 0.5 s", "the source is constant: it is sampled"],
  ])("[CO9] exchanges as its source does: %s, reporting %j", (nature, predicates, when, reason) => {
    const { trigger, reason: why, problem } = chosen(exchange(nature, predicates));
    expect([triggerText(trigger), why, problem]).toEqual([when, reason, undefined]);
  });

  it("[CO11] from a source of events needs a unit that reports them", () => {
    expect(chosen(exchange("transient", ["updated"])).problem?.why).toBe("'a' does not report it");
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
    expect([found.trigger, found.reason, found.problem?.why]).toEqual([trigger, "as written", why]);
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

  it("[CO11] refuses units that refuse steps or have clocks, and names them", () => {
    const withUnit = (
      change: (unit: Scenario["units"][number]["description"]) => object,
    ): string[] =>
      findingsOf({
        ...plain,
        units: plain.units.map((unit, u) =>
          u === 1
            ? { ...unit, description: { ...unit.description, ...change(unit.description) } }
            : unit,
        ),
      }).map(({ code, message }) => `${code}: ${message}`);
    const tail = "which needs a master with common steps";
    expect(
      withUnit((d) => ({ capabilities: { ...d.capabilities, refusesSteps: true } })),
    ).toContain(`event-driven-unit: 'b' may refuse steps, ${tail}`);
    const clock = { interval: "constant", shift: 0, seconds: 1 };
    const ticking = withUnit((d) => ({ ports: d.ports.map((port) => ({ ...port, clock })) }));
    expect(ticking).toContain(`event-driven-unit: 'b' has clocks, ${tail}`);
  });

  it("[CO8] [CO11] triggers are ignored by every other master, which is an error", () => {
    const triggered = exchange("continuous", [], [], { trigger: every(1) });
    expect(codesOf(triggered)).toEqual([]);
    expect(codesOf(triggered, { master: "jacobi" })).toEqual(["trigger-ignored"]);
    const unnamed = { ...triggered, master: { ...triggered.master, name: "" } };
    expect(codesOf(unnamed)).toEqual([]);
  });
});
