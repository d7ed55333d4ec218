/**
 * Measures what the exchange over power bonds makes of energy, step by step.
 *
 * One unit gives an effort e and receives a flow, the other gives a flow f and receives an effort.
 * What they receive is only an approximation (φ) of what the other gives, so the energy that one
 * gives away, ∫ e φ_f, is not the one that arrives, ∫ φ_e f. The difference was made (> 0) or lost
 * (< 0) by the exchange. It is 0 where each receives what the other gives.
 *
 * Efforts and flows count as they arrive, with the flow turned back by its factor: the power is the
 * one that the unit with the flow sees. Outputs are those that belong to what their units receive,
 * which at the ends of a step is not what others give there: a damper works with the velocity that
 * it knows. Inside a step they go straight from value to value; where their integral is known, on
 * the parabola that has it. All sums live in the signal banks: a rejected step takes its energy
 * with it.
 */
import type { CouplingPlan } from "../../plan/coupling-plan.ts";
import type { Coupling, InputTrajectories } from "./coupling.ts";
import { MasterPart } from "./master-part.ts";
import type { BondSummary } from "./master-summary.ts";

/**
 * What units received and what they gave in a step. Arrays: `piece * size + input`, pieces as in
 * `trajectories`.
 */
export interface Exchange {
  readonly trajectories: InputTrajectories;
  /** What their sources gave for the inputs when the step began; one piece. */
  readonly begins: Float64Array;
  /** The same at the ends of the pieces. */
  readonly ends: Float64Array;
  /** Means over the pieces; NaN where it is unknown. */
  readonly means: Float64Array;
}

/** An output that is one end of a bond, and the input that it feeds. */
interface BondEnd {
  readonly input: number;
  readonly slot: number;
  readonly factor: number;
  readonly read: Int32Array;
}

/** Gauss-Legendre on [0, 1], exact up to degree 5: trajectories and outputs have degree 2. */
const POINTS = [0.5 - Math.sqrt(0.15), 0.5, 0.5 + Math.sqrt(0.15)] as const;
const WEIGHTS = [5 / 18, 8 / 18, 5 / 18] as const;

/** Reads the outputs of bonds while their units go through a step. */
export class BondOutputs {
  readonly exchange: Exchange;
  private readonly coupling: Coupling;
  /** By unit. */
  private readonly ends: readonly (readonly BondEnd[])[];

  constructor(coupling: Coupling, trajectories: InputTrajectories) {
    this.coupling = coupling;
    const { size, plan } = coupling;
    this.exchange = {
      trajectories,
      begins: new Float64Array(size),
      ends: new Float64Array(trajectories.pieces * size),
      means: new Float64Array(trajectories.pieces * size).fill(Number.NaN),
    };
    const ends = plan.bonds.flatMap((bond): BondEnd[] => [
      {
        input: bond.effortInput,
        slot: bond.effort,
        factor: bond.effortFactor,
        read: bond.readEffort,
      },
      { input: bond.flowInput, slot: bond.flow, factor: bond.flowFactor, read: bond.readFlow },
    ]);
    this.ends = coupling.units.map((_, unit) =>
      ends.filter(({ input }) => plan.inputs[input].source === unit),
    );
  }

  /** Whether something is read of the unit. */
  has(unit: number): boolean {
    return this.ends[unit].length > 0;
  }

  /** A unit is about to follow the trajectory. */
  before(unit: number): void {
    const ends = this.ends[unit];
    if (ends.length === 0) return;
    const { begin, plan } = this.coupling;
    const { begins, trajectories } = this.exchange;
    if (!plan.stages[unit].feedThrough) {
      for (const { input } of ends) begins[input] = begin[input];
      return;
    }
    this.coupling.show(unit, trajectories);
    for (const end of ends) begins[end.input] = this.look(end);
  }

  /**
   * A unit has reached the end of a piece, and its inputs are those that the trajectory has there.
   */
  after(unit: number, piece = 0): void {
    const { size } = this.coupling;
    const ends = this.ends[unit];
    for (const end of ends) this.exchange.ends[piece * size + end.input] = this.look(end);
  }

  private look({ slot, factor, read }: BondEnd): number {
    this.coupling.interpreter.run(read, 0);
    return factor * this.coupling.state.banks.f64[slot];
  }
}

/** Adds the step that a method has just taken. */
export function measureBonds(coupling: Coupling, exchange: Exchange, length: number): void {
  const { f64 } = coupling.state.banks;
  for (const bond of coupling.plan.bonds) {
    if (bond.flowFactor === 0) continue;
    const { effortInput, flowInput } = bond;
    const received =
      energyOver(coupling, exchange, effortInput, flowInput, length) / bond.flowFactor;
    const sent = energyOver(coupling, exchange, flowInput, effortInput, length) / bond.flowFactor;
    const made = received - sent;
    f64[bond.transferred] += received;
    f64[bond.moved] += Math.abs(received);
    f64[bond.energy] += made;
    if (made > 0) f64[bond.made] += made;
  }
}

/** ∫ φ y over the step: what input `received` was given, times what arrived for input `given`. */
function energyOver(
  { size }: Coupling,
  { trajectories, begins, ends, means }: Exchange,
  received: number,
  given: number,
  length: number,
): number {
  const { pieces, value, first, second } = trajectories;
  const h = length / pieces;
  let left = begins[given];
  let sum = 0;
  for (let piece = 0; piece < pieces; piece++) {
    const t = piece * size + received;
    const g = piece * size + given;
    const right = ends[g];
    const mean = means[g];
    const bulge = Number.isNaN(mean) ? 0 : 6 * (mean - (left + right) / 2);
    for (let k = 0; k < POINTS.length; k++) {
      const x = POINTS[k];
      const s = x * h;
      const phi = value[t] + s * (first[t] + 0.5 * s * second[t]);
      const y = left + x * (right - left + bulge * (1 - x));
      sum += WEIGHTS[k] * phi * y;
    }
    left = right;
  }
  return h * sum;
}

/** Residual power of the last step of the run, whatever a control has made of it. */
export class BondMeter extends MasterPart {
  private readonly before = Float64Array.from(
    this.coupling.plan.bonds,
    ({ energy }) => this.coupling.state.banks.f64[energy],
  );

  /** A step from `from` to the coupling's time was accepted. */
  accepted(from: number): void {
    const { time, plan, state } = this.coupling;
    const { f64 } = state.banks;
    for (let b = 0; b < plan.bonds.length; b++) {
      const { power, energy } = plan.bonds[b];
      f64[power] = (f64[energy] - this.before[b]) / (time - from);
      this.before[b] = f64[energy];
    }
  }
}

/** @param f64 the signals of the run's end, or of any moment between two steps. */
export function bondBalances({ bonds }: CouplingPlan, f64: Float64Array): BondSummary[] {
  return bonds.map(({ name, transferred, moved, energy, made }) => ({
    name,
    transferred: f64[transferred],
    moved: f64[moved],
    made: f64[made],
    lost: f64[made] - f64[energy],
  }));
}
