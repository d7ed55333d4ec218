/**
 * Accelerators for u = G(u), where one evaluation of G is a whole co-simulation step of several
 * units: few evaluations matter, arithmetic does not. All work on the residual r = G(u) − u, scaled
 * by the caller so that norms are plain.
 *
 * None keeps anything over `reset`, though codes for fluid-structure interaction like to: a step
 * then depends on nothing but its start, so a repeated, a rolled back and a resumed step take the
 * same iterations, bit for bit. Aitken: Küttler & Wall 2008. Anderson, also known as IQN-ILS:
 * Degroote et al. 2009, Walker & Ni 2011. Nothing allocates.
 */

export interface Accelerator {
  readonly name: "plain" | "aitken" | "anderson";
  /** Writes the iterate after `u`, whose residual is `r`, to `next`, which may be `u`. */
  next(u: Float64Array, r: Float64Array, next: Float64Array): void;
  /** Forgets the iterations of this step. */
  reset(): void;
}

/** The most that a relaxation may over-relax; a larger factor is made of rounding. */
const MAX_RELAXATION = 100;
/**
 * A column of which less than this part is new says nothing that the newer columns do not say
 * better.
 */
const DEPENDENT = 1e-7;
const DEFAULT_DEPTH = 8;

/** u + relaxation · r. */
export function plainIteration(n: number, relaxation = 1): Accelerator {
  return {
    name: "plain",
    next: (u, r, next) => {
      for (let i = 0; i < n; i++) next[i] = u[i] + relaxation * r[i];
    },
    reset: () => {},
  };
}

/**
 * Relaxation by one factor that follows the secant of the last two residuals. A step starts with
 * `first`, and where the residuals show no direction the last factor stays.
 */
export function aitkenIteration(n: number, first = 0.5): Accelerator {
  const before = new Float64Array(n);
  let factor = first;
  let started = false;
  return {
    name: "aitken",
    next: (u, r, next) => {
      if (started) factor = secantFactor(n, factor, before, r);
      started = true;
      for (let i = 0; i < n; i++) {
        before[i] = r[i];
        next[i] = u[i] + factor * r[i];
      }
    },
    reset: () => {
      factor = first;
      started = false;
    },
  };
}

function secantFactor(n: number, factor: number, before: Float64Array, r: Float64Array): number {
  let along = 0;
  let change = 0;
  for (let i = 0; i < n; i++) {
    const difference = r[i] - before[i];
    along += before[i] * difference;
    change += difference * difference;
  }
  const found = (-factor * along) / change;
  if (found === 0 || !Number.isFinite(found)) return factor;
  return Math.max(-MAX_RELAXATION, Math.min(MAX_RELAXATION, found));
}

/**
 * The least-squares secant method over the last `depth` differences of residuals: it needs no
 * derivative and ends on linear problems after at most n + 1 iterations, whatever the slope of G.
 */
export function andersonIteration(
  n: number,
  depth: number = Math.min(n, DEFAULT_DEPTH),
): Accelerator {
  return new Anderson(n, Math.max(1, Math.min(n, depth)));
}

class Anderson implements Accelerator {
  readonly name = "anderson";
  private readonly n: number;
  private readonly depth: number;
  /**
   * Differences of residuals and of images G(u) between successive iterations: rings of columns.
   */
  private readonly residualChanges: Float64Array;
  private readonly imageChanges: Float64Array;
  private readonly lastResidual: Float64Array;
  private readonly lastImage: Float64Array;
  /**
   * The orthonormal columns of the kept residual changes, and the triangle that they are made with.
   */
  private readonly q: Float64Array;
  private readonly triangle: Float64Array;
  private readonly kept: Int32Array;
  private readonly weights: Float64Array;
  private iterations = 0;

  constructor(n: number, depth: number) {
    this.n = n;
    this.depth = depth;
    this.residualChanges = new Float64Array(n * depth);
    this.imageChanges = new Float64Array(n * depth);
    this.lastResidual = new Float64Array(n);
    this.lastImage = new Float64Array(n);
    this.q = new Float64Array(n * depth);
    this.triangle = new Float64Array(depth * depth);
    this.kept = new Int32Array(depth);
    this.weights = new Float64Array(depth);
  }

  reset(): void {
    this.iterations = 0;
  }

  next(u: Float64Array, r: Float64Array, next: Float64Array): void {
    const { n, lastResidual, lastImage, imageChanges, kept, weights } = this;
    if (this.iterations > 0) this.remember(u, r);
    for (let i = 0; i < n; i++) {
      lastResidual[i] = r[i];
      lastImage[i] = u[i] + r[i];
    }
    this.iterations++;
    const rank = this.factor();
    this.solve(rank, r);
    for (let i = 0; i < n; i++) next[i] = lastImage[i];
    for (let c = 0; c < rank; c++) {
      const column = kept[c] * n;
      for (let i = 0; i < n; i++) next[i] -= weights[c] * imageChanges[column + i];
    }
  }

  private remember(u: Float64Array, r: Float64Array): void {
    const { n, lastResidual, lastImage } = this;
    const column = ((this.iterations - 1) % this.depth) * n;
    for (let i = 0; i < n; i++) {
      this.residualChanges[column + i] = r[i] - lastResidual[i];
      this.imageChanges[column + i] = u[i] + r[i] - lastImage[i];
    }
  }

  /** Modified Gram–Schmidt, newest column first so that old ones give way. Returns the rank. */
  private factor(): number {
    const { n, depth, q, triangle, kept, residualChanges } = this;
    const columns = Math.min(this.iterations - 1, depth);
    let rank = 0;
    for (let age = 1; age <= columns; age++) {
      const column = (this.iterations - 1 - age) % depth;
      const to = rank * n;
      for (let i = 0; i < n; i++) q[to + i] = residualChanges[column * n + i];
      const size = norm(n, q, to);
      for (let c = 0; c < rank; c++) {
        const part = dot(n, q, c * n, q, to);
        triangle[c * depth + rank] = part;
        for (let i = 0; i < n; i++) q[to + i] -= part * q[c * n + i];
      }
      const rest = norm(n, q, to);
      if (!(rest > DEPENDENT * size)) continue;
      for (let i = 0; i < n; i++) q[to + i] /= rest;
      triangle[rank * depth + rank] = rest;
      kept[rank] = column;
      rank++;
    }
    return rank;
  }

  /** The weights with which the kept residual changes come closest to `r`. */
  private solve(rank: number, r: Float64Array): void {
    const { n, depth, q, triangle, weights } = this;
    for (let c = rank - 1; c >= 0; c--) {
      let sum = dot(n, q, c * n, r, 0);
      for (let k = c + 1; k < rank; k++) sum -= triangle[c * depth + k] * weights[k];
      weights[c] = sum / triangle[c * depth + c];
    }
  }
}

function dot(n: number, a: Float64Array, atA: number, b: Float64Array, atB: number): number {
  let sum = 0;
  for (let i = 0; i < n; i++) sum += a[atA + i] * b[atB + i];
  return sum;
}

function norm(n: number, a: Float64Array, at: number): number {
  return Math.sqrt(dot(n, a, at, a, at));
}
