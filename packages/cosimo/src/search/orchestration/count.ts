/**
 * How many correct algorithms there are, in the normal form of synthesize.ts, where two are the
 * same if neighbouring operations that commute can be swapped until one is the other (Mazurkiewicz
 * traces). Operations commute unless one is the step of a unit and the other an operation of it,
 * one reads what the other sets, or one reads an output and the other sets an input that it feeds
 * through.
 *
 * Outside of loops the graph of a step orders every pair of operations that do not commute, so
 * there is one algorithm. A round of a loop may take values of the round before: along connections,
 * and at inputs that outputs feed through, where their unit is not restored between rounds. Each of
 * these dependencies may be followed or cut, as long as what is left has an order and no input is
 * cut on both sides: an algorithm of the loop is such an orientation of them. Inputs of no declared
 * kind may be read either way, which is another algorithm.
 */
import type { OrchestratedSystem } from "../../model/orchestration.ts";
import {
  componentsOf,
  type GraphEdge,
  initialGraph,
  type OperationGraph,
  stepGraph,
  topological,
} from "./synthesize.ts";
import { System, unitName } from "./system.ts";

export interface AlgorithmCount {
  /** Of initializations. */
  readonly initialization: number;
  /** Of steps; with inputs of no declared kind, all ways to read them together. */
  readonly step: number;
  /** There are more: the search was cut off. */
  readonly isAtLeast: boolean;
}

/** Orientations, and ways to read undeclared inputs, that are tried. */
const LIMIT = 1 << 16;

export function countAlgorithms(given: OrchestratedSystem): AlgorithmCount {
  const system = new System(given);
  const open = system.inputs().filter((input) => system.kindOf(input) === "undeclared");
  let isAtLeast = false;
  const counted = (
    graph: OperationGraph,
    isPossible: (members: readonly number[]) => boolean,
  ): number => {
    const found = countOf(graph, isPossible);
    isAtLeast ||= found.isAtLeast;
    return found.count;
  };
  const initialization = counted(initialGraph(system), () => true);
  let step = 0;
  const ways = 2 ** Math.min(open.length, Math.log2(LIMIT));
  if (2 ** open.length > ways) isAtLeast = true;
  for (let mask = 0; mask < ways && !(isAtLeast && step > LIMIT); mask++) {
    const graph = stepGraph(system, (input) => {
      const declared = system.kindOf(input);
      if (declared !== "undeclared" && declared !== undefined) return declared;
      return mask & (1 << open.indexOf(input)) ? "reactive" : "delayed";
    });
    // Steps are repeated only by units that can be restored.
    step += counted(graph, (members) =>
      members.every((i) => {
        const { kind, name } = graph.nodes[i];
        return kind !== "step" || system.units.get(name)?.canRollBack !== false;
      }),
    );
  }
  return { initialization, step, isAtLeast };
}

function countOf(
  graph: OperationGraph,
  isPossible: (members: readonly number[]) => boolean,
): { readonly count: number; readonly isAtLeast: boolean } {
  let count = 1;
  let isAtLeast = false;
  for (const members of componentsOf(graph)) {
    if (members.length < 2) continue;
    if (!isPossible(members)) return { count: 0, isAtLeast: false };
    const found = orientations(graph, members);
    count *= found.count;
    isAtLeast ||= found.isAtLeast;
  }
  return { count, isAtLeast };
}

/** Acyclic orientations of what a loop can be cut at; all other edges stay as they are. */
function orientations(
  graph: OperationGraph,
  members: readonly number[],
): { readonly count: number; readonly isAtLeast: boolean } {
  const inside = new Set(members);
  const edges = graph.edges.filter(({ from, to }) => inside.has(from) && inside.has(to));
  const stepped = new Set(
    members.flatMap((i) => (graph.nodes[i].kind === "step" ? [graph.nodes[i].name] : [])),
  );
  const isOpen = ({ from, to, isWire }: GraphEdge): boolean =>
    isWire ||
    (graph.nodes[from].kind === "set" &&
      graph.nodes[to].kind === "get" &&
      !stepped.has(unitName(graph.nodes[to].name)));
  const fixed = edges.filter((edge) => !isOpen(edge));
  const wires = edges.filter(isOpen);
  const inputOf = ({ from, to, isWire }: GraphEdge): number => (isWire ? to : from);
  let tried = 0;
  /** Edges that close a loop stay wrong whatever comes, so most branches end early. */
  const below = (followed: readonly GraphEdge[], cut: readonly GraphEdge[]): number => {
    const turned = cut.map(({ from, to }) => ({ from: to, to: from }));
    const order = [...fixed, ...followed, ...turned];
    if (++tried > LIMIT || topological(members, order) === undefined) return 0;
    const wire = wires[followed.length + cut.length];
    if (wire === undefined) return 1;
    // Cut on both sides, an input would have a value of two rounds before, which is never compared.
    const isOld = cut.some((one) => inputOf(one) === inputOf(wire) && one.isWire !== wire.isWire);
    return below([...followed, wire], cut) + (isOld ? 0 : below(followed, [...cut, wire]));
  };
  const count = below([], []);
  return { count, isAtLeast: tried > LIMIT };
}
