import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cases } from "../base/testing/cases.ts";
import { parseExpression } from "../lang/expression/parse-expression.ts";
import { compileFormula, formulaField } from "./hybrid-expression.ts";

const scope = { states: ["x", "v"], parameters: new Map([["k", 2.5]]) };

function formula(text: string) {
  const parsed = parseExpression(text, ["x", "v", "k"]);
  if ("mistake" in parsed) throw new Error(parsed.mistake.message);
  return parsed.expression;
}

describe("formulas as functions", () => {
  it("[HY2] are computed as JavaScript computes them", () => {
    const f = compileFormula(formula("k*x^2 - v/3 + max(abs(v), sign(x)) - -exp(tanh(x))"), scope);
    const [x, v] = [0.3, -1.7];
    const expected = 2.5 * x ** 2 - v / 3 + Math.max(Math.abs(v), 1) + Math.exp(Math.tanh(x));
    expect(f(Float64Array.of(x, v))).toBeCloseTo(expected, 14);
  });

  it("[HY15] sums of any length are computed from the left, and so are their derivatives", () => {
    const coefficients = Array.from({ length: 50_000 }, (_, i) => Math.sin(i + 1));
    const text = coefficients.map((c, i) => `${i % 2 ? "-" : "+"} ${Math.abs(c)}*x^2`).join(" ");
    const field = formulaField(formula(`v ${text}`), scope);
    const [x, v] = [0.3, -1.7];
    let [expected, slope] = [v, 0];
    coefficients.forEach((c, i) => {
      const sign = i % 2 ? -1 : 1;
      expected += sign * (Math.abs(c) * (x * x));
      slope += sign * Math.abs(c) * 2 * x;
    });
    expect(field.value(Float64Array.of(x, v))).toBe(expected);
    const gradient = new Float64Array(2);
    field.gradient!(Float64Array.of(x, v), gradient);
    expect(gradient[0]).toBeCloseTo(slope, 9);
    expect(gradient[1]).toBe(1);
  });

  it("[HY15] what the reader accepts can be computed, however deep", () => {
    const deep = `${"sin(".repeat(90)}x*v${")".repeat(90)}`;
    for (const text of [
      `${"x*".repeat(150)}v`,
      deep,
      `${"max(x, ".repeat(12)}v${")".repeat(12)}`,
    ]) {
      const field = formulaField(formula(text), scope);
      const gradient = new Float64Array(2);
      field.gradient!(Float64Array.of(0.9, 0.8), gradient);
      expect(Number.isFinite(gradient[0] + gradient[1])).toBe(true);
    }
  });

  it("[HY2] gradients agree with differences for any formula of smooth parts", () => {
    const { tree } = fc.letrec<{ tree: string; leaf: string; sum: string; call: string }>(
      (tie) => ({
        leaf: fc.constantFrom("x", "v", "k", "0.7", "2"),
        sum: fc
          .tuple(tie("tree"), fc.constantFrom("+", "-", "*"), tie("tree"))
          .map(([a, o, b]) => `(${a}${o}${b})`),
        call: fc
          .tuple(fc.constantFrom("sin", "cos", "tanh", "atan"), tie("tree"))
          .map(([f, a]) => `${f}(${a})`),
        tree: fc.oneof({ maxDepth: 4 }, tie("leaf"), tie("sum"), tie("call")),
      }),
    );
    const coordinate = fc.double({ min: -1, max: 1, noNaN: true });
    fc.assert(
      fc.property(tree, coordinate, coordinate, (text, x, v) => {
        const field = formulaField(formula(text), scope);
        const gradient = new Float64Array(2);
        field.gradient!(Float64Array.of(x, v), gradient);
        const h = 1e-5;
        const dx = field.value(Float64Array.of(x + h, v)) - field.value(Float64Array.of(x - h, v));
        const dv = field.value(Float64Array.of(x, v + h)) - field.value(Float64Array.of(x, v - h));
        const size = 1 + Math.abs(gradient[0]) + Math.abs(gradient[1]);
        expect(Math.abs(gradient[0] - dx / (2 * h)) / size).toBeLessThan(1e-4);
        expect(Math.abs(gradient[1] - dv / (2 * h)) / size).toBeLessThan(1e-4);
      }),
      { seed: 81, numRuns: cases(200) },
    );
  });

  it.each([
    ["x^3/v", 0.5, 2, (3 * 0.25) / 2, -0.125 / 4],
    ["sqrt(x) + log(v) - exp(x*v)", 4, 0.5, 0.25 - 0.5 * Math.exp(2), 2 - 4 * Math.exp(2)],
    ["v*abs(v)", 1, -3, 0, 6],
    ["min(x, 2*v) + max(x, v)", 3, 1, 1, 2],
    ["tan(x) + 2^v", 0, 3, 1, 8 * Math.LN2],
  ])("[HY2] the gradient of %s follows the rules of calculus", (text, x, v, byX, byV) => {
    const gradient = new Float64Array(2);
    formulaField(formula(text), scope).gradient!(Float64Array.of(x, v), gradient);
    expect(gradient[0]).toBeCloseTo(byX, 12);
    expect(gradient[1]).toBeCloseTo(byV, 12);
  });
});
