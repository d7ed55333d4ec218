/**
 * What runs so far say about variants that were not run: a Gaussian process over choices (Rasmussen
 * and Williams, "Gaussian processes for machine learning", 2006). Two variants are the more alike
 * the fewer choices they differ in, and the less these choices matter:
 *
 *     k(a, b) = Π over points p where a and b differ of θ_p
 *
 * θ_p near 1: the choice at p does not matter; near 0: it changes everything. The θ are those under
 * which the scores seen are most likely, so the search learns which choices matter.
 */

import { choleskyFactor, choleskySolve } from "../../numerics/cholesky.ts";

/** A variant as the number of its choice at every point. */
export type Levels = readonly number[];

export interface Observation {
  readonly levels: Levels;
  readonly score: number;
}

export interface Prediction {
  readonly mean: number;
  readonly deviation: number;
}

export interface LearnedScores {
  /** By point, from 0 (does not matter) to 1 (changes everything): 1 - θ. */
  readonly matters: readonly number[];
  predict(levels: Levels): Prediction;
}

const CANDIDATES = [0.99, 0.9, 0.7, 0.4, 0.1] as const;
const SWEEPS = 3;
const PRIOR = 3;
/** Of a choice that was never run nothing is known, however little others matter. */
const UNSEEN = 0.3;
/** Of the variance of scores: runs are repeatable, and the model is not the truth. */
const NOISE = 1e-4;

/** @param points how many there are. */
export function learnScores(points: number, seen: readonly Observation[]): LearnedScores {
  const mean = seen.reduce((sum, { score }) => sum + score, 0) / Math.max(1, seen.length);
  let theta: number[] = Array.from({ length: points }, () => 0.4);
  let best = fit(seen, mean, theta);
  for (let sweep = 0; sweep < SWEEPS; sweep++)
    for (let p = 0; p < points; p++)
      for (const candidate of CANDIDATES) {
        const tried = theta.with(p, candidate);
        const found = fit(seen, mean, tried);
        if (found.likelihood <= best.likelihood + 1e-9) continue;
        theta = tried;
        best = found;
      }
  return {
    matters: theta.map((value) => 1 - value),
    predict(levels) {
      if (seen.length === 0) return { mean: 0, deviation: 1 };
      const own = theta.map((value, p) =>
        seen.some((one) => one.levels[p] === levels[p]) ? value : Math.min(value, UNSEEN),
      );
      const cross = Float64Array.from(seen, (one) => alike(one.levels, levels, own));
      const solved = cross.slice();
      choleskySolve(seen.length, best.factor, solved);
      const variance = best.variance * Math.max(0, 1 + NOISE - dot(cross, solved));
      return { mean: mean + dot(cross, best.weights), deviation: Math.sqrt(variance) };
    },
  };
}

function alike(a: Levels, b: Levels, theta: readonly number[]): number {
  return a.reduce((product, level, p) => (level === b[p] ? product : product * theta[p]), 1);
}

interface Fit {
  readonly likelihood: number;
  /** Of the kernel: the scale of the scores, in closed form. */
  readonly variance: number;
  readonly factor: Float64Array;
  readonly weights: Float64Array;
}

function fit(seen: readonly Observation[], mean: number, theta: readonly number[]): Fit {
  const n = seen.length;
  const factor = Float64Array.from({ length: n * n }, (_, at) => {
    const [i, j] = [Math.floor(at / n), at % n];
    return alike(seen[i].levels, seen[j].levels, theta) + (i === j ? NOISE : 0);
  });
  if (choleskyFactor(n, factor) !== -1) throw new Error("internal: a kernel is not definite");
  const residual = Float64Array.from(seen, ({ score }) => score - mean);
  const weights = residual.slice();
  choleskySolve(n, factor, weights);
  const sum = dot(residual, weights);
  // A prior of some observations with deviation 1/2 keeps the first few runs from claiming
  // certainty.
  const variance = (sum + PRIOR / 4) / (n + PRIOR);
  let logDeterminant = 0;
  for (let i = 0; i < n; i++) logDeterminant += 2 * Math.log(factor[i * n + i]);
  const likelihood = -0.5 * (n * Math.log(variance) + logDeterminant + sum / variance);
  return { likelihood, variance, factor, weights };
}

function dot(a: Float64Array, b: Float64Array): number {
  return a.reduce((sum, value, i) => sum + value * b[i], 0);
}

/** The probability that a normal variable is above `limit`. */
export function chanceAbove({ mean, deviation }: Prediction, limit: number): number {
  if (!(deviation > 0)) return mean > limit ? 1 : 0;
  return 0.5 * erfc((limit - mean) / (deviation * Math.SQRT2));
}

/** Abramowitz and Stegun, 7.1.26; 1.5e-7 is more than enough for a probability. */
function erfc(x: number): number {
  const t = 1 / (1 + 0.3275911 * Math.abs(x));
  const series =
    t *
    (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  const tail = series * Math.exp(-x * x);
  return x >= 0 ? tail : 2 - tail;
}
