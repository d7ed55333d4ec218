/**
 * In which order ports are read, moved and written at one instant, so that every value is computed
 * from present ones.
 *
 * Ports are processed in rounds: all outputs whose inputs are known are read, their values are
 * moved to the inputs they feed, and inputs with feed-through are written. Rounds keep the number
 * of calls small: units without feed-through are read once and written once.
 */
import { addTo } from "../base/collections.ts";
import type { Connection, Scenario } from "../model/scenario.ts";
import { portName } from "../model/scenario-ports.ts";
import type { PortGraph } from "./port-graph.ts";

export type ResolveAction =
  | { readonly kind: "read"; readonly unit: number; readonly ports: readonly number[] }
  | { readonly kind: "move"; readonly connection: number }
  /** Inputs on which outputs depend that are read later in this schedule. */
  | { readonly kind: "write"; readonly unit: number; readonly ports: readonly number[] }
  | { readonly kind: "loop"; readonly component: number };

export interface LoopTears {
  /** Connections (by index) that are omitted so that no loop remains. */
  readonly connections: ReadonlySet<number>;
}

/**
 * @param tears connections to ignore while ordering (stepping); undefined: loops become actions of
 *   their own (initialization).
 */
export function resolveSchedule(
  scenario: Scenario,
  graph: PortGraph,
  tears: LoopTears | undefined,
): ResolveAction[] {
  return new Rounds(scenario, graph, tears).schedule();
}

class Rounds {
  private readonly actions: ResolveAction[] = [];
  /** Unknown predecessors of every node. */
  private readonly waiting: Int32Array;
  private readonly done: Uint8Array;
  /** Component of a loop node, -1 for other nodes, and for all when loops are torn. */
  private readonly loopOf: Int32Array;
  private readonly loopWaiting = new Map<number, number>();
  private readonly connectionsFrom = new Map<number, number[]>();
  private readonly scenario: Scenario;
  private readonly graph: PortGraph;
  private readonly tears: LoopTears | undefined;
  private readonly edges: number[][];
  private ready: number[] = [];

  constructor(scenario: Scenario, graph: PortGraph, tears: LoopTears | undefined) {
    this.scenario = scenario;
    this.graph = graph;
    this.tears = tears;
    const n = graph.nodes.length;
    this.waiting = new Int32Array(n);
    this.done = new Uint8Array(n);
    this.loopOf = new Int32Array(n).fill(-1);
    this.edges = graph.edges.map((successors) => [...successors]);
    if (tears) this.removeTorn(tears);
    else this.findLoops();
    for (let v = 0; v < n; v++) {
      for (const w of this.edges[v]) if (!this.sameLoop(v, w)) this.waiting[w]++;
    }
    scenario.connections.forEach((connection, c) => {
      addTo(this.connectionsFrom, this.source(connection), c);
    });
    for (let v = 0; v < n; v++) {
      const loop = this.loopOf[v];
      if (loop >= 0)
        this.loopWaiting.set(loop, (this.loopWaiting.get(loop) ?? 0) + this.waiting[v]);
    }
  }

  schedule(): ResolveAction[] {
    const { nodes } = this.graph;
    this.ready = nodes.flatMap((_, v) =>
      this.waiting[v] === 0 && this.loopOf[v] === -1 ? [v] : [],
    );
    for (const [loop, count] of this.loopWaiting) if (count === 0) this.runLoop(loop);
    while (this.ready.length > 0) {
      const outputs = this.ready.filter((v) => !nodes[v].isInput);
      const inputs = this.ready.filter((v) => nodes[v].isInput);
      this.ready = [];
      this.emitWrites(inputs);
      for (const v of inputs) this.finish(v);
      this.emitReads(outputs);
      for (const v of outputs) this.move(v, () => true);
      for (const v of outputs) this.finish(v);
    }
    const left = nodes.findIndex((_, v) => !this.done[v]);
    if (left >= 0) throw new Error(`internal: port node ${left} was never scheduled`);
    return this.actions;
  }

  /** Solves a loop, then moves its outputs to the inputs outside. */
  private runLoop(loop: number): void {
    this.actions.push({ kind: "loop", component: loop });
    const members = this.graph.components[loop];
    for (const v of members) {
      if (!this.graph.nodes[v].isInput) {
        this.move(v, (connection) => this.loopOf[this.target(connection)] !== loop);
      }
    }
    for (const v of members) this.finish(v);
  }

  private finish(v: number): void {
    this.done[v] = 1;
    for (const w of this.edges[v]) {
      if (this.sameLoop(v, w)) continue;
      const loop = this.loopOf[w];
      this.waiting[w]--;
      if (loop >= 0) {
        const left = (this.loopWaiting.get(loop) ?? 0) - 1;
        this.loopWaiting.set(loop, left);
        if (left === 0) this.runLoop(loop);
      } else if (this.waiting[w] === 0) this.ready.push(w);
    }
  }

  private emitReads(outputs: readonly number[]): void {
    for (const [unit, ports] of portsByUnit(this.graph, outputs))
      this.actions.push({ kind: "read", unit, ports });
  }

  /** Only inputs with feed-through; the others are written with the coming step. */
  private emitWrites(inputs: readonly number[]): void {
    const needed = inputs.filter((v) => this.edges[v].length > 0);
    for (const [unit, ports] of portsByUnit(this.graph, needed))
      this.actions.push({ kind: "write", unit, ports });
  }

  private move(output: number, wanted: (connection: Connection) => boolean): void {
    for (const c of this.connectionsFrom.get(output) ?? []) {
      if (!this.tears?.connections.has(c) && wanted(this.scenario.connections[c])) {
        this.actions.push({ kind: "move", connection: c });
      }
    }
  }

  private findLoops(): void {
    this.graph.components.forEach((members, c) => {
      if (members.length > 1) for (const v of members) this.loopOf[v] = c;
    });
  }

  private removeTorn(tears: LoopTears): void {
    for (const c of tears.connections) {
      const connection = this.scenario.connections[c];
      const from = this.source(connection);
      const to = this.target(connection);
      this.edges[from] = this.edges[from].filter((w) => w !== to);
    }
  }

  private sameLoop(v: number, w: number): boolean {
    return this.loopOf[v] >= 0 && this.loopOf[v] === this.loopOf[w];
  }

  private source({ from }: Connection): number {
    return this.graph.nodeOf(from.unit, from.port);
  }

  private target({ to }: Connection): number {
    return this.graph.nodeOf(to.unit, to.port);
  }
}

/** Ports of these nodes by unit, both in ascending order. */
export function portsByUnit(graph: PortGraph, nodes: readonly number[]): [number, number[]][] {
  const groups = new Map<number, number[]>();
  for (const v of nodes) addTo(groups, graph.nodes[v].unit, graph.nodes[v].port);
  const ordered = [...groups].sort(([a], [b]) => a - b);
  return ordered.map(([unit, ports]) => [unit, ports.sort((a, b) => a - b)]);
}

/**
 * Connections to omit so that every loop is broken. Chosen by names, so that the order of
 * declaration does not matter: a depth-first search from input to input (through an output that
 * depends directly on the first and feeds the second), in the order of names, tears the connections
 * that lead back. Every loop passes through inputs, so none remains.
 */
export function chooseTears(scenario: Scenario, graph: PortGraph): LoopTears {
  const torn = new Set<number>();
  const loops = graph.components.filter((members) => members.length > 1);
  if (loops.length === 0) return { connections: torn };
  const connectionsOf = connectionsByEnds(scenario, graph);
  const nameOf = (v: number): string => portName(scenario, graph.nodes[v]);
  const byName = (a: number, b: number): number => (nameOf(a) < nameOf(b) ? -1 : 1);
  for (const members of loops) {
    const inside = new Set(members);
    /** Inputs that `v` leads to, each with the output in between. */
    const followers = (v: number): { output: number; input: number }[] =>
      graph.edges[v]
        .filter((output) => inside.has(output))
        .sort(byName)
        .flatMap((output) =>
          graph.edges[output]
            .filter((input) => inside.has(input))
            .sort(byName)
            .map((input) => ({ output, input })),
        );
    const state = new Map<number, "open" | "closed">();
    for (const root of members.filter((v) => graph.nodes[v].isInput).sort(byName)) {
      if (state.has(root)) continue;
      const path = [{ v: root, next: followers(root), at: 0 }];
      state.set(root, "open");
      while (path.length > 0) {
        const top = path[path.length - 1];
        const step = top.next[top.at++];
        if (step === undefined) {
          state.set(top.v, "closed");
          path.pop();
        } else if (state.get(step.input) === "open") {
          for (const c of connectionsOf(step.output, step.input)) torn.add(c);
        } else if (!state.has(step.input)) {
          state.set(step.input, "open");
          path.push({ v: step.input, next: followers(step.input), at: 0 });
        }
      }
    }
  }
  return { connections: torn };
}

function connectionsByEnds(
  scenario: Scenario,
  graph: PortGraph,
): (from: number, to: number) => readonly number[] {
  const byEnds = new Map<string, number[]>();
  scenario.connections.forEach(({ from, to }, c) => {
    const key = `${graph.nodeOf(from.unit, from.port)} ${graph.nodeOf(to.unit, to.port)}`;
    addTo(byEnds, key, c);
  });
  return (from, to) => byEnds.get(`${from} ${to}`) ?? [];
}
