/**
 * Ports inside nested scenarios by their full names: `system.inner.signal`. A nested scenario shows
 * what it exposes; what a run sets or records further inside is exposed for that run, behind the
 * ports that are there, so that their indices stay.
 */
import { globOf } from "../base/glob.ts";
import { describeScenario } from "./resolve-scenario-nested.ts";
import type { ExposedPort, PortRef, Scenario, ScenarioUnit } from "./scenario.ts";
import type { Port } from "./unit-description.ts";

/** A name that is asked for, or a pattern of names. */
export interface WantedName {
  /**
   * As written. It reaches as deep as it has dots, so that `system.*` means what the system exposes
   * and `system.*.x` what its units have.
   */
  readonly text: string;
  readonly matches: (name: string) => boolean;
}

/** `system.inner.x`, an element of it (`system.inner.x[2]`), or a pattern (`system.inner.*`). */
export function wantedPort(text: string): WantedName {
  const glob = globOf(text);
  return { text, matches: (name) => glob.test(name) || text.startsWith(`${name}[`) };
}

/** The scenario in which every wanted port inside a nested scenario is a port of that. */
export function withInnerPorts(scenario: Scenario, wanted: readonly WantedName[]): Scenario {
  if (wanted.length === 0 || scenario.structure !== undefined) return scenario;
  const units = scenario.units.map((unit) => {
    const inner = unit.scenario && withExposed(unit.scenario, inside(wanted, unit));
    return inner === undefined || inner === unit.scenario ? unit : renewed(unit, inner);
  });
  return units.every((unit, i) => unit === scenario.units[i]) ? scenario : { ...scenario, units };
}

/** Names that misspelt ones may have meant: more of them help nobody. */
const MAX_NAMES = 100_000;

/** Full names of the ports inside nested scenarios, however deep. */
export function innerPortNames({ units }: Pick<Scenario, "units">, prefix = ""): string[] {
  return units
    .flatMap(({ name, scenario }) => {
      if (scenario === undefined) return [];
      const around = `${prefix}${name}.`;
      const own = scenario.units.flatMap((unit) =>
        unit.description.ports.map((port) => `${around}${unit.name}.${port.name}`),
      );
      return [...own, ...innerPortNames(scenario, around)];
    })
    .slice(0, MAX_NAMES);
}

/** What is wanted of a unit, named as the unit names it. */
export function inside(
  wanted: readonly WantedName[],
  { name }: { readonly name: string },
): WantedName[] {
  return wanted.flatMap(({ text, matches }) =>
    dotsOf(text)
      .filter((at) => globOf(text.slice(0, at)).test(name))
      .map((at) => ({
        text: text.slice(at + 1),
        matches: (port: string) => matches(`${name}.${port}`),
      })),
  );
}

/** More dots than names of units that anyone nests. */
const MAX_DOTS = 100;

function dotsOf(text: string): number[] {
  const found: number[] = [];
  for (let at = text.indexOf("."); at >= 0; at = text.indexOf(".", at + 1)) found.push(at);
  return found.slice(0, MAX_DOTS);
}

/** @param wanted by the names of the units of `scenario`. */
export function withExposed(scenario: Scenario, wanted: readonly WantedName[]): Scenario {
  const whole = withInnerPorts(scenario, wanted);
  const names = new Set(whole.ports.map(({ name }) => name));
  const added: ExposedPort[] = [];
  whole.units.forEach((unit, u) => {
    const asked = inside(wanted, unit);
    if (asked.length === 0) return;
    for (const port of unit.description.ports) {
      const name = `${unit.name}.${port.name}`;
      const isAsked = asked.some(({ matches }) =>
        [port.name, ...(port.aliases ?? [])].some((one) => matches(one)),
      );
      if (!isAsked || names.has(name) || port.direction === "independent") continue;
      const inner: PortRef = { unit: u, port: port.index };
      added.push({ name, inner, ...(!isFree(whole, port, inner) && { isObserved: true }) });
    }
  });
  return added.length === 0 ? whole : { ...whole, ports: [...whole.ports, ...added] };
}

/** It takes values from outside: a parameter, or an input that nothing inside feeds. */
function isFree({ connections, ports }: Scenario, { direction }: Port, ref: PortRef): boolean {
  if (direction !== "input") return direction === "parameter";
  const isSame = (other: PortRef): boolean => other.unit === ref.unit && other.port === ref.port;
  return !connections.some(({ to }) => isSame(to)) && !ports.some(({ inner }) => isSame(inner));
}

/** The unit with another scenario inside, described again apart from what its interface adds. */
function renewed(unit: ScenarioUnit, scenario: Scenario): ScenarioUnit {
  const known = unit.description.ports;
  const { ports } = describeScenario(scenario);
  return {
    ...unit,
    scenario,
    description: { ...unit.description, ports: [...known, ...ports.slice(known.length)] },
  };
}
