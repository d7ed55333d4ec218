/**
 * Ends long computations when their time is up, wherever they are: kernels say how many operations
 * they are about to do, and now and then the clock is asked. A search then stops within a
 * factorization of a large matrix, not after it.
 *
 * The limit is that of the computation under way and no argument of every kernel: all of this is
 * synchronous, so there is one at a time.
 */

/** Thrown inside `withinTime`, and caught by it. */
class TimeIsUp extends Error {}

/**
 * About a millisecond: asking costs nothing beside it, and a budget of a tenth of a second holds.
 */
const ASKED_EVERY = 1e6;

let keepGoing: (() => boolean) | undefined;
let left = ASKED_EVERY;

/** Says that about so many operations follow. Does not return when the time is up. */
export function spend(operations: number): void {
  if (keepGoing === undefined) return;
  left -= operations;
  if (left > 0) return;
  left = ASKED_EVERY;
  if (!keepGoing()) throw new TimeIsUp("internal: the time of a computation is up");
}

/**
 * What `compute` gives, or what `otherwise` does when `going` said no in between. What `compute`
 * has stored by then stays; a limit around this one ends it too.
 */
export function withinTime<T, U>(
  going: () => boolean,
  compute: () => T,
  otherwise: () => U,
): T | U {
  const outer = keepGoing;
  keepGoing = outer === undefined ? going : () => outer() && going();
  left = ASKED_EVERY;
  try {
    return compute();
  } catch (error) {
    if (!(error instanceof TimeIsUp) || outer?.() === false) throw error;
    return otherwise();
  } finally {
    keepGoing = outer;
  }
}
