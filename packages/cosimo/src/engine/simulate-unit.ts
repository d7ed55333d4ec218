/**
 * Drives the only unit of a plan: the main loop behind `cosimo run model.fmu` and `traceUnit`. A
 * straight plan knows its points beforehand; a unit that runs alone may have points of its own
 * between them, since no other unit has to meet it there.
 *
 * Communication points are counted (`start + i * step`), never accumulated. Between two of them the
 * unit may be stopped by an input event, by an event of its own (event mode, clocks, early return)
 * or because it refuses the step; each such time is a communication point of its own and the grid
 * is resumed after it. Two rows at one time are an event: the values before it and after it.
 *
 * Where nothing can happen between points, the executor of the plan takes the steps (machine code,
 * threads), until the unit stops early for the first time.
 */
import { areSameInstant } from "../base/instants.ts";
import { type Outcome, UnitError } from "../base/outcome.ts";
import { portSize } from "../model/unit-description.ts";
import { type Plan, readsIn, timeOf } from "../plan/plan.ts";
import type { Predicate, Stop } from "../unit/predicate.ts";
import type { InputSignals } from "../unit/signal-source.ts";
import type { Access, ClockServices, Unit } from "../unit/unit.ts";
import { restoreRunState, takeRunState } from "./checkpoint.ts";
import { type ClockOptions, ClockSchedule } from "./clock-schedule.ts";
import { Diverged, type DivergenceMonitor } from "./divergence-monitor.ts";
import { EarlyStop, type Interpreter } from "./interpreter.ts";
import { type Keeps, packParts, unpackParts } from "./masters/master-state.ts";
import { banksFor, layoutPorts } from "./port-layout.ts";
import type { Executor, RunPlanOptions } from "./run-plan.ts";
import { endlessEvents, MAX_EVENT_ROUNDS, settleEvents } from "./settle-events.ts";
import { eventSlots, type PlanState } from "./signals.ts";

/** What acts on a unit that runs alone. */
export interface SingleUnit {
  readonly inputs?: InputSignals;
  /** When its input clocks tick, as far as the unit does not say. */
  readonly clocks?: Omit<ClockOptions, "services">;
}

/** What a run does whatever drives its units. */
export type RunHooks = Pick<
  RunPlanOptions,
  "stop" | "onRow" | "shouldStop" | "onRecorded" | "chunk" | "chunkLimit" | "checkpoint" | "resume"
>;

export interface UnitRunOptions extends SingleUnit, RunHooks {
  /** Looks at the signals where the run is to end when they diverge. */
  readonly monitor?: DivergenceMonitor;
  /** Makes what executes the step segment of the plan. */
  readonly executor: () => Executor;
}

/** How many times a refused step is halved before the run is called stalled. */
const MAX_HALVINGS = 30;

const NO_CLOCKS: ClockServices = { getIntervals: () => [], setIntervals: () => undefined };

type Progress = "reached" | "terminated" | "stalled";

/** Of a unit in initialization mode, to its end. */
export class UnitRun implements Keeps {
  time: number;
  steps = 0;
  private readonly state: PlanState;
  private readonly interpreter: Interpreter;
  private readonly options: UnitRunOptions;
  private readonly unit: Unit;
  /** The ops that read what is recorded. */
  private readonly reads: Int32Array;
  private readonly inputs: InputWriter | undefined;
  private readonly clocks: ClockSchedule | undefined;
  private readonly until: { kind: "time"; time: number } = { kind: "time", time: 0 };
  /** What ends an advance: time, and events that are recorded, where the unit reports them. */
  private readonly stopsAt: Predicate;
  /** Where recorded events lie, and those of input clocks by port. */
  private readonly events: readonly number[];
  private readonly tickSlots: ReadonlyMap<number, number>;
  private readonly hasEvents: boolean;
  private readonly variable: boolean;
  /** Points of the grid, the last at the stop time, and the next of them. */
  private readonly count: number;
  private point = 1;
  private nextUnitEvent = Number.POSITIVE_INFINITY;
  private roundsAtOneTime = 0;
  /** The last step that an executor may take; 0: none, or none any more. */
  private lastTick = 0;
  /** False until a resumed run is where it was: its first rows are recorded already. */
  private isRecording: boolean;

  constructor(state: PlanState, interpreter: Interpreter, options: UnitRunOptions) {
    const { plan, units } = state;
    const [unit] = units;
    this.state = state;
    this.interpreter = interpreter;
    this.options = options;
    this.unit = unit;
    this.time = plan.start;
    this.isRecording = options.resume === undefined;
    this.reads = readsIn(plan.segments.step);
    this.inputs = options.inputs && new InputWriter(unit, options.inputs);
    const { ports, capabilities } = unit.description;
    this.hasEvents = capabilities.eventMode;
    this.variable = capabilities.variableStep;
    this.events = eventSlots(state);
    this.tickSlots = new Map(
      plan.record.columns.flatMap(({ port, slot }) =>
        ports[port]?.direction === "input" && ports[port].clock ? [[port, slot]] : [],
      ),
    );
    const reported =
      !this.hasEvents && capabilities.zeroStep === true && capabilities.predicates.includes("event")
        ? plan.record.columns.filter(({ port }) => ports[port]?.nature === "transient")
        : [];
    const conditions = reported
      .filter(({ port }) => ports[port]?.direction !== "input")
      .map(({ port }): Predicate => ({ kind: "event", port }));
    this.stopsAt =
      conditions.length === 0 ? this.until : { kind: "or", any: [this.until, ...conditions] };
    this.count = stepCount(plan.start, options.stop, plan.step, this.variable);
    const hasClocks = ports.some(({ direction, clock }) => direction === "input" && clock);
    if (options.clocks && hasClocks && this.hasEvents) {
      const clocks = { services: unit.clocks ?? NO_CLOCKS, ...options.clocks };
      this.clocks = new ClockSchedule(ports, clocks, plan.start);
    }
  }

  async run(): Promise<Outcome> {
    const { options } = this;
    const isOver = this.begin();
    if (isOver) return this.ended("stopped-by-unit");
    const executor = this.executor();
    if (options.resume === undefined) {
      this.record();
      this.keep();
    }
    while (this.point <= this.count) {
      const answer = options.shouldStop?.(this.time, this.steps);
      if (answer === true || (typeof answer === "object" && (await answer))) {
        this.keep();
        return this.ended("cancelled");
      }
      const { time: before, point } = this;
      const progress =
        executor && point <= this.lastTick
          ? this.runTicks(executor)
          : this.advanceTo(this.gridTime(point));
      if (progress === "terminated") return this.ended("stopped-by-unit");
      if (progress === "stalled")
        return { kind: "stalled", time: this.time, steps: this.steps, unit: this.unit.name };
      this.roundsAtOneTime = this.time > before ? 0 : this.roundsAtOneTime + 1;
      if (this.roundsAtOneTime > MAX_EVENT_ROUNDS) throw endlessEvents(this.unit, this.time);
      while (this.point <= this.count && timeOf(this.state.plan, this.point) <= this.time)
        this.point++;
      this.look();
      if (this.time >= options.stop) break;
      if (options.checkpoint?.isDue(this.time)) this.keep();
    }
    options.monitor?.lookForNumbers(this.time);
    return this.ended("completed");
  }

  /**
   * Out of initialization mode, to the first row or to where the run was. True when the unit asks
   * to end.
   */
  private begin(): boolean {
    const { unit, options } = this;
    this.inputs?.write(this.time, "all");
    this.clocks?.chooseIntervals();
    unit.exitInitialization();
    const mayHaveEvents =
      this.hasEvents || this.inputs !== undefined || this.stopsAt !== this.until;
    const isWhole = timeOf(this.state.plan, this.count) === this.gridTime(this.count);
    if (!mayHaveEvents) this.lastTick = isWhole ? this.count : this.count - 1;
    if (unit.phase === "event") {
      this.clocks?.begin();
      if (this.updateDiscrete()) return true;
    }
    if (options.resume === undefined) return false;
    restoreRunState(this.state, options.resume);
    if (options.resume.master !== undefined) unpackParts(options.resume.master, this.owners());
    this.isRecording = true;
    return false;
  }

  private executor(): Executor | undefined {
    try {
      return this.lastTick > 0 ? this.options.executor() : undefined;
    } catch (error) {
      // A unit may lack what its steps need, and the first row is there all the same.
      if (error instanceof UnitError && this.options.resume === undefined) this.record();
      throw error;
    }
  }

  /** A tick and a point of the grid that differ by rounding are one instant: that of the grid. */
  private ticksAt(time: number): boolean {
    return this.clocks !== undefined && areSameInstant(this.clocks.next(), time);
  }

  /** Rounding must not carry the last point past the stop time. */
  private gridTime(point: number): number {
    const { stop } = this.options;
    const counted = timeOf(this.state.plan, point);
    return point === this.count && this.variable ? stop : Math.min(counted, stop);
  }

  /** Steps to points of the grid, up to one that is due for something else. */
  private runTicks(executor: Executor): Progress {
    const { plan } = this.state;
    const { chunk, chunkLimit, checkpoint, onRow } = this.options;
    const first = this.point;
    const preferred = executor.name === "interpreter" ? 1 : executor.preferredChunk;
    const due = checkpoint ? ticksUntil(plan, first - 1, checkpoint.nextTime) : this.lastTick;
    const look = this.options.monitor ? this.options.monitor.nextStep - first + 1 : this.lastTick;
    const limit = chunkLimit?.() ?? due;
    const count = Math.min(chunk ?? preferred ?? 1, due, Math.max(1, look), limit);
    const progress = { tick: first - 1 };
    try {
      executor.run(first, Math.min(count, this.lastTick - first + 1), {
        progress,
        onRow: (tick) => onRow(timeOf(plan, tick), this.state.banks),
      });
    } catch (error) {
      const next = progress.tick + 1;
      const isRead = error instanceof UnitError && error.failure.time >= timeOf(plan, next);
      this.reach(isRead ? next : progress.tick);
      if (!(error instanceof EarlyStop)) throw error;
      // From here on points are where the unit stops.
      this.lastTick = 0;
      const { wanted, time, reason } = error;
      return this.follow(
        wanted,
        { time, reason: reason as Stop["reason"] },
        Number.POSITIVE_INFINITY,
      );
    }
    this.reach(progress.tick);
    return "reached";
  }

  private reach(tick: number): void {
    this.steps = tick;
    this.time = timeOf(this.state.plan, tick);
  }

  /** One advance towards `grid`; stops earlier at events. */
  private advanceTo(grid: number): Progress {
    const from = this.time;
    if (this.nextUnitEvent <= from) return this.handleEvent();
    const inputEvent = this.inputs?.nextEventAfter(from) ?? Number.POSITIVE_INFINITY;
    const isTick = this.ticksAt(grid) && areSameInstant(this.nextUnitEvent, grid);
    const event = isTick ? grid : this.nextUnitEvent;
    const target = this.variable ? Math.min(grid, inputEvent, event) : grid;
    // A unit in event mode takes discrete inputs at events only.
    this.inputs?.write(from, this.hasEvents ? "continuous" : "all");
    this.inputs?.writeSlopes(from);
    return this.follow(target, this.advance(target), inputEvent);
  }

  private advance(target: number): Pick<Stop, "time" | "reason"> {
    this.until.time = target;
    return this.unit.advance(this.time, this.stopsAt);
  }

  /**
   * After an advance to `target` that ended with `stop`; a step that the unit refuses is tried with
   * half of its size.
   */
  private follow(
    target: number,
    stop: Pick<Stop, "time" | "reason">,
    inputEvent: number,
  ): Progress {
    const from = this.time;
    let [bound, last] = [target, stop];
    for (let halvings = 0; ; halvings++) {
      this.time = last.time;
      this.steps++;
      if (last.reason === "terminated") {
        this.record();
        return "terminated";
      }
      if (last.reason !== "discarded" || this.time > from) break;
      if (halvings === MAX_HALVINGS || !this.variable) return "stalled";
      bound = from + (bound - from) / 2;
      last = this.advance(bound);
    }
    const isReported = last.reason === "event" && this.stopsAt !== this.until;
    if (isReported) this.followEvents();
    if (this.time === inputEvent || (last.reason === "event" && !isReported))
      return this.handleEvent();
    if (this.time >= this.nextUnitEvent || this.ticksAt(this.time)) return this.handleEvent();
    this.record();
    return "reached";
  }

  /**
   * A row for every event that the unit reports here, until it has no more to do at this instant.
   */
  private followEvents(): void {
    for (let round = 0; ; round++) {
      if (round > MAX_EVENT_ROUNDS) throw endlessEvents(this.unit, this.time);
      this.recordEvents([]);
      if (this.advance(this.time).reason !== "event") return;
    }
  }

  /** A row of its own for the events of an index of superdense time, where one is recorded. */
  private recordEvents(ticking: readonly number[]): void {
    if (this.events.length === 0 || !this.isRecording) return;
    const { f64 } = this.state.banks;
    this.interpreter.run(this.reads, 0);
    for (const clock of ticking) {
      const slot = this.tickSlots.get(clock);
      if (slot !== undefined) f64[slot] = 1;
    }
    if (this.events.some((slot) => f64[slot] !== 0))
      this.options.onRow(this.time, this.state.banks);
    for (const slot of this.tickSlots.values()) f64[slot] = 0;
  }

  /** At an event: the row before it, the change, the row after it. */
  private handleEvent(): Progress {
    this.record();
    let terminated = false;
    if (this.hasEvents) {
      this.unit.enterEventMode();
      terminated = this.updateDiscrete();
    } else this.inputs?.write(this.time, "all");
    this.record();
    return terminated ? "terminated" : "reached";
  }

  /**
   * In event mode: due clocks tick, inputs are set, the unit is updated until it is settled. True
   * when it asks to end.
   */
  private updateDiscrete(): boolean {
    const due = this.clocks?.take(this.time) ?? [];
    this.inputs?.write(this.time, "all", due);
    this.tick(due);
    let ticking = due;
    const update = settleEvents(this.unit, this.time, () => {
      this.recordEvents(ticking);
      ticking = [];
    });
    if (update.terminate) return true;
    this.clocks?.askAgain(this.time);
    this.nextUnitEvent = Math.min(
      update.nextEventTime ?? Number.POSITIVE_INFINITY,
      this.clocks?.next() ?? Number.POSITIVE_INFINITY,
    );
    this.unit.enterStepMode();
    return false;
  }

  private tick(clocks: readonly number[]): void {
    if (clocks.length === 0) return;
    const layout = layoutPorts(clocks.map((port) => this.unit.description.ports[port]));
    const banks = banksFor(layout);
    banks.f64.fill(1);
    this.unit.write(this.unit.bind(layout.slots), banks);
  }

  private record(): void {
    this.interpreter.run(this.reads, 0);
    this.options.onRow(this.time, this.state.banks);
  }

  /** @throws Diverged where the signals do. */
  private look(): void {
    const { monitor } = this.options;
    if (monitor === undefined || this.steps < monitor.nextStep) return;
    if (monitor.look(this.steps, this.time)) throw new Diverged();
  }

  // ---- what it carries from step to step --------------------------------------------------------

  private keep(): void {
    const { checkpoint } = this.options;
    if (checkpoint === undefined) return;
    const at = { steps: this.steps, time: this.time };
    checkpoint.store(takeRunState(this.state, at, packParts(this.owners())));
  }

  private owners(): Keeps[] {
    const { monitor } = this.options;
    return monitor === undefined ? [this] : [this, monitor];
  }

  save(): readonly Float64Array[] {
    const { time, steps, point, nextUnitEvent, roundsAtOneTime, lastTick } = this;
    return [
      Float64Array.of(time, steps, point, nextUnitEvent, roundsAtOneTime, lastTick),
      this.clocks?.save() ?? new Float64Array(0),
    ];
  }

  restore([numbers = new Float64Array(6), clocks]: readonly Float64Array[]): void {
    [this.time, this.steps, this.point, this.nextUnitEvent, this.roundsAtOneTime, this.lastTick] =
      numbers as unknown as [number, number, number, number, number, number];
    if (clocks !== undefined) this.clocks?.restore(clocks);
  }

  private ended(kind: "completed" | "cancelled" | "stopped-by-unit"): Outcome {
    const end = { time: this.time, steps: this.steps };
    const outcome: Outcome =
      kind === "stopped-by-unit" ? { kind, ...end, unit: this.unit.name } : { kind, ...end };
    this.options.onRecorded?.(outcome);
    this.unit.terminate();
    return outcome;
  }
}

/** Writes sampled input signals into a unit. */
class InputWriter {
  private readonly unit: Unit;
  private readonly signals: InputSignals;
  private readonly all: Access;
  private readonly continuous: Access;
  private readonly unclocked: Access;
  private readonly slopePorts: readonly number[];
  private readonly slopeOrders: readonly number[];
  private readonly slopes: Float64Array;

  constructor(unit: Unit, signals: InputSignals) {
    this.unit = unit;
    this.signals = signals;
    const { ports, capabilities } = unit.description;
    this.all = unit.bind(signals.slots);
    this.continuous = unit.bind(
      signals.slots.filter(({ port }) => ports[port].variability === "continuous"),
    );
    this.unclocked = unit.bind(
      signals.slots.filter(({ port }) => ports[port].clocks === undefined),
    );
    this.slopePorts = capabilities.inputDerivativeOrder > 0 ? signals.slopePorts : [];
    this.slopeOrders = this.slopePorts.map(() => 1);
    const elements = this.slopePorts.reduce((sum, port) => sum + portSize(ports[port]), 0);
    this.slopes = new Float64Array(elements);
  }

  nextEventAfter(time: number): number {
    return this.signals.nextEventAfter(time);
  }

  /** `ticking`: the clocks that tick now; what belongs to another clock is left alone. */
  write(time: number, which: "all" | "continuous", ticking: readonly number[] = []): void {
    const access =
      which === "continuous"
        ? this.continuous
        : ticking.length === 0
          ? this.unclocked
          : this.withClocks(ticking);
    if (access.slots.length === 0) return;
    this.signals.sample(time, "after");
    this.unit.write(access, this.signals.banks);
  }

  private withClocks(ticking: readonly number[]): Access {
    const { ports } = this.unit.description;
    const writable = this.all.slots.filter(
      ({ port }) => ports[port].clocks?.some((clock) => ticking.includes(clock)) ?? true,
    );
    return writable.length === this.all.slots.length ? this.all : this.unit.bind(writable);
  }

  writeSlopes(time: number): void {
    if (this.slopePorts.length === 0) return;
    this.signals.slopes(time, this.slopes);
    this.unit.setInputDerivatives(this.slopePorts, this.slopeOrders, this.slopes);
  }
}

/**
 * Number of communication steps from `start` to `stop`. A remainder becomes a last, shorter step
 * where the unit takes one; a unit that wants constant steps ends before `stop`, never after it.
 */
export function stepCount(start: number, stop: number, step: number, variable: boolean): number {
  const exact = (stop - start) / step;
  const whole = Math.round(exact);
  if (Math.abs(exact - whole) <= 1e-9 * Math.max(1, whole)) return whole;
  return variable ? Math.ceil(exact) : Math.floor(exact);
}

/** Ticks from `tick` to the first one at or behind `time`; at least one. */
export function ticksUntil(plan: Plan, tick: number, time: number): number {
  const ticks = Math.ceil((time - plan.start) / plan.step - ON_TICK);
  return Math.max(1, ticks - tick);
}

/** Part of a tick by which a time may miss it and still mean it. */
const ON_TICK = 1e-9;
