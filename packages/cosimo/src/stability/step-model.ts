/**
 * What a unit does in one step of a given size, as matrices: the common form of units whose
 * equations are known and of units that were only measured.
 *
 *   x⁺ = A x + B u + R s          over the step, with inputs u and slopes s (0: held)
 *   y  = C x + D u + F s          after it; s counts for inputs that were not written since
 *
 * All numbers are deviations from an operating point. The coordinates of x are the same for every
 * step size of one unit, so that steps of several sizes can follow each other.
 */
import type { Scenario } from "../model/scenario.ts";
import {
  followsInput,
  type Port,
  portSize,
  type UnitDescription,
} from "../model/unit-description.ts";

export interface StepModel {
  readonly states: number;
  readonly a: Float64Array;
  readonly b: Float64Array;
  readonly r: Float64Array;
  readonly c: Float64Array;
  readonly d: Float64Array;
  readonly f: Float64Array;
}

/** One real number at a port. */
export interface PortElement {
  readonly port: number;
  readonly element: number;
  /** `port` or `port[2]`. */
  readonly name: string;
}

/**
 * What of a unit a linear model speaks of: real inputs, and real ports that are read. Everything
 * else stays as it is.
 */
export interface UnitElements {
  readonly inputs: readonly PortElement[];
  readonly outputs: readonly PortElement[];
  /** By input: whether it may have a slope. */
  readonly sloped: readonly boolean[];
  /**
   * By output: whether it is connected. A model must be good at these; all count where there are
   * none.
   */
  readonly taken: readonly boolean[];
}

export function unitElements(scenario: Scenario, unit: number): UnitElements {
  const { description } = scenario.units[unit];
  const { ports } = description;
  const inputs = ports.filter((port) => port.direction === "input" && isReal(port));
  const takenPorts = portsTaken(scenario, unit);
  const read = readPorts(ports, takenPorts);
  const outputs = ports.filter((port) => isReal(port) && read.has(port.index));
  const taken = outputs.flatMap((port) => elementsOf(port).map(() => takenPorts.has(port.index)));
  return {
    inputs: inputs.flatMap(elementsOf),
    outputs: outputs.flatMap(elementsOf),
    sloped: inputs.flatMap((port) => elementsOf(port).map(() => takesSlope(description, port))),
    taken: taken.includes(true) ? taken : taken.map(() => true),
  };
}

export const isReal = ({ type }: Port): boolean => type === "float64" || type === "float32";

/** Outputs, states, and whatever the scenario takes from the unit. */
function readPorts(ports: readonly Port[], taken: ReadonlySet<number>): Set<number> {
  const read = new Set(taken);
  for (const { index, direction, derivativeOf } of ports) {
    if (direction === "output") read.add(index);
    if (derivativeOf !== undefined) read.add(derivativeOf);
  }
  return new Set([...read].filter((index) => ports[index].direction !== "input"));
}

function portsTaken(scenario: Scenario, unit: number): Set<number> {
  const taken = new Set<number>();
  for (const { from, integral } of scenario.connections) {
    if (from.unit !== unit) continue;
    taken.add(from.port);
    if (integral) taken.add(integral.port);
  }
  for (const { left, right, rate } of scenario.constraints)
    for (const ref of [left, right, ...(rate ? [rate.left, rate.right] : [])])
      if (ref.unit === unit) taken.add(ref.port);
  return taken;
}

function elementsOf(port: Port): PortElement[] {
  return Array.from({ length: portSize(port) }, (_, element) => ({
    port: port.index,
    element,
    name: port.shape.length === 0 ? port.name : `${port.name}[${element + 1}]`,
  }));
}

/** As the plan sees it. */
function takesSlope(unit: UnitDescription, port: Port): boolean {
  const { inputDerivativeOrder } = unit.capabilities;
  return followsInput(unit, port) && inputDerivativeOrder > 0 && port.variability === "continuous";
}
