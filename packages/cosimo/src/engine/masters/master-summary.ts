/**
 * What a master has to say when the run is over: for the summary of a command, and for callers of the library.
 */
import type { RejectionReason } from "../../plan/statistics.ts";

export interface MasterSummary {
  /** Steps that were accepted. */
  readonly steps: number;
  /** Rejected steps, by reason. */
  readonly rejections: readonly { readonly reason: RejectionReason; readonly count: number }[];
  /** Beyond the first evaluation of every step. */
  readonly iterations: number;
  /** Calls of `advance` on units. */
  readonly advances: number;
  /** Instants at which something happened: crossings, events of units, ticks of clocks. */
  readonly events: number;
  readonly bonds: readonly BondSummary[];
  /** Sentences about events and the like: late reactions, Zeno behaviour. */
  readonly notes: readonly string[];
}

export interface BondSummary {
  readonly name: string;
  /** Energy that arrived at the unit with the flow, in the units of effort times flow times seconds. */
  readonly transferred: number;
  /** The same without signs: how much went to and fro. */
  readonly moved: number;
  /** What the exchange made in steps that made energy, and lost in steps that lost it. */
  readonly made: number;
  readonly lost: number;
}
