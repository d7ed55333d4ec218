/**
 * The analysis seen from outside: starts the process that holds the FMUs, shows its progress, and reports how it ended.
 */
import { append, type Diagnostic } from "../../base/diagnostic.ts";
import { present } from "../../base/present.ts";
import { scenarioInFolder } from "../../host/scenario-path.ts";
import { createTempFolder } from "../../platform/node/temp-folder.ts";
import type { SpectralReport } from "../../stability/spectral.ts";
import type { WorkerFailure } from "../protocol/protocol.ts";
import { readStatus } from "../protocol/status.ts";
import { WorkerBroken } from "../protocol/worker-failure.ts";
import { deathText } from "../supervisor/how-it-ended.ts";
import { isolate } from "../supervisor/isolate.ts";
import { progressBar } from "../supervisor/progress.ts";
import { StopRequests, type StopSignal } from "../supervisor/stop-signals.ts";
import { printError } from "../terminal.ts";
import type { FromSpectral, SpectralJob } from "./spectral-protocol.ts";
import { spectralMessage } from "./spectral-shapes.ts";

export interface SpectralEnd {
  readonly diagnostics: readonly Diagnostic[];
  readonly report?: SpectralReport;
  /** Why there is no report, where diagnostics do not say it. */
  readonly failure?: string;
  /** The signal that cancelled it. */
  readonly stoppedBy?: StopSignal;
}

/** @param timeoutSeconds none: it may take as long as it takes. */
export async function runSpectral(
  path: string,
  request: Pick<SpectralJob, "trust" | "set" | "options">,
  timeoutSeconds?: number,
): Promise<SpectralEnd> {
  const temp = createTempFolder();
  const stop = new StopRequests();
  const progress = progressBar(process.stderr);
  const diagnostics: Diagnostic[] = [];
  let report: SpectralReport | undefined;
  let failure: string | undefined;
  let broken: WorkerFailure | undefined;
  let units: Extract<FromSpectral, { kind: "units" }> | undefined;
  let doing = "starting";
  try {
    const model = scenarioInFolder(path) ?? path;
    const job: SpectralJob = { kind: "spectral", model, folder: temp.path, ...request };
    const end = await isolate<FromSpectral>(job, {
      ...present({ timeoutMs: timeoutSeconds && timeoutSeconds * 1000 }),
      stop,
      read: spectralMessage,
      beforeOutput: progress.clear,
      onMessage: (message) => {
        switch (message.kind) {
          case "diagnostics":
            append(diagnostics, message.diagnostics);
            return false;
          case "units":
            units ??= message;
            return false;
          case "working":
            doing = message.doing;
            progress.update(message.fraction, message.doing);
            return false;
          case "report":
            report ??= message.report;
            return true;
          case "failed":
            failure ??= message.message;
            return true;
          case "broken":
            broken ??= message;
            return true;
          case "through":
            return true;
        }
      },
    });
    progress.clear();
    const [running] = readStatus(temp.path, units?.units ?? [], units?.callNames ?? []).running;
    const where = running ? `'${running.unit}' was in ${running.call}` : doing;
    if (report === undefined && end.asked === "cancelled") {
      const signal = stop.signal ?? "SIGINT";
      return { diagnostics, failure: `cancelled while ${where}`, stoppedBy: signal };
    }
    if (report === undefined && broken !== undefined) throw new WorkerBroken(broken);
    if (report === undefined && end.asked === "timeout")
      failure = `no answer within --timeout, while ${where}`;
    else if (report === undefined && !end.isThrough)
      failure ??= `the process that holds the units ended with ${deathText(end)} while ${where}`;
    else if (end.killed === "unfinished" || end.code !== 0)
      printError(
        `cosimo: ${path}: the process that holds the units did not end as it should (${end.killed ? `it hung while ${where}` : deathText(end)})`,
      );
  } finally {
    stop.close();
    temp.remove();
  }
  return { diagnostics, ...present({ report, failure }) };
}
