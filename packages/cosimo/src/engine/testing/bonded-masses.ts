/**
 * What explicit masters make of the coupled masses (coupled-masses.ts, d_2 = 2) when force and
 * velocity are a bond, written down once more as one linear map from step to step: its spectral
 * radius says where they are stable.
 */

import { spectralRadius } from "../../numerics/eigenvalues.ts";
import { fillStepMatrices, stepMatrices, stepMatricesWork } from "../../numerics/expm.ts";

export type ExplicitScheme = "jacobi" | "left first" | "right first";

export interface BondedMasses {
  readonly scheme: ExplicitScheme;
  /** What is owed to force and velocity is paid back. */
  readonly preserve: boolean;
  readonly step: number;
  /** Damper between the masses. */
  readonly coupling: number;
}

const DAMPING = 2;

/**
 * States of the map: x1, v1, x2, v2, what is owed to the force, what is owed to the velocity.
 * Inputs are held.
 */
const STATES = 6;

export function bondedMassesRadius(masses: BondedMasses): number {
  const step = makeStep(masses);
  const map = new Float64Array(STATES * STATES);
  for (let j = 0; j < STATES; j++) {
    const unit = Array.from({ length: STATES }, (_, i) => Number(i === j));
    step(unit).forEach((value, i) => {
      map[i * STATES + j] = value;
    });
  }
  return spectralRadius(STATES, map);
}

/** The largest value of `of` below which `radius` stays below 1, by bisection. */
export function stabilityLimit(
  radius: (of: number) => number,
  stable: number,
  unstable: number,
): number {
  let [low, high] = [stable, unstable];
  while (high - low > 1e-6 * high) {
    const middle = (low + high) / 2;
    if (radius(middle) < 1) low = middle;
    else high = middle;
  }
  return low;
}

type Solve = (x: readonly number[], u: readonly number[], slope: readonly number[]) => number[];

function solver(a: readonly number[], b: readonly number[], h: number): Solve {
  const n = 2;
  const m = b.length / n;
  const { phi, held, ramp } = filled(n, m, a, b, h);
  return (x, u, slope) =>
    [0, 1].map((i) => {
      let sum = 0;
      for (let j = 0; j < n; j++) sum += phi[i * n + j] * x[j];
      for (let j = 0; j < m; j++) sum += held[i * m + j] * u[j] + ramp[i * m + j] * slope[j];
      return sum;
    });
}

function filled(
  n: number,
  m: number,
  a: readonly number[],
  b: readonly number[],
  h: number,
): ReturnType<typeof stepMatrices> {
  const into = stepMatrices(n, m);
  fillStepMatrices(
    n,
    m,
    Float64Array.from(a),
    Float64Array.from(b),
    h,
    into,
    stepMatricesWork(n, m),
  );
  return into;
}

function makeStep({
  scheme,
  preserve,
  step: h,
  coupling: d,
}: BondedMasses): (z: number[]) => number[] {
  const left = solver([0, 1, -1, -1], [0, 1], h);
  const right = solver([0, 1, -2, -d - DAMPING], [0, 0, 1, d], h);
  const force = (a: readonly number[], b: readonly number[]): number =>
    b[0] - a[0] + d * (b[1] - a[1]);
  return ([x1 = 0, v1 = 0, x2 = 0, v2 = 0, owedForce = 0, owedVelocity = 0]) => {
    const [a, b] = [
      [x1, v1],
      [x2, v2],
    ];
    const f = force(a, b);
    const extraF = preserve ? owedForce / h : 0;
    const extraV = preserve ? owedVelocity / h : 0;
    let [aEnd, bEnd] = [a, b];
    let [meanF, meanV] = [f + extraF, v1 + extraV];
    if (scheme === "right first") {
      bEnd = right(b, [x1, v1 + extraV], [0, 0]);
      const reached = force([x1, v1 + extraV], bEnd);
      aEnd = left(a, [f + extraF], [(reached - f) / h]);
      meanF += (reached - f) / 2;
    } else {
      aEnd = left(a, [f + extraF], [0]);
      const follows = scheme === "left first" ? [aEnd[0] - x1, aEnd[1] - v1] : [0, 0];
      bEnd = right(b, [x1, v1 + extraV], [follows[0] / h, follows[1] / h]);
      meanV += follows[1] / 2;
    }
    const owed = (before: number, after: number, mean: number, until: number): number =>
      preserve ? until + h * ((before + after) / 2 - mean) : 0;
    // The force is the one that belongs to what the right mass received.
    const received = [x1, v1 + extraV];
    const receivedEnd = scheme === "left first" ? [aEnd[0], aEnd[1] + extraV] : received;
    return [
      ...aEnd,
      ...bEnd,
      owed(force(received, b), force(receivedEnd, bEnd), meanF, owedForce),
      owed(v1, aEnd[1], meanV, owedVelocity),
    ];
  };
}
