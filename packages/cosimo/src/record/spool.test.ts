import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { makeBanks, type ObjectValue } from "../model/value-type.ts";
import {
  type Chunk,
  makeSpoolWriter,
  readChunk,
  rowCounter,
  rowsPerChunk,
  type SpoolHost,
  type SpoolLayout,
} from "./spool.ts";
import type { ColumnInfo } from "./trace.ts";

const LAYOUT: SpoolLayout = { f64: 2, i64: 1, obj: 2 };
const COLUMNS: ColumnInfo[] = [
  { name: "x", type: "float64" },
  { name: "b", type: "boolean" },
  { name: "n", type: "int64" },
  { name: "s", type: "string" },
  { name: "raw", type: "binary" },
];
const SLOTS = [0, 1, 0, 0, 1];

function memoryHost(
  chunkBytes: number,
): SpoolHost & { chunks: Uint8Array[]; objects: ObjectValue[] } {
  const chunks: Uint8Array[] = [];
  const objects: ObjectValue[] = [];
  return {
    chunks,
    objects,
    nextChunk(): Chunk {
      const bytes = new Uint8Array(chunkBytes);
      chunks.push(bytes);
      return { bytes, close: () => undefined };
    },
    appendObject: (value) => void objects.push(value),
  };
}

describe("spool", () => {
  it("[SP2] gives back every value type, over any number of chunks", () => {
    const row = fc.record({
      time: fc.double({ noNaN: true }),
      x: fc.double(),
      b: fc.boolean(),
      n: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      s: fc.string(),
      raw: fc.uint8Array({ maxLength: 4 }),
    });
    fc.assert(
      fc.property(
        fc.array(row, { maxLength: 40 }),
        fc.integer({ min: 1, max: 7 }),
        (rows, perChunk) => {
          const host = memoryHost(8 * (1 + perChunk * 6));
          const writer = makeSpoolWriter(LAYOUT, host);
          const banks = makeBanks(LAYOUT);
          for (const r of rows) {
            banks.f64.set([r.x, r.b ? 1 : 0]);
            banks.i64[0] = r.n;
            banks.obj[0] = r.s;
            banks.obj[1] = r.raw;
            writer.write(r.time, banks);
          }
          writer.close();
          const chunks = host.chunks.map((bytes) =>
            readChunk(bytes, LAYOUT, COLUMNS, SLOTS, host.objects),
          );
          const column = (c: number) =>
            chunks.flatMap((chunk) => [
              ...(chunk.data[c] as ArrayLike<unknown> & Iterable<unknown>),
            ]);
          expect(writer.rows).toBe(rows.length);
          expect(host.chunks.length).toBe(Math.ceil(rows.length / perChunk));
          expect(chunks.flatMap((chunk) => [...chunk.time])).toEqual(rows.map((r) => r.time));
          expect(column(0)).toEqual(rows.map((r) => r.x));
          expect(column(1)).toEqual(rows.map((r) => (r.b ? 1 : 0)));
          expect(column(2)).toEqual(rows.map((r) => r.n));
          expect(column(3)).toEqual(rows.map((r) => r.s));
          expect(column(4)).toEqual(rows.map((r) => r.raw));
        },
      ),
      { seed: 7 },
    );
  });

  it("[SP1] shows a row to a reader as soon as it is written, without any close", () => {
    const host = memoryHost(1024);
    const writer = makeSpoolWriter({ f64: 1, i64: 0, obj: 0 }, host);
    const banks = makeBanks({ f64: 1 });
    const read = () =>
      readChunk(host.chunks[0]!, { f64: 1, i64: 0, obj: 0 }, [COLUMNS[0]!], [0], []);
    banks.f64[0] = 3;
    writer.write(0.5, banks);
    expect([...read().time]).toEqual([0.5]);
    banks.f64[0] = 4;
    writer.write(1, banks);
    expect([...(read().data[0] as Float64Array)]).toEqual([3, 4]);
  });

  it("[SP2] writes an object that repeats only once", () => {
    const host = memoryHost(1024);
    const writer = makeSpoolWriter({ f64: 0, i64: 0, obj: 1 }, host);
    const banks = makeBanks({ obj: 1 });
    for (const value of ["on", "off", "on", new Uint8Array([1]), new Uint8Array([1]), "1"]) {
      banks.obj[0] = value;
      writer.write(0, banks);
    }
    expect(host.objects).toEqual(["on", "off", new Uint8Array([1]), "1"]);
  });

  it("[SP1] finds no rows in a chunk that could not be made, or whose count was damaged", () => {
    const layout = { f64: 1, i64: 0, obj: 0 };
    const read = (bytes: Uint8Array) => readChunk(bytes, layout, [COLUMNS[0]!], [0], []);
    expect(read(new Uint8Array(0)).time).toHaveLength(0);
    for (const [count, rows] of [
      [Number.NaN, 0],
      [-3, 0],
      [1.5, 0],
      [1e300, 0],
      // Without the second half of the counter, and with that of another number.
      [1, 0],
      [1 + rowCounter(2) - 2, 0],
      [rowCounter(3), 0],
      [rowCounter(0), 0],
      [rowCounter(1), 1],
      [rowCounter(2), 2],
    ] as const)
      expect(
        read(new Uint8Array(new Float64Array([count, 0, 1, 0.1, 2]).buffer)).time,
      ).toHaveLength(rows);
  });

  it("refuses a chunk too small for a row", () => {
    expect(rowsPerChunk(LAYOUT, 16)).toBe(0);
    const writer = makeSpoolWriter(LAYOUT, memoryHost(16));
    expect(() => writer.write(0, makeBanks(LAYOUT))).toThrow(/does not fit/);
  });
});
