/**
 * From an unpacked FMU to a living instance: the one door to native code for all other zones.
 */
import { basename } from "node:path";
import type { LibraryHandle } from "koffi";
import { type Diagnostic, DiagnosticsError, diagnose } from "../../base/diagnostic.ts";
import type { CoSimulationInterface } from "../../fmi/description.ts";
import { tooManyElements } from "../../fmi/description-diagnostics.ts";
import { toUnitDescription } from "../../fmi/to-unit-description.ts";
import { portNamed, type UnitDescription } from "../../model/unit-description.ts";
import type { Unit } from "../../unit/unit.ts";
import { type Binary, loadBinary, locateBinary, sharedSymbolsOf } from "./binary.ts";
import { LOADING_ID } from "./call-names.ts";
import { missingSymbols } from "./calls.ts";
import { noteLibrary } from "./closes-files.ts";
import { diagnoseFloatChange } from "./float-diagnostic.ts";
import { versionOf } from "./fmi-version.ts";
import { Fmi2Unit } from "./fmi2-unit.ts";
import { Fmi3Unit } from "./fmi3-unit.ts";
import { NATIVE_DIAGNOSTICS } from "./native-diagnostics.ts";
import type { NativeFmu, NativeUnitOptions } from "./native-options.ts";

/** The unit of each FMI version. */
const UNITS = { 2: Fmi2Unit, 3: Fmi3Unit } as const;

/** Libraries of which an instance lives that must be the only one. */
const taken = new Set<string>();

/**
 * Makes an instance of the FMU in `fmu.folder`, in phase `instantiated`.
 *
 * An FMI 3 FMU runs with event mode if it has it, and then may return early, unless the options say otherwise; the
 * unit's own `description.capabilities` show what was agreed.
 * @throws DiagnosticsError when the FMU cannot run here; UnitError, with the FMU's log, when it refuses to.
 */
export function openNativeUnit(fmu: NativeFmu, options: NativeUnitOptions = {}): Unit {
  const { description } = fmu;
  const interfaceOf = coSimulationOf(fmu);
  const { file, notes } = binaryOf(fmu);
  for (const note of notes) options.onDiagnostic?.(note);
  const unit = options.name ?? description.modelName;
  const library = loadNamed(file, unit, options);
  const names = missingSymbols(library, versionOf(description).essentialCalls);
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
  const agreed = agree(
    toUnitDescription(description, options.structural && { structural: options.structural }),
    interfaceOf,
    options,
  );
  checkStructural(agreed, options);
  const excess = tooManyElements(agreed, { file: description.modelName });
  if (excess !== undefined) throw new DiagnosticsError([excess]);
  const once = interfaceOf.canBeInstantiatedOnlyOncePerProcess;
  if (once && taken.has(file)) {
    const model = description.modelName;
    throw new DiagnosticsError([
      diagnose(NATIVE_DIAGNOSTICS, "binary-only-one-instance", { model }, { file }),
    ]);
  }
  const onDispose = (): void => {
    taken.delete(file);
  };
  const instance = new UNITS[description.major](
    { library, file, fmu, description: agreed, onDispose },
    options,
  );
  if (once) taken.add(file);
  return instance.open();
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
export function binaryOf(fmu: NativeFmu): Binary {
  return locateBinary(fmu.folder, versionOf(fmu.description), coSimulationOf(fmu).modelIdentifier);
}

function coSimulationOf(fmu: NativeFmu): CoSimulationInterface {
  const found = fmu.description.coSimulation;
  if (found !== undefined) return found;
  const model = fmu.description.modelName;
  const problem: Diagnostic = diagnose(
    NATIVE_DIAGNOSTICS,
    "binary-no-co-simulation",
    { model },
    { file: fmu.folder },
  );
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
