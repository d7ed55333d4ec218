/**
 * The stability of variants inside the process that holds the FMUs.
 */
import { DiagnosticsError } from "../../base/diagnostic.ts";
import { UnitError } from "../../base/outcome.ts";
import { loadScenario } from "../../host/load-scenario.ts";
import { userTrust } from "../../host/trust.ts";
import type { Scenario } from "../../model/scenario.ts";
import { variantStability } from "../../run/variant-stability.ts";
import { StepRefused } from "../../stability/identify.ts";
import { analyseScenario } from "../worker/analyse-scenario.ts";
import type { FromVariants, VariantsJob } from "./variants-protocol.ts";

export function analyseVariants(
  job: VariantsJob,
  say: (message: FromVariants) => void,
  isCancelled: () => boolean,
): Promise<void> {
  return analyseScenario(job, say, isCancelled, {
    async run(runnable, onProgress) {
      const variants: Scenario[] = [];
      for (const text of job.texts) {
        const { value } = await loadScenario(job.model, userTrust(job.trust), job.folder, text);
        // The supervisor has loaded it already.
        if (value === undefined) throw new Error("internal: a variant cannot be loaded");
        variants.push(value.scenario);
      }
      return variantStability(runnable, variants, { onProgress });
    },
    isAnswer: (error): error is Error =>
      error instanceof UnitError ||
      error instanceof StepRefused ||
      error instanceof DiagnosticsError,
  });
}
