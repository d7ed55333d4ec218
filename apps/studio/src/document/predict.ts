/**
 * What the checks will say of a scenario after an edit, as far as the page can know it: the graph
 * shows an edit at once, and the answer of the server corrects it.
 */
import type { ScenarioEdit } from "@cosimo/lang/scenario/edit/scenario-edit.ts";
import type {
  Described,
  DescribedConnection,
  DescribedPort,
  DescribedScenario,
  DescribedUnit,
  DescribedWire,
} from "@cosimo/serve/protocol.ts";
import { splitName } from "../graph/describe-graph.ts";
import { fitPorts } from "../graph/fit.ts";

/** @returns the same object where nothing of the edit can be shown yet. */
export function predicted(described: Described, edit: ScenarioEdit): Described {
  const { scenario } = described;
  const changed = scenario && changedScenario(scenario, edit, described.path);
  return changed === undefined || changed === scenario
    ? described
    : { ...described, scenario: changed };
}

function changedScenario(
  scenario: DescribedScenario,
  edit: ScenarioEdit,
  path: string,
): DescribedScenario {
  const { units, connections } = scenario;
  const ofUnit = (name: string, change: (unit: DescribedUnit) => DescribedUnit) => ({
    ...scenario,
    units: units.map((unit) => (unit.name === name ? change(unit) : unit)),
  });
  switch (edit.kind) {
    case "add-unit":
      return { ...scenario, units: [...units, newUnit(units, edit.name, edit.source, path)] };
    case "remove-unit":
      return {
        ...scenario,
        units: units.filter(({ name }) => name !== edit.name),
        connections: connections.filter((one) => !isAt(one, edit.name)),
        bonds: scenario.bonds.filter(
          ({ effort, flow }) => !isAt(effort, edit.name) && !isAt(flow, edit.name),
        ),
      };
    case "rename-unit":
      return renamed(scenario, edit.name, edit.to);
    case "connect":
      return { ...scenario, connections: [...connections, newConnection(units, edit)] };
    case "disconnect":
      return {
        ...scenario,
        connections: connections.filter(({ from, to }) => from !== edit.from || to !== edit.to),
      };
    case "set-value":
      return ofUnit(edit.unit, (unit) => ({
        ...unit,
        ports: unit.ports.map((port) =>
          port.name === edit.port ? withSet(port, edit.value) : port,
        ),
      }));
    case "adapt":
      return ofUnit(edit.unit, (unit) => ({
        ...unit,
        adaptations: edit.adaptation === undefined ? [] : [edit.adaptation],
      }));
    case "set-master": {
      const { writtenMaster: _, ...rest } = scenario;
      return edit.name === undefined ? rest : { ...rest, writtenMaster: edit.name };
    }
    // Times may be written in any unit: the answer says what they mean.
    case "set-experiment":
    case "set-unit-step":
      return scenario;
  }
}

/** As another unit of the same file, where there is one. */
function newUnit(
  units: readonly DescribedUnit[],
  name: string,
  source: string,
  path: string,
): DescribedUnit {
  const sourcePath = resolved(path, source);
  const twin = units.find(
    (unit) => unit.sourcePath === sourcePath && unit.adaptations.length === 0,
  );
  return {
    name,
    sourceKind: twin?.sourceKind ?? "",
    sourcePath,
    backend: twin?.backend ?? "…",
    ...(twin?.model === undefined ? {} : { model: twin.model }),
    ports: twin?.ports.map((port) => withSet(port, undefined)) ?? [],
    adaptations: [],
    isFaulty: false,
  };
}

/** A path as it is written in the file `from`, as the page knows it. */
function resolved(from: string, path: string): string {
  const parts = from.split("/").slice(0, -1);
  for (const part of path.split("/"))
    if (part === "..") parts.pop();
    else if (part !== ".") parts.push(part);
  return parts.join("/");
}

function withSet(port: DescribedPort, value: string | undefined): DescribedPort {
  const { set: _, ...rest } = port;
  return value === undefined || value === "" ? rest : { ...rest, set: value };
}

function newConnection(
  units: readonly DescribedUnit[],
  { from, to }: { readonly from: string; readonly to: string },
): DescribedConnection {
  const [source, target] = [portNamed(units, from, "output"), portNamed(units, to, "input")];
  if (!source || !target) return { from, to, wires: [] };
  const fit = fitPorts(source.port, target.port);
  const isEvent = source.port.isClock === true || source.port.nature === "transient";
  const wire: DescribedWire = {
    fromUnit: source.unit,
    fromPort: source.port.name,
    toUnit: target.unit,
    toPort: target.port.name,
    ...(fit.fits && fit.converts !== undefined ? { conversion: fit.converts } : {}),
    ...(isEvent ? { isEvent } : {}),
  };
  return { from, to, wires: [wire] };
}

function portNamed(
  units: readonly DescribedUnit[],
  text: string,
  direction: DescribedPort["direction"],
): { readonly unit: string; readonly port: DescribedPort } | undefined {
  const name = splitName(text);
  const port = units
    .find((unit) => unit.name === name?.unit)
    ?.ports.find((one) => one.name === name?.port && one.direction === direction);
  return name && port && { unit: name.unit, port };
}

interface Ends {
  readonly from: string;
  readonly to: string;
  readonly wires?: readonly DescribedWire[];
}

function isAt({ from, to, wires = [] }: Ends, unit: string): boolean {
  return (
    from.startsWith(`${unit}.`) ||
    to.startsWith(`${unit}.`) ||
    wires.some(({ fromUnit, toUnit }) => fromUnit === unit || toUnit === unit)
  );
}

function renamed(scenario: DescribedScenario, name: string, to: string): DescribedScenario {
  const unitNow = (unit: string): string => (unit === name ? to : unit);
  const endNow = (text: string): string =>
    text.startsWith(`${name}.`) ? `${to}${text.slice(name.length)}` : text;
  return {
    ...scenario,
    units: scenario.units.map((unit) => (unit.name === name ? { ...unit, name: to } : unit)),
    connections: scenario.connections.map((one) =>
      isAt(one, name)
        ? {
            ...one,
            from: endNow(one.from),
            to: endNow(one.to),
            wires: one.wires.map((wire) => ({
              ...wire,
              fromUnit: unitNow(wire.fromUnit),
              toUnit: unitNow(wire.toUnit),
            })),
          }
        : one,
    ),
  };
}
