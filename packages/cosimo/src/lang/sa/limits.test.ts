/** Texts that nest further than any real one get an answer. */
import { describe, expect, it } from "vitest";
import { MOST_CHARACTERS, MOST_NESTED, MOST_OPERATORS } from "../text/limits.ts";
import { formatSa } from "./format-sa.ts";
import { saDocument } from "./ide/sa-document.ts";
import { parseSa } from "./parse-sa.ts";
import { printSa } from "./print-sa.ts";

const around = (value: string): string => `semantic adaptation reactive moore A a
for inner fmu F f at "f.fmu"
control rules {
${value}
}`;
const nested = (open: string, inner: string, close: string, depth: number): string =>
  `${open.repeat(depth)}${inner}${close.repeat(depth)}`;
const KINDS: readonly [string, (depth: number) => string][] = [
  ["brackets", (depth) => `return ${nested("(", "H", ")", depth)};`],
  ["signs", (depth) => `return ${nested("- ", "H", "", depth)};`],
  ["not", (depth) => `var x := ${nested("not ", "true", "", depth)};`],
  ["calls", (depth) => `return ${nested("abs(", "H", ")", depth)};`],
  ["conditionals", (depth) => `return ${nested("true ? H : ", "H", "", depth)};`],
  ["if", (depth) => nested("if (true) {", "return H;", "}", depth)],
  ["else if", (depth) => `${nested("if (true) { return H; } else ", "if (true) {}", "", depth)}`],
  ["while", (depth) => nested("while (true) {", "break;", "}", depth)],
];
const codes = (text: string): string[] => parseSa(text, "x.sa").diagnostics.map(({ code }) => code);

describe("limits", () => {
  it.each(KINDS)("[SA44] %s inside of each other are refused where they go too deep", (_, make) => {
    for (const depth of [MOST_NESTED + 1, 500, 20_000]) {
      const text = around(make(depth));
      expect(codes(text)).toEqual(["sa-too-deep"]);
      expect(formatSa(text, "x.sa").diagnostics.map(({ code }) => code)).toEqual(["sa-too-deep"]);
      expect(saDocument(text, "x.sa").tree.name).toBe("a");
    }
  });

  it.each(KINDS)("[SA44] %s inside of each other are read up to there", (_, make) => {
    // The block of the control rules is one, and an 'if' has brackets in its block.
    expect(codes(around(make(MOST_NESTED - 3)))).toEqual([]);
  });

  it("[SA44] physical units of thousands of factors are refused", () => {
    const unit = (dots: number): string =>
      around("return H;").replace("control", `output ports y (m${".m".repeat(dots)})\ncontrol`);
    expect(codes(unit(100))).not.toContain("sa-too-deep");
    expect(codes(unit(4 * MOST_OPERATORS))).not.toContain("sa-too-deep");
    for (const dots of [4 * MOST_OPERATORS + 1, 50_000])
      expect(codes(unit(dots))).toEqual(["sa-too-deep"]);
  });

  it("[SA44] sums are read up to a limit, and refused beyond it", () => {
    const sum = (operators: number): string => around(`return H${" + H".repeat(operators)};`);
    const { value } = parseSa(sum(MOST_OPERATORS), "x.sa");
    expect(codes(printSa(value!))).toEqual([]);
    expect(codes(sum(MOST_OPERATORS + 1))).toEqual(["sa-too-deep"]);
    expect(codes(sum(100_000))).toEqual(["sa-too-deep"]);
  });

  it.each([
    ["a name", (length: number) => `var ${"x".repeat(length)} := 1.0; return H;`],
    ["a quoted name", (length: number) => `var '${"x".repeat(length - 2)}' := 1.0; return H;`],
    ["a number", (length: number) => `return 0.${"1".repeat(length - 2)};`],
  ])("[SA44] %s is read up to a length, and refused beyond it", (_, make) => {
    expect(codes(around(make(MOST_CHARACTERS)))).toEqual([]);
    for (const length of [MOST_CHARACTERS + 1, 100_000]) {
      const [found] = parseSa(around(make(length)), "x.sa").diagnostics;
      expect(found).toMatchObject({ code: "sa-too-deep", place: { line: 4 } });
      expect(found!.message.length).toBeLessThan(100);
    }
  });
});
