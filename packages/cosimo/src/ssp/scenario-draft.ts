/**
 * A resolved scenario as a draft again: every pattern, group and terminal written out as single connections, every conversion
 * of units as a factor and an offset. What is exported from it means the same in tools that convert differently.
 */

import type {
  Connection,
  ConnectionDraft,
  PortRef,
  Scenario,
  ScenarioDraft,
  ScenarioUnit,
  UnitDraft,
} from "../model/scenario.ts";
import { type Port, portSize } from "../model/unit-description.ts";

export function draftOf(scenario: Scenario): ScenarioDraft {
  const place = { file: scenario.file };
  return {
    name: scenario.name,
    file: scenario.file,
    units: scenario.units.map(unitDraft),
    connections: scenario.connections.flatMap((connection) => single(connection, scenario)),
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

function unitDraft(unit: ScenarioUnit): UnitDraft {
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

/** One draft where whole ports are connected, else one an element. */
function single(connection: Connection, scenario: Scenario): ConnectionDraft[] {
  const from = portOf(scenario, connection.from);
  const to = portOf(scenario, connection.to);
  const { count, factor, offset, mapping, approximation, place } = connection;
  const rest = {
    ...(factor !== 1 && { factor }),
    ...(offset !== 0 && { offset }),
    // The factor holds the conversion already: nobody may convert again.
    suppress: from.unit?.name === to.unit?.name ? [] : (["unit"] as const),
    ...(mapping !== undefined && { mapping }),
    ...(approximation !== undefined && { approximation }),
    place,
  };
  const whole = (port: Port) => portSize(port) === count;
  if (whole(from) && whole(to)) {
    const ends = { from: nameOf(scenario, connection.from), to: nameOf(scenario, connection.to) };
    return [{ ...ends, ...rest }];
  }
  return Array.from({ length: count }, (_, i) => ({
    from: nameOf(scenario, connection.from, index(from, connection.fromElement + i)),
    to: nameOf(scenario, connection.to, index(to, connection.toElement + i)),
    ...rest,
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
