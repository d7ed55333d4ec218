/**
 * A machine from a file (model/machine.ts) as a unit: conditions and actions become closures, and
 * the state machine of unit/state-machine-unit.ts runs them. Which inputs a timed transition
 * samples follows from its text, so that a coordinator can hand over their values at that instant.
 */
import { present } from "../base/present.ts";
import type { Expression } from "../model/adaptation/data.ts";
import { referencesIn } from "../model/adaptation/walk.ts";
import {
  type Machine,
  type MachineAction,
  type MachinePort,
  type StateDefinition,
  statesOf as statesIn,
  type TransitionDefinition,
} from "../model/machine.ts";
import { machineDelay } from "../model/machine-delay.ts";
import type { PortSpec, PortSpecs } from "../unit/port-spec.ts";
import type { MachineState, MachineTransition, MachineView } from "../unit/state-machine-model.ts";
import { stateMachineUnit } from "../unit/state-machine-unit.ts";
import type { Unit } from "../unit/unit.ts";
import { compileNumber, type Memory } from "./compile-expression.ts";

/** A unit in phase `instantiated`. The machine has passed its checks (lang/machine). */
export function machineUnit(machine: Machine, name: string): Unit {
  const { description, parameters, inputs, outputs, locals, events, initial } = machine;
  return stateMachineUnit(
    {
      name: machine.name,
      ...(description !== undefined && { description }),
      parameters: parametersOf(parameters, delaysIn(machine.states)),
      inputs: specsOf(inputs),
      outputs: specsOf(outputs),
      locals: specsOf(locals),
      events: events.map((event) => event.name),
      initial,
      states: statesOf(machine.states, new Set(inputs.flatMap(lasting))),
      ...present({ minimumDelay: machineDelay(machine) }),
    },
    name,
  );
}

/** Inputs whose value lasts, so that a transition can sample it. */
function lasting({ name, isEvent }: MachinePort): string[] {
  return isEvent ? [] : [name];
}

function specsOf(ports: readonly MachinePort[]): PortSpecs {
  return Object.fromEntries(ports.map((port) => [port.name, specOf(port)]));
}

function specOf({ type, start, unit, min, max, description, isEvent }: MachinePort): PortSpec {
  return {
    type: TYPES[type],
    start: type === "boolean" ? start !== 0 : start,
    ...(isEvent && { nature: "transient" }),
    ...(unit !== undefined && { unit }),
    ...(min !== undefined && { min }),
    ...(max !== undefined && { max }),
    ...(description !== undefined && { description }),
  };
}

/** A time to wait may not change while it is waited for; other parameters are tunable. */
function parametersOf(ports: readonly MachinePort[], delays: ReadonlySet<string>): PortSpecs {
  return Object.fromEntries(
    ports.map((port) => {
      const variability = delays.has(port.name) ? "fixed" : "tunable";
      return [port.name, { ...specOf(port), variability }];
    }),
  );
}

function delaysIn(states: readonly StateDefinition[]): Set<string> {
  const delays = statesIn(states).flatMap(({ state }) => state.transitions.map((t) => t.after));
  return new Set(delays.filter((after) => typeof after === "string"));
}

const TYPES = { real: "float64", integer: "int32", boolean: "boolean" } as const;

function statesOf(
  states: readonly StateDefinition[],
  inputs: ReadonlySet<string>,
): Record<string, MachineState> {
  return Object.fromEntries(
    states.map(({ name, entry, exit, transitions, states: inner, initial }) => [
      name,
      {
        entry: actionsOf(entry),
        exit: actionsOf(exit),
        transitions: transitions.map((one) => transitionOf(one, inputs)),
        ...(inner.length > 0 && { states: statesOf(inner, inputs) }),
        ...(initial !== undefined && { initial }),
      },
    ]),
  );
}

function transitionOf(
  { to, after, on, when, actions }: TransitionDefinition,
  inputs: ReadonlySet<string>,
): MachineTransition {
  const mentioned = [when, ...actions.map((one) => (one.kind === "assign" ? one.value : undefined))]
    .flatMap((expression) => (expression === undefined ? [] : referencesIn(expression)))
    .map(({ name }) => name);
  const reads = [...new Set(mentioned)].filter((name) => inputs.has(name));
  const condition = when && compile(when);
  return {
    to,
    ...(after !== undefined && { after, reads }),
    ...(on !== undefined && { on }),
    ...(condition && { when: (machine) => condition(machine) !== 0 }),
    do: actionsOf(actions),
  };
}

function actionsOf(actions: readonly MachineAction[]): (machine: MachineView) => void {
  const steps = actions.map((action) => {
    if (action.kind === "emit") return (machine: MachineView) => machine.emit(action.event);
    const value = compile(action.value);
    return (machine: MachineView) => machine.set(action.target, value(machine));
  });
  return (machine) => {
    for (const step of steps) step(machine);
  };
}

/** The names in an expression are loaded before it is computed. */
function compile(expression: Expression): (machine: MachineView) => number {
  const names = [...new Set(referencesIn(expression).map(({ name }) => name))];
  const numbers = new Float64Array(names.length);
  const memory: Memory = { numbers, texts: [], ownTexts: [] };
  const run = compileNumber(expression, {
    memory,
    cell: ({ name }) => ({ bank: "number", index: names.indexOf(name), type: "real" }),
    service: () => undefined,
  });
  return (machine) => {
    for (let i = 0; i < names.length; i++)
      numbers[i] = names[i] === "time" ? machine.time : machine.get(names[i]);
    return run();
  };
}
