/**
 * The process that started the parts of a model hears them, computes commit times, and puts the
 * trace together. Of failures the earliest counts.
 */
import { UnitError, type UnitFailure } from "../../base/outcome.ts";
import { GvtController } from "../../parallel/gvt.ts";
import { mergeSendings, type Sending } from "../../parallel/part.ts";
import type { PartStatistics } from "../../parallel/protocol.ts";
import { compareStamps } from "../../parallel/stamp.ts";
import type { FromPart, ToPart } from "./thread-messages.ts";

export interface PartsResult {
  readonly sendings: readonly Sending[];
  readonly transitions: number;
  readonly states: ReadonlyMap<string, unknown>;
  readonly statistics: readonly PartStatistics[];
  /** Computations of the commit time. */
  readonly rounds: number;
}

type Finished = Extract<FromPart, { readonly kind: "finished" }>;
type Failed = Extract<FromPart, { readonly kind: "failed" }>;

export class CollectedParts {
  private readonly count: number;
  private readonly isOptimistic: boolean;
  private readonly tell: (to: number, message: ToPart) => void;
  private readonly controller: GvtController;
  private readonly sendings: Sending[][];
  private readonly finished = new Map<number, Finished>();
  private readonly failed = new Map<number, Failed>();

  constructor(count: number, isOptimistic: boolean, tell: (to: number, message: ToPart) => void) {
    this.count = count;
    this.isOptimistic = isOptimistic;
    this.tell = tell;
    this.controller = new GvtController(count);
    this.sendings = Array.from({ length: count }, () => []);
  }

  hasFinished(part: number): boolean {
    return this.finished.has(part);
  }

  /** @returns the result, with the last word of the last part. @throws what ended the run. */
  hear(from: number, message: FromPart): PartsResult | undefined {
    const { controller, tell } = this;
    switch (message.kind) {
      case "messages":
        controller.receive(from, message.messages);
        for (const { to, messages } of controller.take()) tell(to, { kind: "messages", messages });
        return undefined;
      case "sendings":
        for (const one of message.sendings) this.sendings[from]?.push(one);
        return undefined;
      case "finished":
        this.finished.set(from, message);
        break;
      case "failed":
        this.failed.set(from, message);
        // Others may have failed earlier, and not know it yet.
        for (let to = 0; to < this.count; to++)
          tell(to, { kind: "end-at", time: message.stamp.time });
        break;
    }
    return this.end();
  }

  private end(): PartsResult | undefined {
    const { failed, finished, count, isOptimistic } = this;
    const isOver = finished.size + failed.size === count;
    const [first] = [...failed.values()].sort((a, b) => compareStamps(a.stamp, b.stamp));
    if (first === undefined) return isOver ? this.result() : undefined;
    if (!isOver && !isOptimistic) return undefined;
    throw errorOf(first.failure, first.text);
  }

  private result(): PartsResult {
    const ends = [...this.finished].sort(([a], [b]) => a - b).map(([, one]) => one);
    return {
      sendings: mergeSendings(this.sendings),
      transitions: ends.reduce((sum, one) => sum + one.transitions, 0),
      states: new Map(ends.flatMap(({ states }) => [...states])),
      statistics: ends.map(({ statistics }) => statistics),
      rounds: this.controller.round,
    };
  }
}

function errorOf(failure: UnitFailure | undefined, text: string): Error {
  return failure === undefined ? new Error(text) : new UnitError(failure);
}
