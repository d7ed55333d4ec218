/**
 * The functions of rules: their values against definitions, and what the table promises to editors,
 * checks and C.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cases } from "../../base/testing/cases.ts";
import { isClose, SA_CLOCK, SA_FUNCTIONS, wrongCount } from "./functions.ts";

const call = (name: string, ...values: readonly number[]): number =>
  SA_FUNCTIONS.get(name)?.compute?.(...values) ?? Number.NaN;

const real = fc.double({ min: -1e6, max: 1e6, noNaN: true });

describe("the functions of rules", () => {
  it.each<[string, number[], number]>([
    ["min", [3, -1, 2], -1],
    ["max", [3, -1, 2], 3],
    ["min", [4], 4],
    ["abs", [-2.5], 2.5],
    ["floor", [-1.5], -2],
    ["ceil", [-1.5], -1],
    ["sqrt", [9], 3],
    ["log10", [1000], 3],
    ["exp", [0], 1],
    ["log", [Math.E], 1],
    ["atan2", [1, 0], Math.PI / 2],
    ["atan2", [0, -1], Math.PI],
    ["pow", [2, 10], 1024],
    ["pow", [10, 2], 100],
    ["sin", [Math.PI / 2], 1],
    ["cos", [0], 1],
    ["asin", [1], Math.PI / 2],
    ["acos", [1], 0],
    ["sinh", [0], 0],
    ["cosh", [0], 1],
    ["tanh", [0], 0],
    ["sign", [7], 1],
    ["sign", [0], 0],
  ])("[SA45] %s(%j) is %f", (name, values, expected) => {
    expect(Math.abs(call(name, ...values) - expected)).toBeLessThan(1e-12);
  });

  it.each(["tan", "atan", "sin", "asin"])(
    "[SA45] %s is odd, and grows at 0 like its argument",
    (name) => {
      expect(call(name, 1e-6)).toBeCloseTo(1e-6, 15);
      expect(call(name, -0.5)).toBe(-call(name, 0.5));
    },
  );

  it("[SA45] mod leaves what is between 0 and y, with the sign of y", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -1000, max: 1000 }),
        fc.integer({ min: -50, max: 50 }),
        (x, y) => {
          fc.pre(y !== 0);
          const rest = call("mod", x, y);
          expect(Math.abs(rest)).toBeLessThan(Math.abs(y));
          expect(rest === 0 || Math.sign(rest) === Math.sign(y)).toBe(true);
          expect(Number.isInteger((x - rest) / y)).toBe(true);
        },
      ),
      { seed: 36, numRuns: cases(500) },
    );
  });

  it("[SA45] is_close is symmetric, true of equal numbers, and takes the larger of both tolerances", () => {
    fc.assert(
      fc.property(real, real, (x, y) => {
        expect(isClose(x, y)).toBe(isClose(y, x));
        expect(isClose(x, x)).toBe(1);
        const difference = Math.abs(x - y);
        expect(isClose(x, y, 0, difference)).toBe(1);
        expect(isClose(x, y, 1, 0)).toBe(difference <= Math.max(Math.abs(x), Math.abs(y)) ? 1 : 0);
      }),
      { seed: 37, numRuns: cases(500) },
    );
    // Exactly at the tolerance, and just beyond: powers of two have no rounding.
    expect([isClose(0, 0.25, 0, 0.25), isClose(0, 0.5, 0, 0.25)]).toEqual([1, 0]);
    expect([isClose(1, 0.75, 0.25, 0), isClose(1, 0.5, 0.25, 0)]).toEqual([1, 0]);
    expect(isClose(Number.NaN, Number.NaN)).toBe(0);
  });

  it("[SA45] defaults of is_close are those that C gets", () => {
    const { defaults, c } = SA_FUNCTIONS.get("is_close") ?? {};
    expect(c).toBe("sa_is_close");
    const [relative, absolute] = (defaults ?? []).map(Number);
    for (const [x, y] of [
      [1, 1 + 0.5e-5],
      [1, 1 + 2e-5],
      [0, 0.5e-8],
      [0, 2e-8],
    ])
      expect(isClose(x, y)).toBe(isClose(x, y, relative, absolute));
  });
});

describe("the table of functions", () => {
  it("[SA45] has a usage with as many parameters as the least, and a sentence", () => {
    for (const [name, { usage, text, least, most, defaults }] of SA_FUNCTIONS) {
      const [, parameters = ""] = /^\w+\((.*)\)$/.exec(usage) ?? [];
      expect(usage.startsWith(`${name}(`)).toBe(true);
      const count = parameters.split(", ").length;
      expect(count).toBeGreaterThanOrEqual(least);
      if (Number.isFinite(most)) expect(count).toBe(most);
      expect(defaults?.length ?? 0).toBe(Number.isFinite(most) ? most - least : 0);
      expect(text).toMatch(/[.;0-9a-z]$|`\.$/);
    }
  });

  it("[SA45] accepts as many arguments as it says, and one fewer or more not", () => {
    for (const [name, { least, most }] of SA_FUNCTIONS) {
      expect(wrongCount(name, least)).toBeUndefined();
      expect(wrongCount(name, least - 1)).toContain(`'${name}' takes`);
      if (!Number.isFinite(most)) continue;
      expect(wrongCount(name, most)).toBeUndefined();
      expect(wrongCount(name, most + 1)).toContain(`not ${most + 1}`);
    }
    expect(wrongCount("unknown", 99)).toBeUndefined();
  });

  it("[SA45] computes in rules alone what needs no unit, and calls C by a name for all else but inputs", () => {
    const withoutValue = [...SA_FUNCTIONS].filter(([, { compute }]) => compute === undefined);
    expect(withoutValue.map(([name]) => name)).toEqual([
      "do_step",
      "save_state",
      "rollback",
      "get_next_time_step",
      "last_execution_time",
      "input_slope",
      "input_curve",
    ]);
    const withoutC = [...SA_FUNCTIONS].filter(([, { c }]) => c === undefined);
    expect(withoutC.map(([name, { ofOwnInput }]) => [name, ofOwnInput])).toEqual([
      ["input_slope", 1],
      ["input_curve", 2],
    ]);
    const controlOnly = [...SA_FUNCTIONS].filter(([, one]) => one.controlOnly);
    expect(controlOnly.map(([name]) => name)).toEqual(["do_step", "save_state", "rollback"]);
  });

  it("[SA45] knows the time and the three steps", () => {
    expect([...SA_CLOCK.keys()]).toEqual(["t", "H", "h", "dt"]);
  });
});
