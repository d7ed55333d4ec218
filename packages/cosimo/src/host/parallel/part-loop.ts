/**
 * A part at work, wherever it is: it goes on for a moment, then says what it has to say, and
 * whatever arrives meanwhile is taken before it goes on again.
 */
import { UnitError } from "../../base/outcome.ts";
import type { Packet, Runner } from "../../parallel/protocol.ts";
import type { FromPart } from "./thread-messages.ts";

export interface PartLoopOptions {
  readonly runner: Runner;
  readonly send: (packet: Packet) => void;
  readonly say: (message: FromPart) => void;
  /** Takes what has arrived. */
  readonly listen?: () => void;
  /** What was sent in a turn may leave. */
  readonly flush?: () => void;
}

/** Instants, and milliseconds, between two looks at what has arrived. */
const LIMIT = 64;
const PATIENCE = 0.2;
/** What became final is passed on in pieces. */
const MOST_SENDINGS = 4096;

export class PartLoop {
  private readonly options: PartLoopOptions;
  private isScheduled = false;
  private isOver = false;

  constructor(options: PartLoopOptions) {
    this.options = options;
  }

  /** Something has arrived, or it begins. */
  schedule(): void {
    if (this.isScheduled || this.isOver) return;
    this.isScheduled = true;
    setImmediate(() => this.work());
  }

  end(): void {
    this.isOver = true;
  }

  private work(): void {
    if (this.isOver) return;
    const { runner, listen, send, flush } = this.options;
    this.isScheduled = false;
    listen?.();
    const begin = performance.now();
    let hasMore = true;
    for (let k = 0; k < LIMIT && hasMore && performance.now() - begin < PATIENCE; k++)
      hasMore = runner.proceed(1);
    for (const packet of runner.take()) send(packet);
    this.report();
    flush?.();
    if (hasMore) this.schedule();
  }

  private report(): void {
    const { runner, say } = this.options;
    const sendings = runner.takeSendings();
    for (let k = 0; k < sendings.length; k += MOST_SENDINGS)
      say({ kind: "sendings", sendings: sendings.slice(k, k + MOST_SENDINGS) });
    const { failure, statistics, transitions } = runner;
    if (this.isOver || !(failure !== undefined || runner.isFinished)) return;
    this.isOver = true;
    if (failure === undefined)
      say({ kind: "finished", statistics, transitions, states: runner.states });
    else {
      const { stamp, error } = failure;
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      const known = error instanceof UnitError ? error.failure : undefined;
      say({ kind: "failed", stamp, failure: known, text });
    }
  }
}
