import { describe, expect, it } from "vitest";
import type { ColumnInfo } from "../../record/trace.ts";
import { lastRow } from "./last-row.ts";

const column = (name: string, type: ColumnInfo["type"], unit?: string): ColumnInfo => ({
  name,
  type,
  ...(unit === undefined ? {} : { unit }),
});

describe("the last row of a run", () => {
  it("is that of the last chunk, with units and as many digits as mean something", () => {
    const columns = [
      column("h", "float64", "m"),
      column("n", "int32"),
      column("on", "boolean"),
      column("big", "uint64"),
      column("text", "string"),
      column("raw", "binary"),
    ];
    const chunk = (last: number) => ({
      time: Float64Array.of(0, last),
      data: [
        Float64Array.of(1, last / 3),
        Float64Array.of(1, 12345678),
        Float64Array.of(0, 1),
        BigInt64Array.of(0n, -1n),
        ["", 'a "b"'],
        [new Uint8Array(), Uint8Array.of(0, 255)],
      ],
    });
    const { rows, lastValues } = lastRow(columns, [chunk(1), chunk(2)]);
    expect(rows).toBe(4);
    expect(lastValues.map((line) => line.trim().replace(/ +/g, " "))).toEqual([
      "h = 0.6666667 m",
      "n = 12345678",
      "on = true",
      `big = ${2n ** 64n - 1n}`,
      'text = "a \\"b\\""',
      "raw = 0x00ff",
    ]);
  });

  it("names twelve columns and counts the others", () => {
    const columns = Array.from({ length: 15 }, (_, i) => column(`x${i}`, "float64"));
    const data = columns.map((_, i) => Float64Array.of(i));
    const { lastValues } = lastRow(columns, [{ time: Float64Array.of(0), data }]);
    expect(lastValues).toHaveLength(13);
    expect(lastValues.at(-1)).toContain("3 more");
  });

  it("does not exist in a run without rows", () => {
    expect(lastRow([column("x", "float64")], [])).toEqual({ rows: 0, lastValues: [] });
  });
});
