/**
 * What is known of a simulation unit without running it: ports, capabilities, default experiment.
 *
 * This is where FMUs, TypeScript units and adapted units meet: checks, plans and commands read it
 * and never ask where a unit comes from.
 */

import type { Place } from "../base/diagnostic.ts";
import type { BackendName } from "./backends.ts";
import type { PhysicalUnit } from "./physical-unit.ts";
import type { Value, ValueType } from "./value-type.ts";

export type Direction =
  | "input"
  | "output"
  | "parameter"
  | "structural-parameter"
  | "calculated-parameter"
  | "local"
  | "independent";

export type Variability = "constant" | "fixed" | "tunable" | "discrete" | "continuous";

/** What a coordinator may assume of a port's signal between two communication points. */
export type Nature =
  | "continuous"
  | "piecewise-continuous"
  | "piecewise-constant"
  | "constant"
  | "transient";

export interface Port {
  /** Position in `UnitDescription.ports`; the number every call uses. */
  readonly index: number;
  readonly name: string;
  /** Further names of the same variable (FMI 3). */
  readonly aliases?: readonly string[];
  readonly direction: Direction;
  readonly type: ValueType;
  /** Sizes of the dimensions; empty for a scalar. */
  readonly shape: readonly number[];
  readonly variability: Variability;
  readonly nature: Nature;
  readonly description?: string;
  readonly unit?: PhysicalUnit;
  readonly displayUnit?: string;
  /** One entry per element, or a single entry that holds for all of them. */
  readonly start?: readonly Value[];
  readonly min?: number;
  readonly max?: number;
  readonly nominal?: number;
  /** Names of an enumeration's items by value. */
  readonly items?: ReadonlyMap<number, string>;
  /**
   * Inputs this output (or local) depends on at the same instant, as port indices.
   * Absent: the unit does not say, so every input must be assumed. Empty: none (Moore).
   */
  readonly feedThrough?: readonly number[];
  /** The port whose time derivative this one is. */
  readonly derivativeOf?: number;
  /** For a clock: when it ticks. */
  readonly clock?: PortClock;
  /**
   * Clocks that this port belongs to, as port indices: it has a new value only while one of them
   * ticks.
   */
  readonly clocks?: readonly number[];
  /**
   * For an input: true where the unit uses its value at the end of the step (reactive), false where
   * it uses that of the start (delayed). Absent: undeclared, and the master decides.
   */
  readonly reactive?: boolean;
  /** Of a reactive input: where its connection holds it, it uses the value of the start. */
  readonly heldFromStart?: true;
  /**
   * Of an input: it is taken note of between steps and has no effect within them, so nothing
   * iterates over it.
   */
  readonly observed?: true;
  /** Of an output: it belongs to the scenario, and traces name it without its unit. */
  readonly track?: true;
  readonly place?: Place;
}

/**
 * An input clock is ticked by the master: at its interval, or when its source ticks (triggered).
 */
export interface PortClock {
  readonly interval: "constant" | "fixed" | "tunable" | "changing" | "countdown" | "triggered";
  /** Seconds, where the description gives them. */
  readonly seconds?: number;
  /** Seconds from the start to the first tick of a periodic clock. */
  readonly shift: number;
  /**
   * Of a clock that activates a partition: of several at one instant the one with the smallest
   * number comes first. Absent: it is no such clock.
   */
  readonly priority?: number;
}

export interface Capabilities {
  /** save, restore and release work. */
  readonly rollback: boolean;
  /** A snapshot can be turned into bytes and back. */
  readonly serialize: boolean;
  readonly directionalDerivatives: boolean;
  readonly adjointDerivatives: boolean;
  /** Highest order of output derivatives the unit reports; 0 is none. */
  readonly outputDerivativeOrder: number;
  /** Highest order of input derivatives the unit takes; 0 is none. */
  readonly inputDerivativeOrder: number;
  /** False: every step must have the same size. */
  readonly variableStep: boolean;
  /**
   * `advance` may end where it begins: the unit then does what is due at this instant, with the
   * inputs that it has now. So it reacts twice at one instant, and at the stop time.
   */
  readonly zeroStep?: boolean;
  /** It says when it does something next by itself (`nextAction`). */
  readonly announces?: boolean;
  readonly eventMode: boolean;
  readonly earlyReturn: boolean;
  readonly intermediateUpdate: boolean;
  /**
   * It regularly takes less of a step than requested (`discarded`), so the master must be able to
   * roll back.
   */
  readonly refusesSteps?: boolean;
  /** A step may end early (`discarded`), if only as an exception. */
  readonly mayDiscard?: boolean;
  /**
   * Whose derivatives it takes: those of every input (default), only of inputs that are declared
   * reactive, or only of scalar ones.
   */
  readonly followsInputs?: "every" | "declared" | "scalars";
  /** Only one instance may live in a process. */
  readonly oncePerProcess: boolean;
  readonly needsExecutionTool: boolean;
  /** Predicates that `advance` understands, besides `time` and `or`. */
  readonly predicates: readonly ("updated" | "ready-to-read" | "event" | "threshold")[];
  /** The step that the unit prefers, seconds. */
  readonly preferredStep?: number;
  /** The declared size of its internal steps, seconds: it does not notice shorter ones. */
  readonly internalStep?: number;
}

/** A unit that can do nothing but take steps: the floor that backends raise. */
export const NO_CAPABILITIES: Capabilities = {
  rollback: false,
  serialize: false,
  directionalDerivatives: false,
  adjointDerivatives: false,
  outputDerivativeOrder: 0,
  inputDerivativeOrder: 0,
  variableStep: false,
  eventMode: false,
  earlyReturn: false,
  intermediateUpdate: false,
  oncePerProcess: false,
  needsExecutionTool: false,
  predicates: [],
};

export interface Experiment {
  readonly start?: number;
  readonly stop?: number;
  readonly step?: number;
  readonly tolerance?: number;
}

/** Ports that form one connector and are connected together (FMI: terminals). */
export interface Terminal {
  readonly name: string;
  /**
   * "plug" and "bus" match members by name, "sequence" by order; other rules belong to other
   * standards.
   */
  readonly matchingRule: string;
  readonly members: readonly TerminalMember[];
  readonly streams: readonly TerminalStream[];
  /** Terminals inside this one, matched by name. */
  readonly terminals: readonly Terminal[];
}

export interface TerminalMember {
  readonly name: string;
  readonly port: number;
  /** Flows sum up to zero: two members of the same kind are connected with the sign reversed. */
  readonly kind: "signal" | "inflow" | "outflow";
}

/**
 * A transported quantity: what leaves one side through `outPort` enters the other through `inPort`.
 */
export interface TerminalStream {
  readonly inName: string;
  readonly outName: string;
  readonly inPort: number;
  readonly outPort: number;
}

export interface UnitDescription {
  /** The model's name; instances of it get names of their own. */
  readonly name: string;
  readonly backend: BackendName;
  readonly description?: string;
  readonly ports: readonly Port[];
  readonly terminals?: readonly Terminal[];
  readonly capabilities: Capabilities;
  /**
   * A lower bound, in seconds, of the time between an event that arrives and one that it causes,
   * where it is known. Zero-delay cycles are found with it.
   */
  readonly minimumDelay?: number;
  readonly experiment: Experiment;
}

/** Whether derivatives of this input reach the unit, where it takes any. */
export function followsInput({ capabilities }: UnitDescription, input: Port): boolean {
  if (capabilities.followsInputs === "scalars") return portSize(input) === 1;
  return capabilities.followsInputs !== "declared" || input.reactive === true;
}

/** Number of elements of a port's value. */
export function portSize(port: Pick<Port, "shape">): number {
  let size = 1;
  for (const n of port.shape) size *= n;
  return size;
}

/** A port by its name or, where no port has that name, by an alias. */
export function portNamed(unit: UnitDescription, name: string): Port | undefined {
  return (
    unit.ports.find((port) => port.name === name) ??
    unit.ports.find((port) => port.aliases?.includes(name) === true)
  );
}

/** Ports by name and alias; a name wins over another port's alias. */
export function portsByName(unit: UnitDescription): Map<string, Port> {
  const names = new Map<string, Port>();
  for (const port of unit.ports) for (const alias of port.aliases ?? []) names.set(alias, port);
  for (const port of unit.ports) names.set(port.name, port);
  return names;
}

/**
 * How columns of traces name an element of an array: `[2,1]`, with indices from 1; nothing for a
 * scalar.
 */
export function elementSuffix(shape: readonly number[], element: number): string {
  if (shape.length === 0) return "";
  const indices: number[] = [];
  let rest = element;
  for (const size of shape.toReversed()) {
    indices.unshift((rest % size) + 1);
    rest = Math.floor(rest / size);
  }
  return `[${indices.join(",")}]`;
}

/** Everything but a real that varies continuously keeps its value from row to row. */
export function isStepwise(port: Port): boolean {
  const real = port.type === "float64" || port.type === "float32";
  return !real || port.variability !== "continuous" || port.nature === "piecewise-constant";
}
