/**
 * Steps as long as the errors allow. An estimator says how large the error of a step was, a PI law how long the next one may
 * be. Where all units can go back, a step that was too long is taken back; where they cannot, only the next one is shorter.
 *
 * A defect (error-estimator.ts) acts as long as its step lasts. A step that had to become far shorter than the one before,
 * because something turned or jumped inside it, is therefore measured by the time it takes: its defect may be larger by as much as the
 * step is shorter than the one that was tried first. After it nothing before it is believed any more.
 */
import { StepController } from "../../numerics/step-controller.ts";
import type { ControlSettings } from "../../plan/master-settings.ts";
import { AskedPoints, sameInstant } from "./asked-points.ts";
import type { Coupling } from "./coupling.ts";
import { DifferenceLimits, limitFactor } from "./difference-limits.ts";
import { type ErrorEstimator, Tolerances } from "./error-estimator.ts";
import { estimatorFor } from "./estimator-for.ts";
import type { MasterStatistics } from "./master-statistics.ts";
import { FirstStep } from "./milne.ts";
import { EARLY, REACHED, type StepControl, type Taken } from "./step-control.ts";
import { type StepMethod, StepTooSmall } from "./step-method.ts";

/** How much a step may grow while there is no experience with the size of steps; the PI law allows 2. */
const STARTING_GROWTH = 10;
const GROWTH = 2;
/** Rejections in a row after which what happened in the step counts as a discontinuity. */
const DISCONTINUITY = 3;
const MIN_FACTOR = 0.2;
/** Sizes that differ by rounding are one size. */
const ROUNDING = 1e-9;

export class AdaptiveControl implements StepControl {
  readonly needsRollback: boolean;
  readonly #coupling: Coupling;
  readonly #statistics: MasterStatistics;
  readonly #settings: ControlSettings;
  readonly #stop: number;
  readonly #asked: AskedPoints;
  readonly #limits: DifferenceLimits;
  readonly #estimator: ErrorEstimator;
  readonly #firstStep: FirstStep;
  readonly #law: StepController;
  readonly #startingLaw: StepController;
  readonly #pessimistic: boolean;
  readonly #errorOfUnit: Float64Array;
  readonly #errorNames: readonly string[];
  /** The size that the next step should have. */
  #step: number;
  /** There is no experience with the size of steps yet. */
  #starting = true;
  /** The last step that was tried had no past. */
  #isFirst = false;
  #accepted = 0;
  #rejections = 0;
  /** Of the last step that was tried, relative to what is allowed. */
  #error = 0;
  #difference = 0;

  constructor(
    coupling: Coupling,
    method: StepMethod,
    stop: number,
    settings: ControlSettings,
    statistics: MasterStatistics,
  ) {
    this.#coupling = coupling;
    this.#statistics = statistics;
    this.#settings = settings;
    this.#stop = stop;
    const { plan } = coupling.state;
    this.#asked = new AskedPoints(coupling.plan.points, plan.start);
    this.#limits = new DifferenceLimits(coupling);
    const tolerances = new Tolerances(coupling, settings);
    this.#estimator = estimatorFor(settings.estimator, coupling, method, tolerances);
    this.#firstStep = new FirstStep(coupling, method, tolerances);
    const order = this.#estimator.exponent - 1;
    this.#law = new StepController({ order, maxFactor: GROWTH, minFactor: MIN_FACTOR });
    this.#startingLaw = new StepController({
      order,
      maxFactor: STARTING_GROWTH,
      minFactor: MIN_FACTOR,
    });
    this.#pessimistic =
      settings.rejection === "pessimistic" ||
      (settings.rejection === "auto" && coupling.canRollBackAll);
    this.needsRollback = this.#pessimistic || this.#estimator.needsRollback;
    this.#errorOfUnit = new Float64Array(coupling.units.length);
    this.#errorNames = coupling.units.map((_, u) => `master.error.${coupling.unitName(u)}`);
    // What cannot be taken back begins with care.
    const guess = this.#pessimistic ? plan.step : plan.step * tolerances.perStep(method.order);
    this.#step = this.#clamp(settings.firstStep ?? guess);
  }

  get points(): number {
    return this.#accepted;
  }

  propose(): number {
    this.#limits.begin();
    this.#rejections = 0;
    const { time } = this.#coupling;
    const target = Math.min(this.#stop, this.#asked.after(time));
    const left = target - time;
    if (this.#step >= left * (1 - ROUNDING)) return target;
    // Two equal steps rather than one and a sliver.
    return time + (2 * this.#step > left ? left / 2 : this.#step);
  }

  take(to: number): Taken {
    const coupling = this.#coupling;
    const from = coupling.time;
    this.#isFirst = coupling.history.count === 1;
    const halves = this.#isFirst && this.#settings.estimator !== "richardson";
    const estimator = halves ? this.#firstStep : this.#estimator;
    if (!estimator.take(to)) return EARLY;
    const h = to - from;
    const short = estimator.isDefect && !this.#starting ? Math.min(1, h / this.#step) : 1;
    const worst = this.#measure(estimator.errors, short);
    this.#difference = this.#limits.check();
    if (!this.#pessimistic) return REACHED;
    if (this.#error > 1 || Number.isNaN(this.#error)) {
      this.#rejections++;
      const factor = (this.#starting ? this.#startingLaw : this.#law).reject(this.#error);
      const signal = coupling.plan.inputs[worst]!;
      const unit = signal.source < 0 ? signal.unit : signal.source;
      const asks = { signal: signal.name, unit: coupling.unitName(unit), over: this.#error };
      return this.#retry(from, h, factor, "error", asks);
    }
    if (this.#difference > 1) {
      const asks = { ...this.#limits.worst, over: this.#difference };
      return this.#retry(from, h, limitFactor(this.#difference), "difference", asks);
    }
    return REACHED;
  }

  accepted(from: number): void {
    this.#accepted++;
    const h = this.#coupling.time - from;
    const law = this.#starting ? this.#startingLaw : this.#law;
    const factor = law.accept(this.#error);
    let next = h * factor;
    const { reason } = this.#statistics;
    if (reason === "no convergence" || reason === "unit") next = Math.min(next, h);
    else if (this.#rejections === 0 && this.#error <= 1 && h < this.#step * (1 - ROUNDING))
      next = Math.max(next, this.#step); // somebody else ended it: that says nothing about the error
    if (this.#difference > 0) next = Math.min(next, h * limitFactor(this.#difference));
    this.#limits.accepted();
    this.#put();
    if (this.#starting) this.#starting = this.#isFirst || factor >= GROWTH;
    else if (this.#rejections >= DISCONTINUITY) {
      next = this.#step;
      this.#coupling.forgetPast();
      this.restart();
    }
    this.#step = this.#clamp(next);
  }

  restart(): void {
    this.#law.reset();
    this.#startingLaw.reset();
    this.#starting = true;
  }

  save(): Float64Array {
    const laws = [...this.#law.save(), ...this.#startingLaw.save()];
    return Float64Array.of(this.#accepted, this.#step, this.#starting ? 1 : 0, ...laws);
  }

  restore(saved: Float64Array): void {
    this.#accepted = saved[0]!;
    this.#step = saved[1]!;
    this.#starting = saved[2] === 1;
    this.#law.restore(saved.subarray(3, 5));
    this.#startingLaw.restore(saved.subarray(5, 7));
  }

  #retry(
    from: number,
    h: number,
    factor: number,
    reason: "error" | "difference",
    asks: { readonly signal: string; readonly unit: string; readonly over: number },
  ): Taken {
    const smallest = Math.max(this.#settings.minStep, sameInstant(from));
    if (h > smallest * (1 + ROUNDING))
      return { kind: "rejected", to: from + Math.max(h * factor, smallest), reason };
    // Shorter than anyone may ask for: an event or a point wanted that.
    if (h < smallest * (1 - ROUNDING)) return REACHED;
    throw new StepTooSmall({ ...asks, reason, step: smallest, time: from });
  }

  /** Takes the largest error; returns where it is. */
  #measure(errors: Float64Array, short: number): number {
    const { inputs } = this.#coupling.plan;
    this.#errorOfUnit.fill(0);
    this.#error = 0;
    let worst = 0;
    for (let i = 0; i < errors.length; i++) {
      const error = errors[i]! * short;
      const { source, unit } = inputs[i]!;
      const owner = source < 0 ? unit : source;
      if (error > this.#errorOfUnit[owner]!) this.#errorOfUnit[owner] = error;
      // A NaN must not hide behind the comparison.
      if (error <= this.#error) continue;
      this.#error = error;
      worst = i;
      if (Number.isNaN(error)) break;
    }
    return worst;
  }

  #put(): void {
    this.#statistics.put("master.error", this.#error);
    for (let u = 0; u < this.#errorNames.length; u++)
      this.#statistics.put(this.#errorNames[u]!, this.#errorOfUnit[u]!);
  }

  #clamp(step: number): number {
    return Math.min(this.#settings.maxStep, Math.max(this.#settings.minStep, step));
  }
}
