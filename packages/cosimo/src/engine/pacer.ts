/**
 * Real time: keeps a run from being ahead of the wall clock, and counts where it is behind. The
 * clock and the way to wait are given, so that tests need no patience.
 */

export interface PaceReport {
  /** Simulated seconds per wall second that are requested. */
  readonly factor: number;
  readonly points: number;
  /** Points that were reached too late. */
  readonly overruns: number;
  /** Worst lateness, wall seconds. */
  readonly worstSeconds: number;
}

export interface PaceClock {
  /** Wall seconds. */
  now(): number;
  sleep(seconds: number): Promise<void>;
}

/** Lateness below this is the clock's grain, not an overrun. */
const GRAIN_SECONDS = 1e-3;

export class Pacer {
  private readonly factor: number;
  private readonly clock: PaceClock;
  private readonly start: number;
  private began: number | undefined;
  private points = 0;
  private overruns = 0;
  private worst = 0;

  constructor(factor: number, start: number, clock: PaceClock) {
    this.factor = factor;
    this.start = start;
    this.clock = clock;
  }

  /**
   * Waits until the wall clock has come to simulated time `time`. The first call starts the clock.
   */
  async wait(time: number): Promise<void> {
    this.began ??= this.clock.now() - (time - this.start) / this.factor;
    const late = this.clock.now() - (this.began + (time - this.start) / this.factor);
    this.points++;
    if (late < 0) {
      await this.clock.sleep(-late);
      return;
    }
    if (late > GRAIN_SECONDS) this.overruns++;
    this.worst = Math.max(this.worst, late);
  }

  /** After a pause: the clock restarts with the next point. */
  restart(): void {
    this.began = undefined;
  }

  report(): PaceReport {
    return {
      factor: this.factor,
      points: this.points,
      overruns: this.overruns,
      worstSeconds: this.worst,
    };
  }
}
