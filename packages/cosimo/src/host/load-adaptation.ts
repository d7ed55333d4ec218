/**
 * From a `.sa` file to an adaptation in explicit form and the sources of its inner units, which may be adaptations again.
 */
import { readFileSync } from "node:fs";
import { dirname, extname, resolve } from "node:path";
import { describeAdaptation } from "../adapt/describe-adaptation.ts";
import { type Diagnostic, diagnose, hasErrors, unwrap } from "../base/diagnostic.ts";
import { toUnitDescription } from "../fmi/to-unit-description.ts";
import { checkSa } from "../lang/sa/check-sa.ts";
import { explicitForm } from "../lang/sa/explicit-form.ts";
import { parseSa } from "../lang/sa/parse-sa.ts";
import type { Adaptation, InnerUnit } from "../model/adaptation.ts";
import { describeScenario } from "../model/resolve-scenario-nested.ts";
import type { Scenario, UnitDraft, UnitSource } from "../model/scenario.ts";
import type { UnitDescription } from "../model/unit-description.ts";
import type { LoadedSource, MakeUnit } from "./load-scenario.ts";
import { SCENARIO_LOAD_DIAGNOSTICS } from "./scenario-diagnostics.ts";

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
}

export interface AdaptationLoader {
  /** Opens what a unit needs, `around` being the adaptations that it is inside of; reports what goes wrong. */
  open(path: string, unit: UnitDraft, around: readonly string[]): Promise<LoadedSource | undefined>;
  scenario(path: string): Promise<Scenario | undefined>;
  probe(make: MakeUnit, unit: UnitDraft): UnitDescription | undefined;
  report(...diagnostics: readonly Diagnostic[]): void;
}

/** @returns undefined after a report. */
export async function loadAdaptation(
  path: string,
  unit: UnitDraft,
  around: readonly string[],
  loader: AdaptationLoader,
): Promise<LoadedAdaptation | undefined> {
  if (around.includes(path)) {
    const params = { unit: unit.name, path };
    loader.report(
      diagnose(SCENARIO_LOAD_DIAGNOSTICS, "adaptation-nests-itself", params, unit.place),
    );
    return undefined;
  }
  const parsed = parseSa(readFileSync(path, "utf8"), path);
  const { value: adaptation } = parsed;
  if (adaptation === undefined || hasErrors(parsed.diagnostics)) {
    loader.report(...parsed.diagnostics);
    return undefined;
  }
  const inner = new Map<string, LoadedInner>();
  const descriptions = new Map<string, UnitDescription>();
  for (const one of adaptation.inner) {
    const draft = innerDraft(unit, one, loader);
    if (draft === undefined) return undefined;
    const innerPath = resolve(dirname(path), one.source);
    const source =
      draft.source.kind === "scenario-file"
        ? await innerScenario(innerPath, draft, loader)
        : await loader.open(innerPath, draft, [...around, path]);
    const description = source && describeInner(source, draft, loader);
    if (description === undefined) return undefined;
    inner.set(one.name, { path: innerPath, source: source! });
    descriptions.set(one.name, description);
  }
  const describe = ({ name }: InnerUnit): UnitDescription | undefined => descriptions.get(name);
  const diagnostics = [...parsed.diagnostics, ...checkSa(adaptation, describe)];
  loader.report(...diagnostics);
  if (hasErrors(diagnostics)) return undefined;
  const explicit = unwrap(explicitForm(adaptation, describe));
  return {
    kind: "adaptation",
    adaptation: explicit,
    description: describeAdaptation(explicit, descriptions),
    inner,
  };
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

function innerDraft(
  unit: UnitDraft,
  { name, source: path, place }: InnerUnit,
  loader: AdaptationLoader,
): UnitDraft | undefined {
  const full = `${unit.name}.${name}`;
  const source = sourceOf(path);
  if (source !== undefined) return { name: full, source, values: [], place };
  const params = { unit: full, path };
  loader.report(diagnose(SCENARIO_LOAD_DIAGNOSTICS, "adaptation-inner-source", params, place));
  return undefined;
}

function sourceOf(path: string): UnitSource | undefined {
  switch (extname(path).toLowerCase()) {
    case ".fmu":
      return { kind: "fmu", path };
    case ".js":
    case ".mjs":
    case ".ts":
    case ".mts":
      return { kind: "module", path };
    case ".sa":
      return { kind: "adaptation", path };
    case ".yaml":
    case ".yml":
    case ".ssp":
    case ".ssd":
      return { kind: "scenario-file", path };
    default:
      return undefined;
  }
}

/** As the unit will tell of itself once it lives. */
function describeInner(
  source: LoadedInner["source"],
  draft: UnitDraft,
  loader: AdaptationLoader,
): UnitDescription | undefined {
  switch (source.kind) {
    case "fmu":
      return toUnitDescription(source.fmu.description, { file: source.fmu.descriptionFile });
    case "module":
      return loader.probe(source.make, draft);
    case "adaptation":
      return source.description;
    case "scenario":
      return describeScenario(source.scenario);
  }
}
