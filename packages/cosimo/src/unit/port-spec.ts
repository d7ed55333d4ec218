/**
 * How the ports of a unit are written in TypeScript, and what the rest of Cosimo reads: names with
 * a few words become complete `Port`s.
 */
import type { PhysicalUnit } from "../model/physical-unit.ts";
import {
  type Capabilities,
  type Direction,
  type Experiment,
  type Nature,
  NO_CAPABILITIES,
  type Port,
  type UnitDescription,
  type Variability,
} from "../model/unit-description.ts";
import { bankOf, type Value, type ValueType } from "../model/value-type.ts";

/** Everything has a default: a continuous scalar Float64 that starts at 0. */
export interface PortSpec {
  readonly type?: ValueType;
  readonly shape?: readonly number[];
  readonly start?: Value | readonly Value[];
  /**
   * Continuous for real inputs and outputs, tunable for parameters, discrete for everything else.
   */
  readonly variability?: Variability;
  readonly nature?: Nature;
  readonly description?: string;
  /** A unit's name, or what it is. */
  readonly unit?: string | PhysicalUnit;
  readonly displayUnit?: string;
  readonly min?: number;
  readonly max?: number;
  readonly nominal?: number;
  readonly items?: ReadonlyMap<number, string>;
  readonly reactive?: boolean;
  readonly heldFromStart?: true;
}

export interface OutputSpec extends PortSpec {
  /** Names of the inputs that act on this output at once. Absent: all of them may. */
  readonly feedThrough?: readonly string[];
}

/** A continuous state. Its start value can be written until the first step. */
export interface StateSpec extends PortSpec {
  /** Only to be read, not to be connected. */
  readonly local?: boolean;
}

export type PortSpecs = Readonly<Record<string, PortSpec>>;
export type OutputSpecs = Readonly<Record<string, OutputSpec>>;
export type StateSpecs = Readonly<Record<string, StateSpec>>;

/** Ports of one direction, in the order of writing. */
export interface PortGroup {
  readonly direction: Direction;
  readonly ports: Readonly<Record<string, OutputSpec & StateSpec>>;
}

/**
 * Ports of all groups, numbered through. Throws when two share a name or feed-through names no
 * input.
 */
export function makePorts(unit: string, groups: readonly PortGroup[]): Port[] {
  const ports: Port[] = [];
  const inputs = new Map<string, number>();
  const names = new Set<string>();
  for (const { direction, ports: specs } of groups) {
    for (const [name, spec] of Object.entries(specs)) {
      if (names.has(name)) throw new Error(`'${unit}' has two ports '${name}'; rename one of them`);
      names.add(name);
      if (direction === "input") inputs.set(name, ports.length);
      ports.push(makePort(ports.length, name, direction, spec));
    }
  }
  return ports.map((port) => {
    const feedThrough = groups.find((g) => Object.hasOwn(g.ports, port.name))?.ports[port.name]
      ?.feedThrough;
    if (feedThrough === undefined) return port;
    return { ...port, feedThrough: feedThrough.map((name) => inputNamed(unit, inputs, name)) };
  });
}

/**
 * Ports of a unit of differential equations: parameters, inputs, states, outputs, and `der(x)` of
 * every state x.
 */
export function stateSpacePorts(model: {
  readonly name: string;
  readonly parameters?: PortSpecs;
  readonly inputs?: PortSpecs;
  readonly states: StateSpecs;
  readonly outputs?: OutputSpecs;
}): Port[] {
  const states = Object.entries(model.states);
  const ports = makePorts(model.name, [
    { direction: "parameter", ports: model.parameters ?? {} },
    { direction: "input", ports: model.inputs ?? {} },
    {
      direction: "output",
      ports: Object.fromEntries(states.map(([key, spec]) => [key, { ...spec, feedThrough: [] }])),
    },
    { direction: "output", ports: model.outputs ?? {} },
    {
      direction: "local",
      ports: Object.fromEntries(
        states.map(([key, { shape = [] }]) => [derivativeName(key), { shape, local: true }]),
      ),
    },
  ]);
  const indices = new Map(ports.map(({ name, index }) => [name, index]));
  const integrals = new Map(states.map(([key]) => [derivativeName(key), indices.get(key)]));
  return ports.map((port) => {
    const derivativeOf = integrals.get(port.name);
    return derivativeOf === undefined ? port : { ...port, derivativeOf };
  });
}

function derivativeName(state: string): string {
  return `der(${state})`;
}

/** For models that compute with plain numbers: refuses ports of other banks. */
export function numericOnly(unit: string, ports: readonly Port[]): readonly Port[] {
  const other = ports.find(({ type }) => bankOf(type) !== "f64");
  if (other === undefined) return ports;
  throw new Error(
    `'${unit}': port '${other.name}' is of type ${other.type}; this kind of unit takes types that fit a double`,
  );
}

/** What every unit written in TypeScript can do, raised by `more`. */
export function describeUnit(
  model: { readonly name: string; readonly description?: string },
  ports: readonly Port[],
  more: Partial<Capabilities>,
  experiment: Experiment = {},
): UnitDescription {
  return {
    name: model.name,
    backend: "typescript",
    ...(model.description !== undefined && { description: model.description }),
    ports,
    capabilities: {
      ...NO_CAPABILITIES,
      rollback: true,
      serialize: true,
      variableStep: true,
      ...more,
    },
    experiment,
  };
}

/** Derivatives of the kind that units of equations offer. */
export const SMOOTH: Partial<Capabilities> = {
  directionalDerivatives: true,
  adjointDerivatives: true,
  outputDerivativeOrder: 1,
  inputDerivativeOrder: 1,
};

function inputNamed(unit: string, inputs: ReadonlyMap<string, number>, name: string): number {
  const index = inputs.get(name);
  if (index === undefined) {
    throw new Error(`'${unit}' has no input '${name}' for feed-through; name one of its inputs`);
  }
  return index;
}

function makePort(
  index: number,
  name: string,
  groupDirection: Direction,
  spec: OutputSpec & StateSpec,
): Port {
  const { type = "float64", shape = [], feedThrough: _, local, ...rest } = spec;
  const direction = local === true ? "local" : groupDirection;
  const variability = spec.variability ?? defaultVariability(direction, type);
  const start = spec.start ?? defaultStart(type);
  return {
    ...rest,
    index,
    name,
    direction,
    type,
    shape,
    variability,
    nature: spec.nature ?? natureOf(variability),
    start: Array.isArray(start) ? (start as readonly Value[]) : [start as Value],
    ...(typeof spec.unit === "string" && { unit: { name: spec.unit } }),
  } as Port;
}

function defaultVariability(direction: Direction, type: ValueType): Variability {
  if (direction === "parameter") return "tunable";
  return type === "float64" || type === "float32" ? "continuous" : "discrete";
}

function natureOf(variability: Variability): Nature {
  switch (variability) {
    case "continuous":
      return "continuous";
    case "constant":
    case "fixed":
      return "constant";
    default:
      return "piecewise-constant";
  }
}

function defaultStart(type: ValueType): Value {
  switch (type) {
    case "boolean":
      return false;
    case "int64":
    case "uint64":
      return 0n;
    case "string":
      return "";
    case "binary":
      return new Uint8Array(0);
    default:
      return 0;
  }
}
