/**
 * Ports of a scenario by reference and by name, and all of them as if the scenario were one unit
 * (`motor.speed`, `tank.level`): patterns and "did you mean" then work as on a single unit.
 */
import type { Place } from "../base/diagnostic.ts";
import type { Composite, ElementRef, PortRef, Scenario, ScenarioUnit } from "./scenario.ts";
import { NO_CAPABILITIES, type Port, type UnitDescription } from "./unit-description.ts";

type Units = Pick<Scenario, "units">;

/** The place of what concerns the whole scenario. */
export function placeOf({ file, shownAs = file }: Pick<Scenario, "file" | "shownAs">): Place {
  return { file: shownAs };
}

export function portAt({ units }: Units, { unit, port }: PortRef): Port {
  const found = units[unit]?.description.ports[port];
  if (found === undefined) throw new Error(`internal: there is no port ${port} of unit ${unit}`);
  return found;
}

/** `unit.port`, for messages. What a formula takes and gives has the names of its connection. */
export function portName(scenario: Units, ref: PortRef): string {
  const { direction, name } = portAt(scenario, ref);
  const unit = scenario.units[ref.unit];
  if (unit?.source?.kind !== "formula") return `${unit?.name}.${name}`;
  return direction === "input" ? unit.source.to : unit.source.from;
}

/**
 * How traces name a track: as its unit does, or, where that is a nested scenario, with the name of
 * the unit.
 */
export function trackName({ name, scenario }: ScenarioUnit, { name: track }: Port): string {
  return scenario === undefined ? track : track.replace(/^fault\./, `fault.${name}.`);
}

export interface ScenarioPorts {
  readonly description: UnitDescription;
  /** Where a port of `description` comes from. */
  origin(index: number): PortRef;
}

/**
 * How the scenario itself calls ports of its units, by unit and port: what a package shows has this
 * name in other tools.
 */
function shownNames({ ports }: Scenario): Map<string, string[]> {
  const names = new Map<string, string[]>();
  for (const { name, inner, isObserved } of ports) {
    if (isObserved) continue;
    const key = `${inner.unit}.${inner.port}`;
    names.set(key, [...(names.get(key) ?? []), name]);
  }
  return names;
}

/** A port without what it says of its unit's other ports. */
type UnrelatedPort = Omit<Port, "feedThrough" | "derivativeOf">;

function unrelated({ feedThrough: _, derivativeOf: __, ...port }: Port): UnrelatedPort {
  return port;
}

export function scenarioPorts(scenario: Scenario): ScenarioPorts {
  const origins: PortRef[] = [];
  const shown = shownNames(scenario);
  const ports: Port[] = [];
  const shared = new Map<UnitDescription, readonly UnrelatedPort[]>();
  for (const [index, unit] of scenario.units.entries()) {
    const { name, description, source } = unit;
    // It shows nothing that its neighbours do not.
    if (source.kind === "formula") continue;
    const kept = shared.get(description) ?? description.ports.map(unrelated);
    shared.set(description, kept);
    for (const port of kept) {
      origins.push({ unit: index, port: port.index });
      const full = port.track ? trackName(unit, port) : `${name}.${port.name}`;
      const others = shown.size === 0 ? [] : (shown.get(`${index}.${port.index}`) ?? []);
      const aliases = (port.aliases ?? []).map((alias) => `${name}.${alias}`).concat(others);
      const names = aliases.length > 0 && { aliases };
      ports.push({ ...port, index: ports.length, name: full, ...names });
    }
  }
  return {
    description: {
      name: scenario.name,
      backend: "typescript",
      ports,
      capabilities: NO_CAPABILITIES,
      experiment: scenario.experiment,
    },
    origin: (index) => origins[index] as PortRef,
  };
}

/** The same of other ports. */
export function mapSignals(
  { expression, signals }: Composite,
  change: (ref: ElementRef) => ElementRef,
): Composite {
  return { expression, signals: new Map([...signals].map(([name, ref]) => [name, change(ref)])) };
}
