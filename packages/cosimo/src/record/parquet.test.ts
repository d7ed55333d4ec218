import fc from "fast-check";
import { parquetMetadata } from "hyparquet";
import { parquetWriteBuffer } from "hyparquet-writer";
import { describe, expect, it } from "vitest";
import { unwrap } from "../base/diagnostic.ts";
import { cases } from "../base/testing/cases.ts";
import type { ValueType } from "../model/value-type.ts";
import { encodeParquet, makeParquetWriter } from "./parquet.ts";
import { parseParquet } from "./parquet-read.ts";
import type { Column, Trace } from "./trace.ts";

const SEED = 20241;

function concat(parts: Iterable<Uint8Array>): Uint8Array {
  return Uint8Array.from([...parts].flatMap((part) => [...part]));
}

function trace(columns: readonly Column[], time: readonly number[]): Trace {
  return {
    meta: { title: "a run", entries: { step: "0.1", outcome: "completed at t=1" } },
    time: Float64Array.from(time),
    columns,
  };
}

async function roundTrip(of: Trace, rowGroupRows?: number): Promise<Trace> {
  const options = rowGroupRows === undefined ? {} : { rowGroupRows };
  return unwrap(await parseParquet(concat(encodeParquet(of, options)), "t.parquet"));
}

/** Edge values of every type. */
const EDGES: Record<ValueType, Column["data"]> = {
  float64: Float64Array.of(Number.NaN, -0, 5e-324),
  float32: Float64Array.of(Number.POSITIVE_INFINITY, Math.fround(0.1), -0),
  int8: Float64Array.of(-128, 0, 127),
  uint8: Float64Array.of(0, 1, 255),
  int16: Float64Array.of(-32768, 0, 32767),
  uint16: Float64Array.of(0, 1, 65535),
  int32: Float64Array.of(-2147483648, 0, 2147483647),
  uint32: Float64Array.of(0, 1, 4294967295),
  int64: BigInt64Array.of(-(2n ** 63n), 0n, 2n ** 63n - 1n),
  uint64: BigInt64Array.of(0n, 1n, -1n),
  boolean: Float64Array.of(0, 1, 0),
  clock: Float64Array.of(1, 0, 1),
  enumeration: Float64Array.of(1, 2, 3),
  string: ["", 'größe, "q"\n', "🙂"],
  binary: [new Uint8Array(0), Uint8Array.of(0, 255), Uint8Array.of(195)],
};

describe("Parquet", () => {
  it.each(Object.keys(EDGES) as ValueType[])("[RC11] keeps every bit of type %s", async (type) => {
    const columns = [{ name: "v", type, data: EDGES[type] }];
    const read = await roundTrip(trace(columns, [0, 1, 2]));
    expect(read.columns).toEqual(columns);
  });

  it("[RC11] says the types so that other tools know them", () => {
    const types = Object.keys(EDGES) as ValueType[];
    const columns = types.map((type) => ({ name: type, type, data: EDGES[type] }));
    const bytes = concat(encodeParquet(trace(columns, [0, 1, 2])));
    const { schema } = parquetMetadata(bytes.slice().buffer);
    const said = schema.slice(2).map((e) => `${e.name} ${e.type} ${e.converted_type ?? "-"}`);
    expect(said).toEqual([
      "float64 DOUBLE -",
      "float32 FLOAT -",
      "int8 INT32 INT_8",
      "uint8 INT32 UINT_8",
      "int16 INT32 INT_16",
      "uint16 INT32 UINT_16",
      "int32 INT32 INT_32",
      "uint32 INT32 UINT_32",
      "int64 INT64 INT_64",
      "uint64 INT64 UINT_64",
      "boolean BOOLEAN -",
      "clock BOOLEAN -",
      "enumeration INT64 -",
      "string BYTE_ARRAY UTF8",
      "binary BYTE_ARRAY -",
    ]);
    // Arrow refuses files with the encoder's INTEGER logical type.
    expect(schema.map((e) => e.logical_type?.type).filter((type) => type !== undefined)).toEqual([
      "STRING",
    ]);
  });

  it("[RC12] carries the run, the units and what is known of each column", async () => {
    const column: Column = {
      name: 'a.b["x"]',
      type: "float64",
      unit: "m/s",
      description: "a speed",
      stepwise: true,
      data: Float64Array.of(1),
    };
    const written = trace([column], [0]);
    expect(await roundTrip(written)).toEqual(written);
    const bytes = concat(encodeParquet(written));
    const pairs = parquetMetadata(bytes.slice().buffer).key_value_metadata;
    const units = pairs?.find(({ key }) => key === "cosimo.units")?.value;
    expect(JSON.parse(units ?? "")).toEqual({ time: "s", 'a.b["x"]': "m/s" });
  });

  it("[RC12] takes the metadata at the end, when it is known how the run ended", async () => {
    const writer = makeParquetWriter([]);
    const parts = [writer.write({ time: Float64Array.of(0), data: [] })];
    parts.push(writer.finish({ title: "late", entries: { outcome: "cancelled" } }));
    const read = unwrap(await parseParquet(concat(parts), "t.parquet"));
    expect(read.meta).toEqual({ title: "late", entries: { outcome: "cancelled" } });
  });

  it("[RC13] gives bytes whenever a row group is full, whatever the size of the chunks", async () => {
    const info = { name: "x", type: "float64" } as const;
    const writer = makeParquetWriter([info], { rowGroupRows: 4 });
    const buffer = new Float64Array(3);
    const parts: Uint8Array[] = [];
    for (let i = 0; i < 4; i++) {
      buffer.set([3 * i, 3 * i + 1, 3 * i + 2]);
      parts.push(writer.write({ time: buffer, data: [buffer] }));
    }
    expect(parts.map((part) => part.length > 4)).toEqual([false, true, true, true]);
    parts.push(writer.finish({ title: "", entries: {} }));
    const bytes = concat(parts);
    const groups = parquetMetadata(bytes.slice().buffer).row_groups;
    expect(groups.map((group) => Number(group.num_rows))).toEqual([4, 4, 4]);
    const read = unwrap(await parseParquet(bytes, "t.parquet"));
    expect([...read.time]).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    expect(read.columns[0]?.data).toEqual(read.time);
  });

  it("[RC13] states the range of a group's values, in the order of their type", () => {
    const columns: Column[] = [
      { name: "u", type: "uint32", data: EDGES.uint32 },
      { name: "v", type: "uint64", data: EDGES.uint64 },
      { name: "x", type: "float64", data: EDGES.float64 },
    ];
    const bytes = concat(encodeParquet(trace(columns, [0, 1, 2])));
    const chunks = parquetMetadata(bytes.slice().buffer).row_groups[0]!.columns;
    const stated = chunks.map(({ meta_data: meta }) => [
      meta?.statistics?.min_value,
      meta?.statistics?.max_value,
    ]);
    expect(stated).toEqual([
      [-0, 2],
      [0, 4294967295],
      [0n, 2n ** 64n - 1n],
      [-0, 5e-324],
    ]);
  });

  it("[RC14] is a readable file even without rows or columns", async () => {
    const columns = [{ name: "x", type: "float64", data: new Float64Array(0) }] as const;
    expect(await roundTrip(trace(columns, []))).toEqual(trace(columns, []));
    expect(await roundTrip(trace([], [0, 1]))).toEqual(trace([], [0, 1]));
  });

  it("[RC14] keeps columns that repeat a name or are called time", async () => {
    const columns = ["time", "x", "x"].map(
      (name, i): Column => ({ name, type: "float64", data: Float64Array.of(i) }),
    );
    expect((await roundTrip(trace(columns, [9]))).columns).toEqual(columns);
  });

  it("[RC15] reads back any doubles and names, over any row groups", async () => {
    const rows = fc.array(fc.tuple(fc.double(), fc.string({ unit: "grapheme" })), {
      maxLength: 20,
    });
    await fc.assert(
      fc.asyncProperty(
        rows,
        fc.string({ unit: "grapheme", minLength: 1 }),
        fc.integer({ min: 1, max: 7 }),
        async (values, name, rowGroupRows) => {
          const columns: Column[] = [
            { name, type: "float64", data: Float64Array.from(values, ([v]) => v) },
            { name: `${name}s`, type: "string", data: values.map(([, s]) => s) },
          ];
          const written = trace(
            columns,
            values.map((_, i) => i),
          );
          expect(await roundTrip(written, rowGroupRows)).toEqual(written);
        },
      ),
      { seed: SEED, numRuns: cases(100) },
    );
  });

  it("[RC16] explains files that are not traces instead of throwing", async () => {
    const good = concat(encodeParquet(trace([], [0, 1])));
    for (const bytes of [new Uint8Array(0), new Uint8Array(100), good.slice(0, -1)]) {
      const { value, diagnostics } = await parseParquet(bytes, "t.parquet");
      expect(value).toBeUndefined();
      expect(diagnostics.map(({ code }) => code)).toEqual(["parquet-unreadable"]);
    }
  });

  it("[RC16] reads foreign tables and leaves out what a trace cannot hold", async () => {
    const bytes = parquetWriteBuffer({
      columnData: [
        { name: "x", data: [1.5, null, 3], type: "DOUBLE", nullable: true },
        { name: "time", data: [0, 1, 1], type: "DOUBLE" },
        { name: "when", data: [new Date(0), new Date(1), new Date(2)], type: "TIMESTAMP" },
        { name: "n", data: [1n, null, 3n], type: "INT64", nullable: true },
        { name: "s", data: ["a", "b", "c"], type: "STRING" },
      ],
    });
    const { value, diagnostics } = await parseParquet(new Uint8Array(bytes), "t.parquet");
    expect(value?.time).toEqual(Float64Array.of(0, 1, 1));
    expect(value?.columns).toEqual([
      { name: "x", type: "float64", data: Float64Array.of(1.5, Number.NaN, 3) },
      { name: "s", type: "string", data: ["a", "b", "c"] },
    ]);
    expect(diagnostics.map(({ code, message }) => `${code} ${message.split("'")[1]}`)).toEqual([
      "parquet-column-skipped when",
      "parquet-column-skipped n",
    ]);
  });

  it("[RC16] refuses tables without a time that goes forward", async () => {
    const table = (name: string, data: (number | null)[]): Uint8Array =>
      new Uint8Array(
        parquetWriteBuffer({ columnData: [{ name, data, type: "DOUBLE", nullable: true }] }),
      );
    const codes = async (bytes: Uint8Array): Promise<string[]> =>
      (await parseParquet(bytes, "t.parquet")).diagnostics.map(({ code }) => code);
    expect(await codes(table("x", [1, 2]))).toEqual(["parquet-no-time"]);
    expect(await codes(table("time", [1, 0]))).toEqual(["parquet-time-order"]);
    expect(await codes(table("time", [1, null]))).toEqual(["parquet-time-order"]);
    expect(await codes(table("time", [1, 1, 2]))).toEqual([]);
  });

  it("[RC16] survives damaged files: a value or a diagnostic, never an exception", async () => {
    const columns: Column[] = [
      { name: "x", type: "float64", data: Float64Array.of(1, 2, 3) },
      { name: "s", type: "string", data: ["a", "b", "c"] },
    ];
    const good = concat(encodeParquet(trace(columns, [0, 1, 2])));
    const place = fc.integer({ min: 0, max: good.length - 1 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(place, fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 4 }),
        async (changes) => {
          const bytes = good.slice();
          for (const [at, byte] of changes) bytes[at] = byte;
          const { value, diagnostics } = await parseParquet(bytes, "t.parquet");
          expect(value !== undefined || diagnostics.length > 0).toBe(true);
        },
      ),
      { seed: SEED, numRuns: cases(500) },
    );
  });
});
