/**
 * `--input file.csv`: signals over time. They are written into a unit that runs alone; in a
 * scenario the file becomes one more unit, a table whose outputs feed the inputs that its columns
 * name.
 */
import { type Diagnostic, diagnose } from "../../base/diagnostic.ts";
import { nearest } from "../../base/nearest.ts";
import { present } from "../../base/present.ts";
import type { SingleUnit } from "../../engine/simulate-unit.ts";
import { extendStructure } from "../../model/extend-structure.ts";
import { conversion, convertValue } from "../../model/physical-unit-conversion.ts";
import { parseUnit } from "../../model/physical-unit-parse.ts";
import { readPortValue } from "../../model/port-value.ts";
import type {
  Connection,
  PortRef,
  Scenario,
  ScenarioUnit,
  UnitSource,
} from "../../model/scenario.ts";
import type { ScenarioPorts } from "../../model/scenario-ports.ts";
import { type Port, portSize, type UnitDescription } from "../../model/unit-description.ts";
import { parseCsv } from "../../record/csv-read.ts";
import type { ColumnData } from "../../record/trace.ts";
import { makeInputSignals } from "../../unit/signal-source.ts";
import { type TableColumn, tableUnit } from "../../unit/table-unit.ts";
import type { Unit } from "../../unit/unit.ts";
import { readText } from "../read-file.ts";
import { RUN_DIAGNOSTICS } from "../run-diagnostics.ts";
import { describeRole, elementNames } from "./assignments.ts";

type Report = (d: Diagnostic) => void;

interface InputColumns {
  readonly time: Float64Array;
  /** One column for every element. */
  readonly ports: Map<Port, ColumnData[]>;
}

/** The columns of an input file, each matched to an input of `unit`; undefined after a report. */
function readInputColumns(
  path: string,
  unit: UnitDescription,
  report: Report,
): InputColumns | undefined {
  const text = readText(path, report);
  if (text === undefined) return undefined;
  const parsed = parseCsv(text, path);
  parsed.diagnostics.forEach(report);
  if (parsed.value === undefined) return undefined;
  const { time, columns } = parsed.value;
  if (time.length === 0 || columns.length === 0) {
    report(diagnose(RUN_DIAGNOSTICS, "input-empty", {}, { file: path }));
    return undefined;
  }
  const place = { file: path, line: 1 };
  const elements = elementsByName(unit);
  const inputs = [...elements].flatMap(([name, { port }]) => (isDrivable(port) ? [name] : []));
  const given = new Map<Port, ColumnData[]>();
  for (const { name, unit: written, data: column } of columns) {
    const target = elements.get(name);
    const guess = nearest(name, inputs);
    if (target === undefined)
      report(diagnose(RUN_DIAGNOSTICS, "unknown-variable", { name, nearest: guess }, place));
    else if (!isDrivable(target.port)) {
      const params = { name, what: describeRole(target.port), nearest: guess };
      report(diagnose(RUN_DIAGNOSTICS, "input-not-an-input", params, place));
    } else {
      const data = given.get(target.port) ?? [];
      data[target.element] = inUnitOf(target.port, name, written, column, (reason) =>
        report(diagnose(RUN_DIAGNOSTICS, "input-unusable", { reason }, place)),
      );
      given.set(target.port, data);
    }
  }
  for (const [port, data] of given) {
    const missing = elementNames(port).filter((_, i) => data[i] === undefined);
    if (missing.length === 0) continue;
    const params = { name: port.name, missing: missing.join(", ") };
    report(diagnose(RUN_DIAGNOSTICS, "input-elements-missing", params, place));
  }
  return { time, ports: given };
}

/** An input, or a parameter that may change during a run, which then holds from row to row. */
function isDrivable({ direction, variability }: Port): boolean {
  return direction === "input" || (direction === "parameter" && variability === "tunable");
}

/**
 * What drives a unit that runs alone: signals, and ticks of triggered clocks; undefined after a
 * report.
 */
export function readInputs(
  path: string,
  unit: UnitDescription,
  report: Report,
):
  | (Pick<Required<SingleUnit>, "inputs"> & Pick<NonNullable<SingleUnit["clocks"]>, "triggers">)
  | undefined {
  const columns = readInputColumns(path, unit, report);
  if (columns === undefined) return undefined;
  const { time, ports: given } = columns;
  // A clock has no value between its ticks: its column says when it ticks.
  const triggers = new Map<number, number[]>();
  for (const [port, [column]] of given) {
    if (port.type !== "clock") continue;
    const ticks = Array.from(time).filter((_, row) => Number(column?.[row]) !== 0);
    triggers.set(port.index, ticks);
    given.delete(port);
  }
  const byPort = new Map([...given].map(([port, data]) => [port.index, data]));
  try {
    return { inputs: makeInputSignals([...given.keys()], time, byPort), triggers };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const reason = firstMisfit(given, time) ?? error.message;
    report(diagnose(RUN_DIAGNOSTICS, "input-unusable", { reason }, { file: path }));
    return undefined;
  }
}

/** Numbers of a column whose unit the file names, in the unit of the input. */
function inUnitOf(
  { unit: wanted }: Port,
  name: string,
  written: string | undefined,
  data: ColumnData,
  refuse: (reason: string) => void,
): ColumnData {
  const from = written === undefined ? undefined : parseUnit(written);
  if (from === undefined || wanted === undefined || !(data instanceof Float64Array)) return data;
  const way = conversion(from, wanted);
  if ("error" in way) {
    refuse(`the unit of the column '${name}' does not fit: ${way.error}`);
    return data;
  }
  const isSame = way.factor === 1 && way.offset === 0;
  return isSame ? data : data.map((value) => convertValue(value, way));
}

/** The unit that plays the file. */
const NAME = "input";

/** A scenario with one more unit, and what makes that unit. */
export interface DrivenScenario {
  readonly scenario: Scenario;
  readonly source: UnitSource;
  readonly make: (name: string) => Unit;
}

/**
 * The scenario with one more unit that plays the file; undefined after a report.
 * @param ports by the names that columns have.
 */
export function driveInputs(
  scenario: Scenario,
  ports: ScenarioPorts,
  path: string,
  report: Report,
): DrivenScenario | undefined {
  const columns = readInputColumns(path, ports.description, report);
  if (columns === undefined) return undefined;
  const place = { file: path, line: 1 };
  const outputs: Record<string, TableColumn> = {};
  const connections: Connection[] = [];
  for (const [port, values] of columns.ports) {
    const to = ports.origin(port.index);
    const taken = isConnected(scenario, to);
    if (taken) {
      report(diagnose(RUN_DIAGNOSTICS, "input-connected", { name: port.name }, place));
      continue;
    }
    const { type, shape, variability, unit } = port;
    const from = { unit: scenario.units.length, port: connections.length };
    outputs[port.name] = { type, shape, variability, ...present({ unit }), values };
    connections.push({
      from,
      to,
      fromElement: 0,
      toElement: 0,
      count: portSize(port),
      factor: 1,
      offset: 0,
      place,
    });
  }
  const make = (unitName: string): Unit =>
    tableUnit({ name: "input signals", time: columns.time, outputs }, unitName);
  const source = { kind: "module", path: NAME } as const;
  let description: UnitDescription;
  try {
    const probe = make(NAME);
    description = probe.description;
    probe.dispose();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    report(diagnose(RUN_DIAGNOSTICS, "input-unusable", { reason: error.message }, place));
    return undefined;
  }
  const units = [
    ...withInputs(scenario.units, connections),
    { name: NAME, source, description, values: [], place },
  ];
  const driven = { ...scenario, units, connections: [...scenario.connections, ...connections] };
  return { scenario: extendStructure(scenario, driven), source, make };
}

/** In the scenario, or in one of its structures. */
function isConnected({ connections, structure }: Scenario, { unit, port }: PortRef): boolean {
  const leads = (to: PortRef, u: number): boolean => to.unit === u && to.port === port;
  return (
    connections.some(({ to }) => leads(to, unit)) ||
    structure?.states.some(({ units, scenario }) =>
      scenario.connections.some(({ to }) => leads(to, units.indexOf(unit))),
    ) === true
  );
}

/** The units whose connected parameters are inputs for the plan: they are written as those are. */
function withInputs(
  units: readonly ScenarioUnit[],
  connections: readonly Connection[],
): ScenarioUnit[] {
  return units.map((unit, u) => {
    const isDriven = ({ index, direction }: Port): boolean =>
      direction === "parameter" && connections.some(({ to }) => to.unit === u && to.port === index);
    const { ports } = unit.description;
    if (!ports.some(isDriven)) return unit;
    const directed = ports.map((port) =>
      isDriven(port) ? { ...port, direction: "input" as const } : port,
    );
    return { ...unit, description: { ...unit.description, ports: directed } };
  });
}

/** The first text where a number should be. */
function firstMisfit(
  given: ReadonlyMap<Port, readonly ColumnData[]>,
  time: Float64Array,
): string | undefined {
  for (const [port, data] of given) {
    if (port.type === "string" || port.type === "binary") continue;
    for (const column of data) {
      const row = Array.from<unknown>(column).findIndex(
        (value) => typeof value === "string" && !("value" in readPortValue(port, value)),
      );
      if (row >= 0)
        return `'${column[row]}' at t=${time[row]} is not a value of ${port.name} (${port.type})`;
    }
  }
  return undefined;
}

function elementsByName(unit: UnitDescription): Map<string, { port: Port; element: number }> {
  return new Map(
    unit.ports.flatMap((port) =>
      [port.name, ...(port.aliases ?? [])].flatMap((name) =>
        elementNames({ ...port, name }).map((one, element) => [one, { port, element }] as const),
      ),
    ),
  );
}
