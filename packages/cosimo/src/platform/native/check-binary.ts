/**
 * Holds a binary to its description, for `cosimo validate --run`: everything it exports, says and
 * does in one short experiment with its own defaults. A binary may crash or hang while it is asked:
 * callers use a process of its own.
 */
import { basename } from "node:path";
import type { LibraryHandle } from "koffi";
import { append, type Diagnostic, DiagnosticsError, diagnose } from "../../base/diagnostic.ts";
import { UnitError } from "../../base/outcome.ts";
import type { FmuVariable } from "../../fmi/description.ts";
import type { Port } from "../../model/unit-description.ts";
import type { Unit } from "../../unit/unit.ts";
import { loadBinary } from "./binary.ts";
import { bindCalls, missingSymbols } from "./calls.ts";
import { checkBehaviour, type Report } from "./check-behaviour.ts";
import { floatGuard } from "./float-guard.ts";
import { describeChange, type FloatState } from "./float-state.ts";
import { versionOf } from "./fmi-version.ts";
import { symbolsOf } from "./library-symbols.ts";
import { NATIVE_DIAGNOSTICS } from "./native-diagnostics.ts";
import { readString } from "./native-memory.ts";
import type { NativeFmu } from "./native-options.ts";
import { openExchangeUnit } from "./open-exchange-unit.ts";
import { binaryOf, openNativeUnit, openScheduledUnit } from "./open-native-unit.ts";
import { requiredCalls } from "./required-calls.ts";

export interface CheckBinaryOptions {
  /** Called before each initialization, for FMUs that need parameters to run. */
  readonly prepare?: (unit: Unit) => void;
}

/** Everything in which the FMU's binary for this machine does not keep to its description. */
export function checkBinary(fmu: NativeFmu, options: CheckBinaryOptions = {}): Diagnostic[] {
  const found: Diagnostic[] = [];
  try {
    const { file, notes } = binaryOf(fmu);
    append(found, notes);
    const report: Report = (code, params) => {
      found.push(diagnose(NATIVE_DIAGNOSTICS, code, params as never, { file }));
    };
    if (checkSymbols(fmu, file, report) && checkVersion(fmu, file, report))
      runOnce(fmu, options, report, found);
  } catch (error) {
    if (!(error instanceof DiagnosticsError)) throw error;
    append(found, error.diagnostics);
  }
  return found;
}

function symbolsIn({ description }: NativeFmu, library: LibraryHandle): LibraryHandle {
  const { modelIdentifier = "" } =
    description.coSimulation ?? description.modelExchange ?? description.scheduledExecution ?? {};
  return symbolsOf(library, versionOf(description), modelIdentifier);
}

/** Whether the binary exports enough to go on. */
function checkSymbols(fmu: NativeFmu, file: string, report: Report): boolean {
  const library = symbolsIn(
    fmu,
    loadBinary(file, (found) => reportState(fmu, "while its library was loaded", found, report)),
  );
  const { needed, formal } = requiredCalls(fmu.description);
  const missing = missingSymbols(library, needed);
  const unit = fmu.description.modelName;
  if (missing.length > 0)
    report("binary-symbols-missing", { unit, library: basename(file), names: missing });
  const formallyMissing = missingSymbols(library, formal);
  if (formallyMissing.length > 0)
    report("binary-formal-symbols-missing", { names: formallyMissing });
  return missing.length === 0;
}

function checkVersion(fmu: NativeFmu, file: string, report: Report): boolean {
  const { major, fmiVersion } = fmu.description;
  const ask = (call: string): string => {
    const calls = bindCalls(
      symbolsIn(fmu, loadBinary(file)),
      { [call]: "text:" },
      { onFloatChange: (name, found) => reportState(fmu, `in ${name}`, found, report) },
    );
    return readString(calls[call]()) ?? "NULL";
  };
  const { names, typesPlatform: described = "default" } = versionOf(fmu.description);
  const { version, typesPlatform } = names;
  const said = ask(version);
  const agrees = said === fmiVersion || said.startsWith(`${major}.`);
  if (!agrees) report("binary-version-differs", { call: version, said, described: fmiVersion });
  if (typesPlatform === undefined) return agrees;
  const types = ask(typesPlatform);
  if (types !== described)
    report("binary-version-differs", { call: typesPlatform, said: types, described });
  return agrees;
}

function reportState(fmu: NativeFmu, when: string, found: FloatState, report: Report): void {
  const what = describeChange(floatGuard().home, found);
  report("binary-float-state", { unit: fmu.description.modelName, when, what });
}

function runOnce(
  fmu: NativeFmu,
  options: CheckBinaryOptions,
  report: Report,
  found: Diagnostic[],
): void {
  let unit: Unit | undefined;
  const { variables, experiment, coSimulation } = fmu.description;
  try {
    unit = openerOf(fmu)(fmu, {
      onDiagnostic: (d) => void (d.code === "binary-float-state" && found.push(d)),
    });
    const isInitializedAtOnce = versionOf(fmu.description).names.exitInitialization === undefined;
    const keepStart = (port: Port): boolean =>
      keepsItsStart(variables[port.index], isInitializedAtOnce);
    checkBehaviour(
      unit,
      { ...options, ...experiment, fallbackStep: coSimulation?.fixedInternalStepSize, keepStart },
      report,
    );
  } catch (error) {
    if (!(error instanceof UnitError)) throw error;
    const { call, status, log } = error.failure;
    report("binary-call-failed", { call, status, log });
  } finally {
    unit?.dispose();
  }
}

/** As runs choose where a scenario does not. */
function openerOf({ description }: NativeFmu): typeof openScheduledUnit {
  if (description.coSimulation !== undefined) return openNativeUnit;
  return description.modelExchange === undefined ? openScheduledUnit : openExchangeUnit;
}

/** Other variables may have been calculated by the time they can be read. */
function keepsItsStart({ causality, initial }: FmuVariable, isInitialized: boolean): boolean {
  if (causality === "input" || causality === "parameter") return true;
  return initial === "exact" && !isInitialized;
}
