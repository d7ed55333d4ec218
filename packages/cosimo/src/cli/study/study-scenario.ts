/**
 * The scenario of a study with all that the study wants to know of its runs: measures and
 * constraints are requirements beside those of its author, so that they are checked against its
 * ports and recorded as these are. Both sides load it: the command to check the study, its workers
 * to run it.
 */
import type { Checked } from "../../base/diagnostic.ts";
import { loadScenario } from "../../host/load-scenario.ts";
import type { Files } from "../../host/sources/files.ts";
import type { SourceTree } from "../../host/sources/tree.ts";
import type { Trust } from "../../host/trust.ts";
import type { Requirement } from "../../model/requirement.ts";
import type { Scenario, ScenarioDraft } from "../../model/scenario.ts";
import type { MeasureDraft, StudyDraft } from "../../model/study.ts";
import { measureAsRequirement, measureUnit } from "../../requirements/measure.ts";

export interface StudyScenario {
  readonly scenario: Scenario;
  readonly draft: ScenarioDraft;
  readonly tree: SourceTree;
  /** What is made of a run, in the order of the columns of the table. */
  readonly columns: readonly KeptColumn[];
  /** Of a calibration: what is compared with each of its signals. */
  readonly compared: readonly Requirement[];
}

export type KeptColumn = {
  readonly name: string;
  readonly unit?: string;
} & (
  | { readonly kind: "measure" | "robustness" | "constraint"; readonly requirement: Requirement }
  /** Of the differences to what was measured. */
  | { readonly kind: "squares" }
);

const SQUARES = "sum of squares";

/** What measures are called among the requirements; nobody writes such a name. */
const MEASURE = "\u0000measure ";
const CONSTRAINT = "\u0000constraint ";
const COMPARED = "\u0000compared ";

/** Measures that the study keeps, and that it optimizes. */
function measuresOf({ keep, goal }: StudyDraft): readonly MeasureDraft[] {
  if (goal === undefined || goal.kind === "calibrate" || goal.of.kind !== "measure")
    return keep.measures;
  const { measure } = goal.of;
  const isKept = keep.measures.some(({ name }) => name === measure.name);
  return isKept ? keep.measures : [...keep.measures, measure];
}

export async function loadStudyScenario(
  study: StudyDraft,
  path: string,
  trust: Trust,
  folder: string,
  text?: string,
  files?: Files,
): Promise<Checked<StudyScenario>> {
  const measures = measuresOf(study);
  const signals = study.goal?.kind === "calibrate" ? study.goal.signals : [];
  const more = [
    ...measures.map((measure, i) => measureAsRequirement(measure, `${MEASURE}${i}`)),
    ...study.constraints.map((one, i) => ({ ...one, name: `${CONSTRAINT}${i}` })),
    ...signals.map(({ signal }, i) => measureAsRequirement(signal, `${COMPARED}${i}`)),
  ];
  const loaded = await loadScenario(path, trust, folder, text, more, files);
  if (loaded.value === undefined) return { diagnostics: loaded.diagnostics };
  const { scenario, draft, tree } = loaded.value;
  const { requirements: all = [], ...rest } = scenario;
  const named = new Map(all.map((one) => [one.name, one]));
  const own = all.filter(({ name }) => !name.startsWith("\u0000"));
  const { robustness } = study.keep;
  const wanted = (name: string): boolean =>
    robustness === "all" ||
    robustness.some((one) => one.name === name) ||
    (study.goal !== undefined &&
      study.goal.kind !== "calibrate" &&
      study.goal.of.kind === "robustness");
  const columns: KeptColumn[] = [
    ...measures.flatMap(({ name }, i): KeptColumn[] => {
      const requirement = named.get(`${MEASURE}${i}`);
      if (requirement === undefined) return [];
      const unit = measureUnit(requirement);
      return [{ kind: "measure", name, requirement, ...(unit !== undefined && { unit }) }];
    }),
    ...own
      .filter(({ name }) => wanted(name))
      .map((requirement): KeptColumn => {
        const name = `robustness of ${requirement.name}`;
        return { kind: "robustness", name, requirement };
      }),
    ...study.constraints.flatMap(({ text: written }, i): KeptColumn[] => {
      const requirement = named.get(`${CONSTRAINT}${i}`);
      return requirement
        ? [{ kind: "constraint", name: `constraint ${written}`, requirement }]
        : [];
    }),
    ...(signals.length > 0 ? [{ kind: "squares", name: SQUARES } as const] : []),
  ];
  const compared = signals.flatMap((_, i) => named.get(`${COMPARED}${i}`) ?? []);
  return {
    // Recorded is what all of them name.
    value: { scenario: { ...rest, requirements: all }, draft, tree, columns, compared },
    diagnostics: loaded.diagnostics,
  };
}
