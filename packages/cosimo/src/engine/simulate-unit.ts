/**
 * Drives one unit through an experiment: the main loop behind `cosimo run model.fmu`.
 *
 * Communication points are counted (`start + i * step`), never accumulated. Between two of them the unit may be
 * stopped by an input event, by an event of its own (event mode, clocks, early return) or because it refuses the step; each
 * such time is a communication point of its own and the grid is taken up again after it. Two rows at one time are an
 * event: the values before it and after it.
 */
import { type Outcome, UnitError } from "../base/outcome.ts";
import { portSize } from "../model/unit-description.ts";
import type { Banks } from "../model/value-type.ts";
import type { InputSignals } from "../unit/signal-source.ts";
import type { Access, PortSlot, Unit } from "../unit/unit.ts";
import { type ClockOptions, ClockSchedule } from "./clock-schedule.ts";
import { banksFor, layoutPorts } from "./port-layout.ts";
import { endlessEvents, MAX_EVENT_ROUNDS, settleEvents } from "./settle-events.ts";

export interface SimulateOptions {
  readonly start: number;
  readonly stop: number;
  readonly step: number;
  readonly tolerance?: number;
  /** Values to set before initialization: parameters and start values. */
  readonly values?: { readonly slots: readonly PortSlot[]; readonly banks: Banks };
  readonly inputs?: InputSignals;
  /** For a unit with input clocks: who ticks them when. */
  readonly clocks?: ClockOptions;
  readonly record: { readonly slots: readonly PortSlot[]; readonly banks: Banks };
  /** Takes the record banks as they are at `time`. */
  readonly onRow: (time: number) => void;
  /** Called between steps; a promise is awaited, so that the host can breathe. True ends the run. */
  readonly shouldStop?: (time: number) => boolean | Promise<boolean>;
  /** All rows are there, and the run will have ended like this when the unit is terminated. */
  readonly onRecorded?: (outcome: Outcome) => void;
}

/** How many times a refused step is halved before the run is called stalled. */
const MAX_HALVINGS = 30;

/**
 * Runs `unit`, which must be freshly instantiated, and terminates it.
 * @returns how the run ended; a failing unit is an outcome, not an exception.
 */
export async function simulateUnit(unit: Unit, options: SimulateOptions): Promise<Outcome> {
  const run = new UnitRun(unit, options);
  try {
    run.initialize();
    return await run.loop();
  } catch (error) {
    if (!(error instanceof UnitError)) throw error;
    return { kind: "failed", time: run.time, steps: run.steps, failure: error.failure };
  }
}

class UnitRun {
  time: number;
  steps = 0;
  private nextUnitEvent = Number.POSITIVE_INFINITY;
  private readonly unit: Unit;
  private readonly options: SimulateOptions;
  private readonly recordAccess: Access;
  private readonly inputs: InputWriter | undefined;
  private readonly clocks: ClockSchedule | undefined;
  private readonly until: { kind: "time"; time: number } = { kind: "time", time: 0 };

  constructor(unit: Unit, options: SimulateOptions) {
    this.unit = unit;
    this.options = options;
    this.time = options.start;
    this.recordAccess = unit.bind(options.record.slots);
    this.inputs = options.inputs && new InputWriter(unit, options.inputs);
    this.clocks =
      options.clocks && new ClockSchedule(unit.description.ports, options.clocks, options.start);
  }

  initialize(): void {
    const { unit, options } = this;
    if (options.values) unit.write(unit.bind(options.values.slots), options.values.banks);
    unit.enterInitialization({
      start: options.start,
      stop: options.stop,
      ...(options.tolerance === undefined ? {} : { tolerance: options.tolerance }),
    });
    this.inputs?.write(this.time, "all");
    this.clocks?.chooseIntervals();
    unit.exitInitialization();
  }

  async loop(): Promise<Outcome> {
    const { unit, options } = this;
    if (unit.phase === "event") {
      this.clocks?.begin();
      if (this.updateDiscrete()) return this.ended("stopped-by-unit");
    }
    this.record();
    const variable = unit.description.capabilities.variableStep;
    const count = stepCount(options.start, options.stop, options.step, variable);
    let point = 1;
    let roundsAtOneTime = 0;
    while (point <= count) {
      const before = this.time;
      const stop = options.shouldStop?.(this.time);
      if (stop === true || (typeof stop === "object" && (await stop)))
        return this.ended("cancelled");
      const counted = options.start + point * options.step;
      // Rounding must not carry the last point past the stop time.
      const grid = point === count && variable ? options.stop : Math.min(counted, options.stop);
      const reached = this.advanceTo(grid, variable);
      if (reached === "terminated") return this.ended("stopped-by-unit");
      if (reached === "stalled")
        return { kind: "stalled", time: this.time, steps: this.steps, unit: unit.name };
      roundsAtOneTime = this.time > before ? 0 : roundsAtOneTime + 1;
      if (roundsAtOneTime > MAX_EVENT_ROUNDS) throw endlessEvents(unit, this.time);
      while (point <= count && options.start + point * options.step <= this.time) point++;
      if (this.time >= options.stop) break;
    }
    return this.ended("completed");
  }

  /** One advance towards `grid`; stops earlier at events. */
  private advanceTo(grid: number, variable: boolean): "reached" | "terminated" | "stalled" {
    const { unit } = this;
    const from = this.time;
    if (this.nextUnitEvent <= from) return this.handleEvent();
    const inputEvent = this.inputs?.nextEventAfter(from) ?? Number.POSITIVE_INFINITY;
    let target = variable ? Math.min(grid, inputEvent, this.nextUnitEvent) : grid;
    // A unit in event mode takes discrete inputs at events only.
    this.inputs?.write(from, this.unitHasEvents() ? "continuous" : "all");
    this.inputs?.writeSlopes(from);

    let event = false;
    for (let halvings = 0; ; halvings++) {
      this.until.time = target;
      const stop = unit.advance(this.time, this.until);
      this.time = stop.time;
      this.steps++;
      if (stop.reason === "terminated") {
        this.record();
        return "terminated";
      }
      event = stop.reason === "event";
      if (stop.reason !== "discarded" || this.time > from) break;
      if (halvings === MAX_HALVINGS || !variable) return "stalled";
      target = from + (target - from) / 2;
    }
    if (this.time === inputEvent || event || this.time >= this.nextUnitEvent)
      return this.handleEvent();
    this.record();
    return "reached";
  }

  /** At an event: the row before it, the change, the row after it. */
  private handleEvent(): "reached" | "terminated" {
    this.record();
    let terminated = false;
    if (this.unitHasEvents()) {
      this.unit.enterEventMode();
      terminated = this.updateDiscrete();
    } else this.inputs?.write(this.time, "all");
    this.record();
    return terminated ? "terminated" : "reached";
  }

  /** In event mode: due clocks tick, inputs are set, the unit is updated until it is settled. True when it asks to end. */
  private updateDiscrete(): boolean {
    const due = this.clocks?.take(this.time) ?? [];
    this.inputs?.write(this.time, "all", due);
    this.tick(due);
    const update = settleEvents(this.unit, this.time);
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

  private unitHasEvents(): boolean {
    return this.unit.description.capabilities.eventMode;
  }

  private record(): void {
    this.unit.read(this.recordAccess, this.options.record.banks);
    this.options.onRow(this.time);
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
 * Number of communication steps from `start` to `stop`. A remainder becomes a last, shorter step where the unit
 * takes one; a unit that wants constant steps ends before `stop`, never after it.
 */
export function stepCount(start: number, stop: number, step: number, variable: boolean): number {
  const exact = (stop - start) / step;
  const whole = Math.round(exact);
  if (Math.abs(exact - whole) <= 1e-9 * Math.max(1, whole)) return whole;
  return variable ? Math.ceil(exact) : Math.floor(exact);
}
