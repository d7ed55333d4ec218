/**
 * What a signal was a while ago. Samples are those of instants at which the unit stood; between two
 * of them a continuous signal is taken as linear, any other as held. Where two samples have one
 * time, the signal jumped there.
 */
import type { Banks } from "../model/value-type.ts";
import { isSameValue } from "../unit/banks.ts";
import type { ByteReader, ByteWriter } from "../unit/bytes.ts";

type Element = Banks["f64"][number] | Banks["i64"][number] | Banks["obj"][number];

interface Sample {
  readonly time: number;
  readonly values: readonly Element[];
}

export class DelayLine {
  private readonly seconds: number;
  private readonly bank: keyof Banks;
  private readonly count: number;
  readonly isContinuous: boolean;
  private samples: Sample[] = [];

  constructor(
    seconds: number,
    target: { readonly bank: keyof Banks; readonly count: number; readonly isContinuous: boolean },
  ) {
    this.seconds = seconds;
    this.bank = target.bank;
    this.count = target.count;
    this.isContinuous = target.isContinuous;
  }

  /** The signal at `time`, which is never before that of the last sample. */
  add(time: number, banks: Banks, slot: number): void {
    const values = Array.from({ length: this.count }, (_, i) => banks[this.bank][slot + i]);
    const last = this.samples.at(-1);
    const isKnown = last?.values.every((value, i) => isSameValue(value, values[i])) === true;
    if (isKnown && (last.time === time || !this.isContinuous)) return;
    this.samples.push({ time, values });
    // What is older than the last one that is needed for `time - seconds` is not needed any more.
    const needed = this.samples.findLastIndex((one) => one.time <= time - this.seconds);
    if (needed > 1) this.samples.splice(0, needed - 1);
  }

  /** When a held signal shows its next change, after `time`. */
  nextChange(time: number): number {
    if (this.isContinuous) return Number.POSITIVE_INFINITY;
    // The first sample is what is shown before anything else.
    const next = this.samples.find((one, k) => k > 0 && one.time + this.seconds > time);
    return next === undefined ? Number.POSITIVE_INFINITY : next.time + this.seconds;
  }

  /** Writes the signal of `time - seconds`; `banks` hold that of `time`. */
  put(time: number, tolerance: number, banks: Banks, slot: number): void {
    const then = time - this.seconds;
    const at = this.samples.findLastIndex((one) => one.time <= then + tolerance);
    const before = this.samples[Math.max(at, 0)];
    if (before === undefined) return;
    const after = this.samples[at + 1];
    for (let i = 0; i < this.count; i++) {
      const value = before.values[i];
      if (this.bank === "f64") {
        const end = after === undefined ? banks.f64[slot + i] : (after.values[i] as number);
        const span = (after?.time ?? time) - before.time;
        const part = this.isContinuous && at >= 0 && span > 0 ? (then - before.time) / span : 0;
        banks.f64[slot + i] = (value as number) + Math.max(0, part) * (end - (value as number));
      } else if (this.bank === "i64") banks.i64[slot + i] = value as bigint;
      else banks.obj[slot + i] = value as string;
    }
  }

  copy(): readonly Sample[] {
    return this.samples.slice();
  }

  restore(samples: readonly Sample[]): void {
    this.samples = samples.slice();
  }

  /** @param samples of a copy. */
  write(samples: readonly Sample[], bytes: ByteWriter): void {
    bytes.u32(samples.length);
    for (const { time, values } of samples) {
      bytes.f64(time);
      bytes.banks(this.banksOf(values));
    }
  }

  read(bytes: ByteReader): readonly Sample[] {
    return Array.from({ length: bytes.u32() }, () => {
      const time = bytes.f64();
      return { time, values: [...bytes.banks()[this.bank]] };
    });
  }

  private banksOf(values: readonly Element[]): Banks {
    const empty = { f64: new Float64Array(0), i64: new BigInt64Array(0), obj: [] };
    if (this.bank === "f64") return { ...empty, f64: Float64Array.from(values as number[]) };
    if (this.bank === "i64") return { ...empty, i64: BigInt64Array.from(values as bigint[]) };
    return { ...empty, obj: [...values] as Banks["obj"] };
  }
}
