/**
 * Intervals of the clocks of an FMI 3 instance.
 */
import type { ClockServices } from "../../unit/unit.ts";
import type { FmiInstance } from "./fmi-instance.ts";
import type { FMI3_CALLS } from "./fmi3-version.ts";
import { float64s, int32s } from "./native-memory.ts";

/** Whether a clock's interval is to be taken over now. */
export type IntervalQualifier = "not-yet-known" | "unchanged" | "changed";

export interface ClockInterval {
  readonly seconds: number;
  readonly qualifier: IntervalQualifier;
}

/** No qualifier: it stands where the FMU has to write one. */
const UNWRITTEN = -1;
const QUALIFIERS: readonly IntervalQualifier[] = ["not-yet-known", "unchanged", "changed"];

export class NativeClocks implements ClockServices {
  private readonly fmi: FmiInstance<typeof FMI3_CALLS>;

  constructor(fmi: FmiInstance<typeof FMI3_CALLS>) {
    this.fmi = fmi;
  }

  getIntervals(clocks: readonly number[]): ClockInterval[] {
    const fmi = this.fmi;
    const count = clocks.length;
    fmi.scratch.begin(16 * count + 64);
    const references = fmi.references(clocks);
    const seconds = fmi.scratch.take(8 * count);
    const qualifiers = fmi.scratch.take(4 * count);
    const written = int32s(qualifiers, count).fill(UNWRITTEN);
    const call = "fmi3GetIntervalDecimal";
    fmi.invoke(call, references, count, seconds.address, qualifiers.address);
    return Array.from(float64s(seconds, count), (value, i) => ({
      seconds: value,
      qualifier: QUALIFIERS[written[i]] ?? fmi.failUnwritten(call, "qualifier for every interval"),
    }));
  }

  setIntervals(clocks: readonly number[], seconds: readonly number[]): void {
    const fmi = this.fmi;
    fmi.scratch.begin(12 * clocks.length + 64);
    const references = fmi.references(clocks);
    const values = fmi.doubles(Float64Array.from(seconds));
    fmi.invoke("fmi3SetIntervalDecimal", references, clocks.length, values);
  }
}
