/** What the contract suite knows of the fixture FMUs that are driven through Model Exchange. */
import type { RuleSkip } from "../contract.ts";
import type { ContractSubject } from "../contract-subject.ts";

export const NO_EVENTS: readonly RuleSkip[] = [{ rule: "UN23", reason: "the model has no events" }];

export const EXCHANGED_DAHLQUIST: Omit<ContractSubject, "open"> = {
  step: 0.1,
  behaviour: { port: "x", at: (t) => Math.exp(-t), tolerance: 1e-8 },
  settable: { port: "k", value: 2 },
  threshold: {
    port: "x",
    value: 0.5,
    direction: "falling",
    time: Math.LN2,
    timeTolerance: 1e-8,
    valueTolerance: 1e-8,
  },
  directional: { unknown: "der(x)", known: "x", value: -1, tolerance: 1e-9 },
  outputDerivative: { port: "x", at: (t) => -Math.exp(-t), tolerance: 1e-8 },
};

const G = 9.81;
/** When the ball touches the ground first. */
export const EXCHANGED_FALL: number = Math.sqrt(2 / G);

export const EXCHANGED_BALL: Omit<ContractSubject, "open"> = {
  step: 0.05,
  behaviour: {
    port: "h",
    at: (t) =>
      t < EXCHANGED_FALL
        ? 1 - (G / 2) * t * t
        : 0.7 * G * EXCHANGED_FALL * (t - EXCHANGED_FALL) -
          (G / 2) * (t - EXCHANGED_FALL) * (t - EXCHANGED_FALL),
    tolerance: 1e-9,
  },
  settable: { port: "e", value: 0.5 },
  fixed: { port: "g", value: 1.62 },
  event: { port: "h", time: EXCHANGED_FALL, timeTolerance: 1e-9, value: 0 },
  threshold: {
    port: "h",
    value: 0.5,
    direction: "falling",
    time: Math.sqrt(1 / G),
    timeTolerance: 1e-9,
    valueTolerance: 1e-9,
  },
  directional: { unknown: "der(h)", known: "v", value: 1, tolerance: 1e-9 },
  outputDerivative: { port: "h", at: (t) => -G * t, tolerance: 1e-9 },
};

/** No states at all. */
export const EXCHANGED_STAIR: Omit<ContractSubject, "open"> = {
  step: 0.2,
  behaviour: { port: "counter", at: (t) => 1 + Math.floor(t + 1e-9), tolerance: 0 },
  settable: { port: "period", value: 0.5 },
  fixed: { port: "limit", value: 3 },
  event: { port: "counter", time: 1, timeTolerance: 1e-9 },
};
