/**
 * Numbers that look random and come again from the same seed, so that every case of the stress test
 * can be repeated alone.
 */

/**
 * A stream of numbers from a seed and words that tell streams apart: the same case gets the same
 * numbers, whatever ran before it.
 */
export function randomFrom(seed, ...words) {
  let state = hash(`${seed}/${words.join("/")}`);
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const below = (n) => Math.floor(next() * n);
  return { next, below, pick: (list) => list[below(list.length)], chance: (p) => next() < p };
}

/** The list in another order, the same one for the same seed. */
export function shuffled(list, random) {
  const copy = [...list];
  for (let at = copy.length - 1; at > 0; at--) {
    const other = random.below(at + 1);
    [copy[at], copy[other]] = [copy[other], copy[at]];
  }
  return copy;
}

/** FNV-1a. */
function hash(text) {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at++)
    value = Math.imul(value ^ text.charCodeAt(at), 0x01000193) >>> 0;
  return value;
}
