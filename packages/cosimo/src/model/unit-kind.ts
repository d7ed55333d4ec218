/**
 * Which kind of unit this is, port by port, and why: reactive or delayed inputs, Mealy or Moore outputs.
 * The sentences are for people who must decide how to couple the unit.
 */

import type { Port, UnitDescription } from "./unit-description.ts";

export interface InputKind {
  readonly port: Port;
  readonly kind: "reactive" | "delayed";
  readonly why: string;
}

export interface OutputKind {
  readonly port: Port;
  readonly kind: "Mealy" | "Moore";
  readonly why: string;
}

export interface UnitKind {
  readonly inputs: readonly InputKind[];
  readonly outputs: readonly OutputKind[];
}

export function unitKind(unit: UnitDescription): UnitKind {
  const inputs = unit.ports.filter((port) => port.direction === "input");
  const outputs = unit.ports.filter((port) => port.direction === "output");
  return {
    inputs: inputs.map((port) => inputKind(port, unit)),
    outputs: outputs.map((port) => outputKind(port, unit, inputs.length)),
  };
}

const WHY_REACTIVE: Readonly<Record<UnitDescription["backend"], string>> = {
  typescript: "the unit declares that it interpolates to the value at the end of the step",
  fmi2: "the FMU sets canInterpolateInputs, so it can interpolate to the value at the end of the step",
  fmi3: "the FMU takes this input in intermediate updates, so it follows it inside the step",
};

const WHY_DELAYED: Readonly<Record<UnitDescription["backend"], string>> = {
  typescript: "the unit holds or extrapolates the value from the start of the step",
  fmi2: "the FMU does not interpolate it, so only the value at the start of the step counts",
  fmi3: "the FMU takes no intermediate updates of it, so only the value at the start of the step counts",
};

function inputKind(port: Port, unit: UnitDescription): InputKind {
  return port.reactive === true
    ? { port, kind: "reactive", why: WHY_REACTIVE[unit.backend] }
    : { port, kind: "delayed", why: WHY_DELAYED[unit.backend] };
}

function outputKind(port: Port, unit: UnitDescription, inputCount: number): OutputKind {
  if (inputCount === 0) return { port, kind: "Moore", why: "the unit has no inputs" };
  if (port.feedThrough === undefined) {
    const why = "its dependencies are not disclosed, so every input must be assumed";
    return { port, kind: "Mealy", why };
  }
  if (port.feedThrough.length === 0)
    return { port, kind: "Moore", why: "it depends on no input at the same instant" };
  const names = port.feedThrough.map((index) => `'${unit.ports[index]!.name}'`);
  return { port, kind: "Mealy", why: `it depends directly on ${listed(names)}` };
}

const LISTED = 4;

function listed(names: readonly string[]): string {
  if (names.length <= LISTED) return names.join(", ");
  return `${names.slice(0, LISTED).join(", ")} and ${names.length - LISTED} more`;
}
