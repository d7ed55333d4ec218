/**
 * Executes plan ops, one after the other, on any units. The reference for every other executor:
 * same plan, same trace, bit for bit, so the order of floating-point operations here is part of the
 * contract.
 */

import { OP_WIDTH, Op, type Plan, type Track } from "../plan/plan.ts";
import type { Predicate, Stop } from "../unit/predicate.ts";
import { EngineError } from "./engine-error.ts";
import type { PlanState } from "./signals.ts";

export class Interpreter {
  private readonly state: PlanState;
  private readonly until: { kind: "time"; time: number } = { kind: "time", time: 0 };
  private readonly slopeValues: readonly Float64Array[];
  /**
   * Units that were started and not waited for, in the order in which they were, and where they go.
   */
  private readonly begun: number[] = [];
  private readonly targets: number[] = [];

  constructor(state: PlanState) {
    this.state = state;
    this.slopeValues = state.plan.slopes.map((group) => new Float64Array(group.slots.length));
  }

  /** Runs `ops` at `tick`. */
  run(ops: Int32Array, tick: number): void {
    try {
      this.start(ops, tick);
      this.finish();
    } catch (error) {
      throw this.abandon(error);
    }
  }

  /**
   * Runs `ops` at `tick` without waiting for units that work elsewhere (`beginAdvance`), unless
   * something else is to be done to them: `finish` waits, and `abandon` does after an error.
   */
  start(ops: Int32Array, tick: number): void {
    const { plan, units, accesses, banks } = this.state;
    const { f64, i64, obj } = banks;
    const { constants } = plan;
    for (let pc = 0; pc < ops.length; pc += OP_WIDTH) {
      const a = ops[pc + 1];
      const b = ops[pc + 2];
      const c = ops[pc + 3];
      switch (ops[pc]) {
        case Op.Read:
          if (this.begun.length > 0) this.finishUntil(plan.accesses[a].unit);
          units[plan.accesses[a].unit].read(accesses[a], banks);
          break;
        case Op.Write:
          if (this.begun.length > 0) this.finishUntil(plan.accesses[a].unit);
          units[plan.accesses[a].unit].write(accesses[a], banks);
          break;
        case Op.Slopes:
          if (this.begun.length > 0) this.finishUntil(plan.slopes[a].unit);
          this.writeSlopes(a);
          break;
        case Op.Advance:
          if (this.begun.length > 0) this.finishUntil(a);
          this.advance(a, b, c, tick);
          break;
        case Op.Copy:
          if (c === 1) f64[b] = f64[a];
          else f64.copyWithin(b, a, a + c);
          break;
        case Op.CopyI64:
          i64.copyWithin(b, a, a + c);
          break;
        case Op.CopyObj:
          for (let i = 0; i < c; i++) obj[b + i] = obj[a + i];
          break;
        case Op.Affine:
          f64[b] = constants[c] * f64[a] + constants[c + 1];
          break;
        case Op.Map:
          f64[b] = this.mapped(c, f64[a]);
          break;
        case Op.ToI64:
          for (let i = 0; i < c; i++) i64[b + i] = BigInt(f64[a + i]);
          break;
        case Op.FromI64:
          for (let i = 0; i < c; i++) f64[b + i] = Number(i64[a + i]);
          break;
        case Op.FromU64:
          for (let i = 0; i < c; i++) f64[b + i] = Number(BigInt.asUintN(64, i64[a + i]));
          break;
        case Op.Sample:
          sample(plan.tracks[a], f64);
          break;
        case Op.Predict:
          predict(plan, plan.tracks[a], f64, tick, b, c);
          break;
        case Op.Interpolate:
          interpolate(plan, plan.tracks[a], f64, b, c);
          break;
        case Op.Every:
          if (tick % a !== 0) pc += b * OP_WIDTH;
          break;
        default:
          throw new Error(`internal: opcode ${ops[pc]} at op ${pc / OP_WIDTH}`);
      }
    }
  }

  /** Waits for all units that were started, in their order. */
  finish(): void {
    while (this.begun.length > 0) this.finishFirst();
  }

  /**
   * After `error`: leaves no unit in a call.
   * @returns what failed first in the plan's order: of units that were started before it the
   * failure may come to light only now.
   */
  abandon(error: unknown): unknown {
    let first = error;
    let isFirst = true;
    while (this.begun.length > 0) {
      try {
        this.finishFirst();
      } catch (earlier) {
        if (isFirst) first = earlier;
        isFirst = false;
      }
    }
    return first;
  }

  /**
   * Waits for the unit, and for those that were started before it: the first failure is the one
   * that counts.
   */
  private finishUntil(unit: number): void {
    while (this.begun.includes(unit)) this.finishFirst();
  }

  private finishFirst(): void {
    const unit = this.begun.shift() ?? 0;
    const to = this.targets.shift() ?? 0;
    this.judge(unit, this.state.units[unit].finishAdvance!(), to);
  }

  private advance(unit: number, part: number, parts: number, tick: number): void {
    const { plan, units } = this.state;
    const begin = plan.start + (tick - plan.units[unit].ticks) * plan.step;
    const end = plan.start + tick * plan.step;
    const from = part === 0 ? begin : begin + ((end - begin) * part) / parts;
    const to = part === parts - 1 ? end : begin + ((end - begin) * (part + 1)) / parts;
    this.until.time = to;
    const one = units[unit];
    if (one.beginAdvance !== undefined) {
      one.beginAdvance(from, this.until satisfies Predicate);
      this.begun.push(unit);
      this.targets.push(to);
    } else this.judge(unit, one.advance(from, this.until satisfies Predicate), to);
  }

  private judge(unit: number, stop: Stop, to: number): void {
    if (stop.reason !== "time")
      throw new EarlyStop(this.state.plan.units[unit].name, stop.reason, stop.time, to);
  }

  private writeSlopes(group: number): void {
    const { plan, units, banks } = this.state;
    const { unit, ports, orders, slots } = plan.slopes[group];
    const values = this.slopeValues[group];
    for (let i = 0; i < slots.length; i++) values[i] = banks.f64[slots[i]];
    units[unit].setInputDerivatives(ports, orders, values);
  }

  private mapped(map: number, value: number): number {
    const { from, to } = this.state.plan.maps[map];
    const at = from.indexOf(value);
    return at >= 0 ? to[at] : value;
  }
}

/** A unit that did not take the whole step: a fixed-step master cannot follow it. */
export class EarlyStop extends EngineError {
  readonly unit: string;
  readonly reason: string;
  readonly time: number;
  readonly wanted: number;
  constructor(unit: string, reason: string, time: number, wanted: number) {
    super(`'${unit}' stopped at t=${time} (${reason}) on its way to t=${wanted}`);
    this.name = "EarlyStop";
    this.unit = unit;
    this.reason = reason;
    this.time = time;
    this.wanted = wanted;
  }
}

/** Shifts the history by one and puts the signal first. */
function sample({ history, signal }: Track, f64: Float64Array): void {
  f64[history + 2] = f64[history + 1];
  f64[history + 1] = f64[history];
  f64[history] = f64[signal];
}

/**
 * From the history: over the coming step with slopes (parts = 0), or in the middle of a part of the
 * step that ends now.
 */
function predict(
  plan: Plan,
  track: Track,
  f64: Float64Array,
  tick: number,
  part: number,
  parts: number,
): void {
  const { history, value, slope, sampleTicks, stepTicks, approximation } = track;
  const newest = f64[history];
  const older = f64[history + 1];
  const spacing = sampleTicks * plan.step;
  const begin = parts === 0 ? tick : tick - stepTicks;
  const elapsed = (begin % sampleTicks) * plan.step;
  const s = parts === 0 ? elapsed : elapsed + ((part + 0.5) / parts) * (stepTicks * plan.step);
  if (approximation === "quadratic") {
    const oldest = f64[history + 2];
    const first = (3 * newest - 4 * older + oldest) / (2 * spacing);
    const second = (newest - 2 * older + oldest) / (spacing * spacing);
    f64[value] = newest + first * s + second * s * s * 0.5;
    f64[slope] = first + second * s;
    f64[slope + 1] = second;
    return;
  }
  const first = (newest - older) / spacing;
  f64[value] = (approximation === "linear" ? newest : older) + first * s;
  f64[slope] = first;
}

/**
 * Between the last sample, taken where the step begins, and the signal, which is that of its end.
 */
function interpolate(
  plan: Plan,
  track: Track,
  f64: Float64Array,
  part: number,
  parts: number,
): void {
  const { history, signal, value, slope, stepTicks } = track;
  const length = stepTicks * plan.step;
  const first = (f64[signal] - f64[history]) / length;
  f64[value] =
    parts === 0 ? f64[history] : f64[history] + first * (((part + 0.5) / parts) * length);
  f64[slope] = first;
}
