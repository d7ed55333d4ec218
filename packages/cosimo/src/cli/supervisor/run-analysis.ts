/**
 * An analysis seen from outside: starts the process that holds the units, shows its progress, and
 * reports how it ended.
 */
import { append, type Diagnostic } from "../../base/diagnostic.ts";
import { present } from "../../base/present.ts";
import { createTempFolder } from "../../platform/node/temp-folder.ts";
import type { FromAnalysis, WorkerFailure } from "../protocol/protocol.ts";
import { readStatus } from "../protocol/status.ts";
import { WorkerBroken } from "../protocol/worker-failure.ts";
import { printError } from "../terminal.ts";
import { deathText } from "./how-it-ended.ts";
import { isolate, type WorkerJob } from "./isolate.ts";
import { progressBar } from "./progress.ts";
import { StopRequests, type StopSignal } from "./stop-signals.ts";

export interface AnalysisEnd<Report> {
  readonly diagnostics: readonly Diagnostic[];
  readonly report?: Report;
  /** Why there is no report, where diagnostics do not say it. */
  readonly failure?: string;
  /** The signal that cancelled it. */
  readonly stoppedBy?: StopSignal;
}

export interface AnalysisRequest<Report> {
  /** What the user named. */
  readonly path: string;
  /** @param folder for unpacked FMUs; it is removed afterwards. */
  readonly job: (folder: string) => WorkerJob;
  readonly read: (value: unknown) => FromAnalysis<Report> | undefined;
  /** None: it may take as long as it takes. */
  readonly timeoutSeconds?: number | undefined;
  /** Of a caller that shows the progress itself. */
  readonly onWorking?: ((fraction: number, doing: string) => void) | undefined;
}

export async function runAnalysis<Report>(
  request: AnalysisRequest<Report>,
): Promise<AnalysisEnd<Report>> {
  const { path, timeoutSeconds } = request;
  const temp = createTempFolder();
  const stop = new StopRequests();
  const progress = progressBar(process.stderr);
  const diagnostics: Diagnostic[] = [];
  let report: Report | undefined;
  let failure: string | undefined;
  let broken: WorkerFailure | undefined;
  let units: Extract<FromAnalysis<Report>, { kind: "units" }> | undefined;
  let doing = "starting";
  try {
    const end = await isolate<FromAnalysis<Report>>(request.job(temp.path), {
      ...present({ timeoutMs: timeoutSeconds && timeoutSeconds * 1000 }),
      stop,
      read: request.read,
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
            if (request.onWorking) request.onWorking(message.fraction, message.doing);
            else progress.update(message.fraction, message.doing);
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
