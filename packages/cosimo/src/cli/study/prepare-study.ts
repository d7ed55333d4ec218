/**
 * A study read and checked as a whole before anything runs: its text, its scenario, its factors,
 * its data; and the digest of all that decides what a run is, which says whether earlier rows still
 * count.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import {
  append,
  type Checked,
  type Diagnostic,
  diagnose,
  hasErrors,
} from "../../base/diagnostic.ts";
import { nearest } from "../../base/nearest.ts";
import { libraryName } from "../../host/adaptation-library.ts";
import { loadScenario } from "../../host/load-scenario.ts";
import { diskFiles } from "../../host/sources/files.ts";
import { fileDigest, pathFrom, RecordedFiles } from "../../host/sources/recorded-files.ts";
import type { Trust } from "../../host/trust.ts";
import { parseStudy } from "../../lang/study/parse-study.ts";
import { applyFaults } from "../../model/apply-faults.ts";
import type { Factor, StudyDraft } from "../../model/study.ts";
import { planRun } from "../../run/plan-run.ts";
import { STUDY_RULES } from "../../search/studies/diagnostics.ts";
import { resolveFactors } from "../../search/studies/resolve-factors.ts";
import { variantText } from "../../search/studies/variant-text.ts";
import { readText } from "../read-file.ts";
import { readMeasured } from "./compare-measured.ts";
import type { StudyJob } from "./study-protocol.ts";
import { type KeptColumn, loadStudyScenario, type StudyScenario } from "./study-scenario.ts";

export interface PreparedStudy {
  readonly study: StudyDraft;
  readonly factors: readonly Factor[];
  readonly columns: readonly KeptColumn[];
  readonly digest: string;
  readonly job: Omit<StudyJob, "folder" | "traces">;
  /** What its scenario is made of. */
  readonly read: RecordedFiles;
}

export async function prepareStudy(
  path: string,
  trust: { readonly trust: Trust; readonly isAll: boolean },
  folder: string,
): Promise<Checked<PreparedStudy>> {
  const diagnostics: Diagnostic[] = [];
  const text = readText(path, (found) => diagnostics.push(found));
  if (text === undefined) return { diagnostics };
  const parsed = parseStudy(text, path);
  append(diagnostics, parsed.diagnostics);
  if (parsed.value === undefined) return { diagnostics };
  const { value: study } = parsed;
  // As the user would write it.
  const scenario = relative(".", resolve(dirname(path), study.scenario)) || study.scenario;
  const scenarioText = /\.ya?ml$/i.test(scenario) ? textOf(scenario) : undefined;
  const read = new RecordedFiles(diskFiles(trust.trust), folder);
  const load = (written: string | undefined) =>
    loadStudyScenario(study, scenario, trust.trust, folder, written, read.files);
  const loaded = await load(scenarioText);
  append(diagnostics, loaded.diagnostics);
  if (loaded.value === undefined) {
    // What is kept may be all that is wrong: mistakes in factors are reported with it.
    const bare = await loadScenario(scenario, trust.trust, folder, scenarioText);
    if (bare.value !== undefined)
      append(diagnostics, resolveFactors(study, bare.value.scenario).diagnostics);
    return { diagnostics };
  }
  const resolved = resolveFactors(study, loaded.value.scenario);
  append(diagnostics, resolved.diagnostics);
  append(diagnostics, unknownRequirements(study, loaded.value));
  if (resolved.value === undefined || hasErrors(diagnostics)) return { diagnostics };
  // A scenario that cannot be planned as it is written fails in every run.
  const planned = planRun(applyFaults(loaded.value.scenario), {});
  append(
    diagnostics,
    planned.diagnostics.filter(({ severity }) => severity === "error"),
  );
  let data = "";
  if (study.goal?.kind === "calibrate") {
    const { compared } = loaded.value;
    const measured = await readMeasured(study.goal, compared, dirname(resolve(path)));
    append(diagnostics, measured.diagnostics);
    if (measured.value !== undefined)
      data = JSON.stringify([
        [...measured.value.time],
        measured.value.columns.map(({ values }) => [...values]),
      ]);
  }
  if (hasErrors(diagnostics)) return { diagnostics };
  const factors = resolved.value;
  const { columns } = loaded.value;
  const job = {
    kind: "study",
    study: path,
    text,
    scenario,
    trust: trust.isAll,
    ...(scenarioText !== undefined && { scenarioText }),
  } as const;
  if (scenarioText !== undefined) {
    read.add(scenario);
    // Files that only some runs read: what is put around a unit may have one of its own.
    for (const { text, level, isFault } of levelTexts(scenarioText, factors)) {
      const one = await load(text);
      // An adaptation may need other levels beside it; a fault is right or wrong by itself.
      if (!isFault) continue;
      const found = one.value
        ? [...one.diagnostics, ...planRun(applyFaults(one.value.scenario), {}).diagnostics]
        : one.diagnostics;
      for (const { message, ...rest } of found)
        if (rest.severity === "error")
          diagnostics.push({
            ...rest,
            message: `with ${level}: ${message}`,
            place: { file: path },
          });
    }
    if (hasErrors(diagnostics)) return { diagnostics };
  }
  const digest = digestOf(study, loaded.value, factors, [scenarioText ?? "", data], {
    folder: dirname(resolve(scenario)),
    paths: read.list(),
  });
  return { value: { study, factors, columns, digest, job, read }, diagnostics };
}

/** The scenario with each of the adaptations and faults that are varied, one at a time. */
function levelTexts(
  scenario: string,
  factors: readonly Factor[],
): { readonly text: string; readonly level: string; readonly isFault: boolean }[] {
  return factors.flatMap((factor) => {
    const { target, levels } = factor;
    if ((target.kind !== "adaptation" && target.kind !== "fault") || levels.kind !== "list")
      return [];
    return levels.written.map((written, level) => ({
      text: variantText(scenario, [factor], [level]).text,
      isFault: target.kind === "fault",
      level: `'${typeof written === "string" ? written : JSON.stringify(written)}'`,
    }));
  });
}

/** Absent where it cannot be read, which loading it reports. */
function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function unknownRequirements(
  { keep, goal }: StudyDraft,
  { scenario }: StudyScenario,
): Diagnostic[] {
  const names = (scenario.requirements ?? [])
    .map(({ name }) => name)
    .filter((name) => !name.startsWith("\u0000"));
  const wanted = keep.robustness === "all" ? [] : [...keep.robustness];
  if (goal !== undefined && goal.kind !== "calibrate" && goal.of.kind === "robustness") {
    const { requirement: name = "" } = goal.of;
    if (name !== "" || names.length === 0) wanted.push({ name, place: goal.place });
  }
  return wanted
    .filter(({ name }) => !names.includes(name))
    .map(({ name, place }) => {
      const near = nearest(name, names);
      const fix =
        near !== undefined
          ? `did you mean '${near}'?`
          : names.length === 0
            ? "state what must hold under 'requirements' of the scenario"
            : `there are ${names.join(", ")}`;
      return diagnose(STUDY_RULES, "study-unknown-requirement", { name, fix }, place);
    });
}

/** More runs of a sequence begin with the same ones, so their number does not count. */
function digestOf(
  { design, goal, constraints, keep, limits }: StudyDraft,
  { columns }: StudyScenario,
  factors: readonly Factor[],
  texts: readonly string[],
  { folder, paths }: { readonly folder: string; readonly paths: readonly string[] },
): string {
  const hash = createHash("sha256");
  const isSequence = design?.method === "sobol" || design?.method === "monte-carlo";
  const decisive = {
    factors,
    design: design && { ...design, ...(isSequence && { runs: 0 }) },
    goal: goal && { ...goal, optimizer: { ...goal.optimizer, runs: 0 } },
    constraints: constraints.map(({ text }) => text),
    columns: columns.map(({ name }) => name),
    traces: keep.traces,
    limits,
  };
  const withoutPlaces = (key: string, value: unknown): unknown =>
    key === "place" ? undefined : typeof value === "bigint" ? String(value) : value;
  hash.update(JSON.stringify(decisive, withoutPlaces));
  for (const text of texts) hash.update(`\n${text}`);
  // Where the folder lies does not count, nor where Cosimo is installed.
  for (const path of paths)
    hash.update(`\n${libraryName(path) ?? pathFrom(folder, path)} ${fileDigest(path)}`);
  return hash.digest("hex");
}
