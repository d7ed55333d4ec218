/**
 * Measured data of a calibration, and the differences of a run to them.
 */
import { resolve } from "node:path";
import { type Checked, diagnose } from "../../base/diagnostic.ts";
import { nearest } from "../../base/nearest.ts";
import { conversion, convertValue, IDENTITY } from "../../model/physical-unit-conversion.ts";
import type { Requirement } from "../../model/requirement.ts";
import type { GoalDraft } from "../../model/study.ts";
import type { Trace } from "../../record/trace.ts";
import { numbers } from "../../requirements/bind-trace.ts";
import { measureRows, measureUnit } from "../../requirements/measure.ts";
import { STUDY_RULES } from "../../search/studies/diagnostics.ts";
import { readTrace } from "../read-trace.ts";

export interface MeasuredData {
  readonly time: Float64Array;
  /** By signal of the calibration. */
  readonly columns: readonly { readonly values: Float64Array; readonly scale: number }[];
}

type Calibration = Extract<GoalDraft, { kind: "calibrate" }>;

/** @param compared what each of its signals is of a run, in the unit in which it is compared. */
export async function readMeasured(
  { data, signals, place }: Calibration,
  compared: readonly Requirement[],
  folder: string,
): Promise<Checked<MeasuredData>> {
  const file = resolve(folder, data);
  const { value: trace, diagnostics } = await readTrace(file);
  if (trace === undefined) return { diagnostics };
  const names = trace.columns.map(({ name }) => name);
  const wrong = (why: string, fix: string): Checked<never> => ({
    diagnostics: [diagnose(STUDY_RULES, "study-calibration", { why, fix }, place)],
  });
  if (trace.time.length === 0) return wrong(`${data} has no rows`, "record something");
  const columns: MeasuredData["columns"][number][] = [];
  for (const [i, { column, scale }] of signals.entries()) {
    const found = trace.columns.find(({ name }) => name === column);
    if (found === undefined) {
      const near = nearest(column, names);
      const fix = near === undefined ? `it has ${names.join(", ")}` : `did you mean '${near}'?`;
      return wrong(`${data} has no column '${column}'`, fix);
    }
    const [from = "", to = ""] = [found.unit, compared[i] && measureUnit(compared[i])];
    const way = from === "" || to === "" ? IDENTITY : conversion({ name: from }, { name: to });
    if ("error" in way)
      return wrong(
        `the column '${column}' of ${data}: ${way.error}`,
        `give its unit as one that converts to ${to}`,
      );
    const values = numbers(found.data).map((value) => convertValue(value, way));
    const largest = values.reduce((most, value) => Math.max(most, Math.abs(value) || 0), 0);
    columns.push({ values, scale: scale ?? (largest > 0 ? largest : 1) });
  }
  return { value: { time: trace.time, columns }, diagnostics: [] };
}

/**
 * Signal by signal, row by row of the data: (run - measured) / scale, divided by the root of the
 * number of rows. Values that are missing in the data count as equal.
 * @returns undefined where the run does not reach over the data.
 */
export function residualsOf(
  compared: readonly Requirement[],
  { time, columns }: MeasuredData,
  trace: Trace,
): number[] | undefined {
  const last = trace.time.at(-1) ?? Number.NaN;
  const slack = 1e-9 * Math.abs(last);
  if (!((time.at(-1) ?? 0) <= last + slack && (time[0] ?? 0) >= (trace.time[0] ?? 0) - slack))
    return undefined;
  const weight = 1 / Math.sqrt(time.length);
  return compared.flatMap((requirement, c) => {
    const rows = measureRows(requirement, trace);
    const { values, scale } = columns[c] ?? { values: new Float64Array(), scale: 1 };
    let row = 0;
    return Array.from(time, (t, i) => {
      while (row + 1 < rows.time.length && (rows.time[row + 1] ?? 0) <= t) row++;
      const measured = values[i] ?? Number.NaN;
      if (Number.isNaN(measured)) return 0;
      const [t0 = 0, t1 = t0] = [rows.time[row], rows.time[row + 1]];
      const [y0 = 0, y1 = y0] = [rows.values[row], rows.values[row + 1]];
      const part = t1 > t0 ? Math.min(1, Math.max(0, (t - t0) / (t1 - t0))) : 0;
      return ((y0 + part * (y1 - y0) - measured) / scale) * weight;
    });
  });
}
