/**
 * Explicit steps of any size: inputs follow their extrapolated past (jacobi), or, in sequence, what
 * earlier units have reached (gauss-seidel). The same rules as the straight plans, without their
 * ticks.
 */
import { isSequential } from "../../model/masters.ts";
import { BondOutputs, measureBonds } from "./bond-meter.ts";
import type { Coupling, InputTrajectories } from "./coupling.ts";
import { ExplicitPrograms } from "./explicit-programs.ts";
import { MasterPart } from "./master-part.ts";
import { AreaKeeper } from "./preserve-area.ts";
import type { StepMethod } from "./step-method.ts";
import { Extrapolation, throughNodes } from "./trajectories.ts";

export class ExplicitStep extends MasterPart implements StepMethod {
  /** Global order of the coupling error. */
  readonly order: number;
  private readonly trajectories: InputTrajectories = this.coupling.makeTrajectories();
  private readonly extrapolation = new Extrapolation(this.coupling);
  private readonly area = new AreaKeeper(this.coupling);
  /**
   * The sequence of units; made for the first step, when all have said where their units shall
   * stop.
   */
  private units: readonly number[] | undefined;
  /** Not every unit can go back: those that stop early must be met without. */
  private readonly negotiates: boolean = !this.coupling.canRollBackAll;
  private readonly end = new Float64Array(this.coupling.size);
  private readonly sequential: boolean;
  /** By input: it follows its source, which goes first. */
  private readonly follows: readonly boolean[];
  private readonly bonds = new BondOutputs(this.coupling, this.trajectories);
  private readonly programs: ExplicitPrograms;
  /** Inputs that are extrapolated by parabolas: they need a slope where there is no past. */
  private readonly quadratic: readonly number[];

  constructor(coupling: Coupling) {
    super(coupling);
    const { settings, components, inputs } = coupling.plan;
    this.order = Math.min(...inputs.map(({ order }) => order), settings.order) + 1;
    const { order } = coupling.plan;
    this.follows = inputs.map(
      ({ interpolated, takesEnd, integral, source, unit }) =>
        interpolated ||
        takesEnd ||
        (integral !== undefined && order.indexOf(source) < order.indexOf(unit)),
    );
    this.quadratic = [...inputs.keys()].filter((i) => inputs[i].order === 2);
    this.sequential = isSequential(settings) && components.length > 0;
    const { trajectories, sequential, follows, end } = this;
    this.programs = new ExplicitPrograms(coupling, { trajectories, sequential, follows, end });
  }

  step(to: number, lower = 0): boolean {
    const coupling = this.coupling;
    if (this.startsHeld(to)) {
      this.end.set(coupling.begin);
      this.inventPast(coupling.lengthOf(coupling.time, to));
    }
    if (lower > 0 || this.quadratic.length === 0 || !this.isFirst(to))
      return this.stepOnce(to, lower);
    // Tried with held inputs, for the past that a parabola needs: a straight line
    // (engine/first-slopes.ts).
    const hasArrived = this.stepOnce(to, 0) && coupling.time === to;
    if (hasArrived) coupling.signals(this.end);
    coupling.goBackToStart();
    if (hasArrived) this.inventPast(coupling.lengthOf(coupling.time, to));
    return this.stepOnce(to, 0);
  }

  /**
   * Two samples before the first one: on the line from there to `end` for parabolas, held for
   * others.
   */
  private inventPast(length: number): void {
    const { history, begin, time } = this.coupling;
    const past = Float64Array.from(begin);
    history.reset();
    for (const back of [2, 1]) {
      for (const i of this.quadratic) past[i] = (back + 1) * begin[i] - back * this.end[i];
      history.push(time - back * length, past);
    }
    history.push(time, begin);
  }

  /**
   * Whether parabolas begin with a held past, since no first step can be tried: as in straight
   * plans, on their grid.
   */
  private startsHeld(to: number): boolean {
    const { history, time, canRollBackAll, state } = this.coupling;
    if (this.quadratic.length === 0 || canRollBackAll || history.count > 1) return false;
    return time === state.plan.start && this.coupling.lengthOf(time, to) === state.plan.step;
  }

  /**
   * Whether there is no past, a way back, and time for a slope to matter: nothing varies in a step
   * as short as an event.
   */
  private isFirst(to: number): boolean {
    const { history, time, start, canRollBackAll, plan, state } = this.coupling;
    if (history.count > 1 || !canRollBackAll || start?.time !== time) return false;
    return to - time > plan.settings.eventTolerance * state.plan.step;
  }

  private stepOnce(to: number, lower: number): boolean {
    const coupling = this.coupling;
    const from = coupling.time;
    this.extrapolation.fill(this.trajectories, lower);
    this.area.begin(this.trajectories, to - from);
    this.units ??= this.negotiates ? stoppersFirst(coupling) : coupling.plan.order;
    let end = to;
    let hasResolved = false;
    if (!this.sequential)
      for (const unit of this.units)
        if (!this.bonds.has(unit)) coupling.beginAdvance(unit, this.trajectories, from, to);
    for (let k = 0; k < this.units.length; k++) {
      const taken = this.negotiates ? 0 : this.programs.run(this.units, k, from, end);
      if (taken < 0) return false;
      hasResolved = this.programs.hasResolved;
      k += Math.max(0, taken - 1);
      if (taken > 0 || this.take(this.units[k], from, end)) continue;
      const { time } = coupling.earlyEnd;
      if (!this.meet(this.units.slice(0, k), from, time)) return false;
      this.afterStep(this.units[k]);
      end = time;
    }
    coupling.time = end;
    if (!hasResolved) coupling.resolve();
    this.area.settle(this.bonds.exchange, end - from);
    if (coupling.plan.bonds.length > 0) this.measure(end - from);
    return true;
  }

  private take(unit: number, from: number, to: number): boolean {
    const coupling = this.coupling;
    if (this.sequential) this.interpolate(unit, this.coupling.lengthOf(from, to));
    this.bonds.before(unit);
    const hasArrived = coupling.advance(unit, this.trajectories, from, to);
    if (hasArrived) this.afterStep(unit);
    return hasArrived;
  }

  private afterStep(unit: number): void {
    this.bonds.after(unit);
    if (this.sequential) this.coupling.collect(unit);
  }

  /**
   * Brings units that are ahead of one that stopped early to where it is. @returns false where one
   * cannot go back.
   */
  private meet(ahead: readonly number[], from: number, time: number): boolean {
    const { earlyEnd, start } = this.coupling;
    if (!this.negotiates || !(time > from) || earlyEnd.reason === "terminated") return false;
    if (!this.coupling.canVarySteps) return false;
    if (ahead.some((unit) => start?.snapshots[unit] === undefined)) return false;
    for (const unit of ahead) {
      this.coupling.restoreUnit(unit);
      if (!this.take(unit, from, time)) return false;
    }
    return true;
  }

  private measure(length: number): void {
    const { exchange } = this.bonds;
    for (let i = 0; i < exchange.means.length; i++) exchange.means[i] = this.area.meanOf(i, length);
    measureBonds(this.coupling, exchange, length);
  }

  /** Inputs whose sources have gone ahead follow them. */
  private interpolate(unit: number, length: number): void {
    const { inputs, stages } = this.coupling.plan;
    const { f64 } = this.coupling.state.banks;
    for (const i of stages[unit].inputs) {
      const input = inputs[i];
      if (!this.follows[i]) continue;
      this.end[i] = f64[input.signal];
      throughNodes(
        this.trajectories,
        this.coupling.size,
        i,
        input.takesEnd ? 0 : 1,
        this.coupling.begin[i],
        this.end,
        length,
      );
      this.area.follow(this.trajectories, i, length);
    }
  }
}

/**
 * Units that may stop early come first, and of these the ones that can go back: the fewer are ahead
 * of one that stops.
 */
function stoppersFirst(coupling: Coupling): readonly number[] {
  const { order, settings } = coupling.plan;
  if (isSequential(settings)) return order;
  const rank = (unit: number): number =>
    !coupling.mayStop(unit) ? 2 : coupling.units[unit].description.capabilities.rollback ? 0 : 1;
  return order.toSorted((a, b) => rank(a) - rank(b));
}
