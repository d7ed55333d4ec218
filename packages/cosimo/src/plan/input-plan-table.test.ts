/**
 * How inputs get their values, for every combination of what connection, master, order and unit
 * say: the rules PN20 to PN26 in the order of the specification, against the pass.
 */
import { describe, expect, it } from "vitest";
import type { Approximation, Connection } from "../model/scenario.ts";
import type { Capabilities, Port } from "../model/unit-description.ts";
import { type InputPlan, planInputs } from "./input-plan.ts";
import { describedUnit } from "./testing/described-unit.ts";
import { scenarioOf } from "./testing/scenario-of.ts";

interface Case {
  readonly requested: Approximation | undefined;
  readonly master: Approximation;
  readonly kind: "reactive" | "delayed" | undefined;
  readonly isFirst: boolean;
  readonly jumps: boolean;
  readonly target: "real" | "discrete real" | "integer";
  readonly order: number;
  readonly variableStep: boolean;
}

const DEGREE = { linear: 1, interpolation: 1, "extrapolated-interpolation": 1, quadratic: 2 };
const MASTER: readonly Approximation[] = [
  "hold",
  "linear",
  "quadratic",
  "extrapolated-interpolation",
];
const TARGETS: readonly Case["target"][] = ["real", "discrete real", "integer"];
const KINDS: readonly Case["kind"][] = [undefined, "reactive", "delayed"];
const BOTH: readonly boolean[] = [false, true];

function* allCases(): Generator<Case> {
  for (const requested of [undefined, "interpolation" as const, ...MASTER])
    for (const master of MASTER)
      for (const kind of KINDS)
        for (const target of TARGETS)
          for (const order of [0, 1, 2])
            for (const isFirst of BOTH)
              for (const jumps of BOTH)
                for (const variableStep of BOTH)
                  yield { requested, master, kind, isFirst, jumps, target, order, variableStep };
}

/** The sentences of docs/spec/plan.md, one after the other. */
function byRules(given: Case): Omit<InputPlan, "connection"> & { readonly warned: boolean } {
  const { requested, master, kind, isFirst, jumps, target, order, variableStep } = given;
  // PN26: held at the end where the source goes first and the input is not delayed.
  const held = {
    approximation: "hold" as const,
    through: "write" as const,
    takes: isFirst && kind !== "delayed" ? ("end" as const) : ("start" as const),
  };
  // PN20: the connection; held where the source is not continuous; interpolated (PN21); the master.
  let wanted: Approximation = target === "real" ? master : "hold";
  if (kind === "reactive" && isFirst) wanted = "interpolation";
  if (jumps) wanted = "hold";
  if (requested !== undefined) wanted = requested;
  if (wanted === "hold") return { ...held, warned: false };
  const isPossible =
    target === "real" &&
    (wanted !== "interpolation" || isFirst) &&
    (order >= DEGREE[wanted] || variableStep);
  // PN22: only a request of the author is answered by a warning.
  if (!isPossible) return { ...held, warned: requested !== undefined };
  return {
    approximation: wanted,
    // PN23: by derivatives where the unit takes enough of them, else by micro-steps.
    through: order >= DEGREE[wanted] ? "slopes" : "micro-steps",
    takes: wanted === "interpolation" ? "end" : "start",
    warned: false,
  };
}

function planned(given: Case): Omit<InputPlan, "connection"> & { readonly warned: boolean } {
  const { requested, kind, jumps, target, isFirst } = given;
  const changed = (port: Port, isDiscrete: boolean): Port =>
    isDiscrete ? { ...port, variability: "discrete" } : port;
  const source = describedUnit("-> y");
  const sink = describedUnit("u ->", {
    type: target === "integer" ? "int32" : "float64",
    capabilities: { inputDerivativeOrder: given.order, variableStep: given.variableStep },
  });
  const units = {
    a: { ...source, ports: source.ports.map((port) => changed(port, jumps)) },
    b: { ...sink, ports: sink.ports.map((port) => changed(port, target !== "real")) },
  };
  const scenario = scenarioOf(units, "a.y -> b.u", {
    ...(requested && { approximation: requested }),
    ...(kind && { kind }),
  });
  const reports: string[] = [];
  const [{ connection, ...plan }] = planInputs(
    scenario,
    { ticks: [1, 1], approximation: given.master, position: isFirst ? [0, 1] : [1, 0] },
    (code) => {
      reports.push(code);
      return undefined;
    },
  );
  expect(connection).toBe(0);
  return { ...plan, warned: reports.length > 0 };
}

describe("the input of a step", () => {
  it("[PN20] [PN21] [PN22] [PN23] [PN26] gets its value as the rules say, in every combination", () => {
    let count = 0;
    const seen = new Set<string>();
    for (const given of allCases()) {
      const plan = planned(given);
      expect({ given, plan }).toEqual({ given, plan: byRules(given) });
      seen.add(`${plan.approximation} ${plan.through} ${plan.takes}`);
      count++;
    }
    expect(count).toBe(6 * 4 * 3 * 3 * 3 * 2 * 2 * 2);
    // Held in two ways, and four approximations in two ways each.
    expect(seen.size).toBe(2 + 4 * 2);
  });

  it.each<[string, Partial<Capabilities>, boolean, readonly number[], string]>([
    ["every input by default", {}, false, [], "slopes"],
    ["a declared one only: undeclared", { followsInputs: "declared" }, false, [], "micro-steps"],
    ["a declared one only: declared", { followsInputs: "declared" }, true, [], "slopes"],
    ["a scalar only: an array", { followsInputs: "scalars" }, false, [2], "micro-steps"],
    ["a scalar only: a scalar", { followsInputs: "scalars" }, false, [], "slopes"],
    ["a scalar only: one element", { followsInputs: "scalars" }, false, [1], "slopes"],
  ])("[PN23] follows derivatives of %s", (_, more, isReactive, shape, through) => {
    const capabilities = { inputDerivativeOrder: 1, variableStep: true, ...more };
    const sink = describedUnit(isReactive ? "u! ->" : "u ->", { shape, capabilities });
    const scenario = scenarioOf({ a: describedUnit("-> y", { shape }), b: sink }, "a.y -> b.u");
    const options = { ticks: [1, 1], approximation: "linear" as const };
    expect(planInputs(scenario, options, () => undefined)[0].through).toBe(through);
  });

  it("[PN24] by slopes turns to micro-steps only in the unit where another input needs them", () => {
    const able = { inputDerivativeOrder: 1, variableStep: true };
    const source = describedUnit("-> y");
    const sink = describedUnit("u, v ->", { capabilities: able });
    const scenario = scenarioOf(
      { s: source, a: sink, b: sink },
      "s.y -> a.u; s.y -> a.v; s.y -> b.u; s.y -> b.v",
    );
    const requests: readonly Approximation[] = ["linear", "quadratic", "linear", "hold"];
    const connections = scenario.connections.map(
      (connection, c): Connection => ({ ...connection, approximation: requests[c] }),
    );
    const options = { ticks: [1, 1, 1], approximation: "hold" as const };
    const plans = planInputs({ ...scenario, connections }, options, () => undefined);
    expect(plans.map(({ through }) => through)).toEqual([
      "micro-steps",
      "micro-steps",
      "slopes",
      "write",
    ]);
  });
});
