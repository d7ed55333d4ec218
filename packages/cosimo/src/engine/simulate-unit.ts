/**
 * Drives one unit through an experiment: the main loop behind `cosimo run model.fmu`.
 *
 * Communication points are counted (`start + i * step`), never accumulated. Between two of them the unit may be
 * stopped by an input event, by an event of its own (event mode, early return) or because it refuses the step; each
 * such time is a communication point of its own and the grid is taken up again after it. Two rows at one time are an
 * event: the values before it and after it.
 */
import { type Outcome, UnitError } from "../base/outcome.ts";
import type { Banks } from "../model/value-type.ts";
import type { Predicate } from "../unit/predicate.ts";
import type { Access, DiscreteUpdate, PortSlot, Unit } from "../unit/unit.ts";

/** Input values over time, sampled into the banks that `slots` describe. */
export interface InputSource {
  readonly slots: readonly PortSlot[];
  readonly banks: Banks;
  /** Writes the values at `time` into the banks; `side` matters only where an event is. */
  sample(time: number, side: "before" | "after"): void;
  /** The next time after `time` at which an input jumps; Infinity when none does. */
  nextEventAfter(time: number): number;
  /** Slopes of the ports `slopePorts` from `time` on. */
  readonly slopePorts: readonly number[];
  slopes(time: number, out: Float64Array): void;
}

export interface SimulateOptions {
  readonly start: number;
  readonly stop: number;
  readonly step: number;
  readonly tolerance?: number;
  /** Values to set before initialization: parameters and start values. */
  readonly values?: { readonly slots: readonly PortSlot[]; readonly banks: Banks };
  readonly inputs?: InputSource;
  readonly record: { readonly slots: readonly PortSlot[]; readonly banks: Banks };
  /** Takes the record banks as they are at `time`. */
  readonly onRow: (time: number) => void;
  /** Called between steps; a promise is awaited, so that the host can breathe. True ends the run. */
  readonly shouldStop?: (time: number) => boolean | Promise<boolean>;
}

/** How many times a refused step is halved before the run is called stalled. */
const MAX_HALVINGS = 30;
/** Rounds of discrete updates at one instant before the unit is taken to be in an endless event loop. */
const MAX_EVENT_ROUNDS = 1000;

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
  private readonly allInputs: Access | undefined;
  private readonly stepInputs: Access | undefined;
  private readonly slopePorts: readonly number[];
  private readonly slopeOrders: readonly number[];
  private readonly slopeValues: Float64Array;

  constructor(unit: Unit, options: SimulateOptions) {
    this.unit = unit;
    this.options = options;
    this.time = options.start;
    this.recordAccess = unit.bind(options.record.slots);
    const inputs = options.inputs;
    this.allInputs = inputs && unit.bind(inputs.slots);
    // A unit in event mode takes discrete inputs at events only.
    const ports = unit.description.ports;
    this.stepInputs =
      inputs && unit.bind(inputs.slots.filter((s) => ports[s.port]!.variability === "continuous"));
    this.slopePorts =
      inputs && unit.description.capabilities.inputDerivativeOrder > 0 ? inputs.slopePorts : [];
    this.slopeOrders = this.slopePorts.map(() => 1);
    this.slopeValues = new Float64Array(this.slopePorts.length);
  }

  initialize(): void {
    const { unit, options } = this;
    if (options.values) unit.write(unit.bind(options.values.slots), options.values.banks);
    unit.enterInitialization({
      start: options.start,
      stop: options.stop,
      ...(options.tolerance === undefined ? {} : { tolerance: options.tolerance }),
    });
    this.setInputs(this.allInputs, "after");
    unit.exitInitialization();
  }

  async loop(): Promise<Outcome> {
    const { unit, options } = this;
    if (unit.phase === "event" && this.updateDiscrete()) return this.ended("stopped-by-unit");
    this.record();
    const variable = unit.description.capabilities.variableStep;
    const count = stepCount(options.start, options.stop, options.step, variable);
    let point = 1;
    let roundsAtOneTime = 0;
    while (point <= count) {
      const before = this.time;
      if (await options.shouldStop?.(this.time)) return this.ended("cancelled");
      const grid =
        point === count && variable ? options.stop : options.start + point * options.step;
      const reached = this.advanceTo(grid, variable);
      if (reached === "terminated") return this.ended("stopped-by-unit");
      if (reached === "stalled")
        return { kind: "stalled", time: this.time, steps: this.steps, unit: unit.name };
      roundsAtOneTime = this.time > before ? 0 : roundsAtOneTime + 1;
      if (roundsAtOneTime > MAX_EVENT_ROUNDS) throw this.endlessEvents();
      while (point <= count && options.start + point * options.step <= this.time) point++;
      if (this.time >= options.stop) break;
    }
    return this.ended("completed");
  }

  /** One advance towards `grid`; stops earlier at events. */
  private advanceTo(grid: number, variable: boolean): "reached" | "terminated" | "stalled" {
    const { unit, options } = this;
    const from = this.time;
    const inputEvent = options.inputs?.nextEventAfter(from) ?? Number.POSITIVE_INFINITY;
    if (this.nextUnitEvent <= from) return this.handleEvent();
    let target = variable ? Math.min(grid, inputEvent, this.nextUnitEvent) : grid;
    if (unit.phase === "step")
      this.setInputs(this.unitHasEvents() ? this.stepInputs : this.allInputs, "after");
    this.setSlopes();

    let event = false;
    for (let halvings = 0; ; halvings++) {
      const until: Predicate = { kind: "time", time: target };
      const stop = unit.advance(this.time, until);
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
    const { unit } = this;
    this.record();
    if (this.unitHasEvents()) {
      unit.enterEventMode();
      this.setInputs(this.allInputs, "after");
      const terminated = this.updateDiscrete();
      this.record();
      return terminated ? "terminated" : "reached";
    }
    this.setInputs(this.allInputs, "after");
    this.record();
    return "reached";
  }

  /** Runs discrete updates until the unit is settled; true when it asks to end. */
  private updateDiscrete(): boolean {
    let update: DiscreteUpdate;
    let rounds = 0;
    do {
      update = this.unit.updateDiscreteStates();
      if (update.terminate) return true;
      if (++rounds > MAX_EVENT_ROUNDS) throw this.endlessEvents();
    } while (update.again);
    this.nextUnitEvent = update.nextEventTime ?? Number.POSITIVE_INFINITY;
    this.unit.enterStepMode();
    return false;
  }

  private endlessEvents(): UnitError {
    return new UnitError({
      unit: this.unit.name,
      call: "updateDiscreteStates",
      status: `still not settled after ${MAX_EVENT_ROUNDS} rounds at one instant: an endless event loop`,
      time: this.time,
      log: [],
    });
  }

  private unitHasEvents(): boolean {
    return this.unit.description.capabilities.eventMode;
  }

  private setInputs(access: Access | undefined, side: "before" | "after"): void {
    const inputs = this.options.inputs;
    if (!inputs || !access || access.slots.length === 0) return;
    inputs.sample(this.time, side);
    this.unit.write(access, inputs.banks);
  }

  private setSlopes(): void {
    if (this.slopePorts.length === 0) return;
    this.options.inputs!.slopes(this.time, this.slopeValues);
    this.unit.setInputDerivatives(this.slopePorts, this.slopeOrders, this.slopeValues);
  }

  private record(): void {
    this.unit.read(this.recordAccess, this.options.record.banks);
    this.options.onRow(this.time);
  }

  private ended(kind: "completed" | "cancelled" | "stopped-by-unit"): Outcome {
    this.unit.terminate();
    const end = { time: this.time, steps: this.steps };
    return kind === "stopped-by-unit" ? { kind, ...end, unit: this.unit.name } : { kind, ...end };
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
