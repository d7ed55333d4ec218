/**
 * What a user should know about the events of a run: which of them were noticed late, which came
 * ever faster, which did not end.
 */
import type { EventPattern } from "../../numerics/zeno.ts";
import type { Coupling } from "./coupling.ts";
import type { CrossingWatch } from "./crossing-watch.ts";

/**
 * What is kept of a pattern: its kind (0: none), when it was recognised, and two numbers about it.
 */
const PATTERN_SIZE = 4;
const ZENO = 1;
const CHATTERING = 2;

export class EventReport {
  private readonly coupling: Coupling;
  private readonly crossings: CrossingWatch;
  /** The first pattern of every crossing, then of every unit. */
  private readonly patterns: Float64Array;
  private readonly cascades = new Map<string, string>();

  constructor(coupling: Coupling, crossings: CrossingWatch) {
    this.coupling = coupling;
    this.crossings = crossings;
    this.patterns = new Float64Array(PATTERN_SIZE * (crossings.count + coupling.units.length));
  }

  onCrossing(crossing: number, pattern: EventPattern): void {
    this.note(crossing, pattern);
  }

  onUnitEvent(unit: number, pattern: EventPattern): void {
    this.note(this.crossings.count + unit, pattern);
  }

  private note(subject: number, pattern: EventPattern): void {
    const at = PATTERN_SIZE * subject;
    if (pattern.kind === "none" || this.patterns[at] !== 0) return;
    const { time } = this.coupling;
    const numbers =
      pattern.kind === "zeno"
        ? [ZENO, time, pattern.limit, pattern.ratio]
        : [CHATTERING, time, pattern.interval, 0];
    this.patterns.set(numbers, at);
  }

  onEndlessReactions(changed: readonly string[], rounds: number): void {
    const what = changed.join(", ");
    if (this.cascades.has(what)) return;
    const { time } = this.coupling;
    this.cascades.set(
      what,
      `${what}: still changing after ${rounds} reactions to an event at t=${time}: an endless cascade; the run went on with ordinary steps`,
    );
  }

  /** One sentence each. */
  notes(): string[] {
    const { plan, units } = this.coupling;
    const subjects = [
      ...plan.crossings.map(({ text }, c) => `${text}${this.loopOf(this.crossings.unitOf(c))}`),
      ...units.map((_, u) => `events of '${this.coupling.unitName(u)}'${this.loopOf(u)}`),
    ];
    return [
      ...plan.crossings.flatMap(({ text }, c) => this.lateness(text, c)),
      ...subjects.flatMap((subject, s) => this.patternNote(subject, s)),
      ...this.cascades.values(),
    ];
  }

  private lateness(text: string, c: number): string[] {
    const { count, value, seconds } = this.crossings.delays[c];
    const putOff = this.crossings.putOff[c];
    const late = `${text}: ${count} of ${this.crossings.events[c]} crossings were noticed late, by up to ${short(seconds)} s and ${short(value)} beyond the level`;
    const off = `${text}: ${putOff} events were put off by ${this.putOffBy(c)}`;
    return [...(count > 0 ? [late] : []), ...(putOff > 0 ? [off] : [])];
  }

  private putOffBy(c: number): string {
    const { dwell, hysteresis } = this.coupling.plan.crossings[c];
    return dwell === undefined && hysteresis === undefined
      ? "the minimum dwell"
      : "its regularization";
  }

  /** The units that a unit is in a loop with, as a cycle; empty: it is in none. */
  private loopOf(unit: number): string {
    const loop = this.coupling.plan.components.find(
      ({ units, cyclic }) => cyclic && units.includes(unit),
    );
    if (loop === undefined) return "";
    const at = loop.units.indexOf(unit);
    const cycle = [...loop.units.slice(at), ...loop.units.slice(0, at), unit];
    return `, in the loop ${cycle.map((u) => `'${this.coupling.unitName(u)}'`).join(" → ")}`;
  }

  private patternNote(subject: string, s: number): string[] {
    const at = PATTERN_SIZE * s;
    const [kind = 0, time = 0, first = 0, second = 0] = this.patterns.subarray(at, at + 4);
    if (kind === 0) return [];
    return kind === ZENO
      ? [
          `${subject}: Zeno behaviour from t=${time} on: they come ever faster, by a factor of ${short(second)}, and would never get past t=${first}`,
        ]
      : [`${subject}: chattering from t=${time} on: one every ${short(first)} s`];
  }

  /** For checkpoints. */
  save(): Float64Array {
    return this.patterns.slice();
  }

  restore(saved: Float64Array): void {
    this.patterns.set(saved);
  }
}

function short(value: number): string {
  return String(Number(value.toPrecision(3)));
}
