import { describe, expect, it } from "vitest";
import { unwrap } from "../../base/diagnostic.ts";
import { parseSa } from "../../lang/sa/parse-sa.ts";
import { describedUnit } from "../../plan/testing/described-unit.ts";
import { FORMULA_FUNCTIONS } from "../expression.ts";
import { unitKind } from "../unit-kind.ts";
import { isIdempotent, mentionsOf, referencesIn } from "./walk.ts";

const read = (text: string) =>
  unwrap(parseSa(`semantic adaptation reactive moore A a\n${text}`, "t.sa"));
const names = (text: string): string[] =>
  referencesIn(read(`param p := ${text};`).parameters[0].value).map(({ name }) => name);

describe("traversing rules", () => {
  it.each([
    ["a + b", ["a", "b"]],
    ["-a", ["a"]],
    ["a ? b : c", ["a", "b", "c"]],
    ["min(a, b * c, 1)", ["a", "b", "c"]],
    ["not (a and b)", ["a", "b"]],
  ])("[SA45] %s mentions %j", (text, expected) => {
    expect(names(text)).toEqual(expected);
  });

  it("[SA45] finds what is read and assigned inside every statement", () => {
    const { outRules } = read(`out rules {
      c > 0 -> { if (d > 0) { x := e; } else { y := f; } for (var i in 0 .. n) { z := i; } while (w) { x := 1; } } --> { a.y := x; };
    }`);
    const first = mentionsOf(outRules, "first");
    expect([...first.read].sort()).toEqual(["c", "d", "e", "f", "i", "n", "w"]);
    expect([...first.assigned].sort()).toEqual(["x", "y", "z"]);
    expect(isIdempotent(first)).toBe(true);
    expect(isIdempotent({ read: new Set(["x"]), assigned: new Set(["x"]) })).toBe(false);
  });
});

describe("kinds and formulas", () => {
  it("[PN26] an input is reactive, delayed or undeclared, as its unit says", () => {
    const { inputs } = unitKind(describedUnit("u!, v~, w -> y"));
    expect(inputs.map(({ kind }) => kind)).toEqual(["reactive", "delayed", "undeclared"]);
  });

  it("takes two arguments for min and max, one for the others", () => {
    const two = Object.entries(FORMULA_FUNCTIONS).filter(([, count]) => count !== 1);
    expect(two).toEqual([
      ["min", 2],
      ["max", 2],
    ]);
  });
});
