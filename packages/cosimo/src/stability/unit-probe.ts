/**
 * Experiments with a real unit: from where it stands, with inputs moved a little, again and again.
 * The way back is the unit's own rollback; a unit that has none is reset and initialized as it was,
 * which leads to the start only.
 */
import { enterInitialization } from "../engine/initialize-plan.ts";
import { banksFor, layoutPorts } from "../engine/port-layout.ts";
import { settleEvents } from "../engine/settle-events.ts";
import type { ScenarioUnit } from "../model/scenario.ts";
import type { Banks } from "../model/value-type.ts";
import type { Stop } from "../unit/predicate.ts";
import type { Access, InitializationOptions, Snapshot, Unit } from "../unit/unit.ts";
import type { PortElement, UnitElements } from "./step-model.ts";

/** A place in an experiment that can be returned to. */
export interface ProbePoint {
  readonly time: number;
  /** Absent: the unit cannot roll back, and repeats what led there. */
  readonly snapshot?: Snapshot;
  readonly way: readonly ProbeMove[];
}

export interface ProbeMove {
  readonly seconds: number;
  /** Deviations of the inputs during the step, and slopes. */
  readonly inputs: Float64Array;
  readonly slopes: Float64Array;
}

export class UnitProbe {
  readonly unit: Unit;
  readonly elements: UnitElements;
  /** Real inputs at the operating point. */
  readonly base: Float64Array;
  readonly home: ProbePoint;
  /** Calls of `advance` so far. */
  steps = 0;
  private time: number;
  private way: ProbeMove[] = [];
  private readonly scenarioUnit: ScenarioUnit;
  private readonly options: InitializationOptions;
  private readonly allInputs: { readonly access: Access; readonly banks: Banks };
  private readonly in: {
    readonly access: Access;
    readonly banks: Banks;
    readonly slots: Int32Array;
  };
  private readonly out: {
    readonly access: Access;
    readonly banks: Banks;
    readonly slots: Int32Array;
  };
  private readonly slopePorts: readonly number[];
  private readonly slopeOrders: readonly number[];
  private readonly slopeFrom: Int32Array;
  private readonly slopeValues: Float64Array;
  private readonly until: { kind: "time"; time: number } = { kind: "time", time: 0 };

  /** @param unit stands at its operating point, at `time`. */
  constructor(
    unit: Unit,
    scenarioUnit: ScenarioUnit,
    elements: UnitElements,
    time: number,
    options: InitializationOptions,
  ) {
    this.unit = unit;
    this.elements = elements;
    this.scenarioUnit = scenarioUnit;
    this.options = options;
    this.time = time;
    const inputs = unit.description.ports.filter(
      ({ direction, type, clocks }) =>
        direction === "input" && type !== "clock" && clocks === undefined,
    );
    const layout = layoutPorts(inputs);
    this.allInputs = { access: unit.bind(layout.slots), banks: banksFor(layout) };
    unit.read(this.allInputs.access, this.allInputs.banks);
    this.in = transfer(unit, elements.inputs);
    this.out = transfer(unit, elements.outputs);
    unit.read(this.in.access, this.in.banks);
    this.base = Float64Array.from(this.in.slots, (slot) => this.in.banks.f64[slot]);
    const sloped = [...elements.sloped.keys()].filter((i) => elements.sloped[i]);
    this.slopePorts = [...new Set(sloped.map((i) => elements.inputs[i].port))];
    this.slopeOrders = this.slopePorts.map(() => 1);
    this.slopeFrom = Int32Array.from(sloped);
    this.slopeValues = new Float64Array(sloped.length);
    this.home = this.keep();
  }

  get canRollBack(): boolean {
    return this.unit.description.capabilities.rollback;
  }

  /** What it takes to come back to where the unit is now. */
  keep(): ProbePoint {
    const way = [...this.way];
    if (!this.canRollBack) return { time: this.time, way };
    return { time: this.time, way, snapshot: this.unit.save() };
  }

  release(point: ProbePoint): void {
    if (point.snapshot !== undefined) this.unit.release(point.snapshot);
  }

  goTo(point: ProbePoint): void {
    if (point.snapshot !== undefined) {
      this.unit.restore(point.snapshot);
      this.time = point.time;
      this.way = [...point.way];
      return;
    }
    this.restart();
    for (const move of point.way) this.step(move);
  }

  step(move: ProbeMove): void {
    const { seconds, inputs, slopes } = move;
    this.write(inputs);
    if (this.slopePorts.length > 0) {
      for (let i = 0; i < this.slopeFrom.length; i++)
        this.slopeValues[i] = slopes[this.slopeFrom[i]];
      this.unit.setInputDerivatives(this.slopePorts, this.slopeOrders, this.slopeValues);
    }
    const to = this.time + seconds;
    this.until.time = to;
    const stop = this.advance();
    if (stop.reason !== "time")
      throw new ProbeStopped(
        `'${this.unit.name}' stopped at t=${stop.time} (${stop.reason}) in a step to t=${to}`,
      );
    this.steps++;
    this.time = to;
    this.way.push(move);
  }

  private advance(): Stop {
    try {
      return this.unit.advance(this.time, this.until);
    } catch (error) {
      // A step that does not fit, as a nested scenario has it.
      if (error instanceof RangeError) throw new ProbeStopped(error.message);
      throw error;
    }
  }

  /** Inputs at the operating point plus `deviations`. */
  write(deviations: Float64Array): void {
    const { access, banks, slots } = this.in;
    for (let i = 0; i < slots.length; i++) banks.f64[slots[i]] = this.base[i] + deviations[i];
    if (slots.length > 0) this.unit.write(access, banks);
  }

  read(out: Float64Array): void {
    const { access, banks, slots } = this.out;
    if (slots.length > 0) this.unit.read(access, banks);
    for (let i = 0; i < slots.length; i++) out[i] = banks.f64[slots[i]];
  }

  /** To the start, as the run came there. */
  private restart(): void {
    const { unit } = this;
    unit.reset();
    enterInitialization([unit], [this.scenarioUnit], this.options);
    unit.write(this.allInputs.access, this.allInputs.banks);
    unit.exitInitialization();
    if (unit.phase === "event") {
      settleEvents(unit, this.options.start);
      unit.enterStepMode();
    }
    this.time = this.options.start;
    this.way = [];
  }
}

/** A unit that does not take the steps of an experiment. */
export class ProbeStopped extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ProbeStopped";
  }
}

function transfer(
  unit: Unit,
  elements: readonly PortElement[],
): { access: Access; banks: Banks; slots: Int32Array } {
  const ports = [...new Set(elements.map(({ port }) => port))].map(
    (index) => unit.description.ports[index],
  );
  const layout = layoutPorts(ports);
  const at = new Map(layout.slots.map(({ port, slot }) => [port, slot]));
  return {
    access: unit.bind(layout.slots),
    banks: banksFor(layout),
    slots: Int32Array.from(elements, ({ port, element }) => at.get(port)! + element),
  };
}
