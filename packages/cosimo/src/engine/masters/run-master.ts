/**
 * Runs a plan whose master decides at run time: initialization, then step by step. A step is tried.
 * A unit that stopped, an iteration that does not converge, an error estimate or a crossing may
 * reject it; then it is tried again, shorter. What is accepted is recorded.
 */
import { type Outcome, UnitError } from "../../base/outcome.ts";
import { iterates } from "../../model/masters.ts";
import type { RejectionReason } from "../../plan/statistics.ts";
import { takeRunState } from "../checkpoint.ts";
import { Diverged, type DivergenceMonitor } from "../divergence-monitor.ts";
import type { Interpreter } from "../interpreter.ts";
import { EarlyStop } from "../interpreter.ts";
import type { StepMeasure } from "../metered-interpreter.ts";
import { eventSlots, type PlanState } from "../signals.ts";
import type { RunHooks } from "../simulate-unit.ts";
import { BondMeter, bondBalances } from "./bond-meter.ts";
import { controlFor } from "./control-for.ts";
import { Coupling } from "./coupling.ts";
import { EventHandling } from "./event-handling.ts";
import { ExplicitStep } from "./explicit-step.ts";
import { IterativeStep } from "./iterative-step.ts";
import { type Keeps, packParts, unpackParts } from "./master-state.ts";
import { MasterStatistics } from "./master-statistics.ts";
import type { MasterSummary } from "./master-summary.ts";
import { PolicyMethod } from "./policy-method.ts";
import type { StepControl, Taken } from "./step-control.ts";
import { NotConverged, type StepMethod, type StepTooSmall } from "./step-method.ts";
import type { MasterCode } from "./step-program.ts";

/** `stop` may be infinite: as far as `advanceTo` says. */
export interface MasterOptions extends RunHooks {
  readonly monitor?: DivergenceMonitor;
  /** Makes code of what is straight in steps; the same numbers with it and without. */
  readonly code?: MasterCode;
  readonly meter?: StepMeasure;
  readonly stopOnDivergence?: boolean;
}

const DEFAULT_CHUNK = 100;
/** How often one step may be tried before the run gives up. */
const MAX_TRIES = 1000;
/** A step below this part of the time's own rounding is not a step. */
const SMALLEST = 4 * Number.EPSILON;

export class MasterRun {
  readonly coupling: Coupling;
  readonly statistics: MasterStatistics;
  steps = 0;
  private readonly options: MasterOptions;
  private readonly method: StepMethod;
  private readonly iterative: IterativeStep | undefined;
  private readonly control: StepControl;
  private readonly events: EventHandling;
  private readonly bonds: BondMeter;
  private readonly every: number;
  private readonly keepsStart: boolean;
  /** Something happened at the end of the last step. */
  private hasEvent = false;
  private hasDiverged = false;
  /** Of the row that comes next. */
  private index = 0;

  /** @param state of a plan whose units are initialized, the `start` segment executed. */
  constructor(state: PlanState, interpreter: Interpreter, options: MasterOptions) {
    const { plan } = state;
    this.options = options;
    this.coupling = new Coupling(state, interpreter, options);
    this.coupling.time = plan.start;
    const { settings } = this.coupling.plan;
    const iterative = iterates(settings) ? new IterativeStep(this.coupling) : undefined;
    this.iterative = iterative;
    this.method =
      this.coupling.plan.policies !== undefined
        ? new PolicyMethod(this.coupling, iterative)
        : (iterative ?? new ExplicitStep(this.coupling));
    this.statistics = new MasterStatistics(this.coupling);
    this.control = controlFor(this.coupling, this.method, options.stop, this.statistics);
    this.events = new EventHandling(this.coupling);
    this.bonds = new BondMeter(this.coupling);
    this.every = plan.record.every;
    if (plan.index !== undefined) {
      const slots = eventSlots(state);
      this.coupling.onIndex = (index) => this.recordEvents(index, slots);
    }
    const mayMeet = this.coupling.units.some((_, u) => this.coupling.mayStop(u));
    this.keepsStart =
      (iterative?.repeats ?? false) ||
      this.control.needsRollback ||
      mayMeet ||
      this.coupling.canRollBackAll;
  }

  get time(): number {
    return this.coupling.time;
  }

  /**
   * Where events are recorded, an index of superdense time at which one occurs has a row of its
   * own.
   */
  private recordEvents(index: number, slots: readonly number[]): void {
    const { interpreter, plan, state } = this.coupling;
    interpreter.run(plan.observe, 0);
    if (!slots.some((slot) => state.banks.f64[slot] !== 0)) return;
    this.index = index;
    this.putIndex();
    this.options.onRow(this.time, state.banks);
    this.index = index + 1;
  }

  private putIndex(): void {
    const { plan, banks } = this.coupling.state;
    if (plan.index !== undefined) banks.f64[plan.index] = this.index;
  }

  async run(): Promise<Outcome> {
    const {
      stop,
      shouldStop,
      chunk = DEFAULT_CHUNK,
      chunkLimit,
      checkpoint,
      resume,
    } = this.options;
    if (resume?.master === undefined) {
      this.begin();
      this.record();
      this.keep();
    } else this.restoreState(resume.master);
    while (this.isBefore(stop)) {
      const most = Math.min(chunk, chunkLimit?.() ?? chunk);
      for (let k = 0; k < most && this.isBefore(stop); k++) {
        this.stepTowards(stop);
        if (this.isBefore(stop) && checkpoint?.isDue(this.time)) this.keep();
      }
      if (await shouldStop?.(this.time, this.steps)) {
        this.keep();
        return this.ended("cancelled");
      }
    }
    this.options.monitor?.lookForNumbers(this.time);
    return this.ended("completed");
  }

  /** Before the first step. */
  begin(): void {
    this.events.begin();
    this.coupling.sample();
  }

  /** Steps until `time`, which becomes a communication point: for a scenario inside another one. */
  advanceTo(time: number): void {
    while (this.isBefore(time)) this.stepTowards(time);
    this.coupling.time = time;
  }

  /** Signals were resolved again at the present time because an input was changed from outside. */
  resample(): void {
    this.coupling.resolve();
    this.coupling.sample();
  }

  private stepTowards(stop: number): void {
    const { points } = this.control;
    const { meter } = this.options;
    meter?.begin(this.steps);
    this.step(stop);
    meter?.end();
    this.steps++;
    this.look();
    const isPoint = this.control.points > points && this.control.points % this.every === 0;
    const isOver = !this.isBefore(stop);
    const isBeforeEvent = this.hasEvent && !this.events.isReacting;
    if (isPoint || isOver || isBeforeEvent) this.record();
    if (this.hasEvent) this.handleEvent();
    if (this.hasDiverged) throw new Diverged();
  }

  private look(): void {
    const { monitor, stopOnDivergence } = this.options;
    if (monitor === undefined || this.steps < monitor.nextStep) return;
    this.hasDiverged = monitor.look(this.steps, this.time) && stopOnDivergence === true;
  }

  // ---- what it carries from step to step --------------------------------------------------------

  /** Everything but the units and the signals. */
  saveState(): Uint8Array {
    return packParts(this.owners());
  }

  /** In place of `begin`; units and signals are restored. */
  restoreState(saved: Uint8Array): void {
    unpackParts(saved, this.owners());
  }

  private owners(): Keeps[] {
    const { coupling, statistics } = this;
    const control = this.control;
    const own: Keeps = {
      save: () => [
        Float64Array.of(coupling.time, this.steps, coupling.advances, this.hasEvent ? 1 : 0),
        coupling.savePast(),
        coupling.debt.slice(),
        control.save(),
        statistics.save(),
      ],
      restore: ([numbers, past, debt, controlled, counted]) => {
        const [time = 0, steps = 0, advances = 0, hasEvent] = numbers;
        coupling.time = time;
        coupling.advances = advances;
        coupling.restorePast(past);
        coupling.debt.set(debt);
        this.steps = steps;
        this.hasEvent = hasEvent === 1;
        control.restore(controlled);
        statistics.restore(counted);
      },
    };
    const { monitor } = this.options;
    return [
      own,
      ...(this.iterative ? [this.iterative] : []),
      this.events,
      ...(monitor ? [monitor] : []),
    ];
  }

  private keep(): void {
    const { checkpoint } = this.options;
    if (checkpoint === undefined) return;
    const at = { steps: this.steps, time: this.time };
    checkpoint.store(takeRunState(this.coupling.state, at, this.saveState()));
  }

  /** What the master has to say so far. */
  summary(): MasterSummary {
    const { steps, iterations, rejections } = this.statistics;
    return {
      steps,
      iterations,
      rejections: [...rejections].map(([reason, count]) => ({ reason, count })),
      advances: this.coupling.advances,
      events: this.events.count,
      bonds: bondBalances(this.coupling.plan, this.coupling.state.banks.f64),
      notes: [
        ...this.statistics.notes(),
        ...(this.control.notes?.() ?? []),
        ...this.events.notes(),
        ...this.coupling.ownSteps.notes(),
      ],
    };
  }

  private isBefore(stop: number): boolean {
    return stop - this.time > this.smallest(stop);
  }

  /** The shortest step near a time. */
  private smallest(time: number): number {
    return SMALLEST * Math.max(this.coupling.state.plan.step, Math.abs(time));
  }

  private step(stop: number): void {
    const { coupling } = this;
    const from = coupling.time;
    coupling.start = this.keepsStart ? coupling.keep() : undefined;
    this.events.beginStep();
    const hasMoved = this.reach(this.events.bound(Math.min(this.control.propose(), stop)));
    if (coupling.start) coupling.release(coupling.start);
    coupling.start = undefined;
    if (hasMoved) {
      coupling.sample();
      // The force of a constraint is unknown before the first step: it must not be extrapolated
      // from.
      if (this.steps === 0 && coupling.plan.constraints.length > 0) coupling.forgetPast();
      this.control.accepted(from);
      this.bonds.accepted(from);
      this.statistics.onAccepted(from, this.method);
    }
    this.hasEvent = this.events.accepted(hasMoved);
  }

  /**
   * The signals before the event are recorded; what follows from it is restarted, and recorded once
   * it has settled.
   */
  private handleEvent(): void {
    const wasReacting = this.events.isReacting;
    const { hasJumped, hasReacted, usedEventMode, terminating } = this.events.handle();
    const hasSettled = wasReacting && !this.events.isReacting;
    if (usedEventMode || hasSettled) this.record();
    if (terminating !== undefined)
      throw new EarlyStop(terminating, "terminated", this.time, this.time);
    if (hasJumped || hasReacted) this.coupling.forgetPast();
    if (hasJumped) this.control.restart();
  }

  /**
   * Tries until a step is good, which need not go as far as `target`.
   * @returns false where a unit has an event before it can take any step.
   */
  private reach(target: number): boolean {
    const { coupling } = this;
    const from = coupling.time;
    // Whatever wanted less, time has to go on.
    const least = from + this.smallest(from);
    let to = target;
    let halvings = 0;
    let refuser = -1;
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      to = Math.max(to, least);
      const taken = this.try(to);
      if (taken instanceof NotConverged) {
        if (!this.canRepeat) throw taken;
        if (this.events.isPartOfEvent) {
          this.back("no convergence");
          return this.sweep(to, taken);
        }
        const before = this.events.beforeLevel(to);
        const { iteration } = coupling.plan.settings;
        if (Number.isNaN(before) && (halvings++ === iteration.halvings || to === least))
          throw taken;
        this.back(Number.isNaN(before) ? "no convergence" : "event");
        to = Number.isNaN(before) ? from + (to - from) / 2 : before;
      } else if (taken.kind === "early") {
        refuser = coupling.earlyEnd.unit;
        to = this.afterEarlyEnd(to);
        if (to === from) return false;
      } else {
        // An event inside the step explains an error better than anything else.
        const again = to === least ? Number.NaN : this.events.objection(from);
        if (!Number.isNaN(again)) {
          if (taken.kind === "rejected") this.control.withdraw?.();
          this.back("event");
          to = again;
        } else if (taken.kind === "rejected" && this.events.isEvent(from)) {
          this.control.withdraw?.();
          return true;
        } else if (taken.kind === "rejected") {
          const split = this.events.splitAtCrossing(from);
          if (Number.isNaN(split) && taken.failure) throw this.tooSmall(taken.failure);
          this.back(Number.isNaN(split) ? taken.reason : "event");
          to = Number.isNaN(split) ? taken.to : split;
        } else return true;
      }
    }
    throw this.endless(refuser, from, to - from);
  }

  /**
   * A unit refuses steps of every size, as one does that waits for inputs at the end of a step
   * which do not depend on its size.
   */
  private endless(refuser: number, time: number, size: number): Error {
    if (refuser < 0)
      return new Error(`internal: a step from t=${time} was tried ${MAX_TRIES} times`);
    const { master } = this.coupling.state.plan;
    const unit = this.coupling.unitName(refuser);
    const status = `refuses every step: ${MAX_TRIES} sizes were tried, down to ${size} s`;
    const fix = `fix: under '${master}' its inputs may not be those of the end of the step that it judges: use the master 'gauss-seidel' or 'iterative'`;
    const problem = `'${unit}' ${status}`;
    return new UnitError({ unit, call: "advance", status, time, problem, log: [fix] });
  }

  /**
   * Something jumps in a step that is as short as an event, so that units cannot agree: they go on
   * from what each makes of the others.
   */
  private sweep(to: number, failure: NotConverged): boolean {
    if (this.iterative === undefined) throw failure;
    this.iterative.isOnce = true;
    const taken = this.try(to);
    this.iterative.isOnce = false;
    if (taken instanceof NotConverged || taken.kind !== "reached") throw failure;
    return true;
  }

  private try(to: number): Taken | NotConverged {
    this.coupling.target = to;
    try {
      return this.control.take(to, this.events.isPartOfEvent);
    } catch (error) {
      if (error instanceof NotConverged) return error;
      throw error;
    }
  }

  /** Back at the start of the step, with what the scenario declares there. */
  private tooSmall(failure: StepTooSmall): StepTooSmall {
    this.coupling.goBackToStart();
    failure.declared = this.events.declaredWithin(failure.what.step);
    return failure;
  }

  /** A unit that stops before the others moves all of them to where it stopped. */
  private afterEarlyEnd(to: number): number {
    const { coupling } = this;
    const early = coupling.earlyEnd;
    const name = coupling.unitName(early.unit);
    if (early.reason === "terminated" || !this.canRepeat)
      throw new EarlyStop(name, early.reason, early.time, to);
    this.events.onEarlyEnd();
    this.back(early.reason === "event" ? "event" : "unit");
    const smallest = this.smallest(to);
    const isAtOnce = early.time === coupling.time && early.reason === "event";
    if (isAtOnce || early.time > coupling.time + smallest) return early.time;
    const half = coupling.time + (to - coupling.time) / 2;
    if (half - coupling.time <= smallest) throw new EarlyStop(name, early.reason, early.time, to);
    return half;
  }

  /** Whether the step can be tried again with another size. */
  private get canRepeat(): boolean {
    const { start, canVarySteps } = this.coupling;
    return canVarySteps && (start?.snapshots.every((saved) => saved !== undefined) ?? false);
  }

  private back(reason: RejectionReason): void {
    this.coupling.goBackToStart();
    this.statistics.onRejected(reason);
  }

  private record(): void {
    const { coupling } = this;
    coupling.observe();
    this.putIndex();
    this.options.onRow(coupling.time, coupling.state.banks);
    this.index = 0;
  }

  private ended(kind: "completed" | "cancelled"): Outcome {
    const outcome: Outcome = { kind, time: this.time, steps: this.steps };
    this.options.onRecorded?.(outcome);
    for (const unit of this.coupling.units) if (unit.phase === "step") unit.terminate();
    return outcome;
  }
}
