/**
 * What is reported before the run because a unit cannot do what its master needs.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Scenario } from "../model/scenario.ts";
import type { Capabilities, UnitDescription } from "../model/unit-description.ts";
import { compilePlan } from "./compile.ts";
import { codesOf, findingsOf } from "./testing/codes-of.ts";
import { type DescribedOptions, describedUnit } from "./testing/described-unit.ts";
import { type ScenarioOptions, scenarioOf } from "./testing/scenario-of.ts";

const RING = "a.y -> b.u; b.y -> a.u";
const ABLE: Partial<Capabilities> = { rollback: true, variableStep: true };
const STUCK: Partial<Capabilities> = { variableStep: true };
const RIGID: Partial<Capabilities> = { rollback: true };

const unit = (capabilities: Partial<Capabilities>, more: DescribedOptions = {}): UnitDescription =>
  describedUnit("u -> y", { through: "", capabilities, ...more });

function ring(
  a: Partial<Capabilities>,
  b: Partial<Capabilities>,
  options: ScenarioOptions,
): Scenario {
  return scenarioOf({ a: unit(a), b: unit(b) }, RING, { step: 0.1, ...options });
}

const place = { file: "test" };
const signal = { unit: 1, port: 1, element: 0 };

describe("rollback", () => {
  it("[IT9] is needed in loops that are iterated; the finding names who cannot", () => {
    const found = findingsOf(ring(ABLE, STUCK, { master: "iterative" }));
    expect(found.map(({ code }) => code)).toEqual(["loop-without-rollback"]);
    expect(found[0].message).toContain(
      "'b' cannot save and restore the state, but the loop of 'a', 'b'",
    );
    expect(codesOf(ring(ABLE, ABLE, { master: "iterative" }))).toEqual([]);
  });

  it("[IT10] is waived by an explicit fallback, with a warning, unless a constraint is held", () => {
    const options = { fallback: "explicit" };
    const scenario = ring(ABLE, STUCK, { master: "iterative", options });
    expect(codesOf(scenario)).toEqual(["loop-explicit"]);
    const constraint = {
      left: { unit: 0, port: 1, element: 0 },
      right: signal,
      factor: 1,
      offset: 0,
      by: [],
      text: "a.y = b.y",
      place,
    };
    expect(codesOf({ ...scenario, constraints: [constraint] })).toEqual(["loop-without-rollback"]);
  });

  it("[IT11] is not needed where units form no loop, or nothing is iterated", () => {
    const chain = scenarioOf({ a: unit(STUCK), b: unit(STUCK) }, "a.y -> b.u", {
      step: 0.1,
      master: "iterative",
    });
    expect(codesOf(chain)).toEqual([]);
    expect(codesOf(ring(STUCK, STUCK, { master: "jacobi" }))).toEqual([]);
  });

  it.each([
    [{ rejection: "pessimistic" }, ["rejection-without-rollback"]],
    [{ rejection: "optimistic" }, []],
    [{ estimator: "richardson" }, ["estimator-without-rollback"]],
    [{ estimator: "multi-order" }, ["estimator-without-rollback"]],
    [{ estimator: "milne" }, []],
  ])("[AD10] of every unit is needed by %j", (more, expected) => {
    const options = { coupling: "jacobi", ...more };
    expect(codesOf(ring(ABLE, STUCK, { master: "adaptive", options }))).toEqual(expected);
    expect(codesOf(ring(ABLE, ABLE, { master: "adaptive", options }))).toEqual([]);
  });

  it("[AD10] is needed by a limited difference, unless steps are kept anyway", () => {
    const limits = [{ kind: "difference" as const, signal, atMost: 1 }];
    const codes = (b: Partial<Capabilities>, rejection: string): string[] =>
      codesOf(
        ring(ABLE, b, {
          master: "adaptive",
          options: { coupling: "jacobi", rejection },
          extras: { limits },
        }),
      );
    expect(codes(STUCK, "auto")).toEqual(["limit-without-rollback"]);
    expect(codes(STUCK, "optimistic")).toEqual([]);
    expect(codes(ABLE, "auto")).toEqual([]);
  });

  it("[PN22] lacks for quadratic extrapolation are a warning, linear needs none", () => {
    const codes = (approximation: string, b: Partial<Capabilities>): string[] =>
      codesOf(ring(ABLE, b, { options: { approximation } }));
    expect(codes("quadratic", STUCK)).toEqual(["quadratic-without-rollback"]);
    expect(codes("quadratic", ABLE)).toEqual([]);
    expect(codes("linear", STUCK)).toEqual([]);
  });
});

describe("an error estimate", () => {
  it.each([
    ["multi-order", { approximation: "hold" }, "held inputs have no trajectory of a lower degree"],
    ["energy", {}, "no connection is declared a power bond"],
    ["iteration", { coupling: "jacobi" }, "nothing is iterated"],
  ])("[AD10] %s is refused where it has nothing to measure", (estimator, more, why) => {
    const found = findingsOf(
      ring(ABLE, ABLE, { master: "adaptive", options: { estimator, ...more } }),
    );
    expect(found.map(({ code }) => code)).toEqual(["estimator-blind"]);
    expect(found[0].message).toBe(`'estimator: ${estimator}' has nothing to measure: ${why}`);
  });

  it("[AD10] by iteration needs a loop", () => {
    const options = { estimator: "iteration" };
    expect(codesOf(ring(ABLE, ABLE, { master: "adaptive", options }))).toEqual([]);
    const chain = scenarioOf({ a: unit(ABLE), b: unit(ABLE) }, "a.y -> b.u", {
      step: 0.1,
      master: "adaptive",
      options,
    });
    expect(codesOf(chain)).toEqual(["estimator-blind"]);
  });
});

describe("steps of one size", () => {
  const adaptive = (options: Readonly<Record<string, unknown>>): string[] =>
    codesOf(ring(RIGID, ABLE, { master: "adaptive", options }));

  it("[AD22] are broken by an adaptive master", () => {
    expect(adaptive({})).toEqual(["steps-not-constant"]);
    expect(codesOf(ring(RIGID, ABLE, { master: "iterative" }))).toEqual([]);
  });

  it("[AD22] are broken by policies with different steps, not by policies of one step", () => {
    const policies = (one: number | undefined, other: number | undefined) => ({
      policies: {
        quick: { set: {}, ...(one && { step: one }) },
        careful: { set: {}, ...(other && { step: other }) },
      },
    });
    expect(adaptive(policies(0.1, 0.05))).toEqual(["steps-not-constant"]);
    expect(adaptive(policies(undefined, 0.05))).toEqual(["steps-not-constant"]);
    expect(adaptive(policies(undefined, 0.1))).toEqual([]);
    expect(adaptive(policies(0.05, 0.05))).toEqual([]);
  });

  it.each([
    [{ kind: "every", every: 0.2, offset: 0.1 }, []],
    [{ kind: "every", every: 0.25, offset: 0 }, ["steps-not-constant"]],
    [{ kind: "every", every: 0.2, offset: 0.05 }, ["steps-not-constant"]],
    [{ kind: "at", times: [0.3, 1] }, []],
    [{ kind: "at", times: [0.3, 0.35] }, ["steps-not-constant"]],
    [{ kind: "difference", signal, atMost: 1 }, ["steps-not-constant"]],
  ] as const)("[AD22] are broken by limits off the grid: %j", (limit, expected) => {
    const scenario = ring(RIGID, ABLE, { master: "iterative", extras: { limits: [limit] } });
    expect(codesOf(scenario)).toEqual(expected);
    expect(codesOf(ring(ABLE, ABLE, { master: "iterative", extras: { limits: [limit] } }))).toEqual(
      [],
    );
  });

  it.each([0.1, 1e-9, 7])(
    "[AD22] allow rounding in proportion to the number of steps of %d s",
    (step) => {
      fc.assert(
        fc.property(fc.integer({ min: 1, max: 10 ** 12 }), (k) => {
          const limits = [{ kind: "at" as const, times: [k * step] }];
          const scenario = ring(RIGID, ABLE, { master: "iterative", step, extras: { limits } });
          expect(codesOf(scenario)).toEqual([]);
        }),
        { numRuns: 40 },
      );
    },
  );

  it("[AD22] count points from the start of the run", () => {
    const limits = [{ kind: "at" as const, times: [0.35] }];
    const scenario = ring(RIGID, ABLE, { master: "iterative", extras: { limits } });
    expect(codesOf(scenario, { start: 0.05 })).toEqual([]);
    expect(codesOf(scenario, { start: 0.1 })).toEqual(["steps-not-constant"]);
  });
});

describe("internal steps", () => {
  const fixOf = (
    internalStep: number,
    approximation: string,
    microSteps = 10,
  ): string | undefined =>
    findingsOf(
      ring({ ...ABLE, internalStep }, ABLE, { options: { approximation, microSteps } }),
    ).find(({ code }) => code === "own-step-longer")?.fix;

  it("[IT22] that fit a step are not worth a word", () => {
    expect(fixOf(0.1, "hold")).toBeUndefined();
    expect(fixOf(0.01, "linear", 10)).toBeUndefined();
    expect(fixOf(0.1 * (1 + 1e-12), "hold")).toBeUndefined();
  });

  it("[IT22] longer than a step or a micro-step are named, with what would fit", () => {
    expect(fixOf(0.2, "hold")).toBe("use a step of 0.2 s or a multiple of it");
    expect(fixOf(0.1, "linear")).toBe(
      "use 'approximation: hold', or a step of several internal steps",
    );
    expect(fixOf(0.02, "linear")).toBe("use 'microSteps: 5' or less, or 'approximation: hold'");
  });
});

describe("a unit's own step", () => {
  it("[IT15] may be shorter than that of a master that decides at run time, not longer", () => {
    const codes = (own: number): string[] =>
      codesOf(ring(ABLE, ABLE, { master: "iterative", steps: { b: own } }));
    expect(codes(0.05)).toEqual([]);
    expect(codes(0.1)).toEqual([]);
    expect(codes(0.2)).toEqual(["unit-step-too-long"]);
  });
});

describe("events", () => {
  const crossing = { signal, level: 2, direction: "any" as const, text: "b.y crosses 2", place };
  const codes = (
    a: Partial<Capabilities>,
    b: Partial<Capabilities>,
    more: { readonly other?: boolean; readonly master?: string } = {},
  ): string[] => {
    const other = { unit: 0, port: 1, element: 0, factor: 1, offset: 0 };
    const events = [more.other ? { ...crossing, other } : crossing];
    return codesOf(ring(a, b, { extras: { events }, master: more.master ?? "jacobi" }));
  };

  it("[EV6] are located where all units roll back and take any step", () => {
    expect(codes(ABLE, ABLE)).toEqual([]);
    expect(codes(ABLE, STUCK)).toEqual(["event-late"]);
    expect(codes(RIGID, ABLE)).toEqual(["event-at-points"]);
    expect(codes(RIGID, STUCK)).toEqual(["event-at-points"]);
  });

  it("[EV15] are met by a unit that stops at levels itself, not at other signals, not when iterated", () => {
    const stops: Partial<Capabilities> = { ...STUCK, predicates: ["threshold"] };
    expect(codes(STUCK, stops)).toEqual([]);
    expect(codes(stops, STUCK)).toEqual(["event-late"]);
    expect(codes(STUCK, stops, { other: true })).toEqual(["event-late"]);
    const chain = scenarioOf({ a: unit(STUCK), b: unit(stops) }, "a.y -> b.u", {
      step: 0.1,
      master: "iterative",
      extras: { events: [crossing] },
    });
    expect(codesOf(chain)).toEqual(["event-late"]);
  });
});

describe("discrete outputs under adaptive steps", () => {
  function longest(
    b: Partial<Capabilities>,
    options: Readonly<Record<string, unknown>> = {},
  ): readonly [number | undefined, readonly string[]] {
    const source = describedUnit("-> y", { type: "boolean", capabilities: b });
    const sink = describedUnit("u -> ", { type: "boolean", capabilities: ABLE });
    const scenario = scenarioOf({ a: sink, b: source }, "b.y -> a.u", {
      step: 0.1,
      master: "adaptive",
      options: { coupling: "jacobi", ...options },
    });
    const { value, diagnostics } = compilePlan(scenario, { record: [] });
    return [value?.plan.coupling?.settings.control?.maxStep, diagnostics.map(({ code }) => code)];
  }

  it("[AD14] [AD16] bound steps: ten of the experiment's, or one where units cannot roll back", () => {
    expect(longest(ABLE)).toEqual([1, []]);
    expect(longest(STUCK)).toEqual([0.1, ["discrete-late"]]);
  });

  it("[AD16] leave the author's longest step, and allow the first one", () => {
    expect(longest(ABLE, { maxStep: 7 })).toEqual([7, []]);
    expect(longest(ABLE, { firstStep: 3 })).toEqual([3, []]);
    expect(longest(STUCK, { maxStep: 7 })).toEqual([7, ["discrete-late"]]);
  });

  it("[AD14] of a unit with event mode are announced, so steps are free", () => {
    const events: Partial<Capabilities> = { ...ABLE, eventMode: true };
    expect(longest(events)[0]).toBe(Number.POSITIVE_INFINITY);
    expect(longest(events, { eventMode: false })[0]).toBe(1);
  });
});
