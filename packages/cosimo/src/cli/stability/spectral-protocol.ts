/**
 * What the command `stability spectral` and the process that holds the FMUs say to each other. Experiments with FMUs are as dangerous as
 * runs, so they happen in a process of their own (decision 1).
 */
import type { Diagnostic } from "../../base/diagnostic.ts";
import type { SpectralOptions, SpectralReport } from "../../stability/spectral.ts";
import type { WorkerFailure, WorkerIsThrough } from "../protocol/protocol.ts";

export interface SpectralJob {
  readonly kind: "spectral";
  readonly model: string;
  /** For unpacked FMUs. Owned by the supervisor. */
  readonly folder: string;
  /** Modules are run wherever they are, not only in folders that the user trusts. */
  readonly trust: boolean;
  readonly set: readonly string[];
  readonly options: Omit<SpectralOptions, "onProgress">;
}

export type FromSpectral =
  /** Said before units are opened: names for the words of the status (see run/protocol.ts). */
  | {
      readonly kind: "units";
      readonly units: readonly string[];
      readonly callNames: readonly string[];
    }
  | { readonly kind: "diagnostics"; readonly diagnostics: readonly Diagnostic[] }
  | { readonly kind: "working"; readonly fraction: number; readonly doing: string }
  | { readonly kind: "report"; readonly report: SpectralReport }
  /** A unit failed before anything could be said. */
  | { readonly kind: "failed"; readonly message: string }
  | WorkerFailure
  | WorkerIsThrough;
