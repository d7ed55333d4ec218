/**
 * Connectors of semantic coordination: what is exchanged, and when. The trigger says who decides the instant of an exchange:
 * both ends know it (`every`), the source (`updated`, `event`) or the target (`ready-to-read`), as in the coordination language of CoSim20.
 */
import type { Interaction, PortRef, Trigger } from "../model/scenario.ts";

export interface Connector {
  readonly name: string;
  readonly from: PortRef;
  readonly to: PortRef;
  readonly trigger: Trigger;
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
  switch (trigger.kind) {
    case "every":
      return undefined;
    case "ready-to-read":
      return { initiator: to.unit, follower: from.unit };
    default:
      return { initiator: from.unit, follower: to.unit };
  }
}

/**
 * Units that decide instants for each other in a cycle, in order; undefined where there is none. Such units wait for each other's
 * promises for ever, unless one of them can go back.
 */
export function initiatorCycle(
  units: number,
  connectors: readonly Connector[],
): readonly number[] | undefined {
  const next: number[][] = Array.from({ length: units }, () => []);
  for (const connector of connectors) {
    const roles = rolesOf(connector);
    if (roles !== undefined) next[roles.initiator]?.push(roles.follower);
  }
  const finished = new Set<number>();
  const path: number[] = [];
  const visit = (unit: number): readonly number[] | undefined => {
    const at = path.indexOf(unit);
    if (at >= 0) return path.slice(at);
    if (finished.has(unit)) return undefined;
    path.push(unit);
    for (const follower of next[unit] ?? []) {
      const cycle = visit(follower);
      if (cycle !== undefined) return cycle;
    }
    path.pop();
    finished.add(unit);
    return undefined;
  };
  for (let unit = 0; unit < units; unit++) {
    const cycle = visit(unit);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}
