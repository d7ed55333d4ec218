import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { unwrap } from "../base/diagnostic.ts";
import { cases } from "../base/testing/cases.ts";
import { csvHeader, csvRows, encodeCsv } from "./csv.ts";
import { parseCsv } from "./csv-read.ts";
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
