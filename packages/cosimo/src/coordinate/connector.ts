/**
 * Connectors of semantic coordination: what is exchanged, and when. The trigger says which unit decides the instant of an exchange:
 * both ends know it (`every`), the source (`updated`, `event`) or the target (`ready-to-read`), as in the coordination language of CoSim20.
 */
import type { Interaction, PortRef, Trigger } from "../model/scenario.ts";
import { strongComponents } from "../plan/strong-components.ts";
import { decidingUnit } from "../plan/triggers.ts";

export interface Connector {
  readonly name: string;
  readonly from: PortRef;
  readonly to: PortRef;
  readonly trigger: Trigger;
  /** Synchronization tolerance, seconds; default: 0. */
  readonly tolerance?: number;
  readonly interaction?: Interaction;
  /** Timed connectors whose values of the same instant the source needs first, because its output follows them (feed-through). */
  readonly after?: readonly number[];
}

/** The unit that decides when a connector exchanges, and the one that must not be past that instant; none for `every`. */
export function rolesOf({
  from,
  to,
  trigger,
}: Connector): { readonly initiator: number; readonly follower: number } | undefined {
  const initiator = decidingUnit({ from, to }, trigger);
  if (initiator === undefined) return undefined;
  return { initiator, follower: initiator === from.unit ? to.unit : from.unit };
}

/** Whether the source publishes by itself: when its output changes, its event occurs or it crosses a level. */
export function isInitiatedBySource({ from, trigger }: Connector): boolean {
  switch (trigger.kind) {
    case "updated":
    case "event":
      return true;
    case "threshold":
      return trigger.port.unit === from.unit;
    default:
      return false;
  }
}

/**
 * Units that decide instants for each other in a cycle, directly or through others: each of them would wait for the next one's promise for
 * ever, so they move together (cycle.ts). All other units are by themselves.
 */
export function groupsOf(units: number, connectors: readonly Connector[]): readonly number[][] {
  const next: number[][] = Array.from({ length: units }, () => []);
  for (const connector of connectors) {
    const roles = rolesOf(connector);
    if (roles !== undefined) next[roles.initiator]?.push(roles.follower);
  }
  return strongComponents(next)
    .map((members) => [...members].sort((a, b) => a - b))
    .sort(([a = 0], [b = 0]) => a - b);
}

/** Whether the units of a group decide instants for each other, or the only one of them for itself. */
export function isCycle(group: readonly number[], connectors: readonly Connector[]): boolean {
  const [first] = group;
  return (
    group.length > 1 ||
    connectors.some((connector) => {
      const roles = rolesOf(connector);
      return roles !== undefined && roles.initiator === first && roles.follower === first;
    })
  );
}

/** One way around a cycle among these units, in order. */
export function cycleIn(group: readonly number[], connectors: readonly Connector[]): number[] {
  const next = (unit: number): number[] =>
    connectors.flatMap((connector) => {
      const roles = rolesOf(connector);
      const isIn = roles?.initiator === unit && group.includes(roles.follower);
      return isIn ? [roles.follower] : [];
    });
  const path: number[] = [];
  for (let unit = group[0] as number; !path.includes(unit); unit = next(unit)[0] as number)
    path.push(unit);
  const end = next(path.at(-1) as number)[0] as number;
  return path.slice(path.indexOf(end));
}
