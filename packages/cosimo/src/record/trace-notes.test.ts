import { describe, expect, it } from "vitest";
import { type Checked, unwrap } from "../base/diagnostic.ts";
import { csvNotes, encodeCsv } from "./csv.ts";
import { parseCsv } from "./csv-read.ts";
import { TRACE_FORMATS, traceFormatOf } from "./formats.ts";
import type { Column, Trace } from "./trace.ts";

const TIME = Float64Array.of(0, 0.5, 1);

function trace(columns: readonly Column[]): Trace {
  return { meta: { title: "ball", entries: { outcome: "completed" } }, time: TIME, columns };
}

function csv(of: Trace): string {
  return [...encodeCsv(of)].join("");
}

/** Written, and read with the notes. */
function reread(of: Trace, notes = csvNotes(of)): Trace {
  return unwrap(parseCsv(csv(of), "t.csv", notes));
}

/** One column of every type that a trace can hold. */
const EVERY_TYPE: readonly Column[] = [
  {
    name: "h",
    type: "float64",
    unit: "m",
    description: "height",
    data: Float64Array.of(1, 0.5, 0),
  },
  { name: "single", type: "float32", data: Float64Array.of(1, 0.5, 0) },
  { name: "on", type: "boolean", stepwise: true, data: Float64Array.of(0, 1, 0) },
  { name: "tick", type: "clock", isEvent: true, stepwise: true, data: Float64Array.of(0, 1, 0) },
  { name: "count", type: "int32", stepwise: true, data: Float64Array.of(1, 2, 3) },
  { name: "far", type: "int64", data: BigInt64Array.of(1n, -2n, 3n) },
  { name: "huge", type: "uint64", data: BigInt64Array.of(-1n, 2n, 3n) },
  { name: "word", type: "string", data: ["1", "two", ""] },
  {
    name: "bytes",
    type: "binary",
    data: [Uint8Array.of(0, 255), Uint8Array.of(16), new Uint8Array()],
  },
  {
    name: "mode",
    type: "enumeration",
    stepwise: true,
    items: { "1": "off", "2": "on" },
    data: Float64Array.of(1, 2, 2),
  },
];

describe("the notes beside a CSV file", () => {
  it.each(EVERY_TYPE)("[RC22] keep what is known of $name ($type)", (column) => {
    const written = trace([column]);
    expect(reread(written)).toEqual(written);
  });

  it("[RC22] keep names that the table had to change", () => {
    const [x] = EVERY_TYPE;
    const written = trace([x!, x!, { ...x!, name: "time", unit: "h" }]);
    expect(reread(written).columns).toEqual(written.columns);
  });

  it("[RC22] change nothing of the table", () => {
    const table = csv(trace(EVERY_TYPE));
    expect(table.split("\n")[0]).toBe(
      '"time","h","single","on","tick","count","far","huge","word","bytes","mode"',
    );
  });

  it("[RC23] hold for the columns that they name, whatever else the table has", () => {
    const written = trace(EVERY_TYPE.slice(0, 1));
    const read = unwrap(parseCsv("time,h,more\n0,1,2\n", "t.csv", csvNotes(written)));
    expect(read.columns.map(({ name, unit }) => [name, unit])).toEqual([
      ["h", "m"],
      ["more", undefined],
    ]);
  });

  it.each([
    ["on", "0.5"],
    ["tick", "2"],
    ["count", "1.5"],
    ["mode", "NaN"],
    ["far", "0.1"],
  ])("[RC23] do not call %s what its values no longer are", (name, cell) => {
    const written = trace(EVERY_TYPE.filter((column) => column.name === name));
    const { columns } = unwrap(parseCsv(`time,${name}\n0,${cell}\n`, "t.csv", csvNotes(written)));
    expect(columns).toEqual([{ name, type: "float64", data: Float64Array.of(Number(cell)) }]);
  });

  it("[RC23] give way to units in the table", () => {
    const notes = csvNotes(trace(EVERY_TYPE.slice(0, 1)));
    const { columns } = unwrap(parseCsv("time,h\ns,mm\n0,1\n", "t.csv", notes));
    expect(columns[0]?.unit).toBe("mm");
  });

  it.each(["", "{", "[]", "null", "7", '{"a": 1}', '{"cosimo.columns": 3}'])(
    "[RC24] are a warning when they cannot be read: %s",
    (notes) => {
      const read: Checked<Trace> = parseCsv("time,h\n0,1\n", "t.csv", notes);
      expect(read.diagnostics.map(({ code, place }) => [code, place.file])).toEqual([
        ["csv-notes-unreadable", "t.csv.meta.json"],
      ]);
      expect(unwrap(read).columns).toEqual([
        { name: "h", type: "float64", data: Float64Array.of(1) },
      ]);
    },
  );

  it("[RC24] may hold anything where something else is expected", () => {
    const columns = [3, { column: 1 }, { column: "h", name: "h", type: "complex" }];
    const notes = JSON.stringify({ "cosimo.run": "x", "cosimo.columns": columns });
    const read = parseCsv("time,h\n0,1\n", "t.csv", notes);
    expect(read.diagnostics).toEqual([]);
    expect(unwrap(read)).toEqual({
      meta: { title: "t.csv", entries: {} },
      time: Float64Array.of(0),
      columns: [{ name: "h", type: "float64", data: Float64Array.of(1) }],
    });
    const odd = { column: "h", name: "h", type: "float64", unit: 3, stepwise: "yes", items: [1] };
    const noted = parseCsv("time,h\n0,1\n", "t.csv", JSON.stringify({ "cosimo.columns": [odd] }));
    expect(unwrap(noted).columns).toEqual(unwrap(read).columns);
  });

  it("[RC22] belong to the format that has no place for them", async () => {
    expect(TRACE_FORMATS.map(({ ending, notes }) => [ending, notes !== undefined])).toEqual([
      [".csv", true],
      [".parquet", false],
    ]);
    const written = trace(EVERY_TYPE);
    const asked: string[] = [];
    const read = await traceFormatOf("run.csv").read({
      file: "run.csv",
      bytes: new Uint8Array(),
      text: () => csv(written),
      notes(name) {
        asked.push(name);
        return csvNotes(written);
      },
    });
    expect(unwrap(read)).toEqual(written);
    expect(asked).toEqual(["run.csv.meta.json"]);
  });
});
