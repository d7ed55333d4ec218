/**
 * Watches where units stop that decide their instants themselves: events that come ever faster
 * (Zeno) are named, and a unit that stops again and again without getting anywhere ends the run.
 * Without it such a unit would hang a coordination, which has no steps of its own to fall back on.
 */
import { UnitError } from "../base/outcome.ts";
import { type EventPattern, ZenoWatch } from "../numerics/zeno.ts";
import type { Unit } from "../unit/unit.ts";
import { MAX_EVENT_ROUNDS } from "./settle-events.ts";

/** Events closer together than this part of a communication step are chattering. */
const MIN_INTERVAL = 1e-3;
/** An interval of so many roundings of the time is none. */
const NO_INTERVAL = 4 * Number.EPSILON;

export class StopWatch {
  private readonly units: readonly Unit[];
  private readonly watches: readonly ZenoWatch[];
  private readonly last: Float64Array;
  /** Stops in a row without progress, by unit. */
  private readonly stuck: Int32Array;
  /** The first pattern of every unit, and when it was recognised. */
  private readonly patterns = new Map<
    number,
    { readonly time: number; readonly pattern: EventPattern }
  >();

  constructor(units: readonly Unit[], step: number) {
    this.units = units;
    this.watches = units.map(() => new ZenoWatch({ minInterval: MIN_INTERVAL * step }));
    this.last = new Float64Array(units.length).fill(Number.NEGATIVE_INFINITY);
    this.stuck = new Int32Array(units.length);
  }

  /**
   * @param isEvent the unit stopped for something of its own.
   * @throws UnitError where it does not get beyond an instant.
   */
  note(unit: number, time: number, isEvent: boolean): void {
    const isStuck = time - this.last[unit] <= NO_INTERVAL * Math.abs(time);
    this.stuck[unit] = isStuck ? this.stuck[unit] + 1 : 0;
    this.last[unit] = time;
    if (isEvent) {
      const pattern = this.watches[unit].note(time);
      if (pattern.kind !== "none" && !this.patterns.has(unit))
        this.patterns.set(unit, { time, pattern });
    }
    if (this.stuck[unit] < MAX_EVENT_ROUNDS) return;
    const zeno = this.describePattern(unit);
    throw new UnitError({
      unit: this.units[unit].name,
      call: "advance",
      status: `it stopped ${MAX_EVENT_ROUNDS} times without getting beyond t=${time}${zeno === "" ? "" : `: ${zeno}`}; let it come to rest there, or stop the run before`,
      time,
      log: [],
    });
  }

  /** One sentence for every unit whose events come too fast. */
  notes(): string[] {
    return [...this.patterns.keys()].map(
      (unit) => `events of '${this.units[unit].name}': ${this.describePattern(unit)}`,
    );
  }

  private describePattern(unit: number): string {
    const found = this.patterns.get(unit);
    if (found === undefined || found.pattern.kind === "none") return "";
    const { time, pattern } = found;
    return pattern.kind === "zeno"
      ? `Zeno behaviour from t=${time} on: they come ever faster, by a factor of ${short(pattern.ratio)}, and would never get past t=${pattern.limit}`
      : `chattering from t=${time} on: one every ${short(pattern.interval)} s`;
  }
}

function short(value: number): string {
  return String(Number(value.toPrecision(3)));
}
