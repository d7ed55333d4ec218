/**
 * Random numbers whose generator is data, so that it is saved and restored with the state that
 * holds it: sfc32 (C. Doty-Humphrey, PractRand), four words of 32 bits, seeded as its author does:
 * three words from the seed, then twelve numbers thrown away.
 */
export interface RandomState {
  a: number;
  b: number;
  c: number;
  count: number;
}

const WARM_UP = 12;

/** A generator from any seed; different seeds give independent streams. */
export function seeded(seed: number): RandomState {
  const state: RandomState = {
    a: 0,
    b: seed | 0,
    c: Math.floor(seed / 2 ** 32) | 0,
    count: 1,
  };
  for (let i = 0; i < WARM_UP; i++) nextWord(state);
  return state;
}

/** Uniform in [0, 1), 53 bits. Changes `state`. */
export function uniform(state: RandomState): number {
  const high = nextWord(state) >>> 5;
  const low = nextWord(state) >>> 6;
  return (high * 2 ** 26 + low) / 2 ** 53;
}

/** Exponentially distributed with that mean, by inversion: -mean · ln(1 - u). Changes `state`. */
export function exponential(state: RandomState, mean: number): number {
  return -mean * Math.log1p(-uniform(state));
}

function nextWord(state: RandomState): number {
  const result = (((state.a + state.b) | 0) + state.count) | 0;
  state.count = (state.count + 1) | 0;
  state.a = state.b ^ (state.b >>> 9);
  state.b = (state.c + (state.c << 3)) | 0;
  state.c = (((state.c << 21) | (state.c >>> 11)) + result) | 0;
  return result;
}

/** Standard normal, by Box and Muller (1958): sqrt(-2 ln u) cos(2 pi v). Changes `state`. */
export function standardNormal(state: RandomState): number {
  const radius = Math.sqrt(-2 * Math.log1p(-uniform(state)));
  return radius * Math.cos(2 * Math.PI * uniform(state));
}

/** A whole number in [0, n). Changes `state`. */
export function wholeBelow(state: RandomState, n: number): number {
  return Math.floor(n * uniform(state));
}

/** The numbers 0 … n - 1 in random order (Fisher and Yates). Changes `state`. */
export function shuffled(state: RandomState, n: number): Uint32Array {
  const order = Uint32Array.from({ length: n }, (_, i) => i);
  for (let i = n - 1; i > 0; i--) {
    const j = wholeBelow(state, i + 1);
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order;
}
