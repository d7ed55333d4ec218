/** What the readers of the parts of a study share. */
import type { Place } from "../../base/diagnostic.ts";
import type { MeasureDraft } from "../../model/study.ts";
import { parseNumberExpression } from "../requirement/parse-requirement.ts";
import type { TextReporter } from "../scenario/diagnostics.ts";
import type { STUDY_TEXT_RULES } from "./diagnostics.ts";

/** What the parts of a study are read with. */
export interface StudyReader {
  readonly reporter: TextReporter;
  report(
    code: keyof typeof STUDY_TEXT_RULES,
    params: Readonly<Record<string, string>>,
    place: Place,
  ): undefined;
}

export const COUNT = {
  expected: "a whole number above 0",
  example: "100",
  accepts: (value: number): boolean => Number.isSafeInteger(value) && value > 0,
};
export const SEED = {
  expected: "a whole number, 0 or above",
  example: "1",
  accepts: (value: number): boolean => Number.isSafeInteger(value) && value >= 0,
};

/** An expression over signals, at the end of the run. */
export function readMeasure(text: string, place: Place, reader: StudyReader): MeasureDraft[] {
  const { value, diagnostics } = parseNumberExpression(text, place);
  reader.reporter.diagnostics.push(...diagnostics);
  if (value === undefined) return [];
  const { name = value.text, expression } = value;
  return [{ name, text: value.text, expression, place }];
}
