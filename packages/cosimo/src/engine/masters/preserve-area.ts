/**
 * Keeps the time integral of what explicit masters exchange. An input that is extrapolated over a
 * step gets another area than its source has; sampling a pulse that is shorter than a step gives
 * nothing or far too much. Where the source also gives the integral of its output, or where a bond
 * is to keep its energy, what an input was given is compared with what it should have been given,
 * and the difference (its *debt*) is paid back in the next step. No unit has to go back. (Benedikt
 * et al. 2013, a nearly energy-preserving coupling element.)
 *
 * On smooth signals this moves a held value to the middle of its step, and so gains an order. Where
 * the source is discrete, its value at an instant says nothing about the step that follows: its
 * input gets what the last step really had.
 */
import type { CouplingPlan } from "../../plan/coupling-plan.ts";
import type { Exchange } from "./bond-meter.ts";
import type { Coupling, InputTrajectories } from "./coupling.ts";
import { MasterPart } from "./master-part.ts";

export class AreaKeeper extends MasterPart {
  /** By input: its area is kept. */
  private readonly isKept: readonly boolean[] = keptInputs(this.coupling.plan);
  private readonly kept: readonly number[] = [...this.isKept.keys()].filter((i) => this.isKept[i]);
  private readonly isLate: readonly boolean[] = this.coupling.plan.inputs.map(
    ({ jumps, integral }) => jumps && integral !== undefined,
  );
  private readonly integralAtBegin = new Float64Array(this.coupling.size);
  /** Units that give integrals. */
  private readonly tellers: readonly number[] = tellersOf(this.coupling.plan);

  constructor(coupling: Coupling) {
    super(coupling);
    for (const unit of this.tellers) coupling.collect(unit);
  }

  /**
   * Before the units move: `trajectories` are what the past suggests, and get what the last steps
   * lacked.
   */
  begin(trajectories: InputTrajectories, length: number): void {
    const { f64 } = this.coupling.state.banks;
    for (const i of this.kept) {
      const { integral } = this.coupling.plan.inputs[i];
      if (integral !== undefined) this.integralAtBegin[i] = f64[integral.slot];
      if (this.isLate[i]) hold(trajectories, i, 0);
      trajectories.value[i] += this.payment(i, length);
    }
  }

  /** The trajectory of an input whose source has already taken the step, and which follows it. */
  follow(trajectories: InputTrajectories, i: number, length: number): void {
    if (!this.isKept[i]) return;
    const { jumps, order } = this.coupling.plan.inputs[i];
    const mean = this.meanOf(i, length);
    if (Number.isNaN(mean)) trajectories.value[i] += this.payment(i, length);
    else if (jumps || order === 0) hold(trajectories, i, mean + this.payment(i, length));
    else
      trajectories.value[i] +=
        mean + this.payment(i, length) - meanTrajectory(trajectories, i, length);
  }

  /** The mean of an input over the step, once its source has taken it; NaN where it is unknown. */
  meanOf(i: number, length: number): number {
    const { integral } = this.coupling.plan.inputs[i];
    if (integral === undefined) return Number.NaN;
    const { f64 } = this.coupling.state.banks;
    return (integral.factor * (f64[integral.slot] - this.integralAtBegin[i])) / length;
  }

  /**
   * After the step: what was given against what the sources gave, which for bonds is in `exchange`.
   */
  settle({ trajectories, begins, ends }: Exchange, length: number): void {
    const { debt, size } = this.coupling;
    for (const unit of this.tellers) this.coupling.collect(unit);
    for (const i of this.kept) {
      const given = meanTrajectory(trajectories, i, length);
      const mean = this.meanOf(i, length);
      const wanted = Number.isNaN(mean) ? (begins[i] + ends[i]) / 2 : mean;
      debt[i] += length * (wanted - given);
    }
    debt[size] = Math.max(length, debt[size] - length);
  }

  /**
   * A debt is paid within the time in which it was made, so that a short step does not get it all
   * at once.
   */
  private payment(i: number, length: number): number {
    const { debt, size } = this.coupling;
    return debt[i] / Math.max(length, debt[size]);
  }
}

/** By input: its area is to be kept. */
function keptInputs({ inputs, bonds }: CouplingPlan): boolean[] {
  const bonded = new Set(
    bonds.flatMap(({ preserve, effortInput, flowInput }) =>
      preserve === "energy" ? [effortInput, flowInput] : [],
    ),
  );
  return inputs.map(({ integral }, i) => integral !== undefined || bonded.has(i));
}

/** Units whose integrals must be read, as no connection does it. */
export function tellersOf({ inputs }: CouplingPlan): number[] {
  return [
    ...new Set(inputs.flatMap(({ source, integral }) => (integral === undefined ? [] : [source]))),
  ];
}

/** The mean of an input's trajectory over its only piece. */
function meanTrajectory(
  { value, first, second }: InputTrajectories,
  i: number,
  length: number,
): number {
  return value[i] + length * (first[i] / 2 + (length * second[i]) / 6);
}

function hold(trajectories: InputTrajectories, i: number, value: number): void {
  trajectories.value[i] = value;
  trajectories.first[i] = 0;
  trajectories.second[i] = 0;
}
