/**
 * How soon a machine can answer an event: a lower bound of the time between an event that arrives
 * and one that it emits because of it. With it zero-delay cycles between machines are found before
 * a run.
 *
 * The shortest way over transitions, from those that wait for an event to those that emit one
 * (Dijkstra 1959). A transition with `after` costs its time where the way enters its state, so that
 * the timer begins there; a timer that may be running already costs nothing.
 */
import {
  type Machine,
  type MachineAction,
  type StateDefinition,
  statesOf,
  type TransitionDefinition,
} from "./machine.ts";
import { StateTree } from "./state-tree.ts";

/**
 * Seconds, infinity where no event leads to another; undefined where it depends on values of
 * parameters.
 */
export function machineDelay(machine: Machine): number | undefined {
  const fastest = delayWith(machine, 0);
  return fastest > 0 || delayWith(machine, Number.POSITIVE_INFINITY) === 0 ? fastest : undefined;
}

interface Way {
  readonly from: number;
  readonly transition: TransitionDefinition;
  readonly entered: readonly number[];
  readonly emits: boolean;
}

/** @param waits what a time that a parameter holds costs. */
function delayWith({ name, states, inputs }: Machine, waits: number): number {
  const tree = new StateTree<StateDefinition>(name, statesOf(states));
  const ways = tree.nodes.flatMap(({ place: from, state }) =>
    state.transitions.map((transition): Way => {
      const to = tree.find(from, transition.to);
      const within = tree.commonParent(from, to);
      const entered = tree.entered(within, to);
      const left = tree.nodes.filter(({ place }) => tree.around(place).includes(from));
      const actions = [
        ...transition.actions,
        ...entered.flatMap((place) => tree.nodes[place]?.state.entry ?? []),
        ...left.flatMap((node) => node.state.exit),
        ...tree.below(within, from).flatMap((place) => tree.nodes[place]?.state.exit ?? []),
      ];
      return { from, transition, entered, emits: actions.some(isEmission) };
    }),
  );
  const events = new Set(inputs.flatMap((port) => (port.isEvent ? [port.name] : [])));
  const costs = ways.map(({ transition: { on } }) =>
    on !== undefined && events.has(on) ? 0 : Number.POSITIVE_INFINITY,
  );
  const open = new Set(ways.keys());
  for (;;) {
    const next = [...open].reduce(
      (best, way) => (best < 0 || (costs[way] ?? 0) < (costs[best] ?? 0) ? way : best),
      -1,
    );
    const way = ways[next];
    const cost = costs[next] ?? Number.POSITIVE_INFINITY;
    if (way === undefined || cost === Number.POSITIVE_INFINITY) return Number.POSITIVE_INFINITY;
    if (way.emits) return cost;
    open.delete(next);
    const reached = new Set(tree.around(way.entered.at(-1) ?? -1));
    ways.forEach(({ from, transition: { after } }, other) => {
      if (!reached.has(from)) return;
      const time = typeof after === "string" ? waits : (after ?? 0);
      const added = way.entered.includes(from) ? time : 0;
      costs[other] = Math.min(costs[other] ?? 0, cost + added);
    });
  }
}

const isEmission = ({ kind }: MachineAction): boolean => kind === "emit";
