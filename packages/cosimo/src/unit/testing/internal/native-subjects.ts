/** What the contract suite knows of the fixture FMUs that are driven by steps. */
import type { ContractSubject } from "../contract-subject.ts";

export const DAHLQUIST: Omit<ContractSubject, "open"> = {
  step: 0.1,
  behaviour: { port: "x", at: (t) => Math.exp(-t), tolerance: 0.03 },
  settable: { port: "k", value: 2 },
  directional: { unknown: "der(x)", known: "k", value: -1, tolerance: 1e-12 },
  outputDerivative: { port: "x", at: (t) => -Math.exp(-t), tolerance: 0.03 },
};

/** x'' + x' + x = slope · t from x = 1, x' = 0. */
function oscillator(t: number, slope: number): number {
  const w = Math.sqrt(3) / 2;
  const a = 1 + slope;
  const b = (a / 2 - slope) / w;
  return Math.exp(-t / 2) * (a * Math.cos(w * t) + b * Math.sin(w * t)) + slope * (t - 1);
}

function oscillatorVelocity(t: number): number {
  const w = Math.sqrt(3) / 2;
  return (-Math.exp(-t / 2) * Math.sin(w * t)) / w;
}

export const MASS: Omit<ContractSubject, "open"> = {
  step: 0.1,
  behaviour: { port: "x_1", at: (t) => oscillator(t, 0), tolerance: 1e-12 },
  settable: { port: "F_e", value: 2 },
  fixed: { port: "m", value: 3 },
  directional: { unknown: "der(v_1)", known: "F_e", value: 1, tolerance: 1e-12 },
  outputDerivative: { port: "x_1", at: oscillatorVelocity, tolerance: 1e-12 },
  inputDerivative: {
    input: "F_e",
    value: 0,
    slope: 2,
    output: "x_1",
    expected: oscillator(0.1, 2),
    tolerance: 1e-12,
  },
};

export const FEEDTHROUGH: Omit<ContractSubject, "open"> = {
  step: 0.1,
  behaviour: { port: "Float64_continuous_output", at: () => 1.25, tolerance: 0 },
  settable: { port: "Float64_continuous_input", value: -3 },
  fixed: { port: "Float64_fixed_parameter", value: 7 },
  feedThrough: {
    input: "Float64_continuous_input",
    value: 4.5,
    output: "Float64_continuous_output",
    expected: 4.5,
    tolerance: 0,
  },
  directional: {
    unknown: "Float64_continuous_output",
    known: "Float64_continuous_input",
    value: 1,
    tolerance: 0,
  },
};

export const ECHOES_OF_BOTH: NonNullable<ContractSubject["echoes"]> = [
  { input: "Float64_discrete_input", output: "Float64_discrete_output", value: 1e-300 },
  { input: "Int32_input", output: "Int32_output", value: -2147483648 },
  { input: "Boolean_input", output: "Boolean_output", value: 1 },
  { input: "String_input", output: "String_output", value: "grüße, 世界 100%" },
  { input: "Enumeration_input", output: "Enumeration_output", value: 3 },
];

export const ECHOES_OF_FMI3: NonNullable<ContractSubject["echoes"]> = [
  { input: "Float32_continuous_input", output: "Float32_continuous_output", value: 0.15625 },
  { input: "Int8_input", output: "Int8_output", value: -7 },
  { input: "UInt8_input", output: "UInt8_output", value: 200 },
  { input: "Int16_input", output: "Int16_output", value: -32768 },
  { input: "UInt16_input", output: "UInt16_output", value: 65535 },
  { input: "UInt32_input", output: "UInt32_output", value: 4294967295 },
  { input: "Int64_input", output: "Int64_output", value: -9007199254740993n },
  { input: "UInt64_input", output: "UInt64_output", value: 9007199254740993n },
  { input: "Binary_input", output: "Binary_output", value: Uint8Array.of(0, 255, 0, 7) },
];

const G = 9.81;
const FALL = Math.sqrt(2 / G);

export const BALL: Omit<ContractSubject, "open"> = {
  step: 0.05,
  behaviour: {
    port: "h",
    at: (t) =>
      t < FALL
        ? 1 - (G / 2) * t * t
        : 0.7 * G * FALL * (t - FALL) - (G / 2) * (t - FALL) * (t - FALL),
    tolerance: 1e-9,
  },
  settable: { port: "e", value: 0.5 },
  fixed: { port: "g", value: 1.62 },
  event: { port: "h", time: FALL, timeTolerance: 1e-9, value: 0 },
};

export const STAIR: Omit<ContractSubject, "open"> = {
  step: 0.2,
  behaviour: { port: "counter", at: (t) => 1 + Math.floor(t + 1e-9), tolerance: 0 },
  settable: { port: "period", value: 0.5 },
  fixed: { port: "limit", value: 3 },
  event: { port: "counter", time: 1, timeTolerance: 1e-9 },
};
