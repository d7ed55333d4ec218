/**
 * Makes the units of a resolved scenario: native instances of its FMUs, units from modules, nested scenarios.
 */
import { dirname, join, resolve } from "node:path";
import { adaptedUnit } from "../adapt/adapted-unit.ts";
import { passingUnit } from "../adapt/passing-unit.ts";
import { unwrap } from "../base/diagnostic.ts";
import { UnitError } from "../base/outcome.ts";
import { openNestedUnit } from "../engine/open-nested.ts";
import { describeScenario } from "../model/resolve-scenario-nested.ts";
import type { Scenario, ScenarioUnit } from "../model/scenario.ts";
import { communicationStep, type Plan } from "../plan/plan.ts";
import { followedInputs } from "../platform/native/followed-inputs.ts";
import { openFollowingUnit } from "../platform/native/following-unit.ts";
import type { NativeUnitOptions } from "../platform/native/native-options.ts";
import { openNativeUnit } from "../platform/native/open-native-unit.ts";
import type { FmuFile } from "../platform/node/fmu-file.ts";
import type { Unit } from "../unit/unit.ts";
import type { LoadedAdaptation, LoadedInner } from "./load-adaptation.ts";
import type { LoadedSource } from "./load-scenario.ts";
import { placeInFmu } from "./place-in-fmu.ts";
import { loadedKey } from "./source-key.ts";

export interface OpenUnitsOptions {
  readonly sources: ReadonlyMap<string, LoadedSource>;
  /** Folder for unpacked FMUs. */
  readonly folder: string;
  readonly start: number;
  /** Every instance gets a copy of its library, so that instances of one FMU have nothing in common. */
  readonly ownLibraries?: boolean;
  /** Options of a native instance, by its full name (`outer.inner` inside nested scenarios). */
  readonly native: (name: string) => NativeUnitOptions;
}

/** Everything opened so far is disposed when one of them fails. */
export async function openUnits(
  scenario: Scenario,
  plan: Plan,
  options: OpenUnitsOptions,
  prefix = "",
): Promise<Unit[]> {
  const units: Unit[] = [];
  try {
    for (const [u, unit] of scenario.units.entries()) {
      const step = communicationStep(plan, u);
      const isFollowed =
        unit.description.backend === "fmi3" && plan.slopes.some((group) => group.unit === u);
      // A nested scenario takes the steps that it is given, without events of its own.
      const hasEvents = prefix === "" && plan.coupling?.stages[u]?.eventMode === true;
      const isMet = plan.coupling?.settings.eventMode === true && scenario.units.every(canGoBack);
      const mayReturnEarly = hasEvents || (prefix === "" && isMet);
      const how = { step, isFollowed, hasEvents, mayReturnEarly };
      units.push(await openUnit(scenario, unit, how, options, `${prefix}${unit.name}`));
    }
    return units;
  } catch (error) {
    for (const unit of units) unit.dispose();
    throw error;
  }
}

const canGoBack = ({ description }: ScenarioUnit): boolean => description.capabilities.rollback;

interface HowToOpen {
  readonly step: number;
  /** It takes slopes by intermediate updates. */
  readonly isFollowed: boolean;
  readonly hasEvents: boolean;
  /** It stops where something happens: with event mode, or where all others can go back to meet it. */
  readonly mayReturnEarly: boolean;
}

async function openUnit(
  scenario: Scenario,
  unit: ScenarioUnit,
  { step, isFollowed, hasEvents, mayReturnEarly }: HowToOpen,
  options: OpenUnitsOptions,
  name: string,
): Promise<Unit> {
  if (unit.scenario) {
    const inside = (inner: Scenario, plan: Plan) => openUnits(inner, plan, options, `${name}.`);
    return openNestedUnit(name, unit, { step, start: options.start }, inside);
  }
  if (unit.source.kind === "scenario" || unit.source.kind === "scenario-file") {
    throw new Error(`internal: '${name}' has no source`);
  }
  const source = options.sources.get(loadedKey(scenario.file, unit))!;
  if (source.kind === "module") return guarded(source.make(name));
  const structural = structuralValues(unit);
  if (source.kind === "adaptation") return openAdaptation(source, options, name, structural);
  const path = "path" in unit.source ? resolve(dirname(scenario.file), unit.source.path) : "";
  const folder = await folderOf(path, source.fmu, options, name);
  // Following costs callbacks inside the step: only where the plan gives slopes.
  const open = isFollowed ? openFollowingUnit : openNativeUnit;
  return open(
    { folder, description: source.fmu.description },
    {
      ...nativeOptions(options, name, folder, path),
      name,
      structural,
      eventMode: hasEvents,
      earlyReturn: mayReturnEarly,
    },
  );
}

/** What is odd about an FMU is told of the file that the scenario names. */
function nativeOptions(
  options: OpenUnitsOptions,
  name: string,
  folder: string,
  path: string,
): NativeUnitOptions {
  const { onDiagnostic, ...native } = options.native(name);
  if (onDiagnostic === undefined) return native;
  return { ...native, onDiagnostic: (d) => onDiagnostic(placeInFmu(d, folder, path)) };
}

/** Structural parameters by name: they shape a unit when it is made. */
type Structural = ReadonlyMap<string, number>;

function structuralValues({ values: all, description: { ports } }: ScenarioUnit): Structural {
  return new Map(
    all
      .filter(({ port }) => ports[port]!.direction === "structural-parameter")
      .map(({ port, values }) => [ports[port]!.name, Number(values[0])]),
  );
}

/** Its inner units take the steps that rules ask for, without events of their own. */
async function openAdaptation(
  { adaptation, inner, passing }: LoadedAdaptation,
  options: OpenUnitsOptions,
  name: string,
  structural: Structural,
): Promise<Unit> {
  const units = new Map<string, Unit>();
  try {
    for (const [key, { path, source }] of inner) {
      const inside = (passing?.ports ?? []).flatMap(({ own, unit, portName }) => {
        const value = structural.get(passing!.description.ports[own]!.name);
        return unit === key && value !== undefined ? [[portName, value] as const] : [];
      });
      const full = `${name}.${key}`;
      units.set(key, await openInner(path, source, options, full, new Map(inside)));
    }
    const unit = adaptedUnit(name, adaptation, units);
    return passing === undefined ? unit : passingUnit(unit, units, passing);
  } catch (error) {
    for (const unit of units.values()) unit.dispose();
    throw error;
  }
}

async function openInner(
  path: string,
  source: LoadedInner["source"],
  options: OpenUnitsOptions,
  name: string,
  structural: Structural,
): Promise<Unit> {
  if (source.kind === "module") return guarded(source.make(name));
  if (source.kind === "adaptation") return openAdaptation(source, options, name, structural);
  if (source.kind === "scenario") return openInnerScenario(source.scenario, options, name);
  const folder = await folderOf(path, source.fmu, options, name);
  const isFollowed = followedInputs(source.fmu.description).length > 0;
  const open = isFollowed ? openFollowingUnit : openNativeUnit;
  return open(
    { folder, description: source.fmu.description },
    {
      ...nativeOptions(options, name, folder, path),
      name,
      structural,
      eventMode: false,
      earlyReturn: false,
    },
  );
}

function openInnerScenario(
  scenario: Scenario,
  options: OpenUnitsOptions,
  name: string,
): Promise<Unit> {
  const unit: ScenarioUnit = {
    name,
    source: { kind: "scenario-file", path: scenario.file },
    description: describeScenario(scenario),
    scenario,
    values: [],
    place: { file: scenario.file },
  };
  const at = { step: scenario.experiment.step!, start: options.start };
  const inside = (inner: Scenario, plan: Plan) => openUnits(inner, plan, options, `${name}.`);
  return openNestedUnit(name, unit, at, inside);
}

/** Of an FMU that may exist once there is one library, so that nobody makes a second instance unnoticed. */
function folderOf(
  path: string,
  fmu: FmuFile,
  options: OpenUnitsOptions,
  name: string,
): Promise<string> {
  const isOnlyOne = fmu.description.coSimulation?.canBeInstantiatedOnlyOncePerProcess;
  const owner = options.ownLibraries === true && isOnlyOne !== true ? name : "";
  return unpacked(path, fmu.extract, options.folder, owner);
}

const GUARDED = [
  "enterInitialization",
  "exitInitialization",
  "advance",
  "read",
  "write",
  "directionalDerivative",
] as const;

/** An exception out of somebody's module is that unit's failure, with its words, not ours. */
function guarded(unit: Unit): Unit {
  let time = 0;
  for (const call of GUARDED) {
    const original = (unit[call] as (...args: unknown[]) => unknown).bind(unit);
    const guard = (...args: unknown[]): unknown => {
      if (call === "advance") time = args[0] as number;
      try {
        return original(...args);
      } catch (error) {
        if (error instanceof UnitError || !(error instanceof Error)) throw error;
        const log = (error.stack ?? "")
          .split("\n")
          .slice(1, 4)
          .map((line) => line.trim());
        throw new UnitError({
          unit: unit.name,
          call,
          status: `${error.name}: ${error.message}`,
          time,
          log,
        });
      }
    };
    Object.defineProperty(unit, call, { value: guard });
  }
  return unit;
}

/** One folder per FMU file and owner: instances of one FMU share its library, as the standards foresee, unless told otherwise. */
const folders = new Map<string, Promise<string>>();

function unpacked(
  path: string,
  extract: (target: string) => Promise<Parameters<typeof unwrap<string>>[0]>,
  parent: string,
  owner: string,
): Promise<string> {
  const key = `${parent}\n${path}\n${owner}`;
  let folder = folders.get(key);
  if (folder === undefined) {
    folder = extract(join(parent, `fmu-${folders.size}`)).then(unwrap);
    folders.set(key, folder);
  }
  return folder;
}
