/**
 * A unit that does what a step model says: the stand-in for a real unit when a plan is run to see
 * what it makes of small deviations. It has the ports of the unit it stands for, so the plan is the
 * same; all its values are deviations and begin at 0.
 */
import type { Port, UnitDescription } from "../model/unit-description.ts";
import type { Banks } from "../model/value-type.ts";
import { addProduct } from "../numerics/matrix.ts";
import { BaseUnit } from "../unit/base-unit.ts";
import type { Stop } from "../unit/predicate.ts";
import type { Access } from "../unit/unit.ts";
import type { StepModel, UnitElements } from "./step-model.ts";

export interface StandIn {
  readonly description: UnitDescription;
  readonly elements: UnitElements;
  readonly states: number;
  /** The model of a step of so many seconds. */
  readonly modelFor: (seconds: number) => StepModel;
  /** How many steps of its own its outputs are late; 0: they are not. */
  readonly lateBy: number;
}

/** Two step sizes that differ by less than this are one. */
const SAME_STEP = 1e-9;

/**
 * The description of a stand-in: the ports without start values, nothing that happens between
 * steps; late outputs follow no input at once.
 */
export function standInDescription(description: UnitDescription, isLate: boolean): UnitDescription {
  const { capabilities } = description;
  return {
    ...description,
    ports: description.ports.map((port) => standInPort(port, isLate)),
    capabilities: {
      ...capabilities,
      inputDerivativeOrder: Math.min(1, capabilities.inputDerivativeOrder),
      directionalDerivatives: true,
      adjointDerivatives: false,
      outputDerivativeOrder: 0,
      eventMode: false,
      earlyReturn: false,
      refusesSteps: false,
      predicates: [],
    },
  };
}

function standInPort(port: Port, isLate: boolean): Port {
  const { start, clock, clocks, ...rest } = port;
  return isLate && port.direction !== "input" ? { ...rest, feedThrough: [] } : rest;
}

export class LinearStepUnit extends BaseUnit {
  /** Places in the store of what the unit carries from step to step, with what they are. */
  readonly memory: readonly { readonly slot: number; readonly input: number }[];
  private readonly standIn: StandIn;
  private readonly inputs: Int32Array;
  private readonly outputs: Int32Array;
  private readonly slopeSlots: Int32Array;
  private readonly u: Float64Array;
  private readonly s: Float64Array;
  private readonly y: Float64Array;
  private readonly x: Float64Array;
  private readonly next: Float64Array;
  /** By input: its slope during the last step, 0 once it was written again. */
  private readonly moved: Float64Array;
  /** Samples of the outputs, newest first. */
  private readonly late: Float64Array;
  private model: StepModel | undefined;
  private step = 0;

  constructor(name: string, standIn: StandIn) {
    const { inputs, outputs } = standIn.elements;
    const hidden = standIn.states + inputs.length + standIn.lateBy * outputs.length;
    super(name, standIn.description, { hidden });
    this.standIn = standIn;
    this.inputs = Int32Array.from(inputs, (e) => this.offsets[e.port] + e.element);
    this.outputs = Int32Array.from(outputs, (e) => this.offsets[e.port] + e.element);
    this.slopeSlots = this.inputs.map((slot) => this.timeSlot + 1 + this.inputSlots.indexOf(slot));
    this.u = new Float64Array(inputs.length);
    this.s = new Float64Array(inputs.length);
    this.y = new Float64Array(outputs.length);
    this.next = new Float64Array(standIn.states);
    this.x = this.hidden.subarray(0, standIn.states);
    this.moved = this.hidden.subarray(standIn.states, standIn.states + inputs.length);
    this.late = this.hidden.subarray(standIn.states + inputs.length);
    const hiddenAt = this.store.f64.length - hidden;
    const own = Array.from({ length: hidden }, (_, i) => ({
      slot: hiddenAt + i,
      input: i >= standIn.states && i < standIn.states + inputs.length ? i - standIn.states : -1,
    }));
    this.memory = [
      ...own,
      ...Array.from(this.inputs, (slot, input) => ({ slot, input })),
      ...Array.from(this.slopeSlots, (slot, input) => ({ slot, input })),
    ];
  }

  isState(slot: number): boolean {
    const first = this.store.f64.length - this.hidden.length;
    return slot >= first && slot < first + this.standIn.states;
  }

  /** Everything it knows; entries of `memory` may be changed right after `restore`. */
  get values(): Float64Array {
    return this.store.f64;
  }

  protected override evaluate(): void {
    const { f64 } = this.store;
    const y = this.y;
    if (this.standIn.lateBy > 0) y.set(this.late.subarray(this.late.length - y.length));
    else this.output();
    for (let i = 0; i < y.length; i++) f64[this.outputs[i]] = y[i];
  }

  override write(access: Access, banks: Banks): void {
    super.write(access, banks);
    const { inputs } = this.standIn.elements;
    for (const { port } of access.slots)
      for (let i = 0; i < inputs.length; i++) if (inputs[i].port === port) this.moved[i] = 0;
  }

  protected override proceed(from: number, bound: number): Stop {
    const { states } = this.standIn;
    const model = this.modelFor(bound - from);
    const m = this.u.length;
    this.takeInputs();
    if (this.standIn.lateBy > 0) {
      this.output();
      this.late.copyWithin(this.y.length, 0);
      this.late.set(this.y);
    }
    const next = this.next.fill(0);
    addProduct(states, states, model.a, this.x, next);
    addProduct(states, m, model.b, this.u, next);
    addProduct(states, m, model.r, this.s, next);
    this.x.set(next);
    this.moved.set(this.s);
    return this.stopAt("time", -1, bound);
  }

  private takeInputs(): void {
    const { f64 } = this.store;
    for (let i = 0; i < this.u.length; i++) {
      this.u[i] = f64[this.inputs[i]];
      this.s[i] = f64[this.slopeSlots[i]];
    }
  }

  /** y = C x + D u + F s, now. */
  private output(): void {
    const y = this.y.fill(0);
    const model = this.model;
    if (model === undefined) return;
    this.takeInputs();
    addProduct(y.length, this.x.length, model.c, this.x, y);
    addProduct(y.length, this.u.length, model.d, this.u, y);
    addProduct(y.length, this.u.length, model.f, this.moved, y);
  }

  /**
   * Chooses the model of a step before the first one is taken: outputs at the start need it too.
   */
  prepare(seconds: number): void {
    this.modelFor(seconds);
  }

  private modelFor(seconds: number): StepModel {
    if (this.model === undefined || Math.abs(seconds - this.step) > SAME_STEP * seconds) {
      this.model = this.standIn.modelFor(seconds);
      this.step = seconds;
    }
    return this.model;
  }
}
