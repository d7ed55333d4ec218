/**
 * Intervals of the clocks of an FMI 3 instance: as decimal numbers, or as fractions where its
 * library has nothing else.
 */
import type { ClockServices } from "../../unit/unit.ts";
import { type FmiInstance, isFine } from "./fmi-instance.ts";
import type { FMI3_CALLS } from "./fmi3-version.ts";
import { type Block, float64s, int32s } from "./native-memory.ts";

/** Whether a clock's interval is to be taken over now. */
export type IntervalQualifier = "not-yet-known" | "unchanged" | "changed";

export interface ClockInterval {
  readonly seconds: number;
  readonly qualifier: IntervalQualifier;
}

type IntervalCall = "fmi3GetIntervalDecimal" | "fmi3GetIntervalFraction";

interface Asked {
  readonly call: IntervalCall;
  readonly status: number;
  readonly seconds: (index: number) => number;
  readonly qualifiers: Int32Array;
}

/** No qualifier: it stands where the FMU has to write one. */
const UNWRITTEN = -1;
const QUALIFIERS: readonly IntervalQualifier[] = ["not-yet-known", "unchanged", "changed"];

export class NativeClocks implements ClockServices {
  private readonly fmi: FmiInstance<typeof FMI3_CALLS>;
  private call: IntervalCall | undefined;

  constructor(fmi: FmiInstance<typeof FMI3_CALLS>) {
    this.fmi = fmi;
  }

  getIntervals(clocks: readonly number[]): ClockInterval[] {
    const { call, status, seconds, qualifiers } = this.ask(clocks);
    this.fmi.settle(call, status);
    return clocks.map((_, i) => ({
      seconds: seconds(i),
      qualifier:
        QUALIFIERS[qualifiers[i]] ?? this.fmi.failUnwritten(call, "qualifier for every interval"),
    }));
  }

  /**
   * The same where the FMU may refuse. @returns the status; where it is fine, `take` got every
   * interval.
   */
  tryIntervals(
    clocks: readonly number[],
    take: (interval: ClockInterval, clock: number) => void,
  ): number {
    const { status, seconds, qualifiers } = this.ask(clocks);
    if (!isFine(status)) return status;
    clocks.forEach((clock, i) => {
      take({ seconds: seconds(i), qualifier: QUALIFIERS[qualifiers[i]] ?? "not-yet-known" }, clock);
    });
    return status;
  }

  private ask(clocks: readonly number[]): Asked {
    const { fmi } = this;
    const count = clocks.length;
    const call = this.intervalCall();
    fmi.scratch.begin(24 * count + 64);
    const references = fmi.references(clocks);
    const first = fmi.scratch.take(8 * count);
    const second = call === "fmi3GetIntervalFraction" ? fmi.scratch.take(8 * count) : undefined;
    const qualifiers = fmi.scratch.take(4 * count);
    const written = int32s(qualifiers, count).fill(UNWRITTEN);
    const numbers = second === undefined ? [first.address] : [first.address, second.address];
    const status = fmi.calls[call](fmi.handle, references, count, ...numbers, qualifiers.address);
    const seconds =
      second === undefined
        ? (i: number) => float64s(first, count)[i]
        : (i: number) => Number(uint64s(first, count)[i]) / Number(uint64s(second, count)[i]);
    return { call, status, seconds, qualifiers: written };
  }

  private intervalCall(): IntervalCall {
    this.call ??=
      !this.fmi.has("fmi3GetIntervalDecimal") && this.fmi.has("fmi3GetIntervalFraction")
        ? "fmi3GetIntervalFraction"
        : "fmi3GetIntervalDecimal";
    return this.call;
  }

  setIntervals(clocks: readonly number[], seconds: readonly number[]): void {
    const fmi = this.fmi;
    fmi.scratch.begin(12 * clocks.length + 64);
    const references = fmi.references(clocks);
    const values = fmi.doubles(Float64Array.from(seconds));
    fmi.invoke("fmi3SetIntervalDecimal", references, clocks.length, values);
  }
}

function uint64s({ buffer, offset }: Block, count: number): BigUint64Array {
  return new BigUint64Array(buffer, offset, count);
}
