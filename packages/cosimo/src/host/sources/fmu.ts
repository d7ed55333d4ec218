/**
 * FMUs, packed or unpacked: opened to be described, unpacked and loaded to be run, placed below
 * `resources/` when what contains them is exported.
 */
import { basename, extname, join } from "node:path";
import { DiagnosticsError, diagnose, unwrap } from "../../base/diagnostic.ts";
import { present } from "../../base/present.ts";
import { integratingDescription } from "../../exchange/integrating-description.ts";
import { EXPORT_FMU_RULES } from "../../export/export-diagnostics.ts";
import type { InnerFmu } from "../../export/fmu-source.ts";
import type { ExportVersion } from "../../export/versions.ts";
import { platformTuple } from "../../fmi/archive-contents.ts";
import type { CoSimulationInterface, FmuDescription } from "../../fmi/description.ts";
import { isLossless } from "../../fmi/description-diagnostics.ts";
import { odeStructure } from "../../fmi/ode-structure.ts";
import { parseTerminals } from "../../fmi/terminals.ts";
import { toUnitDescription } from "../../fmi/to-unit-description.ts";
import { unitTerminals } from "../../fmi/unit-terminals.ts";
import { type FmiMajor, fmiVersion } from "../../fmi/versions/table.ts";
import {
  chooseInterface,
  FMI_INTERFACES,
  type FmiInterfaceName,
  type FmuChoice,
  INTERFACE_TITLES,
  type IntegratorOptions,
} from "../../model/integrator.ts";
import type { UnitSource } from "../../model/scenario.ts";
import type { UnitDescription } from "../../model/unit-description.ts";
import { followedInputs, withFollowedInputs } from "../../platform/native/followed-inputs.ts";
import type { NativeUnitOptions } from "../../platform/native/native-options.ts";
import type { FmuFile } from "../../platform/node/fmu-file.ts";
import type { UnitUse } from "../../run/open-units.ts";
import { placeInFmu } from "../place-in-fmu.ts";
import { SCENARIO_LOAD_DIAGNOSTICS } from "../scenario-diagnostics.ts";
import type { OpenContext, ReadSource, Source } from "./source.ts";

export const readFmu: ReadSource<Extract<UnitSource, { readonly kind: "fmu" }>> = async (
  { unit, source, path },
  tree,
) => {
  const { interface: wanted, integrator, prefers } = source;
  const choice = { ...present({ interface: wanted, integrator, prefers }) };
  const shownAs = tree.shownPath(path);
  const made = await tree.once(`${path}\n${JSON.stringify(choice)}`, async () => {
    const { value: fmu, diagnostics } = tree.files.fmu(path);
    if (fmu === undefined || !diagnostics.every(isLossless)) {
      tree.report(...diagnostics);
      return tree.broken(unit, path, "it is not a usable FMU");
    }
    const found = fmuSource(fmu, path, choice, shownAs);
    if (found !== undefined) return found;
    const offers = interfacesText(fmu.description);
    const params = { unit: unit.name, path, offers, wanted: wantedText(choice) };
    return tree.report(
      diagnose(SCENARIO_LOAD_DIAGNOSTICS, "unit-no-co-simulation", params, unit.place),
    );
  });
  const used = made?.drivenAs;
  if (used !== undefined && prefers !== undefined && prefers !== used) {
    const params = { unit: unit.name, wanted: prefers, used };
    tree.report(diagnose(SCENARIO_LOAD_DIAGNOSTICS, "unit-other-interface", params, unit.place));
  }
  return made;
};

/** The interfaces of an FMU that can be driven. */
function interfacesOf(description: FmuDescription): FmiInterfaceName[] {
  const isDriven = fmiVersion(description).exchangeBackend !== undefined;
  const offered = {
    "co-simulation": description.coSimulation,
    "model-exchange": isDriven ? description.modelExchange : undefined,
    "scheduled-execution": description.scheduledExecution,
  };
  return FMI_INTERFACES.filter((name) => offered[name] !== undefined);
}

/** "Model Exchange and Scheduled Execution": for messages. */
export function interfacesText(description: FmuDescription): string {
  const names = interfacesOf(description).map((name) => INTERFACE_TITLES[name]);
  const { fmiVersion: version, modelExchange } = description;
  if (modelExchange !== undefined && fmiVersion(description).exchangeBackend === undefined)
    names.push(`Model Exchange of FMI ${version}, which Cosimo does not drive`);
  return names.join(" and ") || "no interface";
}

/** What was wanted of an FMU that does not offer it. */
export function wantedText({ interface: name, integrator }: FmuChoice): string {
  if (name === undefined && integrator === undefined)
    return Object.values(INTERFACE_TITLES).join(" or ");
  return INTERFACE_TITLES[name ?? "model-exchange"];
}

/**
 * @param shownAs what messages call it. @returns undefined: the FMU does not offer the interface
 * that is wanted.
 */
export function fmuSource(
  fmu: FmuFile,
  path: string,
  choice: FmuChoice,
  shownAs: string = path,
): Source | undefined {
  const { coSimulation } = fmu.description;
  const chosen = chooseInterface(interfacesOf(fmu.description), choice);
  if (chosen === "model-exchange")
    return exchangeSource(fmu, path, choice.integrator ?? {}, shownAs);
  if (chosen === "scheduled-execution") return scheduledSource(fmu, path, shownAs);
  return chosen && coSimulation && steppingSource(fmu, coSimulation, path, shownAs);
}

/** Model Exchange: the equations of the FMU, and an integrator of ours. */
function exchangeSource(
  fmu: FmuFile,
  path: string,
  integrator: IntegratorOptions,
  shownAs: string,
): Source {
  const { description } = fmu;
  const describeEquations = perStructure(fmu, "equations", (structural) =>
    toUnitDescription(description, {
      structural,
      file: fmu.descriptionFile,
      interface: "model-exchange",
    }),
  );
  return {
    path,
    drivenAs: "model-exchange",
    describeEquations,
    async openEquations(use, around) {
      const folder = await unpacked(path, fmu, use, around);
      const { openExchangeModel } = await import("../../platform/native/open-exchange-unit.ts");
      const { name, structural } = use;
      const options = { ...nativeOptions(around, name, folder, shownAs), name, structural };
      return placingErrors(folder, shownAs, () =>
        openExchangeModel({ folder, description }, options),
      );
    },
    describe: perStructure(fmu, "model-exchange", (structural) => {
      const model = describeEquations(structural);
      return withTerminals(integratingDescription(model, odeStructure(description, model)), fmu);
    }),
    async open(use, around) {
      const folder = await unpacked(path, fmu, use, around);
      const { openExchangeUnit } = await import("../../platform/native/open-exchange-unit.ts");
      const { name, structural, hasEvents: eventMode } = use;
      const native = nativeOptions(around, name, folder, shownAs);
      const options = { ...native, name, structural, eventMode };
      return placingErrors(folder, shownAs, () =>
        openExchangeUnit({ folder, description }, options, integrator),
      );
    },
    toC(use, around) {
      const params = { unit: use.name, path: basename(path) };
      around.report(diagnose(EXPORT_FMU_RULES, "export-model-exchange", params, use.place));
      return undefined;
    },
  };
}

/** Scheduled Execution: partitions that the engine's clocks activate. */
function scheduledSource(fmu: FmuFile, path: string, shownAs: string): Source {
  const { description } = fmu;
  return {
    path,
    drivenAs: "scheduled-execution",
    describe: perStructure(fmu, "scheduled-execution", (structural) => {
      const { descriptionFile: file } = fmu;
      const options = { structural, file, interface: "scheduled-execution" } as const;
      return withTerminals(toUnitDescription(description, options), fmu);
    }),
    async open({ name, structural, ...use }, around) {
      const folder = await unpacked(path, fmu, { ...use, name, structural }, around);
      const { openScheduledUnit } = await import("../../platform/native/open-native-unit.ts");
      const options = { ...nativeOptions(around, name, folder, shownAs), name, structural };
      return placingErrors(folder, shownAs, () =>
        openScheduledUnit({ folder, description }, options),
      );
    },
    toC(use, around) {
      const params = { unit: use.name, path: basename(path) };
      around.report(diagnose(EXPORT_FMU_RULES, "export-scheduled-execution", params, use.place));
      return undefined;
    },
  };
}

/** What is wrong with an unpacked FMU is wrong with the file that it was packed in. */
function placingErrors<T>(folder: string, path: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof DiagnosticsError)) throw error;
    throw new DiagnosticsError(error.diagnostics.map((d) => placeInFmu(d, folder, path)));
  }
}

function steppingSource(
  fmu: FmuFile,
  coSimulation: CoSimulationInterface,
  path: string,
  shownAs: string,
): Source {
  const { description } = fmu;
  const { modelIdentifier } = coSimulation;
  /** Following costs callbacks inside the step: only where slopes are given. */
  const isFollowed = ({ takesSlopes }: UnitUse): boolean =>
    takesSlopes && followedInputs(description).length > 0;
  const describe = perStructure(fmu, "co-simulation", (structural) => {
    const described = toUnitDescription(description, { structural, file: fmu.descriptionFile });
    return withTerminals(withFollowedInputs(described, description), fmu);
  });
  return {
    path,
    drivenAs: "co-simulation",
    describe,
    async open(use, around) {
      const folder = await unpacked(path, fmu, use, around);
      // Native code is loaded when there is something to run.
      const [{ openFollowingUnit }, { openNativeUnit }] = await Promise.all([
        import("../../platform/native/following-unit.ts"),
        import("../../platform/native/open-native-unit.ts"),
      ]);
      const open = isFollowed(use) ? openFollowingUnit : openNativeUnit;
      return placingErrors(folder, shownAs, () =>
        open(
          { folder, description },
          {
            ...nativeOptions(around, use.name, folder, shownAs),
            name: use.name,
            structural: use.structural,
            eventMode: use.hasEvents,
            earlyReturn: use.mayReturnEarly,
          },
        ),
      );
    },
    toC(use, around) {
      const version = EXPORTABLE[description.major];
      if (version === undefined) {
        const params = { unit: use.name, version: description.fmiVersion };
        around.report(diagnose(EXPORT_FMU_RULES, "export-inner-version", params, use.place));
        return undefined;
      }
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
          version,
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

/** Versions that the C code of exported FMUs can drive. */
const EXPORTABLE: Readonly<Partial<Record<FmiMajor, ExportVersion>>> = { 2: 2, 3: 3 };

/** Descriptions of FMUs, by what they describe and what shapes their ports. */
const descriptions = new WeakMap<FmuFile, Map<string, UnitDescription>>();

/**
 * Descriptions by the numbers that shape ports, of all that a unit is given: units that agree in
 * these share one, and with it everything that is derived from it; so do scenarios that are read
 * from one opened file.
 */
function perStructure(
  fmu: FmuFile,
  of: FmiInterfaceName | "equations",
  describe: (structural: ReadonlyMap<string, number>) => UnitDescription,
): (given: ReadonlyMap<string, number>) => UnitDescription {
  const shaping = new Set(
    fmu.description.variables
      .filter(({ causality }) => causality === "structuralParameter")
      .map(({ name }) => name),
  );
  const known = descriptions.get(fmu) ?? new Map<string, UnitDescription>();
  descriptions.set(fmu, known);
  return (given) => {
    const structural = [...given].filter(([name]) => shaping.has(name));
    const key = [of, ...structural.map(([name, value]) => `${name}\n${value}`)].join("\n");
    const found = known.get(key) ?? describe(new Map(structural));
    known.set(key, found);
    return found;
  };
}

/** Terminals let a scenario connect whole groups of ports; most FMUs have none. */
function withTerminals(described: UnitDescription, fmu: FmuFile): UnitDescription {
  const { terminalsAndIcons } = fmu.contents;
  const text = terminalsAndIcons === undefined ? undefined : fmu.readText(terminalsAndIcons);
  const parsed = text === undefined ? undefined : parseTerminals(text, terminalsAndIcons).value;
  if (parsed === undefined) return described;
  return { ...described, terminals: unitTerminals(parsed, described.ports) };
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

/**
 * One folder per FMU file and owner: instances of one FMU share its library, as the standards
 * foresee, unless the caller wants copies.
 */
const folders = new Map<string, Promise<string>>();

/**
 * Of an FMU that may exist once there is one library, so that a second instance does not go
 * unnoticed.
 */
function unpacked(
  path: string,
  { description, extract }: FmuFile,
  { name }: UnitUse,
  { folder: parent, ownLibraries }: OpenContext,
): Promise<string> {
  const { coSimulation, modelExchange, scheduledExecution } = description;
  const isOnlyOne = [coSimulation, modelExchange, scheduledExecution].some(
    (offered) => offered?.canBeInstantiatedOnlyOncePerProcess === true,
  );
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
