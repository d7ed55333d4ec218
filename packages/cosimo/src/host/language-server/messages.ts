/**
 * Between the server and the thread that opens what texts name. Both are of one version, so nothing
 * is versioned.
 */
import type { Diagnostic } from "../../base/diagnostic.ts";
import type { UnitDescription } from "../../model/unit-description.ts";

export interface DescribeRequest {
  readonly id: number;
  readonly path: string;
  /** For temporary files; it outlives the thread and is removed with the process. */
  readonly folder: string;
  /** Texts of open documents by absolute path; they count instead of the files. */
  readonly texts: ReadonlyMap<string, string>;
  /** False: programs are not run, so modules and scenarios stay unknown. */
  readonly isTrusted: boolean;
  /**
   * Modules and scenarios that must not be run, by path and time of change, and what happened when
   * they were.
   */
  readonly blocked: ReadonlyMap<string, string>;
}

export type FromWorker =
  /**
   * A program is about to run, named as in `blocked`: whatever happens until `ended` is its doing.
   */
  | { readonly kind: "running"; readonly program: string }
  | { readonly kind: "ended" }
  | {
      readonly kind: "described";
      readonly id: number;
      readonly diagnostics: readonly Diagnostic[];
      readonly units: ReadonlyMap<string, UnitDescription>;
      /** Absolute paths of the texts that were read for it. */
      readonly texts: ReadonlySet<string>;
    }
  | { readonly kind: "failed"; readonly id: number; readonly why: string };
