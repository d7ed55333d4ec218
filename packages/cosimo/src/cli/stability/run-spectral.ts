/**
 * The stability analysis, in a process of its own.
 */
import { scenarioInFolder } from "../../host/scenario-path.ts";
import type { SpectralReport } from "../../stability/spectral.ts";
import { type AnalysisEnd, runAnalysis } from "../supervisor/run-analysis.ts";
import type { SpectralJob } from "./spectral-protocol.ts";
import { spectralMessage } from "./spectral-shapes.ts";

/** @param timeoutSeconds none: it may take as long as it takes. */
export function runSpectral(
  path: string,
  request: Pick<SpectralJob, "trust" | "set" | "options" | "text">,
  timeoutSeconds?: number,
  onWorking?: (fraction: number, doing: string) => void,
): Promise<AnalysisEnd<SpectralReport>> {
  const model = scenarioInFolder(path) ?? path;
  return runAnalysis({
    path,
    job: (folder): SpectralJob => ({ kind: "spectral", model, folder, ...request }),
    read: spectralMessage,
    timeoutSeconds,
    onWorking,
  });
}
