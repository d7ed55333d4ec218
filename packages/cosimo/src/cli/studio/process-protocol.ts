/**
 * What the studio's server and the processes that work for it (../worker/studio-run.ts) say to each
 * other.
 */
import type { Diagnostic } from "../../base/diagnostic.ts";
import type { Outcome } from "../../base/outcome.ts";
import type { SpectralReport } from "../../stability/spectral.ts";
import type { FromWorker, RunHeader, RunJob } from "../protocol/protocol.ts";
import type { SpectralJob } from "../stability/spectral-protocol.ts";
import type { AnalysisEnd } from "../supervisor/run-analysis.ts";
import type { RunReport } from "../supervisor/supervise-run.ts";

export type StudioOrder =
  | {
      readonly kind: "run";
      readonly job: Omit<RunJob, "folder">;
      /** Where the rows are; the server reads them while they come, and removes them. */
      readonly folder: string;
      readonly out: readonly string[];
    }
  | {
      readonly kind: "save";
      readonly folder: string;
      readonly plan: RunHeader;
      readonly outcome: Outcome;
      readonly file: string;
    }
  | {
      readonly kind: "stability";
      readonly file: string;
      readonly request: Pick<SpectralJob, "trust" | "set" | "options" | "text">;
    };

/** The first message is an order; those after it stop what it began. */
export type ToStudioProcess = StudioOrder | { readonly kind: "stop" };

export type FromStudioProcess =
  | { readonly kind: "message"; readonly message: FromWorker }
  | { readonly kind: "working"; readonly fraction: number; readonly doing: string }
  | { readonly kind: "report"; readonly report: RunReport }
  | { readonly kind: "saved"; readonly diagnostics: readonly Diagnostic[] }
  | { readonly kind: "analysed"; readonly end: AnalysisEnd<SpectralReport> }
  | { readonly kind: "refused"; readonly diagnostics: readonly Diagnostic[] }
  | { readonly kind: "broken"; readonly message: string };
