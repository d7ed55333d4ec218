/**
 * The states of a machine as a tree, and what names mean in it. States contain states; the
 * innermost ones are what a machine is in, and their number is what its port `state` shows. Units
 * run on it, and exported machines are written from it.
 */
import { stateNamed } from "./machine.ts";

export interface StateNode<State> {
  /** Place in the list of nodes. */
  readonly place: number;
  /** Names from the top, joined by dots. */
  readonly path: string;
  /** Place of the state around it; -1: the machine. */
  readonly parent: number;
  readonly state: State;
  /** Number among the innermost states, or -1. */
  readonly leaf: number;
}

export class StateTree<State extends { readonly initial?: string }> {
  /** Outer states before those inside them. */
  readonly nodes: readonly StateNode<State>[];
  /** Places of the innermost states, by number. */
  readonly leaves: readonly number[];
  private readonly paths: readonly string[];
  private readonly owner: string;

  /**
   * @param owner names the machine in messages.
   * @param states with their paths, outer ones before those inside them.
   */
  constructor(owner: string, states: readonly { readonly path: string; readonly state: State }[]) {
    this.owner = owner;
    this.paths = states.map(({ path }) => path);
    const parents = this.paths.map((path) =>
      this.paths.indexOf(path.slice(0, Math.max(0, path.lastIndexOf(".")))),
    );
    const leaves = this.paths.flatMap((_, place) => (parents.includes(place) ? [] : [place]));
    this.leaves = leaves;
    this.nodes = states.map(({ path, state }, place) => ({
      place,
      path,
      parent: parents[place]!,
      state,
      leaf: leaves.indexOf(place),
    }));
  }

  /** A state and those around it, from the inside out. */
  around(place: number): number[] {
    const found: number[] = [];
    for (let at = place; at >= 0; at = this.nodes[at]!.parent) found.push(at);
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

  /**
   * Those around `place`, itself included, up to below `within`: what leaving it leaves, in this
   * order.
   */
  below(within: number, place: number): number[] {
    const chain = this.around(place);
    return chain.slice(0, within < 0 ? chain.length : chain.indexOf(within));
  }

  /**
   * From below `within` to `target`, then the initial states inside it: what a transition enters,
   * in this order.
   */
  entered(within: number, target: number): number[] {
    const entered = this.below(within, target).reverse();
    for (let at = target; this.nodes[at]!.leaf < 0; entered.push(at)) at = this.initialOf(at);
    return entered;
  }

  initialOf(place: number): number {
    const { state, path } = this.nodes[place]!;
    if (state.initial === undefined)
      throw new Error(`'${this.owner}': state '${path}' contains states but has no 'initial'`);
    return this.find(place, `${path}.${state.initial}`);
  }

  /** The state called `name` as seen from `from`, or from the top (-1). */
  find(from: number, name: string): number {
    const path = stateNamed(this.paths, from < 0 ? "" : this.nodes[from]!.path, name);
    if (path !== undefined) return this.paths.indexOf(path);
    const known = this.paths.join(", ");
    throw new Error(`'${this.owner}' has no state '${name}'; its states are ${known}`);
  }
}
