/**
 * Steps that are not all of one size: what a coupling does when every step may be a little shorter or longer than meant. A stable map at
 * both ends does not say that changing between them is stable; sequences of steps are tried, and bounds over all sequences of these sizes are sought.
 */
import { spectralRadius } from "../numerics/eigenvalues.ts";
import { multiply } from "../numerics/matrix.ts";
import type { OneStepMap } from "./one-step-map.ts";
import { type ReducedMap, reduceMaps } from "./spectrum.ts";

export interface JitterReport {
  /** Part of the step. */
  readonly jitter: number;
  /** Step sizes that were looked at, with the radius when all steps are of that size. */
  readonly sizes: readonly { readonly step: number; readonly radius: number }[];
  /** The fastest growth a step that was met in sampled sequences. */
  readonly sampled: number;
  readonly verdict: string;
}

const WORDS = 400;
const LONGEST_WORD = 24;

/** @param mapAt of the chosen master, all in the same coordinates. */
export function jitterReport(
  mapAt: (step: number) => OneStepMap,
  step: number,
  jitter: number,
): JitterReport {
  const steps = [step * (1 - jitter), step, step * (1 + jitter)];
  const maps = reduceMaps(steps.map(mapAt));
  const sizes = steps.map((size, k) => ({ step: size, radius: radius(maps[k]!) }));
  const sampled = Math.max(sampleWords(maps), ...sizes.map((size) => size.radius));
  const verdict = `steps that vary by ${100 * jitter} %: ${sampled}`;
  return { jitter, sizes, sampled, verdict };
}

function radius({ size, matrix }: ReducedMap): number {
  return size === 0 ? 0 : spectralRadius(size, matrix);
}

/** Largest ρ(product)^(1/length) over words drawn at random. */
function sampleWords(maps: readonly ReducedMap[]): number {
  const { size } = maps[0]!;
  if (size === 0) return 0;
  let state = 1;
  let most = 0;
  for (let word = 0; word < WORDS; word++) {
    const length = 2 + (word % (LONGEST_WORD - 1));
    let product: Float64Array | undefined;
    for (let k = 0; k < length; k++) {
      state = (state * 48271) % 2147483647;
      const { matrix } = maps[state % maps.length]!;
      const next = new Float64Array(size * size);
      if (product) multiply(size, matrix, product, next);
      else next.set(matrix);
      product = next;
    }
    most = Math.max(most, spectralRadius(size, product!) ** (1 / length));
  }
  return most;
}
