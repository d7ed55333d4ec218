/**
 * What the command `stability spectral` and the process that holds the FMUs say to each other.
 * Experiments with FMUs are as dangerous as runs, so they happen in a process of their own
 * (decision 1).
 */
import type { SpectralOptions, SpectralReport } from "../../stability/spectral.ts";
import type { FromAnalysis } from "../protocol/protocol.ts";

export interface SpectralJob {
  readonly kind: "spectral";
  readonly model: string;
  /** In place of what the file holds. */
  readonly text?: string;
  /** For unpacked FMUs. Owned by the supervisor. */
  readonly folder: string;
  /** Modules are run wherever they are, not only in folders that the user trusts. */
  readonly trust: boolean;
  readonly set: readonly string[];
  readonly options: Omit<SpectralOptions, "onProgress">;
}

export type FromSpectral = FromAnalysis<SpectralReport>;
