/**
 * "Did you mean …?": the candidate closest to what was typed.
 */

/** The closest of `candidates`, or undefined when none is close enough to be a likely slip. */
export function nearest(typed: string, candidates: Iterable<string>): string | undefined {
  const wanted = typed.toLowerCase();
  const limit = Math.max(1, Math.floor(typed.length / 3));
  let best: string | undefined;
  let bestDistance = limit + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - typed.length) >= bestDistance) continue;
    const distance = editDistance(wanted, candidate.toLowerCase(), bestDistance);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/**
 * Insertions, deletions, substitutions and swaps of neighbours (the optimal string alignment
 * distance of Damerau and Levenshtein), row by row; stops early above `limit`.
 */
function editDistance(a: string, b: string, limit: number): number {
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    let [diagonal = 0] = previous;
    let last = i;
    for (const [j, up] of previous.slice(1).entries()) {
      const change = a[i - 1] === b[j] ? 0 : 1;
      const swapped = a[i - 1] === b[j - 1] && a[i - 2] === b[j];
      const swap = (swapped ? before[j - 1] : undefined) ?? Infinity;
      last = Math.min(up + 1, last + 1, diagonal + change, swap + 1);
      diagonal = up;
      current.push(last);
    }
    if (current.every((distance) => distance > limit)) return limit + 1;
    [before, previous] = [previous, current];
  }
  return previous.at(-1) ?? 0;
}
