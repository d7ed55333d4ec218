/**
 * Algebraic loops as data for the loop solver: which elements are unknown, where their images lie,
 * and what is said of loops that a delay breaks.
 */
import { describe, expect, it } from "vitest";
import type { Scenario } from "../model/scenario.ts";
import { Op } from "./plan.ts";
import { findingsOf } from "./testing/codes-of.ts";
import { describedUnit } from "./testing/described-unit.ts";
import { opsIn, planFor } from "./testing/plan-for.ts";
import { scenarioOf } from "./testing/scenario-of.ts";

const mealy = describedUnit("u -> y", { through: "y" });
const RING = "a.y -> b.u; b.y -> a.u";

describe("a loop", () => {
  it("[PN32] has one unknown and one image for each connected element, with its ends and factor", () => {
    const wide = describedUnit("u -> y", { through: "y", shape: [3] });
    const scenario = scenarioOf({ a: wide, b: wide }, RING, { step: 1 });
    const connections = [
      { ...scenario.connections[0], fromElement: 0, toElement: 1, count: 2, factor: -2, offset: 5 },
      { ...scenario.connections[1], fromElement: 2, toElement: 0, count: 1 },
    ];
    const plan = planFor({ ...scenario, connections });
    const [loop] = plan.loops;
    const signal = (unit: number, port: number): number =>
      plan.accesses.flatMap((access) =>
        access.unit === unit ? access.slots.filter((slot) => slot.port === port) : [],
      )[0].slot;
    expect(loop.unknownElements).toEqual([
      { unit: 1, port: 0, element: 1 },
      { unit: 1, port: 0, element: 2 },
      { unit: 0, port: 0, element: 0 },
    ]);
    expect(loop.unknowns).toEqual([signal(1, 0) + 1, signal(1, 0) + 2, signal(0, 0)]);
    expect(loop.imageElements).toEqual([
      { unit: 0, port: 1, element: 0, factor: -2 },
      { unit: 0, port: 1, element: 1, factor: -2 },
      { unit: 1, port: 1, element: 2, factor: 1 },
    ]);
    // Images have slots of their own: the last solution is kept until the solver takes them over.
    expect(new Set([...loop.unknowns, ...loop.images]).size).toBe(6);
    const [first, second, third] = loop.images;
    expect(second).toBe(first + 1);
    const moves = opsIn(loop.sweep).filter(([op]) => op !== Op.Write && op !== Op.Read);
    expect(moves).toEqual([
      [Op.Affine, signal(0, 1), first, 0],
      [Op.Affine, signal(0, 1) + 1, second, 0],
      [Op.Copy, signal(1, 1) + 2, third, 1],
    ]);
    expect([...plan.constants]).toEqual([-2, 5]);
  });

  it("[PN4] sweeps by writing all inputs before it reads any output", () => {
    const [loop] = planFor(scenarioOf({ a: mealy, b: mealy }, RING, { step: 1 })).loops;
    expect(opsIn(loop.sweep).map(([op]) => op)).toEqual([
      ...[Op.Write, Op.Write],
      ...[Op.Read, Op.Read],
      ...[Op.Copy, Op.Copy],
    ]);
  });

  it("[PN60] lists its ports in the order in which values go around", () => {
    const units = { c: mealy, a: mealy, b: mealy };
    const plan = planFor(scenarioOf(units, "a.y -> b.u; b.y -> c.u; c.y -> a.u", { step: 1 }));
    expect(plan.loops.map(({ ports, delayed }) => [ports, delayed])).toEqual([
      [["a.y", "b.u", "b.y", "c.u", "c.y", "a.u"], ["c.y → a.u"]],
    ]);
  });

  it("[PN2] takes only connections with both ends inside", () => {
    const two = describedUnit("u, v -> y", { through: "y" });
    const units = { src: describedUnit("-> y"), a: two, b: mealy, end: mealy };
    const plan = planFor(scenarioOf(units, `src.y -> a.v; ${RING}; b.y -> end.u`, { step: 1 }));
    expect(plan.loops).toHaveLength(1);
    expect(plan.loops[0].unknownElements.map(({ unit, port }) => [unit, port])).toEqual([
      [2, 0],
      [1, 0],
    ]);
  });

  it("[PN6] that is broken twice has both connections in one warning, at the place of the first", () => {
    const two = describedUnit("u, v -> y", { through: "y" });
    const scenario = scenarioOf(
      { a: two, b: mealy, c: mealy },
      "a.y -> b.u; b.y -> a.v; a.y -> c.u; c.y -> a.u",
      { step: 1 },
    );
    const connections = scenario.connections.map((connection, c) => ({
      ...connection,
      place: { file: "test", line: c + 1 },
    }));
    const [warning, ...others] = findingsOf({ ...scenario, connections });
    expect(others).toEqual([]);
    // From a.u the search comes by b.u to a.v, from where a.y leads back to b.u, and by c.u to a.u.
    expect(warning.message).toContain("is broken at a.y → b.u, c.y → a.u: values there");
    expect(warning.place?.line).toBe(1);
  });

  it("[PN34] of numbers names the port that is none, and the loop", () => {
    const long = describedUnit("u -> y", { through: "y", type: "int64" });
    const found = findingsOf(scenarioOf({ a: mealy, b: long }, RING, { step: 1 }));
    expect(found.map(({ code, message }) => `${code}: ${message}`)).toContain(
      "loop-not-numeric: 'b.u' is part of the algebraic loop a.y → b.u → b.y → a.u → a.y but is not a number",
    );
  });
});

describe("a loop under a master that iterates", () => {
  const able = { rollback: true, variableStep: true };
  const iterated = (capabilities: object, type: "float64" | "int32"): Scenario => {
    const unit = describedUnit("u -> y", {
      through: "y",
      type,
      capabilities: { ...able, ...capabilities },
    });
    return scenarioOf({ a: unit, b: unit }, RING, { step: 1, master: "iterative" });
  };
  const late = (scenario: Scenario): string[] =>
    findingsOf(scenario)
      .filter(({ code }) => code === "loop-delayed")
      .map(({ message }) => message);

  it("[IT21] is not delayed where it is continuous, or where units exchange in event mode", () => {
    expect(late(iterated({}, "float64"))).toEqual([]);
    expect(late(iterated({ eventMode: true }, "int32"))).toEqual([]);
  });

  it("[IT21] is one step old where it is discrete, at every input", () => {
    const [message, ...others] = late(iterated({}, "int32"));
    expect(others).toEqual([]);
    expect(message).toContain("is broken at a.y → b.u, b.y → a.u: values there");
  });
});
