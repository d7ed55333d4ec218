/**
 * Executes plans without units and without numbers: every slot holds where its value comes from,
 * and from which tick. At every advance the inputs are compared with what the scenario entitles
 * them to.
 */
import type { Scenario } from "../model/scenario.ts";
import { portAt } from "../model/scenario-ports.ts";
import { portSize } from "../model/unit-description.ts";
import { type BankName, bankOf } from "../model/value-type.ts";
import { Conditions, type Report } from "./check-plan-conditions.ts";
import {
  affine,
  mapped,
  type Shaped,
  type Stamp,
  UNTOUCHED,
  type UnitState,
} from "./check-plan-stamps.ts";
import { opPlace } from "./check-plan-structure.ts";
import type { Wiring } from "./check-plan-wiring.ts";
import { MOVES, OP_WIDTH, Op, type Plan } from "./plan.ts";

export class PlanMachine {
  /** Ops executed so far. */
  visits = 0;
  private readonly plan: Plan;
  private readonly scenario: Scenario;
  private readonly units: readonly UnitState[];
  private readonly conditions: Conditions;
  private readonly slots: Readonly<Record<BankName, Stamp[]>>;

  constructor(plan: Plan, scenario: Scenario, report: Report, wiring: Wiring) {
    this.plan = plan;
    this.scenario = scenario;
    const { f64, i64, obj } = plan.sizes;
    this.slots = { f64: empty(f64), i64: empty(i64), obj: empty(obj) };
    this.units = plan.units.map(() => ({
      time: 0,
      epoch: 0,
      part: 0,
      parts: 1,
      inputs: [],
      slopes: [],
      reads: [],
    }));
    this.conditions = new Conditions(plan, scenario, this.units, report, wiring);
  }

  /** Initialization and start; loops are solved, so their unknowns hold what their images will. */
  begin(): void {
    let number = 0;
    for (const item of this.plan.segments.initial) {
      if (item.kind === "ops") this.run(item.ops, `initialization ${number++}`, 0);
      else this.solveLoop(item.loop);
    }
    this.run(this.plan.segments.start, "the start", 0);
    this.conditions.checkColumns(this.slots);
  }

  step(tick: number): void {
    this.run(this.plan.segments.step, "the step", tick);
    this.conditions.checkStepEnds();
    if (tick % this.plan.record.every === 0) this.conditions.checkColumns(this.slots);
  }

  /** Signals and inputs again at the same instant, as in a nested scenario whose inputs changed. */
  again(tick: number): void {
    this.run(this.plan.segments.resolve, "resolving", tick);
    this.run(this.plan.segments.inputs, "the inputs", tick);
  }

  private run(ops: Int32Array, segment: string, tick: number): void {
    const { f64 } = this.slots;
    const { constants, tracks } = this.plan;
    this.conditions.tick = tick;
    for (let pc = 0; pc < ops.length; pc += OP_WIDTH) {
      this.visits++;
      const opcode = ops[pc];
      const a = ops[pc + 1];
      const b = ops[pc + 2];
      const c = ops[pc + 3];
      const move = MOVES.get(opcode);
      if (move) {
        const [from, to] = move;
        for (let i = 0; i < c; i++) this.slots[to][b + i] = this.slots[from][a + i];
        continue;
      }
      switch (opcode) {
        case Op.Read:
          this.read(a);
          break;
        case Op.Write:
          this.write(a);
          break;
        case Op.Slopes:
          this.writeSlopes(a);
          break;
        case Op.Advance:
          this.conditions.where = opPlace(segment, pc);
          this.advance(a, b, c);
          break;
        case Op.Affine:
          f64[b] = affine(f64[a], constants[c], constants[c + 1]);
          break;
        case Op.Map:
          f64[b] = mapped(f64[a], c);
          break;
        case Op.Sample: {
          const { history, signal } = tracks[a];
          f64[history + 2] = f64[history + 1];
          f64[history + 1] = f64[history];
          f64[history] = f64[signal];
          break;
        }
        case Op.Predict:
          this.shape("predicted", a, b, c);
          break;
        case Op.Interpolate:
          this.shape("interpolated", a, b, c);
          break;
        case Op.Every:
          if (tick % a !== 0) pc += b * OP_WIDTH;
          break;
        default:
          throw new Error(`internal: opcode ${opcode} passed the structure check`);
      }
    }
  }

  private read(access: number): void {
    const { unit, slots } = this.plan.accesses[access];
    const { time, reads } = this.units[unit];
    for (const { port, slot } of slots) {
      const described = portAt(this.scenario, { unit, port });
      const bank = this.slots[bankOf(described.type)];
      const stale = this.conditions.staleness(unit, port);
      reads[port] ??= new Set();
      reads[port].add(time);
      for (let element = 0; element < portSize(described); element++)
        bank[slot + element] = { kind: "given", unit, port, element, time, ...UNTOUCHED, stale };
    }
  }

  private write(access: number): void {
    const { unit, slots } = this.plan.accesses[access];
    const { inputs, epoch } = this.units[unit];
    for (const { port, slot } of slots) {
      const described = portAt(this.scenario, { unit, port });
      const stamps = this.slots[bankOf(described.type)].slice(slot, slot + portSize(described));
      inputs[port] = stamps.map((stamp) => ({ stamp, epoch }));
    }
  }

  private writeSlopes(group: number): void {
    const { unit, ports, orders, slots } = this.plan.slopes[group];
    const { slopes, epoch } = this.units[unit];
    let at = 0;
    ports.forEach((port, i) => {
      const size = portSize(portAt(this.scenario, { unit, port }));
      const own = slots.slice(at, at + size);
      slopes[port] ??= [];
      slopes[port][orders[i]] = own.map((slot) => ({ stamp: this.slots.f64[slot], epoch }));
      at += size;
    });
  }

  private shape(kind: Shaped["kind"], track: number, part: number, parts: number): void {
    const { f64 } = this.slots;
    const { history, signal, value, slope, approximation } = this.plan.tracks[track];
    const samples = f64.slice(history, history + 3);
    const { tick } = this.conditions;
    const shaped: Shaped = { kind, track, part, parts, tick, samples, end: f64[signal] };
    f64[value] = shaped;
    f64[slope] = shaped;
    if (approximation === "quadratic") f64[slope + 1] = shaped;
  }

  private advance(u: number, part: number, parts: number): void {
    this.conditions.checkAdvance(u, part, parts);
    const unit = this.units[u];
    unit.part = (part + 1) % parts;
    unit.parts = parts;
    if (unit.part !== 0) return;
    unit.time = this.conditions.tick;
    unit.epoch++;
  }

  private solveLoop(loop: number): void {
    const { f64 } = this.slots;
    const { unknowns, unknownElements, images, sweep } = this.plan.loops[loop];
    const wired = unknownElements.map((e) =>
      this.conditions.wiring.input(e.unit, e.port, e.element),
    );
    wired.forEach((input, i) => {
      if (input === undefined) return;
      const { connection, sourceElement: element } = input;
      const { from, factor, offset } = connection;
      const { time } = this.units[from.unit];
      f64[unknowns[i]] = { kind: "given", ...from, element, time, factor, offset, map: -1 };
    });
    this.run(sweep, `loop ${loop}`, 0);
    // At the solution the unknowns are their images: the last sweep leaves them in the inputs.
    unknowns.forEach((slot, i) => {
      f64[slot] = f64[images[i]];
    });
    this.run(sweep, `loop ${loop}`, 0);
    this.conditions.where = `loop ${loop}`;
    wired.forEach((input, i) => {
      if (input) this.conditions.checkGiven(input, f64[images[i]], 0, "plan-input-untimely");
    });
  }
}

function empty(size: number): Stamp[] {
  return new Array<Stamp>(size).fill(undefined);
}
