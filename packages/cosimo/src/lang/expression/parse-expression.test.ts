import { describe, expect, it } from "vitest";
import type { Expression } from "../../model/expression.ts";
import { parseExpression } from "./parse-expression.ts";

/** The expression with all its parentheses. */
function full(e: Expression): string {
  switch (e.kind) {
    case "number":
      return String(e.value);
    case "name":
      return e.name;
    case "negate":
      return `(-${full(e.of)})`;
    case "operation":
      return `(${full(e.left)}${e.operator}${full(e.right)})`;
    case "call":
      return `${e.function}(${e.of.map(full).join(",")})`;
  }
}

function read(text: string): string {
  const parsed = parseExpression(text, ["x", "v", "cc", "größe"]);
  if ("expression" in parsed) return full(parsed.expression);
  const { at, message, fix } = parsed.mistake;
  return `${at}: ${message}; ${fix}`;
}

describe("formulas", () => {
  it.each([
    ["1 + 2*x", "(1+(2*x))"],
    ["x - v - 1", "((x-v)-1)"],
    ["x/v*2", "((x/v)*2)"],
    ["-x^2", "(-(x^2))"],
    ["2^-x", "(2^(-x))"],
    ["2^3^x", "(2^(3^x))"],
    ["(x - v)*1e-4", "((x-v)*0.0001)"],
    [".5*größe + 3.", "((0.5*größe)+3)"],
    ["max(x, abs(v))", "max(x,abs(v))"],
    ["+x", "x"],
  ])("[HY1] %s is read as on paper", (text, meaning) => {
    expect(read(text)).toBe(meaning);
  });

  it.each([
    ["x + ", "4: the formula ends where a number, a name or '(' should be"],
    ["", "0: the formula ends"],
    ["x y", "2: the formula has 'y' where an operator should be"],
    ["(x", "2: the formula ends where ')' should be"],
    ["2*cd", "2: 'cd' is neither a state nor a parameter; did you mean 'cc'?"],
    [
      "x**2",
      "2: the formula has '*' where a number, a name or '(' should be; powers are written with ^",
    ],
    ["abs(x, v)", "0: 'abs' has 2 arguments; write abs(x)"],
    ["-sqr(x)", "1: there is no function 'sqr'; did you mean 'sqrt'?"],
    ["x; v", "1: the formula has ';'"],
  ])("[HY1] a mistake in '%s' is located and explained", (text, remark) => {
    expect(read(text)).toContain(remark);
  });

  it("[HY1] nesting without end is a mistake, not a crash", () => {
    expect(read("(".repeat(100_000))).toContain("nested too deeply");
    expect(read("-".repeat(100_000))).toContain("nested too deeply");
    expect(read(`x${"*x".repeat(100_000)}`)).toContain("more than 200 factors");
    expect(read(`x${"^x".repeat(100_000)}`)).toContain("nested too deeply");
    const max = (depth: number): string => `${"max(x, ".repeat(depth)}v${")".repeat(depth)}`;
    expect(read(max(12))).toContain("max(x,v)");
    expect(read(max(13))).toContain("min and max are nested more than 12 deep");
  });
});
