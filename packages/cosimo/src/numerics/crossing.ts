/**
 * Locates where a function changes its sign: thresholds and events inside a step.
 *
 * The Illinois variant of regula falsi: keeps a bracket, needs no derivative, converges
 * superlinearly. Dowell & Jarratt 1971. Where one evaluation is a repeated co-simulation step,
 * every one counts: a trial that would end closer to a bracket's end than the answer needs moves
 * just beyond it, and a bracket that does not shrink is halved.
 */

/**
 * Far more than any bracket of doubles needs; a function that is not deterministic must not hang a
 * run.
 */
const MAX_TRIALS = 200;
/**
 * Where the function is nearly straight, three trials of Illinois halve the bracket many times
 * over.
 */
const PATIENCE = 3;
/**
 * Where it proved not to be, as at a jump, every second trial halves the bracket until Illinois
 * does better.
 */
const IMPATIENCE = 1;

export interface CrossingTolerance {
  /** A bracket no wider than this is narrow enough; 0 goes to the last bit. */
  readonly time: number;
  /** A value beyond the crossing of at most this size is close enough. */
  readonly value: number;
}

/** Two times around the crossing, with what the function is there. */
export interface CrossingBracket {
  before: number;
  gBefore: number;
  after: number;
  gAfter: number;
}

/**
 * The search, driven from outside: evaluate at `next`, `tell` the value, until done. The answer is
 * `bracket.after`, where the function has changed its sign; it is the end given or one of the
 * trials, not always the last of them.
 */
export class CrossingSearch {
  readonly bracket: CrossingBracket;
  private readonly tolerance: CrossingTolerance;
  /** The values that the secant is drawn through; halved at an end that stays. */
  private weightBefore: number;
  private weightAfter: number;
  private lastMoved: "before" | "after" | undefined;
  private trials = 0;
  private widthToHalve: number;
  private trialsToHalve = PATIENCE;
  private trial = Number.NaN;

  /**
   * @throws Error unless `gLow` lies strictly on one side of zero, and `gHigh` on zero or beyond.
   */
  constructor(
    tLow: number,
    gLow: number,
    tHigh: number,
    gHigh: number,
    tolerance: CrossingTolerance,
  ) {
    if (!(tLow < tHigh && (gLow < 0 ? gHigh >= 0 : gLow > 0 && gHigh <= 0))) {
      throw new Error(`internal: no crossing from ${gLow} at ${tLow} to ${gHigh} at ${tHigh}`);
    }
    this.bracket = { before: tLow, gBefore: gLow, after: tHigh, gAfter: gHigh };
    this.tolerance = tolerance;
    this.weightBefore = gLow;
    this.weightAfter = gHigh;
    this.widthToHalve = tHigh - tLow;
    this.choose();
  }

  /** Where to evaluate next; not a number when done. */
  get next(): number {
    return this.trial;
  }

  get done(): boolean {
    return Number.isNaN(this.trial);
  }

  /**
   * Takes the value at `next`; one that is not a number counts as beyond the crossing. Returns
   * whether the search is done.
   */
  tell(g: number): boolean {
    const { bracket } = this;
    const crossed = bracket.gBefore > 0 ? !(g > 0) : !(g < 0);
    if (crossed) {
      if (this.lastMoved === "after") this.weightBefore /= 2;
      this.lastMoved = "after";
      bracket.after = this.trial;
      bracket.gAfter = this.weightAfter = g;
    } else {
      if (this.lastMoved === "before") this.weightAfter /= 2;
      this.lastMoved = "before";
      bracket.before = this.trial;
      bracket.gBefore = this.weightBefore = g;
    }
    this.trials++;
    this.choose();
    return this.done;
  }

  private choose(): void {
    const { before, after, gAfter } = this.bracket;
    const width = after - before;
    const { time, value } = this.tolerance;
    this.trial = Number.NaN;
    if (!(width > time) || Math.abs(gAfter) <= value || this.trials >= MAX_TRIALS) return;
    const half = before + width / 2;
    let t = after - (this.weightAfter * width) / (this.weightAfter - this.weightBefore);
    if (this.trialsToHalve >= 0 && width <= this.widthToHalve / 2) this.expectHalf(PATIENCE);
    else if (this.trialsToHalve < 0) this.expectHalf(IMPATIENCE);
    if (this.trialsToHalve-- === 0) t = half;
    t = Math.min(Math.max(t, before + time / 2), after - time / 2);
    if (!(t > before && t < after)) t = half;
    if (t > before && t < after) this.trial = t;
  }

  private expectHalf(trials: number): void {
    this.widthToHalve = this.bracket.after - this.bracket.before;
    this.trialsToHalve = trials;
  }
}

/**
 * The far end of a bracket narrower than `tolerance` (or as narrow as doubles allow) in which `g`
 * changes its sign. `ga` and `gb` are g(a) and g(b): one strictly on one side of zero, `gb` zero or
 * on the other.
 */
export function locateCrossing(
  g: (t: number) => number,
  a: number,
  ga: number,
  b: number,
  gb: number,
  tolerance: number,
): number {
  const search = new CrossingSearch(a, ga, b, gb, { time: tolerance, value: 0 });
  while (!search.done) search.tell(g(search.next));
  return search.bracket.after;
}

/**
 * Whether a function with the same sign at both ends of a step may have crossed zero twice in
 * between: where, as a fraction of the step, the cubic through its values and derivatives reaches
 * zero or beyond; undefined where it does not.
 */
export function mayHideTwoCrossings(
  g0: number,
  dg0: number,
  g1: number,
  dg1: number,
  h: number,
): number | undefined {
  const sign = Math.sign(g0);
  if (sign === 0 || sign !== Math.sign(g1)) return undefined;
  // Mirrored to positive ends: p(s) = p0 + m0 s + c2 s² + c3 s³, whose minimum is the dangerous
  // point.
  const p0 = sign * g0;
  const rise = sign * (g1 - g0);
  const m0 = sign * h * dg0;
  const m1 = sign * h * dg1;
  const c2 = 3 * rise - 2 * m0 - m1;
  const c3 = m0 + m1 - 2 * rise;
  const discriminant = c2 * c2 - 3 * c3 * m0;
  if (!(discriminant > 0)) return undefined;
  const root = Math.sqrt(discriminant);
  // The zero of p' with p'' > 0, in the form that does not cancel.
  const s = c2 > 0 ? -m0 / (c2 + root) : (root - c2) / (3 * c3);
  if (!(s > 0 && s < 1)) return undefined;
  return p0 + s * (m0 + s * (c2 + s * c3)) <= 0 ? s : undefined;
}
