/**
 * Looking for the next message for a while before sleeping, where messages follow each other at
 * once. Waking a thread that sleeps, on a core that sleeps with it, takes longer than a message
 * (bench/distributed.md); a step of a remote unit would do that six times. Between two looks other
 * threads may have the core, the one that is waited for among them. A thread that gets messages
 * rarely never looks for them.
 */
import { cFunction } from "../native/libc.ts";

/** Messages that are closer together follow each other at once. */
const QUICK_MS = 1;
/** A round trip through a server on the same machine, with some patience. */
const LOOK_MS = 0.5;

function giveWay(): () => unknown {
  return process.platform === "linux" ? cFunction("int sched_yield()") : () => undefined;
}

/** For a thread that may be blocked: looks until it is there, at most so long. */
export class BlockingLook {
  private readonly giveWay = giveWay();
  private isQuick = true;

  /** @returns whether it is there. */
  until(isThere: () => boolean, boundMs: number): boolean {
    if (!this.isQuick) return false;
    const end = performance.now() + Math.min(LOOK_MS, boundMs);
    do {
      if (isThere()) return true;
      this.giveWay();
    } while (performance.now() < end);
    return isThere();
  }

  /** How long it was waited for in the end. */
  waited(ms: number): void {
    this.isQuick = ms < QUICK_MS;
  }
}

/** For an event loop: between messages it does not sleep, but asks the system again and again. */
export class LoopLook {
  private readonly giveWay = giveWay();
  private last = Number.NEGATIVE_INFINITY;
  private end = 0;
  private isLooking = false;

  /** A message has come, or was sent and will be answered. */
  stir(): void {
    const now = performance.now();
    const isQuick = now - this.last < QUICK_MS;
    this.last = now;
    if (!isQuick) return;
    this.end = now + LOOK_MS;
    if (this.isLooking) return;
    this.isLooking = true;
    setImmediate(this.look);
  }

  private readonly look = (): void => {
    this.isLooking = performance.now() < this.end;
    if (!this.isLooking) return;
    this.giveWay();
    setImmediate(this.look);
  };
}
