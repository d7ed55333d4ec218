/**
 * Where a mode rests and whether it is drawn there; and points on a curve in the plane, numbered by
 * one of its coordinates.
 */
import { eigenvalues } from "../numerics/eigenvalues.ts";
import { newtonWork, solveNewtonStep } from "../numerics/newton.ts";
import type { HybridModel, ScalarField, VectorField } from "./hybrid-model.ts";

const ITERATIONS = 60;
/** Balances truncation against rounding in central differences. */
const DIFFERENCE = Number.EPSILON ** (1 / 3);

export interface Equilibrium {
  /** The mode that rests there: 0 or 1, in whose domain the point lies. */
  readonly mode: 0 | 1;
  readonly x: Float64Array;
  /**
   * The greatest real part of the eigenvalues of the linearization there: negative when the mode is
   * drawn there.
   */
  readonly growth: number;
}

/**
 * The equilibrium that lies in the domain of its own mode; undefined when there is none near
 * `guess`.
 */
export function findEquilibrium(model: HybridModel, guess: Float64Array): Equilibrium | undefined {
  for (const mode of [0, 1] as const) {
    const x = restingPoint(model.modes[mode].field, guess);
    if (x === undefined) continue;
    const g = model.surface.value(x);
    if (mode === 0 ? g < 0 : g > 0) {
      return { mode, x, growth: growthAt(model.modes[mode].field, x) };
    }
  }
  return undefined;
}

/** A zero of `field` by Newton's method from `guess`. */
function restingPoint(field: VectorField, guess: Float64Array): Float64Array | undefined {
  const n = guess.length;
  const x = Float64Array.from(guess);
  const f = new Float64Array(n);
  const work = newtonWork(n);
  for (let k = 0; k < ITERATIONS; k++) {
    field(x, f);
    if (solveNewtonStep(n, jacobianAt(field, x), f, f, work, 0) === "singular") return undefined;
    let moved = 0;
    for (let i = 0; i < n; i++) {
      x[i] += f[i];
      moved = Math.max(moved, Math.abs(f[i]) / Math.max(Math.abs(x[i]), 1e-12));
    }
    if (!x.every(Number.isFinite)) return undefined;
    if (moved < 1e-14) break;
  }
  return x;
}

function jacobianAt(field: VectorField, x: Float64Array): Float64Array {
  const n = x.length;
  const jacobian = new Float64Array(n * n);
  const point = Float64Array.from(x);
  const [ahead, behind] = [new Float64Array(n), new Float64Array(n)];
  for (let j = 0; j < n; j++) {
    const h = DIFFERENCE * Math.max(Math.abs(x[j]), 1e-3);
    point[j] = x[j] + h;
    field(point, ahead);
    point[j] = x[j] - h;
    field(point, behind);
    point[j] = x[j];
    for (let i = 0; i < n; i++) jacobian[i * n + j] = (ahead[i] - behind[i]) / (2 * h);
  }
  return jacobian;
}

function growthAt(field: VectorField, x: Float64Array): number {
  return Math.max(...eigenvalues(x.length, jacobianAt(field, x)).re);
}

/** Values of one coordinate, ascending, that stand for the points of a curve. */
export interface CurveRange {
  /** Which state numbers the points. */
  readonly along: number;
  readonly from: number;
  readonly to: number;
}

/**
 * The point of { curve = 0 } in the plane whose coordinate `along` is `c`; undefined when there is
 * none near the axis.
 */
export function pointOnCurve(
  curve: ScalarField,
  along: number,
  c: number,
): Float64Array | undefined {
  const x = new Float64Array(2);
  const other = 1 - along;
  x[along] = c;
  for (let k = 0; k < ITERATIONS; k++) {
    const value = curve.value(x);
    if (value === 0) return x;
    const h = DIFFERENCE * Math.max(Math.abs(x[other]), 1e-3);
    const at = x[other];
    x[other] = at + h;
    const ahead = curve.value(x);
    x[other] = at - h;
    const slope = (ahead - curve.value(x)) / (2 * h);
    const next = at - value / slope;
    if (!Number.isFinite(next)) return undefined;
    x[other] = next;
    if (Math.abs(next - at) <= 4 * Number.EPSILON * Math.abs(next)) return x;
  }
  return undefined;
}
