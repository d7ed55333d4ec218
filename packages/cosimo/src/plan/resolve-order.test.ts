/**
 * The order of reads, moves and writes at one instant, against a naive reference: rounds are the
 * longest paths of the graph, and at initialization every action finds what it needs.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cases } from "../base/testing/cases.ts";
import type { Scenario } from "../model/scenario.ts";
import { type PortGraph, portGraph } from "./port-graph.ts";
import {
  chooseTears,
  portsByUnit,
  type ResolveAction,
  resolveSchedule,
} from "./resolve-schedule.ts";
import { longestPaths } from "./testing/graph-reference.ts";
import { randomCase } from "./testing/random-scenario.ts";

const text = (action: ResolveAction): string =>
  action.kind === "move"
    ? `move ${action.connection}`
    : action.kind === "loop"
      ? `loop ${action.component}`
      : `${action.kind} ${action.unit}: ${action.ports.join(" ")}`;

/** Moves that follow each other may have any order. */
function sortedMoves(lines: readonly string[]): string[] {
  const result: string[] = [];
  let moves: string[] = [];
  for (const line of [...lines, "end"]) {
    if (line.startsWith("move")) moves.push(line);
    else {
      result.push(...moves.sort(), line);
      moves = [];
    }
  }
  return result.slice(0, -1);
}

/** Round by round: writes of inputs on which something depends, reads, moves. */
function expectedRounds(scenario: Scenario, graph: PortGraph, torn: ReadonlySet<number>): string[] {
  const ends = ({ from, to }: Scenario["connections"][number]): [number, number] => [
    graph.nodeOf(from.unit, from.port),
    graph.nodeOf(to.unit, to.port),
  ];
  const cut = new Set([...torn].map((c) => ends(scenario.connections[c]).join(" ")));
  const edges = graph.edges.map((row, v) => row.filter((w) => !cut.has(`${v} ${w}`)));
  const depth = longestPaths(edges);
  const lines: string[] = [];
  for (let round = 0; round <= Math.max(0, ...depth); round++) {
    const nodes = graph.nodes.map((_, v) => v).filter((v) => depth[v] === round);
    const grouped = (kind: "read" | "write", own: readonly number[]): string[] =>
      portsByUnit(graph, own).map(([unit, ports]) => text({ kind, unit, ports }));
    lines.push(
      ...grouped(
        "write",
        nodes.filter((v) => graph.nodes[v].isInput && edges[v].length > 0),
      ),
    );
    const outputs = nodes.filter((v) => !graph.nodes[v].isInput);
    lines.push(...grouped("read", outputs));
    lines.push(
      ...scenario.connections.flatMap((connection, c) =>
        outputs.includes(ends(connection)[0]) && !torn.has(c) ? [`move ${c}`] : [],
      ),
    );
  }
  return lines;
}

describe("the signals of one instant, in random scenarios", () => {
  it("[PN4] [PN5] are resolved in rounds, each port as early as the longest path to it allows", () => {
    let rounds = 0;
    fc.assert(
      fc.property(randomCase(6), ({ scenario, record }) => {
        const graph = portGraph(scenario, record);
        const tears = chooseTears(scenario, graph);
        const lines = resolveSchedule(scenario, graph, tears).map(text);
        const expected = expectedRounds(scenario, graph, tears.connections);
        expect(sortedMoves(lines)).toEqual(sortedMoves(expected));
        rounds = Math.max(rounds, lines.filter((line) => line.startsWith("write")).length);
      }),
      { seed: 16, numRuns: cases(300) },
    );
    expect(rounds).toBeGreaterThan(1);
  });

  it("[PN4] at initialization every action finds what it needs, and everything happens once", () => {
    let loops = 0;
    fc.assert(
      fc.property(randomCase(6), ({ scenario }) => {
        const graph = portGraph(scenario);
        const done = new Replay(scenario, graph);
        for (const action of resolveSchedule(scenario, graph, undefined)) done.take(action);
        done.finish();
        loops += done.loops;
      }),
      { seed: 217, numRuns: cases(300) },
    );
    expect(loops).toBeGreaterThan(0);
  });
});

/** Executes a schedule and fails where something is used before it is known. */
class Replay {
  loops = 0;
  private readonly scenario: Scenario;
  private readonly graph: PortGraph;
  private readonly known = new Set<number>();
  private readonly moved = new Set<number>();
  private readonly solved = new Set<number>();

  constructor(scenario: Scenario, graph: PortGraph) {
    this.scenario = scenario;
    this.graph = graph;
  }

  take(action: ResolveAction): void {
    if (action.kind === "move") this.move(action.connection);
    else if (action.kind === "loop") this.solve(action.component);
    else
      for (const port of action.ports) {
        const v = this.graph.nodeOf(action.unit, port);
        if (action.kind === "write") this.expectFed(v, []);
        else for (const input of this.before(v)) expect(this.known).toContain(input);
        this.learn(v);
      }
  }

  /**
   * Every output is known, every connection was used; inputs that nothing depends on are only fed.
   */
  finish(): void {
    this.graph.nodes.forEach(({ isInput }, v) => {
      if (!isInput || this.graph.edges[v].length > 0) expect(this.known).toContain(v);
      else this.expectFed(v, []);
    });
  }

  private move(c: number): void {
    const { from } = this.scenario.connections[c];
    expect(this.known).toContain(this.graph.nodeOf(from.unit, from.port));
    expect(this.moved).not.toContain(c);
    this.moved.add(c);
  }

  private solve(component: number): void {
    const members = this.graph.components[component];
    this.loops++;
    for (const v of members) {
      if (this.graph.nodes[v].isInput) this.expectFed(v, members);
      else
        for (const input of this.before(v))
          if (!members.includes(input)) expect(this.known).toContain(input);
    }
    for (const v of members) this.learn(v);
    this.scenario.connections.forEach(({ from, to }, c) => {
      const ends = [from, to].map(({ unit, port }) => this.graph.nodeOf(unit, port));
      if (ends.every((v) => members.includes(v))) this.solved.add(c);
    });
  }

  private learn(v: number): void {
    expect(this.known).not.toContain(v);
    this.known.add(v);
  }

  private before(v: number): number[] {
    return this.graph.edges.flatMap((row, u) => (row.includes(v) ? [u] : []));
  }

  /** All connections into an input have been moved, save those from inside a loop. */
  private expectFed(input: number, inside: readonly number[]): void {
    this.scenario.connections.forEach(({ from, to }, c) => {
      if (this.graph.nodeOf(to.unit, to.port) !== input) return;
      if (inside.includes(this.graph.nodeOf(from.unit, from.port)) || this.solved.has(c)) return;
      expect(this.moved).toContain(c);
    });
  }
}
