/**
 * The equations of a unit at its operating point, from the derivatives that it offers: x' = A x + B
 * u, y = C x + D u. With them its step is known for every size, provided that it solves them well;
 * the caller compares with steps of the unit.
 */
import { UnitError } from "../base/outcome.ts";
import { portSize } from "../model/unit-description.ts";
import { fillStepMatrices, stepMatrices, stepMatricesWork } from "../numerics/expm.ts";
import { CapabilityError, type Unit } from "../unit/unit.ts";
import { isReal, type PortElement, type StepModel, type UnitElements } from "./step-model.ts";

export interface StateSpace {
  readonly states: readonly PortElement[];
  readonly a: Float64Array;
  readonly b: Float64Array;
  readonly c: Float64Array;
  readonly d: Float64Array;
}

/** Undefined where the unit offers no derivatives, or does not say what its states are. */
export function stateSpaceOf(unit: Unit, elements: UnitElements): StateSpace | undefined {
  const { ports, capabilities } = unit.description;
  const rates = ports.filter(({ derivativeOf }) => derivativeOf !== undefined);
  if (!capabilities.directionalDerivatives || rates.length === 0) return undefined;
  if (rates.some((rate) => !isReal(rate) || !isReal(ports[rate.derivativeOf!]))) return undefined;
  const states = rates.flatMap((rate) => elementList(unit, rate.derivativeOf!));
  const speeds = rates.flatMap((rate) => elementList(unit, rate.index));
  if (states.length !== speeds.length) return undefined;
  try {
    const { inputs, outputs } = elements;
    const stateIndex = new Map(states.map((e, i) => [`${e.port} ${e.element}`, i]));
    const c = jacobian(unit, outputs, states);
    const d = jacobian(unit, outputs, inputs);
    outputs.forEach((output, i) => {
      const own = stateIndex.get(`${output.port} ${output.element}`);
      if (own === undefined) return;
      c.fill(0, i * states.length, (i + 1) * states.length);
      c[i * states.length + own] = 1;
      d.fill(0, i * inputs.length, (i + 1) * inputs.length);
    });
    return { states, a: jacobian(unit, speeds, states), b: jacobian(unit, speeds, inputs), c, d };
  } catch (error) {
    // A unit that fails to give what it promises is measured instead.
    if (error instanceof UnitError || error instanceof CapabilityError) return undefined;
    throw error;
  }
}

/**
 * The exact solution of the equations over a step; inputs go on along their slopes. Undefined when
 * it overflows.
 */
export function exactStep(
  space: StateSpace,
  elements: UnitElements,
  seconds: number,
): StepModel | undefined {
  const n = space.states.length;
  const m = elements.inputs.length;
  const into = stepMatrices(n, m);
  if (!fillStepMatrices(n, m, space.a, space.b, seconds, into, stepMatricesWork(n, m)))
    return undefined;
  const { c, d } = space;
  return {
    states: n,
    a: into.phi,
    b: into.held,
    r: into.ramp,
    c,
    d,
    f: d.map((entry) => entry * seconds),
  };
}

function elementList(unit: Unit, index: number): PortElement[] {
  const port = unit.description.ports[index];
  return Array.from({ length: portSize(port) }, (_, element) => ({
    port: index,
    element,
    name: port.shape.length === 0 ? port.name : `${port.name}[${element + 1}]`,
  }));
}

/** ∂unknowns/∂knowns, row-major, column by column. */
function jacobian(
  unit: Unit,
  unknowns: readonly PortElement[],
  knowns: readonly PortElement[],
): Float64Array {
  const matrix = new Float64Array(unknowns.length * knowns.length);
  if (matrix.length === 0) return matrix;
  const rows = [...new Set(unknowns.map(({ port }) => port))];
  const rowAt = placesOf(unit, rows);
  const out = new Float64Array(rowAt.size);
  knowns.forEach((known, j) => {
    const places = placesOf(unit, [known.port]);
    const seed = new Float64Array(places.size);
    seed[known.element] = 1;
    unit.directionalDerivative(rows, [known.port], seed, out);
    unknowns.forEach((unknown, i) => {
      matrix[i * knowns.length + j] = out[rowAt.of(unknown)];
    });
  });
  return matrix;
}

function placesOf(
  unit: Unit,
  ports: readonly number[],
): { size: number; of: (element: PortElement) => number } {
  const at = new Map<number, number>();
  let size = 0;
  for (const port of ports) {
    at.set(port, size);
    size += portSize(unit.description.ports[port]);
  }
  return { size, of: ({ port, element }) => at.get(port)! + element };
}
