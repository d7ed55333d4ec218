/**
 * The explicit method of Dormand and Prince, order 5(4), with dense output of order 4 and detection
 * of stiffness.
 *
 * The last stage of a step is the first one of the next (first same as last), so an accepted step
 * costs six evaluations. Dense output: Hairer, Nørsett & Wanner, Solving Ordinary Differential
 * Equations I, sec. II.6, (6.12) in the form of their code DOPRI5. Step sizes follow the PI law of
 * step-controller.ts.
 *
 * Stiffness: |k₇ − k₆| / |g₇ − g₆| estimates the dominant eigenvalue λ (Hairer & Wanner II, sec.
 * IV.2). Steps are limited by it where |hλ| is near the edge of the domain of stability (3.3), or,
 * with tight tolerances, where λ is resolved although the solution changes over times that are
 * hundreds of times longer. Either of them, step after step, is stiffness.
 */
import { rkStep, rkWork } from "./runge-kutta.ts";
import { StepController } from "./step-controller.ts";
import { type OdeSystem, type StepMethod, type Tolerances, weightedNorm } from "./step-method.ts";
import { DORMAND_PRINCE } from "./tableau.ts";

/** The weights of the stages in the last term of the dense output. */
const DENSE: readonly number[] = [
  -12715105075 / 11282082432,
  0,
  87487479700 / 32700410799,
  -10690763975 / 1880347072,
  701980252875 / 199316789632,
  -1453857185 / 822651844,
  69997945 / 29380423,
];
/**
 * Where the boundary of the domain of stability meets the negative real axis, less what the step
 * control keeps away from it.
 */
const EDGE = 2.9;
/** From here on a step resolves the fastest mode. */
const RESOLVED = 0.5;
/** How much longer than 1/λ the solution takes to change in a stiff problem. */
const SEPARATION = 200;
const STIFF_STEPS = 25;
const NOT_STIFF_STEPS = 6;
const ORDER = 5;

export class DormandPrince implements StepMethod {
  readonly name = "dormand-prince";
  readonly hasSlope = true;
  readonly next: Float64Array;
  readonly nextSlope: Float64Array;
  readonly memorySize = 4;
  private readonly system: OdeSystem;
  private readonly tolerances: Tolerances;
  private readonly controller = new StepController({ order: ORDER - 1, maxFactor: 5 });
  private readonly work;
  private readonly error: Float64Array;
  private readonly from: Float64Array;
  private h = 0;
  private stiff = 0;
  private notStiff = 0;

  constructor(system: OdeSystem, tolerances: Tolerances) {
    const { n } = system;
    this.system = system;
    this.tolerances = tolerances;
    this.work = rkWork(n, DORMAND_PRINCE.stages);
    this.next = new Float64Array(n);
    this.nextSlope = this.work.k[6];
    this.error = new Float64Array(n);
    this.from = new Float64Array(n);
  }

  get findsStiffness(): boolean {
    return this.stiff >= STIFF_STEPS;
  }

  attempt(t: number, h: number, x: Float64Array, slope: Float64Array): number {
    const { work, system, error, next } = this;
    const { n } = system;
    this.h = h;
    this.from.set(x);
    // The first stage is known; everything else is evaluated by the kernel.
    const f: OdeSystem["derivatives"] = (at, point, dx) =>
      at === t && point === x ? dx.set(slope) : system.derivatives(at, point, dx);
    rkStep(n, DORMAND_PRINCE, f, t, h, x, next, work);
    const weights = DORMAND_PRINCE.error!;
    for (let i = 0; i < n; i++) {
      let e = 0;
      for (let s = 0; s < weights.length; s++) e += weights[s] * work.k[s][i];
      error[i] = h * e;
    }
    return weightedNorm(error, x, next, this.tolerances);
  }

  resize(h: number, error: number): number {
    return h * (error <= 1 ? this.controller.accept(error) : this.controller.reject(error));
  }

  accept(): void {
    const { k, point } = this.work;
    // `point` is where the last stage was evaluated, which is `next`; the stage before it lies at
    // the same time.
    let slopes = 0;
    let distance = 0;
    const sixth = DORMAND_PRINCE.a.subarray(5 * 7, 6 * 7);
    for (let i = 0; i < this.system.n; i++) {
      let g6 = this.from[i];
      for (let s = 0; s < 5; s++) g6 += this.h * sixth[s] * k[s][i];
      slopes += (k[6][i] - k[5][i]) ** 2;
      distance += (point[i] - g6) ** 2;
    }
    if (distance > 0 && this.isStiff(Math.sqrt(slopes / distance))) {
      this.notStiff = 0;
      this.stiff++;
    } else if (this.stiff > 0 && ++this.notStiff === NOT_STIFF_STEPS) {
      this.stiff = 0;
      this.notStiff = 0;
    }
  }

  private isStiff(lambda: number): boolean {
    const { from, next, tolerances } = this;
    const resolved = this.h * lambda;
    if (resolved > EDGE) return true;
    if (resolved < RESOLVED) return false;
    const size = weightedNorm(next, from, next, tolerances);
    const speed = weightedNorm(this.work.k[6], from, next, tolerances);
    return size * lambda > SEPARATION * speed;
  }

  restart(): void {
    this.controller.reset();
    this.stiff = 0;
    this.notStiff = 0;
  }

  interpolate(fraction: number, out: Float64Array): void {
    const { k } = this.work;
    const { h, from, next } = this;
    const rest = 1 - fraction;
    for (let i = 0; i < this.system.n; i++) {
      const rise = next[i] - from[i];
      const start = h * k[0][i] - rise;
      const end = rise - h * k[6][i] - start;
      let last = 0;
      for (let s = 0; s < 7; s++) last += DENSE[s] * k[s][i];
      out[i] = from[i] + fraction * (rise + rest * (start + fraction * (end + rest * h * last)));
    }
  }

  save(into: Float64Array): void {
    into.set(this.controller.save());
    into[2] = this.stiff;
    into[3] = this.notStiff;
  }

  restore(from: Float64Array): void {
    this.controller.restore(from);
    this.stiff = from[2];
    this.notStiff = from[3];
  }
}
