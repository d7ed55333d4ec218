/**
 * Closure under coupling, word for word: a coupled model as one atomic model, whose transitions
 * drive the components inside it (Gomes et al. 2017, eq. (8), with E2 to E4 corrected; for parallel
 * semantics Chow & Zeigler 1994). Slow, and independent of the kernel's flattening: what tests
 * compare it with.
 */
import {
  type AtomicModel,
  atomic,
  type Component,
  type CoupledModel,
  type Input,
  type Ports,
} from "../model.ts";

/** The state of a coupled model: states and absolute times of its components, by name. */
export interface ClosedState {
  readonly x: Record<string, unknown>;
  readonly last: Record<string, number>;
  readonly next: Record<string, number>;
}

type Bag = { readonly port: string; readonly value: unknown }[];

export function closed(model: Component, semantics = semanticsOf(model)): AtomicModel {
  if (model.kind === "atomic") return model;
  const children = new Map(
    Object.entries(model.components).map(([name, one]) => [name, closed(one, semantics)]),
  );
  const imminent = (state: ClosedState): string[] => {
    const first = Math.min(...Object.values(state.next));
    const all = order(model).filter((name) => state.next[name] === first);
    if (semantics === "parallel" || all.length === 0) return all;
    const chosen =
      typeof model.select === "function" && all.length > 1 ? model.select(all) : all[0]!;
    return [chosen];
  };
  /** What the imminent components send, by where it goes; "" is the coupled model itself. */
  const outputs = (state: ClosedState, time: number): Map<string, Bag> => {
    const bags = new Map<string, Bag>();
    for (const name of imminent(state)) {
      const child = children.get(name)!;
      const send = (port: string, value: unknown): void =>
        route(model, `${name}.${port}`, value, bags);
      child.output?.(state.x[name], send, seen([], time, time - state.last[name]!));
    }
    return bags;
  };
  const transit = (
    state: ClosedState,
    time: number,
    going: readonly string[],
    bags: ReadonlyMap<string, Bag>,
  ): void => {
    for (const [name, child] of children) {
      const bag = bags.get(name) ?? [];
      const isGoing = going.includes(name);
      if (!isGoing && (bag.length === 0 || child.external === undefined)) continue;
      const elapsed = time - state.last[name]!;
      const put = (next: unknown): void => {
        if (next !== undefined) state.x[name] = next;
      };
      if (isGoing && bag.length > 0 && child.confluent !== undefined && semantics === "parallel")
        put(child.confluent(state.x[name], seen(bag, time, elapsed)));
      else {
        if (isGoing) put(child.internal!(state.x[name], seen([], time, elapsed)));
        if (bag.length > 0 && child.external !== undefined)
          put(child.external(state.x[name], seen(bag, time, isGoing ? 0 : elapsed)));
      }
      state.last[name] = time;
      state.next[name] = time + child.timeAdvance(state.x[name], seen([], time, 0));
    }
  };
  const arriving = (input: Input<Ports>, bags: Map<string, Bag>): Map<string, Bag> => {
    for (const port of Object.keys(model.inputs))
      for (const value of input.values(port)) route(model, port, value, bags);
    return bags;
  };
  return atomic<ClosedState, Ports, Ports>({
    name: model.name,
    inputs: model.inputs,
    outputs: model.outputs,
    initial: () => {
      const state: ClosedState = { x: {}, last: {}, next: {} };
      for (const [name, child] of children) {
        state.x[name] = child.initial();
        state.last[name] = -child.initialElapsed;
        state.next[name] = child.timeAdvance(state.x[name], seen([], 0, 0)) - child.initialElapsed;
      }
      return state;
    },
    timeAdvance: (state, now) =>
      Math.min(Number.POSITIVE_INFINITY, ...Object.values(state.next)) - now.time,
    output: (state, send, now) => {
      for (const { port, value } of outputs(state, now.time).get("") ?? []) send(port, value);
    },
    internal: (state, now): ClosedState => {
      transit(state, now.time, imminent(state), outputs(state, now.time));
      return state;
    },
    external: (state, input): ClosedState => {
      transit(state, input.time, [], arriving(input, new Map()));
      return state;
    },
    confluent: (state, input): ClosedState => {
      transit(state, input.time, imminent(state), arriving(input, outputs(state, input.time)));
      return state;
    },
  });
}

/** States of atomic components inside a closed state, by path. */
export function statesInside(model: Component, state: unknown, path = ""): Map<string, unknown> {
  if (model.kind === "atomic") return new Map([[path === "" ? model.name : path, state]]);
  const found = new Map<string, unknown>();
  for (const [name, child] of Object.entries(model.components)) {
    const inner = path === "" ? name : `${path}.${name}`;
    for (const entry of statesInside(child, (state as ClosedState).x[name], inner))
      found.set(...entry);
  }
  return found;
}

function semanticsOf(model: Component): "parallel" | "classic" {
  return model.kind === "coupled" ? (model.semantics ?? "parallel") : "parallel";
}

function order(model: CoupledModel): readonly string[] {
  return Array.isArray(model.select) ? (model.select as string[]) : Object.keys(model.components);
}

function route(model: CoupledModel, from: string, value: unknown, bags: Map<string, Bag>): void {
  for (const coupling of model.couplings) {
    if (coupling.from !== from) continue;
    const translated = coupling.map === undefined ? value : coupling.map(value);
    if (translated === undefined) continue;
    const [component, port] = coupling.to.includes(".")
      ? coupling.to.split(".")
      : ["", coupling.to];
    const bag = bags.get(component!) ?? [];
    bag.push({ port: port!, value: translated });
    bags.set(component!, bag);
  }
}

function seen(bag: Bag, time: number, elapsed: number): Input<Ports> {
  const values = (port: string): never[] =>
    bag.filter((one) => one.port === port).map(({ value }) => value as never);
  return {
    time,
    elapsed,
    index: 0,
    has: (port) => values(port).length > 0,
    get: (port) => values(port)[0],
    values,
  };
}
