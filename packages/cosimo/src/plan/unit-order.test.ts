import { describe, expect, it } from "vitest";
import { type Diagnostic, reporterFor } from "../base/diagnostic.ts";
import type { Scenario } from "../model/scenario.ts";
import { PLAN_DIAGNOSTICS } from "./plan-diagnostics.ts";
import { describedUnit } from "./testing/described-unit.ts";
import { scenarioOf } from "./testing/scenario-of.ts";
import { automaticOrder, givenOrder } from "./unit-order.ts";

const open = describedUnit("u -> y", { through: "" });
const delayed = describedUnit("u~ -> y", { through: "" });
const reactive = describedUnit("u! -> y", { through: "" });
const mealy = describedUnit("u! -> y", { through: "y" });

function ordered(scenario: Scenario, waiting?: "reactive"): string[] {
  const { units, reasons } = automaticOrder(scenario, waiting ?? "not delayed");
  return units.map((unit, i) => `${scenario.units[unit].name}: ${reasons[i]}`);
}

describe("the order of units", () => {
  it("[PN12] puts the source of a reactive input first, and others by name", () => {
    const scenario = scenarioOf(
      { z: reactive, y: reactive, x: delayed, a: delayed },
      "x.y -> y.u; y.y -> z.u; z.y -> a.u",
    );
    expect(ordered(scenario)).toEqual([
      "a: needs no new values",
      "x: needs no new values",
      "y: after x, whose new values it gets",
      "z: after y, whose new values it gets",
    ]);
  });

  it("[PN13] breaks a loop at a unit without feed-through, then by name", () => {
    expect(ordered(scenarioOf({ a: mealy, b: reactive }, "a.y -> b.u; b.y -> a.u"))).toEqual([
      "b: breaks a loop of inputs that wait for each other: it has no feed-through",
      "a: after b, whose new values it gets",
    ]);
    expect(ordered(scenarioOf({ d: mealy, c: mealy }, "c.y -> d.u; d.y -> c.u"))[0]).toBe(
      "c: breaks a loop of inputs that wait for each other: first by name",
    );
  });

  it("[PN15] puts the source of an input that is not delayed first, and lets it give way to reactive ones", () => {
    const chain = scenarioOf({ a: open, b: open, c: open }, "c.y -> b.u; b.y -> a.u");
    expect(ordered(chain)).toEqual([
      "c: needs no new values",
      "b: after c, whose new values it gets",
      "a: after b, whose new values it gets",
    ]);
    expect(ordered(chain, "reactive").map((text) => text[0])).toEqual(["a", "b", "c"]);
    const ring = scenarioOf({ a: reactive, b: open }, "a.y -> b.u; b.y -> a.u");
    expect(ordered(ring)).toEqual([
      "b: breaks a loop of inputs that wait for each other: its inputs are not declared reactive",
      "a: after b, whose new values it gets",
    ]);
    const reported = scenarioOf({ a: open, b: open }, "b.y -> a.u", { kind: "delayed" });
    expect(ordered(reported).map((text) => text[0])).toEqual(["a", "b"]);
  });

  it("[PN12] does not depend on the order of declaration", () => {
    const wires = "a.y -> b.u; b.y -> c.u; c.y -> a.u; d.y -> a.u";
    const four = {
      a: describedUnit("u! -> y", { through: "" }),
      b: mealy,
      c: reactive,
      d: delayed,
    };
    const turned = Object.fromEntries(Object.entries(four).reverse());
    const unique = wires.replace("; d.y -> a.u", "");
    expect(ordered(scenarioOf(turned, unique))).toEqual(ordered(scenarioOf(four, unique)));
  });

  it("[PN14] may be given: every unit once", () => {
    const scenario = scenarioOf({ left: delayed, right: delayed }, "");
    const said: Diagnostic[] = [];
    const give = (...names: string[]) =>
      givenOrder(scenario, names, { file: "test" }, reporterFor(PLAN_DIAGNOSTICS, said));
    expect(give("right", "left")?.units).toEqual([1, 0]);
    expect(give("right")).toBeUndefined();
    expect(give("right", "right")).toBeUndefined();
    expect(give("rigth", "left")).toBeUndefined();
    expect(said.map(({ message }) => message)).toEqual([
      "the order does not name 'left'",
      "the order names 'right' twice",
      "the order names 'rigth', which is not a unit; did you mean 'right'?",
    ]);
  });
});
