import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { unwrap } from "../base/diagnostic.ts";
import { cases } from "../base/testing/cases.ts";
import { csvHeader, csvRows, encodeCsv } from "./csv.ts";
import { parseCsv } from "./csv-read.ts";
import { traceFormatOf } from "./formats.ts";
import type { Column, Trace } from "./trace.ts";

const SEED = 20240;

function trace(time: readonly number[], ...columns: Column[]): Trace {
  return { meta: { title: "t", entries: {} }, time: Float64Array.from(time), columns };
}

function reals(name: string, ...values: number[]): Column {
  return { name, type: "float64", data: Float64Array.from(values) };
}

function csv(of: Trace): string {
  return [...encodeCsv(of)].join("");
}

describe("CSV out", () => {
  it("[RC1] quotes every name, puts time first and doubles quotes inside names", () => {
    const columns = ["x", "A[2,1]", 'say "hi"', "two\nlines", "größe µ"].map((name) => reals(name));
    expect(csvHeader(columns)).toBe('"time","x","A[2,1]","say ""hi""","two\nlines","größe µ"\n');
  });

  it("[RC1] numbers columns that repeat a name, so that no two are called the same", () => {
    expect(csvHeader([reals("time"), reals("x"), reals("x")])).toBe(
      '"time","time (2)","x","x (2)"\n',
    );
  });

  it("[RC2] writes the shortest text that reads back as the same double", () => {
    const values = [0.1, 1 / 3, 1e300, 5e-324, -0, 0, 2 ** 53, 100000];
    const text = csv(
      trace(
        values.map((_, i) => i),
        reals("x", ...values),
      ),
    );
    const cells = text
      .trim()
      .split("\n")
      .slice(1)
      .map((line) => line.split(",")[1]!);
    expect(cells).toEqual([
      "0.1",
      "0.3333333333333333",
      "1e+300",
      "5e-324",
      "-0",
      "0",
      "9007199254740992",
      "100000",
    ]);
  });

  it("[RC2] writes NaN and Infinity as words that numpy, pandas and JavaScript read", () => {
    const values = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1];
    const text = csv(trace([0, 1, 2, 3], reals("x", ...values)));
    expect(text).toBe('"time","x"\n0,NaN\n1,Infinity\n2,-Infinity\n3,1\n');
  });

  it("[RC3] writes booleans as 0 and 1, 64-bit integers exactly, strings quoted, binary as hex", () => {
    const text = csv(
      trace(
        [0],
        { name: "b", type: "boolean", data: Float64Array.of(1) },
        { name: "i", type: "int64", data: BigInt64Array.of(-(2n ** 63n)) },
        { name: "u", type: "uint64", data: BigInt64Array.of(-1n) },
        { name: "s", type: "string", data: ["1,5"] },
        { name: "y", type: "binary", data: [Uint8Array.of(0, 255)] },
      ),
    );
    expect(text.split("\n")[1]).toBe('0,1,-9223372036854775808,18446744073709551615,"1,5","00ff"');
  });

  it("[RC4] writes rows of numbers as bytes of the same text, chunk after chunk in one buffer", async () => {
    const numbers = [0, -0, 1, 1, 0.1, -2.2250738585072014e-308, Number.NaN, -1 / 0, 1e21, 5e-324];
    const { columns, time } = trace(
      numbers.map((_, i) => i / 3),
      reals("x", ...numbers),
      { name: "b", type: "boolean", data: Float64Array.from(numbers, () => 1) },
      { name: "i", type: "int64", data: BigInt64Array.from(numbers, (_, i) => BigInt(-i)) },
      { name: "u", type: "uint64", data: BigInt64Array.from(numbers, () => -1n) },
    );
    const data = columns.map((column) => column.data);
    const writer = await traceFormatOf("a.csv").writer(columns);
    const decoder = new TextDecoder();
    const parts = [numbers.length, 3, 0].map((rows) => {
      const chunk = {
        time: time.subarray(0, rows),
        data: data.map((values) => values.slice(0, rows)),
      };
      const piece = writer.write(chunk);
      expect(piece).toBeInstanceOf(Uint8Array);
      return [decoder.decode(piece as Uint8Array), csvRows(columns, chunk)];
    });
    for (const [bytes, text] of parts) expect(bytes).toBe(text);
    const texts = await traceFormatOf("a.csv").writer([{ name: "s", type: "string" }]);
    expect(typeof texts.write({ time: Float64Array.of(0), data: [["ä"]] })).toBe("string");
  });

  it("[RC4] has bytes of the shortest text of every number", async () => {
    const few = Array.from({ length: 20_000 }, (_, i) => {
      const digits = (i * 7919 * 104_729) % 10 ** (1 + (i % 15));
      return ((i % 3) - 1) * (digits / 10 ** (i % 17));
    });
    const times = Array.from({ length: 5_000 }, (_, i) => i * [0.01, 1 / 128, 1e-6, 0.1][i % 4]!);
    const edges = [1e-6, 9.9e-7, 1e6, 999_999.999999999, 999_999.9999999999, 0.1 + 0.2, 123456.1];
    const time = Float64Array.from([...few, ...times, ...edges, ...edges.map((x) => -x)]);
    const writer = await traceFormatOf("a.csv").writer([]);
    const bytes = writer.write({ time, data: [] }) as Uint8Array;
    expect(new TextDecoder().decode(bytes)).toBe(csvRows([], { time, data: [] }));
  });

  it("[RC4] gives the same text in one chunk and in many", () => {
    const columns = [reals("x", 1, 1, 0, -0, 2)];
    const time = Float64Array.of(0, 1, 2, 3, 4);
    const whole = csvRows(columns, { time, data: [columns[0]!.data] });
    let parts = "";
    for (let i = 0; i < 5; i++) {
      const data = [(columns[0]!.data as Float64Array).subarray(i, i + 1)];
      parts += csvRows(columns, { time: time.subarray(i, i + 1), data });
    }
    expect(parts).toBe(whole);
  });

  it("[RC4] writes a header for a trace without rows, and rows for a trace without columns", () => {
    expect(csv(trace([], reals("x")))).toBe('"time","x"\n');
    expect(csv(trace([0, 1]))).toBe('"time"\n0\n1\n');
  });
});

describe("CSV round trip", () => {
  const rowCount = fc.integer({ min: 1, max: 8 });
  const anyTrace = rowCount.chain((rows) => {
    const some = <T>(value: fc.Arbitrary<T>) =>
      fc.array(value, { minLength: rows, maxLength: rows });
    const column = fc.oneof(
      some(fc.double()).map((v) => ({ type: "float64", data: Float64Array.from(v) }) as const),
      some(fc.string({ unit: "binary" })).map((v) => ({ type: "string", data: v }) as const),
    );
    return fc.record({
      time: some(fc.double({ noNaN: true, min: -1e9, max: 1e9 })).map((t) =>
        Float64Array.from(t).sort(),
      ),
      columns: fc
        .uniqueArray(fc.tuple(fc.string({ unit: "binary", minLength: 1 }), column), {
          selector: ([name]) => name.toLowerCase(),
          maxLength: 4,
        })
        .map((all) => all.filter(([name]) => name.toLowerCase() !== "time")),
    });
  });

  it("[RC5] reads back what it wrote: doubles bit for bit, strings and names whatever they contain", () => {
    fc.assert(
      fc.property(anyTrace, ({ time, columns }) => {
        const written = trace([...time], ...columns.map(([name, c]) => ({ name, ...c })));
        const read = unwrap(parseCsv(csv(written), "t.csv"));
        expect(read.time).toEqual(written.time);
        expect(read.columns).toEqual(written.columns);
      }),
      { seed: SEED, numRuns: cases(300) },
    );
  });

  it("[RC5] reads 64-bit integers back exactly when a double could not hold them", () => {
    const data = BigInt64Array.of(2n ** 62n + 1n, -5n);
    const read = unwrap(parseCsv(csv(trace([0, 1], { name: "i", type: "int64", data })), "t.csv"));
    expect(read.columns).toEqual([{ name: "i", type: "int64", data }]);
    const unsigned = unwrap(parseCsv("time,u\n0,18446744073709551615\n1,3\n", "t.csv"));
    expect(unsigned.columns[0]).toEqual({
      name: "u",
      type: "uint64",
      data: BigInt64Array.of(-1n, 3n),
    });
  });
});
