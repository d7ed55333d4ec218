/**
 * What Cosimo knows of one version of FMI. A version is one file beside this one with its grammar
 * and its row, and an entry in `table.ts`; everything else asks a row what its version offers and
 * never which version it is.
 */

import type { BackendName } from "../../model/backends.ts";
import type { Capabilities } from "../../model/unit-description.ts";
import type { FolderScheme } from "../archive-contents.ts";
import type { FmuInterface, Initial, ModelStructure } from "../description.ts";
import type { DescriptionDraft } from "../description-draft.ts";
import type { ElementRule } from "../element-walker.ts";

/** A list of unknowns in the model structure. */
export type UnknownList = Exclude<keyof ModelStructure, "line">;

export interface FmiVersion<Major extends number = number> {
  readonly major: Major;
  /** "2.0". */
  readonly name: string;
  /** What messages call units of this version, and why their inputs are what they are. */
  readonly backend: BackendName;
  /** The same of its units of Model Exchange. Absent: Cosimo does not drive them. */
  readonly exchangeBackend?: BackendName;
  /** The same of its units of Scheduled Execution. Absent: the version has none. */
  readonly scheduledBackend?: BackendName;

  /** Values of the attribute fmiVersion that stand for this version. */
  readonly spellings: RegExp;
  /** Where the standard knows one value for all revisions; the other spellings are reported. */
  readonly onlySpelling?: string;
  /**
   * Minor versions that Cosimo knows; content that a later one adds is ignored. Absent: all of
   * them.
   */
  readonly knownMinors?: RegExp;

  /** Reads a description into `draft`. */
  readonly grammar: (draft: DescriptionDraft) => ElementRule;
  /** The attribute that identifies what a binary was built from. */
  readonly tokenAttribute: string;
  /**
   * How derivatives and the model structure name variables: by position from 1, or by value
   * reference.
   */
  readonly references: "position" | "value-reference";
  /** What the lists of unknowns are called. */
  readonly lists: Readonly<Record<UnknownList, string>>;
  /** The default variability of a parameter. Absent: that of its type. */
  readonly parameterVariability?: "fixed";
  /** What `initial` of an input may be, its default first. */
  readonly inputInitials: readonly Initial[];

  /** Variables may share a value reference and are then names of one value. */
  readonly sharesValueReferences: boolean;
  /** A description must contain the independent variable. */
  readonly needsIndependent: boolean;
  /** The unknowns of initialization are listed. */
  readonly hasInitialUnknowns: boolean;
  /** Initial unknowns are listed in the order of their variables. */
  readonly ordersInitialUnknowns: boolean;
  /**
   * Co-Simulation FMUs commonly omit the list of initial unknowns: one warning instead of many
   * errors.
   */
  readonly mayOmitInitialUnknowns: boolean;
  /** Sources are described by a file of their own. */
  readonly needsBuildDescription: boolean;

  /** How folders below `binaries/` may be named; what Cosimo writes first. */
  readonly folderSchemes: readonly [FolderScheme, ...FolderScheme[]];
  /** Whether a Model Exchange FMU needs a call at the end of each integrator step. */
  readonly needsCompletedSteps: (exchange: FmuInterface) => boolean;
  /** What every Co-Simulation unit of this version does, whatever its flags say. */
  readonly capabilities: Partial<Capabilities>;
}
