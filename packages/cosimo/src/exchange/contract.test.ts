/**
 * Integrating units keep the unit contract, whatever their model can do.
 */
import { unitContract } from "../unit/testing/contract.ts";
import { integratingUnit } from "./integrating-unit.ts";
import { type PlainModel, plainOde } from "./testing/plain-ode.ts";

/** x' = −x + u, y = 2 x + u. */
const LAG: PlainModel = {
  name: "lag",
  parameters: { gain: { start: 2, variability: "fixed" } },
  inputs: { u: {} },
  states: { x: { start: 1 } },
  outputs: { y: { feedThrough: ["u"] } },
  evaluate: ({ x, u, p, dx, y }) => {
    dx[0] = -x[0] + u[0];
    y[0] = p[0] * x[0] + u[0];
  },
};

for (const method of ["dormand-prince", "radau"] as const)
  for (const cannotSave of [false, true])
    unitContract(
      `${method}${cannotSave ? ", saved from outside" : ""}`,
      {
        open: () => integratingUnit(plainOde({ ...LAG, cannotSave }), { method, tolerance: 1e-9 }),
        step: 0.1,
        behaviour: { port: "x", at: (t) => Math.exp(-t), tolerance: 1e-8 },
        settable: { port: "u", value: 2 },
        fixed: { port: "gain", value: 3 },
        feedThrough: { input: "u", value: 3, output: "y", expected: 5, tolerance: 1e-12 },
        threshold: {
          port: "y",
          value: 1,
          direction: "falling",
          time: Math.log(2),
          timeTolerance: 1e-8,
          valueTolerance: 1e-8,
        },
        directional: { unknown: "y", known: "x", value: 2, tolerance: 1e-9 },
        outputDerivative: { port: "y", at: (t) => -2 * Math.exp(-t), tolerance: 1e-6 },
        inputDerivative: {
          input: "u",
          value: 1,
          slope: 2,
          output: "x",
          // x' = −x + 1 + 2t from x = 1: x = 2 t − 1 + 2 e^(−t)
          expected: 0.2 - 1 + 2 * Math.exp(-0.1),
          tolerance: 1e-9,
        },
      },
      [{ rule: "UN23", reason: "the model has no events" }],
    );

/** A ball that bounces without losing speed: h'' = −g. */
const G = 9.81;
const FALL = Math.sqrt(2 / G);
const BALL: PlainModel = {
  name: "ball",
  parameters: { e: { start: 1, variability: "fixed" } },
  states: { h: { start: 1 }, v: {} },
  outputs: { bounces: {} },
  indicators: 1,
  discrete: [0],
  evaluate: ({ x, dx, z, d, y }) => {
    dx[0] = x[1];
    dx[1] = -G;
    z[0] = x[0];
    y[0] = d[0];
  },
  update: ({ x, d, p }) => {
    if (!(x[0] <= 0 && x[1] < 0)) return {};
    x[0] = 0;
    x[1] *= -p[0];
    d[0]++;
    return { statesChanged: true };
  },
};

for (const [method, handlesEvents] of [
  ["dormand-prince", false],
  ["dormand-prince", true],
  ["radau", false],
] as const)
  unitContract(`${method} with events${handlesEvents ? " that it handles itself" : ""}`, {
    open: () => integratingUnit(plainOde(BALL), { method, tolerance: 1e-10, handlesEvents }),
    step: 0.05,
    behaviour: {
      port: "h",
      at: (t) => {
        const since = ((t + FALL) % (2 * FALL)) - FALL;
        return 1 - (G / 2) * since * since;
      },
      tolerance: 1e-8,
    },
    fixed: { port: "e", value: 0.5 },
    event: { port: "bounces", time: FALL, timeTolerance: 1e-9, value: 1 },
    threshold: {
      port: "h",
      value: 0.5,
      direction: "falling",
      time: Math.sqrt(1 / G),
      timeTolerance: 1e-9,
      valueTolerance: 1e-9,
    },
    directional: { unknown: "der(h)", known: "v", value: 1, tolerance: 1e-9 },
    outputDerivative: { port: "h", at: (t) => -G * t, tolerance: 1e-8 },
  });
