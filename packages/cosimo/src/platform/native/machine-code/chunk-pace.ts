/**
 * How many ticks to do before TypeScript gets control again. No fixed number suits all plans: a
 * thousand ticks of trivial FMUs take less time than the way in and out of the code, a thousand of
 * heavy ones keep Ctrl-C waiting for minutes.
 */

/** What a person does not notice, and a way in and out does not show in. */
const WANTED_MS = 5;
const MOST_TICKS = 1_000_000;
/** One lucky measurement must not lead to a long wait. */
const MOST_GROWTH = 10;

export const FIRST_CHUNK = 100;

/** After `ticks` ticks took `milliseconds`. */
export function nextChunk(ticks: number, milliseconds: number): number {
  const most = Math.min(MOST_TICKS, MOST_GROWTH * ticks);
  const wanted = milliseconds > 0 ? Math.round((ticks * WANTED_MS) / milliseconds) : most;
  return Math.max(1, Math.min(most, wanted));
}
