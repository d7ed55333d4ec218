/**
 * The rows of a study as the data of its report.
 */
import { present } from "../../base/present.ts";
import type { StudyOutput, StudyVariable } from "../../plot/study/study-data.ts";
import { studyReportHtml } from "../../plot/study/study-html.ts";
import { mainEffect, sobolIndices } from "../../search/studies/sensitivity.ts";
import { counted } from "../findings.ts";
import { failures, foundLines, type StudyReport } from "./study-page.ts";
import { isCompleted, traceName } from "./study-protocol.ts";
import { TRACES_FOLDER } from "./study-table.ts";

export function studyHtml({ prepared, driven }: StudyReport): string {
  const { study, factors, columns } = prepared;
  const { rows, isWhole, count } = driven;
  const levels = factors.map((_, f) => rows.map(({ point }) => point[f] ?? Number.NaN));
  const values = columns.map((_, c) =>
    rows.map((row) => (isCompleted(row) ? (row.values[c] ?? Number.NaN) : Number.NaN)),
  );
  const outputs = columns.map(({ name }, c): StudyOutput => {
    const own = values[c] ?? [];
    const effects = factors.map(({ levels: kind }, f) =>
      mainEffect(levels[f] ?? [], own, kind.kind === "list"),
    );
    const indices = study.design?.indices ? sobolIndices(own, factors.length) : undefined;
    return { name, effects, ...present({ indices }) };
  });
  const failed = failures(rows);
  const bad = failed.reduce((sum, { runs }) => sum + runs.length, 0);
  return studyReportHtml({
    title: study.name,
    facts: [
      ...(study.description === undefined ? [] : [study.description]),
      `${counted(rows.length, "run")} of ${study.scenario}${isWhole ? "" : ` (${count - rows.length} left)`}, ${bad === 0 ? "none failed" : `${bad} failed`}`,
    ],
    variables: [
      ...factors.map(
        ({ name, unit, levels: kind }, f): StudyVariable => ({
          name,
          values: levels[f] ?? [],
          isFactor: true,
          ...present({ unit, labels: kind.kind === "list" ? kind.labels.map(String) : undefined }),
        }),
      ),
      ...columns.map(
        ({ name, unit }, c): StudyVariable => ({
          name,
          values: values[c] ?? [],
          isFactor: false,
          ...present({ unit }),
        }),
      ),
    ],
    // Infinite robustness (nothing decides) has no effects.
    outputs: outputs.filter(({ effects }) => effects.some(({ bins }) => bins.length > 0)),
    runs: rows.map((row) => ({
      run: row.run,
      ...(study.keep.traces &&
        isCompleted(row) && { trace: `${TRACES_FOLDER}/${traceName(row.run)}` }),
    })),
    failures: failed,
    found: foundLines(prepared, driven),
  });
}
