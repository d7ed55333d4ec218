/**
 * A bi-modal hybrid system: two vector fields, and a surface that decides which one applies. In a
 * co-simulation the plant runs the field, a controller watches the surface, and the communication
 * between them makes it notice a crossing late. How late is still safe is what hybrid-energy.ts and
 * hybrid-delay.ts compute.
 */

/** Writes dx/dt at `x` into `dx`. */
export type VectorField = (x: Float64Array, dx: Float64Array) => void;

export interface ScalarField {
  value(x: Float64Array): number;
  /** Writes the gradient. Without it rates are differences along the flow. */
  gradient?(x: Float64Array, out: Float64Array): void;
}

export interface HybridMode {
  readonly name: string;
  readonly field: VectorField;
  /** What never grows while this mode rules: the energy, or any Lyapunov function. */
  readonly energy?: ScalarField;
}

export interface HybridModel {
  readonly name: string;
  readonly states: readonly string[];
  /** At or below zero the first mode rules, above it the second. */
  readonly surface: ScalarField;
  readonly modes: readonly [HybridMode, HybridMode];
}

/** A scalar that is watched along a flow. */
export interface Watched {
  value(x: Float64Array): number;
  /** Its rate of change along the flow. */
  rate(x: Float64Array): number;
}

/** `scalar` and its rate along `field`. */
export function along(scalar: ScalarField, field: VectorField, n: number): Watched {
  const dx = new Float64Array(n);
  const work = new Float64Array(n);
  const value = (x: Float64Array): number => scalar.value(x);
  if (scalar.gradient === undefined) {
    return { value, rate: (x) => differenceAlong(scalar, field, x, dx, work) };
  }
  return {
    value,
    rate(x) {
      field(x, dx);
      scalar.gradient!(x, work);
      let sum = 0;
      for (let i = 0; i < n; i++) sum += work[i] * dx[i];
      return sum;
    },
  };
}

/**
 * The rate by a difference of fourth order, over a small part of the time in which the state
 * changes by its own size.
 */
function differenceAlong(
  scalar: ScalarField,
  field: VectorField,
  x: Float64Array,
  dx: Float64Array,
  point: Float64Array,
): number {
  field(x, dx);
  const speed = Math.hypot(...dx);
  if (speed === 0) return 0;
  const h = (1e-3 * (Math.hypot(...x) || 1)) / speed;
  const at = (k: number): number => {
    for (let i = 0; i < x.length; i++) point[i] = x[i] + k * h * dx[i];
    return scalar.value(point);
  };
  return (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * h);
}
