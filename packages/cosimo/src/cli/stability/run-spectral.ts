/**
 * The analysis seen from outside: starts the process that holds the FMUs, shows how far it is, and tells how it ended.
 */
import type { Diagnostic } from "../../base/diagnostic.ts";
import { scenarioInFolder } from "../../host/scenario-path.ts";
import { createTempFolder } from "../../platform/node/temp-folder.ts";
import type { SpectralReport } from "../../stability/spectral.ts";
import { isolate } from "../isolate.ts";
import { progressBar } from "../progress.ts";
import type { FromSpectral, SpectralJob } from "./spectral-protocol.ts";

export interface SpectralEnd {
  readonly diagnostics: readonly Diagnostic[];
  readonly report?: SpectralReport;
  /** Why there is no report, where diagnostics do not say it. */
  readonly failure?: string;
}

export async function runSpectral(
  path: string,
  wishes: Pick<SpectralJob, "trust" | "set" | "options">,
): Promise<SpectralEnd> {
  const temp = createTempFolder();
  const progress = progressBar(process.stderr);
  const diagnostics: Diagnostic[] = [];
  let report: SpectralReport | undefined;
  let failure: string | undefined;
  let bug: string | undefined;
  let doing = "starting";
  try {
    const model = scenarioInFolder(path) ?? path;
    const job: SpectralJob = { kind: "spectral", model, folder: temp.path, ...wishes };
    const end = await isolate<FromSpectral>(job, {
      onMessage: (message) => {
        switch (message.kind) {
          case "diagnostics":
            diagnostics.push(...message.diagnostics);
            break;
          case "working":
            doing = message.doing;
            progress.update(message.fraction, message.doing);
            break;
          case "report":
            report = message.report;
            break;
          case "failed":
            failure = message.message;
            break;
          case "bug":
            bug = message.stack;
            break;
        }
      },
    });
    progress.clear();
    if (bug !== undefined) throw new Error(`internal: ${bug}`);
    if (end.asked !== false) failure = "cancelled";
    else if (end.code !== 0 && report === undefined)
      failure = `the process that holds the units ended with ${end.signal ?? `code ${end.code}`} while ${doing}`;
  } finally {
    temp.remove();
  }
  return {
    diagnostics,
    ...(report === undefined ? {} : { report }),
    ...(failure === undefined ? {} : { failure }),
  };
}
