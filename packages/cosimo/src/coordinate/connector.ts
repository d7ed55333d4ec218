/**
 * Connectors of semantic coordination: what is exchanged, and when. The trigger says which unit
 * decides the instant of an exchange: both ends know it (`every`), the source (`updated`, `event`)
 * or the target (`ready-to-read`), as in the coordination language of CoSim20.
 */
import { countedInstant, countedUntil, gridInstant } from "../base/instants.ts";
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
  /** Nothing happens in the run but samples, at the points of a plan with common steps (CO10). */
  readonly isOnGrid?: boolean;
  /**
   * Timed connectors whose values of the same instant the source needs first, because its output
   * follows them (feed-through).
   */
  readonly after?: readonly number[];
}

/** The n-th instant of a connector with a period; infinity where it has none. */
export function exchangeTime({ trigger, isOnGrid }: Connector, origin: number, n: number): number {
  if (trigger.kind !== "every") return Number.POSITIVE_INFINITY;
  return (isOnGrid ? gridInstant : countedInstant)(origin, trigger.seconds, n);
}

/** How many of these instants are not after `time`. */
export function exchangesUntil(connector: Connector, origin: number, time: number): number {
  const { trigger, isOnGrid } = connector;
  if (trigger.kind !== "every") return 0;
  return countedUntil(origin, trigger.seconds, time, isOnGrid ? gridInstant : countedInstant);
}

/** One unit decides an instant for another, which must not be past it. */
export interface Role {
  readonly initiator: number;
  readonly follower: number;
}

/**
 * Who decides instants for whom: the unit that decides when a connector exchanges for its ends,
 * and, where that is neither end, the source for the target, which waits for what it sends. None
 * for `every`.
 */
export function rolesOf({ from, to, trigger }: Connector): readonly Role[] {
  const initiator = decidingUnit({ from, to }, trigger);
  if (initiator === undefined) return [];
  if (initiator === from.unit) return [{ initiator, follower: to.unit }];
  if (initiator === to.unit) return [{ initiator, follower: from.unit }];
  return [
    { initiator, follower: from.unit },
    { initiator, follower: to.unit },
    ...(from.unit === to.unit ? [] : [{ initiator: from.unit, follower: to.unit }]),
  ];
}

/**
 * Whether the deciding unit notices by its outputs when it is time; otherwise the target asks, or
 * the time is known.
 */
export function isNoticed({ from, to, trigger }: Connector): boolean {
  if (trigger.kind === "every" || trigger.kind === "ready-to-read") return false;
  const initiator = decidingUnit({ from, to }, trigger);
  return initiator === from.unit || initiator !== to.unit;
}

/**
 * Units that decide instants for each other in a cycle, directly or through others: each of them
 * would wait for the next one's promise for ever, so they move together (cycle.ts). All other units
 * are by themselves.
 * @param leaders units that decide instants for all others.
 */
export function groupsOf(
  units: number,
  connectors: readonly Connector[],
  leaders: readonly number[] = [],
): readonly number[][] {
  const next: number[][] = Array.from({ length: units }, () => []);
  for (const connector of connectors) {
    for (const { initiator, follower } of rolesOf(connector)) next[initiator]?.push(follower);
  }
  for (const leader of leaders)
    for (let u = 0; u < units; u++) if (u !== leader) next[leader]?.push(u);
  return strongComponents(next)
    .map((members) => [...members].sort((a, b) => a - b))
    .sort(([a = 0], [b = 0]) => a - b);
}

/**
 * Whether the units of a group decide instants for each other, or the only one of them for itself.
 */
export function isCycle(group: readonly number[], connectors: readonly Connector[]): boolean {
  const [first] = group;
  return (
    group.length > 1 ||
    connectors.some((connector) =>
      rolesOf(connector).some(
        ({ initiator, follower }) => initiator === first && follower === first,
      ),
    )
  );
}

/** One way around a cycle among these units, in order. */
export function cycleIn(
  group: readonly number[],
  connectors: readonly Connector[],
  leaders: readonly number[] = [],
): number[] {
  const next = (unit: number): number[] => {
    const own = connectors
      .flatMap(rolesOf)
      .filter(({ initiator, follower }) => initiator === unit && group.includes(follower))
      .map(({ follower }) => follower);
    return leaders.includes(unit) ? [...own, ...group.filter((u) => u !== unit)] : own;
  };
  const path: number[] = [];
  for (let unit = group[0] as number; !path.includes(unit); unit = next(unit)[0] as number)
    path.push(unit);
  const end = next(path.at(-1) as number)[0] as number;
  return path.slice(path.indexOf(end));
}
