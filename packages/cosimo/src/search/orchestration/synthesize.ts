/**
 * Correct orchestration algorithms, made from what is known of the units. In the normal form that
 * is made here a step begins where all units, inputs and outputs are at one time; every unit steps
 * once, every connected output is read once after that, every connected input is set once: a
 * reactive one before its unit steps, a delayed one after. Which operation must come before which
 * is then a graph:
 *
 *     step c → get y                  of every output y of c
 *     set u → get y                   where y feeds u through
 *     get y → set u                   along a connection
 *     set u → step c                  u a reactive input of c
 *     step c → set u                  u a delayed input of c
 *
 * A strongly connected component is an algebraic loop: it is repeated until the outputs agree at
 * which it is cut. Units that may refuse a step go first, with all that they wait for, in a loop
 * that is repeated until none of them does.
 */
import { type Checked, diagnose, type Place } from "../../base/diagnostic.ts";
import type { Operation, OrchestratedSystem, Orchestration } from "../../model/orchestration.ts";
import { strongComponents } from "../../plan/strong-components.ts";
import { ORCHESTRATION_RULES } from "./orchestration-diagnostics.ts";
import { type InputKind, System, unitName } from "./system.ts";

/**
 * An operation and those that must come behind it. `isWire`: along a connection, where a loop may
 * be cut.
 */
export interface OperationGraph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

export interface GraphNode {
  readonly kind: "get" | "set" | "step";
  /** `unit.port`, or the unit that steps. */
  readonly name: string;
}

export interface GraphEdge {
  readonly from: number;
  readonly to: number;
  readonly isWire: boolean;
}

const PLACE: Place = { file: "synthesized" };

/**
 * Inputs of no declared kind are delayed: what nobody says is held constant over a step (assumption
 * 15 of the thesis).
 */
const asDeclared = (kind: InputKind): "reactive" | "delayed" =>
  kind === "reactive" ? "reactive" : "delayed";

export function synthesize(
  given: OrchestratedSystem,
  kindOf: (input: string, declared: InputKind) => "reactive" | "delayed" = (_, kind) =>
    asDeclared(kind),
): Checked<Orchestration> {
  const system = new System(given);
  const impossible = (why: string, fix: string): Checked<Orchestration> => ({
    diagnostics: [diagnose(ORCHESTRATION_RULES, "orchestration-impossible", { why, fix }, PLACE)],
  });
  const kinds = (input: string): "reactive" | "delayed" =>
    kindOf(input, system.kindOf(input) ?? "undeclared");
  const first = initialGraph(system);
  const initialization = ordered(first, componentsOf(first)).flatMap((members) =>
    block(first, members, () => []),
  );
  const graph = stepGraph(system, kinds);
  const components = componentsOf(graph);
  for (const members of components) {
    const stuck =
      members.length < 2
        ? []
        : members
            .map((i) => graph.nodes[i])
            .filter(
              ({ kind, name }) => kind === "step" && system.units.get(name)?.canRollBack === false,
            );
    if (stuck.length > 0)
      return impossible(
        `${stuck.map(({ name }) => `'${name}'`).join(", ")} would have to repeat steps in an algebraic loop, and cannot restore a state`,
        "declare one of the loop's inputs delayed",
      );
  }
  const refusing = [...system.units.values()].filter(({ mayRefuse }) => mayRefuse);
  const early = new Set(
    ancestors(
      graph,
      components,
      (node) => node.kind === "step" && refusing.some(({ name }) => name === node.name),
    ),
  );
  const inLoop = [...early]
    .map((i) => graph.nodes[i])
    .filter(({ kind }) => kind === "step")
    .map(({ name }) => name);
  const stuck = inLoop.filter((name) => system.units.get(name)?.canRollBack === false);
  const alike = refusing.filter(({ name }) => stuck.includes(name)).map(({ name }) => name);
  if (alike.length > 0)
    return impossible(
      `${alike.map((name) => `'${name}'`).join(", ")} may refuse a step and cannot restore the state before it`,
      "use units that can save and restore their state, or steps that are never refused",
    );
  if (refusing.length > 0 && stuck.length > 0)
    return impossible(
      `${refusing.map(({ name }) => `'${name}'`).join(", ")} may refuse a step that ${stuck.map((name) => `'${name}'`).join(", ")} must take before or with it, and cannot take back`,
      "use units that can save and restore their state, or steps that are never refused",
    );
  const saving = (names: readonly string[]): Operation[] =>
    names.map((unit) => ({ kind: "save", unit, place: PLACE }));
  const sequence = ordered(graph, components);
  const emitted = (part: readonly (readonly number[])[]): Operation[] =>
    part.flatMap((members) => block(graph, members, saving));
  const before = sequence.filter(([node]) => early.has(node ?? -1));
  const behind = sequence.filter(([node]) => !early.has(node ?? -1));
  const step: Operation[] = [];
  // Units of an algebraic loop are saved where it begins.
  const alone = inLoop.filter((name) =>
    before.some(
      (members) =>
        members.length === 1 &&
        graph.nodes[members[0]].kind === "step" &&
        graph.nodes[members[0]].name === name,
    ),
  );
  if (before.length > 0)
    step.push(...saving(alone), {
      kind: "repeat",
      until: "accepted",
      body: emitted(before),
      retry: inLoop.map((unit) => ({ kind: "restore", unit, place: PLACE })),
      place: PLACE,
    });
  step.push(...emitted(behind));
  return { value: { initialization, step }, diagnostics: [] };
}

/** Which operation of a step must come before which. */
export function stepGraph(
  system: System,
  kindOf: (input: string) => "reactive" | "delayed",
): OperationGraph {
  const builder = new GraphBuilder();
  for (const unit of system.units.keys()) builder.node("step", unit);
  for (const output of system.outputs()) {
    const get = builder.node("get", output);
    builder.edge(builder.node("step", unitName(output)), get);
    for (const input of system.needsOf(output)) builder.edge(builder.node("set", input), get);
    for (const input of system.targetsOf.get(output) ?? [])
      builder.edge(get, builder.node("set", input), true);
  }
  for (const input of system.inputs()) {
    const set = builder.node("set", input);
    const step = builder.node("step", unitName(input));
    if (kindOf(input) === "reactive") builder.edge(set, step);
    else builder.edge(step, set);
  }
  return builder;
}

/** The same at one instant: nobody steps. */
export function initialGraph(system: System): OperationGraph {
  const builder = new GraphBuilder();
  for (const output of system.outputs()) {
    const get = builder.node("get", output);
    for (const input of system.needsOf(output)) builder.edge(builder.node("set", input), get);
    for (const input of system.targetsOf.get(output) ?? [])
      builder.edge(get, builder.node("set", input), true);
  }
  return builder;
}

class GraphBuilder implements OperationGraph {
  readonly nodes: GraphNode[] = [];
  readonly edges: GraphEdge[] = [];
  private readonly known = new Map<string, number>();

  node(kind: GraphNode["kind"], name: string): number {
    const key = `${kind} ${name}`;
    const index = this.known.get(key);
    if (index !== undefined) return index;
    this.known.set(key, this.nodes.length);
    this.nodes.push({ kind, name });
    return this.nodes.length - 1;
  }

  edge(from: number, to: number, isWire = false): void {
    this.edges.push({ from, to, isWire });
  }
}

function targetsOf({ nodes, edges }: OperationGraph): number[][] {
  const targets: number[][] = nodes.map(() => []);
  for (const { from, to } of edges) targets[from].push(to);
  return targets;
}

export function componentsOf(graph: OperationGraph): number[][] {
  return strongComponents(targetsOf(graph)).map((members) => members.toSorted((a, b) => a - b));
}

/** The components, sources first; among those that are free, the one with the first operation. */
function ordered(graph: OperationGraph, components: readonly (readonly number[])[]): number[][] {
  const of = new Int32Array(graph.nodes.length);
  components.forEach((members, c) => {
    for (const member of members) of[member] = c;
  });
  const waiting = components.map(() => new Set<number>());
  for (const { from, to } of graph.edges) if (of[from] !== of[to]) waiting[of[to]].add(of[from]);
  const open = components
    .map((members, c) => ({ members, c }))
    .sort((a, b) => a.members[0] - b.members[0]);
  const sequence: number[][] = [];
  const isDone = new Set<number>();
  while (open.length > 0) {
    const next = open.findIndex(({ c }) => [...waiting[c]].every((other) => isDone.has(other)));
    const [{ members, c }] = open.splice(next, 1);
    isDone.add(c);
    sequence.push([...members]);
  }
  return sequence;
}

/** All nodes that must come before those of `isWanted`, these included, whole components. */
function ancestors(
  graph: OperationGraph,
  components: readonly (readonly number[])[],
  isWanted: (node: GraphNode) => boolean,
): number[] {
  const found = new Set<number>(graph.nodes.flatMap((node, i) => (isWanted(node) ? [i] : [])));
  const sources: number[][] = graph.nodes.map(() => []);
  for (const { from, to } of graph.edges) sources[to].push(from);
  for (const node of found) for (const source of sources[node]) found.add(source);
  for (const members of components)
    if (members.some((member) => found.has(member)))
      for (const member of members) found.add(member);
  return [...found];
}

/** One operation, or a loop. */
function block(
  graph: OperationGraph,
  members: readonly number[],
  saving: (names: readonly string[]) => readonly Operation[],
): Operation[] {
  const [only] = members;
  if (members.length === 1) return [operation(graph.nodes[only])];
  const { order, agree } = cutLoop(graph, members);
  const stepped = order.flatMap((i) =>
    graph.nodes[i].kind === "step" ? [graph.nodes[i].name] : [],
  );
  return [
    ...saving(stepped),
    {
      kind: "repeat",
      until: { agree },
      body: order.map((i) => operation(graph.nodes[i])),
      retry: stepped.map((unit) => ({ kind: "restore", unit, place: PLACE })),
      place: PLACE,
    },
  ];
}

function operation({ kind, name }: GraphNode): Operation {
  return kind === "step" ? { kind, unit: name, place: PLACE } : { kind, port: name, place: PLACE };
}

/**
 * The fewest outputs whose connections must be cut so that the rest of a loop has an order, and
 * that order.
 */
function cutLoop(
  graph: OperationGraph,
  members: readonly number[],
): { readonly order: readonly number[]; readonly agree: readonly string[] } {
  const inside = new Set(members);
  const edges = graph.edges.filter(({ from, to }) => inside.has(from) && inside.has(to));
  const gets = members.filter((i) => graph.nodes[i].kind === "get");
  for (let size = 1; size <= gets.length; size++)
    for (const cut of subsets(gets, size)) {
      const order = topological(
        members,
        edges.filter(({ from, isWire }) => !(isWire && cut.includes(from))),
      );
      if (order !== undefined) return { order, agree: cut.map((i) => graph.nodes[i].name) };
    }
  throw new Error("internal: a loop without connections");
}

function* subsets(items: readonly number[], size: number, from = 0): Generator<number[]> {
  if (size === 0) {
    yield [];
    return;
  }
  for (let i = from; i <= items.length - size; i++)
    for (const rest of subsets(items, size - 1, i + 1)) yield [items[i], ...rest];
}

/** Undefined: there is a loop. */
export function topological(
  members: readonly number[],
  edges: readonly Pick<GraphEdge, "from" | "to">[],
): number[] | undefined {
  const waiting = new Map(members.map((member) => [member, 0]));
  for (const { to } of edges) waiting.set(to, (waiting.get(to) ?? 0) + 1);
  const order: number[] = [];
  const open = [...members];
  while (open.length > 0) {
    const next = open.findIndex((member) => waiting.get(member) === 0);
    if (next < 0) return undefined;
    const [node] = open.splice(next, 1);
    order.push(node);
    for (const { from, to } of edges)
      if (from === node) waiting.set(to, (waiting.get(to) ?? 0) - 1);
  }
  return order;
}
