/**
 * What is found in a text, and what is known of the units that it names: one row per language. Findings are those of the command that checks
 * such texts; units are described also where the rest of the text cannot be read, because that is when an author needs their ports.
 */
import { dirname, extname, resolve } from "node:path";
import type { Diagnostic } from "../../base/diagnostic.ts";
import { MCI } from "../../lang/mci/language.ts";
import { parseMci } from "../../lang/mci/parse-mci.ts";
import { MCL } from "../../lang/mcl/language.ts";
import { unitName } from "../../lang/mcl/specification.ts";
import { readName } from "../../lang/sa/names.ts";
import { SA } from "../../lang/sa/services.ts";
import { describeUnitInterface } from "../../model/describe-unit-interface.ts";
import type { Scenario } from "../../model/scenario.ts";
import { type Port, portNamed, type UnitDescription } from "../../model/unit-description.ts";
import { planRun } from "../../run/plan-run.ts";
import { readAdaptationText } from "../adaptation-text.ts";
import { describeInterfaceFile, describeUnitFile, unreadable } from "../describe-interface.ts";
import { describeAdaptationFile, describeInnerUnit } from "../load-adaptation.ts";
import type { Files } from "../sources/files.ts";
import { SourceTree } from "../sources/tree.ts";

export interface DescribedText {
  readonly diagnostics: readonly Diagnostic[];
  readonly units: ReadonlyMap<string, UnitDescription>;
}

type DescribeText = (path: string, folder: string, files: Files) => Promise<DescribedText>;

export const describeText: DescribeText = (path, folder, files) =>
  (DESCRIBED[extname(path).toLowerCase()] ?? describeAdaptation)(path, folder, files);

const DESCRIBED: Readonly<Record<string, DescribeText>> = {
  ".sa": describeAdaptation,
  ".mci": describeInterface,
  ".mbi": describeInterface,
  ".mcl": describeSpecification,
};

async function describeAdaptation(
  path: string,
  folder: string,
  files: Files,
): Promise<DescribedText> {
  const { value, diagnostics } = await describeAdaptationFile(path, folder, files);
  return { diagnostics, units: value?.inner ?? (await innerUnits(path, folder, files)) };
}

async function innerUnits(
  path: string,
  folder: string,
  files: Files,
): Promise<Map<string, UnitDescription>> {
  const found = new Map<string, UnitDescription>();
  const text = readAdaptationText(path, files.text).value;
  for (const { name, source } of text === undefined ? [] : SA.parseTree(text).value.inner) {
    if (name === undefined || source === undefined) continue;
    const unit = { name: readName(name), source, place: { file: path } };
    const description = await describeInnerUnit(unit, path, folder, files);
    if (description !== undefined) found.set(unit.name, description);
  }
  return found;
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
    const file = resolve(dirname(path), part.path);
    return (await describeUnitFile(file, "unit", { file: path }, folder, files)).value;
  }
  return undefined;
}

/** As `cosimo check` does, up to the plan. */
async function describeSpecification(
  path: string,
  folder: string,
  files: Files,
): Promise<DescribedText> {
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
  return {
    diagnostics: [...tree.diagnostics, ...more],
    units: loadedUnits(path, files, scenario),
  };
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
      return [{ path: file, ...(name !== undefined && { name: name }) }];
    });
  } catch (error) {
    unreadable(error, path);
    return [];
  }
}
