/**
 * Events that units notice themselves: those with event mode say so where their step ends, others
 * stop before it is over (early return, discarded steps) and the scenario meets them there.
 *
 * A unit whose events follow each other without getting anywhere cannot be helped from outside; it
 * must not hang the run.
 */
import { UnitError } from "../../base/outcome.ts";
import { type EventPattern, ZenoWatch } from "../../numerics/zeno.ts";
import type { EarlyEnd } from "./coupling.ts";
import { MIN_INTERVAL } from "./crossing-watch.ts";
import { MasterPart } from "./master-part.ts";

/** An interval of so many roundings of the time is none. */
const NO_INTERVAL = 64 * Number.EPSILON;

export class UnitEvents extends MasterPart {
  private readonly watches: readonly ZenoWatch[] = this.coupling.units.map(
    () => new ZenoWatch({ minInterval: MIN_INTERVAL * this.coupling.state.plan.step }),
  );
  private readonly lastTimes = new Float64Array(this.coupling.units.length).fill(
    Number.NEGATIVE_INFINITY,
  );
  /** Events in a row without progress, by unit. */
  private readonly stuck = new Int32Array(this.coupling.units.length);
  /** The unit that stopped early, and where the others shall meet it. */
  private expected: EarlyEnd | undefined;

  /** The unit in `coupling.early` waits where it stopped. */
  expect(): void {
    this.expected = this.coupling.early;
  }

  /** Whether the unit's event at that time is where the unit itself found it. */
  isExact(unit: number, time: number): boolean {
    const expected = this.expected;
    return expected?.unit === unit && expected.time === time && expected.isInside;
  }

  /**
   * The step to the coupling's time was accepted.
   * @returns an event of a unit there, and the pattern that its events make.
   */
  accepted(): { readonly unit: number; readonly pattern: EventPattern } | undefined {
    const { pending, time, early } = this.coupling;
    if (this.expected?.time === time) pending.add(this.expected.unit);
    if (early?.time === time && early.reason !== "threshold") pending.add(early.unit);
    this.expected = undefined;
    this.coupling.early = undefined;
    let found: { unit: number; pattern: EventPattern } | undefined;
    for (const unit of pending) {
      const pattern = this.note(unit, time);
      if (found === undefined || pattern.kind !== "none") found = { unit, pattern };
    }
    if (pending.size > 0) pending.clear();
    return found;
  }

  private note(unit: number, time: number): EventPattern {
    const progress = time - this.lastTimes[unit];
    this.stuck[unit] = progress > NO_INTERVAL * Math.abs(time) ? 0 : this.stuck[unit] + 1;
    this.lastTimes[unit] = time;
    const { maxEventRounds } = this.coupling.plan.settings;
    if (this.stuck[unit] < maxEventRounds) return this.watches[unit].note(time);
    throw new UnitError({
      unit: this.coupling.unitName(unit),
      call: "advance",
      status: `${maxEventRounds} events one after the other without getting beyond t=${time}: its events have a limit that no step passes; let it come to rest there, or stop the run before`,
      time,
      log: [],
    });
  }

  /** For checkpoints. */
  save(): Float64Array[] {
    const stuck = Float64Array.from(this.stuck);
    return [this.lastTimes.slice(), stuck, ...this.watches.map((watch) => watch.save())];
  }

  restore(parts: readonly Float64Array[]): void {
    const [times, stuck, ...watches] = parts;
    this.lastTimes.set(times);
    this.stuck.set(stuck);
    this.watches.forEach((watch, u) => {
      watch.restore(watches[u]);
    });
  }
}
