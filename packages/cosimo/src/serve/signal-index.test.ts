/**
 * What is drawn of long signals: held against all rows.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeColumns, encodeColumns } from "./columns.ts";
import { type RowSource, SignalIndex } from "./signal-index.ts";

/** Rows in memory, of which more and more are there. */
function rowsOf(
  time: Float64Array,
  columns: readonly Float64Array[],
): RowSource & { there: number } {
  const source = {
    there: time.length,
    names: columns.map((_, c) => `c${c}`),
    count: () => source.there,
    read(column: number, first: number, target: Float64Array) {
      const from = column < 0 ? time : (columns[column] as Float64Array);
      target.set(from.subarray(first, first + target.length));
    },
  };
  return source;
}

const turn = async (): Promise<void> => undefined;

const signal = (rows: number, seed: number): Float64Array => {
  let state = seed | 1;
  return Float64Array.from({ length: rows }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    if ((state & 1023) === 5) return Number.NaN;
    return (state & 4095) === 7 ? 1e6 * Math.sign(state) : state / 2 ** 31;
  });
};

/** Lowest and highest of rows whose times are strictly between. */
function extremes(values: Float64Array, from: number, to: number): [number, number] {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let r = from; r < to; r++) {
    const value = values[r] as number;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return [low, high];
}

describe("signals that are drawn", () => {
  it("[SV15] no extreme is lost at any zoom, however the rows came", async () => {
    const runs = process.env["COSIMO_ALL_CASES"] ? 300 : 40;
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 40_000 }),
        fc.integer(),
        fc.tuple(
          fc.double({ min: 0, max: 1, noNaN: true }),
          fc.double({ min: 0, max: 1, noNaN: true }),
        ),
        fc.integer({ min: 2, max: 3000 }),
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 4 }),
        async (rows, seed, window, points, growth) => {
          const time = Float64Array.from({ length: rows }, (_, r) => r / 8);
          const columns = [signal(rows, seed), signal(rows, seed + 1)];
          const source = rowsOf(time, columns);
          const index = new SignalIndex(source);
          for (const part of growth.toSorted()) {
            source.there = Math.floor(part * rows);
            await index.prepare(["c1"], turn);
          }
          source.there = rows;
          await index.prepare(["c0", "c1"], turn);
          const [from, to] = window
            .map((part) => Math.floor(part * rows))
            .toSorted((a, b) => a - b);
          const [first, last] = [from as number, Math.min(rows - 1, to as number)];
          const made = index.query({
            of: "x",
            signals: ["c0", "c1", "unknown"],
            from: time[first] as number,
            to: time[last] as number,
            points,
          });
          expect(made.head.signals).toEqual(["c0", "c1"]);
          expect(made.head.length).toBeLessThanOrEqual(Math.max(4 * points, 8));
          for (let i = 1; i < made.time.length; i++)
            expect((made.time[i] as number) >= (made.time[i - 1] as number)).toBe(true);
          for (const [c, column] of columns.entries()) {
            const [low, high] = extremes(column, first, last + 1);
            const [drawnLow, drawnHigh] = extremes(
              made.values[c] as Float64Array,
              0,
              made.head.length,
            );
            // One row more may be drawn on either side.
            const [widerLow, widerHigh] = extremes(
              column,
              Math.max(0, first - 1),
              Math.min(rows, last + 2),
            );
            expect(drawnLow <= low && drawnLow >= widerLow).toBe(true);
            expect(drawnHigh >= high && drawnHigh <= widerHigh).toBe(true);
          }
        },
      ),
      { numRuns: runs },
    );
  });

  it("[SV15] few rows are drawn as they are", async () => {
    const time = Float64Array.of(0, 1, 1, 2);
    const index = new SignalIndex(rowsOf(time, [Float64Array.of(5, 6, Number.NaN, 8)]));
    await index.prepare(["c0"], turn);
    const made = index.query({ of: "x", signals: ["c0"], points: 100 });
    expect(made.head).toEqual({
      of: "x",
      signals: ["c0"],
      length: 4,
      rows: 4,
      rowsInRange: 4,
      isDecimated: false,
    });
    expect([...(made.values[0] as Float64Array)]).toEqual([5, 6, Number.NaN, 8]);
    expect(index.newest(["c0", "none"])).toEqual({ c0: 8 });
  });

  it("[SV15] the last seconds move with the rows", async () => {
    const time = Float64Array.from({ length: 1000 }, (_, r) => r);
    const source = rowsOf(time, [time]);
    const index = new SignalIndex(source);
    source.there = 500;
    const seen = (): [number, number] => {
      const { time: drawn } = index.query({ of: "x", signals: ["c0"], points: 100, last: 20 });
      return [drawn[0] as number, drawn.at(-1) as number];
    };
    expect(seen()).toEqual([478, 499]);
    source.there = 1000;
    expect(seen()).toEqual([978, 999]);
  });

  it("columns survive the way, names in every script too", () => {
    const columns = {
      head: {
        of: "run",
        plot: 3,
        signals: ["größe", "水.位", 'a"b\\'],
        length: 2,
        rows: 10,
        rowsInRange: 5,
        isDecimated: true,
        texts: { größe: ["an", "aus"] },
      },
      time: Float64Array.of(0, 1),
      values: [Float64Array.of(1, 2), Float64Array.of(Number.NaN, -0), Float64Array.of(1e300, 3)],
    };
    expect(decodeColumns(encodeColumns(columns).buffer)).toEqual(columns);
  });
});
