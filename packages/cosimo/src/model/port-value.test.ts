import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { INTEGER_RANGES, readPortValue } from "./port-value.ts";
import { resolveScenario } from "./resolve-scenario.ts";
import type { UnitDraft, ValueDraft } from "./scenario.ts";
import { parseEquation, parseLevel, parseSigned, splitList } from "./scenario-notation.ts";
import { testDraft } from "./testing/plain-data.ts";
import { standIn } from "./testing/stand-in-units.ts";
import type { Value, ValueType } from "./value-type.ts";

const read = (notation: string, value: Value, unit?: string): unknown => {
  const [port] = standIn("U", `in x ${notation}`).ports;
  const result = readPortValue(port, value, unit);
  return "value" in result ? result.value : Object.values(result)[0];
};

describe("a value of a port", () => {
  it.each<[string, Value, unknown]>([
    ["", 2.5, 2.5],
    ["", 3n, 3],
    ["", " 1e-3 ", 1e-3],
    ["", "-inf", Number.NEGATIVE_INFINITY],
    ["", "+Infinity", Number.POSITIVE_INFINITY],
    ["@m", "5 mm", 0.005],
    ["@m", "5 m", 5],
    ["", "5 mm", "the port has no unit to convert to"],
    ["@m", "5 smoot", "'smoot' is not a known unit"],
    ["@m", "5 s", "'s' and 'm' measure different things"],
    ["", "five", "write a number such as 2.5 or 1e-3, with a unit if you like: 5 mm"],
    ["", true, "write a number such as 2.5 or 1e-3, with a unit if you like: 5 mm"],
    [":boolean", " TRUE ", true],
    [":boolean", 1, true],
    [":boolean", "0", false],
    [":boolean", 2, "write true or false"],
    [":string", "x", "x"],
    [":string", 5, 'put it in quotes: "5"'],
    [":binary", "00 fF", Uint8Array.of(0, 255)],
    [":binary", "", new Uint8Array()],
    [":binary", "0", 'write pairs of hexadecimal digits in quotes: "00ff7a"'],
    [":binary", "0g", 'write pairs of hexadecimal digits in quotes: "00ff7a"'],
    [":clock", 1, "a clock ticks, it has no value"],
    ["{shut:0,open:2}", " open ", 2],
    ["{shut:0,open:2}", "2", 2],
    ["{shut:0,open:2}", 1, "one of shut (0), open (2)"],
    ["{shut:0,open:2}", true, "one of shut (0), open (2)"],
    [":enumeration", 7, 7],
    [":enumeration", 7.5, "write a whole number"],
    [":int32", "+7", 7],
    [":int32", 7.5, "write a whole number between -2147483648 and 2147483647"],
    [":int32", "7.0", "write a whole number between -2147483648 and 2147483647"],
    [":int32", true, "write a whole number between -2147483648 and 2147483647"],
    [":int64", 1e15, 10n ** 15n],
  ])("[SC30] '%s' of %s is %s", (notation, value, expected) => {
    expect(read(notation, value)).toEqual(expected);
  });

  it("[SC30] has its unit in the text, or beside it, and the text wins", () => {
    expect(read("@m", 5, "mm")).toBe(0.005);
    expect(read("@m", "5", "mm")).toBe(0.005);
    expect(read("@m", "5 cm", "mm")).toBe(0.05);
    expect(read(":int32", 5, "mm")).toBe("a port of type int32 has no unit");
  });

  it("[SC30] fits an integer type exactly between its smallest and its largest value", () => {
    for (const [type, [low, high]] of Object.entries(INTEGER_RANGES)) {
      const isLong = type === "int64" || type === "uint64";
      for (const value of [low, high])
        expect(read(`:${type}`, value)).toBe(isLong ? value : Number(value));
      for (const value of [low - 1n, high + 1n])
        expect(read(`:${type}`, value)).toBe(`write a whole number between ${low} and ${high}`);
    }
  });

  it("[SC30] is the same from a number, a bigint and a text", () => {
    const type = fc.constantFrom<ValueType>("int8", "uint16", "int32");
    fc.assert(
      fc.property(type, fc.integer({ min: -200, max: 200 }), (name, value) => {
        const found = read(`:${name}`, value);
        expect(read(`:${name}`, BigInt(value))).toEqual(found);
        expect(read(`:${name}`, String(value))).toEqual(found);
      }),
    );
  });
});

const place = { file: "s.yaml", line: 1 };

/** What `set` reports about a port, and the values that it keeps. */
function set(notation: string, value: Value | readonly Value[], more: Partial<ValueDraft> = {}) {
  const values: ValueDraft[] = [{ port: "x", value, place, ...more }];
  const unit: UnitDraft = { name: "a", source: { kind: "fmu", path: "a.fmu" }, values, place };
  const draft = testDraft([unit], { place });
  const found = resolveScenario(draft, () => standIn("U", `par x ${notation}`));
  return {
    findings: found.diagnostics.map(({ code, message }) => `${code}: ${message}`),
    values: found.value?.units[0]?.values[0]?.values,
  };
}

describe("a list of values", () => {
  it("[SC30] is refused for one invalid element among several, whichever it is", () => {
    for (const at of [0, 1, 2]) {
      const list: Value[] = [1, 2, 3];
      list[at] = "five";
      expect(set("[3]", list).findings).toEqual([
        "value-malformed: 'five' is not a value of 'a.x' (float64)",
      ]);
      expect(set("[3]", list).values).toBeUndefined();
    }
  });

  it("[SC30] names the first invalid element only", () => {
    expect(set("[3]", [1, "two", "three"]).findings).toEqual([
      "value-malformed: 'two' is not a value of 'a.x' (float64)",
    ]);
  });

  it("[SC31] warns of each element outside the range, and keeps it", () => {
    const { findings, values } = set("[4] <0..10>", [-1, 0, 10, 11]);
    expect(findings).toEqual([
      "value-range: -1 is outside the range of 'a.x' (0 to 10)",
      "value-range: 11 is outside the range of 'a.x' (0 to 10)",
    ]);
    expect(values).toEqual([-1, 0, 10, 11]);
  });

  it("[SC30] has as many values as the port has elements; one value fills all", () => {
    expect(set("[3]", 7).values).toEqual([7, 7, 7]);
    expect(set("[3]", [7]).findings).toEqual([
      "value-count: 'a.x' has 3 elements, and 1 values are given",
    ]);
    expect(set("", [7, 8]).findings).toEqual([
      "value-count: 'a.x' has 1 element, and 2 values are given",
    ]);
    expect(set("", [7]).values).toEqual([7]);
  });

  it("[SC28] is refused for a unit of another dimension", () => {
    expect(set("@m [2]", [1, 2], { unit: "s" }).findings).toEqual([
      "value-unit: '1 s' does not fit 'a.x': 's' and 'm' measure different things",
    ]);
  });
});

describe("notations", () => {
  it.each([
    ["a.x = b.x", { left: "a.x", right: "b.x" }],
    ["a.x=b.x", { left: "a.x", right: "b.x" }],
    ["a.x", undefined],
    ["a.x =", undefined],
    ["= b.x", undefined],
    ["a = b = c", undefined],
  ])("[SC52] '%s' is the equation %j", (text, expected) => {
    expect(parseEquation(text)).toEqual(expected);
  });

  it.each([
    ["a.F", { port: "a.F", factor: 1 }],
    [" - a.F ", { port: "a.F", factor: -1 }],
    ["+a.F", { port: "a.F", factor: 1 }],
    ["-0.5 * a.M", { port: "a.M", factor: -0.5 }],
    ["2e3*a.M[1,2]", { port: "a.M[1,2]", factor: 2000 }],
    [".5 * a.M", { port: "a.M", factor: 0.5 }],
    ["--a.F", undefined],
    ["", undefined],
    ["*a.F", undefined],
  ])("[SC52] '%s' is the input %j", (text, expected) => {
    expect(parseSigned(text)).toEqual(expected);
  });

  it("[SC52] a comma between brackets separates indices, not inputs", () => {
    expect(splitList("a.F[1,2], -b.F")).toEqual(["a.F[1,2]", "-b.F"]);
    expect(splitList("a.F")).toEqual(["a.F"]);
  });

  it.each([
    [2, { crosses: 2 }],
    ["2", { crosses: 2 }],
    ["2 m", { crosses: 2, unit: "m" }],
    [" b.x ", { crosses: "b.x" }],
  ])("[SC54] %j is the level %j", (written, expected) => {
    expect(parseLevel(written)).toEqual(expected);
  });
});
