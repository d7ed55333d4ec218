/**
 * What an FMU for Scheduled Execution may call while one of its partitions is computed. It says
 * that something about its clocks is new, which is then asked for at once, as the standard wants
 * it; and it guards itself against preemption, which there is none of: partitions are computed one
 * after the other.
 *
 * Some exporters never call us and expect to be asked about countdowns after every activation. So
 * an FMU that has not called yet is asked then, and what it answers to a question that it did not
 * invite is no reason to give up.
 */
import koffi from "koffi";
import type { UnitDescription } from "../../model/unit-description.ts";
import type { ClockNews } from "../../unit/scheduled-unit.ts";
import type { NativeClocks } from "./clock-services.ts";
import { inOwnState } from "./float-guard.ts";
import { type FmiInstance, isFine } from "./fmi-instance.ts";
import type { FMI3_CALLS } from "./fmi3-version.ts";
import { type Address, bytesOf } from "./native-memory.ts";

const UPDATE = koffi.pointer(koffi.proto("void", ["void *"]));
const LOCK = koffi.pointer(koffi.proto("void", []));
const NOTHING: ClockNews = { ticks: [], countdowns: new Map() };

export class ScheduledCallbacks {
  readonly clockUpdate: Address;
  readonly lock: Address;
  private readonly registered: readonly bigint[];
  private readonly fmi: FmiInstance<typeof FMI3_CALLS>;
  private readonly clocks: NativeClocks;
  private readonly outputs: readonly number[];
  private readonly countdowns: readonly number[];
  private ticks: number[] = [];
  private intervals = new Map<number, number>();
  private thrown: { readonly error: unknown } | undefined;
  private hasCalled = false;
  private isComputing = false;
  /** It called where it must not, and is asked when it may be. */
  private isAskedLater = false;
  private mayAsk = true;

  constructor(
    fmi: FmiInstance<typeof FMI3_CALLS>,
    clocks: NativeClocks,
    { ports }: UnitDescription,
  ) {
    this.fmi = fmi;
    this.clocks = clocks;
    const indices = (direction: string, isOf: (interval: string) => boolean): number[] =>
      ports
        .filter((port) => port.direction === direction && port.clock && isOf(port.clock.interval))
        .map(({ index }) => index);
    this.outputs = indices("output", () => true);
    this.countdowns = indices("input", (interval) => interval === "countdown");
    const update = koffi.register(() => this.update(), UPDATE);
    const lock = koffi.register(() => undefined, LOCK);
    this.registered = [update, lock];
    this.clockUpdate = Number(update);
    this.lock = Number(lock);
  }

  close(): void {
    for (const callback of this.registered) koffi.unregister(callback);
  }

  /** Computes a partition, or ends initialization: calls that the FMU may call us from. */
  during(compute: () => void): void {
    this.isComputing = true;
    try {
      compute();
    } finally {
      this.isComputing = false;
    }
  }

  /** After a call. @throws what was thrown inside of a callback. */
  take(): ClockNews {
    const { thrown } = this;
    this.thrown = undefined;
    if (thrown !== undefined) throw thrown.error;
    if (this.isAskedLater || !this.hasCalled) this.askUninvited();
    if (this.ticks.length === 0 && this.intervals.size === 0) return NOTHING;
    const news = { ticks: this.ticks, countdowns: this.intervals };
    this.ticks = [];
    this.intervals = new Map();
    return news;
  }

  private update(): void {
    this.hasCalled = true;
    this.isAskedLater ||= !this.isComputing;
    if (this.thrown !== undefined || !this.isComputing) return;
    const { lastCall } = this.fmi;
    const inside = lastCall?.[0] ?? 0;
    try {
      inOwnState(() => this.ask());
    } catch (error) {
      this.thrown = { error };
    }
    // The FMU goes on with the call that it is in.
    if (lastCall !== undefined) lastCall[0] = inside;
  }

  private ask(): void {
    this.askIntervals();
    const count = this.outputs.length;
    if (count === 0) return;
    const { fmi } = this;
    fmi.scratch.begin(8 * count + 64);
    const references = fmi.references(this.outputs);
    const values = fmi.scratch.take(count);
    bytesOf(values).fill(0);
    fmi.invoke("fmi3GetClock", references, count, values.address);
    this.outputs.forEach((clock, i) => {
      if (bytesOf(values)[i] !== 0 && !this.ticks.includes(clock)) this.ticks.push(clock);
    });
  }

  private askIntervals(): void {
    if (this.countdowns.length === 0) return;
    this.clocks.getIntervals(this.countdowns).forEach(({ seconds, qualifier }, i) => {
      if (qualifier === "changed") this.intervals.set(this.countdowns[i], seconds);
    });
  }

  private askUninvited(): void {
    this.isAskedLater = false;
    if (this.countdowns.length === 0 || !this.mayAsk) return;
    const status = this.clocks.tryIntervals(this.countdowns, ({ seconds, qualifier }, clock) => {
      if (qualifier === "changed") this.intervals.set(clock, seconds);
    });
    this.mayAsk = isFine(status);
  }
}
