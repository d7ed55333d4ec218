import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatDiagnostic, unwrap } from "../../base/diagnostic.ts";
import type { Formula } from "../../model/requirement.ts";
import { randomFormula } from "../../requirements/testing/formulas.ts";
import { parseRequirement } from "../requirement/parse-requirement.ts";
import { printFormula } from "../requirement/print-formula.ts";
import { withoutPlaces } from "../text/testing/without-places.ts";
import { formatHint } from "./format-hint.ts";
import { PATTERNS } from "./hint-file.ts";
import { readHints } from "./meaning.ts";
import { parseHint } from "./parse-hint.ts";

const FIGURE = readFileSync(join(import.meta.dirname, "testing/figure-8.6.hint"), "utf8");

/** A hint with these statements, scope and pattern. */
const hint = (
  pattern: string,
  statements = "Property P := a.x < 3 Event S := b.on",
  scope = "Globally",
): string =>
  `Hint h {\n  statements { ${statements} }\n  scope ${scope}\n  pattern ${pattern}\n}\n`;

const meant = (text: string) => unwrap(readHints(text, "f.hint"));
const formula = (text: string): string => {
  const [first] = meant(text).requirements;
  return first === undefined ? "nothing" : printFormula(first.formula);
};
const findings = (text: string): string[] =>
  readHints(text, "f.hint").diagnostics.map(formatDiagnostic);

describe("hints", () => {
  it("[RQ19] figure 8.6 of the thesis: a rate and a power bond", () => {
    expect(withoutPlaces(meant(FIGURE))).toEqual({
      requirements: [],
      hints: [
        { kind: "rate", unit: "FMU1", hertz: 1e6, name: "ExecRate" },
        { kind: "power-bond", ports: ["Plant.f", "Load.v"], name: "PowerBond" },
      ],
    });
    const { hints } = unwrap(parseHint(FIGURE, "f.hint"));
    expect(hints.map(({ description }) => description)).toEqual([
      "Controller FMU is software.",
      "Plant/Load FMUs share a power connection.",
    ]);
  });

  it.each([
    ["Universality: always-the-case-that P holds", "always a.x < 3"],
    ["Universality: always-the-case-that P holds within 2 s", "always[0 s, 2 s] a.x < 3"],
    [
      "Universality:always-the-case-that P holds between 1 s and 2000 ms",
      "always[1 s, 2 s] a.x < 3",
    ],
    ["Absence: never-the-case-that P holds after 1 min", "always[60 s, end] not a.x < 3"],
    ["Existence: P eventually-holds", "eventually a.x < 3"],
    [
      "MinimumDuration: once P becomes-satisfied it-holds-for-at-least 2 s",
      "always rises(a.x < 3) implies always[0 s, 2 s] a.x < 3",
    ],
    [
      "MinDuration: once P becomes-satisfied it-holds-for-at-least 2 s",
      "always rises(a.x < 3) implies always[0 s, 2 s] a.x < 3",
    ],
    [
      "MaximumDuration: once P becomes-satisfied it-holds-for-at-most 2 s",
      "always rises(a.x < 3) implies eventually[0 s, 2 s] not a.x < 3",
    ],
    ["Recurrence: P holds-repeatedly every 2 s", "always eventually[0 s, 2 s] a.x < 3"],
    ["Recurrence: P holds-repeatedly", "always eventually a.x < 3"],
    [
      "Response: if P has-occurred then-in-response S eventually-holds within 2 s",
      "always a.x < 3 implies eventually[0 s, 2 s] rises(b.on)",
    ],
    [
      "Precedence: if P holds then S has-occurred-before",
      "always a.x < 3 implies once rises(b.on)",
    ],
    [
      "Invariance: if P has-occurred then-in-response S holds-continually for 2 s",
      "always a.x < 3 implies always[0 s, 2 s] rises(b.on)",
    ],
    ["Until: P holds-without-interruption-until S holds", "a.x < 3 until rises(b.on)"],
    [
      "Universality: always-the-case-that a.x + 1 < val 3 m/s^2 and not P holds",
      "always a.x + 1 < 3 m/s^2 and not a.x < 3",
    ],
  ])("[RQ20] %s", (pattern, meaning) => {
    expect(formula(hint(pattern))).toBe(meaning);
  });

  it("[RQ20] every pattern of the table is read as the table writes it", () => {
    for (const [kind, { usage }] of Object.entries(PATTERNS))
      expect(meant(hint(`${kind}: ${usage}`)).requirements, kind).toHaveLength(1);
  });

  it("[RQ20] at least a time means that at its end it may be over", () => {
    const [first] = meant(
      hint("MinDuration: once P becomes-satisfied it-holds-for-at-least 2 s"),
    ).requirements;
    expect(JSON.stringify(first)).toContain('"interval":{"from":0,"to":2,"isOpen":true}');
  });

  it.each([
    ["Globally", "globally"],
    ["Before S", "before rises(b.on)"],
    ["After P", "after a.x < 3"],
    ["Between P and S", "between a.x < 3 / rises(b.on)"],
    ["After P or S until b.off", "after-until a.x < 3 or rises(b.on) / b.off"],
  ])("[RQ13] the scope %s", (written, expected) => {
    const [first] = meant(hint("Existence: P eventually-holds", undefined, written)).requirements;
    const scope = first?.scope ?? { kind: "globally" };
    const bounds = ["begin", "end"].flatMap((key) =>
      key in scope ? [printFormula((scope as never)[key])] : [],
    );
    expect([scope.kind, ...(bounds.length > 0 ? [bounds.join(" / ")] : [])].join(" ")).toBe(
      expected,
    );
  });

  it("[RQ19] formulas are those of the short form, for random ones", () => {
    const named = (f: Formula<number>): string =>
      printFormula(
        JSON.parse(
          JSON.stringify(f, (key, value) =>
            key === "signal" && typeof value === "number" ? `u.${"xy"[value]}` : value,
          ),
        ) as Formula<string>,
      );
    fc.assert(
      fc.property(randomFormula(0.5), (f) => {
        const text = named(f);
        const short = unwrap(parseRequirement(`always (${text})`, { file: "f" })).formula;
        const [long] = meant(
          hint("Universality: always-the-case-that P holds", `Property P := ${text}`),
        ).requirements;
        expect(withoutPlaces(long?.formula), text).toEqual(withoutPlaces(short));
      }),
      { numRuns: 100 },
    );
  });

  it.each([
    ["units", "a.x < 3 m/s and a.x < 2 m/s^2 and a.x < 4 m^2 and a.x < 5 N*m"],
    ["units and a quotient", "a.x < 3 m / a.t"],
    ["functions", "abs(derivative(a.x)) < 2 and smoothness(a.x, 2 s) > 90 %"],
    ["elements and quotes", "a.A[2,1] < 'b.der(x)' - 1e-3"],
    ["chains", "1 < a.x <= 2 implies rises(a.on) until[1 s, end] a.off"],
    ["words behind a dot", "a.scope < b.once"],
  ])("[RQ19] %s are read as in the short form", (_, text) => {
    const short = unwrap(parseRequirement(`always (${text})`, { file: "f" })).formula;
    const [long] = meant(
      hint("Universality: always-the-case-that P holds", `Property P := ${text}`),
    ).requirements;
    expect(withoutPlaces(long?.formula)).toEqual(withoutPlaces(short));
  });

  it("[RQ21] formatting keeps comments and meaning, and is done once", () => {
    const text = `// What the plant does.
for "s.yaml"
Hint  a{description "x" statements{ // two of them
  Property P:=a.x<3 and a.y   // small
  /* the start */
  Event S := b.on }
  // from there on
  scope After S until P pattern Response:if P has-occurred then-in-response S eventually-holds between 1 s and 2 s }
${FIGURE}// the end
`;
    const once = unwrap(formatHint(text, "f.hint"));
    expect(unwrap(formatHint(once, "f.hint"))).toBe(once);
    expect(once).toContain(
      "    Property P := a.x < 3 and a.y // small\n    /* the start */\n    Event S := b.on\n",
    );
    expect(once).toContain(
      "  // from there on\n  scope After S until P\n  pattern Response: if P has-occurred then-in-response S eventually-holds between 1 s and 2 s\n}\n",
    );
    for (const comment of ["// What the plant does.", "// two of them", "// the end"])
      expect(once).toContain(comment);
    const bare = (one: string) => withoutPlaces(unwrap(readHints(one, "f.hint")));
    expect(bare(once)).toEqual(bare(text));
  });

  it.each([
    [
      hint("Existence: Q eventually-holds"),
      "f.hint:4:22 error hint-unknown-statement: there is no statement 'Q'\n  fix: did you mean 'P'?",
    ],
    [hint("Existence: Prop eventually-holds", "Property Prob := a.x < 3"), "did you mean 'Prob'?"],
    [hint("Existence: P eventually-holds", "Property P := a.x"), undefined],
    [
      hint("Existence: P eventually-holds", "Property P := a.x + 2"),
      "hint-formula: a number stands where a condition is expected",
    ],
    [hint("Existence: P eventually-holds within -2 s"), "hint-formula: '-2 s' is negative"],
    [hint("Existence: P eventually-holds within 2 m"), "hint-formula: '2 m' is not a time"],
    [hint("Existence: P eventually-holds between 2 s and 1 s"), "ends before it begins"],
    [
      hint("Existence: P eventually-holds", "Property P := a.x < 1 Property P := a.x < 2"),
      "hint-twice: 'P' is already there in line 2",
    ],
    [
      `${hint("Existence: P eventually-holds")}${hint("Existence: P eventually-holds")}`,
      "hint-twice: the hint 'h' is already there in line 1",
    ],
    [
      hint("Existence: P eventually-holds", "Property P := avrage(a.x) < 1"),
      "did you mean 'average'?",
    ],
    [
      hint(
        "Universality: always-the-case-that R holds",
        "Property R := FMUProperty c.rate == val 5 Hz",
      ),
      "hint-property: there is no property 'rate' of units",
    ],
    [
      hint(
        "Universality: always-the-case-that R holds",
        "Property R := FMUProperty c.exec_rate == val 5 kg",
      ),
      "hint-rate: '5 kg' is not a frequency above 0",
    ],
    [
      hint("Existence: R eventually-holds", "Property R := a.f == PowerBondSuggestions with b.v"),
      "hint-fact: 'R' is a power bond, which no trace shows",
    ],
    [
      hint(
        "Existence: P and R eventually-holds",
        "Property P := a.x < 1 Property R := a.f == PowerBondSuggestions with b.v",
      ),
      "hint-fact",
    ],
    [
      hint("Existence: P > 2 eventually-holds"),
      "'P' is a condition, and is compared like a number",
    ],
    [
      "Hint h { scope Globaly pattern Existence: a.b eventually-holds }",
      "text-syntax: expected a scope (Globally, Before, After, Between)",
    ],
    [
      "Hint h { scope Globally pattern Sometimes }",
      "text-syntax: expected a pattern (Universality: always-the-case-that P holds)",
    ],
  ])("[RQ22] mistakes have a place, a cause and a fix", (text, expected) => {
    const found = findings(text);
    if (expected === undefined) expect(found).toEqual([]);
    else expect(found.join("\n")).toContain(expected);
  });
});
