/**
 * When checkpoints are due: at multiples of a simulated time, which are the same in every run, or
 * whenever some wall time is over, which bounds what a crash can cost. The clock is given.
 */

export interface Rhythm {
  /** Simulated seconds from one to the next. */
  readonly every?: number;
  /** Wall seconds from one to the next. */
  readonly wall?: number;
}

/** Part of the rhythm by which a point may miss a due time and still be it. */
const ON_TIME = 1e-9;

export class CheckpointRhythm {
  private readonly every: number;
  private readonly wall: number;
  private readonly start: number;
  private readonly now: () => number;
  private next: number;
  private takenAt: number;

  /** @param now wall seconds from any moment on. */
  constructor({ every, wall }: Rhythm, start: number, now: () => number) {
    this.every = every ?? Number.POSITIVE_INFINITY;
    this.wall = wall ?? Number.POSITIVE_INFINITY;
    this.start = start;
    this.now = now;
    this.next = start + this.every;
    this.takenAt = now();
  }

  /** Simulated time; infinity where only the wall clock counts. */
  get nextTime(): number {
    return this.next;
  }

  isDue(time: number): boolean {
    return time >= this.next - ON_TIME * this.every || this.now() - this.takenAt >= this.wall;
  }

  /** One was taken, or a run goes on from one. */
  taken(time: number): void {
    this.takenAt = this.now();
    if (this.every === Number.POSITIVE_INFINITY) return;
    const passed = Math.floor((time - this.start) / this.every + ON_TIME);
    this.next = this.start + (passed + 1) * this.every;
  }
}
