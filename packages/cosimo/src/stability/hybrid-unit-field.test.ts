import { describe, expect, it } from "vitest";
import { functionUnit } from "../unit/function-unit.ts";
import { linearUnit } from "../unit/linear-unit.ts";
import { odeUnit } from "../unit/ode-unit.ts";
import { unitField } from "./hybrid-unit-field.ts";

describe("the equations of a unit", () => {
  it("[HY14] are a field: for any state, in the order asked for, without a step", () => {
    const unit = odeUnit({
      name: "ball",
      parameters: { g: { start: 9.81 } },
      states: { v: { start: 1 }, x: { start: 2 } },
      derivatives: (_t, x, _u, p, dx) => {
        dx[0] = -p[0];
        dx[1] = x[0];
      },
    });
    const field = unitField(unit, ["x", "v"]);
    const dx = new Float64Array(2);
    for (const v of [3, -4]) {
      field(Float64Array.of(0.5, v), dx);
      expect([...dx]).toEqual([v, -9.81]);
    }
  });

  it("[HY14] of a linear unit too", () => {
    const unit = linearUnit({ name: "decay", states: { x: {} }, a: [[-2]], b: [[]] });
    const dx = new Float64Array(1);
    unitField(unit, ["x"])(Float64Array.of(3), dx);
    expect(dx[0]).toBe(-6);
  });

  it("[HY14] need the states by name, with their derivatives", () => {
    const unit = odeUnit({ name: "ball", states: { x: {} }, derivatives: () => undefined });
    expect(() => unitField(unit, ["x", "speed"])).toThrow("'ball' has no state 'speed'");
    const source = functionUnit({ name: "source", outputs: { x: {} }, evaluate: () => undefined });
    expect(() => unitField(source, ["x"])).toThrow("does not give the derivative of 'x'");
  });
});
