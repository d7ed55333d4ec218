/**
 * Makes the units of one loop agree on the values of the end of a step. One evaluation is a step of
 * all of them from where it began; methods differ in what they try next. The weakest method that
 * works is kept from step to step.
 *
 * Unknowns, scaled by nominal values: the nodes of the inputs inside the loop, then the forces of
 * its constraints: at both ends of the step where position and rate are held, one for the whole
 * step where only the position is.
 */

import { ConvergenceWatch } from "../../numerics/convergence.ts";
import { copyAll } from "../../numerics/copy-numbers.ts";
import {
  type Accelerator,
  aitkenIteration,
  andersonIteration,
  plainIteration,
} from "../../numerics/fixed-point.ts";
import {
  broydenUpdate,
  type NewtonWork,
  newtonWork,
  solveNewtonStep,
} from "../../numerics/newton.ts";
import type { CoupledComponent, CoupledConstraint } from "../../plan/coupling-plan.ts";
import type { IterationMethod } from "../../plan/master-settings.ts";
import { copyBanks, fillBanks } from "../../unit/banks.ts";
import type { Coupling } from "./coupling.ts";
import { InterfaceJacobian } from "./interface-jacobian.ts";
import { IterationPrograms } from "./iteration-programs.ts";
import { constraintResidual, forceCount, putUnknowns } from "./loop-unknowns.ts";
import type { NodeTrajectories } from "./node-trajectories.ts";
import { ResponseWatch } from "./response-watch.ts";
import { NotConverged } from "./step-method.ts";
import { largestOf } from "./step-program.ts";

type Method = Exclude<IterationMethod, "auto">;
/**
 * What a unit uses: the iterate (jacobi), or what earlier units have just given; resolved: outputs
 * meet the new inputs at once.
 */
type Sweep = "jacobi" | "jacobi, resolved" | "gauss-seidel";

/** From cheap to sure. */
const AUTOMATIC: readonly Method[] = ["gauss-seidel", "anderson", "newton"];
/**
 * A correction that leaves more than this of the residual was made with a Jacobian that is out of
 * date.
 */
const SLOW = 0.1;
/** Residuals that a failure shows. */
const SHOWN = 12;

export class ComponentIteration {
  /** Evaluations of the last step beyond the first. */
  iterations = 0;
  residual = 0;
  private readonly coupling: Coupling;
  private readonly component: CoupledComponent;
  private readonly nodes: NodeTrajectories;
  private readonly constraints: readonly CoupledConstraint[];
  private readonly methods: readonly Method[];
  private readonly accelerators: ReadonlyMap<Method, Accelerator>;
  private readonly jacobianSource: InterfaceJacobian;
  private readonly n: number;
  private readonly x: Float64Array;
  private readonly guess: Float64Array;
  private readonly scale: Float64Array;
  private readonly lastScale: Float64Array;
  private readonly residuals: Float64Array;
  private readonly lastResidual: Float64Array;
  private readonly correction: Float64Array;
  private readonly jacobian: Float64Array;
  private readonly work: NewtonWork;
  /** Only of use where the unknowns are nodes of inputs alone. */
  private readonly programs: IterationPrograms;
  /** The step size that the Jacobian was made for; 0: none was. */
  private jacobianStep = 0;
  /** Place in `#methods` of the one that worked last. */
  private level = 0;
  /** Units are where the step began. */
  private fresh = true;
  /** Nothing but predictions has been tried in this step. */
  private isFirst = true;
  private readonly responses: ResponseWatch;

  constructor(coupling: Coupling, component: CoupledComponent, nodes: NodeTrajectories) {
    this.coupling = coupling;
    this.component = component;
    this.nodes = nodes;
    const { settings, constraints } = coupling.plan;
    this.constraints = component.constraints.map((c) => constraints[c]);
    const forces = forceCount(this.constraints);
    const n = nodes.trajectories.pieces * component.inputs.length + forces;
    this.n = n;
    const { method } = settings.iteration;
    // Only Newton knows what to do with an equation that is not an assignment.
    this.methods = forces > 0 ? ["newton"] : method === "auto" ? AUTOMATIC : [method];
    this.accelerators = new Map<Method, Accelerator>([
      ["jacobi", plainIteration(n)],
      ["gauss-seidel", plainIteration(n)],
      ["aitken", aitkenIteration(n)],
      ["anderson", andersonIteration(n)],
    ]);
    this.jacobianSource = new InterfaceJacobian(
      coupling,
      component,
      nodes,
      settings.iteration.jacobian,
    );
    this.x = new Float64Array(n);
    this.guess = new Float64Array(n);
    this.scale = new Float64Array(n).fill(1);
    this.lastScale = new Float64Array(n);
    this.residuals = new Float64Array(n);
    this.lastResidual = new Float64Array(n);
    this.correction = new Float64Array(n);
    this.jacobian = new Float64Array(n * n);
    this.work = newtonWork(n);
    this.responses = new ResponseWatch(coupling, component, nodes);
    const { x, scale, residuals } = this;
    this.programs = new IterationPrograms(coupling, component, nodes, { x, scale, residuals });
  }

  save(): Float64Array[] {
    const state = Float64Array.of(this.jacobianStep, this.level);
    return [this.jacobian.slice(), this.scale.slice(), state];
  }

  /** Takes its parts from the front of `parts`. */
  restore(parts: Float64Array[]): void {
    const [jacobian, scale, [step, level]] = parts.splice(0, 3);
    this.jacobian.set(jacobian);
    this.scale.set(scale);
    this.jacobianStep = step;
    this.level = level;
  }

  /**
   * The units of the loop, from the beginning of the step to its end.
   * @param isOnce they need not agree.
   * @returns false if a unit stopped early.
   */
  solve(isOnce = false): boolean {
    this.iterations = 0;
    this.fresh = true;
    this.isFirst = true;
    this.takeGuess();
    copyAll(this.x, this.guess);
    this.responses.beginStep();
    const { corrections } = this.coupling.plan.settings.iteration;
    if (isOnce && this.constraints.length === 0) return this.correct(0);
    if (corrections !== undefined) return this.correct(corrections);
    const tried: Method[] = [];
    const first = this.level;
    for (let k = 0; ; k++) {
      // Where something jumps, a stronger method may fail that served well until now, and a weaker
      // one succeed.
      const level = (first + k) % this.methods.length;
      const method = this.methods[level];
      tried.push(method);
      const watch = this.watch(method);
      const end = this.iterate(method, watch);
      if (end === "stopped") return false;
      if (end === "converged") {
        this.level = level;
        this.showForces();
        return true;
      }
      if (tried.length === this.methods.length) throw this.failure(tried, watch.history);
      this.x.set(this.guess);
    }
  }

  private watch(method: Method): ConvergenceWatch {
    const { tolerance, maxIterations } = this.coupling.plan.settings.iteration;
    const patience = method === "newton" || method === "anderson" ? this.n + 2 : 0;
    return new ConvergenceWatch(tolerance, maxIterations, patience);
  }

  /** Semi-implicit: a fixed number of corrections. */
  private correct(corrections: number): boolean {
    const method = this.methods[0];
    const sweep = sweepOf(method);
    this.accelerators.get(method)?.reset();
    const isPlain = method === "gauss-seidel" && !this.responses.isWatching;
    const byCode = isPlain ? this.programs.correct(corrections) : undefined;
    if (byCode === false) return false;
    if (byCode) this.noteSweeps(corrections + 1);
    else {
      if (!this.evaluate(sweep)) return false;
      for (let k = 0; k < corrections; k++) {
        if (!this.next(method, k)) return false;
        if (!this.evaluate(sweep)) return false;
      }
    }
    this.residual = this.norm();
    this.showForces();
    return true;
  }

  private iterate(method: Method, watch: ConvergenceWatch): "converged" | "stopped" | "failed" {
    const sweep = sweepOf(method);
    this.accelerators.get(method)?.reset();
    watch.start();
    const { tolerance, maxIterations } = this.coupling.plan.settings.iteration;
    const isPlain = method === "gauss-seidel" && this.fresh && !this.responses.isWatching;
    const byCode = isPlain ? this.programs.converge(tolerance, maxIterations) : 0;
    if (byCode < 0) return "stopped";
    if (byCode > 0) this.noteSweeps(byCode);
    for (let k = 0; ; k++) {
      if (k >= byCode && !this.evaluate(sweep)) return "stopped";
      this.residual = k < byCode ? this.programs.norms[k] : this.norm();
      const verdict = watch.note(this.residual);
      if (verdict === "converged" && this.forcesAreSure(k)) return "converged";
      if (verdict !== "go-on" && verdict !== "converged") return "failed";
      if (k + 1 < byCode) continue;
      if (!this.next(method, k)) return this.coupling.early ? "stopped" : "failed";
    }
  }

  /** Code has swept so often, from where the step began. */
  private noteSweeps(sweeps: number): void {
    this.iterations += sweeps - 1;
    this.fresh = false;
    this.isFirst = false;
  }

  /**
   * A position that is right to tolerance leaves the force behind it open by the tolerance over the
   * square of the step: so a force is taken for sure when its last correction was small, or after
   * two of them, when only rounding is left.
   */
  private forcesAreSure(k: number): boolean {
    const forces = forceCount(this.constraints);
    if (forces === 0 || k >= 2) return true;
    if (k === 0) return false;
    const { tolerance } = this.coupling.plan.settings.iteration;
    return this.correction.subarray(this.n - forces).every((c) => Math.abs(c) <= tolerance);
  }

  /** Puts the next iterate into `#x`. False: there is none. */
  private next(method: Method, k: number): boolean {
    this.iterations++;
    const accelerator = this.accelerators.get(method);
    if (accelerator !== undefined) {
      this.toScaled(this.x);
      accelerator.next(this.x, this.residuals, this.x);
      this.fromScaled(this.x);
      return true;
    }
    return this.newton(k);
  }

  private newton(k: number): boolean {
    const n = this.n;
    const step = this.nodes.to - this.nodes.from;
    const sameStep = Math.abs(step - this.jacobianStep) <= 1e-9 * step;
    if (k > 0 && this.jacobianStep > 0) {
      const before = largestOf(this.lastResidual);
      for (let i = 0; i < n; i++) this.lastResidual[i] = this.residuals[i] - this.lastResidual[i];
      if (this.residual > SLOW * before && k > 1) this.jacobianStep = 0;
      else broydenUpdate(n, this.jacobian, this.correction, this.lastResidual);
    }
    if (this.jacobianStep === 0 || (k === 0 && !sameStep)) {
      if (!this.jacobianSource.fill(this.x, this.scale, this.jacobian)) return false;
      this.fresh = false;
      this.jacobianStep = step;
    }
    copyAll(this.residuals, this.lastResidual);
    const least = this.constraints.length > 0 ? 0 : 1;
    const solved = solveNewtonStep(
      n,
      this.jacobian,
      this.residuals,
      this.correction,
      this.work,
      least,
    );
    if (solved === "singular") {
      this.jacobianStep = 0;
      return false;
    }
    for (let i = 0; i < n; i++) this.x[i] += this.scale[i] * this.correction[i];
    return true;
  }

  // ---- one evaluation ---------------------------------------------------------------------------

  /**
   * Takes all units of the loop through the step with the inputs of `#x`; `#residual` is what they
   * disagree by.
   */
  private evaluate(sweep: Sweep): boolean {
    const { units } = this.component;
    this.putUnknowns();
    if (!this.nodes.sweep(units, sweep === "gauss-seidel", !this.fresh)) return false;
    this.fresh = false;
    if (sweep === "jacobi, resolved") this.resolveImages();
    if (this.isFirst) this.nodes.keepFirst(units);
    this.isFirst = false;
    this.takeResidual();
    this.responses.note(this.x, this.scale, sweep === "gauss-seidel");
    return true;
  }

  /** Feed-through at the end of the step sees the inputs of the end of the step. */
  private resolveImages(): void {
    const { size, plan } = this.coupling;
    const { pieces } = this.nodes.trajectories;
    const { banks } = this.coupling.state;
    // Signals that keep the start's value are needed again when the step is repeated.
    const kept = plan.keepsStart ? copyBanks(banks) : undefined;
    this.coupling.resolve();
    for (const i of this.component.inputs) {
      const { signal, integral } = plan.inputs[i];
      if (integral === undefined) this.nodes.images[(pieces - 1) * size + i] = banks.f64[signal];
    }
    if (kept !== undefined) fillBanks(banks, kept);
  }

  private takeGuess(): void {
    copyAll(this.scale, this.lastScale);
    const { pieces } = this.nodes.trajectories;
    const { size, plan, begin } = this.coupling;
    const { inputs } = this.component;
    const k = inputs.length;
    for (let m = 0; m < pieces; m++) {
      for (let j = 0; j < k; j++) {
        const i = inputs[j];
        this.x[m * k + j] = this.nodes.nodes[m * size + i];
        this.scale[m * k + j] = Math.max(plan.inputs[i].nominal, Math.abs(begin[i]));
      }
    }
    let at = pieces * k;
    for (const { by, rate } of this.constraints) {
      const { input, factor } = by[0];
      const force = begin[input] / factor;
      const scale = Math.max(plan.inputs[input].nominal, Math.abs(force));
      for (let count = rate ? 2 : 1; count > 0; count--, at++) {
        this.x[at] = force;
        this.scale[at] = scale;
      }
    }
    if (this.jacobianStep > 0) this.rescaleJacobian(pieces * k);
  }

  /**
   * The Jacobian is kept in scaled variables, and their scales follow the signals. Rows of
   * constraints have their own.
   */
  private rescaleJacobian(nodes: number): void {
    const n = this.n;
    for (let i = 0; i < n; i++)
      for (let j = 0; j < n; j++) {
        const row = i < nodes ? this.lastScale[i] / this.scale[i] : 1;
        this.jacobian[i * n + j] *= (row * this.scale[j]) / this.lastScale[j];
      }
  }

  private putUnknowns(): void {
    putUnknowns(this.component, this.constraints, this.nodes, this.coupling.size, this.x);
  }

  private takeResidual(): void {
    const { pieces } = this.nodes.trajectories;
    const { size } = this.coupling;
    const { inputs } = this.component;
    const k = inputs.length;
    for (let m = 0; m < pieces; m++)
      for (let j = 0; j < k; j++) {
        const at = m * k + j;
        const image = this.nodes.images[m * size + inputs[j]];
        this.residuals[at] = (image - this.x[at]) / this.scale[at];
      }
    constraintResidual(this.constraints, this.coupling, this.residuals, pieces * k);
  }

  /** Forces are recorded, and guessed from, like signals of a unit. */
  private showForces(): void {
    const { size, plan } = this.coupling;
    const { f64 } = this.coupling.state.banks;
    const last = (this.nodes.trajectories.pieces - 1) * size;
    for (const { by } of this.constraints)
      for (const { input } of by) f64[plan.inputs[input].signal] = this.nodes.nodes[last + input];
  }

  private toScaled(x: Float64Array): void {
    for (let i = 0; i < this.n; i++) x[i] /= this.scale[i];
  }

  private fromScaled(x: Float64Array): void {
    for (let i = 0; i < this.n; i++) x[i] *= this.scale[i];
  }

  private norm(): number {
    return largestOf(this.residuals);
  }

  private failure(methods: readonly Method[], history: readonly number[]): NotConverged {
    const { inputs } = this.coupling.plan;
    const { pieces } = this.nodes.trajectories;
    const k = this.component.inputs.length;
    const names = Array.from({ length: this.n }, (_, at) =>
      at < pieces * k
        ? inputs[this.component.inputs[at % k]].name
        : `constraint ${this.constraints.map(({ text }) => text).join("; ")}`,
    );
    const worst = names
      .map((name, at) => ({ name, size: Math.abs(this.residuals[at]) }))
      .sort((a, b) => b.size - a.size)
      .map(({ name }) => name);
    return new NotConverged({
      loop: this.component.units.map((unit) => this.coupling.unitName(unit)),
      methods,
      residuals: history.slice(-SHOWN),
      worst: [...new Set(worst)].slice(0, 3),
      time: this.nodes.from,
      step: this.nodes.to - this.nodes.from,
    });
  }
}

function sweepOf(method: Method): Sweep {
  if (method === "newton") return "jacobi";
  return method === "jacobi" ? "jacobi, resolved" : "gauss-seidel";
}
