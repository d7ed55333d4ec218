/**
 * The warning about an FMU that leaves another floating-point state behind.
 */
import { type Diagnostic, diagnose } from "../../base/diagnostic.ts";
import { floatGuard } from "./float-guard.ts";
import { describeChange, type FloatState } from "./float-state.ts";
import { NATIVE_DIAGNOSTICS } from "./native-diagnostics.ts";

/** @param when it happened, as in "in fmi2DoStep". */
export function diagnoseFloatChange(
  unit: string,
  when: string,
  found: FloatState,
  file: string,
): Diagnostic {
  const what = describeChange(floatGuard().home, found);
  return diagnose(NATIVE_DIAGNOSTICS, "binary-float-state", { unit, when, what }, { file });
}
