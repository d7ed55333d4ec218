/**
 * A resolved scenario as a draft again: every pattern, group and terminal written out as single
 * connections, every conversion of units as a factor and an offset. What is exported from it means
 * the same in tools that convert differently.
 */

import type { Place } from "../base/diagnostic.ts";
import { conversion } from "../model/physical-unit-conversion.ts";
import type {
  Connection,
  ConnectionDraft,
  ElementRef,
  PortRef,
  Scenario,
  ScenarioDraft,
  ScenarioUnit,
  UnitDraft,
} from "../model/scenario.ts";
import { type Port, portSize } from "../model/unit-description.ts";

export function draftOf(scenario: Scenario): ScenarioDraft {
  const place = { file: scenario.file };
  const bonded = new Set(scenario.bonds.flatMap(({ effort, flow }) => [effort, flow]));
  return {
    name: scenario.name,
    file: scenario.file,
    units: scenario.units.flatMap((unit) => {
      const { source } = unit;
      return source.kind === "formula" ? [] : [unitDraft({ ...unit, source })];
    }),
    connections: scenario.connections.flatMap((connection, i) =>
      bonded.has(i) ? [] : written(connection, scenario),
    ),
    ...declarationsDraft(scenario, place),
    ports: scenario.ports.map(({ name, inner }) => ({
      name,
      inner: nameOf(scenario, inner),
      place,
    })),
    experiment: scenario.experiment,
    master: scenario.master,
    record: scenario.record,
    place,
  };
}

/** As it was written: what a formula takes belongs to the connection of its result. */
function written(connection: Connection, scenario: Scenario): ConnectionDraft[] {
  const { from, to, place } = connection;
  if (scenario.units[to.unit]?.source.kind === "formula") return [];
  const source = scenario.units[from.unit]?.source;
  if (source?.kind !== "formula") return single(connection, scenario);
  return [{ from: source.from, to: source.to, suppress: [], place }];
}

type Declarations = Pick<ScenarioDraft, "bonds" | "constraints" | "events" | "limits">;

function declarationsDraft(scenario: Scenario, place: Place): Declarations {
  const { connections, bonds, constraints, events, limits } = scenario;
  const name = (ref: ElementRef) =>
    nameOf(scenario, ref, index(portOf(scenario, ref), ref.element));
  const connection = (i: number) => single(connections[i]!, scenario)[0]!;
  return {
    bonds: bonds.map(({ effort, flow, ...bond }) => ({
      ...bond,
      effort: connection(effort),
      flow: connection(flow),
    })),
    constraints: constraints.map((one) => ({
      left: name(one.left),
      right: name(one.right),
      rate: one.rate ? { left: name(one.rate.left), right: name(one.rate.right) } : "none",
      by: one.by.map((force) => ({
        port: name(force),
        factor: force.factor / forceConversion(scenario, one.by[0]!, force),
      })),
      place: one.place,
    })),
    events: events.map(({ signal, level, other, text: _, ...event }) => ({
      ...event,
      when: name(signal),
      crosses: other === undefined ? level : name(other),
    })),
    limits: limits.map((limit) =>
      limit.kind === "difference"
        ? { kind: limit.kind, port: name(limit.signal), atMost: limit.atMost, place }
        : { ...limit, place },
    ),
  };
}

/**
 * What resolution multiplies to the factor of an input that holds a constraint, as it does again
 * with the draft.
 */
function forceConversion(scenario: Scenario, first: PortRef, input: PortRef): number {
  const from = portOf(scenario, first).unit;
  const to = portOf(scenario, input).unit;
  const way = from && to && conversion(from, to);
  return way === undefined || "error" in way ? 1 : way.factor;
}

function unitDraft(unit: ScenarioUnit & Pick<UnitDraft, "source">): UnitDraft {
  const { name, step, place, description } = unit;
  return {
    name,
    source:
      unit.scenario === undefined
        ? unit.source
        : { kind: "scenario", scenario: draftOf(unit.scenario) },
    ...(step !== undefined && { step }),
    values: unit.values.map(({ port: index, values, place: at }) => {
      const port = description.ports[index]!;
      return {
        port: port.name,
        value: port.shape.length === 0 ? values[0]! : values,
        place: at,
      };
    }),
    place,
  };
}

function portOf(scenario: Scenario, { unit, port }: PortRef): Port {
  return scenario.units[unit]!.description.ports[port]!;
}

function nameOf(scenario: Scenario, ref: PortRef, element = ""): string {
  return `${scenario.units[ref.unit]!.name}.${portOf(scenario, ref).name}${element}`;
}

/** One draft where whole ports are connected, else one per element. */
function single(connection: Connection, scenario: Scenario): ConnectionDraft[] {
  const from = portOf(scenario, connection.from);
  const to = portOf(scenario, connection.to);
  const { count, factor, offset, mapping, approximation, kind, integral, place } = connection;
  const rest = {
    ...(factor !== 1 && { factor }),
    ...(offset !== 0 && { offset }),
    // The factor holds the conversion already: it must not be converted again.
    suppress: from.unit?.name === to.unit?.name ? [] : (["unit"] as const),
    ...(mapping !== undefined && { mapping }),
    ...(approximation !== undefined && { approximation }),
    ...(kind !== undefined && { kind }),
    place,
  };
  const whole = (port: Port) => portSize(port) === count;
  if (whole(from) && whole(to)) {
    const ends = { from: nameOf(scenario, connection.from), to: nameOf(scenario, connection.to) };
    return [{ ...ends, ...rest, ...(integral && { integral: nameOf(scenario, integral) }) }];
  }
  return Array.from({ length: count }, (_, i) => ({
    from: nameOf(scenario, connection.from, index(from, connection.fromElement + i)),
    to: nameOf(scenario, connection.to, index(to, connection.toElement + i)),
    ...rest,
    ...(integral && {
      integral: nameOf(
        scenario,
        integral,
        index(portOf(scenario, integral), connection.fromElement + i),
      ),
    }),
  }));
}

/** `[2,1]` for the element of a row-major array, counted from 1; nothing for a scalar. */
function index({ shape }: Port, element: number): string {
  if (shape.length === 0) return "";
  const indices: number[] = [];
  let rest = element;
  for (const size of [...shape].reverse()) {
    indices.unshift((rest % size) + 1);
    rest = Math.floor(rest / size);
  }
  return `[${indices.join(",")}]`;
}
