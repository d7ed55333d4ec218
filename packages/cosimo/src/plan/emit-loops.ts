/**
 * Algebraic loops as data for the loop solver: unknowns, and one sweep that computes their images.
 */
import { addTo } from "../base/collections.ts";
import type { Connection, ElementRef, Scenario } from "../model/scenario.ts";
import type { MoveEmitter } from "./emit-moves.ts";
import { loopPath, loopText } from "./loop-path.ts";
import { isCoupled } from "./master-needs.ts";
import { OpWriter } from "./op-writer.ts";
import { type Loop, Op } from "./plan.ts";
import type { PlanReport } from "./plan-diagnostics.ts";
import type { PortGraph } from "./port-graph.ts";
import { type LoopTears, portsByUnit } from "./resolve-schedule.ts";
import type { SignalLayout } from "./signal-layout.ts";

export interface EmittedLoop {
  readonly component: number;
  readonly loop: Loop;
  /** Where a delay breaks it while stepping. */
  readonly torn: readonly Connection[];
  /** What stays one step old when the step is iterated: neither continuous reals nor event mode. */
  readonly held: readonly string[];
}

export function emitLoops(
  scenario: Scenario,
  graph: PortGraph,
  layout: SignalLayout,
  moves: MoveEmitter,
  tears: LoopTears,
  report: PlanReport,
): EmittedLoop[] {
  const connectionsIn = connectionsByComponent(scenario, graph);
  return graph.components.flatMap((members, component) =>
    members.length > 1 ? [emitLoop(members, component)] : [],
  );

  function emitLoop(members: readonly number[], component: number): EmittedLoop {
    const isInput = (v: number): boolean => graph.nodes[v].isInput;
    const portName = (v: number): string => layout.name(graph.nodes[v].unit, graph.nodes[v].port);
    const ports = members.map(portName);
    const path = loopPath(graph.edges, members, (v) => !isInput(v)).map(portName);
    const inside = connectionsIn.get(component) ?? [];
    const connections = inside.map((c) => scenario.connections[c]);
    const torn = connections.filter((_, i) => tears.connections.has(inside[i]));
    const unknowns: number[] = [];
    const images: number[] = [];
    const unknownElements: ElementRef[] = [];
    const imageElements: (ElementRef & { factor: number })[] = [];
    const w = new OpWriter();
    for (const [unit, list] of portsByUnit(graph, members.filter(isInput)))
      w.add(Op.Write, layout.signalAccess(unit, list));
    for (const [unit, list] of portsByUnit(
      graph,
      members.filter((v) => !isInput(v)),
    ))
      w.add(Op.Read, layout.signalAccess(unit, list));
    for (const connection of connections) {
      const { from, to, fromElement, toElement, count, factor } = connection;
      if (layout.bank(to.unit, to.port) !== "f64") {
        const params = { port: layout.name(to.unit, to.port), loop: loopText(path, ports) };
        report("loop-not-numeric", params, connection.place);
        continue;
      }
      const image = layout.allocate("f64", count);
      moves.emit(w, connection, image - toElement);
      for (let i = 0; i < count; i++) {
        unknownElements.push({ ...to, element: toElement + i });
        imageElements.push({ ...from, element: fromElement + i, factor });
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
      loop: { ports, path, unknowns, images, sweep, unknownElements, imageElements, delayed },
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
    if (component === componentOf[graph.nodeOf(to.unit, to.port)]) addTo(found, component, c);
  });
  return found;
}
