/**
 * Algebraic loops as data for the loop solver: unknowns, and one sweep that computes their images.
 */
import { type Diagnostic, diagnose } from "../base/diagnostic.ts";
import type { Connection, Scenario } from "../model/scenario.ts";
import type { MoveEmitter } from "./emit-moves.ts";
import { isCoupled } from "./master-needs.ts";
import { OpWriter } from "./op-writer.ts";
import { type Loop, type LoopElement, Op } from "./plan.ts";
import { PLAN_DIAGNOSTICS } from "./plan-diagnostics.ts";
import type { PortGraph, PortNode } from "./port-graph.ts";
import type { LoopTears } from "./resolve-schedule.ts";
import type { SignalLayout } from "./signal-layout.ts";

export interface EmittedLoop {
  readonly component: number;
  readonly loop: Loop;
  /** Where a delay breaks it while stepping. */
  readonly torn: readonly Connection[];
  /** What an iterating master leaves one step old as well: only continuous reals are iterated, and event mode settles its own. */
  readonly held: readonly string[];
}

export function emitLoops(
  scenario: Scenario,
  graph: PortGraph,
  layout: SignalLayout,
  moves: MoveEmitter,
  tears: LoopTears,
  report: (diagnostic: Diagnostic) => void,
): EmittedLoop[] {
  const connectionsIn = connectionsByComponent(scenario, graph);
  return graph.components.flatMap((members, component) =>
    members.length > 1 ? [emitLoop(members, component)] : [],
  );

  function emitLoop(members: readonly number[], component: number): EmittedLoop {
    const nodes = members.map((v) => graph.nodes[v]);
    const inputs = nodes.filter((node) => node.isInput);
    const outputs = nodes.filter((node) => !node.isInput);
    const ports = loopOrder(graph, members).map((v) =>
      layout.name(graph.nodes[v].unit, graph.nodes[v].port),
    );
    const connections = (connectionsIn.get(component) ?? []).map((c) => scenario.connections[c]);
    const torn = (connectionsIn.get(component) ?? [])
      .filter((c) => tears.connections.has(c))
      .map((c) => scenario.connections[c]);
    const unknowns: number[] = [];
    const images: number[] = [];
    const unknownElements: LoopElement[] = [];
    const imageElements: (LoopElement & { factor: number })[] = [];
    const w = new OpWriter();
    for (const [unit, list] of byUnit(inputs)) w.add(Op.Write, layout.signalAccess(unit, list));
    for (const [unit, list] of byUnit(outputs)) w.add(Op.Read, layout.signalAccess(unit, list));
    for (const connection of connections) {
      const { to, toElement, count } = connection;
      if (layout.bank(to.unit, to.port) !== "f64") {
        const params = { port: layout.name(to.unit, to.port), loop: ports.join(" → ") };
        report(diagnose(PLAN_DIAGNOSTICS, "loop-not-numeric", params, connection.place));
        continue;
      }
      const image = layout.allocate("f64", count);
      moves.emit(w, connection, image - toElement);
      for (let i = 0; i < count; i++) {
        unknownElements.push({ unit: to.unit, port: to.port, element: toElement + i });
        imageElements.push({
          unit: connection.from.unit,
          port: connection.from.port,
          element: connection.fromElement + i,
          factor: connection.factor,
        });
        unknowns.push(layout.signal(to.unit, to.port) + toElement + i);
        images.push(image + i);
      }
    }
    const nameOf = ({ from, to }: Connection): string =>
      `${layout.name(from.unit, from.port)} → ${layout.name(to.unit, to.port)}`;
    const delayed = torn.map(nameOf);
    const held = connections.filter(
      ({ to }) =>
        !isCoupled(layout.port(to.unit, to.port)) &&
        !scenario.units[to.unit].description.capabilities.eventMode,
    );
    const sweep = w.done();
    return {
      component,
      loop: { ports, unknowns, images, sweep, unknownElements, imageElements, delayed },
      torn,
      held: held.map(nameOf),
    };
  }
}

/** Connections (by index) with both ends in one component. */
function connectionsByComponent(scenario: Scenario, graph: PortGraph): Map<number, number[]> {
  const componentOf = new Int32Array(graph.nodes.length);
  graph.components.forEach((members, component) => {
    for (const v of members) componentOf[v] = component;
  });
  const found = new Map<number, number[]>();
  scenario.connections.forEach(({ from, to }, c) => {
    const component = componentOf[graph.nodeOf(from.unit, from.port)];
    if (component !== componentOf[graph.nodeOf(to.unit, to.port)]) return;
    const known = found.get(component);
    if (known) known.push(c);
    else found.set(component, [c]);
  });
  return found;
}

function byUnit(nodes: readonly PortNode[]): [number, number[]][] {
  const groups = new Map<number, number[]>();
  for (const { unit, port } of nodes) groups.set(unit, [...(groups.get(unit) ?? []), port]);
  return [...groups]
    .sort(([a], [b]) => a - b)
    .map(([unit, ports]) => [unit, ports.sort((a, b) => a - b)]);
}

/** The ports in the order in which values run around, as far as one walk gets. */
function loopOrder(graph: PortGraph, members: readonly number[]): number[] {
  const inside = new Set(members);
  const order: number[] = [];
  let next: number | undefined = members[0];
  while (next !== undefined) {
    order.push(next);
    inside.delete(next);
    next = graph.edges[next].find((w) => inside.has(w));
  }
  return [...order, ...inside];
}
