/**
 * What is found in a text, and what is known of the units that it names: one row per language.
 * Findings are those of the command that checks such texts; units are described also where the rest
 * of the text cannot be read, because that is when an author needs their ports.
 */
import { dirname, extname, resolve } from "node:path";
import type { Diagnostic } from "../../base/diagnostic.ts";
import { HINT } from "../../lang/hint/language.ts";
import { parseMachine } from "../../lang/machine/parse-machine.ts";
import { MCI } from "../../lang/mci/language.ts";
import { parseMci } from "../../lang/mci/parse-mci.ts";
import { MCL } from "../../lang/mcl/language.ts";
import { unitName } from "../../lang/mcl/specification.ts";
import { adaptationsOf } from "../../lang/sa/ide/sa-document.ts";
import { readName } from "../../lang/sa/names.ts";
import { SA } from "../../lang/sa/services.ts";
import { unitSources } from "../../lang/scenario/ide/scenario-names.ts";
import { withSlashes } from "../../lang/text/slashes.ts";
import { describeUnitInterface } from "../../model/describe-unit-interface.ts";
import type { Scenario, ScenarioDraft } from "../../model/scenario.ts";
import { fileKind } from "../../model/source-kind.ts";
import { type Port, portNamed, type UnitDescription } from "../../model/unit-description.ts";
import { planRun } from "../../run/plan-run.ts";
import { readAdaptationText } from "../adaptation-text.ts";
import { describeInterfaceFile, describeUnitFile, unreadable } from "../describe-interface.ts";
import { describeInnerUnit, describeSaFile } from "../load-adaptation.ts";
import type { Files } from "../sources/files.ts";
import { SourceTree } from "../sources/tree.ts";

export interface DescribedText {
  readonly diagnostics: readonly Diagnostic[];
  readonly units: ReadonlyMap<string, UnitDescription>;
}

type DescribeText = (path: string, folder: string, files: Files) => Promise<DescribedText>;

export const describeText: DescribeText = (path, folder, files) =>
  (fileKind(path) === "machine"
    ? describeMachine
    : (DESCRIBED[extname(path).toLowerCase()] ?? describeAdaptation))(path, folder, files);

const DESCRIBED: Readonly<Record<string, DescribeText>> = {
  ".sa": describeAdaptation,
  ".mci": describeInterface,
  ".mbi": describeInterface,
  ".mcl": describeSpecification,
  ".hint": describeHints,
  ".yaml": describeScenario,
  ".yml": describeScenario,
};

/** As `cosimo check` does. It names no units. */
const describeMachine: DescribeText = async (path, _folder, files) => {
  const { diagnostics } = parseMachine(textOf(path, files), path);
  return { diagnostics, units: new Map() };
};

async function describeAdaptation(
  path: string,
  folder: string,
  files: Files,
): Promise<DescribedText> {
  const { adaptations, diagnostics } = await describeSaFile(path, folder, files);
  if (adaptations.length === 0)
    return { diagnostics, units: await innerUnits(path, folder, files) };
  return { diagnostics, units: new Map(adaptations.flatMap(({ inner }) => [...inner])) };
}

async function innerUnits(
  path: string,
  folder: string,
  files: Files,
): Promise<Map<string, UnitDescription>> {
  const found = new Map<string, UnitDescription>();
  const text = readAdaptationText(path, files.text).value;
  for (const { name, source } of text === undefined ? [] : innerOf(text)) {
    if (name === undefined || source === undefined) continue;
    const unit = { name: readName(name), source, place: { file: path } };
    const description = await describeInnerUnit(unit, path, folder, files);
    if (description !== undefined) found.set(unit.name, description);
  }
  return found;
}

function innerOf(text: string): readonly { readonly name?: string; readonly source?: string }[] {
  return adaptationsOf(SA.parseTree(text).value).flatMap(({ inner }) => inner);
}

/** An interface has one unit; the name does not matter. */
async function describeInterface(
  path: string,
  folder: string,
  files: Files,
): Promise<DescribedText> {
  try {
    const { value, diagnostics } = await describeInterfaceFile(path, folder, files);
    const unit =
      value?.unit ?? (value === undefined ? await namedUnit(path, folder, files) : undefined);
    return { diagnostics, units: new Map(unit === undefined ? [] : [["unit", unit]]) };
  } catch (error) {
    return { diagnostics: [unreadable(error, path)], units: new Map() };
  }
}

async function namedUnit(
  path: string,
  folder: string,
  files: Files,
): Promise<UnitDescription | undefined> {
  const { parts = [] } = MCI.parseTree(files.text(path)).value;
  for (const part of parts) {
    if (part.$type !== "UnitPath" || part.path === undefined) continue;
    const file = resolve(dirname(path), withSlashes(part.path));
    return (await describeUnitFile(file, "unit", { file: path }, folder, files)).value;
  }
  return undefined;
}

async function describeSpecification(
  path: string,
  folder: string,
  files: Files,
): Promise<DescribedText> {
  const { scenario, diagnostics } = await checkScenario(path, folder, files);
  return { diagnostics, units: loadedUnits(path, files, scenario) };
}

/** Units are described also where the scenario cannot be: each by itself. */
async function describeScenario(
  path: string,
  folder: string,
  files: Files,
): Promise<DescribedText> {
  const { scenario, diagnostics } = await checkScenario(path, folder, files);
  if (scenario !== undefined) {
    const units = scenario.units.map(({ name, description }) => [name, description] as const);
    return { diagnostics, units: new Map(units) };
  }
  const found = new Map<string, UnitDescription>();
  for (const [name, source] of unitSources(textOf(path, files))) {
    const tree = new SourceTree(files, folder);
    const unit = { name, source, values: [], place: { file: path } };
    await tree.readUnits({ ...NO_SCENARIO, file: path, units: [unit], place: unit.place });
    const description = tree.describe(unit);
    if (description !== undefined) found.set(name, description);
  }
  return { diagnostics, units: found };
}

function textOf(path: string, files: Files): string {
  try {
    return files.text(path);
  } catch (error) {
    unreadable(error, path);
    return "";
  }
}

const NO_SCENARIO: Omit<ScenarioDraft, "file" | "units" | "place"> = {
  name: "",
  connections: [],
  ports: [],
  experiment: {},
  master: { name: "", options: {}, place: { file: "" } },
  record: { patterns: [], every: 1 },
};

interface CheckedScenario {
  readonly scenario: Scenario | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** As `cosimo check` does, up to the plan. */
async function checkScenario(path: string, folder: string, files: Files): Promise<CheckedScenario> {
  const tree = new SourceTree(files, folder);
  const draft = await tree.readDraft(path);
  let scenario: Scenario | undefined;
  const more: Diagnostic[] = [];
  if (draft !== undefined) {
    await tree.readUnits(draft);
    const resolved = tree.resolve(draft);
    scenario = resolved.value;
    more.push(...resolved.diagnostics);
    if (scenario !== undefined && ![...tree.diagnostics, ...more].some(isError))
      more.push(...planRun(scenario, { stop: scenario.experiment.stop ?? 1 }).diagnostics);
  }
  return { scenario, diagnostics: [...tree.diagnostics, ...more] };
}

/** What its scenario makes of it; without one, what can be seen from the text alone. */
async function describeHints(path: string, folder: string, files: Files): Promise<DescribedText> {
  const { readHints } = await import("../../lang/hint/meaning.ts");
  const { value, diagnostics } = readHints(files.text(path), path);
  const written = HINT.parseTree(files.text(path)).value.scenario ?? "scenario.yaml";
  const scenario = resolve(dirname(path), written);
  if (!files.exists(scenario)) return { diagnostics, units: new Map() };
  const tree = new SourceTree(files, folder);
  const draft = await tree.readDraft(scenario);
  if (draft === undefined) return { diagnostics, units: new Map() };
  await tree.readUnits(draft);
  const { requirements = [], hints = [] } = value ?? {};
  const resolved = tree.resolve({ ...draft, requirements, hints });
  const ofText = resolved.diagnostics.filter(({ place }) => place.file === path);
  const units = resolved.value?.units.map((one) => [one.name, one.description] as const) ?? [];
  return { diagnostics: [...diagnostics, ...ofText], units: new Map(units) };
}

const isError = ({ severity }: Diagnostic): boolean => severity === "error";

/** Ports as the interfaces name them; what only the units know of them is added. */
function loadedUnits(
  path: string,
  files: Files,
  scenario: Scenario | undefined,
): Map<string, UnitDescription> {
  const found = new Map<string, UnitDescription>();
  for (const { path: load, name } of loadsOf(path, files)) {
    const file = resolve(dirname(path), load);
    const place = { file: path };
    const unit = unitName({ path: load, ...(name !== undefined && { name }), place });
    try {
      const { value } = parseMci(files.text(file), file);
      if (value === undefined) continue;
      const real = scenario?.units.find((one) => one.name === unit)?.description;
      const describe = (variable: string): Port | undefined => real && portNamed(real, variable);
      found.set(unit, describeUnitInterface(value, real, describe));
    } catch (error) {
      // Findings say so; completion does without.
      unreadable(error, file);
    }
  }
  return found;
}

function loadsOf(path: string, files: Files): { readonly path: string; readonly name?: string }[] {
  try {
    return MCL.parseTree(files.text(path)).value.loads.flatMap(({ path: file, name }) => {
      if (file === undefined) return [];
      return [{ path: withSlashes(file), ...(name !== undefined && { name: name }) }];
    });
  } catch (error) {
    unreadable(error, path);
    return [];
  }
}
