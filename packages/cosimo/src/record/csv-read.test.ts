import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatDiagnostic, unwrap } from "../base/diagnostic.ts";
import { cases } from "../base/testing/cases.ts";
import { parseCsv } from "./csv-read.ts";

/** `time | x | y` of a table, as plain arrays. */
function table(text: string): Record<string, unknown[]> {
  const { time, columns } = unwrap(parseCsv(text, "in.csv"));
  const found: Record<string, unknown[]> = { time: [...time] };
  for (const { name, data } of columns) found[name] = [...data];
  return found;
}

/** Line and code of everything that is wrong. */
function problems(text: string): string[] {
  const { diagnostics } = parseCsv(text, "in.csv");
  return diagnostics.map(({ place, code }) => `${place.line ?? 0} ${code}`);
}

describe("CSV in", () => {
  it.each([
    ["comma", "time,x\n0,1.5\n1,2\n"],
    ["semicolon", "time;x\n0;1.5\n1;2\n"],
    ["tab", "time\tx\n0\t1.5\n1\t2\n"],
    ["semicolon and decimal comma", "time;x\n0;1,5\n1;2\n"],
    ["byte order mark and CRLF", "\ufefftime,x\r\n0,1.5\r\n1,2\r\n"],
    ["a line that names the separator", "sep=;\r\ntime;x\r\n0;1,5\r\n1;2\r\n"],
    ["old Mac line ends, none at the end", "time,x\r0,1.5\r1,2"],
    ["comments and empty lines", "# made by hand\n\ntime,x\n0,1.5\n# half way\n1,2\n\n"],
    ["blanks around cells", "time , x\n 0 ,  1.5\n1,2 \n"],
    ["everything quoted", '"time","x"\n"0","1.5"\n"1","2"\n'],
    ["a separator behind the last cell", "time,x,\n0,1.5,\n1,2,\n"],
    ["time in another place and case", "x,Time\n1.5,0\n2,1\n"],
    ["time called t", "t,x\n0,1.5\n1,2\n"],
  ])("[RC6] reads %s", (_what, text) => {
    expect(table(text)).toEqual({ time: [0, 1], x: [1.5, 2] });
  });

  it("[RC6] keeps commas, semicolons and line ends of quoted names", () => {
    expect(table('time,"A[2,1]","a;b","l1\nl2"\n0,1,2,3\n')).toEqual({
      time: [0],
      "A[2,1]": [1],
      "a;b": [2],
      "l1\nl2": [3],
    });
  });

  it("[RC7] takes units from a row below the header", () => {
    const { columns } = unwrap(parseCsv("time,x,n\n[s],[m/s],1\n0,1,2\n", "in.csv"));
    expect(columns.map(({ name, unit }) => [name, unit])).toEqual([
      ["x", "m/s"],
      ["n", "1"],
    ]);
  });

  it.each([
    ["time [s],F [N],x[1],b [-]\n0,1,2,3\n", ["F:N", "x[1]:", "b:"]],
    ['"Time [s]","a.v [m/s]"\n0,1\n', ["a.v:m/s"]],
    ["time,a [mm],A [2],b [what]\n0,1,2,3\n", ["a:mm", "A [2]:", "b [what]:"]],
    ['"time","a [m]"\n0,1\n', ["a [m]:"]],
    ["time [s],a [m],a [mm]\n0,1,2\n", ["a [m]:", "a [mm]:"]],
  ])("[RC25] takes units from the header %j", (text, expected) => {
    const { columns } = unwrap(parseCsv(text, "in.csv"));
    expect(columns.map(({ name, unit = "" }) => `${name}:${unit}`)).toEqual(expected);
  });

  it.each([
    ["time [ms],x\n0,1\n9,2\n", [0, 0.009]],
    ["t,x\n[min],[m]\n0,1\n2,2\n", [0, 120]],
    ["time,x\nseconds,m\n0,1\n2,2\n", [0, 2]],
  ])("[RC25] the time of %j is in seconds", (text, expected) => {
    expect(table(text)["time"]).toEqual(expected);
  });

  it("[RC8] reads true and false as 1 and 0, and the words for NaN and infinity", () => {
    expect(table("time,b,x\n0,true,nan\n1,FALSE,-inf\n2,1,+Infinity\n")).toEqual({
      time: [0, 1, 2],
      b: [1, 0, 1],
      x: [Number.NaN, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY],
    });
  });

  it("[RC9] keeps two rows that share a time: they are an event", () => {
    expect(table("time,x\n0,1\n1,1\n1,5\n2,5\n")).toEqual({ time: [0, 1, 1, 2], x: [1, 1, 5, 5] });
  });

  it.each([
    ["an empty file", "", ["0 csv-empty"]],
    ["only comments", "# nothing\n", ["0 csv-empty"]],
    ["no header", "0,1\n1,2\n", ["1 csv-no-header"]],
    ["two columns of one name", "time,x,x\n0,1,2\n", ["1 csv-duplicate-column"]],
    ["a column without a name", "time,,x\n0,1,2\n", ["1 csv-duplicate-column"]],
    ["no time column", "u,v\n0,1\n", ["1 csv-time-assumed"]],
    ["a short row", "time,x\n0,1\n1\n2,3\n", ["3 csv-cell-count"]],
    ["names with bare commas", "time,A[1,1]\n0,1\n1,2\n", ["2 csv-cell-count"]],
    ["text among numbers", "time,x\n0,1\n1,two\n", ["3 csv-not-a-number"]],
    ["an empty cell", "time,x\n0,1\n1,\n", ["3 csv-not-a-number"]],
    ["a hexadecimal number", "time,x\n0,1\n1,0x10\n", ["3 csv-not-a-number"]],
    ["a time that is not a number", "time,x\n0,1\nsoon,1\n", ["3 csv-not-a-number"]],
    ["an infinite time", "time,x\n0,1\nInfinity,1\n", ["3 csv-time-not-finite"]],
    ["time going back", "time,x\n0,1\n2,1\n1,1\n", ["4 csv-time-decreases"]],
    ["an open quote", 'time,x\n0,"1\n1,2\n', ["2 csv-open-quote"]],
    ["an open quote in the header", 'time,"x\n0,1\n', ["1 csv-open-quote"]],
  ])("[RC10] reports %s with its line", (_what, text, expected) => {
    expect(problems(text)).toEqual(expected);
  });

  it("[RC10] counts the lines inside quoted cells", () => {
    expect(problems('time,"x\ny"\n0,1\n1,oops\n')).toEqual(["4 csv-not-a-number"]);
  });

  it("[RC10] says cause and fix, and stops after twenty mistakes", () => {
    const { value, diagnostics } = parseCsv(`time,x\n0,1\n${"1,a\n".repeat(100)}`, "in.csv");
    expect(value).toBeUndefined();
    expect(diagnostics).toHaveLength(21);
    expect(formatDiagnostic(diagnostics[0]!)).toBe(
      "in.csv:3 error csv-not-a-number: 'a' in column 'x' is not a number\n" +
        "  fix: write a number such as 0.5, 1e-3, NaN or Infinity",
    );
    expect(diagnostics.at(-1)?.code).toBe("csv-many-mistakes");
  });

  it("[RC10] never throws, whatever the text", () => {
    const piece = fc.oneof(
      fc.constantFrom('"', ",", ";", "\t", "\n", "\r\n", "time", "x", "0", "1,5", "#", "\ufeff"),
      fc.string({ unit: "binary" }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const { value, diagnostics } = parseCsv(pieces.join(""), "in.csv");
        expect(value !== undefined || diagnostics.length > 0).toBe(true);
      }),
      { seed: 7, numRuns: cases(1000) },
    );
  });
});
