/**
 * A timed state machine as its author writes it in TypeScript, and its description as a unit.
 * state-machine-unit.ts runs it.
 */
import { present } from "../base/present.ts";
import type { StateTree } from "../model/state-tree.ts";
import type { UnitDescription } from "../model/unit-description.ts";
import {
  describeUnit,
  makePorts,
  numericOnly,
  type OutputSpecs,
  type PortSpecs,
} from "./port-spec.ts";

/** What conditions and actions see. Booleans are 0 and 1. */
export interface MachineView {
  readonly time: number;
  get(port: string): number;
  /** Only outputs and locals can be set. */
  set(port: string, value: number): void;
  emit(event: string): void;
}

export interface MachineTransition {
  /**
   * A state beside the transition's own, beside one around it, or a path from the top
   * (`hot.cooling`).
   */
  readonly to: string;
  /**
   * Seconds after the state was entered, or the name of a fixed parameter that holds them. Absent:
   * at once.
   */
  readonly after?: number | string;
  /**
   * Only when this input has another value than before; of a transient input: when the event
   * occurs.
   */
  readonly on?: string;
  /** Only when this holds. */
  readonly when?: (machine: MachineView) => boolean;
  /** Inputs that a transition with `after` samples when it is due. */
  readonly reads?: readonly string[];
  readonly do?: (machine: MachineView) => void;
}

export interface MachineState {
  readonly entry?: (machine: MachineView) => void;
  readonly exit?: (machine: MachineView) => void;
  readonly transitions?: readonly MachineTransition[];
  /** States inside this one: entering it enters `initial` among them. */
  readonly states?: Readonly<Record<string, MachineState>>;
  readonly initial?: string;
}

export interface StateMachineModel {
  readonly name: string;
  readonly description?: string;
  readonly parameters?: PortSpecs;
  readonly inputs?: PortSpecs;
  readonly outputs?: OutputSpecs;
  readonly locals?: PortSpecs;
  /** Names of events that actions emit: transient outputs, 1 at the instant of the event. */
  readonly events?: readonly string[];
  readonly initial: string;
  readonly states: Readonly<Record<string, MachineState>>;
  /** Transitions allowed at one time; default: 1000. */
  readonly cascadeLimit?: number;
  /**
   * A lower bound, in seconds, of the time between an event that arrives and one that it causes,
   * where it is known.
   */
  readonly minimumDelay?: number;
}

/** Every state, those inside others included, with its path from the top. */
export function statesIn(
  states: Readonly<Record<string, MachineState>>,
  prefix = "",
): { readonly path: string; readonly state: MachineState }[] {
  return Object.entries(states).flatMap(([name, state]) => [
    { path: prefix + name, state },
    ...statesIn(state.states ?? {}, `${prefix}${name}.`),
  ]);
}

/** What is known of a machine without running it. */
export function describeMachine(
  model: StateMachineModel,
  { nodes }: StateTree<MachineState>,
): UnitDescription {
  const { name, parameters = {}, inputs = {}, outputs = {}, locals = {}, events = [] } = model;
  const innermost = nodes.filter(({ leaf }) => leaf >= 0);
  const items = new Map(innermost.map(({ path, leaf }) => [leaf + 1, path]));
  const start = Math.max(
    1,
    innermost.findIndex(({ path }) => `${path}.`.startsWith(`${model.initial}.`)) + 1,
  );
  const stepwise = (specs: OutputSpecs): OutputSpecs =>
    Object.fromEntries(
      Object.entries(specs).map(([key, spec]) => [
        key,
        { variability: "discrete", feedThrough: [], ...spec },
      ]),
    );
  const ports = makePorts(name, [
    { direction: "parameter", ports: parameters },
    { direction: "input", ports: inputs },
    { direction: "output", ports: stepwise(outputs) },
    {
      direction: "output",
      ports: stepwise(
        Object.fromEntries(events.map((key) => [key, { type: "boolean", nature: "transient" }])),
      ),
    },
    { direction: "local", ports: stepwise(locals) },
    {
      direction: "local",
      ports: {
        state: { type: "enumeration", items, start, description: "where the machine is" },
      },
    },
  ]);
  const array = ports.find(({ shape }) => shape.length > 0);
  if (array !== undefined) throw new Error(`'${name}': port '${array.name}' must be a scalar`);
  const described = describeUnit(model, numericOnly(name, ports), {
    predicates: ["updated", "event", "ready-to-read"],
    zeroStep: true,
    announces: true,
  });
  return { ...described, ...present({ minimumDelay: model.minimumDelay }) };
}
