/**
 * The continuous part of an integrating unit: states, the method that moves them, and its step
 * sizes. One accepted step at a time; the model then stands at its end, and inside the step at any
 * time that is asked for (dense output).
 *
 * Method `auto` begins with the explicit one and changes to the implicit one when the former finds
 * the equations stiff; it does not change back before the next reset.
 */
import { UnitError } from "../base/outcome.ts";
import type { IntegratorOptions } from "../model/integrator.ts";
import {
  type ColumnGroup,
  colourColumns,
  colouredDifferences,
} from "../numerics/coloured-differences.ts";
import {
  type OdeSystem,
  type StepMethod,
  startingStep,
  type Tolerances,
} from "../numerics/step-method.ts";
import type { EventOde } from "./event-ode.ts";
import type { InputPolynomials } from "./input-polynomials.ts";
import { METHODS, settleTolerances, sizeOf } from "./integrator-options.ts";

/** Why another method takes over. */
export interface MethodChange {
  readonly unit: string;
  readonly method: string;
  readonly time: number;
}

/** Steps that end this close to the bound (in steps) end there. */
const SNAP = 1e-9;
/** A step that the model refuses to evaluate is repeated with this part of its size. */
const REFUSED = 0.25;
/** Trial step, number of the method, whether its memory is valid. */
const OWN_MEMORY = 2;

export class Integration {
  /** The states at `time`. */
  readonly x: Float64Array;
  time = 0;
  private readonly model: EventOde;
  private readonly inputs: InputPolynomials;
  private readonly options: IntegratorOptions;
  private readonly onChange: ((change: MethodChange) => void) | undefined;
  private readonly system: OdeSystem;
  private readonly tolerances: Tolerances;
  private readonly nominals: Float64Array;
  private readonly slope: Float64Array;
  private readonly inside: Float64Array;
  private readonly methods: readonly StepMethod[];
  private readonly groups: readonly ColumnGroup[];
  private readonly seed: Float64Array;
  private readonly product: Float64Array;
  /** Which of `methods` is used. */
  private current = 0;
  private hasSlope = false;
  /** The size to try next; 0: find one. */
  private trial = 0;
  /** The last step. */
  private from = 0;
  private size = 0;
  private evaluated = 0;

  constructor(
    model: EventOde,
    inputs: InputPolynomials,
    options: IntegratorOptions,
    onChange?: (change: MethodChange) => void,
  ) {
    const { states: n, pattern } = model.structure;
    this.model = model;
    this.inputs = inputs;
    this.options = options;
    this.onChange = onChange;
    this.x = new Float64Array(n);
    this.slope = new Float64Array(n);
    this.inside = new Float64Array(n);
    this.nominals = new Float64Array(n).fill(1);
    this.tolerances = { relative: 0, absolute: new Float64Array(n) };
    this.groups = colourColumns(n, pattern);
    this.seed = new Float64Array(n);
    this.product = new Float64Array(n);
    this.system = { n, derivatives: this.derivatives, jacobian: this.jacobian };
    const { method = "auto" } = options;
    const names = method === "auto" ? (["dormand-prince", "radau"] as const) : [method];
    this.methods = names.map((name) => METHODS[name].make(this.system, this.tolerances));
  }

  /** Evaluations of the derivatives so far. */
  get evaluations(): number {
    return this.evaluated;
  }

  /** The method in use. */
  get method(): string {
    return this.methods[this.current].name;
  }

  /** From the beginning of a run: nothing is known. */
  reset(): void {
    this.current = 0;
    this.trial = 0;
    this.hasSlope = false;
    this.evaluated = 0;
    for (const method of this.methods) method.restart();
  }

  /** Continuous time begins, or goes on after an event, at `time`. */
  begin(time: number, tolerance: number | undefined, hasNewNominals: boolean): void {
    this.time = time;
    this.model.getStates(this.x);
    if (hasNewNominals) this.settle(tolerance);
    this.trial = 0;
    this.hasSlope = false;
    this.methods[this.current].restart();
  }

  /** Nominal values of the states may be others than before. @param tolerance of the experiment. */
  settle(tolerance: number | undefined): void {
    this.model.getNominals(this.nominals);
    settleTolerances(this.tolerances, this.options, tolerance, this.nominals);
  }

  /** Inputs changed at the present time: the slope is another one. */
  disturb(): void {
    this.hasSlope = false;
  }

  /** One accepted step, at most to `bound`. The model stands at its end. */
  stepTowards(bound: number): void {
    const { x, slope } = this;
    const from = this.time;
    const longest = Math.min(bound - from, this.options.maxStep ?? Number.POSITIVE_INFINITY);
    this.from = from;
    if (x.length === 0) {
      this.arrive(longest < bound - from ? from + longest : bound);
      return;
    }
    if (!this.hasSlope) this.derivatives(from, x, slope);
    this.hasSlope = true;
    const method = this.methods[this.current];
    if (this.trial === 0) this.trial = this.firstStep(longest);
    const smallest = 16 * Number.EPSILON * Math.max(Math.abs(from), Math.abs(bound) * 1e-3);
    for (let h = Math.min(this.trial, longest); ; ) {
      const isLast = from + h * (1 + SNAP) >= bound;
      const end = isLast ? bound : from + h;
      const size = end - from;
      const { error, refusal } = this.attempt(method, from, size);
      const next = refusal ? size * REFUSED : method.resize(size, error);
      if (error <= 1) {
        method.accept();
        this.trial = size < this.trial ? Math.max(next, Math.min(this.trial, 10 * next)) : next;
        x.set(method.next);
        this.hasSlope = method.hasSlope;
        if (method.hasSlope) slope.set(method.nextSlope);
        this.arrive(end);
        if (method.findsStiffness) this.changeMethod();
        return;
      }
      if (!(next > smallest)) throw refusal ?? this.stuck(from);
      h = next;
      this.trial = next;
    }
  }

  private arrive(end: number): void {
    this.size = end - this.from;
    this.time = end;
    this.place(end, this.x);
  }

  /** The error of a step; what the model said where it refused to be evaluated. */
  private attempt(
    method: StepMethod,
    from: number,
    size: number,
  ): { readonly error: number; readonly refusal?: UnitError } {
    try {
      return { error: method.attempt(from, size, this.x, this.slope) };
    } catch (error) {
      if (!isRefusal(error)) throw error;
      method.restart();
      return { error: Number.POSITIVE_INFINITY, refusal: error };
    }
  }

  private firstStep(longest: number): number {
    const { system, x, slope, tolerances } = this;
    const { order } = METHODS[this.methods[this.current].name as "radau"];
    try {
      const found = startingStep(system, this.time, x, slope, tolerances, order, longest);
      return found > 0 ? found : longest;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return longest * 1e-6;
    }
  }

  private changeMethod(): void {
    if (this.current + 1 >= this.methods.length) return;
    this.current++;
    const method = this.methods[this.current];
    method.restart();
    this.onChange?.({ unit: this.model.name, method: method.name, time: this.time });
  }

  /** Puts the model where the last step was at `time`, with its states there. */
  placeInside(time: number): void {
    if (time === this.time) {
      this.place(time, this.x);
      return;
    }
    if (this.x.length > 0)
      this.methods[this.current].interpolate((time - this.from) / this.size, this.inside);
    this.place(time, this.inside);
  }

  /** The last step ends at `time`, inside of it. */
  cutAt(time: number): void {
    if (time !== this.time) {
      this.placeInside(time);
      this.x.set(this.inside);
      this.time = time;
      this.hasSlope = false;
      // The predictor of the next step must not begin at the end of the whole one.
      this.methods[this.current].restart();
    }
    this.place(time, this.x);
  }

  /** Gives the model time, states and inputs. */
  place(time: number, states: Float64Array): void {
    this.model.setTime(time);
    this.inputs.write(time);
    if (states.length > 0) this.model.setStates(states);
  }

  /** Derivatives at the present time; the model stays there. */
  slopeNow(): Float64Array {
    if (!this.hasSlope && this.x.length > 0) {
      this.derivatives(this.time, this.x, this.slope);
      this.hasSlope = true;
    }
    return this.slope;
  }

  /** A time in which the solution changes little. */
  get scale(): number {
    return this.trial > 0 ? this.trial : 1e-3;
  }

  get memorySize(): number {
    return OWN_MEMORY + this.methods.reduce((sum, { memorySize }) => sum + memorySize, 0);
  }

  save(into: Float64Array): void {
    into[0] = this.trial;
    into[1] = this.current;
    this.eachMemory((method, from, to) => method.save(into.subarray(from, to)));
  }

  /** The states are those that the model has. */
  restore(from: Float64Array, time: number): void {
    this.trial = from[0];
    this.current = from[1];
    this.eachMemory((method, first, last) => method.restore(from.subarray(first, last)));
    this.time = time;
    this.hasSlope = false;
    this.model.getStates(this.x);
  }

  private eachMemory(act: (method: StepMethod, from: number, to: number) => void): void {
    let at = OWN_MEMORY;
    for (const method of this.methods) {
      act(method, at, at + method.memorySize);
      at += method.memorySize;
    }
  }

  private readonly derivatives = (t: number, x: Float64Array, dx: Float64Array): void => {
    this.evaluated++;
    this.place(t, x);
    this.model.getDerivatives(dx);
  };

  /**
   * From directional derivatives where the model has them, else from differences; columns that
   * share no row together.
   */
  private readonly jacobian: OdeSystem["jacobian"] = (t, x, dx, jacobian) => {
    const { model, groups, seed, product } = this;
    const n = x.length;
    if (!model.description.capabilities.directionalDerivatives) {
      const f = (point: Float64Array, out: Float64Array): void => this.derivatives(t, point, out);
      const scale = this.nominals.map(sizeOf);
      colouredDifferences(n, groups, f, x, dx, scale, jacobian);
      return;
    }
    const { statePorts, derivativePorts } = model.structure;
    this.place(t, x);
    jacobian.fill(0);
    for (const { columns, columnOf } of groups) {
      seed.fill(0);
      for (const j of columns) seed[j] = 1;
      model.directionalDerivative(derivativePorts, statePorts, seed, product);
      for (let i = 0; i < n; i++) {
        const j = columnOf[i];
        if (j >= 0) jacobian[i * n + j] = product[i];
      }
    }
  };

  private stuck(time: number): UnitError {
    return new UnitError({
      unit: this.model.name,
      call: "advance",
      status: `the step size of its integrator (${this.method}) fell to zero`,
      time,
      log: [
        "the solution may be singular here, or an event may be missing from the model; try another 'method' or a larger 'tolerance'",
      ],
    });
  }
}

/** The model could not be evaluated there, and says that a smaller step may help. */
function isRefusal(error: unknown): error is UnitError {
  return error instanceof UnitError && /discard$/i.test(error.failure.status);
}
