/**
 * Steps as long as the errors allow. An estimator says how large the error of a step was, a PI law
 * how long the next one may be. Where all units can go back, a step that was too long is rejected;
 * where they cannot, only the next one is shorter.
 *
 * A defect (error-estimator.ts) acts as long as its step lasts. A step that had to become far
 * shorter than the one before, because something turned or jumped inside it, is therefore measured
 * by the time it takes: its defect may be larger by as much as the step is shorter than the one
 * that was tried first. After it nothing before it is believed any more.
 */
import { StepController } from "../../numerics/step-controller.ts";
import type { ControlSettings } from "../../plan/master-settings.ts";
import type { Coupling } from "./coupling.ts";
import { DifferenceLimits, limitFactor } from "./difference-limits.ts";
import { type ErrorEstimator, Tolerances } from "./error-estimator.ts";
import { estimatorFor } from "./estimator-for.ts";
import type { MasterStatistics } from "./master-statistics.ts";
import { FirstStep } from "./milne.ts";
import { RequestedPoints, sameInstant } from "./requested-points.ts";
import { EARLY, REACHED, type StepControl, type Taken } from "./step-control.ts";
import { type StepMethod, StepTooSmall } from "./step-method.ts";

/** How much longer than the last one a step may be. */
const GROWTH = 2;
/**
 * The same while steps are shorter than the experiment's, and there is no experience with their
 * size, and they can be rolled back: up to there the author has said how long steps may be.
 */
const STARTING_GROWTH = 5;
const MIN_FACTOR = 0.2;
/** Rejections in a row after which something in the step counts as a discontinuity. */
const DISCONTINUITY = 3;
/**
 * The error of a step that was shortened to be good and contains the discontinuity is at least
 * this: where a signal jumps, turns or bends, errors fall with the first, second or third power of
 * the step. That of a step that ends before it is far smaller.
 */
const PASSED = MIN_FACTOR ** 3;
/** Sizes that differ by rounding are one size. */
const ROUNDING = 1e-9;

export class AdaptiveControl implements StepControl {
  readonly needsRollback: boolean;
  private readonly coupling: Coupling;
  private readonly method: StepMethod;
  private readonly statistics: MasterStatistics;
  private readonly settings: ControlSettings;
  private readonly stop: number;
  private readonly requested: RequestedPoints;
  private readonly limits: DifferenceLimits;
  private readonly estimator: ErrorEstimator;
  private readonly firstStep: FirstStep;
  private readonly law: StepController;
  private readonly startingLaw: StepController;
  private readonly pessimistic: boolean;
  private readonly errorOfUnit: Float64Array;
  /** The size of the first step. What cannot be rolled back starts with care. */
  private readonly first: number;
  /** The size that the next step should have. */
  private step: number;
  /** There is no experience with the size of steps yet. */
  private starting = true;
  /** The last step that was tried had no past. */
  private isFirst = false;
  /** The size of the step that met a discontinuity, until that is passed; 0: none is near. */
  private tried = 0;
  /**
   * The step that was proposed passes a requested point at which something jumps, and nothing else.
   */
  private jumpsAtEnd = false;
  /**
   * The input whose error last made a step go back (-1: none), its error in the last step, and
   * where the step was to end.
   */
  private culprit = -1;
  private culpritError = 0;
  private suspect = 0;
  private beforeRejection: Float64Array = new Float64Array(7);
  /** The size of the last step. */
  private last = 0;
  private acceptedSteps = 0;
  private rejections = 0;
  /** The last step that was tried is part of an event. */
  private isEvent = false;
  /** It is too short for its error to say anything about the next step. */
  private isUnjudged = false;
  /** Of the last step that was tried, relative to what is allowed. */
  private error = 0;
  private difference = 0;

  constructor(
    coupling: Coupling,
    method: StepMethod,
    stop: number,
    settings: ControlSettings,
    statistics: MasterStatistics,
  ) {
    this.coupling = coupling;
    this.method = method;
    this.statistics = statistics;
    this.settings = settings;
    this.stop = stop;
    const { plan } = coupling.state;
    this.requested = new RequestedPoints(coupling.plan.points, plan);
    this.limits = new DifferenceLimits(coupling);
    const tolerances = new Tolerances(coupling, settings);
    this.estimator = estimatorFor(settings.estimator, coupling, method, tolerances);
    this.firstStep = new FirstStep(coupling, method, tolerances);
    const order = this.estimator.exponent - 1;
    this.pessimistic =
      settings.rejection === "pessimistic" ||
      (settings.rejection === "auto" && coupling.canRollBackAll);
    this.law = new StepController({ order, maxFactor: GROWTH, minFactor: MIN_FACTOR });
    this.startingLaw = new StepController({
      order,
      maxFactor: this.pessimistic ? STARTING_GROWTH : GROWTH,
      minFactor: MIN_FACTOR,
    });
    this.needsRollback = this.pessimistic || this.estimator.needsRollback;
    this.errorOfUnit = new Float64Array(coupling.units.length);
    const guess = this.pessimistic ? plan.step : plan.step * tolerances.perStep(method.order);
    this.first = this.clamp(settings.firstStep ?? guess);
    this.step = this.first;
  }

  get points(): number {
    return this.acceptedSteps;
  }

  propose(): number {
    this.limits.begin();
    this.rejections = 0;
    const { time } = this.coupling;
    const target = Math.min(this.stop, this.requested.after(time));
    const left = target - time;
    this.jumpsAtEnd = false;
    if (this.tried > 0 && target === this.suspect && target < this.stop) {
      // What made a step to a requested point go back is at that point: the next step ends right
      // before it, and one that is as short as an event passes it.
      const instant = this.instant(target);
      this.jumpsAtEnd = left < 2 * instant;
      return this.jumpsAtEnd ? target : target - instant;
    }
    if (this.step >= left * (1 - ROUNDING)) return target;
    // Two equal steps rather than one and a sliver.
    return time + (2 * this.step > left ? left / 2 : this.step);
  }

  take(to: number, isEvent = false): Taken {
    this.isEvent = isEvent;
    this.isUnjudged = false;
    if (isEvent) return this.method.step(to) ? REACHED : EARLY;
    const coupling = this.coupling;
    const from = coupling.time;
    this.isFirst = coupling.history.count === 1;
    const halves = this.isFirst && this.estimator.needsPast;
    const estimator = halves ? this.firstStep : this.estimator;
    if (!estimator.take(to, this.tried > 0 || this.rejections > 1)) return EARLY;
    const h = to - from;
    const short = estimator.isDefect ? this.shortness(h) : 1;
    const worst = this.measure(estimator.errors, short, h);
    this.culpritError = this.culprit < 0 ? 0 : estimator.errors[this.culprit] * short;
    this.difference = this.limits.check();
    if (!this.pessimistic) return REACHED;
    this.beforeRejection = this.rejectionState();
    if (this.error > 1 || Number.isNaN(this.error)) {
      this.rejections++;
      this.culprit = worst;
      this.suspect = to;
      const factor = (this.starting ? this.startingLaw : this.law).reject(this.error);
      const signal = coupling.plan.inputs[worst];
      const unit = signal.source < 0 ? signal.unit : signal.source;
      const asks = { signal: signal.name, unit: coupling.unitName(unit), over: this.error };
      return this.retry(from, h, factor, "error", asks);
    }
    if (this.difference > 1) {
      const asks = { ...this.limits.worst, over: this.difference };
      return this.retry(from, h, limitFactor(this.difference), "difference", asks);
    }
    return REACHED;
  }

  withdraw(): void {
    this.isEvent = true;
    const [rejections = 0, culprit = -1, suspect = 0] = this.beforeRejection;
    this.rejections = rejections;
    this.culprit = culprit;
    this.suspect = suspect;
    this.law.restore(this.beforeRejection.subarray(3, 5));
    this.startingLaw.restore(this.beforeRejection.subarray(5, 7));
  }

  /** What a rejection changes. */
  private rejectionState(): Float64Array {
    const laws = [...this.law.save(), ...this.startingLaw.save()];
    return Float64Array.of(this.rejections, this.culprit, this.suspect, ...laws);
  }

  accepted(from: number): void {
    this.acceptedSteps++;
    if (this.isEvent) return;
    if (this.isUnjudged) {
      this.put();
      this.coupling.forgetPast();
      this.restart();
      return;
    }
    const h = this.coupling.time - from;
    const law = this.starting ? this.startingLaw : this.law;
    const factor = law.accept(this.error);
    let next = this.grown(h, factor);
    const { reason } = this.statistics;
    if (reason === "no convergence" || reason === "unit") next = Math.min(next, h);
    else if (this.rejections === 0 && this.error <= 1 && h < this.step * (1 - ROUNDING))
      next = Math.max(next, this.step); // something else ended it: that says nothing about the error
    if (this.difference > 0) next = Math.min(next, h * limitFactor(this.difference));
    this.put();
    next = this.watchDiscontinuity(h, next);
    if (this.starting) this.starting = this.isFirst || factor >= GROWTH;
    this.last = h;
    this.step = this.clamp(next);
  }

  /** How long a step is that passes a jump whose time is known. */
  private instant(time: number): number {
    const { state, plan } = this.coupling;
    return Math.max(
      2 * sameInstant(time, state.plan.step),
      plan.settings.eventTolerance * state.plan.step,
    );
  }

  /** What growth by `factor` makes of a step: beyond the experiment's step it is bounded. */
  private grown(h: number, factor: number): number {
    const { step } = this.coupling.state.plan;
    return Math.min(h * factor, Math.max(GROWTH * h, step));
  }

  /** Returns the next step, which restarts once what made steps short has been passed. */
  private watchDiscontinuity(h: number, next: number): number {
    if (this.isFirst) return next;
    // Either it took many attempts, or the shorter step hardly knows an error: what was wrong is
    // still ahead.
    const isAhead = this.culpritError < PASSED;
    const isMet = this.rejections >= DISCONTINUITY || (this.rejections > 0 && isAhead);
    if (isMet && this.tried === 0) this.tried = this.usual();
    if (this.tried === 0) return next;
    const tried = this.tried;
    const { time } = this.coupling;
    if (!isAhead || time >= this.suspect) {
      // A step over a requested point is short because of the jump alone.
      const longest = this.jumpsAtEnd ? this.first : this.grown(h, STARTING_GROWTH);
      this.coupling.forgetPast();
      this.restart();
      this.isFirst = true;
      return Math.min(tried, longest);
    }
    return next;
  }

  restart(): void {
    this.tried = 0;
    this.law.reset();
    this.startingLaw.reset();
    this.starting = true;
    this.step = Math.min(this.step, this.first);
  }

  save(): Float64Array {
    const laws = [...this.law.save(), ...this.startingLaw.save()];
    return Float64Array.of(
      this.acceptedSteps,
      this.step,
      this.tried,
      this.culprit,
      this.suspect,
      this.last,
      this.starting ? 1 : 0,
      ...laws,
    );
  }

  restore(saved: Float64Array): void {
    const [accepted = 0, step = 0, tried = 0, culprit = -1, suspect = 0, last = 0, starting] =
      saved;
    this.acceptedSteps = accepted;
    this.step = step;
    this.tried = tried;
    this.culprit = culprit;
    this.suspect = suspect;
    this.last = last;
    this.starting = starting === 1;
    this.law.restore(saved.subarray(7, 9));
    this.startingLaw.restore(saved.subarray(9, 11));
  }

  private retry(
    from: number,
    h: number,
    factor: number,
    reason: "error" | "difference",
    asks: { readonly signal: string; readonly unit: string; readonly over: number },
  ): Taken {
    const { step } = this.coupling.state.plan;
    const smallest = Math.max(this.settings.minStep, sameInstant(from, step));
    if (h > 1.5 * smallest)
      return { kind: "rejected", to: from + Math.max(h * factor, smallest), reason };
    // Shorter than any step that errors may ask for: an event or a requested point ended it, and
    // something jumps in it.
    this.isUnjudged = h < 0.5 * smallest;
    if (this.isUnjudged) return REACHED;
    const failure = new StepTooSmall({ ...asks, reason, step: smallest, time: from });
    return { kind: "rejected", to: from, reason, failure };
  }

  /**
   * The part of the usual time that a defect of a step of size `h` acts for, where something
   * unusual is ahead.
   */
  private shortness(h: number): number {
    const usual = Math.max(this.tried, this.rejections > 0 ? this.usual() : 0);
    return usual > 0 ? Math.min(1, h / usual) : 1;
  }

  /**
   * The size that the step should have had, as far as there is experience with sizes, or as the
   * author thought.
   */
  private usual(): number {
    const known = this.isFirst ? this.coupling.state.plan.step : GROWTH * this.last;
    return Math.min(this.step, known);
  }

  /** Takes the largest error; returns where it is. */
  private measure(errors: Float64Array, short: number, h: number): number {
    const { inputs } = this.coupling.plan;
    // The error of a constraint's force is felt where it moves something, which falls with the
    // square of the step; judged by itself it would never get small, as its rounding grows with the
    // inverse of that square.
    const felt = Math.min(1, h / this.coupling.state.plan.step) ** 2;
    this.errorOfUnit.fill(0);
    this.error = 0;
    let worst = 0;
    for (let i = 0; i < errors.length; i++) {
      const { source, unit } = inputs[i];
      const error = errors[i] * short * (source < 0 ? felt : 1);
      const owner = source < 0 ? unit : source;
      if (error > this.errorOfUnit[owner]) this.errorOfUnit[owner] = error;
      // A NaN must not hide behind the comparison.
      if (error <= this.error) continue;
      this.error = error;
      worst = i;
      if (Number.isNaN(error)) break;
    }
    return worst;
  }

  private put(): void {
    this.statistics.putErrors(this.error, this.errorOfUnit);
  }

  private clamp(step: number): number {
    return Math.min(this.settings.maxStep, Math.max(this.settings.minStep, step));
  }
}
