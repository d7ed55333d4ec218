/**
 * A linear unit, solved exactly: x' = A x + B u, y = C x + D u, for inputs that are held or vary
 * linearly over a step.
 *
 * Why: with units that add no error of their own, what a coupled run shows is the error of the
 * coupling. The matrices of a step are kept for the last few step sizes. Communication points carry
 * rounding, so step sizes of a fixed-step run differ in their last bits: the matrices are those of
 * the size rounded to single precision, and two Taylor terms account for the rest (its cube
 * vanishes in double precision). So the result depends on the step alone, not on which sizes happen
 * to be kept.
 */
import { UnitError } from "../base/outcome.ts";
import type { Port } from "../model/unit-description.ts";
import {
  fillStepMatrices,
  type StepMatrices,
  type StepMatricesWork,
  stepMatrices,
  stepMatricesWork,
} from "../numerics/expm.ts";
import { addProduct } from "../numerics/matrix.ts";
import { BaseUnit } from "./base-unit.ts";
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

export type Rows = readonly (readonly number[])[];

export interface LinearModel {
  readonly name: string;
  readonly description?: string;
  readonly inputs?: PortSpecs;
  readonly states: StateSpecs;
  readonly outputs?: OutputSpecs;
  readonly a: Rows;
  readonly b?: Rows;
  readonly c?: Rows;
  /** Default: no feed-through. */
  readonly d?: Rows;
}

/**
 * A unit in phase `instantiated`. Ports: inputs, states, outputs, `der(state)`, in the order of
 * writing.
 */
export function linearUnit(model: LinearModel, name: string = model.name): Unit {
  return new LinearUnit(model, name);
}

interface KeptStep extends StepMatrices {
  size: number;
}

const KEPT_STEPS = 4;

class LinearUnit extends BaseUnit {
  private readonly a: Float64Array;
  private readonly b: Float64Array;
  private readonly c: Float64Array;
  private readonly d: Float64Array;
  private readonly u: Float64Array;
  private readonly x: Float64Array;
  private readonly y: Float64Array;
  private readonly dx: Float64Array;
  private readonly next: Float64Array;
  private readonly second: Float64Array;
  private readonly jacobian: Float64Array;
  private readonly sizes: StateSpaceSizes;
  private readonly steps: readonly KeptStep[];
  private readonly work: StepMatricesWork;
  private oldest = 0;

  constructor(model: LinearModel, name: string) {
    const nu = Object.keys(model.inputs ?? {}).length;
    const nx = Object.keys(model.states).length;
    const ny = Object.keys(model.outputs ?? {}).length;
    const states = new Set(Array.from({ length: nx }, (_, i) => nu + i));
    const ports = withFeedThrough(model, numericOnly(model.name, stateSpacePorts(model)));
    super(name, describeUnit(model, ports, SMOOTH), { states });
    this.u = this.view(0, nu - 1);
    this.x = this.view(nu, nu + nx - 1);
    this.y = this.view(nu + nx, nu + nx + ny - 1);
    this.dx = this.view(nu + nx + ny, nu + 2 * nx + ny - 1);
    const n = this.x.length;
    const m = this.u.length;
    const q = this.y.length;
    this.a = flat(model.name, "a", model.a, n, n);
    this.b = flat(model.name, "b", model.b, n, m);
    this.c = flat(model.name, "c", model.c, q, n);
    this.d = flat(model.name, "d", model.d, q, m);
    this.next = new Float64Array(n);
    this.second = new Float64Array(n);
    this.sizes = { parameters: 0, inputs: m, states: n, outputs: q };
    this.jacobian = joined(this.a, this.b, this.c, this.d, n, m, q);
    this.steps = Array.from({ length: KEPT_STEPS }, () => ({ size: 0, ...stepMatrices(n, m) }));
    this.work = stepMatricesWork(n, m);
  }

  protected override evaluate(): void {
    const { a, b, c, d, u, x, y, dx } = this;
    y.fill(0);
    addProduct(y.length, x.length, c, x, y);
    addProduct(y.length, u.length, d, u, y);
    dx.fill(0);
    addProduct(x.length, x.length, a, x, dx);
    addProduct(x.length, u.length, b, u, dx);
  }

  protected override flow(speeds: Float64Array): void {
    speeds.set(this.dx, this.u.length);
  }

  protected override proceed(from: number, bound: number): Stop {
    const { a, b, u, x, dx, slopes, next, second } = this;
    const n = x.length;
    const m = u.length;
    const h = bound - from;
    const { size, phi, held, ramp } = this.matricesFor(h);
    next.fill(0);
    addProduct(n, n, phi, x, next);
    addProduct(n, m, held, u, next);
    addProduct(n, m, ramp, slopes, next);
    x.set(next);
    for (let i = 0; i < m; i++) u[i] += slopes[i] * size;
    const rest = h - size;
    if (rest !== 0) {
      dx.fill(0);
      addProduct(n, n, a, x, dx);
      addProduct(n, m, b, u, dx);
      second.fill(0);
      addProduct(n, n, a, dx, second);
      addProduct(n, m, b, slopes, second);
      for (let i = 0; i < n; i++) x[i] += rest * (dx[i] + 0.5 * rest * second[i]);
      for (let i = 0; i < m; i++) u[i] += slopes[i] * rest;
    }
    return this.stopAt("time", -1, bound);
  }

  private matricesFor(h: number): KeptStep {
    const rounded = Math.fround(h);
    const size = rounded > 0 && rounded < Number.POSITIVE_INFINITY ? rounded : h;
    const { steps } = this;
    for (let i = 0; i < steps.length; i++) if (steps[i].size === size) return steps[i];
    const step = steps[this.oldest];
    this.oldest = (this.oldest + 1) % KEPT_STEPS;
    step.size = size;
    if (!fillStepMatrices(this.x.length, this.u.length, this.a, this.b, size, step, this.work)) {
      step.size = 0;
      throw new UnitError({
        unit: this.name,
        call: "advance",
        status: `its solution overflows in a step of ${h} s`,
        time: this.time,
        log: ["take smaller steps, or check the signs in its matrix A"],
      });
    }
    return step;
  }

  protected override jacobianProduct(
    unknowns: readonly number[],
    knowns: readonly number[],
    seed: Float64Array,
    out: Float64Array,
  ): boolean {
    return stateSpaceProduct(this.sizes, this.jacobian, unknowns, knowns, seed, out);
  }
}

function flat(
  unit: string,
  name: string,
  rows: Rows | undefined,
  height: number,
  width: number,
): Float64Array {
  if (rows === undefined) return new Float64Array(height * width);
  if (rows.length !== height || rows.some((row) => row.length !== width)) {
    throw new Error(`'${unit}': matrix ${name} must have ${height} rows of ${width} numbers`);
  }
  return Float64Array.from(rows.flat());
}

/** [A B; C D] */
function joined(
  a: Float64Array,
  b: Float64Array,
  c: Float64Array,
  d: Float64Array,
  n: number,
  m: number,
  q: number,
): Float64Array {
  const whole = new Float64Array((n + q) * (n + m));
  for (let i = 0; i < n + q; i++) {
    const [left, right, row] = i < n ? [a, b, i] : [c, d, i - n];
    whole.set(left.subarray(row * n, (row + 1) * n), i * (n + m));
    whole.set(right.subarray(row * m, (row + 1) * m), i * (n + m) + n);
  }
  return whole;
}

/**
 * Feed-through where it is not stated: the inputs whose entry in D is not zero. Only for scalar
 * ports.
 */
function withFeedThrough(model: LinearModel, ports: readonly Port[]): readonly Port[] {
  const inputs = ports.filter(({ direction }) => direction === "input");
  const names = Object.keys(model.outputs ?? {});
  if (ports.some(({ shape }) => shape.length > 0)) return ports;
  return ports.map((port) => {
    const row = names.indexOf(port.name);
    if (row < 0 || port.feedThrough !== undefined) return port;
    const feedThrough = inputs.filter((_, j) => (model.d?.[row]?.[j] ?? 0) !== 0);
    return { ...port, feedThrough: feedThrough.map(({ index }) => index) };
  });
}
