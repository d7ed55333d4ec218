/**
 * An adaptation is a unit: the contract holds for all four kinds, for inner units of both kinds,
 * and for adaptations of adaptations.
 */
import type { InputKind, OutputKind } from "../model/adaptation/data.ts";
import { RK4 } from "../numerics/tableau.ts";
import { odeUnit } from "../unit/ode-unit.ts";
import { unitContract } from "../unit/testing/contract.ts";
import type { Unit } from "../unit/unit.ts";
import { hierarchicalUnit } from "./hierarchical-unit.ts";

/** x' = u - x from 1, y = x + u. */
function decay(reactive: boolean): Unit {
  return odeUnit({
    name: "decay",
    inputs: { u: { reactive } },
    states: { x: { start: 1 } },
    outputs: { y: {} },
    derivatives: (_t, x, u, _p, dx) => {
      dx[0] = u[0] - x[0];
    },
    evaluate: (_t, x, u, _p, y) => {
      y[0] = x[0] + u[0];
    },
    solver: { method: RK4, step: 0.05 },
  });
}

const wrap = (unit: Unit, input: InputKind, output: OutputKind): Unit =>
  hierarchicalUnit(
    "wrapped",
    { units: new Map([["inner", unit]]), connections: [] },
    { input, output },
  );

const COMMON = {
  step: 0.1,
  behaviour: { port: "y", at: (t: number) => Math.exp(-t), tolerance: 1e-6 },
  settable: { port: "u", value: 3 },
};

const FOLLOWED = 2 * Math.exp(-0.1) + 0.1 - 1;

for (const output of ["mealy", "moore"] as const) {
  const feedThrough = { input: "u", value: 1, output: "y", expected: 2, tolerance: 0 };
  for (const isInnerReactive of [true, false]) {
    unitContract(
      `a reactive ${output} adaptation of a ${isInnerReactive ? "reactive" : "delayed"} unit`,
      {
        ...COMMON,
        open: () => wrap(decay(isInnerReactive), "reactive", output),
        ...(output === "mealy" && { feedThrough }),
        inputDerivative: {
          input: "u",
          value: 0,
          slope: 1,
          output: "x",
          expected: isInnerReactive ? FOLLOWED : Math.exp(-0.1),
          tolerance: 1e-6,
        },
      },
    );
  }
  unitContract(`a delayed ${output} adaptation`, {
    ...COMMON,
    open: () => wrap(decay(false), "delayed", output),
    ...(output === "mealy" && { feedThrough }),
  });
}

unitContract("an adaptation of an adaptation of an adaptation", {
  ...COMMON,
  open: () =>
    wrap(wrap(wrap(decay(true), "reactive", "mealy"), "reactive", "mealy"), "reactive", "mealy"),
  feedThrough: { input: "u", value: 1, output: "y", expected: 2, tolerance: 0 },
  inputDerivative: {
    input: "u",
    value: 0,
    slope: 1,
    output: "x",
    expected: FOLLOWED,
    tolerance: 1e-6,
  },
});
