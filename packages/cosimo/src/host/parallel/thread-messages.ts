/** What the thread that started a run in parts and the threads of the parts tell each other. */
import type { MessagePort } from "node:worker_threads";
import type { UnitFailure } from "../../base/outcome.ts";
import type { Sending } from "../../parallel/part.ts";
import type { PartsOptions } from "../../parallel/plan-parts.ts";
import type { PartMessage, PartStatistics } from "../../parallel/protocol.ts";
import type { Stamp } from "../../parallel/stamp.ts";

/** What a thread is started with. */
export interface PartJob {
  /** A file, and what it exports: a model, or what makes one. */
  readonly module: string;
  readonly name: string;
  readonly options: PartsOptions;
  readonly number: number;
  /** How many parts the thread that started this one has counted. */
  readonly count: number;
  /** To the other parts. */
  readonly ports: ReadonlyMap<number, MessagePort>;
}

export type ToPart =
  | { readonly kind: "messages"; readonly messages: readonly PartMessage[] }
  | { readonly kind: "end-at"; readonly time: number };

export type FromPart =
  /** For the computation of the commit time. */
  | { readonly kind: "messages"; readonly messages: readonly PartMessage[] }
  | { readonly kind: "sendings"; readonly sendings: readonly Sending[] }
  | {
      readonly kind: "failed";
      readonly stamp: Stamp;
      readonly failure: UnitFailure | undefined;
      readonly text: string;
    }
  | {
      readonly kind: "finished";
      readonly statistics: PartStatistics;
      readonly transitions: number;
      readonly states: ReadonlyMap<string, unknown>;
    };
