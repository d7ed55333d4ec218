/**
 * Algebraic loops of both sorts: at one instant, through outputs that depend on inputs at once; and over a step, through the
 * states of units whose inputs want the value at the end of the step. An iterating master solves both. Explicit ones solve the
 * first at initialization and break them by a delay afterwards; the second is only a wish there: one input looks back.
 */
import type { Scenario } from "../../model/scenario.ts";
import { connectedKind } from "../../model/unit-kind.ts";
import type { CouplingPlan } from "../coupling-plan.ts";
import { isCoupled } from "../master-needs.ts";
import { type PortGraph, portGraph } from "../port-graph.ts";
import { strongComponents } from "../strong-components.ts";
import type { ConnectionExplanation, LoopExplanation } from "./explanation.ts";

export function explainLoops(
  scenario: Scenario,
  connections: readonly ConnectionExplanation[],
  coupling?: CouplingPlan,
): LoopExplanation[] {
  const graph = portGraph(scenario);
  const instant = graph.components.filter((members) => members.length > 1);
  const known = new Set(instant.map((members) => members.join(" ")));
  const wished = strongComponents(edgesThroughStates(scenario, graph)).filter(
    (members) => members.length > 1 && !known.has(members.join(" ")),
  );
  const name = (v: number): string => {
    const { unit, port } = graph.nodes[v]!;
    const { name: unitName, description } = scenario.units[unit]!;
    return `${unitName}.${description.ports[port]!.name}`;
  };
  const explain = (
    members: readonly number[],
    through: LoopExplanation["through"],
    treatment: (ports: ReadonlySet<string>) => string,
  ): LoopExplanation => {
    const ports = walk(graph, members).map(name);
    const owners = [...new Set(members.map((v) => graph.nodes[v]!.unit))];
    const units = owners.map((u) => scenario.units[u]!.name).sort();
    const isContinuous = members.every((v) => {
      const { unit, port, isInput } = graph.nodes[v]!;
      return !isInput || isCoupled(scenario.units[unit]!.description.ports[port]!);
    });
    const iterated =
      isContinuous && isIterated(scenario, owners, coupling) ? ITERATED[through] : undefined;
    return { through, ports, units, treatment: iterated ?? treatment(new Set(ports)) };
  };
  const within = (ports: ReadonlySet<string>): readonly ConnectionExplanation[] =>
    connections.filter(({ from, to }) => ports.has(from) && ports.has(to));
  return [
    ...instant.map((members) =>
      explain(members, "feed-through", (ports) => {
        const broken = within(ports).filter(({ delayed }) => delayed);
        return `solved at initialization; while stepping ${list(broken)} one step late`;
      }),
    ),
    ...wished.map((members) =>
      explain(members, "interpolation", (ports) => {
        const held = within(ports).filter(({ heldThoughReactive }) => heldThoughReactive);
        return held.length === 0
          ? "broken by the order of the units"
          : `${held.map(({ to }) => to).join(", ")} ${held.length === 1 ? "looks" : "look"} back instead; an iterating master would solve it`;
      }),
    ),
  ];
}

const ITERATED = {
  "feed-through": "solved at initialization and again in every step, which is iterated",
  interpolation: "solved: the step is iterated until both ends agree",
} as const;

/** All of its units are taken back together until they agree. */
function isIterated(
  scenario: Scenario,
  units: readonly number[],
  coupling: CouplingPlan | undefined,
): boolean {
  return (
    coupling?.settings.coupling === "iterative" &&
    units.every((u) => scenario.units[u]!.description.capabilities.rollback)
  );
}

/** Feed-through, and from every input that wants the end of the step to all outputs of its unit. */
function edgesThroughStates(scenario: Scenario, graph: PortGraph): number[][] {
  const edges = graph.edges.map((successors) => [...successors]);
  const outputs = new Map<number, number[]>();
  graph.nodes.forEach(({ unit, isInput }, v) => {
    if (!isInput) outputs.set(unit, [...(outputs.get(unit) ?? []), v]);
  });
  const wishes = new Set(
    scenario.connections
      .filter((connection) => {
        const { approximation } = connection;
        const isReactive = connectedKind(scenario, connection) === "reactive";
        return approximation === "interpolation" || (approximation === undefined && isReactive);
      })
      .map(({ to }) => graph.nodeOf(to.unit, to.port)),
  );
  for (const input of wishes) {
    for (const output of outputs.get(graph.nodes[input]!.unit) ?? [])
      if (!edges[input]!.includes(output)) edges[input]!.push(output);
  }
  return edges;
}

/** Ports in the order in which values run, as far as connections tell. */
function walk(graph: PortGraph, members: readonly number[]): number[] {
  const left = new Set(members);
  const order: number[] = [];
  for (const start of members.filter((v) => !graph.nodes[v]!.isInput)) {
    let next: number | undefined = start;
    while (next !== undefined && left.delete(next)) {
      order.push(next);
      const here: number = next;
      next =
        graph.edges[here]!.find((w) => left.has(w)) ??
        (graph.nodes[here]!.isInput
          ? [...left].find(
              (w) => !graph.nodes[w]!.isInput && graph.nodes[w]!.unit === graph.nodes[here]!.unit,
            )
          : undefined);
    }
  }
  return [...order, ...left];
}

function list(connections: readonly ConnectionExplanation[]): string {
  const names = connections.map(({ from, to }) => `${from} → ${to}`);
  return `${names.join(", ")} ${names.length === 1 ? "is" : "are"}`;
}
