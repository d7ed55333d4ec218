/**
 * From an unpacked FMU to a living instance: the one door to native code for all other zones.
 */
import { basename } from "node:path";
import type { LibraryHandle } from "koffi";
import { type Diagnostic, DiagnosticsError, diagnose } from "../../base/diagnostic.ts";
import type { CoSimulationInterface, FmuDescription, FmuInterface } from "../../fmi/description.ts";
import { tooManyElements } from "../../fmi/description-diagnostics.ts";
import { toUnitDescription } from "../../fmi/to-unit-description.ts";
import { FMI_INTERFACES, type FmiInterfaceName } from "../../model/integrator.ts";
import { portNamed, type UnitDescription } from "../../model/unit-description.ts";
import { ScheduledUnit } from "../../unit/scheduled-unit.ts";
import type { Unit } from "../../unit/unit.ts";
import { type Binary, loadBinary, locateBinary, sharedSymbolsOf } from "./binary.ts";
import { LOADING_ID } from "./call-names.ts";
import { missingSymbols } from "./calls.ts";
import { noteLibrary } from "./closes-files.ts";
import { diagnoseFloatChange } from "./float-diagnostic.ts";
import { versionOf } from "./fmi-version.ts";
import { Fmi1ExchangeUnit } from "./fmi1-exchange-unit.ts";
import { Fmi1Unit } from "./fmi1-unit.ts";
import { Fmi2Unit } from "./fmi2-unit.ts";
import { Fmi3Unit } from "./fmi3-unit.ts";
import { withFollowedInputs } from "./followed-inputs.ts";
import { symbolsOf } from "./library-symbols.ts";
import { NATIVE_DIAGNOSTICS } from "./native-diagnostics.ts";
import type { NativeFmu, NativeUnitOptions } from "./native-options.ts";

/** The unit of each FMI version and interface. */
const UNITS = {
  1: { "co-simulation": Fmi1Unit, "model-exchange": Fmi1ExchangeUnit },
  2: { "co-simulation": Fmi2Unit, "model-exchange": Fmi2Unit },
  3: { "co-simulation": Fmi3Unit, "model-exchange": Fmi3Unit },
} as const;

export type NativeInstance = Fmi1Unit | Fmi1ExchangeUnit | Fmi2Unit | Fmi3Unit;

/**
 * By folder and model identifier: binaries that were loaded, and stay so whatever becomes of their
 * folders.
 */
const loaded = new Map<string, Binary>();

/** Libraries of which an instance lives that must be the only one. */
const taken = new Set<string>();

/**
 * Makes an instance of the FMU in `fmu.folder`, in phase `instantiated`.
 *
 * An FMI 3 FMU runs with event mode if it has it, and then may return early, unless the options say
 * otherwise; the unit's own `description.capabilities` show what was agreed.
 * @throws DiagnosticsError when the FMU cannot run here; UnitError, with the FMU's log, when it
 * refuses to.
 */
export function openNativeUnit(fmu: NativeFmu, options: NativeUnitOptions = {}): Unit {
  const coSimulation = interfaceOf(fmu, "co-simulation") as CoSimulationInterface;
  return openInstance(fmu, "co-simulation", options, (described) => {
    const agreed = agree(described, coSimulation, options);
    return options.follow ? withFollowedInputs(agreed, fmu.description) : agreed;
  });
}

/**
 * The same of the interface for Model Exchange: an instance without `advance` (native-ode.ts drives
 * its equations).
 * @throws as `openNativeUnit`.
 */
export function openExchangeInstance(
  fmu: NativeFmu,
  options: NativeUnitOptions = {},
): NativeInstance {
  return openInstance(fmu, "model-exchange", options, (described) => described);
}

/**
 * The interface for Scheduled Execution: partitions that clocks activate, as a unit with event
 * mode.
 * @throws as `openNativeUnit`.
 */
export function openScheduledUnit(fmu: NativeFmu, options: NativeUnitOptions = {}): Unit {
  let description: UnitDescription | undefined;
  const instance = openInstance(fmu, "scheduled-execution", options, (described) => {
    description = described;
    // The instance itself knows no event mode: its partitions are activated in one mode.
    return { ...described, capabilities: { ...described.capabilities, eventMode: false } };
  });
  return new ScheduledUnit(instance as Fmi3Unit, description ?? instance.description);
}

function openInstance(
  fmu: NativeFmu,
  kind: FmiInterfaceName,
  options: NativeUnitOptions,
  agreeOn: (described: UnitDescription) => UnitDescription,
): NativeInstance {
  const { description } = fmu;
  const { modelIdentifier } = interfaceOf(fmu, kind);
  const binaryKey = `${fmu.folder}\n${modelIdentifier}`;
  const { file, notes } = loaded.get(binaryKey) ?? binaryOf(fmu, kind);
  for (const note of notes) options.onDiagnostic?.(note);
  const unit = options.name ?? description.modelName;
  const version = versionOf(description);
  const library = symbolsOf(loadNamed(file, unit, options), version, modelIdentifier);
  loaded.set(binaryKey, { file, notes });
  const names = missingSymbols(library, essentialCalls(fmu, kind));
  if (names.length > 0) {
    const problem = { unit, library: basename(file), names };
    throw new DiagnosticsError([
      diagnose(NATIVE_DIAGNOSTICS, "binary-symbols-missing", problem, { file }),
    ]);
  }
  const shared = sharedSymbolsOf(file);
  if (shared.length > 0) {
    const problem = { unit, library: basename(file), names: shared };
    options.onDiagnostic?.(
      diagnose(NATIVE_DIAGNOSTICS, "binary-symbols-shared", problem, { file }),
    );
  }
  const agreed = agreeOn(describedAs(description, kind, options.structural));
  checkStructural(agreed, options);
  const excess = tooManyElements(agreed, { file: description.modelName });
  if (excess !== undefined) throw new DiagnosticsError([excess]);
  const once = interfaceOf(fmu, kind).canBeInstantiatedOnlyOncePerProcess;
  if (once && taken.has(file)) {
    const model = description.modelName;
    throw new DiagnosticsError([
      diagnose(NATIVE_DIAGNOSTICS, "binary-only-one-instance", { model }, { file }),
    ]);
  }
  const onDispose = (): void => {
    taken.delete(file);
  };
  const instance = new (kind === "scheduled-execution" ? Fmi3Unit : UNITS[description.major][kind])(
    { library, file, fmu, description: agreed, interface: kind, onDispose },
    options,
  );
  if (once) taken.add(file);
  return instance.open();
}

/** Instances of one FMU share their description, unless they have sizes of their own. */
const described = new WeakMap<FmuDescription, Map<FmiInterfaceName, UnitDescription>>();

function describedAs(
  fmu: FmuDescription,
  kind: FmiInterfaceName,
  structural: NativeUnitOptions["structural"],
): UnitDescription {
  if (structural !== undefined && structural.size > 0)
    return toUnitDescription(fmu, { interface: kind, structural });
  const byKind = described.get(fmu) ?? new Map<FmiInterfaceName, UnitDescription>();
  const description = byKind.get(kind) ?? toUnitDescription(fmu, { interface: kind });
  described.set(fmu, byKind.set(kind, description));
  return description;
}

/** Loads it as a call of `unit`: constructors crash, hang and end the process as any call does. */
function loadNamed(file: string, unit: string, options: NativeUnitOptions): LibraryHandle {
  const { lastCall = new Int32Array(1), onDiagnostic } = options;
  noteLibrary(lastCall, file);
  options.onLibrary?.(file);
  lastCall[0] = LOADING_ID;
  try {
    return loadBinary(file, (found) =>
      onDiagnostic?.(diagnoseFloatChange(unit, "while its library was loaded", found, file)),
    );
  } finally {
    lastCall[0] = 0;
  }
}

/** Where the binary is, and what is odd about it. */
export function binaryOf(fmu: NativeFmu, kind: FmiInterfaceName = preferredInterface(fmu)): Binary {
  const { modelIdentifier } = interfaceOf(fmu, kind);
  return locateBinary(fmu.folder, versionOf(fmu.description), modelIdentifier);
}

/** The first that is offered. */
function preferredInterface({ description }: NativeFmu): FmiInterfaceName {
  return FMI_INTERFACES.find((name) => offered(description, name)) ?? FMI_INTERFACES[0];
}

function offered(
  { coSimulation, modelExchange, scheduledExecution }: FmuDescription,
  kind: FmiInterfaceName,
): FmuInterface | undefined {
  return {
    "co-simulation": coSimulation,
    "model-exchange": modelExchange,
    "scheduled-execution": scheduledExecution,
  }[kind];
}

/** Without which no run comes to its end. */
function essentialCalls({ description }: NativeFmu, kind: FmiInterfaceName): readonly string[] {
  const version = versionOf(description);
  if (kind === "co-simulation") return version.essentialCalls;
  const { step, instantiate } = version.names;
  const common = version.essentialCalls.filter((call) => call !== step && call !== instantiate);
  if (kind === "scheduled-execution")
    return [...common, "fmi3InstantiateScheduledExecution", "fmi3ActivateModelPartition"];
  // What only some FMUs need is asked for where it is needed, and typical sizes of states have a
  // default.
  const { exchange } = version;
  const hasStates =
    (description.numberOfContinuousStates ?? description.structure.derivatives.length) > 0;
  return [
    ...version.essentialCalls.filter((call) => call !== step && !call.endsWith("CoSimulation")),
    ...[
      exchange?.enterEventMode,
      exchange?.enterContinuousTime,
      exchange?.updateDiscreteStates,
      exchange?.setTime,
      ...(hasStates ? [exchange?.setStates, exchange?.getStates, exchange?.derivatives] : []),
    ].filter((call) => call !== undefined),
  ];
}

function interfaceOf({ description, folder }: NativeFmu, kind: FmiInterfaceName): FmuInterface {
  const found = offered(description, kind);
  if (found !== undefined) return found;
  const params = { model: description.modelName, interface: kind };
  const problem: Diagnostic = diagnose(NATIVE_DIAGNOSTICS, "binary-no-co-simulation", params, {
    file: folder,
  });
  throw new DiagnosticsError([problem]);
}

/** What the FMU can do, less what the caller does not want. */
function agree(
  description: UnitDescription,
  {
    hasEventMode,
    mightReturnEarlyFromDoStep,
    canReturnEarlyAfterIntermediateUpdate,
  }: CoSimulationInterface,
  options: NativeUnitOptions,
): UnitDescription {
  const eventMode = hasEventMode && options.eventMode !== false;
  const canReturnEarly =
    mightReturnEarlyFromDoStep || canReturnEarlyAfterIntermediateUpdate || eventMode;
  const earlyReturn = canReturnEarly && (options.earlyReturn ?? eventMode);
  const predicates = description.capabilities.predicates.filter(
    (kind) => kind !== "event" || eventMode || earlyReturn,
  );
  return {
    ...description,
    capabilities: { ...description.capabilities, eventMode, earlyReturn, predicates },
  };
}

function checkStructural(description: UnitDescription, options: NativeUnitOptions): void {
  for (const name of options.structural?.keys() ?? []) {
    const port = portNamed(description, name);
    if (port?.direction !== "structural-parameter")
      throw new Error(`'${description.name}' has no structural parameter '${name}'`);
  }
}
