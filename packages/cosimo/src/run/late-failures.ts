/**
 * Units that fail while they are disposed: the rows are complete by then, so that it is a warning
 * and not how the run ended.
 */
import { type Diagnostic, diagnose, type RulesFor, rulesFrom } from "../base/diagnostic.ts";
import { errorText } from "../base/error-text.ts";
import { UnitError } from "../base/outcome.ts";

interface LateParams {
  "unit-failed-late": { unit: string; call: string; status: string };
}

export const LATE_DIAGNOSTICS: RulesFor<LateParams> = rulesFrom<LateParams>({
  "unit-failed-late": {
    severity: "warning",
    rule: "A unit can be freed without an exception.",
    message: (p) => `'${p.unit}' failed in ${p.call} after the run had ended: ${p.status}`,
    fix: "the result is complete; correct the module, or report it to its author",
  },
});

/** @param title of the scenario, where it is not known which unit threw. */
export function lateFailures(
  thrown: readonly unknown[],
  title: string,
  file: string = title,
): Diagnostic[] {
  return thrown.map((error) => {
    const { unit, call, status } =
      error instanceof UnitError
        ? error.failure
        : { unit: title, call: "dispose", status: errorText(error) };
    return diagnose(LATE_DIAGNOSTICS, "unit-failed-late", { unit, call, status }, { file });
  });
}
