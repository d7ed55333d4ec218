import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bytesPerCall } from "../numerics/testing/bytes-per-call.ts";
import { makePorts, type PortSpecs } from "./port-spec.ts";
import type { Predicate } from "./predicate.ts";
import { makeInputSignals, type SignalColumn } from "./signal-source.ts";
import { type TableModel, tableUnit } from "./table-unit.ts";
import { unitContract } from "./testing/contract.ts";
import { advanceTo, getNumber, getValues, startUnit } from "./testing/drive.ts";
import { expectNoAllocation } from "./testing/internal/allocation.ts";

/** A ramp that jumps from 2 to 5 at t = 2, a gear that is shifted at 1 and 3, and a word. */
const TABLE: TableModel = {
  name: "table",
  time: Float64Array.of(0, 1, 2, 2, 4),
  outputs: {
    ramp: { values: Float64Array.of(0, 1, 2, 5, 7), unit: "m" },
    gear: { type: "int32", values: Float64Array.of(1, 2, 2, 2, 3) },
    big: { type: "int64", values: BigInt64Array.of(1n, 1n, 1n, 2n ** 60n, 1n) },
    word: { type: "string", values: ["a", "b", "b", "c", "d"] },
    pair: { shape: [2], values: [Float64Array.of(0, 1, 2, 2, 4), Float64Array.of(9, 9, 9, 9, 9)] },
  },
};
const ramp = (t: number): number => (t < 2 ? Math.max(t, 0) : Math.min(3 + t, 7));

unitContract("a table unit", {
  open: () => tableUnit(TABLE),
  step: 0.375,
  behaviour: { port: "ramp", at: ramp, tolerance: 1e-15 },
  updated: { port: "gear", time: 1, timeTolerance: 0, value: 2 },
  event: { port: "ramp", time: 2, timeTolerance: 0, value: 5 },
});

describe("table units", () => {
  it("[UN62] interpolate, hold, and take the later of two rows that share a time", () => {
    const unit = tableUnit(TABLE);
    startUnit(unit, { start: -1 });
    const rows = [-0.5, 0.5, 1, 2, 3.5, 4, 9].map((t, i, times) => {
      advanceTo(unit, i === 0 ? -1 : times[i - 1], t);
      return [t, ...["ramp", "gear", "big", "word"].map((name) => getValues(unit, name)[0])];
    });
    expect(rows).toEqual([
      [-0.5, 0, 1, 1n, "a"],
      [0.5, 0.5, 1, 1n, "a"],
      [1, 1, 2, 1n, "b"],
      [2, 5, 2, 2n ** 60n, "c"],
      [3.5, 6.5, 2, 2n ** 60n, "c"],
      [4, 7, 3, 1n, "d"],
      [9, 7, 3, 1n, "d"],
    ]);
    expect(getValues(unit, "pair")).toEqual([4, 9]);
  });

  it("[UN23] stop at every event of any port, and report the condition when it coincides with the bound", () => {
    const unit = tableUnit(TABLE);
    startUnit(unit);
    const until: Predicate = {
      kind: "or",
      any: [
        { kind: "time", time: 4 },
        { kind: "event", port: -1 },
      ],
    };
    const stops: string[] = [];
    for (let t = 0; t < 4; ) {
      const { reason, time } = unit.advance(t, until);
      stops.push(`${reason}@${time}`);
      t = time;
    }
    expect(stops).toEqual(["event@1", "event@2", "event@4"]);
  });

  it("[UN62] say that a continuous column with events is piecewise continuous", () => {
    const { ports } = tableUnit(TABLE).description;
    expect(ports.map(({ nature }) => nature).slice(0, 2)).toEqual([
      "piecewise-continuous",
      "piecewise-constant",
    ]);
  });

  it("[UN60] advance and read allocate nothing", () => {
    expectNoAllocation(tableUnit(TABLE), { output: "ramp", step: 1 / 65536 }, 96);
  });
});

describe("input signals", () => {
  const signalsOf = (
    specs: PortSpecs,
    time: readonly number[],
    columns: Record<number, readonly SignalColumn[]>,
  ): ReturnType<typeof makeInputSignals> =>
    makeInputSignals(
      makePorts("unit", [{ direction: "input", ports: specs }]),
      Float64Array.from(time),
      new Map(Object.entries(columns).map(([port, data]) => [Number(port), data])),
    );
  const signals = signalsOf({ unused: {}, u: {}, on: { type: "boolean" } }, [0, 1, 1, 3, 4], {
    1: [Float64Array.of(0, 2, 10, 14, 14)],
    2: [Float64Array.of(0, 0, 0, 1, 1)],
  });

  it("[UN62] know both sides of an event, and the slope from a time on", () => {
    const sample = (t: number, side: "before" | "after"): number[] => {
      signals.sample(t, side);
      return [...signals.banks.f64];
    };
    const slope = (t: number): number => {
      const out = new Float64Array(1);
      signals.slopes(t, out);
      return out[0];
    };
    expect(signals.slots).toEqual([
      { port: 1, slot: 0 },
      { port: 2, slot: 1 },
    ]);
    expect(signals.slopePorts).toEqual([1]);
    expect(sample(0.5, "before")).toEqual([1, 0]);
    expect(sample(1, "before")).toEqual([2, 0]);
    expect(sample(1, "after")).toEqual([10, 0]);
    expect(sample(3, "before")).toEqual([14, 0]);
    expect(sample(3, "after")).toEqual([14, 1]);
    expect(sample(-1, "after")).toEqual([0, 0]);
    expect(sample(99, "after")).toEqual([14, 1]);
    expect([-1, 0, 0.5, 1, 2.9, 3, 99].map(slope)).toEqual([0, 2, 2, 2, 2, 0, 0]);
  });

  it("[UN62] find the next event: rows that share a time, and changes of discrete columns", () => {
    expect([-1, 0, 1, 2.9, 3, 9].map((t) => signals.nextEventAfter(t))).toEqual([
      1,
      1,
      3,
      3,
      Number.POSITIVE_INFINITY,
      Number.POSITIVE_INFINITY,
    ]);
    expect(signals.nextEventAfter(0, 2)).toBe(3);
  });

  it("[UN62] give the same answers in any order of questions as a plain search does", () => {
    const question = fc.tuple(fc.integer({ min: -2, max: 22 }), fc.boolean());
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 12 }),
        fc.array(question, { minLength: 1, maxLength: 20 }),
        (gaps, questions) => {
          let t = 0;
          const time = gaps.map((gap) => {
            t += gap;
            return t;
          });
          const values = Float64Array.from(time, (_, i) => i * i);
          const column = signalsOf({ u: { variability: "discrete" } }, time, { 0: [values] });
          for (const [at, after] of questions) {
            column.sample(at, after ? "after" : "before");
            const passed = time.filter((row) => (after ? row <= at : row < at)).length;
            expect(column.banks.f64[0]).toBe(values[Math.max(passed - 1, 0)]);
          }
        },
      ),
      { seed: 62, numRuns: 200 },
    );
  });

  it("[UN37] convert columns where nothing is lost: a file does not know what type a port has", () => {
    const specs = { n: { type: "int64" }, text: { type: "string" }, x: {} } as const;
    const mixed = signalsOf(specs, [0], {
      0: [Float64Array.of(7)],
      1: [Float64Array.of(0.5)],
      2: [BigInt64Array.of(9n)],
    });
    mixed.sample(0, "after");
    const { i64, obj, f64 } = mixed.banks;
    expect([i64[0], obj[0], f64[0]]).toEqual([7n, "0.5", 9]);
  });

  it("refuse columns that do not fit the ports, and times that decrease", () => {
    const u = { u: {} };
    expect(() => signalsOf(u, [0, 1], { 0: [Float64Array.of(1)] })).toThrow("'u' must have 2");
    expect(() => signalsOf(u, [0], { 0: [] })).toThrow("'u' has 1 elements");
    expect(() => signalsOf(u, [0], { 0: [["x"]] })).toThrow("float64");
    const count = { n: { type: "int64" } } as const;
    expect(() => signalsOf(count, [0], { 0: [Float64Array.of(0.5)] })).toThrow("int64");
    expect(() => signalsOf(u, [1, 0], { 0: [Float64Array.of(1, 2)] })).toThrow("row 2");
    expect(() => signalsOf(u, [], { 0: [Float64Array.of()] })).toThrow("at least one row");
    expect(() => signalsOf(u, [0], { 4: [Float64Array.of(1)] })).toThrow("port 4");
  });

  it("[UN60] sampling allocates nothing", () => {
    let t = 0;
    expect(
      bytesPerCall(() => {
        t = t > 4 ? 0 : t + 0.001;
        signals.sample(t, "after");
      }),
    ).toBeLessThan(48);
  });
});

it("[UN65] a table goes back with its snapshot", () => {
  const unit = tableUnit(TABLE);
  startUnit(unit);
  advanceTo(unit, 0, 0.5);
  const bytes = unit.serialize(unit.save());
  advanceTo(unit, 0.5, 3);
  unit.restore(unit.deserialize(bytes));
  expect(getNumber(unit, "ramp")).toBe(0.5);
  expect(getValues(unit, "word")).toEqual(["a"]);
  expect(() => unit.deserialize(bytes.subarray(0, bytes.length - 1))).toThrow("truncated");
  expect(() => unit.deserialize(new Uint8Array(40))).toThrow("no header");
});
