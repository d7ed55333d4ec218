/**
 * What people should know of the events of a run: how many there were, which of them were noticed late, which came ever faster.
 */
import type { EventPattern } from "../../numerics/zeno.ts";
import type { Coupling } from "./coupling.ts";
import type { CrossingWatch } from "./crossing-watch.ts";

export class EventReport {
  readonly #coupling: Coupling;
  readonly #crossings: CrossingWatch;
  /** By crossing: the first pattern that its events made. */
  readonly #patterns = new Map<string, string>();

  constructor(coupling: Coupling, crossings: CrossingWatch) {
    this.#coupling = coupling;
    this.#crossings = crossings;
  }

  onCrossing(crossing: number, pattern: EventPattern): void {
    if (pattern.kind === "none") return;
    this.#notePattern(this.#coupling.plan.crossings[crossing]!.text, pattern);
  }

  onUnitEvent(unit: number, pattern: EventPattern): void {
    if (pattern.kind === "none") return;
    this.#notePattern(`events of '${this.#coupling.unitName(unit)}'`, pattern);
  }

  #notePattern(what: string, pattern: Exclude<EventPattern, { kind: "none" }>): void {
    if (this.#patterns.has(what)) return;
    const at = `from t=${this.#coupling.time} on`;
    this.#patterns.set(
      what,
      pattern.kind === "zeno"
        ? `${what}: Zeno behaviour ${at}: its events come ever faster, by a factor of ${short(pattern.ratio)}, and would never get past t=${pattern.limit}`
        : `${what}: chattering ${at}: an event every ${short(pattern.interval)} s`,
    );
  }

  onEndlessReactions(changed: readonly string[], rounds: number): void {
    const what = `${changed.join(", ")}`;
    if (this.#patterns.has(what)) return;
    this.#patterns.set(
      what,
      `${what}: still changing after ${rounds} reactions to an event at t=${this.#coupling.time}: an endless cascade; the run goes on with ordinary steps`,
    );
  }

  /** One sentence each. */
  notes(): string[] {
    const { plan } = this.#coupling;
    const notes: string[] = [];
    plan.crossings.forEach(({ text }, c) => {
      const { count, value, seconds } = this.#crossings.delays[c]!;
      if (count > 0)
        notes.push(
          `${text}: ${count} of ${this.#crossings.events[c]} crossings were noticed late, by up to ${short(seconds)} s and ${short(value)} beyond the level`,
        );
      const putOff = this.#crossings.putOff[c]!;
      if (putOff > 0) notes.push(`${text}: ${putOff} events were put off by the minimum dwell`);
    });
    return [...notes, ...this.#patterns.values()];
  }
}

function short(value: number): string {
  return String(Number(value.toPrecision(3)));
}
