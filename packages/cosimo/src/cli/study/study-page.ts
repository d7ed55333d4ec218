/**
 * What a study found, for people and for programs.
 */
import { present } from "../../base/present.ts";
import { shownLevel } from "../../search/studies/factor-levels.ts";
import { mainEffect, sobolIndices } from "../../search/studies/sensitivity.ts";
import { counted } from "../findings.ts";
import type { DrivenStudy } from "./drive-study.ts";
import type { PreparedStudy } from "./prepare-study.ts";
import { isCompleted, type StudyRow } from "./study-protocol.ts";

export interface StudyReport {
  readonly prepared: PreparedStudy;
  readonly driven: DrivenStudy;
  readonly folder: string;
  readonly files: readonly string[];
  /** Rows that were there before. */
  readonly resumed: number;
  readonly wallSeconds: number;
}

/**
 * What the values of a column are in all runs; `least` to `deviation` are NaN where no run has a
 * finite value.
 */
export interface ColumnSummary {
  readonly name: string;
  readonly unit?: string;
  readonly least: number;
  readonly mean: number;
  readonly most: number;
  readonly deviation: number;
  /** By factor. */
  readonly explained: readonly number[];
  readonly indices?: { readonly first: readonly number[]; readonly total: readonly number[] };
}

function summaries(
  { study, factors, columns }: PreparedStudy,
  rows: readonly StudyRow[],
): ColumnSummary[] {
  return columns.map(({ name, unit }, c) => {
    const values = rows.map((row) =>
      isCompleted(row) ? (row.values[c] ?? Number.NaN) : Number.NaN,
    );
    const known = values.filter(Number.isFinite);
    const mean = known.reduce((sum, value) => sum + value, 0) / known.length;
    const variance =
      known.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (known.length - 1);
    const indices = study.design?.indices ? sobolIndices(values, factors.length) : undefined;
    return {
      name,
      ...present({ unit }),
      least: known.reduce((a, b) => Math.min(a, b), known[0] ?? Number.NaN),
      mean,
      most: known.reduce((a, b) => Math.max(a, b), known[0] ?? Number.NaN),
      deviation: Math.sqrt(variance),
      explained: factors.map(
        ({ levels }, f) =>
          mainEffect(
            rows.map(({ point }) => point[f] ?? 0),
            values,
            levels.kind === "list",
          ).explained,
      ),
      ...(indices && { indices: { first: indices.first, total: indices.total } }),
    };
  });
}

/** Reasons of failed runs, the most frequent first. */
export function failures(
  rows: readonly StudyRow[],
): { readonly reason: string; readonly runs: number[] }[] {
  const byReason = new Map<string, number[]>();
  for (const row of rows) {
    if (isCompleted(row)) continue;
    // Instants differ from run to run, what went wrong does not.
    const reason = `${row.outcome}: ${(row.reason ?? "").replace(/t=[-\d.e+]+/g, "t=…")}`;
    byReason.set(reason, [...(byReason.get(reason) ?? []), row.run]);
  }
  return [...byReason]
    .map(([reason, runs]) => ({ reason, runs }))
    .sort((a, b) => b.runs.length - a.runs.length);
}

const short = (value: number): string =>
  Number.isFinite(value) ? String(Number(value.toPrecision(5))) : String(value);
const percent = (part: number): string =>
  Number.isFinite(part) ? `${Math.round(100 * part)} %` : "–";

export function studyPage({ prepared, driven, files, resumed, wallSeconds }: StudyReport): string {
  const { study, factors } = prepared;
  const { rows, count, isWhole, found } = driven;
  const failed = failures(rows);
  const again = resumed > 0 ? `, ${resumed} of them made before` : "";
  const lines = [
    `${study.name}: ${counted(rows.length, "run")} in ${wallSeconds.toFixed(1)} s${again}`,
  ];
  if (!isWhole) lines.push(`  not finished: ${count - rows.length} left; go on with --resume`);
  for (const { reason, runs } of failed.slice(0, SHOWN))
    lines.push(
      `  ${counted(runs.length, "run")} failed: ${reason} (run ${runs[0]}${runs.length > 1 ? ", …" : ""})`,
    );
  if (failed.length > SHOWN) lines.push(`  … and ${failed.length - SHOWN} more reasons`);
  const kept = summaries(prepared, rows);
  if (kept.length > 0 && found === undefined) {
    lines.push("", "least, mean and largest value");
    for (const { name, unit = "", least, mean, most } of kept)
      lines.push(
        Number.isNaN(least)
          ? `  ${name}: no values`
          : `  ${name}: ${short(least)}, ${short(mean)}, ${short(most)}${unit === "" ? "" : ` ${unit}`}`,
      );
    const varied = kept.filter(({ least }) => !Number.isNaN(least));
    if (varied.length > 0)
      lines.push("", "what matters: the part of the variance that a factor explains");
    for (const { name, explained, indices } of varied) {
      const parts = factors.map((factor, f) =>
        indices === undefined
          ? `${factor.name} ${percent(explained[f] ?? Number.NaN)}`
          : `${factor.name} ${percent(indices.first[f] ?? Number.NaN)}, with others ${percent(indices.total[f] ?? Number.NaN)}`,
      );
      lines.push(`  ${name}: ${parts.join("; ")}`);
    }
  }
  if (found !== undefined) lines.push("", ...foundLines(prepared, driven));
  if (files.length > 0) lines.push("", ...files.map((file) => `wrote ${file}`));
  return lines.join("\n");
}

const SHOWN = 6;

export function foundLines({ study, factors }: PreparedStudy, { found }: DrivenStudy): string[] {
  if (found === undefined) return [];
  const { point, value, run, why, isFeasible, deviations } = found;
  const goal = study.goal?.kind ?? "minimize";
  const what = goal === "calibrate" ? "calibrated" : goal === "minimize" ? "least" : "largest";
  const how = {
    converged: "converged",
    runs: "stopped at the number of runs",
    failed: "a run failed",
  }[why];
  const lines = [
    isFeasible
      ? `${what}: ${Number(value.toPrecision(8))} in run ${run} (${how})`
      : `no run ${goal === "calibrate" ? "can be compared" : "satisfies the constraints"}; the closest is run ${run} (${how})`,
  ];
  for (const [f, { name, levels, unit = "" }] of factors.entries()) {
    const shown = shownLevel(levels, point[f] ?? Number.NaN);
    const number =
      typeof shown === "number" ? String(Number(shown.toPrecision(10))) : String(shown);
    const deviation = deviations?.[f];
    const within =
      deviation !== undefined && Number.isFinite(deviation) ? ` ± ${short(deviation)}` : "";
    lines.push(`  ${name} = ${number}${within}${unit === "" ? "" : ` ${unit}`}`);
  }
  return lines;
}

/** The same as data. */
export function studyJson({
  prepared,
  driven,
  files,
  resumed,
  wallSeconds,
  folder,
}: StudyReport): unknown {
  const { study, factors } = prepared;
  const { rows, count, isWhole, found } = driven;
  return {
    study: study.name,
    folder,
    files,
    runs: rows.length,
    planned: count,
    isFinished: isWhole,
    resumed,
    wallSeconds,
    failed: rows.filter((row) => !isCompleted(row)).length,
    failures: failures(rows),
    factors: factors.map(({ name, unit }) => ({ name, ...present({ unit }) })),
    columns: summaries(prepared, rows),
    ...(found && {
      found: {
        ...found,
        point: Object.fromEntries(
          factors.map(({ name, levels }, f) => [
            name,
            shownLevel(levels, found.point[f] ?? Number.NaN),
          ]),
        ),
      },
    }),
  };
}
