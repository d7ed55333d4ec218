/**
 * Algebraic loops of both kinds: at one instant, through outputs that depend directly on inputs;
 * and over a step, through the states of units whose inputs use the value at its end. An iterating
 * master solves both. Explicit ones solve the first at initialization and break it by a delay
 * afterwards; in the second at least one input uses the previous value instead.
 */
import { iterates } from "../../model/masters.ts";
import type { Scenario } from "../../model/scenario.ts";
import { portName } from "../../model/scenario-ports.ts";
import type { CouplingPlan } from "../coupling-plan.ts";
import { findLoops, isContinuous } from "../find-loops.ts";
import { loopPath } from "../loop-path.ts";
import type { ConnectionExplanation, LoopExplanation } from "./explanation.ts";

export function explainLoops(
  scenario: Scenario,
  connections: readonly ConnectionExplanation[],
  coupling?: CouplingPlan,
): LoopExplanation[] {
  const { graph, instant, overStep, stepEdges } = findLoops(scenario);
  const explain = (
    members: readonly number[],
    through: LoopExplanation["through"],
    treatment: (ports: ReadonlySet<string>) => string,
  ): LoopExplanation => {
    const edges = through === "feed-through" ? graph.edges : stepEdges;
    const nameOf = (v: number): string => portName(scenario, graph.nodes[v]);
    const ports = members.map(nameOf);
    const path = loopPath(edges, members, (v) => !graph.nodes[v].isInput).map(nameOf);
    const owners = [...new Set(members.map((v) => graph.nodes[v].unit))];
    const units = owners.map((u) => scenario.units[u].name).sort();
    const iterated =
      isContinuous(scenario, graph, members) && isIterated(scenario, owners, coupling)
        ? ITERATED[through]
        : undefined;
    return { through, path, ports, units, treatment: iterated ?? treatment(new Set(ports)) };
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
    ...overStep.map((members) =>
      explain(members, "interpolation", (ports) => {
        const held = within(ports).filter(({ heldThoughReactive }) => heldThoughReactive);
        if (held.length === 0) return "broken by the order of the units";
        const late = held.length === 1 ? "uses its source's value" : "use their sources' values";
        return `${held.map(({ to }) => to).join(", ")} ${late} of the start instead; an iterating master would solve it`;
      }),
    ),
  ];
}

const ITERATED = {
  "feed-through": "solved at initialization and again in every step, which is iterated",
  interpolation: "solved: the step is iterated until inputs and outputs agree",
} as const;

/** Whether its units are rolled back together until they agree. */
function isIterated(
  scenario: Scenario,
  units: readonly number[],
  coupling: CouplingPlan | undefined,
): boolean {
  return (
    coupling !== undefined &&
    iterates(coupling.settings) &&
    units.every((u) => scenario.units[u].description.capabilities.rollback)
  );
}

function list(connections: readonly ConnectionExplanation[]): string {
  const names = connections.map(({ from, to }) => `${from} → ${to}`);
  return `${names.join(", ")} ${names.length === 1 ? "is" : "are"}`;
}
