/**
 * From an unpacked FMU with the interface for Model Exchange to a unit with an integrator of its
 * own.
 */
import { type Diagnostic, DiagnosticsError, diagnose } from "../../base/diagnostic.ts";
import type { EventOde } from "../../exchange/event-ode.ts";
import { integratingUnit } from "../../exchange/integrating-unit.ts";
import { strayDerivatives } from "../../fmi/ode-structure.ts";
import type { IntegratorOptions } from "../../model/integrator.ts";
import type { Unit } from "../../unit/unit.ts";
import type { CallTable } from "./calls.ts";
import { NATIVE_DIAGNOSTICS } from "./native-diagnostics.ts";
import { NativeOde } from "./native-ode.ts";
import type { NativeFmu, NativeUnitOptions } from "./native-options.ts";
import type { NativeUnit } from "./native-unit.ts";
import { openExchangeInstance } from "./open-native-unit.ts";

/** @throws as `openNativeUnit`. */
export function openExchangeUnit(
  fmu: NativeFmu,
  options: NativeUnitOptions = {},
  integrator: IntegratorOptions = {},
): Unit {
  const model = openExchangeModel(fmu, options);
  return integratingUnit(model, {
    ...integrator,
    handlesEvents: options.eventMode === false,
    onMethodChange: (change) =>
      options.onDiagnostic?.(
        diagnose(NATIVE_DIAGNOSTICS, "integrator-stiff", change, { file: fmu.folder }),
      ),
  });
}

/** The equations alone. @throws as `openNativeUnit`. */
export function openExchangeModel(fmu: NativeFmu, options: NativeUnitOptions = {}): EventOde {
  const [stray] = strayDerivatives(fmu.description);
  if (stray !== undefined) {
    const params = { model: fmu.description.modelName, reference: stray.reference };
    const place = { file: fmu.folder, line: stray.line };
    const problem: Diagnostic = diagnose(NATIVE_DIAGNOSTICS, "binary-state-unknown", params, place);
    throw new DiagnosticsError([problem]);
  }
  return new NativeOde(openExchangeInstance(fmu, options) as unknown as NativeUnit<CallTable>);
}
