/**
 * FMUs, packed or unpacked: opened to be described, unpacked and loaded to be run, placed below `resources/` when what contains them is
 * exported.
 */
import { basename, extname, join } from "node:path";
import { DiagnosticsError, diagnose, unwrap } from "../../base/diagnostic.ts";
import { EXPORT_FMU_RULES } from "../../export/export-diagnostics.ts";
import type { InnerFmu } from "../../export/fmu-source.ts";
import { platformTuple } from "../../fmi/archive-contents.ts";
import type { CoSimulationInterface } from "../../fmi/description.ts";
import { isLossless } from "../../fmi/description-diagnostics.ts";
import { parseTerminals } from "../../fmi/terminals.ts";
import { toUnitDescription } from "../../fmi/to-unit-description.ts";
import { unitTerminals } from "../../fmi/unit-terminals.ts";
import type { UnitSource } from "../../model/scenario.ts";
import type { Port, Terminal, UnitDescription } from "../../model/unit-description.ts";
import { followedInputs, withFollowedInputs } from "../../platform/native/followed-inputs.ts";
import type { NativeUnitOptions } from "../../platform/native/native-options.ts";
import type { FmuFile } from "../../platform/node/fmu-file.ts";
import type { UnitUse } from "../../run/open-units.ts";
import { placeInFmu } from "../place-in-fmu.ts";
import { SCENARIO_LOAD_DIAGNOSTICS } from "../scenario-diagnostics.ts";
import type { OpenContext, ReadSource, Source } from "./source.ts";

export const readFmu: ReadSource<Extract<UnitSource, { readonly kind: "fmu" }>> = async (
  { unit, path },
  tree,
) =>
  tree.once(path, async () => {
    const { value: fmu, diagnostics } = tree.files.fmu(path);
    if (fmu === undefined || !diagnostics.every(isLossless)) {
      tree.report(...diagnostics);
      return tree.broken(unit, path, "it is not a usable FMU");
    }
    const { coSimulation } = fmu.description;
    if (coSimulation !== undefined) return fmuSource(fmu, coSimulation, path);
    const params = { unit: unit.name, path };
    return tree.report(
      diagnose(SCENARIO_LOAD_DIAGNOSTICS, "unit-no-co-simulation", params, unit.place),
    );
  });

export function fmuSource(fmu: FmuFile, coSimulation: CoSimulationInterface, path: string): Source {
  const { description } = fmu;
  const { modelIdentifier } = coSimulation;
  /** Following costs callbacks inside the step: only where slopes are given. */
  const isFollowed = ({ takesSlopes }: UnitUse): boolean =>
    takesSlopes && followedInputs(description).length > 0;
  const describe = (given: ReadonlyMap<string, number>): UnitDescription => {
    const options = { structural: structuralOf(given, fmu), file: fmu.descriptionFile };
    const described = withFollowedInputs(toUnitDescription(description, options), description);
    const terminals = terminalsOf(fmu, described.ports);
    return terminals === undefined ? described : { ...described, terminals };
  };
  return {
    path,
    describe,
    async open(use, around) {
      const folder = await unpacked(path, fmu, use, around);
      // Native code is loaded when there is something to run.
      const [{ openFollowingUnit }, { openNativeUnit }] = await Promise.all([
        import("../../platform/native/following-unit.ts"),
        import("../../platform/native/open-native-unit.ts"),
      ]);
      const open = isFollowed(use) ? openFollowingUnit : openNativeUnit;
      try {
        return open(
          { folder, description },
          {
            ...nativeOptions(around, use.name, folder, path),
            name: use.name,
            structural: use.structural,
            eventMode: use.hasEvents,
            earlyReturn: use.mayReturnEarly,
          },
        );
      } catch (error) {
        if (!(error instanceof DiagnosticsError)) throw error;
        throw new DiagnosticsError(error.diagnostics.map((d) => placeInFmu(d, folder, path)));
      }
    },
    toC(use, around) {
      const library = libraryOf(fmu, modelIdentifier);
      if (library === undefined && around.needsBinaries) {
        const machine = platformTuple(process.platform, process.arch);
        const offered = fmu.contents.platforms.map(({ folder }) => folder).join(", ") || "none";
        const params = { unit: use.name, machine, offered };
        around.report(diagnose(EXPORT_FMU_RULES, "export-inner-platform", params, use.place));
        return undefined;
      }
      const key = `${isFollowed(use)} ${JSON.stringify([...use.structural])}`;
      return around.once(fmu, key, () => {
        const described = describe(use.structural);
        const byName = new Map(described.ports.map((port) => [port.name, port.index]));
        const inner: InnerFmu = {
          version: description.major,
          folder: around.folderFor(fmu),
          modelIdentifier,
          token: description.instantiationToken,
          library: library ?? "",
          hasResources: fmu.contents.resources.length > 0,
          isAsynchronous: coSimulation.canRunAsynchronously,
          references: description.variables.map(({ valueReference }) => valueReference),
          categories: description.logCategories.map(({ name }) => name),
          structural: new Map(
            [...use.structural].map(([name, value]) => [byName.get(name) ?? -1, value]),
          ),
          followed: isFollowed(use) ? followedInputs(description) : [],
        };
        return { kind: "fmu", description: described, fmu: inner };
      });
    },
  };
}

/** Of the numbers that a unit is given, those that shape its ports. */
function structuralOf(
  given: ReadonlyMap<string, number>,
  { description }: FmuFile,
): Map<string, number> {
  const shaping = new Set(
    description.variables
      .filter(({ causality }) => causality === "structuralParameter")
      .map(({ name }) => name),
  );
  return new Map([...given].filter(([name]) => shaping.has(name)));
}

/** Terminals let a scenario connect whole groups of ports; most FMUs have none. */
function terminalsOf(fmu: FmuFile, ports: readonly Port[]): readonly Terminal[] | undefined {
  const { terminalsAndIcons } = fmu.contents;
  const text = terminalsAndIcons === undefined ? undefined : fmu.readText(terminalsAndIcons);
  const parsed = text === undefined ? undefined : parseTerminals(text, terminalsAndIcons).value;
  return parsed && unitTerminals(parsed, ports);
}

/** Findings about an FMU name the file that the scenario names. */
function nativeOptions(
  { native }: OpenContext,
  name: string,
  folder: string,
  path: string,
): NativeUnitOptions {
  const { onDiagnostic, ...options } = native(name);
  if (onDiagnostic === undefined) return options;
  return { ...options, onDiagnostic: (d) => onDiagnostic(placeInFmu(d, folder, path)) };
}

/** One folder per FMU file and owner: instances of one FMU share its library, as the standards foresee, unless the caller wants copies. */
const folders = new Map<string, Promise<string>>();

/** Of an FMU that may exist once there is one library, so that a second instance does not go unnoticed. */
function unpacked(
  path: string,
  { description, extract }: FmuFile,
  { name }: UnitUse,
  { folder: parent, ownLibraries }: OpenContext,
): Promise<string> {
  const isOnlyOne = description.coSimulation?.canBeInstantiatedOnlyOncePerProcess === true;
  const key = `${parent}\n${path}\n${ownLibraries === true && !isOnlyOne ? name : ""}`;
  let folder = folders.get(key);
  if (folder === undefined) {
    folder = extract(join(parent, `fmu-${folders.size}`)).then(unwrap);
    folders.set(key, folder);
  }
  return folder;
}

/** The FMU's library for this machine, as a path inside of it. */
function libraryOf({ contents }: FmuFile, name: string): string | undefined {
  const tuple = platformTuple(process.platform, process.arch);
  const libraries = contents.platforms
    .filter(({ platform }) => platform === tuple)
    .flatMap((folder) => folder.libraries);
  return libraries.find((path) => basename(path, extname(path)) === name) ?? libraries[0];
}
