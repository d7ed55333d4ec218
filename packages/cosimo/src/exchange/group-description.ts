/**
 * What is known of a group of models that share an integrator, without opening any: its ports, what
 * it can do, and the order of its connections.
 */
import type { Connection } from "../model/scenario.ts";
import {
  type Capabilities,
  NO_CAPABILITIES,
  type Port,
  type UnitDescription,
} from "../model/unit-description.ts";

/** Between two members, by their places; ports are the members' own. */
export type GroupConnection = Pick<
  Connection,
  "from" | "to" | "fromElement" | "toElement" | "count" | "factor" | "offset"
>;

/**
 * A group as its models describe it: ports are called `member.port`, and connected inputs belong to
 * the group.
 */
export function describeGroup(
  name: string,
  members: readonly { readonly name: string; readonly description: UnitDescription }[],
  connections: readonly GroupConnection[],
): UnitDescription {
  const all = members.map(({ description }) => description.capabilities);
  const every = (flag: "rollback" | "serialize"): boolean => all.every((c) => c[flag]);
  const capabilities: Capabilities = {
    ...NO_CAPABILITIES,
    rollback: every("rollback"),
    serialize: every("serialize"),
    eventMode: true,
    oncePerProcess: all.some((c) => c.oncePerProcess),
    needsExecutionTool: all.some((c) => c.needsExecutionTool),
  };
  return {
    name,
    backend: "exchange-group",
    ports: groupPorts(members, connections),
    capabilities,
    experiment: {},
  };
}

function groupPorts(
  members: readonly { readonly name: string; readonly description: UnitDescription }[],
  connections: readonly GroupConnection[],
): Port[] {
  const firsts: number[] = [];
  let at = 0;
  for (const { description } of members) {
    firsts.push(at);
    at += description.ports.length;
  }
  const driven = new Set(connections.map(({ to }) => firsts[to.unit] + to.port));
  const shift = (m: number, ports: readonly number[]): number[] => ports.map((p) => firsts[m] + p);
  const reached = feedThroughs(
    members.map(({ description }) => description),
    connections,
    firsts,
  );
  return members.flatMap(({ name, description }, m) =>
    description.ports.map((port): Port => {
      const index = firsts[m] + port.index;
      const { feedThrough: _, aliases, derivativeOf, clocks, reactive: __, ...rest } = port;
      const isDriven = driven.has(index);
      return {
        ...rest,
        index,
        name: `${name}.${port.name}`,
        ...(isDriven && { direction: "local" as const }),
        ...(aliases && { aliases: aliases.map((alias) => `${name}.${alias}`) }),
        ...(derivativeOf !== undefined && { derivativeOf: firsts[m] + derivativeOf }),
        ...(clocks && { clocks: shift(m, clocks) }),
        ...(port.direction !== "input" && reached(index) && { feedThrough: reached(index)! }),
      };
    }),
  );
}

/**
 * The inputs from outside that an output of a member follows at once, through connections too;
 * undefined: not known.
 */
function feedThroughs(
  descriptions: readonly UnitDescription[],
  connections: readonly GroupConnection[],
  firsts: readonly number[],
): (port: number) => number[] | undefined {
  const sources = new Map<number, { readonly unit: number; readonly port: number }>();
  for (const { from, to } of connections) sources.set(firsts[to.unit] + to.port, from);
  const visit = (unit: number, port: number, seen: Set<number>): number[] | undefined => {
    const index = firsts[unit] + port;
    if (seen.has(index)) return [];
    seen.add(index);
    const { feedThrough, direction } = descriptions[unit].ports[port];
    if (feedThrough === undefined) return direction === "output" ? undefined : [];
    const found: number[] = [];
    for (const input of feedThrough) {
      const source = sources.get(firsts[unit] + input);
      if (source === undefined) found.push(firsts[unit] + input);
      else {
        const through = visit(source.unit, source.port, seen);
        if (through === undefined) return undefined;
        found.push(...through);
      }
    }
    return [...new Set(found)];
  };
  return (port) => {
    const unit = firsts.findLastIndex((first) => first <= port);
    return visit(unit, port - firsts[unit], new Set());
  };
}

/**
 * Connections in an order in which each carries what follows from those before it (Kahn); those
 * that are left over are in algebraic loops, or behind them, and are solved together.
 */
export function orderConnections(
  descriptions: readonly UnitDescription[],
  connections: readonly GroupConnection[],
): { readonly straight: readonly GroupConnection[]; readonly looped: readonly GroupConnection[] } {
  /** Whether the source of `later` follows at once from the target of `earlier`. */
  const follows = (later: GroupConnection, earlier: GroupConnection): boolean => {
    if (later.from.unit !== earlier.to.unit) return false;
    const { feedThrough } = descriptions[later.from.unit].ports[later.from.port];
    return feedThrough === undefined || feedThrough.includes(earlier.to.port);
  };
  const left = new Set(connections);
  const straight: GroupConnection[] = [];
  for (let isMoving = true; isMoving; ) {
    isMoving = false;
    for (const connection of left) {
      if ([...left].some((other) => follows(connection, other))) continue;
      left.delete(connection);
      straight.push(connection);
      isMoving = true;
    }
  }
  return { straight, looped: [...left] };
}
