/**
 * Policies and guards of an adaptive master, from what is written to indices.
 */
import { describe, expect, it } from "vitest";
import type { DecisionGuard } from "../model/decision-guard.ts";
import type { Scenario } from "../model/scenario.ts";
import { automatonOf } from "../model/testing/automaton.ts";
import type { Capabilities, Port, UnitDescription } from "../model/unit-description.ts";
import { compilePlan } from "./compile.ts";
import { readGuard, readPolicies } from "./policies.ts";
import { codesOf, findingsOf } from "./testing/codes-of.ts";
import { describedUnit } from "./testing/described-unit.ts";
import { scenarioOf } from "./testing/scenario-of.ts";

const COUPLINGS = ["jacobi", "iterative"] as const;

/** What is refused, and what would fit. */
function refused(given: unknown): string | undefined {
  let said: string | undefined;
  const read = readPolicies(given, COUPLINGS, (found, wanted) => {
    said = `${JSON.stringify(found)}: ${wanted}`;
    return undefined;
  });
  expect(read === undefined).toBe(said !== undefined);
  return said;
}

describe("policies as written", () => {
  it("are read in their order, with what each of them says", () => {
    const set = { "a.n": 1, "a.on": true };
    const given = { quick: { step: 0.5, coupling: "jacobi", set }, careful: {} };
    expect(readPolicies(given, COUPLINGS, () => undefined)).toEqual([
      { name: "quick", step: 0.5, coupling: "jacobi", set },
      { name: "careful", set: {} },
    ]);
  });

  it.each([
    [[], "a map of policies"],
    [{}, "a map of policies"],
    ["quick", "a map of policies"],
    [null, "a map of policies"],
    [{ quick: 3 }, '"quick: 3": a map of policies'],
    [{ quick: { sets: {} } }, '"quick: { sets }": a policy has step, coupling, set'],
    [{ quick: { step: 0 } }, "a step is a number of seconds above 0"],
    [{ quick: { step: "1" } }, "a step is a number of seconds above 0"],
    [{ quick: { step: Number.NaN } }, "a step is a number of seconds above 0"],
    [{ quick: { coupling: "gauss-seidel" } }, "one of jacobi, iterative"],
    [{ quick: { set: [] } }, "'set' is a map from unit.port to a number or a boolean"],
    [{ quick: { set: { "a.n": "1" } } }, "'set' is a map"],
    [{ quick: { set: { "a.n": Number.POSITIVE_INFINITY } } }, "'set' is a map"],
    [{ quick: { set: { "a.m": 1, "a.n": null } } }, "'set' is a map"],
  ])("are refused: %j", (given, expected) => {
    expect(refused(given)).toContain(expected);
  });
});

describe("a guard as written", () => {
  it("is none where it is off, and data otherwise", () => {
    const guard = { policies: [], automaton: { nodes: 0, edges: [] }, start: 0 };
    let said = "";
    const refuse = (_: unknown, wanted: string): undefined => {
      said = wanted;
    };
    expect(readGuard("off", refuse)).toBeUndefined();
    expect(readGuard(false, refuse)).toBeUndefined();
    expect(readGuard(guard, refuse)).toBe(guard);
    expect(said).toBe("");
    for (const part of ["policies", "automaton", "start"]) {
      const { [part as "start"]: _, ...rest } = guard;
      expect(readGuard(rest, refuse)).toBeUndefined();
      expect(said).toContain("the path of a guard");
      said = "";
    }
  });
});

const parameter = (name: string, more: Partial<Port> = {}): Port => ({
  index: 0,
  name,
  direction: "parameter",
  type: "int32",
  shape: [],
  variability: "tunable",
  nature: "constant",
  ...more,
});

function tunable(capabilities: Partial<Capabilities> = {}): UnitDescription {
  const base = describedUnit("u -> y", {
    through: "",
    capabilities: { rollback: true, variableStep: true, ...capabilities },
  });
  const parameters = [
    parameter("n"),
    parameter("on", { type: "boolean" }),
    parameter("fixed", { variability: "fixed" }),
    parameter("list", { shape: [2] }),
    parameter("big", { type: "int64" }),
    parameter("text", { type: "string" }),
    parameter("seen", { direction: "output" }),
  ];
  const ports = [...base.ports, ...parameters].map((port, index) => ({ ...port, index }));
  return { ...base, ports };
}

function scenario(
  policies: Readonly<Record<string, unknown>>,
  more: Readonly<Record<string, unknown>> = {},
  unit: UnitDescription = tunable(),
): Scenario {
  return scenarioOf({ left: unit, right: unit }, "left.y -> right.u; right.y -> left.u", {
    step: 0.1,
    master: "adaptive",
    options: { policies, ...more },
  });
}

const problemOf = (one: Scenario): string[] =>
  findingsOf(one).map(({ message, fix }) => `${message}; ${fix}`);

describe("policies of a scenario", () => {
  it("become writes per unit, with the master's step and coupling where they give none", () => {
    const { value } = compilePlan(
      scenario({
        quick: {
          step: 0.2,
          coupling: "jacobi",
          set: { "left.n": 1, "right.on": true, "left.on": false },
        },
        careful: { set: { "left.n": 9, "right.on": false, "left.on": true } },
      }),
      { record: [] },
    );
    expect(value?.plan.coupling?.policies?.policies).toEqual([
      {
        name: "quick",
        step: 0.2,
        coupling: "jacobi",
        writes: [
          { unit: 0, ports: [2, 3], values: [1, 0] },
          { unit: 1, ports: [3], values: [1] },
        ],
      },
      {
        name: "careful",
        step: 0.1,
        coupling: "iterative",
        writes: [
          { unit: 0, ports: [2, 3], values: [9, 1] },
          { unit: 1, ports: [3], values: [0] },
        ],
      },
    ]);
  });

  it.each([
    ["lft.n", "there is no such unit; did you mean 'left'?"],
    ["zzzzzzzz.n", "there is no such unit; units are left, right"],
    ["left.fxed", "'left' has no such port; did you mean 'left.fixed'?"],
    ["left.nonesuch", "'left' has no such port; see 'cosimo info'"],
    ["left.u", "it is an input, not a parameter; name a tunable parameter that is one number"],
    ["left.seen", "it is an output, not a parameter"],
    ["left.fixed", "it is fixed once the run has started"],
    ["left.list", "it has several elements"],
    ["left.big", "values of type int64 cannot be set by a policy"],
    ["left.text", "values of type string cannot be set by a policy"],
  ])("cannot set %s: %s", (port, expected) => {
    const [problem] = problemOf(scenario({ only: { set: { [port]: 1 } } }));
    expect(problem).toContain(`policy 'only' cannot set '${port}': ${expected}`);
  });

  it("cannot set parameters of a unit with event mode, unless that is off", () => {
    const unit = tunable({ eventMode: true });
    const policies = { only: { set: { "left.n": 1 } } };
    expect(problemOf(scenario(policies, {}, unit))[0]).toContain(
      "parameters change at events only; add 'eventMode: false'",
    );
    expect(codesOf(scenario(policies, { eventMode: false }, unit))).toEqual([]);
  });

  it("all set the same parameters", () => {
    const found = problemOf(
      scenario({ quick: { set: { "left.n": 1 } }, careful: { set: { "right.n": 1 } } }),
    );
    expect(found).toHaveLength(2);
    expect(found[0]).toContain("policy 'quick' cannot set 'right.n': other policies set it");
    expect(found[1]).toContain("add 'left.n' to 'careful' as well");
  });

  it("are idle under a master that does not choose its steps", () => {
    const given = scenario({ only: { set: {} } });
    expect(codesOf({ ...given, master: { ...given.master, name: "jacobi" } })).toEqual([
      "policies-idle",
    ]);
  });
});

describe("a guard over policies", () => {
  const guard: DecisionGuard = {
    policies: ["careful", "quick"],
    automaton: automatonOf(2, "0 a 1, 1 b 0, 1 a 1"),
    start: 1,
  };
  const two = { quick: { set: {} }, careful: { set: {} } };

  it("has its table in the order of the scenario's policies", () => {
    const { value } = compilePlan(scenario(two, { guard }), { record: [] });
    const planned = value?.plan.coupling?.policies?.guard;
    expect(planned).toMatchObject({ start: 1, nodes: 2 });
    // Rows are nodes, columns quick and careful.
    expect([...(planned?.next ?? [])]).toEqual([-1, 1, 0, 1]);
  });

  it("names the same policies", () => {
    const [found] = findingsOf(scenario({ quick: { set: {} }, slow: { set: {} } }, { guard }));
    expect(found.code).toBe("guard-unfit");
    expect(found.message).toBe(
      "the guard names policies that the master does not have: careful; the guard does not name slow",
    );
  });

  it("needs policies", () => {
    const given = scenario(two, { guard });
    const { policies: _, ...options } = given.master.options;
    expect(codesOf({ ...given, master: { ...given.master, options } })).toEqual([
      "guard-without-policies",
    ]);
  });
});
