/**
 * When the input clocks of a unit tick. A periodic clock ticks at counted multiples of its
 * interval, one whose interval changes is read again after every event, a triggered one ticks at
 * given times.
 */
import { areSameInstant, countedInstant } from "../base/instants.ts";
import type { Port } from "../model/unit-description.ts";
import type { ClockServices } from "../unit/unit.ts";

export interface ClockOptions {
  readonly services: ClockServices;
  /** Intervals that the user chose, seconds by port. */
  readonly intervals: ReadonlyMap<number, number>;
  /** Ticks of triggered clocks, ascending, by port. */
  readonly triggers: ReadonlyMap<number, readonly number[]>;
}

interface Periodic {
  readonly port: number;
  readonly interval: number;
  readonly first: number;
  count: number;
}

export class ClockSchedule {
  private readonly options: ClockOptions;
  private readonly periodic: Periodic[] = [];
  /** Next tick of clocks whose interval the unit changes. */
  private readonly announced = new Map<number, number>();
  private readonly triggers: {
    readonly port: number;
    readonly times: readonly number[];
    next: number;
  }[];
  private readonly clocks: readonly Port[];
  private readonly start: number;

  constructor(ports: readonly Port[], options: ClockOptions, start: number) {
    this.options = options;
    this.start = start;
    this.clocks = ports.filter((port) => port.direction === "input" && port.clock !== undefined);
    this.triggers = [...options.triggers].map(([port, times]) => ({
      port,
      times: times.filter((time) => time >= start),
      next: 0,
    }));
  }

  /** In initialization mode: the intervals that the driver chooses. */
  chooseIntervals(): void {
    const chosen = this.clocks.filter(({ index }) => this.options.intervals.has(index));
    if (chosen.length === 0) return;
    this.options.services.setIntervals(
      chosen.map(({ index }) => index),
      chosen.map(({ index }) => this.options.intervals.get(index)!),
    );
  }

  /** After initialization: periodic clocks begin, the others announce their first tick. */
  begin(): void {
    for (const { index: port, clock } of this.clocks) {
      if (
        clock!.interval !== "constant" &&
        clock!.interval !== "fixed" &&
        clock!.interval !== "tunable"
      )
        continue;
      const interval = this.options.intervals.get(port) ?? clock!.seconds ?? this.ask(port);
      if (interval !== undefined && interval > 0) {
        this.periodic.push({ port, interval, first: this.start + clock!.shift, count: 0 });
      }
    }
    this.askAgain(this.start);
  }

  /**
   * In event mode, at the end of an event: clocks with changing intervals announce their next tick.
   */
  askAgain(now: number): void {
    for (const { index: port, clock } of this.clocks) {
      if (clock!.interval !== "changing" && clock!.interval !== "countdown") continue;
      const interval = this.ask(port);
      if (interval !== undefined) this.announced.set(port, countedInstant(now, interval, 1));
    }
  }

  private ask(port: number): number | undefined {
    const [answer] = this.options.services.getIntervals([port]);
    return answer?.qualifier === "changed" ? answer.seconds : undefined;
  }

  /** The next tick of any clock, Infinity when there is none. */
  next(): number {
    let next = Number.POSITIVE_INFINITY;
    for (const { first, interval, count } of this.periodic)
      next = Math.min(next, countedInstant(first, interval, count));
    for (const time of this.announced.values()) next = Math.min(next, time);
    for (const { times, next: n } of this.triggers)
      next = Math.min(next, times[n] ?? Number.POSITIVE_INFINITY);
    return next;
  }

  /** The clocks that tick at `time`; they count as ticked. */
  take(time: number): number[] {
    const due: number[] = [];
    // Where the driver computed the time, it may lie beside the tick (3 * 0.1 and 0.3).
    const isLater = (tick: number): boolean => tick > time && !areSameInstant(tick, time);
    for (const clock of this.periodic) {
      if (isLater(countedInstant(clock.first, clock.interval, clock.count))) continue;
      clock.count++;
      due.push(clock.port);
    }
    for (const [port, at] of this.announced) {
      if (isLater(at)) continue;
      this.announced.delete(port);
      due.push(port);
    }
    for (const trigger of this.triggers) {
      if (isLater(trigger.times[trigger.next] ?? Number.POSITIVE_INFINITY)) continue;
      trigger.next++;
      due.push(trigger.port);
    }
    return due;
  }

  /** What is known of each clock, for checkpoints. */
  save(): Float64Array {
    return Float64Array.of(
      this.periodic.length,
      ...this.periodic.flatMap(({ port, interval, first, count }) => [
        port,
        interval,
        first,
        count,
      ]),
      ...this.triggers.map(({ next }) => next),
      ...[...this.announced].flat(),
    );
  }

  /** The opposite of `save`, on a schedule of the same clocks; it need not have begun. */
  restore(saved: Float64Array): void {
    let at = 1;
    this.periodic.length = 0;
    for (let k = 0; k < saved[0]; k++, at += 4) {
      const [port = 0, interval = 0, first = 0, count = 0] = saved.subarray(at, at + 4);
      this.periodic.push({ port, interval, first, count });
    }
    for (const trigger of this.triggers) trigger.next = saved[at++];
    this.announced.clear();
    for (; at < saved.length; at += 2) this.announced.set(saved[at], saved[at + 1]);
  }
}
