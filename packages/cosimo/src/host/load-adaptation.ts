/**
 * From a `.sa` file to an adaptation in explicit form and the sources of its inner units, which may be adaptations again. An open
 * adaptation is applied first: the scenario says to what.
 */
import { existsSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { describeAdaptation } from "../adapt/describe-adaptation.ts";
import { type Passing, passPorts } from "../adapt/passing-unit.ts";
import { type Checked, type Diagnostic, diagnose, hasErrors, unwrap } from "../base/diagnostic.ts";
import { nearest } from "../base/nearest.ts";
import { toUnitDescription } from "../fmi/to-unit-description.ts";
import { matchArguments, openUnits } from "../lang/sa/apply-arguments.ts";
import { reportApply } from "../lang/sa/apply-diagnostics.ts";
import { applySa } from "../lang/sa/apply-sa.ts";
import { checkSa } from "../lang/sa/check-sa.ts";
import { explicitForm } from "../lang/sa/explicit-form.ts";
import { parseSa } from "../lang/sa/parse-sa.ts";
import type { Adaptation, InnerUnit } from "../model/adaptation/data.ts";
import { describeScenario } from "../model/resolve-scenario-nested.ts";
import type { AdaptedSource, Scenario, UnitDraft, UnitSource } from "../model/scenario.ts";
import { sourceAt } from "../model/source-kind.ts";
import type { UnitDescription } from "../model/unit-description.ts";
import { withFollowedInputs } from "../platform/native/followed-inputs.ts";
import { adaptationPath, libraryNames } from "./adaptation-library.ts";
import type { LoadedSource, MakeUnit } from "./load-scenario.ts";
import { SCENARIO_LOAD_DIAGNOSTICS } from "./scenario-diagnostics.ts";
import { structuralOf } from "./source-key.ts";

/** A scenario inside an adaptation; it has a step of its own. */
export interface LoadedInnerScenario {
  readonly kind: "scenario";
  readonly scenario: Scenario;
}

/** What lies behind an inner unit, and where. */
export interface LoadedInner {
  readonly path: string;
  readonly source: LoadedSource | LoadedInnerScenario;
}

export interface LoadedAdaptation {
  readonly kind: "adaptation";
  /** In explicit form. */
  readonly adaptation: Adaptation;
  readonly description: UnitDescription;
  readonly inner: ReadonlyMap<string, LoadedInner>;
  /** Where it was open: how the units that it was applied to are set. */
  readonly passing?: Passing;
}

export interface AdaptationLoader {
  /** Opens what a unit needs, `around` being the adaptations that it is inside of; reports what goes wrong. */
  open(path: string, unit: UnitDraft, around: readonly string[]): Promise<LoadedSource | undefined>;
  scenario(path: string): Promise<Scenario | undefined>;
  probe(make: MakeUnit, unit: UnitDraft): UnitDescription | undefined;
  report(...diagnostics: readonly Diagnostic[]): void;
}

/** An inner unit on the way: what it is, and the file whose folder its path is relative to. */
interface InnerToOpen {
  readonly draft: UnitDraft;
  readonly file: string;
}

/** @returns undefined after a report. */
export async function loadAdaptation(
  path: string,
  unit: UnitDraft,
  around: readonly string[],
  loader: AdaptationLoader,
): Promise<LoadedAdaptation | undefined> {
  if (around.includes(path)) return reported(loader, "adaptation-nests-itself", unit, path);
  const parsed = readAdaptation(path, loader);
  if (parsed === undefined) return undefined;
  if (openUnits(parsed.value).length > 0) return reported(loader, "adaptation-open", unit, path);
  const opened = new OpenedUnits(loader, [...around, path]);
  for (const inner of parsed.value.inner)
    if (!(await opened.add(inner, closedUnit(unit, inner, path, loader)))) return undefined;
  return finished(parsed.value, parsed.diagnostics, opened, loader);
}

/**
 * Applies an open adaptation as `unit` of the scenario `file` says.
 * @returns undefined after a report.
 */
export async function loadAdapted(
  unit: UnitDraft,
  source: AdaptedSource,
  file: string,
  loader: AdaptationLoader,
): Promise<LoadedAdaptation | undefined> {
  const { adaptation: name, place } = source;
  const path = adaptationPath(name, file);
  if (path === undefined) {
    const known = libraryNames();
    const params = { unit: unit.name, name, nearest: nearest(name, known), known };
    loader.report(diagnose(SCENARIO_LOAD_DIAGNOSTICS, "adaptation-unknown", params, place));
    return undefined;
  }
  if (!existsSync(path)) {
    const params = { unit: unit.name, path, reason: "there is no such file" };
    loader.report(diagnose(SCENARIO_LOAD_DIAGNOSTICS, "unit-source-broken", params, place));
    return undefined;
  }
  const parsed = readAdaptation(path, loader);
  if (parsed === undefined) return undefined;
  const adaptation = parsed.value;
  const [adapted] = openUnits(adaptation);
  if (adapted === undefined)
    return reported(loader, "adaptation-closed", { name: unit.name, place }, path);
  const files = matchArguments(adaptation, source.arguments).value.units;
  const opened = new OpenedUnits(loader, []);
  for (const inner of adaptation.inner) {
    const given = files.get(inner.name);
    if (inner.source === undefined && inner !== adapted && given === undefined) {
      const params = { adaptation: name, unit: inner.name };
      loader.report(reportApply("sa-inner-missing", params, place));
      return undefined;
    }
    const toOpen =
      inner === adapted
        ? { draft: { ...unit, source: source.inner }, file }
        : given === undefined
          ? closedUnit(unit, inner, path, loader)
          : namedUnit(unit, inner.name, String(given.value), given.place, file, loader);
    if (!(await opened.add(inner, toOpen))) return undefined;
  }
  const applied = applySa(adaptation, source.arguments, opened.describe, place);
  for (const finding of applied.diagnostics) loader.report(finding);
  return applied.value && finished(applied.value, parsed.diagnostics, opened, loader);
}

type FileProblem = "adaptation-nests-itself" | "adaptation-open" | "adaptation-closed";

function reported(
  loader: AdaptationLoader,
  code: FileProblem,
  { name, place }: Pick<UnitDraft, "name" | "place">,
  path: string,
): undefined {
  loader.report(diagnose(SCENARIO_LOAD_DIAGNOSTICS, code, { unit: name, path }, place));
}

function readAdaptation(
  path: string,
  loader: AdaptationLoader,
): (Checked<Adaptation> & { readonly value: Adaptation }) | undefined {
  const { value, diagnostics } = parseSa(readFileSync(path, "utf8"), path);
  if (value !== undefined && !hasErrors(diagnostics)) return { value, diagnostics };
  for (const finding of diagnostics) loader.report(finding);
  return undefined;
}

/** Checks it against its inner units, all of which are known by now, and makes it explicit. */
function finished(
  adaptation: Adaptation,
  noticed: readonly Diagnostic[],
  { inner, describe, descriptions }: OpenedUnits,
  loader: AdaptationLoader,
): LoadedAdaptation | undefined {
  const diagnostics = [...noticed, ...checkSa(adaptation, describe)];
  for (const finding of diagnostics) loader.report(finding);
  if (hasErrors(diagnostics)) return undefined;
  const explicit = unwrap(explicitForm(adaptation, describe));
  const description = describeAdaptation(explicit, descriptions);
  const open = new Map(openUnits(adaptation).map((unit) => [unit.name, describe(unit)!]));
  if (open.size === 0) return { kind: "adaptation", adaptation: explicit, description, inner };
  const passing = passPorts(description, open);
  const shown = passing.description;
  return { kind: "adaptation", adaptation: explicit, description: shown, inner, passing };
}

class OpenedUnits {
  readonly inner = new Map<string, LoadedInner>();
  readonly descriptions = new Map<string, UnitDescription>();
  private readonly loader: AdaptationLoader;
  private readonly around: readonly string[];

  constructor(loader: AdaptationLoader, around: readonly string[]) {
    this.loader = loader;
    this.around = around;
  }

  readonly describe = ({ name }: InnerUnit): UnitDescription | undefined =>
    this.descriptions.get(name);

  /** @returns false after a report. */
  async add({ name }: InnerUnit, toOpen: InnerToOpen | undefined): Promise<boolean> {
    if (toOpen === undefined) return false;
    const { draft, file } = toOpen;
    const path = "path" in draft.source ? resolve(dirname(file), draft.source.path) : "";
    const source = await this.open(path, draft, file);
    const description = source && describeInner(source, draft, this.loader);
    if (source === undefined || description === undefined) return false;
    this.inner.set(name, { path, source });
    this.descriptions.set(name, description);
    return true;
  }

  private async open(
    path: string,
    draft: UnitDraft,
    file: string,
  ): Promise<LoadedInner["source"] | undefined> {
    const { source } = draft;
    if (source.kind === "adapted") return loadAdapted(draft, source, file, this.loader);
    if (source.kind !== "scenario-file") return this.loader.open(path, draft, this.around);
    return innerScenario(path, draft, this.loader);
  }
}

async function innerScenario(
  path: string,
  { name, place }: UnitDraft,
  loader: AdaptationLoader,
): Promise<LoadedInnerScenario | undefined> {
  const scenario = await loader.scenario(path);
  if (scenario === undefined) return undefined;
  if (scenario.experiment.step !== undefined) return { kind: "scenario", scenario };
  const params = { unit: name, path };
  loader.report(diagnose(SCENARIO_LOAD_DIAGNOSTICS, "adaptation-inner-step", params, place));
  return undefined;
}

/** An inner unit that the adaptation at `file` names. */
function closedUnit(
  unit: UnitDraft,
  { name, source, place }: InnerUnit,
  file: string,
  loader: AdaptationLoader,
): InnerToOpen | undefined {
  return namedUnit(unit, name, source!, place, file, loader);
}

function namedUnit(
  unit: UnitDraft,
  name: string,
  path: string,
  place: UnitDraft["place"],
  file: string,
  loader: AdaptationLoader,
): InnerToOpen | undefined {
  const full = `${unit.name}.${name}`;
  const source: UnitSource | undefined = sourceAt(path);
  if (source !== undefined) return { draft: { name: full, source, values: [], place }, file };
  const params = { unit: full, path };
  loader.report(diagnose(SCENARIO_LOAD_DIAGNOSTICS, "adaptation-inner-source", params, place));
  return undefined;
}

/** As the unit will tell of itself once it lives. */
function describeInner(
  source: LoadedInner["source"],
  draft: UnitDraft,
  loader: AdaptationLoader,
): UnitDescription | undefined {
  switch (source.kind) {
    case "fmu": {
      const plain = toUnitDescription(source.fmu.description, {
        structural: structuralOf(draft, source.fmu),
        file: source.fmu.descriptionFile,
      });
      return withFollowedInputs(plain, source.fmu.description);
    }
    case "module":
      return loader.probe(source.make, draft);
    case "adaptation":
      return source.description;
    case "scenario":
      return describeScenario(source.scenario);
  }
}
