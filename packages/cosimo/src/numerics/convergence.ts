/**
 * Judges a running iteration by the norms of its residuals, so that a hopeless one is left while
 * there is still something to be gained by a stronger method or a smaller step. Knows neither the
 * method nor the equations.
 */

/**
 * Growth this often in a row is no accident: one increase is normal when a method finds its
 * direction.
 */
const GROWTHS = 3;
/**
 * The rate is a mean over this many iterations, so that residuals which alternate are seen for what
 * they are.
 */
const RATE_WINDOW = 3;

export type Verdict = "converged" | "go-on" | "diverging" | "exhausted";

export class ConvergenceWatch {
  /** The norms of this iteration so far, for the report of a failure. */
  readonly history: number[] = [];
  private readonly tolerance: number;
  private readonly maxIterations: number;
  private readonly patience: number;
  private growths = 0;

  /**
   * `patience` is how many norms are seen before their rate is judged: few for fixed points; at
   * least the number of unknowns + 2 for Newton and Anderson, which may stagnate before they jump.
   */
  constructor(tolerance: number, maxIterations: number, patience = 0) {
    this.tolerance = tolerance;
    this.maxIterations = maxIterations;
    this.patience = Math.max(patience, RATE_WINDOW + 2);
  }

  /** Begins the iteration of another step. */
  start(): void {
    this.history.length = 0;
    this.growths = 0;
  }

  /**
   * Takes the norm of the next residual.
   * @returns "diverging" also for an iteration that shrinks, but too slowly for the iterations that
   * are left.
   */
  note(norm: number): Verdict {
    const { history } = this;
    const last = history.length === 0 ? norm : history[history.length - 1];
    history.push(norm);
    if (norm <= this.tolerance) return "converged";
    if (!Number.isFinite(norm)) return "diverging";
    this.growths = norm > last ? this.growths + 1 : 0;
    if (this.growths >= GROWTHS) return "diverging";
    const left = this.maxIterations - history.length;
    if (left <= 0) return "exhausted";
    const tooSlow = history.length >= this.patience && norm * this.rate ** left > this.tolerance;
    return tooSlow ? "diverging" : "go-on";
  }

  /**
   * By what factor one iteration shrinks the residual: the better of the last one and the mean of
   * the last few, since good methods speed up. Not a number before there are enough.
   */
  get rate(): number {
    const { history } = this;
    const newest = history.length - 1;
    const norm = history[newest];
    const mean = (norm / history[newest - RATE_WINDOW]) ** (1 / RATE_WINDOW);
    return Math.min(mean, norm / history[newest - 1]);
  }
}
