/**
 * A unit made of ordinary differential equations and a solver of its own: x' = f(t, x, u, p), y =
 * g(t, x, u, p).
 *
 * Solvers: an explicit Runge–Kutta method with a fixed internal step, whose micro-steps lie on a
 * grid counted from the start, or an embedded method with error control. Inputs are held or vary
 * linearly. Thresholds are located by repeating the micro-step to a trial time, so the located
 * state is as accurate as any other. Store: parameters, inputs, states, outputs, derivatives
 * `der(x)` of the states.
 */
import { UnitError } from "../base/outcome.ts";
import type { UnitDescription } from "../model/unit-description.ts";
import { locateCrossing } from "../numerics/crossing.ts";
import {
  type Derivatives,
  firstStepSize,
  nextStepSize,
  type RkWork,
  rkErrorNorm,
  rkStep,
  rkWork,
} from "../numerics/runge-kutta.ts";
import { DORMAND_PRINCE, type Tableau } from "../numerics/tableau.ts";
import { BaseUnit, type Condition } from "./base-unit.ts";
import { type StateSpaceSizes, stateSpaceProduct } from "./dense-jacobian.ts";
import {
  describeUnit,
  numericOnly,
  type OutputSpecs,
  type PortSpecs,
  SMOOTH,
  type StateSpecs,
  stateSpacePorts,
} from "./port-spec.ts";
import type { Stop } from "./predicate.ts";
import type { Unit } from "./unit.ts";

/**
 * Writes something of the model at one instant into `out`. Elements are in the order of writing.
 */
export type OdeFunction = (
  t: number,
  x: Float64Array,
  u: Float64Array,
  p: Float64Array,
  out: Float64Array,
) => void;

export interface FixedStepSolver {
  readonly method: Tableau;
  /** Micro-step, seconds. */
  readonly step: number;
}

export interface ErrorControlledSolver {
  /** A method with error coefficients. */
  readonly method: Tableau;
  /** Default: 1e-6; the tolerance of the experiment, where given, takes its place. */
  readonly relativeTolerance?: number;
  /** Default: 1e-9. */
  readonly absoluteTolerance?: number;
}

export interface OdeModel {
  readonly name: string;
  readonly description?: string;
  readonly parameters?: PortSpecs;
  readonly inputs?: PortSpecs;
  readonly states: StateSpecs;
  readonly outputs?: OutputSpecs;
  readonly derivatives: OdeFunction;
  /** Needed when there are outputs besides the states. */
  readonly evaluate?: OdeFunction;
  /**
   * Writes [∂f/∂x ∂f/∂u; ∂g/∂x ∂g/∂u], row-major, states then outputs × states then inputs.
   * Without it derivatives are central differences.
   */
  readonly jacobian?: OdeFunction;
  /** Default: Dormand–Prince with error control. */
  readonly solver?: FixedStepSolver | ErrorControlledSolver;
}

/**
 * A unit in phase `instantiated`. Ports: parameters, inputs, states, outputs, `der(state)`, in the
 * order of writing.
 */
export function odeUnit(model: OdeModel, name: string = model.name): Unit {
  return new OdeUnit(model, name);
}

/** Hidden entries: where the grid begins, the next grid point's number, the step to try next. */
const ORIGIN = 0;
const NEXT = 1;
const TRIAL = 2;
/** Communication points this close to a grid point (in steps) are that grid point. */
const SNAP = 1e-9;

class OdeUnit extends BaseUnit {
  private readonly model: OdeModel;
  private readonly method: Tableau;
  private readonly solver: FixedStepSolver | ErrorControlledSolver;
  private readonly p: Float64Array;
  private readonly u: Float64Array;
  private readonly x: Float64Array;
  private readonly y: Float64Array;
  private readonly dx: Float64Array;
  private readonly work: RkWork;
  private readonly jacobian: Float64Array;
  private readonly sizes: StateSpaceSizes;
  /** Inputs at the beginning of the advance, states at the beginning of the micro-step. */
  private readonly uFrom: Float64Array;
  private readonly xFrom: Float64Array;
  private readonly xTrial: Float64Array;
  private from = 0;
  private stepFrom = 0;
  private probed = 0;
  private level = 0;

  constructor(model: OdeModel, name: string) {
    const counts = [model.parameters, model.inputs, model.states, model.outputs].map(
      (specs) => Object.keys(specs ?? {}).length,
    ) as [number, number, number, number];
    const [np, nu, nx, ny] = counts;
    const states = new Set(Array.from({ length: nx }, (_, i) => np + nu + i));
    super(name, describe(model), { hidden: 3, states });
    this.model = model;
    this.solver = model.solver ?? { method: DORMAND_PRINCE };
    this.method = this.solver.method;
    this.p = this.view(0, np - 1);
    this.u = this.view(np, np + nu - 1);
    this.x = this.view(np + nu, np + nu + nx - 1);
    this.y = this.view(np + nu + nx, np + nu + nx + ny - 1);
    this.dx = this.view(np + nu + nx + ny, np + nu + 2 * nx + ny - 1);
    const { x, y, u } = this;
    this.work = rkWork(x.length, this.method.stages);
    this.jacobian = new Float64Array((x.length + y.length) * (x.length + u.length));
    this.sizes = {
      parameters: this.p.length,
      inputs: u.length,
      states: x.length,
      outputs: y.length,
    };
    this.uFrom = new Float64Array(u.length);
    this.xFrom = new Float64Array(x.length);
    this.xTrial = new Float64Array(x.length);
  }

  protected override begin(): void {
    this.hidden[ORIGIN] = this.time;
    this.hidden[NEXT] = 1;
    this.hidden[TRIAL] = 0;
  }

  protected override evaluate(): void {
    const { model, time, x, u, p } = this;
    model.evaluate?.(time, x, u, p, this.y);
    model.derivatives(time, x, u, p, this.dx);
  }

  protected override flow(speeds: Float64Array): void {
    speeds.set(this.dx, this.p.length + this.u.length);
  }

  protected override proceed(from: number, bound: number, conditions: readonly Condition[]): Stop {
    this.from = from;
    this.uFrom.set(this.u);
    while (this.time < bound) {
      this.stepFrom = this.time;
      this.xFrom.set(this.x);
      const end =
        "step" in this.solver
          ? this.fixedStep(this.solver.step, bound)
          : this.controlledStep(bound);
      const crossed = conditions.length === 0 ? -1 : this.firstCrossing(end, conditions);
      if (crossed >= 0) return this.stopAt("threshold", conditions[crossed].port, this.time);
      this.moveTo(end);
    }
    return this.stopAt("time", -1, bound);
  }

  /** One micro-step to the next grid point or to `bound`; returns where it ends. */
  private fixedStep(step: number, bound: number): number {
    const { hidden } = this;
    const grid = hidden[ORIGIN] + hidden[NEXT] * step;
    const reached = grid <= bound + SNAP * step;
    const end = reached && grid < bound - SNAP * step ? grid : bound;
    if (reached) hidden[NEXT]++;
    this.integrate(end);
    return end;
  }

  /**
   * One accepted step of the error-controlled method, at most to `bound`; returns where it ends.
   */
  private controlledStep(bound: number): number {
    const { x, xFrom, hidden, work, stepFrom } = this;
    const { error, order } = this.method;
    if (error === undefined) throw new Error("internal: a method without error control");
    const { relativeTolerance, absoluteTolerance = 1e-9 } = this.solver as ErrorControlledSolver;
    const relative = this.relativeTolerance ?? relativeTolerance ?? 1e-6;
    const n = x.length;
    if (hidden[TRIAL] === 0) {
      this.slope(stepFrom, xFrom, work.k[0]);
      hidden[TRIAL] = firstStepSize(n, xFrom, work.k[0], relative, absoluteTolerance);
    }
    const smallest = 16 * Number.EPSILON * Math.abs(stepFrom);
    for (let h = hidden[TRIAL]; ; ) {
      const last = stepFrom + h * (1 + SNAP) >= bound;
      const end = last ? bound : stepFrom + h;
      if (!last && !(h > smallest)) throw this.failure("its step size fell to zero", stepFrom);
      this.integrate(end);
      const size = end - stepFrom;
      const norm = rkErrorNorm(n, error, size, xFrom, x, relative, absoluteTolerance, work);
      const next = nextStepSize(size, norm, order);
      if (norm <= 1) {
        hidden[TRIAL] = last ? Math.max(next, hidden[TRIAL]) : next;
        return end;
      }
      h = next;
    }
  }

  /** x = the solution at `end`, one step from the beginning of the micro-step. Time stays. */
  private integrate(end: number): void {
    const { x, xFrom, method, slope, stepFrom, work } = this;
    rkStep(x.length, method, slope, stepFrom, end - stepFrom, xFrom, x, work);
    for (let i = 0; i < x.length; i++) {
      if (!Number.isFinite(x[i]) && "step" in this.solver) {
        throw this.failure("its states are no longer finite", stepFrom);
      }
    }
  }

  private readonly slope: Derivatives = (t, x, dx) => {
    this.moveInputs(t);
    this.model.derivatives(t, x, this.u, this.p, dx);
  };

  private moveInputs(t: number): void {
    const { u, uFrom, slopes, from } = this;
    for (let i = 0; i < u.length; i++) u[i] = uFrom[i] + slopes[i] * (t - from);
  }

  private moveTo(t: number): void {
    this.moveInputs(t);
    this.time = t;
  }

  /**
   * The first of the thresholds that is crossed between the beginning of the micro-step and `end`,
   * or -1. Leaves the unit at the crossing, or at `end` with the states found there.
   */
  private firstCrossing(end: number, conditions: readonly Condition[]): number {
    this.xTrial.set(this.x);
    let last = end;
    let first = -1;
    for (let i = 0; i < conditions.length; i++) {
      const condition = conditions[i];
      if (condition.kind !== "threshold") continue;
      this.probed = this.offsets[condition.port];
      this.level = condition.value;
      const before = this.probe(this.stepFrom);
      const after = this.probe(last);
      const rises = condition.direction !== "falling" && before < 0 && after >= 0;
      const falls = condition.direction !== "rising" && before > 0 && after <= 0;
      if (!rises && !falls) continue;
      const width = 4 * Number.EPSILON * Math.max(Math.abs(this.stepFrom), Math.abs(last));
      last = locateCrossing(this.probe, this.stepFrom, before, last, after, width);
      first = i;
    }
    if (first < 0) {
      this.x.set(this.xTrial);
      return -1;
    }
    this.probe(last);
    if ("step" in this.solver) this.recount(last, this.solver.step);
    return first;
  }

  /**
   * The watched value's distance from the level at `t`, reached by one step from the beginning of
   * the micro-step.
   */
  private readonly probe = (t: number): number => {
    if (t === this.stepFrom) this.x.set(this.xFrom);
    else this.integrate(t);
    this.moveTo(t);
    this.evaluate();
    return this.store.f64[this.probed] - this.level;
  };

  /** After a stop inside a micro-step: the grid point ahead is the next one again. */
  private recount(t: number, step: number): void {
    const { hidden } = this;
    if (hidden[ORIGIN] + (hidden[NEXT] - 1) * step > t + SNAP * step) hidden[NEXT]--;
  }

  protected override jacobianProduct(
    unknowns: readonly number[],
    knowns: readonly number[],
    seed: Float64Array,
    out: Float64Array,
  ): boolean {
    const { model, p, u, x, jacobian, sizes } = this;
    if (model.jacobian === undefined) return false;
    model.jacobian(this.time, x, u, p, jacobian);
    return stateSpaceProduct(sizes, jacobian, unknowns, knowns, seed, out);
  }

  private failure(status: string, time: number): UnitError {
    const log = ["try a smaller internal step or a method of higher order, and check the model"];
    return new UnitError({ unit: this.name, call: "advance", status, time, log });
  }
}

function describe(model: OdeModel): UnitDescription {
  const { name, outputs = {}, solver } = model;
  if (Object.keys(outputs).length > 0 && model.evaluate === undefined) {
    throw new Error(`'${name}' has outputs but no 'evaluate' that computes them`);
  }
  if (solver !== undefined && "step" in solver ? !(solver.step > 0) : false) {
    throw new Error(`'${name}': the solver's step must be greater than 0`);
  }
  if (solver !== undefined && !("step" in solver) && solver.method.error === undefined) {
    throw new Error(
      `'${name}': '${solver.method.name}' has no error control; give it a step or take 'dormand-prince'`,
    );
  }
  const ports = stateSpacePorts(model);
  return describeUnit(model, numericOnly(name, ports), { ...SMOOTH, predicates: ["threshold"] });
}
