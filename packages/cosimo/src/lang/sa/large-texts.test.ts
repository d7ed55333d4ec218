/** Large texts take time in proportion to their size. */
import { describe, expect, it } from "vitest";
import { MOST_ERRORS, MOST_RECOVERIES } from "../text/limits.ts";
import { firstAtLeast, isBlankAbove, positionsIn } from "../text/text-positions.ts";
import { checkSa } from "./check-sa.ts";
import { explicitForm } from "./explicit-form.ts";
import { formatSa } from "./format-sa.ts";
import { parseSa } from "./parse-sa.ts";

const HEAD = 'semantic adaptation reactive moore A a\nfor inner fmu F f at "f.fmu"\n';
const lines = (count: number, line: (k: number) => string): string =>
  Array.from({ length: count }, (_, k) => line(k)).join("\n");
const control = (body: string): string =>
  `${HEAD}control var\n  c := 0.0;\ncontrol rules {\n${body}\nreturn do_step(f, t, H);\n}\n`;

/** Seconds of the processor, of the fastest of some tries. */
function seconds(tries: number, work: () => unknown): number {
  const taken = Array.from({ length: tries }, () => {
    const before = process.cpuUsage().user;
    work();
    return (process.cpuUsage().user - before) / 1e6;
  });
  return Math.min(...taken);
}

/** A small and a large count. */
type Counts = readonly [small: number, large: number];
const CASES: readonly [string, Counts, (count: number) => string, (text: string) => unknown][] = [
  [
    "formats ifs with comments",
    [200, 3200],
    (n) => control(lines(n, (k) => `// ${k}\nif (t > ${k}) { c := 1; } // behind`)),
    (text) => formatSa(text, "x.sa"),
  ],
  [
    "reads ports of an inner unit",
    [400, 6400],
    (n) => `${HEAD}with input ports ${lines(n, (k) => `u${k} (rad/s),`)} last`,
    (text) => parseSa(text, "x.sa"),
  ],
  [
    "checks and reduces inner units",
    [1000, 8000],
    (n) =>
      `semantic adaptation reactive moore A a\n${lines(n, (k) => `for inner fmu F f${k} at "f.fmu"`)}`,
    (text) => {
      const { value } = parseSa(text, "x.sa");
      checkSa(value!, () => undefined);
      explicitForm(value!, () => undefined);
    },
  ],
];

describe("large texts", () => {
  it.each(CASES)("[SA46] %s in time that grows with the text", (_, counts, make, work) => {
    work(make(50));
    const [small, large] = [make(counts[0]), make(counts[1])];
    // Twice what is linear. All took more than three times of it when they restarted for every
    // statement, port or unit.
    const before = seconds(3, () => work(small));
    expect(seconds(3, () => work(large))).toBeLessThan((2 * counts[1] * before) / counts[0]);
  });

  it("[SA46] formats what follows a comment that ends with very many spaces", () => {
    // Minutes, if every one of them is tried as the end.
    const text = `// long${" ".repeat(200_000)}\n${control("c := 1;")}`;
    expect(formatSa(text, "x.sa").value).toMatch(/^\/\/ long\nsemantic/);
  });

  it("[SA46] lists the first mistakes and says how many more there are", () => {
    const listed = parseSa(control(lines(200, () => "c := ;")), "x.sa").diagnostics;
    expect(listed).toHaveLength(MOST_ERRORS + 1);
    expect(listed[0]).toMatchObject({ code: "sa-syntax", place: { line: 6, column: 6 } });
    expect(listed.at(-1)).toMatchObject({
      code: "sa-more-errors",
      message: "at least 100 further mistakes are not listed",
    });
    const strange = parseSa(control(lines(101, () => "c := #1;")), "x.sa").diagnostics;
    expect(strange.at(-1)!.message).toBe("1 further mistake is not listed");
    expect(parseSa(control("c := ;"), "x.sa").diagnostics).toHaveLength(1);
  });

  it("[SA46] stops behind very many mistakes, and reads the next text as before", () => {
    const text = control(lines(3000, () => "c := ;"));
    const before = parseSa(control("c := ;"), "x.sa").diagnostics;
    expect(parseSa(text, "x.sa").diagnostics.at(-1)).toMatchObject({ code: "sa-more-errors" });
    const { message } = parseSa(text, "x.sa").diagnostics.at(-1)!;
    const [, count] = /at least (\d+) further/.exec(message)!;
    expect(Number(count)).toBeGreaterThan(0);
    expect(Number(count)).toBeLessThan(MOST_RECOVERIES);
    expect(parseSa(control("c := ;"), "x.sa").diagnostics).toEqual(before);
  });

  it("finds places by searching", () => {
    expect([0, 1, 2, 5].map((value) => firstAtLeast([1, 1, 4], value))).toEqual([0, 0, 2, 3]);
    const at = positionsIn("a\nbc\n");
    expect([0, 1, 2, 3, 5].map(at)).toEqual([
      { line: 1, column: 1 },
      { line: 1, column: 2 },
      { line: 2, column: 1 },
      { line: 2, column: 2 },
      { line: 3, column: 1 },
    ]);
    expect(
      ["a\n\n b", "a\n b", " b", "a\r\n\t\r\n b"].map((text) =>
        isBlankAbove(text, text.indexOf("b")),
      ),
    ).toEqual([true, false, false, true]);
  });
});
