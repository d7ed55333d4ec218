/**
 * Some columns of a recorded trace, by the patterns that people type.
 */
import { DiagnosticsError } from "../base/diagnostic.ts";
import { NO_CAPABILITIES, type UnitDescription } from "../model/unit-description.ts";
import type { Trace } from "../record/trace.ts";
import { selectColumns } from "../record/trace-select.ts";

/** The columns that the patterns name; all of them without patterns. */
export function pickColumns(
  trace: Trace,
  patterns: readonly string[],
  option = "--signals",
): Trace {
  if (patterns.length === 0) return trace;
  const unit: UnitDescription = {
    name: trace.meta.title,
    backend: "typescript",
    capabilities: NO_CAPABILITIES,
    experiment: {},
    ports: trace.columns.map((column, index) => ({
      index,
      name: column.name,
      direction: "output",
      type: column.type,
      shape: [],
      variability: "continuous",
      nature: "continuous",
    })),
  };
  const chosen = selectColumns(unit, patterns);
  if (chosen.value === undefined || chosen.diagnostics.length > 0) {
    throw new DiagnosticsError(chosen.diagnostics.map((d) => ({ ...d, place: { file: option } })));
  }
  return { ...trace, columns: chosen.value.flatMap(({ port }) => trace.columns[port] ?? []) };
}
