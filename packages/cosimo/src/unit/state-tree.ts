/**
 * The states of a machine as a tree, and what names mean in it. States contain states; the innermost ones are what a machine
 * is in, and their number is what its port `state` shows.
 */
import { stateNamed } from "../model/machine.ts";
import type { MachineState } from "./state-machine-unit.ts";

export interface StateNode {
  /** Names from the top, joined by dots. */
  readonly path: string;
  /** Place of the state around it; -1: the machine. */
  readonly parent: number;
  readonly state: MachineState;
  /** Number among the innermost states, or -1. */
  readonly leaf: number;
}

export class StateTree {
  /** Outer states before those inside them. */
  readonly nodes: readonly StateNode[];
  /** Places of the innermost states, by number. */
  readonly leaves: readonly number[];
  readonly #owner: string;

  /** @param owner names the machine in messages. */
  constructor(owner: string, states: Readonly<Record<string, MachineState>>) {
    const nodes: StateNode[] = [];
    const leaves: number[] = [];
    const add = (inside: Readonly<Record<string, MachineState>>, parent: number): void => {
      for (const [name, state] of Object.entries(inside)) {
        const path = parent < 0 ? name : `${nodes[parent].path}.${name}`;
        const inner = state.states ?? {};
        const isInnermost = Object.keys(inner).length === 0;
        const place =
          nodes.push({ path, parent, state, leaf: isInnermost ? leaves.length : -1 }) - 1;
        if (isInnermost) leaves.push(place);
        else add(inner, place);
      }
    };
    add(states, -1);
    this.nodes = nodes;
    this.leaves = leaves;
    this.#owner = owner;
  }

  /** A state and those around it, from the inside out. */
  around(place: number): number[] {
    const found: number[] = [];
    for (let at = place; at >= 0; at = this.nodes[at].parent) found.push(at);
    return found;
  }

  /** The innermost state that contains both and is neither of them; -1: the machine. */
  commonParent(a: number, b: number): number {
    const outside = this.around(b).slice(1);
    const both = this.around(a)
      .slice(1)
      .find((place) => outside.includes(place));
    return both ?? -1;
  }

  /** From below `within` to `target`, then the initial states inside it: what a transition enters, in this order. */
  entered(within: number, target: number): number[] {
    const chain = this.around(target);
    const outer = chain.slice(0, within < 0 ? chain.length : chain.indexOf(within)).reverse();
    for (let at = target; this.nodes[at].leaf < 0; outer.push(at)) at = this.initialOf(at);
    return outer;
  }

  initialOf(place: number): number {
    const { state, path } = this.nodes[place];
    if (state.initial === undefined)
      throw new Error(`'${this.#owner}': state '${path}' contains states but has no 'initial'`);
    return this.find(place, `${path}.${state.initial}`);
  }

  /** The state called `name` as seen from `from`, or from the top (-1). */
  find(from: number, name: string): number {
    const paths = this.nodes.map(({ path }) => path);
    const path = stateNamed(paths, from < 0 ? "" : this.nodes[from].path, name);
    if (path !== undefined) return paths.indexOf(path);
    throw new Error(`'${this.#owner}' has no state '${name}'; its states are ${paths.join(", ")}`);
  }
}
