/**
 * Tables of signals over time (`.csv`): every column is an output of a unit that plays the file.
 */
import { diagnose, hasErrors } from "../../base/diagnostic.ts";
import { present } from "../../base/present.ts";
import { parseUnit } from "../../model/physical-unit-parse.ts";
import type { TableColumnDraft, UnitSource } from "../../model/scenario.ts";
import { parseCsv } from "../../record/csv-read.ts";
import type { Column, Trace } from "../../record/trace.ts";
import { type TableColumn, type TableModel, tableUnit } from "../../unit/table-unit.ts";
import { SCENARIO_LOAD_DIAGNOSTICS } from "../scenario-diagnostics.ts";
import type { ReadSource, Source } from "./source.ts";

type TableSource = Extract<UnitSource, { readonly kind: "table" }>;

export const readTable: ReadSource<TableSource> = async ({ unit, source, path }, tree) => {
  const { value, diagnostics } = parseCsv(tree.files.text(path), path);
  tree.report(...diagnostics);
  if (value === undefined || hasErrors(diagnostics))
    return tree.broken(unit, path, "it is not a usable table of signals");
  if (value.time.length === 0)
    return tree.broken(unit, path, "it has a header and no rows, so its signals have no values");
  const model = tableModel(unit.name, value, source.columns ?? {});
  try {
    return tableSource(model, path);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const params = { unit: unit.name, path, reason: error.message };
    return tree.report(diagnose(SCENARIO_LOAD_DIAGNOSTICS, "table-unusable", params, unit.place));
  }
};

/** @throws RangeError when the columns do not fit their types. */
function tableSource(model: TableModel, path: string): Source {
  const { description } = tableUnit(model);
  return {
    path,
    describe: () => description,
    open: async ({ name }) => tableUnit(model, name),
  };
}

function tableModel(
  name: string,
  { time, columns }: Trace,
  stated: Readonly<Record<string, TableColumnDraft>>,
): TableModel {
  const outputs = columns.map((column): [string, TableColumn] => [
    column.name,
    tableColumn(column, Object.hasOwn(stated, column.name) ? stated[column.name] : undefined),
  ]);
  return { name, time: time as Float64Array, outputs: Object.fromEntries(outputs) };
}

/** Numbers change linearly between rows, everything else holds. */
function tableColumn(
  { type, data, unit }: Column,
  stated: TableColumnDraft | undefined,
): TableColumn {
  const isNumber = type === "float64";
  const chosen = isNumber ? (stated?.type ?? type) : type;
  return {
    type: chosen,
    variability: chosen === "float64" ? "continuous" : "discrete",
    values: data,
    // What the file says of its numbers is nearer to them than what a connector says.
    ...present({ unit: (unit === undefined ? undefined : parseUnit(unit)) ?? stated?.unit }),
  };
}
