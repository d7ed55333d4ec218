import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatDiagnostic } from "../../base/diagnostic.ts";
import type { Formula } from "../../model/requirement.ts";
import { randomFormula } from "../../requirements/testing/formulas.ts";
import { withoutPlaces } from "../text/testing/without-places.ts";
import { parseRequirement } from "./parse-requirement.ts";
import { printFormula } from "./print-formula.ts";

const PLACE = { file: "f", line: 3, column: 10 };

function read(text: string): NonNullable<ReturnType<typeof parseRequirement>["value"]> {
  const { value, diagnostics } = parseRequirement(text, PLACE);
  if (value === undefined) throw new Error(diagnostics.map(formatDiagnostic).join("\n"));
  return value;
}
/** The brackets that a formula needs show how it was understood. */
const understood = (text: string): string => printFormula(read(text).formula);
const finding = (text: string): string => {
  const { diagnostics } = parseRequirement(text, PLACE);
  const [d] = diagnostics;
  return d === undefined ? "nothing" : `${d.place.column}: ${d.message}; ${d.fix}`;
};

describe("a requirement in a line", () => {
  it.each([
    ["always motor.current < 5 A", "always motor.current < 5 A"],
    ["always a.x<5 and b.y", "always a.x < 5 and b.y"],
    ["(always a.x < 5) and b.y", "(always a.x < 5) and b.y"],
    ["not a.x < 5 or b.y and c.z", "not a.x < 5 or b.y and c.z"],
    [
      "always (a.b implies eventually within 2 s c.d)",
      "always a.b implies eventually[0 s, 2 s] c.d",
    ],
    ["always[1 s, 500 ms * 4] a.b", undefined],
    ["eventually[100 ms, 2 min] a.b", "eventually[0.1 s, 120 s] a.b"],
    ["always for 2 s a.b", "always[0 s, 2 s] a.b"],
    ["eventually [1, end] a.b", "eventually[1 s, end] a.b"],
    ["never a.x > 3", "always not a.x > 3"],
    ["a.b until [0, 3] c.d or e.f", "a.b until[0 s, 3 s] c.d or e.f"],
    ["eventually[1 s:10 s] a.b", "eventually[1 s, 10 s] a.b"],
    ["always[0:3] a.b", "always[0 s, 3 s] a.b"],
    ["always 1 m < a.x and a.x <= 2 m", "always 1 m < a.x <= 2 m"],
    ["always (a.x + 2) * 3 < -b.y^2", "always (a.x + 2) * 3 < -b.y ^ 2"],
    ["always abs(derivative(a.x)) < 3 m/s^2", "always abs(derivative(a.x)) < 3 m/s^2"],
    ["always average(a.x, 2 s) < min(a.y, 3)", "always average(a.x, 2 s) < min(a.y, 3)"],
    ["settling(a.x, 5, 0.1) < 3 s", "settling(a.x, 5, 0.1) < 3 s"],
    ["always energy(shaft) > 0 J", "always energy(shaft) > 0 J"],
    ["always a.b == true", "always a.b iff true"],
    ["always a.A[2,1] < 3", "always a.A[2,1] < 3"],
    ["always 'a.der(x)' < 3", "always 'a.der(x)' < 3"],
    ["always rises(a.b) implies time > 2 s", "always rises(a.b) implies time > 2 s"],
  ])("[RQ12] %s", (text, meaning) => {
    if (meaning === undefined) expect(() => read(text)).toThrow();
    else expect(understood(text)).toBe(meaning);
  });

  it("[RQ12] what is printed is read as the same, for random formulas", () => {
    const named = (f: Formula<number>): Formula<string> =>
      JSON.parse(
        JSON.stringify(f, (key, value) =>
          key === "signal" && typeof value === "number" ? `u.${"xy"[value]}` : value,
        ),
      ) as Formula<string>;
    fc.assert(
      fc.property(randomFormula(0.5), (f) => {
        const formula = named(f);
        const text = printFormula(formula);
        expect(withoutPlaces(read(text).formula), text).toEqual(withoutPlaces(formula));
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ["always a.x < 5", "globally", ""],
    ["always a.x < 5 globally", "globally", ""],
    ["always a.x < 5 after start", "globally", ""],
    ["always a.x < 5 after a.on", "after", "a.on"],
    ["always a.x < 5 after 2 s", "after", "time >= 2 s"],
    ["always a.x < 5 before rises(a.off)", "before", "rises(a.off)"],
    ["always a.x < 5 between a.on and a.off", "between", "a.on / a.off"],
    ["always a.x < 5 between 1 s and 2 s", "between", "time >= 1 s / time >= 2 s"],
    ["always a.x < 5 after a.on until a.off", "after-until", "a.on / a.off"],
    ["always a.x < 5 while a.on", "after-until", "a.on / not a.on"],
  ])("[RQ13] the scope of '%s'", (text, kind, bounds) => {
    const { scope } = read(text);
    expect(scope.kind).toBe(kind);
    const found = ["begin", "end"].flatMap((key) =>
      key in scope ? [printFormula((scope as never)[key])] : [],
    );
    expect(found.join(" / ")).toBe(bounds);
  });

  it("[RQ12] a name stands behind 'as'", () => {
    expect(read("always a.x < 5 after a.on as limit")).toMatchObject({
      name: "limit",
      text: "always a.x < 5 after a.on",
    });
  });

  it.each([
    ["always a.x <", "22: the requirement ends where a number, a signal or '(' should be"],
    ["always a.x < 5 Amp", "25: 'Amp' is not a known unit"],
    ["always[-1 s, 2 s] a.b", "17: '-1 s' is negative; write a time of 0 or more"],
    [
      "always[2 s, 1 s] a.b",
      "16: '[2 s, 1 s]' ends before it begins; write the earlier time first",
    ],
    ["eventually within 3 m a.b", "28: '3 m' is not a time"],
    ["always avrage(a.x, 2 s) < 3", "17: there is no function 'avrage'; did you mean 'average'?"],
    ["always delay(a.x) < 3", "17: 'delay' needs a time; write delay(x, 2 s)"],
    ["always derivative(a.x, 2 s) < 3", "17: 'derivative' has too many arguments"],
    ["always min(a.x) < 3", "17: 'min' has 1 argument, and needs 2; write min(x, y)"],
    ["always a.x < 1e999", "23: '1e999' is too large for a number"],
    ["always a.x + 3", "17: a number stands where a condition is expected"],
    ["always (a.x < 3) + 2 < 4", "18: a condition stands where a number is expected"],
    [
      "always a.x = 3",
      "21: the requirement has '=' where an operator, a scope ('after …') or the end should be; compare with ==",
    ],
    ["alwys a.x < 3", "10: there is no word 'alwys'; did you mean 'always'?"],
    ["always a.x < 3 after", "30: the requirement ends where"],
    ["", "10: the requirement ends where"],
    [
      "a.x < 3",
      "10: 'a.x < 3' is required at the beginning only, not all the time; write 'always a.x < 3'",
    ],
  ])("[RQ14] a mistake in '%s' is located and explained", (text, remark) => {
    expect(finding(text)).toContain(remark);
  });

  it("[RQ14] reads any text without throwing", () => {
    const words = [
      "always",
      "(",
      ")",
      "[",
      "]",
      "a.b",
      "3",
      "s",
      "<",
      "until",
      "not",
      "-",
      ",",
      "after",
      "and",
      "'",
      "min",
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...words), { maxLength: 15 }), (parts) => {
        parseRequirement(parts.join(" "), PLACE);
      }),
    );
    for (const sign of ["(", "not ", "-", "always ", "a.b implies ", "a.b and ", "a.x < "])
      expect(parseRequirement(sign.repeat(5000), PLACE).diagnostics).not.toEqual([]);
  });
});
