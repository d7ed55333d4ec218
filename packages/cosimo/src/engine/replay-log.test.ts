/**
 * The log of calls on a unit that cannot save its state: what is made again on a new instance is
 * what was done, arrays and rare types included.
 */
import { describe, expect, it } from "vitest";
import { type Banks, makeBanks } from "../model/value-type.ts";
import { copyBanks } from "../unit/banks.ts";
import { BaseUnit } from "../unit/base-unit.ts";
import { ByteReader } from "../unit/bytes.ts";
import { describeUnit, makePorts } from "../unit/port-spec.ts";
import type { Predicate, Stop } from "../unit/predicate.ts";
import type { Access } from "../unit/unit.ts";
import { LoggedUnit } from "./replay-log.ts";
import { CallLog, replayCalls } from "./replay-log-calls.ts";

const SLOTS = [
  { port: 0, slot: 1 },
  { port: 1, slot: 0 },
  { port: 2, slot: 1 },
  { port: 3, slot: 4 },
];

/**
 * Writes down every call that moves it. Inputs: two reals, two 64-bit integers, two texts, one more
 * real; output: calls so far.
 */
class Recorder extends BaseUnit {
  readonly calls: string[] = [];

  constructor() {
    const ports = makePorts("recorder", [
      {
        direction: "input",
        ports: {
          x: { shape: [2], start: [0, 0] },
          n: { type: "int64", shape: [2], start: [0n, 0n] },
          s: { type: "string", shape: [2], start: ["", ""] },
          u: {},
        },
      },
      { direction: "output", ports: { count: { feedThrough: [] } } },
    ]);
    super(
      "recorder",
      describeUnit({ name: "recorder" }, ports, {
        rollback: true,
        inputDerivativeOrder: 1,
        predicates: ["event"],
      }),
    );
  }

  protected override evaluate(): void {}

  protected override proceed(from: number, bound: number): Stop {
    const { f64, i64, obj } = this.store;
    const values = [f64[0], f64[1], i64[0], i64[1], obj[0], obj[1], f64[2]].join(" ");
    this.calls.push(`${from}..${bound}: ${values}; slope ${this.slopes[2]}`);
    f64[3]++;
    return this.stopAt("time", -1, bound);
  }
}

function started(): Recorder {
  const unit = new Recorder();
  unit.enterInitialization({ start: 0 });
  unit.exitInitialization();
  return unit;
}

const until = (time: number): Predicate => ({ kind: "time", time });

/** Banks with room around what is bound, so that a wrong place shows. */
function inputs(x: number[], n: bigint[], s: string[], u: number): Banks {
  const banks = makeBanks({ f64: 6, i64: 3, obj: 4 });
  banks.f64.fill(-99);
  banks.i64.fill(-99n);
  banks.obj.fill("wrong");
  banks.f64.set(x, 1);
  banks.i64.set(n, 0);
  banks.obj.splice(1, 2, ...s);
  banks.f64[4] = u;
  return banks;
}

/** Does something to a unit that covers every kind of call. */
function drive(unit: LoggedUnit): void {
  const access = unit.bind(SLOTS);
  const single = unit.bind([{ port: 3, slot: 0 }]);
  const first = inputs([1, 2], [3n, 4n], ["a", "b"], 5);
  unit.write(access, first);
  unit.advance(0, until(1));
  unit.write(access, first);
  unit.advance(1, until(2));
  // One element of each type, the last one, is another.
  for (const changed of [
    inputs([1, 20], [3n, 4n], ["a", "b"], 5),
    inputs([1, 20], [3n, 40n], ["a", "b"], 5),
    inputs([1, 20], [3n, 40n], ["a", "c"], 5),
  ]) {
    unit.write(access, changed);
    unit.setInputDerivatives([3], [1], Float64Array.of(0.5));
    unit.advance(timeOf(unit), until(timeOf(unit) + 0.5));
  }
  unit.write(single, { ...makeBanks({ f64: 1 }), f64: Float64Array.of(7) });
  unit.advance(timeOf(unit), { kind: "or", any: [until(5), { kind: "event", port: -1 }] });
}

const times = new WeakMap<LoggedUnit, Recorder>();
function timeOf(unit: LoggedUnit): number {
  const last = times.get(unit)?.calls.at(-1) ?? "..0:";
  return Number(last.slice(last.indexOf("..") + 2, last.indexOf(":")));
}

function logged(stored?: Uint8Array): { unit: LoggedUnit; inner: Recorder } {
  const inner = started();
  const unit = new LoggedUnit(inner, stored);
  times.set(unit, inner);
  return { unit, inner };
}

describe("a log of calls", () => {
  it("[CK7] makes the same calls with the same values on a new instance", () => {
    const { unit, inner } = logged();
    drive(unit);
    const shown = unit.shown();
    const log = unit.takeLog();
    expect(log.length).toBe(unit.logLength);
    const again = logged(log);
    again.unit.replay(log.length, shown);
    expect(again.inner.calls).toEqual(inner.calls);
    expect(inner.calls[0]).toBe("0..1: 1 2 3 4 a b 5; slope 0");
    expect(inner.calls[4]).toBe("3..3.5: 1 20 3 40 a c 5; slope 0.5");
    expect(inner.calls.at(-1)).toBe("3.5..5: 1 20 3 40 a c 7; slope 0.5");
  });

  it("[CK6] notes values that did not change as such, and those that did with their values", () => {
    const log = new CallLog(started().description);
    const access = started().bind(SLOTS) as Access;
    const lengthOf = (banks: Banks): number => {
      const before = log.length;
      log.write(access, banks);
      return log.length - before;
    };
    const banks = inputs([1, 2], [3n, 4n], ["a", "b"], 5);
    const first = lengthOf(banks);
    const AGAIN = 1 + 4;
    expect(lengthOf(copyBanks(banks))).toBe(AGAIN);
    const places: ((changed: Banks) => void)[] = [
      (changed) => changed.f64.fill(9, 1, 2),
      (changed) => changed.f64.fill(9, 2, 3),
      (changed) => changed.i64.fill(9n, 0, 1),
      (changed) => changed.i64.fill(9n, 1, 2),
      (changed) => changed.obj.splice(1, 1, "x"),
      (changed) => changed.obj.splice(2, 1, "x"),
      (changed) => changed.f64.fill(9, 4, 5),
    ];
    for (const change of places) {
      const changed = copyBanks(banks);
      change(changed);
      const length = lengthOf(changed);
      expect(length, String(change)).toBeGreaterThan(AGAIN);
      expect(length).toBeLessThan(first);
      expect(lengthOf(changed)).toBe(AGAIN);
      lengthOf(banks);
    }
    // What is not bound does not count.
    const outside = copyBanks(banks);
    outside.f64[0] = 1;
    outside.i64[2] = 1n;
    outside.obj[0] = "other";
    expect(lengthOf(outside)).toBe(AGAIN);
  });

  it("[CK6] forgets what was rolled back", () => {
    const { unit, inner } = logged();
    unit.advance(0, until(1));
    const saved = unit.save();
    const length = unit.logLength;
    unit.write(unit.bind(SLOTS), inputs([1, 2], [3n, 4n], ["a", "b"], 5));
    unit.advance(1, until(2));
    unit.restore(saved);
    expect(unit.logLength).toBe(length);
    unit.advance(1, until(3));
    const log = unit.takeLog();
    const again = started();
    replayCalls(again, new ByteReader(log), 0);
    expect(again.calls).toEqual([inner.calls[0], inner.calls[2]]);
  });

  it("[CK7] is refused where it is not whole, begins otherwise, or leads elsewhere", () => {
    const { unit } = logged();
    drive(unit);
    const shown = unit.shown();
    const log = unit.takeLog();
    expect(() => logged(log.subarray(1)).unit.replay(log.length, shown)).toThrow(/is not whole/);
    const other = logged(log);
    other.unit.write(other.unit.bind(SLOTS), inputs([9, 9], [3n, 4n], ["a", "b"], 5));
    expect(() => other.unit.replay(log.length, shown)).toThrow(/its first inputs are not those/);
    const elsewhere = { ...shown, f64: shown.f64.map((value) => value + 1) };
    expect(() => logged(log).unit.replay(log.length, elsewhere)).toThrow(/outputs are others/);
  });
});
