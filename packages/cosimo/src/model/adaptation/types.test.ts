import { describe, expect, it } from "vitest";
import { unwrap } from "../../base/diagnostic.ts";
import { parseSa } from "../../lang/sa/parse-sa.ts";
import type { Adaptation } from "./data.ts";
import { SA_FUNCTIONS, wrongCount } from "./functions.ts";
import { typesOf } from "./types.ts";

const HEAD = "semantic adaptation reactive moore A a\n";
const read = (text: string): Adaptation => unwrap(parseSa(`${HEAD}${text}`, "test.sa"));

/** The type of `p` in `param p := value`, where q is an integer and b a boolean parameter. */
const typeOf = (value: string): string | undefined =>
  typesOf(read(`param b := true; param q: integer := 2; param p := ${value};`)).get("p");

describe("types of parameters", () => {
  it.each([
    ["1", "real"],
    ["true", "boolean"],
    ['"text"', "string"],
    ["b", "boolean"],
    ["q", "integer"],
    ["-q", "integer"],
    ["-1.5", "real"],
    ["nowhere", "real"],
  ])("[SA45] %s is %s", (value, expected) => {
    expect(typeOf(value)).toBe(expected);
  });

  it.each(["not b", "b and b", "b or b", "1 < 2", "q <= 2", "q > 1", "q >= 1", "q == 1", "b != b"])(
    "[SA45] boolean operators and comparisons give booleans: %s",
    (value) => {
      expect(typeOf(value)).toBe("boolean");
    },
  );

  it.each([
    ["q + q", "integer"],
    ["q - q", "integer"],
    ["q * q", "integer"],
    ["q % q", "integer"],
    ["q / q", "real"],
    ["q + 1.5", "real"],
    ["1.5 * q", "real"],
    ["b ? q : 1.5", "integer"],
    ["b ? 1.5 : q", "real"],
  ])("[SA45] arithmetic stays whole where both operands are: %s is %s", (value, expected) => {
    expect(typeOf(value)).toBe(expected);
  });

  it.each([
    ["floor(1.5)", "integer"],
    ["ceil(1.5)", "integer"],
    ["round(1.5)", "integer"],
    ["sign(1.5)", "integer"],
    ["abs(q)", "integer"],
    ["abs(1.5)", "real"],
    ["min(q, q)", "integer"],
    ["min(q, 1.5)", "real"],
    ["max(1.5, q)", "real"],
    ["mod(q, q)", "integer"],
    ["is_close(1, 2)", "boolean"],
    ["sqrt(q)", "real"],
    ["unheard(q)", "real"],
  ])("[SA45] functions give what the table says: %s is %s", (value, expected) => {
    expect(typeOf(value)).toBe(expected);
  });

  it("[SA45] come from declarations first, and later ones see earlier ones in every section", () => {
    const types = typesOf(
      read(`param p: real := q; param q := 1;
        control var c := p > 0; in var i: integer := 3; out var o := i;`),
    );
    expect([...types]).toEqual([
      ["p", "real"],
      ["q", "real"],
      ["i", "integer"],
      ["c", "boolean"],
      ["o", "integer"],
    ]);
  });
});

describe("functions", () => {
  it.each([
    ["sin", 1, undefined],
    ["sin", 0, "'sin' takes 1 arguments, not 0"],
    ["pow", 1, "'pow' takes 2 arguments, not 1"],
    ["pow", 3, "'pow' takes 2 arguments, not 3"],
    ["min", 0, "'min' takes at least 1 arguments, not 0"],
    ["min", 9, undefined],
    ["is_close", 2, undefined],
    ["is_close", 4, undefined],
    ["is_close", 5, "'is_close' takes at least 2 arguments, not 5"],
  ])("[SA45] %s with %i arguments: %s", (name, count, expected) => {
    expect(wrongCount(name, count)).toBe(expected);
  });

  it("[SA45] that a rule calls for an effect are for control rules, on inner units", () => {
    const effects = [...SA_FUNCTIONS].filter(([, { result }]) => result === "none");
    expect(effects.map(([name]) => name)).toEqual(["save_state", "rollback"]);
    for (const [, { controlOnly, ofUnit }] of effects)
      expect([controlOnly, ofUnit]).toEqual([true, true]);
  });

  it.each([
    ["mod", [7, 3], 1],
    ["mod", [-7, 3], 2],
    ["mod", [7, -3], -2],
    ["round", [2.5], 3],
    ["round", [-2.5], -2],
    ["sign", [-3], -1],
    ["is_close", [1, 1 + 1e-6], 1],
    ["is_close", [1, 1.1], 0],
    ["is_close", [0, 1e-9], 1],
    ["is_close", [1, 1.1, 0.2], 1],
    ["is_close", [1, 1.1, 0, 0.2], 1],
  ])("[SA45] %s(%j) is %d", (name, values, expected) => {
    expect(SA_FUNCTIONS.get(name)?.compute?.(...values)).toBe(expected);
  });
});
