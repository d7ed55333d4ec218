/**
 * Threads on a machine that others use too. That a core is free cannot be promised: threads that
 * wait for a core lose what they were to gain. So what they take is compared with what one thread
 * takes, which has to show it first; and when they lose several times in a row one thread goes on
 * alone for a while, longer each time: a busy machine tends to stay so.
 */
import type { Clock } from "../../../engine/profile.ts";
import { DEFAULT_CHUNK, type Executor, type RowSink } from "../../../engine/run-plan.ts";

const LOSSES = 5;
/** Runs (chunks of ticks) of the first rest, and of the longest. */
const FIRST_REST = 8;
const LONGEST_REST = 512;

export class WhileItPays implements Executor {
  readonly name = "machine-code";
  private readonly threads: Executor;
  private readonly alone: Executor;
  private aloneSeconds: number | undefined;
  private readonly clock: Clock;
  private losses = 0;
  private rest = 0;
  private nextRest = FIRST_REST;
  private ticks = 0;
  private restedTicks = 0;

  /** @param aloneSeconds what one thread takes for a tick, where it is known. */
  constructor(threads: Executor, alone: Executor, clock: Clock, aloneSeconds?: number) {
    this.threads = threads;
    this.alone = alone;
    this.aloneSeconds = aloneSeconds;
    this.clock = clock;
  }

  get preferredChunk(): number {
    const isAlone = this.rest > 0 || this.aloneSeconds === undefined;
    return (isAlone ? this.alone : this.threads).preferredChunk ?? DEFAULT_CHUNK;
  }

  /** Part of the ticks that one thread did alone. */
  get restedShare(): number {
    return this.ticks === 0 ? 0 : this.restedTicks / this.ticks;
  }

  run(first: number, count: number, sink: RowSink): void {
    const isAlone = this.rest > 0 || this.aloneSeconds === undefined;
    const began = this.clock();
    (isAlone ? this.alone : this.threads).run(first, count, sink);
    const seconds = (this.clock() - began) / count;
    this.ticks += count;
    if (!isAlone) this.judge(seconds, this.aloneSeconds!);
    else {
      // A rest is a chance to look again, without forgetting at once what was.
      this.aloneSeconds = (seconds + (this.aloneSeconds ?? seconds)) / 2;
      if (this.rest === 0) return;
      this.rest--;
      this.restedTicks += count;
    }
  }

  dispose(): void {
    this.threads.dispose();
    this.alone.dispose();
  }

  private judge(seconds: number, aloneSeconds: number): void {
    if (seconds <= aloneSeconds) {
      this.losses = 0;
      return;
    }
    this.losses++;
    if (this.losses < LOSSES) return;
    this.losses = 0;
    this.rest = this.nextRest;
    this.nextRest = Math.min(LONGEST_REST, 2 * this.nextRest);
  }
}
