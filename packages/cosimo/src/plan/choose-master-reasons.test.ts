/**
 * Which master is recommended, and why: the first sentence that applies, in the order of PN69.
 */
import { describe, expect, it } from "vitest";
import type { UnitDescription } from "../model/unit-description.ts";
import { chooseMaster } from "./choose-master.ts";
import { describedUnit } from "./testing/described-unit.ts";
import { scenarioOf } from "./testing/scenario-of.ts";

const back = { rollback: true };
const moore = describedUnit("u -> y", { through: "" });
const mealy = describedUnit("u -> y", { through: "y", capabilities: back });
const whole = describedUnit("u -> y", { through: "y", type: "int32", capabilities: back });
const reactive = describedUnit("u! -> y", { through: "" });
const returning = describedUnit("u! -> y", { through: "", capabilities: back });
const RING = "a.y -> b.u; b.y -> a.u";
const place = { file: "test" };

const at = { unit: 0, port: 1, element: 0 };
const constraint = { left: at, right: at, factor: 1, offset: 0, by: [], text: "a.y = b.y", place };

describe("the recommended master", () => {
  const CHAIN = "a.y -> b.u";
  const two = (a: UnitDescription, b: UnitDescription) => ({ a, b });

  it.each([
    ["nothing coupled", { a: reactive }, "", "jacobi: nothing is coupled"],
    ["an algebraic loop", two(mealy, mealy), RING, "iterative: a, b form an algebraic loop"],
    ["a loop of integers", two(whole, whole), RING, "jacobi: no input is declared reactive, and"],
    ["a loop of open units", two(moore, moore), RING, "jacobi: no input is declared reactive, and"],
    [
      "a chain of open units",
      two(moore, moore),
      CHAIN,
      "jacobi: no input is declared reactive; the",
    ],
    [
      "a chain to a reactive input",
      two(moore, reactive),
      CHAIN,
      "gauss-seidel: reactive inputs form a chain",
    ],
    [
      "a loop of reactive inputs",
      { b: reactive, a: reactive },
      RING,
      "gauss-seidel: reactive inputs form a loop (a, b)",
    ],
  ])("[PN69] for %s", (_, units, wires, expected) => {
    const { master, reason } = chooseMaster(
      scenarioOf(units as Record<string, UnitDescription>, wires),
    );
    expect(`${master}: ${reason}`.slice(0, expected.length)).toBe(expected);
  });

  it("[PN69] for a constraint iterates, whatever else there is", () => {
    const scenario = { ...scenarioOf(two(moore, moore), RING), constraints: [constraint] };
    expect(chooseMaster(scenario)).toEqual({
      master: "iterative",
      reason: "'a.y = b.y' is held by iterating the step",
    });
  });

  it("[CO8] for triggers comes before all others", () => {
    const scenario = scenarioOf({ a: mealy, b: mealy }, RING);
    const connections = scenario.connections.map((connection, c) =>
      c === 1 ? { ...connection, trigger: { kind: "updated" as const } } : connection,
    );
    expect(chooseMaster({ ...scenario, connections, constraints: [constraint] })).toEqual({
      master: "event-driven",
      reason: "connections say when they exchange",
    });
  });

  it("[PN69] mentions iteration only where the units of the loop can roll back", () => {
    const advice = "where the result depends on the step, iterative solves the loop";
    const reason = (a: UnitDescription, b: UnitDescription): string =>
      chooseMaster(scenarioOf({ a, b }, RING)).reason;
    expect(reason(returning, returning)).toContain(advice);
    expect(reason(returning, reactive)).not.toContain(advice);
    const rates = scenarioOf({ a: returning, b: returning }, RING, { steps: { a: 0.1 } });
    expect(chooseMaster(rates).reason).not.toContain(advice);
  });

  it("[PN69] needs rollback of the units in the loop, not of others", () => {
    const units = { a: mealy, b: mealy, c: moore };
    expect(chooseMaster(scenarioOf(units, `${RING}; a.y -> c.u`)).master).toBe("iterative");
    const stuck = { a: mealy, b: describedUnit("u -> y", { through: "y" }) };
    expect(chooseMaster(scenarioOf(stuck, RING)).master).toBe("jacobi");
    const elsewhere = scenarioOf(units, `${RING}; a.y -> c.u`, { steps: { c: 0.1 } });
    expect(chooseMaster(elsewhere).master).toBe("jacobi");
  });

  it("[PN69] takes the second loop where the first one cannot be iterated", () => {
    const units = { a: whole, b: whole, c: mealy, d: mealy };
    const scenario = scenarioOf(units, `${RING}; c.y -> d.u; d.y -> c.u`);
    expect(chooseMaster(scenario).reason).toContain("c, d form an algebraic loop");
  });
});
