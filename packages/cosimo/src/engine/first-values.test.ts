/**
 * What units give once they have left initialization, against what the first row and the first step
 * have.
 */
import { describe, expect, it } from "vitest";
import { linearUnit } from "../unit/linear-unit.ts";
import { stateMachineUnit } from "../unit/state-machine-unit.ts";
import type { Unit } from "../unit/unit.ts";
import { runUnits } from "./testing/run-units.ts";

/** Its output is 0 in initialization and 5 from the first instant on. */
function machine(): Unit {
  return stateMachineUnit({
    name: "machine",
    outputs: { y: { start: 0 } },
    initial: "on",
    states: { on: { entry: (view) => view.set("y", 5) } },
  });
}

const gain = (): Unit =>
  linearUnit({
    name: "gain",
    inputs: { u: {} },
    outputs: { y: { feedThrough: ["u"] } },
    states: {},
    a: [],
    b: [],
    c: [[]],
    d: [[2]],
  });

const integrator = (): Unit =>
  linearUnit({ name: "integrator", inputs: { u: {} }, states: { x: {} }, a: [[0]], b: [[1]] });

describe("what a unit gives on entering its first state", () => {
  it.each(["jacobi", "gauss-seidel", "iterative", "adaptive"])(
    "[EN20] is exchanged before the first step, and in the first row, under %s",
    async (master) => {
      const run = await runUnits(
        { machine: machine(), gain: gain(), integrator: integrator() },
        "machine.y -> gain.u; gain.y -> integrator.u",
        ["machine.y", "gain.y", "integrator.x"],
        { step: 0.1, stop: 0.2, master },
      );
      expect(run.values["machine.y"][0]).toBe(5);
      expect(run.values["gain.y"][0]).toBe(10);
      expect(run.values["integrator.x"].at(-1)).toBeCloseTo(2, 12);
    },
  );
});
