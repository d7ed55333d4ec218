/**
 * Timed state machines as plain data: what a `.machine.yaml` file says (docs/spec/machine.md).
 * Expressions are those of adaptations.
 */
import type { Place } from "../base/diagnostic.ts";
import type { Expression } from "./adaptation/data.ts";

export interface Machine {
  readonly name: string;
  readonly description?: string;
  readonly parameters: readonly MachinePort[];
  readonly inputs: readonly MachinePort[];
  readonly outputs: readonly MachinePort[];
  readonly locals: readonly MachinePort[];
  /** Events that it emits. */
  readonly events: readonly MachineEvent[];
  readonly initial: string;
  readonly states: readonly StateDefinition[];
  readonly place: Place;
}

export type MachineType = "real" | "integer" | "boolean";

export interface MachinePort {
  readonly name: string;
  readonly type: MachineType;
  /** Of an input: it carries events, not a value that lasts. */
  readonly isEvent?: true;
  readonly start: number;
  readonly unit?: string;
  readonly min?: number;
  readonly max?: number;
  readonly description?: string;
  readonly place: Place;
}

export interface MachineEvent {
  readonly name: string;
  readonly description?: string;
  readonly place: Place;
}

export interface StateDefinition {
  readonly name: string;
  readonly description?: string;
  readonly entry: readonly MachineAction[];
  readonly exit: readonly MachineAction[];
  readonly transitions: readonly TransitionDefinition[];
  /** States inside, and which of them is entered first. */
  readonly states: readonly StateDefinition[];
  readonly initial?: string;
  readonly place: Place;
}

export interface TransitionDefinition {
  readonly to: string;
  /** Seconds after the state was entered, or the parameter that holds them. Absent: at once. */
  readonly after?: number | string;
  /** The input whose change, or whose event, it waits for. */
  readonly on?: string;
  readonly when?: Expression;
  readonly actions: readonly MachineAction[];
  readonly place: Place;
}

export type MachineAction =
  | {
      readonly kind: "assign";
      readonly target: string;
      readonly value: Expression;
      readonly place: Place;
    }
  | { readonly kind: "emit"; readonly event: string; readonly place: Place };

/** Every state, those inside others included, with its path from the top. */
export function statesOf(
  states: readonly StateDefinition[],
  prefix = "",
): { readonly path: string; readonly state: StateDefinition }[] {
  return states.flatMap((state) => {
    const path = prefix + state.name;
    return [{ path, state }, ...statesOf(state.states, `${path}.`)];
  });
}

/**
 * The path of the state that a transition of the state at `from` calls `name`: the nearest scope
 * that has one wins, and last comes the path from the top.
 */
export function stateNamed(
  paths: readonly string[],
  from: string,
  name: string,
): string | undefined {
  const scopes = from.split(".");
  for (let depth = scopes.length - 1; depth >= 0; depth--) {
    const path = [...scopes.slice(0, depth), name].join(".");
    if (paths.includes(path)) return path;
  }
  return undefined;
}
