/**
 * The rows of a study as a table: a row per run, in the order of their numbers, the same whatever
 * order they were made in.
 */
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Checked } from "../../base/diagnostic.ts";
import type { Factor } from "../../model/study.ts";
import { parseTable, type Table, type TableColumn } from "../../record/table.ts";
import { shownLevel } from "../../search/studies/factor-levels.ts";
import { UsageError } from "../command.ts";
import type { PreparedStudy } from "./prepare-study.ts";
import type { StudyRow } from "./study-protocol.ts";

export const TABLE_FILE = "runs.parquet";
export const REPORT_FILE = "report.html";
export const TRACES_FOLDER = "traces";

export function studyTable(
  { study, factors, columns, digest }: PreparedStudy,
  rows: readonly StudyRow[],
): Table {
  const numbers = (of: (row: StudyRow) => number): Float64Array => Float64Array.from(rows, of);
  return {
    columns: [
      { name: "run", type: "int32", data: numbers(({ run }) => run) },
      ...factors.map((factor, f) => factorColumn(factor, f, rows)),
      ...columns.map(
        ({ name, unit }, c): TableColumn => ({
          name,
          type: "float64",
          data: numbers(({ values }) => values[c] ?? Number.NaN),
          ...(unit !== undefined && { unit }),
        }),
      ),
      { name: "outcome", type: "string", data: rows.map(({ outcome }) => outcome) },
      { name: "reason", type: "string", data: rows.map(({ reason = "" }) => reason) },
    ],
    notes: {
      "cosimo.study": study.name,
      "cosimo.factors": JSON.stringify(factors.map(({ name }) => name)),
      "cosimo.kept": JSON.stringify(columns.map(({ name }) => name)),
      "cosimo.digest": digest,
    },
  };
}

function factorColumn(
  { name, levels, unit }: Factor,
  f: number,
  rows: readonly StudyRow[],
): TableColumn {
  const shown = rows.map(({ point }) => shownLevel(levels, point[f] ?? Number.NaN));
  if (shown.every((one) => typeof one === "number"))
    return {
      name,
      type: "float64",
      data: Float64Array.from(shown as number[]),
      ...(unit !== undefined && { unit }),
    };
  return { name, type: "string", data: shown.map(String) };
}

/** The table of a folder of results, or of a file. @throws UsageError where there is none. */
export async function readStudyTable(path: string): Promise<Checked<Table>> {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  const file = isFolder ? join(path, TABLE_FILE) : path;
  if (!existsSync(file))
    throw new UsageError(`there is no '${file}'`, "name the folder of a study's results");
  return parseTable(readFileSync(file), file);
}
