/**
 * The units of a plan as a master sees them that decides at run time: a time, inputs whose trajectory over the coming step is
 * chosen, units that can be advanced one by one, and a way back. Masters are control flow over this; it never decides.
 *
 * A *trajectory* is what the coupled inputs do from the beginning of a step to its end: one polynomial for every input and every
 * piece of the step. The values at the ends of the pieces are its *nodes*; explicit masters have one piece.
 */

import type { Banks } from "../../model/value-type.ts";
import { SampleHistory } from "../../numerics/divided-differences.ts";
import type { CouplingPlan, UnitStage } from "../../plan/coupling-plan.ts";
import type { PolicyWrite } from "../../plan/policies.ts";
import { copyBanks, fillBanks } from "../../unit/banks.ts";
import type { Predicate, StopReason } from "../../unit/predicate.ts";
import type { PortSlot, Snapshot, Unit } from "../../unit/unit.ts";
import type { Interpreter } from "../interpreter.ts";
import type { PlanState } from "../signals.ts";
import { OwnStepWatch } from "./own-steps.ts";
import { sameInstant } from "./requested-points.ts";

/** Polynomials of all coupled inputs, piece after piece; times count from the beginning of the piece. */
export interface InputTrajectories {
  readonly pieces: number;
  readonly value: Float64Array;
  readonly first: Float64Array;
  readonly second: Float64Array;
}

/** A unit that did not take the whole step. */
export interface EarlyEnd {
  readonly unit: number;
  readonly reason: StopReason;
  readonly port: number;
  readonly time: number;
  /** It stopped inside the requested step or micro-step, and so knows where its event is. */
  readonly isInside: boolean;
}

/** Where everything stood at the beginning of a step. */
export interface StepStart {
  readonly time: number;
  readonly snapshots: readonly (Snapshot | undefined)[];
  readonly banks: Banks;
  readonly debt: Float64Array;
  readonly past: Float64Array;
}

export class Coupling {
  readonly state: PlanState;
  readonly plan: CouplingPlan;
  readonly interpreter: Interpreter;
  /** Number of coupled inputs. */
  readonly size: number;
  /** Samples of the coupled inputs at the last communication points. */
  readonly history: SampleHistory;
  /** The coupled inputs where the step begins. */
  readonly begin: Float64Array;
  /**
   * What the area of an input's trajectory lacks against that of its source: given back by explicit masters (preserve-area.ts), within
   * as many seconds as the last element says.
   */
  readonly debt: Float64Array;
  /** The coupled inputs one communication point earlier, and how long before the present one that was; 0: not known. */
  readonly previous: Float64Array;
  previousAgo = 0;
  time = 0;
  /** Where the step under way began, while units may be rolled back to it. */
  start: StepStart | undefined;
  /** Where the step under way shall end; an event of a unit there is no early end. */
  target: number = Number.POSITIVE_INFINITY;
  /** Units that have an event to handle where the step ended. */
  readonly pending: Set<number> = new Set();
  /** The first unit that stopped early in the step under way. */
  early: EarlyEnd | undefined;
  /** Calls of `advance`, for those who compare costs. */
  advances = 0;
  /** Called at every index of an event, when all outputs of it are there and before the units are updated. */
  onIndex: ((index: number) => void) | undefined;
  /** What units make of the first steps and micro-steps that are requested of them. */
  readonly ownSteps: OwnStepWatch;
  private sampledAt = Number.POSITIVE_INFINITY;
  private readonly until: { kind: "time"; time: number } = { kind: "time", time: 0 };
  /** By unit: what may end its step besides time. */
  private readonly conditions = new Map<number, Predicate>();

  constructor(state: PlanState, interpreter: Interpreter) {
    if (state.plan.coupling === undefined) throw new Error("internal: a plan without coupling");
    this.state = state;
    this.plan = state.plan.coupling;
    this.interpreter = interpreter;
    this.size = this.plan.inputs.length;
    this.history = new SampleHistory(this.size);
    this.begin = new Float64Array(this.size);
    this.debt = new Float64Array(this.size + 1);
    this.previous = new Float64Array(this.size);
    this.ownSteps = new OwnStepWatch(this);
  }

  get units(): readonly Unit[] {
    return this.state.units;
  }

  unitName(unit: number): string {
    return this.state.plan.units[unit].name;
  }

  makeTrajectories(pieces = 1): InputTrajectories {
    const size = pieces * this.size;
    return {
      pieces,
      value: new Float64Array(size),
      first: new Float64Array(size),
      second: new Float64Array(size),
    };
  }

  // ---- signals ------------------------------------------------------------------------------------------------

  /** All signals at the present time, one after the other as they depend on each other. */
  resolve(): void {
    this.interpreter.run(this.plan.resolve, 0);
  }

  /** Reads what a unit gives to others and moves it there. */
  collect(unit: number): void {
    this.interpreter.run(this.plan.stages[unit].collect, 0);
  }

  /** The newest values of the coupled inputs. */
  signals(out: Float64Array): void {
    const { f64 } = this.state.banks;
    const { inputs } = this.plan;
    for (let i = 0; i < this.size; i++) out[i] = f64[inputs[i].signal];
  }

  /** Takes the present signals as the beginning of the next step. */
  sample(): void {
    if (this.time > this.sampledAt) {
      this.previous.set(this.begin);
      this.previousAgo = this.time - this.sampledAt;
    }
    this.sampledAt = this.time;
    this.signals(this.begin);
    if (this.size > 0) this.history.push(this.time, this.begin);
  }

  /** After a discontinuity the past says nothing about the future. Debts stay: what was not given is still owed. */
  forgetPast(): void {
    this.history.reset();
    this.sample();
    this.previousAgo = 0;
  }

  /** Everything that samples have left: some masters take several steps, sample in between and go back over all of them. */
  savePast(): Float64Array {
    const past = new Float64Array(2 + 2 * this.size + this.history.savedLength);
    past[0] = this.sampledAt;
    past[1] = this.previousAgo;
    past.set(this.begin, 2);
    past.set(this.previous, 2 + this.size);
    this.history.save(past.subarray(2 + 2 * this.size));
    return past;
  }

  restorePast(past: Float64Array): void {
    const { size } = this;
    this.sampledAt = past[0];
    this.previousAgo = past[1];
    this.begin.set(past.subarray(2, 2 + size));
    this.previous.set(past.subarray(2 + size, 2 + 2 * size));
    this.history.restore(past.subarray(2 + 2 * size));
  }

  // ---- steps --------------------------------------------------------------------------------------------------

  /**
   * Takes a unit from `from` to `to` along the trajectory. `onPiece` is called at the end of every piece, with the inputs' end
   * values written, so that what it collects belongs to them.
   * @returns false if the unit stopped before; `early` says where.
   */
  advance(
    unit: number,
    trajectories: InputTrajectories,
    from: number,
    to: number,
    onPiece?: (piece: number) => void,
  ): boolean {
    const stage = this.plan.stages[unit];
    const { interpreter } = this;
    if (stage.writeHeld.length > 0) interpreter.run(stage.writeHeld, 0);
    const { pieces } = trajectories;
    for (let piece = 0; piece < pieces; piece++) {
      const a = piece === 0 ? from : from + ((to - from) * piece) / pieces;
      const b = piece === pieces - 1 ? to : from + ((to - from) * (piece + 1)) / pieces;
      const parts = this.partsOf(stage, b - a);
      const middle = stage.inParts ? 0.5 : 0;
      const length = this.lengthOf(a, b);
      for (let k = 0; k < parts; k++) {
        const s = ((k + middle) / parts) * length;
        if (stage.inputs.length > 0) {
          this.put(stage.inputs, trajectories, piece, s);
          interpreter.run(stage.writeCoupled, 0);
        }
        const begin = k === 0 ? a : a + ((b - a) * k) / parts;
        const end = k === parts - 1 ? b : a + ((b - a) * (k + 1)) / parts;
        // A step of a few roundings has fewer parts than it was to be cut into: empty ones are skipped.
        if (end > begin && !this.advanceUnit(unit, begin, end)) return false;
      }
      if (stage.feedThrough) {
        this.put(stage.inputs, trajectories, piece, b - a);
        interpreter.run(stage.writeValues, 0);
      }
      onPiece?.(piece);
    }
    return true;
  }

  /** A step of the grid is as long as the straight plan takes it to be, whatever rounding makes of the difference of its ends. */
  lengthOf(from: number, to: number): number {
    const { step } = this.state.plan;
    const length = to - from;
    return Math.abs(length - step) <= sameInstant(to, step) ? step : length;
  }

  /** What a piece is cut into, so that inputs can vary in it. Nothing varies in a step that is as short as an event. */
  private partsOf({ parts, longest }: UnitStage, length: number): number {
    const wanted = length <= this.plan.settings.eventTolerance * this.state.plan.step ? 1 : parts;
    return wanted * Math.max(1, Math.ceil(length / longest - 1e-9));
  }

  /** Gives a unit the values that its inputs have at the beginning of the trajectory. */
  show(unit: number, trajectories: InputTrajectories): void {
    const { inputs, writeValues } = this.plan.stages[unit];
    this.put(inputs, trajectories, 0, 0);
    this.interpreter.run(writeValues, 0);
  }

  /** Makes what sets parameters of units to fixed values. */
  writerOf(writes: readonly PolicyWrite[]): () => void {
    const prepared = writes.map(({ unit, ports, values }) => ({
      unit: this.units[unit],
      access: this.units[unit].bind(ports.map((port, slot) => ({ port, slot }))),
      banks: { f64: Float64Array.from(values), i64: new BigInt64Array(0), obj: [] },
    }));
    return () => {
      for (const { unit, access, banks } of prepared) unit.write(access, banks);
    };
  }

  /** Makes what reads outputs of a unit into banks that are not those of the plan. */
  readerOf(unit: number, slots: readonly PortSlot[], banks: () => Banks): () => void {
    const read = this.units[unit];
    const access = read.bind(slots);
    return () => read.read(access, banks());
  }

  /** From now on the unit's steps end where one of these holds as well. */
  stopAt(unit: number, conditions: readonly Predicate[]): void {
    const known = this.conditions.get(unit);
    const before = known?.kind === "or" ? known.any : [this.until];
    this.conditions.set(unit, { kind: "or", any: [...before, ...conditions] });
  }

  /** Whether the unit may end its step before the others do. */
  mayStop(unit: number): boolean {
    const { earlyReturn, eventMode, mayDiscard, refusesSteps } =
      this.units[unit].description.capabilities;
    const mayEndEarly = earlyReturn || eventMode || mayDiscard === true || refusesSteps === true;
    return mayEndEarly || this.conditions.has(unit);
  }

  private advanceUnit(unit: number, from: number, to: number): boolean {
    this.until.time = to;
    this.advances++;
    this.ownSteps.before(unit);
    const stop = this.units[unit].advance(from, this.conditions.get(unit) ?? this.until);
    if (stop.reason === "time") {
      this.ownSteps.after(unit, from, to);
      return true;
    }
    const isAnnounced = stop.reason === "event" || stop.reason === "updated";
    if (isAnnounced && stop.time >= this.target) {
      this.pending.add(unit);
      return true;
    }
    const { reason, port, time } = stop;
    this.early = { unit, reason, port, time, isInside: time < to };
    return false;
  }

  private put(
    inputs: readonly number[],
    trajectories: InputTrajectories,
    piece: number,
    s: number,
  ): void {
    const { f64 } = this.state.banks;
    const { value, first, second } = trajectories;
    for (let k = 0; k < inputs.length; k++) {
      const i = inputs[k];
      const at = piece * this.size + i;
      const input = this.plan.inputs[i];
      f64[input.value] = value[at] + first[at] * s + second[at] * s * s * 0.5;
      f64[input.slope] = first[at] + s * second[at];
      f64[input.slope + 1] = second[at];
    }
  }

  // ---- the way back -------------------------------------------------------------------------------------------

  canRollBack(units: readonly number[]): boolean {
    return units.every((u) => this.units[u].description.capabilities.rollback);
  }

  get canRollBackAll(): boolean {
    return this.units.every((unit) => unit.description.capabilities.rollback);
  }

  /** Steps may have any size. */
  get canVarySteps(): boolean {
    return this.units.every((unit) => unit.description.capabilities.variableStep);
  }

  /** Keeps everything as it is now. Units that cannot are left out. */
  keep(): StepStart {
    return {
      time: this.time,
      snapshots: this.units.map((unit) =>
        unit.description.capabilities.rollback ? unit.save() : undefined,
      ),
      banks: copyBanks(this.state.banks),
      debt: this.debt.slice(),
      past: this.savePast(),
    };
  }

  /** Back to `start`, which can be used again. */
  goBack(start: StepStart): void {
    start.snapshots.forEach((snapshot, u) => {
      if (snapshot !== undefined) this.units[u].restore(snapshot);
    });
    fillBanks(this.state.banks, start.banks);
    this.debt.set(start.debt);
    this.restorePast(start.past);
    this.time = start.time;
    this.early = undefined;
    this.pending.clear();
  }

  /** Back to where the step under way began. */
  goBackToStart(): void {
    if (this.start === undefined) throw new Error("internal: units were not saved before the step");
    this.goBack(this.start);
  }

  /** Where the step under way ended early: only after a step that did. */
  get earlyEnd(): EarlyEnd {
    if (this.early === undefined) throw new Error("internal: no unit stopped early");
    return this.early;
  }

  /** One unit back to where the step under way began. */
  restoreUnit(unit: number): void {
    const snapshot = this.start?.snapshots[unit];
    if (snapshot === undefined)
      throw new Error(`internal: '${this.unitName(unit)}' was not kept before the step`);
    this.units[unit].restore(snapshot);
  }

  release(start: StepStart): void {
    start.snapshots.forEach((snapshot, u) => {
      if (snapshot !== undefined) this.units[u].release(snapshot);
    });
  }
}
