/**
 * Values that parameters and variables begin with: every operator in a default, against the same
 * operator of JavaScript, and defaults that use others.
 */
import { describe, expect, it } from "vitest";
import { defaultValues } from "./default-values.ts";
import { adaptation } from "./testing/adapt.ts";

/** The default of `v`, behind other declarations. */
function defaultOf(expression: string, before = ""): unknown {
  const text = `semantic adaptation reactive moore A a ${before} param V := ${expression};`;
  return defaultValues(adaptation(text)).get("V");
}

const BOTH = [false, true];

describe("a default", () => {
  it("[AU18] may use boolean operators: their truth tables", () => {
    for (const p of BOTH) {
      expect(defaultOf(`not ${p}`)).toBe(Number(!p));
      for (const q of BOTH) {
        expect(defaultOf(`${p} and ${q}`)).toBe(Number(p && q));
        expect(defaultOf(`${p} or ${q}`)).toBe(Number(p || q));
        expect(defaultOf(`${p} == ${q}`)).toBe(Number(p === q));
        expect(defaultOf(`${p} != ${q}`)).toBe(Number(p !== q));
        expect(defaultOf(`not ${p} and ${q}`)).toBe(Number(!p && q));
        expect(defaultOf(`not (${p} and ${q})`)).toBe(Number(!(p && q)));
        expect(defaultOf(`${p} or ${q} and false`)).toBe(Number(p));
      }
    }
  });

  it("[AU18] may compare: each operator below, at and above", () => {
    const operators: Readonly<Record<string, (x: number, y: number) => boolean>> = {
      "<": (x, y) => x < y,
      "<=": (x, y) => x <= y,
      ">": (x, y) => x > y,
      ">=": (x, y) => x >= y,
      "==": (x, y) => x === y,
      "!=": (x, y) => x !== y,
    };
    for (const [operator, compute] of Object.entries(operators))
      for (const x of [1, 2, 3])
        expect(defaultOf(`${x} ${operator} 2`)).toBe(Number(compute(x, 2)));
  });

  it.each<[string, number]>([
    ["1 + 2 * 3", 7],
    ["(1 + 2) * 3", 9],
    ["2 - 3 - 4", -5],
    ["8 / 4 / 2", 1],
    ["7 % 3", 1],
    ["-2 - -3", 1],
    ["true ? 1.0 : 2.0", 1],
    ["2 < 1 ? 1.0 : 2.0", 2],
    ["max(1.0, min(5.0, 3.0))", 3],
    ["floor(2.7)", 2],
  ])("[AU18] of %s is %d", (expression, expected) => {
    expect(defaultOf(expression)).toBe(expected);
  });

  it("[AU18] may use parameters before it, numbers, truths and texts", () => {
    expect(defaultOf("2.0 * K + 1.0", "param K := 3.0;")).toBe(7);
    expect(defaultOf("on and K > 2.0", "param K := 3.0; param on := true;")).toBe(1);
    expect(defaultOf("not on or K > 3.0", "param K := 3.0; param on := true;")).toBe(0);
    expect(defaultOf('"hello"')).toBe("hello");
    expect(defaultOf("T", 'param T := "text";')).toBe("text");
    expect(defaultOf('T == "text"', 'param T := "text";')).toBe(1);
    expect(defaultOf('T == "other"', 'param T := "text";')).toBe(0);
  });

  it("[AU18] of variables follow from parameters, section by section", () => {
    const text = `semantic adaptation reactive moore A a param K := 2.0;
      in var i := K + 1.0; control var c := i * 2.0; out var o := c - K;`;
    expect([...defaultValues(adaptation(text))]).toEqual([
      ["K", 2],
      ["i", 3],
      ["c", 6],
      ["o", 4],
    ]);
  });
});
