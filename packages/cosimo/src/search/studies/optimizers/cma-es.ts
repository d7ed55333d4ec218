/**
 * Covariance matrix adaptation (Hansen, "The CMA evolution strategy: a tutorial", 2016; names and
 * constants are those of its appendix), restarted with twice the population when it has converged
 * (Auger and Hansen, IPOP, 2005). The choice where nothing is known: it learns scales and
 * dependences of the factors, and every generation runs side by side.
 */
import { type RandomState, seeded, standardNormal, uniform } from "../../../numerics/random.ts";
import { svd } from "../../../numerics/svd.ts";
import {
  compareScores,
  isBetter,
  mirrored,
  type Score,
  type Search,
  type SearchOptions,
} from "./score.ts";

const FIRST_SIGMA = 0.3;
/** A population that is so large has seen enough. */
const MAX_GROWTH = 64;
/** So many restarts in a row that end where one ended before. */
const ENOUGH = 3;

export function* cmaEs(options: SearchOptions): Search {
  const { start, runs, seed, tolerance } = options;
  const n = start.length;
  const random = seeded(seed);
  const least = 4 + Math.floor(3 * Math.log(n));
  let left = runs;
  let best: Score | undefined;
  let again = 0;
  for (let growth = 1; left >= least * growth && growth <= MAX_GROWTH; growth *= 2) {
    const mean = growth === 1 ? start : start.map(() => uniform(random));
    const state = new Evolution(mean, least * growth, random);
    let top: Score | undefined;
    while (left >= state.size && !state.hasConverged(tolerance)) {
      const points = state.sample();
      const scores = yield points;
      left -= points.length;
      state.learn(scores);
      for (const score of scores) if (top === undefined || isBetter(score, top)) top = score;
    }
    if (top === undefined) break;
    // The same optimum from elsewhere with a larger population: there is hardly a better one.
    again = isClose(top, best) ? again + 1 : 0;
    if (best === undefined || isBetter(top, best)) best = top;
    if (again >= ENOUGH) return { why: "converged" };
  }
  return { why: left < least ? "runs" : "converged" };
}

function isClose(a: Score, b: Score | undefined): boolean {
  if (b === undefined) return false;
  return (
    a.violation === b.violation &&
    Math.abs(a.value - b.value) <= 1e-9 * (Math.abs(a.value) + Math.abs(b.value)) + 1e-12
  );
}

class Evolution {
  readonly size: number;
  private readonly n: number;
  private readonly random: RandomState;
  private mean: Float64Array;
  private sigma = FIRST_SIGMA;
  private readonly weights: readonly number[];
  private readonly mueff: number;
  private readonly covariance: Float64Array;
  private readonly pathC: Float64Array;
  private readonly pathSigma: Float64Array;
  /** Columns are eigenvectors of the covariance; `scales` are the roots of its eigenvalues. */
  private axes: Float64Array;
  private scales: Float64Array;
  private generation = 0;
  private steps: Float64Array[] = [];

  constructor(mean: Float64Array, size: number, random: RandomState) {
    const n = mean.length;
    this.n = n;
    this.size = size;
    this.random = random;
    this.mean = mean.slice();
    const mu = Math.floor(size / 2);
    const raw = Array.from({ length: mu }, (_, i) => Math.log((size + 1) / 2) - Math.log(i + 1));
    const sum = raw.reduce((a, b) => a + b, 0);
    this.weights = raw.map((w) => w / sum);
    this.mueff = 1 / this.weights.reduce((a, w) => a + w * w, 0);
    this.covariance = identity(n);
    this.axes = identity(n);
    this.scales = new Float64Array(n).fill(1);
    this.pathC = new Float64Array(n);
    this.pathSigma = new Float64Array(n);
  }

  hasConverged(tolerance: number): boolean {
    const widest = Math.max(...this.scales);
    const narrowest = Math.min(...this.scales);
    return this.sigma * widest < tolerance || !(narrowest > 1e-10 * widest);
  }

  sample(): Float64Array[] {
    const { n } = this;
    this.steps = Array.from({ length: this.size }, () => {
      const z = this.scales.map((scale) => scale * standardNormal(this.random));
      return new Float64Array(n).map((_, d) => dot(n, this.axes, d, z));
    });
    return this.steps.map((y) => mirrored(this.mean.map((m, d) => m + this.sigma * y[d])));
  }

  learn(scores: readonly Score[]): void {
    const { n, mueff, weights } = this;
    const order = this.steps.map((_, i) => i).sort((i, j) => compareScores(scores[i], scores[j]));
    const step = new Float64Array(n);
    for (const [i, w] of weights.entries())
      for (let d = 0; d < n; d++) step[d] += w * this.steps[order[i]][d];
    this.mean = mirrored(this.mean.map((m, d) => m + this.sigma * step[d]));
    const cs = (mueff + 2) / (n + mueff + 5);
    const damping = 1 + 2 * Math.max(0, Math.sqrt((mueff - 1) / (n + 1)) - 1) + cs;
    const cc = (4 + mueff / n) / (n + 4 + (2 * mueff) / n);
    const c1 = 2 / ((n + 1.3) ** 2 + mueff);
    const cmu = Math.min(1 - c1, (2 * (mueff - 2 + 1 / mueff)) / ((n + 2) ** 2 + mueff));
    // C^(-1/2) step = B D^-1 B' step.
    const inAxes = this.scales.map((scale, k) => {
      let sum = 0;
      for (let d = 0; d < n; d++) sum += this.axes[d * n + k] * step[d];
      return sum / scale;
    });
    const factor = Math.sqrt(cs * (2 - cs) * mueff);
    for (let d = 0; d < n; d++)
      this.pathSigma[d] = (1 - cs) * this.pathSigma[d] + factor * dot(n, this.axes, d, inAxes);
    const length = Math.hypot(...this.pathSigma);
    const expected = Math.sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n));
    this.generation++;
    const faded = Math.sqrt(1 - (1 - cs) ** (2 * this.generation));
    const isSteady = length / faded < (1.4 + 2 / (n + 1)) * expected;
    const forward = isSteady ? Math.sqrt(cc * (2 - cc) * mueff) : 0;
    for (let d = 0; d < n; d++) this.pathC[d] = (1 - cc) * this.pathC[d] + forward * step[d];
    const old = 1 - c1 - cmu + (isSteady ? 0 : c1 * cc * (2 - cc));
    for (let i = 0; i < n; i++)
      for (let j = 0; j <= i; j++) {
        let rank = 0;
        for (const [k, w] of weights.entries()) {
          const y = this.steps[order[k]];
          rank += w * y[i] * y[j];
        }
        const c =
          old * this.covariance[i * n + j] + c1 * this.pathC[i] * this.pathC[j] + cmu * rank;
        this.covariance[i * n + j] = c;
        this.covariance[j * n + i] = c;
      }
    this.sigma *= Math.exp(Math.min(1, (cs / damping) * (length / expected - 1)));
    this.decompose();
  }

  /** Of a symmetric matrix that is positive, singular vectors are eigenvectors. */
  private decompose(): void {
    const { n } = this;
    const { u, s } = svd(n, n, this.covariance);
    this.axes = u;
    this.scales = s.map((value) => Math.sqrt(Math.max(value, 1e-30)));
  }
}

function identity(n: number): Float64Array {
  return new Float64Array(n * n).map((_, i) => (i % (n + 1) === 0 ? 1 : 0));
}

/** Row `d` of a matrix times a vector. */
function dot(n: number, matrix: Float64Array, d: number, vector: Float64Array): number {
  let sum = 0;
  for (let k = 0; k < n; k++) sum += matrix[d * n + k] * vector[k];
  return sum;
}
