/**
 * The end of several units: one that fails keeps no other from being disposed, and what it threw is
 * not lost.
 */

/** @returns what they threw. */
export function disposeAll(units: Iterable<{ dispose(): void }>): unknown[] {
  const thrown: unknown[] = [];
  for (const unit of units)
    try {
      unit.dispose();
    } catch (error) {
      thrown.push(error);
    }
  return thrown;
}
