/**
 * The conditions of a valid co-simulation step (check-plan.ts), as comparisons of stamps: what an
 * input holds against what the scenario entitles it to.
 */
import type { Place } from "../base/diagnostic.ts";
import type { Scenario } from "../model/scenario.ts";
import { portAt, portName } from "../model/scenario-ports.ts";
import type { BankName } from "../model/value-type.ts";
import type { PlanCheckCode } from "./check-plan-diagnostics.ts";
import {
  convertedText,
  type Given,
  type Shaped,
  type Stamp,
  type UnitState,
} from "./check-plan-stamps.ts";
import type { WiredElement, Wiring } from "./check-plan-wiring.ts";
import type { Plan } from "./plan.ts";

export type Report = (code: PlanCheckCode, where: string, what: string, place: Place) => void;

/** An advance of a unit: the tick where its step begins, and which part of the step it is. */
interface Advance {
  readonly begin: number;
  readonly part: number;
  readonly parts: number;
}

export class Conditions {
  readonly wiring: Wiring;
  /** The op, loop or tick that findings are about. */
  where = "";
  tick = 0;
  private readonly plan: Plan;
  private readonly scenario: Scenario;
  private readonly units: readonly UnitState[];
  private readonly report: Report;

  constructor(
    plan: Plan,
    scenario: Scenario,
    units: readonly UnitState[],
    report: Report,
    wiring: Wiring,
  ) {
    this.plan = plan;
    this.scenario = scenario;
    this.units = units;
    this.report = report;
    this.wiring = wiring;
  }

  /** The last communication point of a unit that is not after `tick`. */
  private newest(unit: number, tick: number): number {
    return tick - (tick % this.plan.units[unit].ticks);
  }

  /** Condition 1: an output with feed-through belongs to the inputs of its own instant. */
  staleness(u: number, port: number): string | undefined {
    const unit = this.units[u];
    for (const element of this.wiring.feedThrough(u, port)) {
      if (element.delayed) continue;
      const stamp = unit.inputs[element.port]?.[element.element]?.stamp;
      const due = this.newest(element.connection.from.unit, unit.time);
      if (stamp?.kind !== "given" || stamp.time !== due)
        return `'${this.nameOf(u, port)}' was read before '${element.name}', on which it depends directly, got its present value`;
      if (stamp.stale !== undefined) return stamp.stale;
    }
    return undefined;
  }

  /** Condition 2 and, through the inputs, conditions 3 to 6. */
  checkAdvance(u: number, part: number, parts: number): void {
    const unit = this.units[u];
    const { name, ticks } = this.plan.units[u];
    const begin = this.tick - ticks;
    const wrong = (what: string): void =>
      this.report("plan-advance-wrong", this.where, what, this.scenario.units[u].place);
    if (part === 0 && unit.part === 0 && unit.time !== begin)
      wrong(
        `'${name}' stands at tick ${unit.time}, its step to tick ${this.tick} begins at ${begin}`,
      );
    else if (part !== unit.part || (part > 0 && parts !== unit.parts))
      wrong(
        `'${name}' takes part ${part + 1} of ${parts} of its step, the next one is ${unit.part + 1}`,
      );
    for (const element of this.wiring.elements[u])
      this.checkInput(element, unit, { begin, part, parts });
  }

  /** Condition 2: every unit has reached the end of its step. */
  checkStepEnds(): void {
    this.where = `tick ${this.tick}`;
    this.plan.units.forEach(({ name, ticks }, u) => {
      const unit = this.units[u];
      if (unit.part === 0 && (this.tick % ticks !== 0 || unit.time === this.tick)) return;
      const what = `'${name}' is not advanced to the end of its step`;
      this.report("plan-advance-wrong", this.where, what, this.scenario.units[u].place);
      unit.time = this.tick;
      unit.part = 0;
    });
  }

  private checkInput(element: WiredElement, unit: UnitState, advance: Advance): void {
    const { name, sourceName, connection, track } = element;
    const content = unit.inputs[element.port]?.[element.element];
    const unwritten = (what: string): void =>
      this.report("plan-input-unwritten", this.where, `'${name}' ${what}`, connection.place);
    if (content === undefined || content.epoch !== unit.epoch) {
      unwritten("was not written since the last step of its unit");
      return;
    }
    const { stamp } = content;
    if (track < 0) {
      if (element.takesEnd) this.checkGiven(element, stamp, this.tick, "plan-interpolates-old");
      else this.checkGiven(element, stamp, advance.begin, "plan-input-untimely");
      return;
    }
    if (stamp === undefined || stamp.kind === "given") {
      const { approximation } = this.plan.tracks[track];
      unwritten(`follows its source by ${approximation}, but was given a plain value`);
      return;
    }
    if (stamp.track !== track) {
      const what = `'${name}' was given a value that belongs to another input than its source '${sourceName}'`;
      this.report("plan-value-lost", this.where, what, connection.place);
      return;
    }
    const { part, parts } = advance;
    if (stamp.parts === 0) this.checkSlopes(element, unit, stamp, advance, unwritten);
    else if (stamp.part !== part || stamp.parts !== parts || stamp.tick !== this.tick)
      unwritten(`was not written for part ${part + 1} of ${parts}`);
    this.checkSamples(element, stamp, advance.begin);
  }

  /** A value that is written once per step needs its slopes, written with it. */
  private checkSlopes(
    { port, element, track }: WiredElement,
    unit: UnitState,
    stamp: Shaped,
    { begin, parts }: Advance,
    unwritten: (what: string) => void,
  ): void {
    if (parts !== 1) {
      unwritten("has a slope over the whole step, but its unit goes in parts");
      return;
    }
    const made = stamp.kind === "predicted" ? begin : this.tick;
    const orders = this.plan.tracks[track].approximation === "quadratic" ? [1, 2] : [1];
    const hasSlopes = orders.every((order) => {
      const slope = unit.slopes[port]?.[order]?.[element];
      return slope?.stamp === stamp && slope.epoch === unit.epoch;
    });
    if (stamp.tick !== made || !hasSlopes) unwritten("was written without its slope for this step");
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
  checkGiven(
    element: WiredElement,
    stamp: Stamp,
    tick: number,
    code: "plan-input-untimely" | "plan-interpolates-old",
  ): void {
    const { name, sourceName, connection, delayed } = element;
    const { from, place, mapping } = connection;
    const report = (found: PlanCheckCode, what: string): void =>
      this.report(found, this.where, what, place);
    if (stamp?.kind !== "given" || !this.isSource(element, stamp)) {
      const due = convertedText(`'${sourceName}'`, connection, mapping !== undefined);
      report("plan-value-lost", `'${name}' holds ${this.describe(stamp)} instead of ${due}`);
      return;
    }
    const due = this.newest(from.unit, tick);
    const isEnd = code === "plan-interpolates-old";
    if (stamp.time > due) {
      const what = `'${name}' holds '${sourceName}' of tick ${stamp.time}, but its step begins at tick ${tick}`;
      report("plan-input-untimely", what);
    } else if (stamp.time < due) {
      if (delayed && !isEnd && stamp.time >= due - this.plan.units[from.unit].ticks) return;
      if (this.units[from.unit].reads[from.port]?.has(due)) {
        const what = `'${sourceName}' was read at tick ${due}, but '${name}' still holds that of tick ${stamp.time}`;
        report("plan-value-lost", what);
      } else {
        const what = `'${name}' uses '${sourceName}' of tick ${stamp.time} where that of tick ${due} is due; it was not read then`;
        report(isEnd ? code : "plan-reads-old", what);
      }
    } else if (stamp.stale !== undefined && !isEnd && !delayed)
      report("plan-reads-old", `'${name}' is used, but ${stamp.stale}`);
  }

  private isSource({ connection, sourceElement }: WiredElement, stamp: Given): boolean {
    const { from, factor, offset, mapping } = connection;
    if (stamp.unit !== from.unit || stamp.port !== from.port || stamp.element !== sourceElement)
      return false;
    if (mapping === undefined)
      return stamp.map === -1 && stamp.factor === factor && stamp.offset === offset;
    const map = this.plan.maps[stamp.map];
    return (
      map?.from.length === mapping.length &&
      mapping.every((pair, i) => map.from[i] === Number(pair.from) && map.to[i] === Number(pair.to))
    );
  }

  private nameOf(unit: number, port: number): string {
    return portName(this.scenario, { unit, port });
  }

  private describe(stamp: Stamp): string {
    if (stamp === undefined) return "nothing";
    if (stamp.kind !== "given") return "an approximated value";
    const { unit, port, element } = stamp;
    const name = `'${this.nameOf(unit, port)}'${element > 0 ? ` element ${element}` : ""}`;
    return convertedText(name, stamp, stamp.map >= 0);
  }

  /** What is recorded of a unit's own ports is its newest state. */
  checkColumns(slots: Readonly<Record<BankName, readonly Stamp[]>>): void {
    this.plan.record.columns.forEach(({ unit, port, element, bank, slot }, i) => {
      if (unit < 0 || portAt(this.scenario, { unit, port }).direction === "input") return;
      const stamp = slots[bank][slot];
      const name = this.nameOf(unit, port);
      const report = (code: PlanCheckCode, what: string): void =>
        this.report(code, `column ${i}`, what, this.scenario.units[unit].place);
      const isOwn =
        stamp?.kind === "given" &&
        stamp.unit === unit &&
        stamp.port === port &&
        stamp.element === element;
      if (!isOwn) report("plan-value-lost", `'${name}' is recorded from ${this.describe(stamp)}`);
      else if (stamp.time !== this.newest(unit, this.tick) || stamp.stale !== undefined) {
        const why = stamp.stale ?? `of tick ${stamp.time} is recorded at tick ${this.tick}`;
        report("plan-reads-old", `'${name}': ${why}`);
      }
    });
  }
}
