/**
 * Executes plans without units and without numbers: every slot holds where its value comes from, and from which tick.
 * At every advance the inputs are compared with what the scenario entitles them to.
 */
import type { Place } from "../base/diagnostic.ts";
import type { Scenario } from "../model/scenario.ts";
import { portSize } from "../model/unit-description.ts";
import { type BankName, bankOf } from "../model/value-type.ts";
import type { PLAN_CHECK_RULES } from "./check-plan-diagnostics.ts";
import { opPlace } from "./check-plan-structure.ts";
import { type WiredElement, Wiring } from "./check-plan-wiring.ts";
import { OP_WIDTH, Op, type Plan } from "./plan.ts";

/** A value as a unit gave it, and what was done to it since. */
interface Given {
  readonly kind: "given";
  readonly unit: number;
  readonly port: number;
  readonly element: number;
  /** Tick of the state that gave it. */
  readonly time: number;
  readonly factor: number;
  readonly offset: number;
  readonly map: number;
  /** Why it does not belong to the inputs of its instant. */
  readonly stale: string | undefined;
}

/** A value over a step, made from samples. */
interface Shaped {
  readonly kind: "predicted" | "interpolated";
  readonly track: number;
  readonly part: number;
  readonly parts: number;
  readonly tick: number;
  readonly samples: readonly Stamp[];
  /** The signal at the end of the step, for an interpolation. */
  readonly end: Stamp;
}

type Stamp = Given | Shaped | undefined;

/** What a unit's input element holds, and since which of the unit's steps. */
interface Content {
  stamp: Stamp;
  epoch: number;
}

interface UnitState {
  time: number;
  /** Steps completed. */
  epoch: number;
  /** Next part of a step that is under way; 0 between steps. */
  part: number;
  parts: number;
  readonly inputs: Map<number, Content[]>;
  /** Derivatives by port and order: a stamp for each element. */
  readonly slopes: Map<number, Map<number, Content[]>>;
  /** At which of the unit's times a port was read. */
  readonly reads: Map<number, Set<number>>;
}

export type Report = (
  code: Exclude<keyof typeof PLAN_CHECK_RULES, "plan-check-partial">,
  where: string,
  what: string,
  place: Place,
) => void;

export class PlanMachine {
  /** Ops executed so far. */
  visits = 0;
  private readonly plan: Plan;
  private readonly scenario: Scenario;
  private readonly wiring: Wiring;
  private readonly report: Report;
  private readonly slots: Readonly<Record<BankName, Stamp[]>>;
  private readonly units: readonly UnitState[];
  private where = "";
  private tick = 0;

  constructor(plan: Plan, scenario: Scenario, report: Report) {
    this.plan = plan;
    this.scenario = scenario;
    this.wiring = new Wiring(plan, scenario);
    this.report = report;
    this.slots = {
      f64: new Array<Stamp>(plan.sizes.f64).fill(undefined),
      i64: new Array<Stamp>(plan.sizes.i64).fill(undefined),
      obj: new Array<Stamp>(plan.sizes.obj).fill(undefined),
    };
    this.units = plan.units.map(() => ({
      time: 0,
      epoch: 0,
      part: 0,
      parts: 1,
      inputs: new Map(),
      slopes: new Map(),
      reads: new Map(),
    }));
  }

  /** Initialization and start; loops are solved, so their unknowns hold what their images will. */
  begin(): void {
    let opsNumber = 0;
    for (const item of this.plan.segments.initial) {
      if (item.kind === "ops") this.run(item.ops, `initialization ${opsNumber++}`, 0);
      else this.solveLoop(item.loop);
    }
    this.run(this.plan.segments.start, "the start", 0);
    this.checkColumns(0);
  }

  step(tick: number): void {
    this.run(this.plan.segments.step, "the step", tick);
    this.where = `tick ${tick}`;
    this.plan.units.forEach(({ name, ticks }, u) => {
      const unit = this.units[u];
      if (unit.part !== 0 || (tick % ticks === 0 && unit.time !== tick)) {
        const what = `'${name}' is not advanced to the end of its step`;
        this.report("plan-advance-wrong", this.where, what, this.scenario.units[u].place);
        unit.time = tick;
        unit.part = 0;
      }
    });
    if (tick % this.plan.record.every === 0) this.checkColumns(tick);
  }

  /** Signals and inputs once more at the present instant, as a nested scenario does when its own inputs changed. */
  again(tick: number): void {
    this.run(this.plan.segments.resolve, "resolving", tick);
    this.run(this.plan.segments.inputs, "the inputs", tick);
  }

  // ---- ops ----------------------------------------------------------------------------------------------------

  private run(ops: Int32Array, segment: string, tick: number): void {
    const { f64, i64, obj } = this.slots;
    const { constants, tracks } = this.plan;
    this.tick = tick;
    for (let pc = 0; pc < ops.length; pc += OP_WIDTH) {
      this.visits++;
      const a = ops[pc + 1];
      const b = ops[pc + 2];
      const c = ops[pc + 3];
      switch (ops[pc]) {
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
          this.where = opPlace(segment, pc);
          this.advance(a, b, c);
          break;
        case Op.Copy:
          move(f64, a, f64, b, c);
          break;
        case Op.CopyI64:
          move(i64, a, i64, b, c);
          break;
        case Op.CopyObj:
          move(obj, a, obj, b, c);
          break;
        case Op.ToI64:
          move(f64, a, i64, b, c);
          break;
        case Op.FromI64:
        case Op.FromU64:
          move(i64, a, f64, b, c);
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
          throw new Error(`internal: opcode ${ops[pc]} passed the structure check`);
      }
    }
  }

  private read(access: number): void {
    const { unit: u, slots } = this.plan.accesses[access];
    const unit = this.units[u];
    for (const { port, slot } of slots) {
      const { type, shape } = this.scenario.units[u].description.ports[port];
      const bank = this.slots[bankOf(type)];
      const stale = this.staleness(u, port);
      const reads = unit.reads.get(port);
      if (reads === undefined) unit.reads.set(port, new Set([unit.time]));
      else reads.add(unit.time);
      const size = portSize({ shape });
      for (let element = 0; element < size; element++) {
        bank[slot + element] = {
          kind: "given",
          unit: u,
          port,
          element,
          time: unit.time,
          factor: 1,
          offset: 0,
          map: -1,
          stale,
        };
      }
    }
  }

  private write(access: number): void {
    const { unit: u, slots } = this.plan.accesses[access];
    const unit = this.units[u];
    for (const { port, slot } of slots) {
      const { type, shape } = this.scenario.units[u].description.ports[port];
      store(unit.inputs, port, this.slots[bankOf(type)], slot, portSize({ shape }), unit.epoch);
    }
  }

  private writeSlopes(group: number): void {
    const { unit: u, ports, orders, slots } = this.plan.slopes[group];
    const unit = this.units[u];
    let at = 0;
    ports.forEach((port, i) => {
      const size = portSize(this.scenario.units[u].description.ports[port]);
      let byOrder = unit.slopes.get(port);
      if (byOrder === undefined) {
        byOrder = new Map();
        unit.slopes.set(port, byOrder);
      }
      const contents = Array.from({ length: size }, (_, e) => ({
        stamp: this.slots.f64[slots[at + e]],
        epoch: unit.epoch,
      }));
      byOrder.set(orders[i], contents);
      at += size;
    });
  }

  private shape(kind: Shaped["kind"], track: number, part: number, parts: number): void {
    const { f64 } = this.slots;
    const { history, signal, value, slope, approximation } = this.plan.tracks[track];
    const samples = [f64[history], f64[history + 1], f64[history + 2]];
    const end = f64[signal];
    const shaped: Shaped = { kind, track, part, parts, tick: this.tick, samples, end };
    f64[value] = shaped;
    f64[slope] = shaped;
    if (approximation === "quadratic") f64[slope + 1] = shaped;
  }

  private solveLoop(loop: number): void {
    const { unknowns, unknownElements, images, sweep } = this.plan.loops[loop];
    const wired = unknownElements.map((e) => this.wiring.input(e.unit, e.port, e.element));
    wired.forEach((element, i) => {
      this.slots.f64[unknowns[i]] = element && this.present(element);
    });
    this.run(sweep, `loop ${loop}`, 0);
    // At the solution the unknowns are their images: the last sweep leaves them in the inputs.
    unknowns.forEach((slot, i) => {
      this.slots.f64[slot] = this.slots.f64[images[i]];
    });
    this.run(sweep, `loop ${loop}`, 0);
    this.where = `loop ${loop}`;
    wired.forEach((element, i) => {
      const stamp = this.slots.f64[images[i]];
      if (element) this.checkGiven(element, stamp, 0, "plan-input-untimely");
    });
  }

  /** What an input is entitled to at this instant. */
  private present({ connection, sourceElement: element }: WiredElement): Given {
    const { unit, port } = connection.from;
    const { factor, offset } = connection;
    const time = this.units[unit].time;
    return { kind: "given", unit, port, element, time, factor, offset, map: -1, stale: undefined };
  }

  // ---- conditions ---------------------------------------------------------------------------------------------

  /** The last communication point of a unit that is not after `tick`. */
  private newest(unit: number, tick: number): number {
    const { ticks } = this.plan.units[unit];
    return tick - (tick % ticks);
  }

  /** Condition 1: an output with feed-through belongs to the inputs of its own instant. */
  private staleness(u: number, port: number): string | undefined {
    const unit = this.units[u];
    for (const element of this.wiring.feedThrough(u, port)) {
      if (element.delayed) continue;
      const stamp = unit.inputs.get(element.port)?.[element.element]?.stamp;
      const wanted = this.newest(element.connection.from.unit, unit.time);
      if (stamp?.kind !== "given" || stamp.time !== wanted)
        return `'${this.wiring.portName(u, port)}' was read before '${element.name}', which acts on it at once, got its present value`;
      if (stamp.stale !== undefined) return stamp.stale;
    }
    return undefined;
  }

  private advance(u: number, part: number, parts: number): void {
    const unit = this.units[u];
    const { name, ticks } = this.plan.units[u];
    const begin = this.tick - ticks;
    const { place } = this.scenario.units[u];
    if (part === 0 && unit.part === 0 && unit.time !== begin) {
      const what = `'${name}' stands at tick ${unit.time}, its step to tick ${this.tick} begins at ${begin}`;
      this.report("plan-advance-wrong", this.where, what, place);
    } else if (part !== unit.part || (part > 0 && parts !== unit.parts)) {
      const what = `'${name}' takes part ${part + 1} of ${parts} of its step, the next one is ${unit.part + 1}`;
      this.report("plan-advance-wrong", this.where, what, place);
    }
    for (const element of this.wiring.elements[u])
      this.checkInput(element, unit, begin, part, parts);
    unit.part = (part + 1) % parts;
    unit.parts = parts;
    if (unit.part === 0) {
      unit.time = this.tick;
      unit.epoch++;
    }
  }

  private checkInput(
    element: WiredElement,
    unit: UnitState,
    begin: number,
    part: number,
    parts: number,
  ): void {
    const { name, sourceName, connection, track } = element;
    const content = unit.inputs.get(element.port)?.[element.element];
    const unwritten = (what: string): void =>
      this.report("plan-input-unwritten", this.where, `'${name}' ${what}`, connection.place);
    if (content === undefined || content.epoch !== unit.epoch) {
      unwritten("was not written since the last step of its unit");
      return;
    }
    const { stamp } = content;
    if (track < 0) {
      if (element.takesEnd) this.checkGiven(element, stamp, this.tick, "plan-interpolates-old");
      else this.checkGiven(element, stamp, begin, "plan-input-untimely");
      return;
    }
    const { approximation } = this.plan.tracks[track];
    if (stamp === undefined || stamp.kind === "given") {
      unwritten(`follows its source by ${approximation}, but was given a plain value`);
      return;
    }
    if (stamp.track !== track) {
      const what = `'${name}' was given a value that belongs to another input than its source '${sourceName}'`;
      this.report("plan-value-lost", this.where, what, connection.place);
      return;
    }
    if (stamp.parts === 0) this.checkSlopes(element, unit, stamp, begin, parts, unwritten);
    else if (stamp.part !== part || stamp.parts !== parts || stamp.tick !== this.tick)
      unwritten(`was not written for part ${part + 1} of ${parts}`);
    this.checkSamples(element, stamp, begin);
  }

  /** A value that is told once a step needs its slopes, told with it. */
  private checkSlopes(
    { port, element, track }: WiredElement,
    unit: UnitState,
    stamp: Shaped,
    begin: number,
    parts: number,
    unwritten: (what: string) => void,
  ): void {
    if (parts !== 1) {
      unwritten("was told as a slope over the whole step, but its unit goes in parts");
      return;
    }
    const { approximation } = this.plan.tracks[track];
    const made = stamp.kind === "predicted" ? begin : this.tick;
    const orders = approximation === "quadratic" ? [1, 2] : [1];
    const told = orders.every((order) => {
      const slope = unit.slopes.get(port)?.get(order)?.[element];
      return slope?.stamp === stamp && slope.epoch === unit.epoch;
    });
    if (stamp.tick !== made || !told) unwritten("was written without its slope for this step");
  }

  private checkSamples(element: WiredElement, stamp: Shaped, begin: number): void {
    const { approximation, sampleTicks } = this.plan.tracks[element.track];
    this.checkGiven(element, stamp.samples[0], begin, "plan-input-untimely");
    if (stamp.kind === "interpolated") {
      this.checkGiven(element, stamp.end, this.tick, "plan-interpolates-old");
      return;
    }
    const newest = begin - (begin % sampleTicks);
    for (let back = 1; back <= (approximation === "quadratic" ? 2 : 1); back++) {
      const at = Math.max(0, newest - back * sampleTicks);
      this.checkGiven(element, stamp.samples[back], at, "plan-input-untimely");
    }
  }

  /** Whether `stamp` is the value of the element's source as of `tick`. */
  private checkGiven(
    element: WiredElement,
    stamp: Stamp,
    tick: number,
    code: "plan-input-untimely" | "plan-interpolates-old",
  ): void {
    const { name, sourceName, connection, delayed } = element;
    const { from, place } = connection;
    if (stamp?.kind !== "given" || !this.isSource(element, stamp)) {
      const what = `'${name}' holds ${this.describe(stamp)} instead of ${this.converted(element)}`;
      this.report("plan-value-lost", this.where, what, place);
      return;
    }
    const wanted = this.newest(from.unit, tick);
    const ends = code === "plan-interpolates-old";
    if (stamp.time > wanted) {
      const what = `'${name}' holds '${sourceName}' of tick ${stamp.time}, but its step begins at tick ${tick}`;
      this.report("plan-input-untimely", this.where, what, place);
    } else if (stamp.time < wanted) {
      if (delayed && !ends && stamp.time >= wanted - this.plan.units[from.unit].ticks) return;
      if (this.units[from.unit].reads.get(from.port)?.has(wanted)) {
        const what = `'${sourceName}' was read at tick ${wanted}, but '${name}' still holds that of tick ${stamp.time}`;
        this.report("plan-value-lost", this.where, what, place);
      } else {
        const what = `'${name}' uses '${sourceName}' of tick ${stamp.time} where that of tick ${wanted} is due; it was not read then`;
        this.report(ends ? code : "plan-reads-old", this.where, what, place);
      }
    } else if (stamp.stale !== undefined && !ends && !delayed) {
      this.report("plan-reads-old", this.where, `'${name}' is used, but ${stamp.stale}`, place);
    }
  }

  private isSource({ connection, sourceElement }: WiredElement, stamp: Given): boolean {
    const { from, factor, offset, mapping } = connection;
    if (stamp.unit !== from.unit || stamp.port !== from.port || stamp.element !== sourceElement)
      return false;
    if (mapping === undefined)
      return stamp.map === -1 && stamp.factor === factor && stamp.offset === offset;
    const map = this.plan.maps[stamp.map];
    return (
      map !== undefined &&
      mapping.every((pair, i) => map.from[i] === Number(pair.from) && map.to[i] === Number(pair.to))
    );
  }

  private converted({ sourceName, connection: { factor, offset, mapping } }: WiredElement): string {
    if (mapping) return `'${sourceName}' through a value table`;
    if (factor === 1 && offset === 0) return `'${sourceName}'`;
    return `${factor} · '${sourceName}' + ${offset}`;
  }

  private describe(stamp: Stamp): string {
    if (stamp === undefined) return "nothing";
    if (stamp.kind !== "given") return "an approximated value";
    const { unit, port, element, factor, offset, map } = stamp;
    const name = `'${this.wiring.portName(unit, port)}'${element > 0 ? ` element ${element}` : ""}`;
    if (map >= 0) return `${name} through a value table`;
    return factor === 1 && offset === 0 ? name : `${factor} · ${name} + ${offset}`;
  }

  /** What is recorded of a unit's own ports is its newest state. */
  private checkColumns(tick: number): void {
    this.plan.record.columns.forEach(({ unit, port, element, bank, slot }, i) => {
      if (unit < 0) return;
      if (this.scenario.units[unit].description.ports[port].direction === "input") return;
      const stamp = this.slots[bank][slot];
      const name = this.wiring.portName(unit, port);
      const { place } = this.scenario.units[unit];
      const own =
        stamp?.kind === "given" &&
        stamp.unit === unit &&
        stamp.port === port &&
        stamp.element === element;
      if (!own) {
        const what = `'${name}' is recorded from ${this.describe(stamp)}`;
        this.report("plan-value-lost", `column ${i}`, what, place);
      } else if (stamp.time !== this.newest(unit, tick) || stamp.stale !== undefined) {
        const why = stamp.stale ?? `of tick ${stamp.time} is recorded at tick ${tick}`;
        this.report("plan-reads-old", `column ${i}`, `'${name}': ${why}`, place);
      }
    });
  }
}

function store(
  inputs: Map<number, Content[]>,
  port: number,
  bank: readonly Stamp[],
  slot: number,
  size: number,
  epoch: number,
): void {
  let contents = inputs.get(port);
  if (contents === undefined) {
    contents = Array.from({ length: size }, () => ({ stamp: undefined, epoch: -1 }));
    inputs.set(port, contents);
  }
  contents.forEach((content, element) => {
    content.stamp = bank[slot + element];
    content.epoch = epoch;
  });
}

function move(from: readonly Stamp[], a: number, to: Stamp[], b: number, count: number): void {
  for (let i = 0; i < count; i++) to[b + i] = from[a + i];
}

function affine(stamp: Stamp, factor: number, offset: number): Stamp {
  if (stamp?.kind !== "given") return undefined;
  return { ...stamp, factor: stamp.factor * factor, offset: stamp.offset * factor + offset };
}

function mapped(stamp: Stamp, map: number): Stamp {
  return stamp?.kind === "given" ? { ...stamp, map } : undefined;
}
