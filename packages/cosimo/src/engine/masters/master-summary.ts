/**
 * What a master has to say when the run is over: for the summary of a command, and for callers of
 * the library. Its numbers are the rows of plan/statistics.ts.
 */
import type { BondSum, RejectionReason, SummaryCount } from "../../plan/statistics.ts";

export interface MasterSummary extends Readonly<Record<SummaryCount, number>> {
  /** Rejected steps, by reason. */
  readonly rejections: readonly { readonly reason: RejectionReason; readonly count: number }[];
  readonly bonds: readonly BondSummary[];
  /** Sentences about events and the like: late reactions, Zeno behaviour. */
  readonly notes: readonly string[];
}

export interface BondSummary extends Readonly<Record<BondSum, number>> {
  readonly name: string;
}
