/**
 * The spectral analysis inside the process that holds the FMUs.
 */
import { UnitError } from "../../base/outcome.ts";
import { scenarioStability } from "../../run/scenario-stability.ts";
import { StepRefused } from "../../stability/identify.ts";
import { analyseScenario } from "../worker/analyse-scenario.ts";
import type { FromSpectral, SpectralJob } from "./spectral-protocol.ts";

export function analyseStability(
  job: SpectralJob,
  say: (message: FromSpectral) => void,
  isCancelled: () => boolean,
): Promise<void> {
  return analyseScenario(job, say, isCancelled, {
    run: (runnable, onProgress) => scenarioStability(runnable, { ...job.options, onProgress }),
    isAnswer: (error): error is Error => error instanceof UnitError || error instanceof StepRefused,
  });
}
