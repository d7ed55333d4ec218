/**
 * What a quantized-state model is made of: the differential equations of a TypeScript unit, quanta,
 * and crossings that are events. The same object makes an `odeUnit`, so that a system can be run as
 * a continuous unit and as a discrete-event one.
 */
import type { CrossingDirection } from "../../model/scenario.ts";
import type { OdeModel } from "../../unit/ode-unit.ts";
import type { PortSpec } from "../../unit/port-spec.ts";
import { DEFAULT_TICKS_PER_SECOND, MAX_TICKS } from "../ticks.ts";

export interface QssCrossing {
  /** A state. */
  readonly of: string;
  readonly level: number;
  /** Default: any. */
  readonly direction?: CrossingDirection;
}

export interface QssOptions {
  /** ΔQ, in the unit of the state: for all states, or by their names. */
  readonly quantum: number | Readonly<Record<string, number>>;
  /** 1: quantized states are constant between their events; 2: linear. Default: 2. */
  readonly order?: 1 | 2;
  /** Default: the start values of the model's parameters. */
  readonly parameters?: Readonly<Record<string, number>>;
  /** Signals that occur where a state reaches a level, by their names. */
  readonly crossings?: Readonly<Record<string, QssCrossing>>;
  /**
   * Seconds after which derivatives that depend on time are evaluated again; default: they do not
   * depend on it.
   */
  readonly timeQuantum?: number;
  /** As in the options of `runDevs` and `devsUnit`, where they have it. */
  readonly ticksPerSecond?: number;
}

/** The model in arrays, checked. */
export interface Prepared {
  readonly model: OdeModel;
  readonly order: 1 | 2;
  readonly states: readonly string[];
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly quanta: Float64Array;
  readonly start: Float64Array;
  readonly inputStart: Float64Array;
  readonly parameters: Float64Array;
  readonly crossings: readonly Crossing[];
  readonly timeQuantum: number;
  /** Seconds; what would come later never comes. */
  readonly lastTime: number;
}

export interface Crossing {
  readonly name: string;
  readonly state: number;
  readonly level: number;
  readonly rising: boolean;
  readonly falling: boolean;
}

/** @throws RangeError where a quantum is missing or not above 0, or a name is that of nothing. */
export function prepare(model: OdeModel, options: QssOptions): Prepared {
  const states = Object.keys(model.states);
  const inputs = Object.keys(model.inputs ?? {});
  const outputs = Object.keys(model.outputs ?? {});
  const fail = (text: string): never => {
    throw new RangeError(`qss of '${model.name}': ${text}`);
  };
  for (const [name, spec] of Object.entries({ ...model.states, ...model.inputs, ...model.outputs }))
    if ((spec.shape ?? []).length > 0)
      fail(`'${name}' is an array; give every element a name of its own`);
  const known = (name: string, names: readonly string[], what: string): void => {
    if (!names.includes(name))
      fail(`there is no ${what} '${name}'; it has ${names.join(", ") || "none"}`);
  };
  const { quantum, crossings = {}, timeQuantum = Number.POSITIVE_INFINITY } = options;
  if (typeof quantum === "object")
    for (const name of Object.keys(quantum)) known(name, states, "state");
  for (const name of Object.keys(options.parameters ?? {}))
    known(name, Object.keys(model.parameters ?? {}), "parameter");
  for (const { of } of Object.values(crossings)) known(of, states, "state");
  if (!(timeQuantum > 0)) fail(`timeQuantum is ${timeQuantum}; it must be above 0`);
  if (outputs.length > 0 && model.evaluate === undefined)
    fail("it has outputs and no 'evaluate' that computes them");
  return {
    model,
    order: options.order ?? 2,
    states,
    inputs,
    outputs,
    quanta: Float64Array.from(states, (name) => {
      const size = typeof quantum === "number" ? quantum : quantum[name];
      return size !== undefined && size > 0 && Number.isFinite(size)
        ? size
        : fail(`the quantum of '${name}' is ${size}; give a number above 0`);
    }),
    start: Float64Array.from(states, (name) => startOf(model.states[name])),
    inputStart: Float64Array.from(inputs, (name) => startOf(model.inputs?.[name])),
    parameters: Float64Array.from(
      Object.entries(model.parameters ?? {}),
      ([name, spec]) => options.parameters?.[name] ?? startOf(spec),
    ),
    crossings: Object.entries(crossings).map(([name, { of, level, direction = "any" }]) => ({
      name,
      state: states.indexOf(of),
      level,
      rising: direction !== "falling",
      falling: direction !== "rising",
    })),
    timeQuantum,
    lastTime: MAX_TICKS / (options.ticksPerSecond ?? DEFAULT_TICKS_PER_SECOND),
  };
}

function startOf(spec: PortSpec | undefined): number {
  const { start = 0 } = spec ?? {};
  return Number(Array.isArray(start) ? start[0] : start);
}
