/**
 * An interpreter that a clock stands beside in some steps of a master that decides at run time:
 * what exchanges of values take, unit by unit.
 */
import { OP_WIDTH, Op, type Plan } from "../plan/plan.ts";
import { Interpreter } from "./interpreter.ts";
import type { PlanState } from "./signals.ts";

/** Where what a step takes is added up, in seconds. */
export interface StepMeasure {
  /** The step under way is measured: it is taken call by call. */
  readonly isOn: boolean;
  /** By unit: inside steps, and for values in and out. */
  readonly advance: Float64Array;
  readonly exchange: Float64Array;
  /** Seconds from any moment on. */
  readonly now: () => number;
  /** Before and after every step. */
  begin(step: number): void;
  end(): void;
}

export class MeteredInterpreter extends Interpreter {
  private readonly meter: StepMeasure;
  private readonly plan: Plan;

  constructor(state: PlanState, meter: StepMeasure) {
    super(state);
    this.plan = state.plan;
    this.meter = meter;
  }

  override run(ops: Int32Array, tick: number): void {
    const { meter, plan } = this;
    if (!meter.isOn) {
      super.run(ops, tick);
      return;
    }
    for (let at = 0; at < ops.length; at += OP_WIDTH) {
      const began = meter.now();
      super.run(ops.subarray(at, at + OP_WIDTH), tick);
      const unit = unitOf(plan, ops[at], ops[at + 1]);
      if (unit >= 0) meter.exchange[unit] += meter.now() - began;
    }
  }
}

/** -1: an op of no unit. */
export function unitOf({ accesses, slopes }: Plan, opcode: number, a: number): number {
  switch (opcode) {
    case Op.Read:
    case Op.Write:
      return accesses[a].unit;
    case Op.Slopes:
      return slopes[a].unit;
    case Op.Advance:
      return a;
    default:
      return -1;
  }
}
