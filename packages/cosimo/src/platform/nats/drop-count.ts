/**
 * Messages that were dropped: counted, with a line for the log for the first ones, then for every
 * doubling, so that no flood of them floods the log.
 */

const FULL_LINES = 10;

export class DropCount {
  total = 0;

  /** @returns the line for the log; undefined where there is none. */
  add(from: string, why: string): string | undefined {
    const total = ++this.total;
    if (total > FULL_LINES && (total & (total - 1)) !== 0) return undefined;
    return `dropped a message of ${from} (${total} so far): ${why}`;
  }
}
