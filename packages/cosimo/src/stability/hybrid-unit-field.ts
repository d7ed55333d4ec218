/**
 * The equations of a unit as a vector field. A unit that names its states lets them be written
 * before its first step and gives their derivatives at once, so it answers f(x) without ever taking
 * a step.
 */
import type { UnitDescription } from "../model/unit-description.ts";
import { makeBanks } from "../model/value-type.ts";
import type { Unit } from "../unit/unit.ts";
import type { VectorField } from "./hybrid-model.ts";

/**
 * x' = f(x) of `unit`, freshly instantiated; its inputs and parameters stay as they start. The unit
 * belongs to the field from now on.
 * @throws Error when the unit does not have these states as scalars, or not their derivatives.
 */
export function unitField(unit: Unit, states: readonly string[]): VectorField {
  const ports = states.map((state) => statePorts(unit.description, state));
  unit.enterInitialization({ start: 0 });
  const n = states.length;
  const banks = makeBanks({ f64: 2 * n });
  const writing = unit.bind(ports.map(({ state }, slot) => ({ port: state, slot })));
  const reading = unit.bind(ports.map(({ derivative }, i) => ({ port: derivative, slot: n + i })));
  return (x, dx) => {
    banks.f64.set(x);
    unit.write(writing, banks);
    unit.read(reading, banks);
    for (let i = 0; i < n; i++) dx[i] = banks.f64[n + i];
  };
}

function statePorts(
  { name, ports }: UnitDescription,
  state: string,
): { readonly state: number; readonly derivative: number } {
  const found = ports.find((port) => port.name === state);
  if (found === undefined) throw new Error(`'${name}' has no state '${state}'`);
  if (found.shape.length > 0) throw new Error(`'${state}' of '${name}' is an array`);
  const derivative = ports.find(({ derivativeOf }) => derivativeOf === found.index);
  if (derivative === undefined)
    throw new Error(`'${name}' does not give the derivative of '${state}'`);
  return { state: found.index, derivative: derivative.index };
}
