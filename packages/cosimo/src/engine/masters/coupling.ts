/**
 * The units of a plan as a master sees them that decides at run time: a time, inputs whose
 * trajectory over the coming step is chosen, units that can be advanced one by one, and a way back.
 * Masters are control flow over this; it never decides.
 *
 * A *trajectory* is what the coupled inputs do from the beginning of a step to its end: one
 * polynomial for every input and every piece of the step. The values at the ends of the pieces are
 * its *nodes*; explicit masters have one piece.
 */

import { UnitError } from "../../base/outcome.ts";
import type { Banks } from "../../model/value-type.ts";
import { copyAll, copyNumbers } from "../../numerics/copy-numbers.ts";
import { SampleHistory } from "../../numerics/divided-differences.ts";
import type { CouplingPlan, UnitStage } from "../../plan/coupling-plan.ts";
import type { PolicyWrite } from "../../plan/policies.ts";
import { copyBanks, fillBanks } from "../../unit/banks.ts";
import type { Predicate, Stop, StopReason } from "../../unit/predicate.ts";
import type { PortSlot, Snapshot, Unit } from "../../unit/unit.ts";
import { CountedUnit } from "../event-counts.ts";
import type { Interpreter } from "../interpreter.ts";
import type { StepMeasure } from "../metered-interpreter.ts";
import type { PlanState } from "../signals.ts";
import { OwnStepWatch } from "./own-steps.ts";
import { sameInstant } from "./requested-points.ts";
import type { MasterCode, SavingCode, Snapshots } from "./step-program.ts";
import { StraightOps } from "./straight-ops.ts";
import { WholeStages } from "./whole-stages.ts";

/**
 * Polynomials of all coupled inputs, piece after piece; times count from the beginning of the
 * piece.
 */
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
  /** By unit; undefined for units that cannot be rolled back. */
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
   * What the area of an input's trajectory lacks against that of its source: given back by explicit
   * masters (preserve-area.ts), within as many seconds as the last element says.
   */
  readonly debt: Float64Array;
  /**
   * The coupled inputs one communication point earlier, and how long before the present one that
   * was; 0: not known.
   */
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
  /**
   * Called at every index of an event, when all outputs of it are there and before the units are
   * updated.
   */
  onIndex: ((index: number) => void) | undefined;
  /** What units make of the first steps and micro-steps that are requested of them. */
  readonly ownSteps: OwnStepWatch;
  /** What makes code of programs; undefined: everything is done call by call. */
  readonly programs: MasterCode | undefined;
  private readonly meter: StepMeasure | undefined;
  private readonly saving: SavingCode | undefined;
  private readonly stages: WholeStages;
  private readonly resolving: StraightOps;
  private readonly observing: StraightOps;
  private readonly watching: StraightOps;
  /** Units whose events are counted: what code does in their place is said to them. */
  private readonly counted: readonly (readonly [number, CountedUnit])[];
  /** Units that were started along their trajectories, and not waited for. */
  private readonly begun = new Set<number>();
  /**
   * A step that a unit ends early is rejected as a whole, or no unit does that: all may be under
   * way at once. Undefined: not known yet.
   */
  private leavesSteps: boolean | undefined;
  private sampledAt = Number.POSITIVE_INFINITY;
  private readonly until: { kind: "time"; time: number } = { kind: "time", time: 0 };
  /** Released starts of steps: their memory serves the next ones. */
  private readonly spare: SpareStart[] = [];
  private readonly rollsBack: readonly boolean[];
  /** By unit: what may end its step besides time. */
  private readonly conditions = new Map<number, Predicate>();

  constructor(
    state: PlanState,
    interpreter: Interpreter,
    { code, meter }: { readonly code?: MasterCode; readonly meter?: StepMeasure } = {},
  ) {
    if (state.plan.coupling === undefined) throw new Error("internal: a plan without coupling");
    this.state = state;
    this.plan = state.plan.coupling;
    this.interpreter = interpreter;
    this.size = this.plan.inputs.length;
    this.history = new SampleHistory(this.size);
    this.begin = new Float64Array(this.size);
    this.debt = new Float64Array(this.size + 1);
    this.previous = new Float64Array(this.size);
    this.rollsBack = state.units.map((unit) => unit.description.capabilities.rollback);
    this.ownSteps = new OwnStepWatch(this);
    this.stages = new WholeStages(state);
    this.programs = code;
    this.meter = meter;
    this.resolving = new StraightOps(this, this.plan.resolve);
    this.observing = new StraightOps(this, this.plan.observe);
    this.watching = new StraightOps(this, this.plan.watch);
    this.counted = state.units.flatMap((unit, u) =>
      unit instanceof CountedUnit && this.rollsBack[u] ? [[u, unit] as const] : [],
    );
    const saved = [...this.rollsBack.keys()].filter((u) => this.rollsBack[u]);
    this.saving = saved.every((u) => code?.drives(u)) ? code?.compileSaving(saved) : undefined;
  }

  /** As `programs`, unless the step is measured: then everything is done call by call. */
  get code(): MasterCode | undefined {
    return this.isMeasured ? undefined : this.programs;
  }

  private get isMeasured(): boolean {
    return this.meter?.isOn === true;
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

  // ---- signals ----------------------------------------------------------------------------------

  /** All signals at the present time, one after the other as they depend on each other. */
  resolve(): void {
    this.resolving.run();
  }

  /** Reads every recorded port, while units are in step mode. */
  observe(): void {
    this.observing.run();
  }

  /** Reads the signals of crossings and limits. */
  watch(): void {
    this.watching.run();
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
      copyAll(this.begin, this.previous);
      this.previousAgo = this.time - this.sampledAt;
    }
    this.sampledAt = this.time;
    this.signals(this.begin);
    if (this.size > 0) this.history.push(this.time, this.begin);
  }

  /**
   * After a discontinuity the past says nothing about the future. Debts stay: what was not given is
   * still owed.
   */
  forgetPast(): void {
    this.history.reset();
    this.sample();
    this.previousAgo = 0;
  }

  /**
   * Everything that samples have left: some masters take several steps, sample in between and go
   * back over all of them.
   */
  savePast(past: Float64Array = new Float64Array(this.pastLength)): Float64Array {
    past[0] = this.sampledAt;
    past[1] = this.previousAgo;
    copyNumbers(this.size, this.begin, 0, past, 2);
    copyNumbers(this.size, this.previous, 0, past, 2 + this.size);
    this.history.save(past, 2 + 2 * this.size);
    return past;
  }

  private get pastLength(): number {
    return 2 + 2 * this.size + this.history.savedLength;
  }

  restorePast(past: Float64Array): void {
    const { size } = this;
    this.sampledAt = past[0];
    this.previousAgo = past[1];
    copyNumbers(size, past, 2, this.begin, 0);
    copyNumbers(size, past, 2 + size, this.previous, 0);
    this.history.restore(past, 2 + 2 * size);
  }

  // ---- steps ------------------------------------------------------------------------------------

  /**
   * Starts a unit that works elsewhere (`beginAdvance`) on its way from `from` to `to`, where that
   * is one call; `advance` with the same arguments then waits for it. For steps in which no unit
   * needs what another one reaches.
   * @param goesBack from where the step under way began.
   */
  beginAdvance(
    unit: number,
    trajectories: InputTrajectories,
    from: number,
    to: number,
    goesBack = false,
  ): void {
    const { beginAdvance } = this.units[unit];
    const stage = this.plan.stages[unit];
    const isOneCall = trajectories.pieces === 1 && this.partsOf(stage, to - from) === 1;
    this.leavesSteps ??=
      this.canRollBackAll || this.units.every((_, other) => !this.mayStop(other));
    if (beginAdvance === undefined || !isOneCall || !this.leavesSteps) return;
    if (goesBack) this.restoreUnit(unit);
    if (stage.writeHeld.length > 0) this.interpreter.run(stage.writeHeld, 0);
    this.writeInputs(stage, trajectories, 0, this.middleOf(stage) * this.lengthOf(from, to));
    this.until.time = to;
    this.ownSteps.before(unit);
    this.units[unit].beginAdvance?.(from, this.conditions.get(unit) ?? this.until);
    this.begun.add(unit);
  }

  /** Leaves no unit in a call: the step under way is given up. */
  private abandonBegun(): void {
    for (const unit of this.begun) {
      try {
        this.units[unit].finishAdvance?.();
      } catch (error) {
        // Another unit ended the step first; one that is gone says so again when it is called.
        if (!(error instanceof UnitError)) throw error;
      }
    }
    this.begun.clear();
  }

  private middleOf({ inParts }: UnitStage): number {
    return inParts ? 0.5 : 0;
  }

  private writeInputs(
    { inputs, writeCoupled }: UnitStage,
    trajectories: InputTrajectories,
    piece: number,
    s: number,
  ): void {
    if (inputs.length === 0) return;
    this.put(inputs, trajectories, piece, s);
    this.interpreter.run(writeCoupled, 0);
  }

  /**
   * Takes a unit from `from` to `to` along the trajectory. `onPiece` is called at the end of every
   * piece, with the inputs' end values written, so that what it collects belongs to them.
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
    const isBegun = this.begun.delete(unit);
    if (stage.writeHeld.length > 0 && !isBegun) interpreter.run(stage.writeHeld, 0);
    const { pieces } = trajectories;
    for (let piece = 0; piece < pieces; piece++) {
      const a = piece === 0 ? from : from + ((to - from) * piece) / pieces;
      const b = piece === pieces - 1 ? to : from + ((to - from) * (piece + 1)) / pieces;
      const parts = this.partsOf(stage, b - a);
      const middle = this.middleOf(stage);
      const length = this.lengthOf(a, b);
      for (let k = 0; k < parts; k++) {
        const s = ((k + middle) / parts) * length;
        if (!isBegun) this.writeInputs(stage, trajectories, piece, s);
        const begin = k === 0 ? a : a + ((b - a) * k) / parts;
        const end = k === parts - 1 ? b : a + ((b - a) * (k + 1)) / parts;
        // A step of a few roundings has fewer parts than it was to be cut into: empty ones are
        // skipped.
        if (end > begin && !this.advanceUnit(unit, begin, end, isBegun)) return false;
      }
      if (stage.feedThrough) {
        this.put(stage.inputs, trajectories, piece, b - a);
        interpreter.run(stage.writeValues, 0);
      }
      onPiece?.(piece);
    }
    return true;
  }

  /**
   * As `advance` over a trajectory of one piece, then `collect`; before it, where `goesBack`, back
   * to where the step under way began. In one call, where the unit offers that.
   */
  advanceAndCollect(
    unit: number,
    trajectories: InputTrajectories,
    from: number,
    to: number,
    goesBack: boolean,
  ): boolean {
    const stage = this.plan.stages[unit];
    const whole = this.stages.of(unit);
    const isWhole = whole !== undefined && this.ownSteps.isOver(unit) && !this.conditions.has(unit);
    if (!isWhole || this.isMeasured || this.partsOf(stage, to - from) > 1) {
      if (goesBack && !this.begun.has(unit)) this.restoreUnit(unit);
      return this.advance(unit, trajectories, from, to, () => this.collect(unit));
    }
    this.put(stage.inputs, trajectories, 0, this.middleOf(stage) * this.lengthOf(from, to));
    this.advances++;
    const back = goesBack ? this.snapshotOf(unit) : undefined;
    const stop = whole.stage.run(from, to, this.state.banks, back);
    if (stop.reason !== "time" && !this.isArrival(unit, stop, to)) return false;
    if (stop.reason !== "time") this.collect(unit);
    else this.interpreter.run(whole.moves, 0);
    return true;
  }

  /**
   * A step of the grid is as long as the straight plan takes it to be, whatever rounding makes of
   * the difference of its ends.
   */
  lengthOf(from: number, to: number): number {
    const { step } = this.state.plan;
    const length = to - from;
    return Math.abs(length - step) <= sameInstant(to, step) ? step : length;
  }

  partsFor(unit: number, length: number): number {
    return this.partsOf(this.plan.stages[unit], length);
  }

  /**
   * What a piece is cut into, so that inputs can vary in it. Nothing varies in a step that is as
   * short as an event.
   */
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
    this.leavesSteps = undefined;
    const known = this.conditions.get(unit);
    const before = known?.kind === "or" ? known.any : [this.until];
    this.conditions.set(unit, { kind: "or", any: [...before, ...conditions] });
  }

  hasConditions(unit: number): boolean {
    return this.conditions.has(unit);
  }

  /** Whether the unit may end its step before the others do. */
  mayStop(unit: number): boolean {
    const { earlyReturn, eventMode, mayDiscard, refusesSteps } =
      this.units[unit].description.capabilities;
    const mayEndEarly = earlyReturn || eventMode || mayDiscard === true || refusesSteps === true;
    return mayEndEarly || this.conditions.has(unit);
  }

  advanceUnit(unit: number, from: number, to: number, isBegun = false): boolean {
    this.until.time = to;
    this.advances++;
    if (!isBegun) this.ownSteps.before(unit);
    const { meter } = this;
    const began = meter?.isOn ? meter.now() : 0;
    const stop = isBegun
      ? this.units[unit].finishAdvance!()
      : this.units[unit].advance(from, this.conditions.get(unit) ?? this.until);
    if (meter?.isOn) meter.advance[unit] += meter.now() - began;
    if (stop.reason !== "time") return this.isArrival(unit, stop, to);
    this.ownSteps.after(unit, from, to);
    return true;
  }

  /**
   * Whether a unit that stopped for a reason of its own is where it should be; otherwise `early`
   * says where it is.
   */
  isArrival(unit: number, stop: Stop, to: number): boolean {
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

  // ---- the way back -----------------------------------------------------------------------------

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
    const start = this.spare.pop() ?? this.makeStart();
    start.time = this.time;
    if (this.saving?.save(start.snapshots))
      for (const [u, unit] of this.counted) unit.wasSaved(start.snapshots[u] as Snapshot);
    else
      for (let u = 0; u < this.rollsBack.length; u++)
        start.snapshots[u] = this.rollsBack[u] ? this.units[u].save() : undefined;
    fillBanks(start.banks, this.state.banks);
    copyAll(this.debt, start.debt);
    this.savePast(start.past);
    return start;
  }

  private makeStart(): SpareStart {
    return {
      time: 0,
      snapshots: new Array<Snapshot | undefined>(this.units.length).fill(undefined),
      banks: copyBanks(this.state.banks),
      debt: this.debt.slice(),
      past: new Float64Array(this.pastLength),
    };
  }

  /** Back to `start`, which can be used again. */
  goBack(start: StepStart): void {
    if (this.begun.size > 0) this.abandonBegun();
    const { snapshots } = start;
    if (this.saving?.restore(snapshots))
      for (const [u, unit] of this.counted) unit.wasRestored(snapshots[u] as Snapshot);
    else
      for (let u = 0; u < snapshots.length; u++) {
        const snapshot = snapshots[u];
        if (snapshot !== undefined) this.units[u].restore(snapshot);
      }
    fillBanks(this.state.banks, start.banks);
    copyAll(start.debt, this.debt);
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
    this.units[unit].restore(this.snapshotOf(unit));
  }

  /** What units go back to in the step under way. */
  get startSnapshots(): Snapshots {
    return this.start?.snapshots ?? NO_SNAPSHOTS;
  }

  private snapshotOf(unit: number): Snapshot {
    const snapshot = this.start?.snapshots[unit];
    if (snapshot === undefined)
      throw new Error(`internal: '${this.unitName(unit)}' was not kept before the step`);
    return snapshot;
  }

  /** After this `start` must not be used again. */
  release(start: StepStart): void {
    const { snapshots } = start;
    if (this.saving?.release(snapshots))
      for (const [u, unit] of this.counted) unit.wasReleased(snapshots[u] as Snapshot);
    else
      for (let u = 0; u < snapshots.length; u++) {
        const snapshot = snapshots[u];
        if (snapshot !== undefined) this.units[u].release(snapshot);
      }
    this.spare.push(start as SpareStart);
  }
}

const NO_SNAPSHOTS: Snapshots = [];

/** A start whose memory is used for one step after the other. */
interface SpareStart extends StepStart {
  time: number;
  readonly snapshots: (Snapshot | undefined)[];
}
