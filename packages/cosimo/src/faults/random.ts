/**
 * Random numbers by position: the k-th sample of a fault is a function of its seed and of k.
 * Nothing is carried from sample to sample, so a step that is repeated, a run that is resumed and
 * every executor see the same numbers.
 */

/**
 * Finalizer of MurmurHash3 for 32 bits (A. Appleby, public domain): every bit of `h` changes half
 * of the bits of the result.
 */
function mix(h: number): number {
  let x = h | 0;
  x ^= x >>> 16;
  x = Math.imul(x, 0x85ebca6b);
  x ^= x >>> 13;
  x = Math.imul(x, 0xc2b2ae35);
  return (x ^ (x >>> 16)) >>> 0;
}

const GOLDEN = 0x9e3779b9;
const HIGH = 2 ** 32;

/**
 * In (0, 1), with 53 random bits. @param stream tells apart what has the same seed: elements, and
 * draws of one sample.
 */
export function uniform(seed: number, stream: number, index: number): number {
  let h = mix(seed + GOLDEN);
  h = mix(h ^ mix(Math.floor(seed / HIGH) + stream * GOLDEN));
  h = mix(h ^ mix(index));
  h = mix(h + Math.floor(index / HIGH));
  const low = mix(h + GOLDEN);
  return ((h >>> 5) * 2 ** 26 + (low >>> 6) + 0.5) / 2 ** 53;
}

/** A standard normal deviate (Box and Muller, 1958): sqrt(-2 ln u) cos(2 pi v). */
export function normal(seed: number, stream: number, index: number): number {
  const u = uniform(seed, 2 * stream, index);
  const v = uniform(seed, 2 * stream + 1, index);
  return Math.sqrt(-2 * Math.log(u)) * Math.cos(2 * Math.PI * v);
}
