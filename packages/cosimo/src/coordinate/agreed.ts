/**
 * What all processes of a distributed run agree on, as plain data: units by number, without what
 * only their owners know. Everyone makes the same agreement of it, and each the member for its own
 * units.
 */
import {
  type CountedSoFar,
  type CountedUnit,
  countOn,
  type PortCounts,
} from "../engine/event-counts.ts";
import type { Connection, PortRef, Scenario } from "../model/scenario.ts";
import { portSize } from "../model/unit-description.ts";
import { bankOf, type ValueType } from "../model/value-type.ts";
import { communicationStep, type Plan } from "../plan/plan.ts";
import type { Unit } from "../unit/unit.ts";
import { type Connector, isCycle } from "./connector.ts";
import { Member } from "./member.ts";
import { type Agreement, agree } from "./peer.ts";
import { putUnit, restoreUnits, type Section } from "./section.ts";
import { transfersOf } from "./transfer.ts";
import { watchedBy } from "./watched-unit.ts";

/** A port of any unit that a connection begins or ends at. */
export interface EndPort extends PortRef {
  readonly type: ValueType;
  readonly size: number;
}

export type MovedConnection = Pick<
  Connection,
  | "from"
  | "to"
  | "fromElement"
  | "toElement"
  | "count"
  | "factor"
  | "offset"
  | "mapping"
  | "interaction"
>;

export interface Agreed {
  readonly start: number;
  readonly stop: number;
  readonly origin: number;
  /** The communication step of the plan, and that of each unit. */
  readonly step: number;
  readonly steps: readonly number[];
  /** The process of each unit. */
  readonly homes: readonly number[];
  /** How many processes have units; the one that records comes behind them. */
  readonly processes: number;
  readonly connectors: readonly Connector[];
  readonly connections: readonly MovedConnection[];
  readonly ports: readonly EndPort[];
  /** By unit: ports that the observer wants to see. */
  readonly shown: readonly (readonly number[])[];
  readonly watched: readonly PortRef[];
  /** Ports whose events are counted where their units are, from what was counted before. */
  readonly counted: readonly CountedSoFar[];
}

export interface AgreedTerms {
  readonly stop: number;
  readonly origin: number;
  readonly homes: readonly number[];
  readonly processes: number;
  readonly shown: readonly (readonly number[])[];
  readonly watched: readonly PortRef[];
  readonly counted: readonly CountedSoFar[];
}

export function agreedOn(
  plan: Plan,
  { units, connections }: Scenario,
  connectors: readonly Connector[],
  terms: AgreedTerms,
): Agreed {
  const ports = new Map<string, EndPort>();
  for (const { from, to } of connections)
    for (const { unit, port } of [from, to]) {
      const described = units[unit].description.ports[port];
      const size = portSize(described);
      ports.set(`${unit} ${port}`, { unit, port, type: described.type, size });
    }
  return {
    ...terms,
    start: plan.start,
    step: plan.step,
    steps: units.map((_, u) => communicationStep(plan, u)),
    connectors,
    connections,
    ports: [...ports.values()],
  };
}

function agreementOf({ homes, connectors, start, stop, origin }: Agreed): Agreement {
  return agree(homes.length, connectors, { start, stop, origin });
}

/** The process of each peer. */
export function homesOfPeers(agreed: Agreed): readonly number[] {
  return agreementOf(agreed).groups.map(([first = 0]) => agreed.homes[first]);
}

/** Units that decide instants for each other and are in different processes. */
export function dividedGroups(agreed: Pick<Agreed, "homes" | "connectors">): readonly number[][] {
  const { homes, connectors } = agreed;
  const { groups } = agree(homes.length, connectors, { start: 0, stop: 1 });
  return groups
    .filter((group) => isCycle(group, connectors) && new Set(group.map((u) => homes[u])).size > 1)
    .map((group) => [...group]);
}

/** Where the parts of cuts go, and the cut that the run goes on from. */
export interface KeptCuts {
  readonly keep: (number: number, sections: readonly Section[]) => void;
  readonly from?: { readonly number: number; readonly sections: readonly Section[] };
}

/**
 * The member for units of this process, in motion.
 * @param own by number: initialized, in step mode.
 */
export function memberOf(
  agreed: Agreed,
  process: number,
  own: readonly Unit[],
  cuts?: KeptCuts,
): Member {
  const { connectors, processes, start, steps } = agreed;
  const agreement = agreementOf(agreed);
  const counted = cuts?.from === undefined ? agreed.counted : wentOn(agreed, own, cuts.from);
  const countings: CountedUnit[] = [];
  const units: Unit[] = [];
  const counts = new Map<number, () => PortCounts>();
  own.forEach((unit, u) => {
    const places = [...counted.keys()].filter((place) => counted[place].unit === u);
    const ports = places.map((place) => counted[place]);
    const counting = ports.length === 0 ? undefined : countOn(unit, ports);
    if (counting !== undefined) countings[u] = counting;
    for (const place of places) {
      const { port } = counted[place];
      if (counting !== undefined) counts.set(place, () => counting.countsOf(port));
    }
    units[u] = watchedBy(counting ?? unit, u, connectors, { start, step: steps[u] });
  });
  const sizeOf = ({ from }: Connector) => {
    const { type, size } = portOf(agreed, from);
    return { f64: 0, i64: 0, obj: 0, [bankOf(type)]: size };
  };
  const member = new Member({
    process,
    homes: { of: homesOfPeers(agreed), observer: processes },
    agreement,
    units,
    transfers: transfersOf(reduced(agreed)),
    sizes: connectors.map(sizeOf),
    shown: agreed.shown,
    watched: agreed.watched,
    step: agreed.step,
    events: () =>
      [...counts].map(([place, of]) => {
        const { total, atLast } = of();
        return [place, total, atLast] as const;
      }),
    ...(cuts && {
      cuts: {
        keep: cuts.keep,
        putUnit: (bytes, u) => putUnit(bytes, own[u], countings[u]?.soFar() ?? []),
      },
    }),
  });
  if (cuts?.from === undefined) member.begin();
  else member.resume(cuts.from.number, cuts.from.sections);
  return member;
}

/** Brings units to where they were at a cut. @returns what was counted there. */
function wentOn(
  agreed: Agreed,
  own: readonly Unit[],
  { sections }: NonNullable<KeptCuts["from"]>,
): readonly CountedSoFar[] {
  const { groups } = agreementOf(agreed);
  const found = new Map<string, CountedSoFar>();
  for (const section of sections) {
    const members = groups[section.peer] ?? [];
    const counted = restoreUnits(
      section,
      members.map((u) => own[u]),
    );
    counted.forEach((ports, k) => {
      for (const one of ports) found.set(`${members[k]} ${one.port}`, { ...one, unit: members[k] });
    });
  }
  return agreed.counted.map((one) => found.get(`${one.unit} ${one.port}`) ?? one);
}

function portOf({ ports }: Agreed, { unit, port }: PortRef): EndPort {
  const found = ports.find((one) => one.unit === unit && one.port === port);
  if (found === undefined) throw new RangeError(`port ${port} of unit ${unit} is not described`);
  return found;
}

/** As much of a scenario as moves of values need. */
function reduced({ homes, ports, connections }: Agreed): Scenario {
  const units = homes.map(() => ({ name: "", description: { ports: [] as object[] } }));
  for (const { unit, port, type, size } of ports)
    units[unit].description.ports[port] = { index: port, name: String(port), type, shape: [size] };
  return { units, connections } as unknown as Scenario;
}
