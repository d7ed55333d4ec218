/**
 * Input signals from a CSV file, matched to the unit's inputs.
 */
import { type Diagnostic, diagnose } from "../../base/diagnostic.ts";
import { nearest } from "../../base/nearest.ts";
import { readPortValue } from "../../model/port-value.ts";
import type { Port, UnitDescription } from "../../model/unit-description.ts";
import { parseCsv } from "../../record/csv-read.ts";
import type { ColumnData } from "../../record/trace.ts";
import { type InputSignals, makeInputSignals } from "../../unit/signal-source.ts";
import { elementNames } from "./element-names.ts";
import { readText } from "./read-text.ts";
import { RUN_DIAGNOSTICS } from "./run-diagnostics.ts";
import { describeRole } from "./settings.ts";

export interface RunInputs {
  readonly signals: InputSignals;
  /** Ticks of triggered clocks by port. */
  readonly triggers: ReadonlyMap<number, readonly number[]>;
}

export interface InputColumns {
  readonly time: Float64Array;
  /** One column for every element. */
  readonly ports: Map<Port, ColumnData[]>;
}

/** The columns of an input file, each matched to an input of `unit`. */
export function readInputColumns(
  path: string,
  unit: UnitDescription,
  report: (d: Diagnostic) => void,
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
  const elements = elementsByName(unit);
  const given = new Map<Port, ColumnData[]>();
  for (const column of columns) {
    const target = elements.get(column.name);
    if (target === undefined || target.port.direction !== "input") {
      const inputs = [...elements]
        .filter(([, e]) => e.port.direction === "input")
        .map(([name]) => name);
      const guess = nearest(column.name, inputs);
      report(
        target === undefined
          ? diagnose(
              RUN_DIAGNOSTICS,
              "unknown-variable",
              { name: column.name, nearest: guess },
              { file: path, line: 1 },
            )
          : diagnose(
              RUN_DIAGNOSTICS,
              "input-not-an-input",
              { name: column.name, what: describeRole(target.port), nearest: guess },
              { file: path, line: 1 },
            ),
      );
      continue;
    }
    const data = given.get(target.port) ?? [];
    data[target.element] = column.data;
    given.set(target.port, data);
  }
  for (const [port, data] of given) {
    const missing = elementNames(port).filter((_, i) => data[i] === undefined);
    if (missing.length > 0) {
      report(
        diagnose(
          RUN_DIAGNOSTICS,
          "input-elements-missing",
          { name: port.name, missing: missing.join(", ") },
          { file: path, line: 1 },
        ),
      );
    }
  }
  return { time, ports: given };
}

/** What drives the inputs of a single unit. */
export function readInputs(
  path: string,
  unit: UnitDescription,
  report: (d: Diagnostic) => void,
): RunInputs | undefined {
  const columns = readInputColumns(path, unit, report);
  if (columns === undefined) return undefined;
  const { time, ports: given } = columns;
  // A clock has no value between its ticks: its column says when it ticks.
  const triggers = new Map<number, number[]>();
  for (const [port, [column]] of given) {
    if (port.type !== "clock") continue;
    triggers.set(
      port.index,
      Array.from(time).filter((_, row) => Number(column?.[row]) !== 0),
    );
    given.delete(port);
  }
  const byPort = new Map([...given].map(([port, data]) => [port.index, data]));
  try {
    return { signals: makeInputSignals([...given.keys()], time, byPort), triggers };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const reason = firstMisfit(given, time) ?? error.message;
    report(diagnose(RUN_DIAGNOSTICS, "input-unusable", { reason }, { file: path }));
    return undefined;
  }
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
        return `'${column[row]}' at t=${time[row]} is no value for ${port.name} (${port.type})`;
    }
  }
  return undefined;
}

function elementsByName(unit: UnitDescription): Map<string, { port: Port; element: number }> {
  const elements = new Map<string, { port: Port; element: number }>();
  for (const port of unit.ports) {
    for (const [element, name] of elementNames(port).entries())
      elements.set(name, { port, element });
  }
  return elements;
}
