/**
 * What parts of a model send each other, and what the network between them sees: messages in,
 * packets out. Between two parts messages arrive in the order in which they were sent
 * (`base/link.ts` sees to that where a network does not).
 */
import type { Letter, Sending } from "./part.ts";
import type { Stamp } from "./stamp.ts";

export type PartMessage =
  | { readonly kind: "letter"; readonly letter: Letter }
  /** Conservative: nothing earlier will come any more (a null message). */
  | { readonly kind: "promise"; readonly stamp: Stamp }
  /**
   * Optimistic: a value, or that the value `id` was a mistake. `round` is that of the sender, for
   * the computation of the commit time.
   */
  | {
      readonly kind: "guess" | "anti";
      readonly id: number;
      readonly round: number;
      readonly letter: Letter;
    }
  /** To the part that computes how far everything is final (gvt.ts), and from it. */
  | { readonly kind: "want" }
  | { readonly kind: "cut"; readonly round: number }
  | { readonly kind: "sent"; readonly round: number; readonly counts: readonly number[] }
  | { readonly kind: "expect"; readonly round: number; readonly count: number }
  | { readonly kind: "minimum"; readonly round: number; readonly stamp: Stamp }
  | { readonly kind: "commit"; readonly stamp: Stamp };

/** Messages for one part, in order. */
export interface Packet {
  readonly to: number;
  readonly messages: readonly PartMessage[];
}

export interface PartStatistics {
  /**
   * Instants that were executed, those of them that were undone, and those that were executed again
   * to get to a state.
   */
  steps: number;
  rolledBack: number;
  repeated: number;
  rollbacks: number;
  letters: number;
  antis: number;
  promises: number;
  /** Steps that were kept at once at most. */
  kept: number;
}

export interface PartFailure {
  readonly stamp: Stamp;
  readonly error: unknown;
}

/** A part with the rules by which it goes on. */
export interface Runner {
  readonly number: number;
  readonly statistics: PartStatistics;
  /** It has done its part of the run, and nothing can change that. */
  readonly isFinished: boolean;
  /** Transitions that are final. */
  readonly transitions: number;
  /** Of its components, by path. */
  readonly states: ReadonlyMap<string, unknown>;
  /** What ended it, once that is certain. */
  readonly failure: PartFailure | undefined;
  receive(from: number, messages: readonly PartMessage[]): void;
  /** Goes on for at most so many instants. @returns whether it could go on further at once. */
  proceed(limit: number): boolean;
  /** Another part has failed at this time, in ticks: what is later is of no interest any more. */
  endAt(time: number): void;
  /** What it has to send. */
  take(): readonly Packet[];
  /** What has become final since the last call. */
  takeSendings(): readonly Sending[];
}

export function noStatistics(): PartStatistics {
  return {
    steps: 0,
    rolledBack: 0,
    repeated: 0,
    rollbacks: 0,
    letters: 0,
    antis: 0,
    promises: 0,
    kept: 0,
  };
}

/** Messages by receiver. */
export class Outbox {
  private readonly waiting = new Map<number, PartMessage[]>();

  put(to: number, message: PartMessage): void {
    const known = this.waiting.get(to);
    if (known === undefined) this.waiting.set(to, [message]);
    else if (message.kind === "promise" && known.at(-1)?.kind === "promise")
      known[known.length - 1] = message;
    else known.push(message);
  }

  take(): Packet[] {
    const packets = [...this.waiting].map(([to, messages]) => ({ to, messages }));
    this.waiting.clear();
    return packets;
  }
}
