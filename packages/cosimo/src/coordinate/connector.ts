/**
 * Connectors of semantic coordination: what is exchanged, and when. The trigger says who decides the instant of an exchange:
 * both ends know it (`every`), the source (`updated`, `event`) or the target (`ready-to-read`). Liboni and Deantoni's
 * MCL (../shared theory: coordination) has the same parts.
 */
export interface PortPlace {
  readonly unit: number;
  readonly port: number;
}

export type Trigger =
  /** At start + k · seconds, k = 1, 2, …; counted, never summed up. */
  | { readonly kind: "every"; readonly seconds: number }
  /** Whenever the source gives its output a new value. */
  | { readonly kind: "updated" }
  /** Whenever the event of the source occurs. */
  | { readonly kind: "event" }
  /** Whenever the target is about to read its input. */
  | { readonly kind: "ready-to-read" };

export interface Connector {
  readonly name: string;
  readonly from: PortPlace;
  readonly to: PortPlace;
  readonly trigger: Trigger;
  /** What the target gets: the value (default), its negation, or the negation of what it got last. */
  readonly interaction?: "copy" | "not" | "toggle";
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
