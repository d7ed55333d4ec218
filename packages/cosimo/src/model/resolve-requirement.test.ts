import { describe, expect, it } from "vitest";
import { type Diagnostic, reporterFor } from "../base/diagnostic.ts";
import { parseRequirement } from "../lang/requirement/parse-requirement.ts";
import { printFormula } from "../lang/requirement/print-formula.ts";
import { parseUnit } from "./physical-unit-parse.ts";
import type { Formula, Requirement } from "./requirement.ts";
import { type FoundSignal, resolveRequirement, type SignalLookup } from "./resolve-requirement.ts";
import { REQUIREMENT_RULES } from "./resolve-requirement-diagnostics.ts";
import type { ValueType } from "./value-type.ts";

/** Signals by name: unit of measurement, or type. */
const SIGNALS: Readonly<Record<string, string>> = {
  "m.i": "A",
  "m.u": "V",
  "m.x": "mm",
  "m.v": "m/s",
  "m.w": "rad/s",
  "m.T": "degC",
  "m.Tk": "K",
  "m.phi": "deg",
  "m.plain": "",
  "m.odd": "furlongs-of-its-own",
  "m.count": "int32",
  "m.mode": "enumeration",
  "m.on": "boolean",
  "m.tick": "event",
  "m.text": "string",
};
const TYPES = ["int32", "enumeration", "boolean", "string"];

const lookup: SignalLookup = {
  signal(name) {
    const about = SIGNALS[name];
    if (about === undefined) return undefined;
    const type = (TYPES.includes(about) ? about : "float64") as ValueType;
    const isReal = type === "float64" && about !== "event";
    const unit = about === "" || !isReal ? undefined : (parseUnit(about) ?? { name: about });
    const found: FoundSignal = {
      name,
      type,
      isStepwise: !isReal,
      ...(unit !== undefined && { unit }),
      ...(about === "event" && { isEvent: true }),
    };
    return found;
  },
  power: (_, place) => ({
    kind: "operation",
    operator: "*",
    left: { kind: "signal", signal: "m.u", place },
    right: { kind: "signal", signal: "m.i", place },
    place,
  }),
};

function resolve(text: string): { requirement?: Requirement; diagnostics: readonly Diagnostic[] } {
  const { value } = parseRequirement(text, { file: "f", line: 1, column: 1 });
  if (value === undefined) throw new Error(`'${text}' is not a requirement`);
  const diagnostics: Diagnostic[] = [];
  const requirement = resolveRequirement(
    value,
    "r",
    lookup,
    reporterFor(REQUIREMENT_RULES, diagnostics),
  );
  return { ...(requirement && { requirement }), diagnostics };
}

/** The formula with the names of its signals, and the unit of its comparison. */
function meaning(text: string): string {
  const { requirement, diagnostics } = resolve(text);
  if (requirement === undefined) return diagnostics.map(({ message }) => message).join("; ");
  const named = JSON.parse(
    JSON.stringify(requirement.formula, (key, value) =>
      key === "signal" ? requirement.signals[value as number]?.name : value,
    ),
  ) as Formula<string>;
  const unit = /"unit":"([^"]*)"/.exec(JSON.stringify(requirement.formula))?.[1];
  return `${printFormula(named)}${unit === undefined ? "" : ` (${unit})`}`;
}

describe("signals and units of requirements", () => {
  it.each([
    ["always m.i < 500 mA", "always m.i < 0.5 (A)"],
    ["always 500 mA > m.i", "always 500 > m.i * 1000 (mA)"],
    ["always m.i < 5", "always m.i < 5 (A)"],
    ["always m.x < 2 m", "always m.x < 2000 (mm)"],
    ["always m.T < 300 K", `always m.T < ${300 - 273.15} (degC)`],
    ["always m.T < m.Tk", "always m.T < m.Tk + -273.15 (degC)"],
    ["always m.T - m.T < 5 K", "always m.T - m.T < 5 (degC)"],
    ["always m.T + 5 K < 80 degC", "always m.T + 5 < 80 (degC)"],
    ["always m.i * m.u < 2 kW", "always m.i * m.u < 2000 (A.V)"],
    ["always derivative(m.x) < 1 m/s", "always derivative(m.x) < 1000 (mm/s)"],
    ["always m.v / 2 < 1 km/h", `always m.v / 2 < ${1 / 3.6} (m/s)`],
    ["always m.v ^ 2 < 4 m2/s2", "always m.v ^ 2 < 4 ((m/s)^2)"],
    ["always sqrt(m.v ^ 2) < 4 m/s", "always sqrt(m.v ^ 2) < 4 (((m/s)^2)^0.5)"],
    ["always sin(m.phi) < 0.5", `always sin(m.phi * ${Math.PI / 180}) < 0.5`],
    ["always smoothness(m.x, 1 s) > 90 %", "always smoothness(m.x, 1 s) > 0.9"],
    ["settling(m.x, 1 m, 1 mm) < 200 ms", "settling(m.x, 1000, 1) < 0.2 (s)"],
    ["overshoot(m.T, 300 K) < 2 K", `overshoot(m.T, ${300 - 273.15}) < 2 (degC)`],
    ["always energy(e) < 1 kJ", "always integral(m.u * m.i) < 1000 (J)"],
    ["always time < 1 min", "always time < 60 (s)"],
    ["always min(m.x, 1 m) < 3", "always min(m.x, 1000) < 3 (mm)"],
    ["always m.on implies m.tick", "always m.on implies m.tick"],
    ["always m.plain < 3", "always m.plain < 3"],
  ])("[RQ15] %s", (text, expected) => {
    expect(meaning(text)).toBe(expected);
  });

  it("[RQ2] both sides whole: integers and enumerations, not a fraction", () => {
    const isWhole = (text: string): boolean =>
      JSON.stringify(resolve(text).requirement).includes('"isWhole":true');
    expect(isWhole("always m.count < 5")).toBe(true);
    expect(isWhole("always abs(m.count - 2) * 2 <= m.mode")).toBe(true);
    expect(isWhole("always m.count < 5.5")).toBe(false);
    expect(isWhole("always m.count / 2 < 5")).toBe(false);
    expect(isWhole("always m.plain < 5")).toBe(false);
  });

  it.each([
    [
      "always m.i < 5 V",
      "requirement-units",
      "the two sides of '<': 'V' (kg.m2/(s3.A)) and 'A' measure different things",
    ],
    ["always m.i + 3 m < 5", "requirement-units", "the two sides of '+'"],
    ["always exp(m.i) < 5", "requirement-units", "'exp'"],
    ["always m.T * 2 < 5", "requirement-units", "degC has a zero of its own"],
    ["always m.T + m.T < 5", "requirement-units", "two values on the scale of degC are added"],
    ["always m.on < 5", "requirement-signal", "'m.on' holds or does not, and is not a number"],
    ["always m.text == 5", "requirement-signal", "'m.text' is a string value"],
    ["always m.i", "requirement-signal", "'m.i' (float64) is neither boolean nor an event"],
    ["always m.x < 2 ^ m.i", "requirement-units", "the exponent"],
    ["always m.i < 5 after m.u > 2 s", "requirement-units", "the two sides of '>'"],
  ])("[RQ15] '%s' is refused", (text, code, message) => {
    const { requirement, diagnostics } = resolve(text);
    expect(requirement).toBeUndefined();
    expect(diagnostics[0]).toMatchObject({ code, message: expect.stringContaining(message) });
  });

  it.each([
    ["always m.plain < 5 A", "the signal has no unit, so 5 A is taken as 5"],
    ["always m.odd < 5 A", "is not defined; the numbers are taken as they are"],
    ["always m.w < 5 Hz", "differ in the radian"],
  ])("[RQ15] '%s' is doubtful, and read", (text, message) => {
    const { requirement, diagnostics } = resolve(text);
    expect(requirement).toBeDefined();
    expect(diagnostics).toMatchObject([
      { code: "requirement-units-doubtful", message: expect.stringContaining(message) },
    ]);
  });
});
