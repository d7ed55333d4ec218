/**
 * Measures what the exchange over power bonds makes of energy, step by step.
 *
 * One unit gives an effort e and is told a flow, the other gives a flow f and is told an effort. What they are told is only an
 * approximation (φ) of what the other gives, so the energy that one gives away, ∫ e φ_f, is not the one that arrives,
 * ∫ φ_e f. The difference was made (> 0) or lost (< 0) by the exchange. It is 0 where each is told what the other gives.
 *
 * Efforts and flows count as they arrive, with the flow turned back by its factor: the power is the one that the unit with the
 * flow sees. Inside a step, an output goes straight from value to value; where its integral is known, on the parabola that
 * has this integral. All sums live in the signal banks: a step that is taken back takes its energy with it.
 */
import type { CouplingPlan } from "../../plan/coupling-plan.ts";
import type { Coupling, Course } from "./coupling.ts";
import type { BondSummary } from "./master-summary.ts";

/** What units were told and what they gave in a step. Arrays: `piece * size + input`, pieces as in `course`. */
export interface Exchange {
  readonly course: Course;
  /** Signals at the ends of the pieces. */
  readonly ends: Float64Array;
  /** Their means over the pieces; NaN where nobody tells. */
  readonly means: Float64Array;
}

/** Gauss-Legendre on [0, 1], exact up to degree 5: courses and outputs have degree 2. */
const POINTS = [0.5 - Math.sqrt(0.15), 0.5, 0.5 + Math.sqrt(0.15)] as const;
const WEIGHTS = [5 / 18, 8 / 18, 5 / 18] as const;

/** Adds the step that a method has just taken, from `coupling.begin` on. */
export function measureBonds(coupling: Coupling, exchange: Exchange, length: number): void {
  const { f64 } = coupling.state.banks;
  for (const bond of coupling.plan.bonds) {
    if (bond.flowFactor === 0) continue;
    const { effortInput, flowInput } = bond;
    const received =
      energyOver(coupling, exchange, effortInput, flowInput, length) / bond.flowFactor;
    const sent = energyOver(coupling, exchange, flowInput, effortInput, length) / bond.flowFactor;
    const made = received - sent;
    f64[bond.transferred]! += received;
    f64[bond.moved]! += Math.abs(received);
    f64[bond.energy]! += made;
    if (made > 0) f64[bond.made]! += made;
  }
}

/** ∫ φ y over the step: what was told at input `told`, times what arrived for input `given`. */
function energyOver(
  { begin, size }: Coupling,
  { course, ends, means }: Exchange,
  told: number,
  given: number,
  length: number,
): number {
  const { pieces, value, first, second } = course;
  const h = length / pieces;
  let left = begin[given]!;
  let sum = 0;
  for (let piece = 0; piece < pieces; piece++) {
    const t = piece * size + told;
    const g = piece * size + given;
    const right = ends[g]!;
    const mean = means[g]!;
    const bulge = Number.isNaN(mean) ? 0 : 6 * (mean - (left + right) / 2);
    for (let k = 0; k < POINTS.length; k++) {
      const x = POINTS[k]!;
      const s = x * h;
      const phi = value[t]! + s * (first[t]! + 0.5 * s * second[t]!);
      const y = left + x * (right - left + bulge * (1 - x));
      sum += WEIGHTS[k]! * phi * y;
    }
    left = right;
  }
  return h * sum;
}

/** Residual power of the last step of the run, whatever a control has made of it. */
export class BondMeter {
  readonly #coupling: Coupling;
  readonly #before: Float64Array;

  constructor(coupling: Coupling) {
    this.#coupling = coupling;
    const { f64 } = coupling.state.banks;
    this.#before = Float64Array.from(coupling.plan.bonds, ({ energy }) => f64[energy]!);
  }

  /** A step from `from` to the coupling's time was accepted. */
  accepted(from: number): void {
    const { time, plan, state } = this.#coupling;
    const { f64 } = state.banks;
    for (let b = 0; b < plan.bonds.length; b++) {
      const { power, energy } = plan.bonds[b]!;
      f64[power] = (f64[energy]! - this.#before[b]!) / (time - from);
      this.#before[b] = f64[energy]!;
    }
  }
}

/** @param f64 the signals of the run's end, or of any moment between two steps. */
export function bondBalances({ bonds }: CouplingPlan, f64: Float64Array): BondSummary[] {
  return bonds.map(({ name, transferred, moved, energy, made }) => ({
    name,
    transferred: f64[transferred]!,
    moved: f64[moved]!,
    made: f64[made]!,
    lost: f64[made]! - f64[energy]!,
  }));
}
