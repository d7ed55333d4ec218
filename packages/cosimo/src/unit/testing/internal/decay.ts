/** A unit whose behaviour has closed formulas, and what the contract suite expects of it. */
import { RK4 } from "../../../numerics/tableau.ts";
import { odeUnit } from "../../ode-unit.ts";
import type { Unit } from "../../unit.ts";
import type { ContractSubject } from "../contract-subject.ts";

/** x' = u - k x, y = x + u. */
export function decay(name = "decay"): Unit {
  return odeUnit({
    name,
    parameters: { k: { start: 1 }, fixed: { variability: "fixed" } },
    inputs: { u: {} },
    states: { x: { start: 1 } },
    outputs: { y: {} },
    derivatives: (_t, x, u, p, dx) => {
      dx[0] = -p[0]! * x[0]! + u[0]!;
    },
    evaluate: (_t, x, u, _p, y) => {
      y[0] = x[0]! + u[0]!;
    },
    solver: { method: RK4, step: 0.05 },
  });
}

export const DECAY: Omit<ContractSubject, "open"> = {
  step: 0.1,
  behaviour: { port: "y", at: (t) => Math.exp(-t), tolerance: 1e-6 },
  settable: { port: "k", value: 3 },
  fixed: { port: "fixed", value: 3 },
  feedThrough: { input: "u", value: 1, output: "y", expected: 2, tolerance: 0 },
  threshold: {
    port: "y",
    value: 0.5,
    direction: "falling",
    time: Math.log(2),
    timeTolerance: 1e-6,
    valueTolerance: 1e-9,
  },
  directional: { unknown: "y", known: "u", value: 1, tolerance: 1e-8 },
  outputDerivative: { port: "y", at: (t) => -Math.exp(-t), tolerance: 1e-5 },
  inputDerivative: {
    input: "u",
    value: 0,
    slope: 1,
    output: "x",
    expected: 2 * Math.exp(-0.1) + 0.1 - 1,
    tolerance: 1e-6,
  },
};
