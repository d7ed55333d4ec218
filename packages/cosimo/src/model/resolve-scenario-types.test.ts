/**
 * Which type may feed which, for every pair, against the sets of values that the types have; and
 * what a written mapping must say.
 */
import { describe, expect, it } from "vitest";
import { fitOf, isDiscrete, resolveMapping } from "./resolve-scenario-types.ts";
import { standIn } from "./testing/stand-in-units.ts";
import type { Port } from "./unit-description.ts";
import { TYPE_NAMES, type Value, type ValueType } from "./value-type.ts";

const port = (option: string): Port => standIn("M", `out y ${option}`).ports[0];
const typed = (type: ValueType): Port => port(`:${type}`);
const TYPES = Object.keys(TYPE_NAMES) as ValueType[];

/** Smallest and largest value, by the name of the type. */
function rangeOf(type: ValueType): readonly [bigint, bigint] | undefined {
  const [, unsigned, bits] = /^(u?)int(\d+)$/.exec(type) ?? [];
  if (bits === undefined) return undefined;
  const size = BigInt(bits);
  return unsigned === "u" ? [0n, 2n ** size - 1n] : [-(2n ** (size - 1n)), 2n ** (size - 1n) - 1n];
}

/**
 * The table at the head of the file, in terms of values: without items an enumeration has 32 bits.
 */
function expectedFit(from: ValueType, to: ValueType): "fits" | "rounds" | "unchecked" | "no" {
  if (from === to) return "fits";
  const isFloat = (type: ValueType): boolean => type.startsWith("float");
  const source =
    from === "boolean" ? [0n, 1n] : from === "enumeration" ? rangeOf("int32") : rangeOf(from);
  const target = rangeOf(to);
  if (isFloat(to)) {
    if (isFloat(from)) return "fits";
    if (source === undefined || from === "enumeration") return "no";
    // Whole numbers up to 2^digits are exact in a float of so many binary digits.
    const digits = to === "float64" ? 53n : 24n;
    return source[1] <= 2n ** digits ? "fits" : "rounds";
  }
  if (to === "enumeration" && from !== "boolean" && source !== undefined)
    return source[1] < 2n ** 32n ? "unchecked" : "no";
  if (target === undefined || source === undefined) return "no";
  return source[0] >= target[0] && source[1] <= target[1] ? "fits" : "no";
}

describe("a type feeds another", () => {
  it.each(TYPES)("[SC24] %s: every other type, as their values allow", (from) => {
    const found = TYPES.map((to) => `${to} ${fitOf(typed(from), typed(to)).kind}`);
    expect(found).toEqual(TYPES.map((to) => `${to} ${expectedFit(from, to)}`));
  });

  it("[SC25] a fix offers a mapping where both types can be listed, else the same type", () => {
    for (const from of TYPES)
      for (const to of TYPES) {
        const fit = fitOf(typed(from), typed(to));
        if (fit.kind !== "no") continue;
        const canMap = isDiscrete(from) && isDiscrete(to);
        expect([from, to, fit.fix.includes("mapping")]).toEqual([from, to, canMap]);
      }
  });
});

describe("an enumeration", () => {
  it.each<[string, string, string]>([
    ["{off:0,on:1}", "{off:0,on:1}", "fits"],
    ["{off:0,on:1}", "{on:1,off:0,auto:2}", "fits"],
    ["{off:0,on:1}", "{off:1,on:2}", "0→1 1→2"],
    ["{off:0,on:1}", "{off:0,on:5}", "0→0 1→5"],
    ["{off:0,on:1}", "{off:0}", "no: 'on' is not an item of the target"],
    ["{low:-128,high:127}", ":int8", "fits"],
    ["{low:-129,high:0}", ":int8", "no: use a wider input"],
    ["{low:0,high:128}", ":int8", "no: use a wider input"],
    ["{low:0,high:255}", ":uint8", "fits"],
    ["{low:-1,high:255}", ":uint8", "no: use a wider input"],
  ])("[SC24] %s feeds %s: %s", (from, to, expected) => {
    const fit = fitOf(port(from), port(to));
    const text =
      fit.kind === "no"
        ? `no: ${fit.fix.split(/[;,]/)[0]}`
        : fit.kind === "fits" && fit.mapping
          ? fit.mapping.map((pair) => `${pair.from}→${pair.to}`).join(" ")
          : fit.kind;
    expect(text).toBe(expected);
  });
});

describe("a mapping", () => {
  const pairs = (...list: readonly (readonly [Value, Value])[]) =>
    list.map(([from, to]) => ({ from, to }));

  it("[SC25] has values of both types, items by name or number", () => {
    const found = resolveMapping(
      port("{off:0,on:1}"),
      port(":boolean"),
      pairs(["off", "false"], [1, true]),
    );
    expect(found).toEqual({ mapping: pairs([0, false], [1, true]) });
  });

  it.each<[string, string, ReturnType<typeof pairs>, unknown]>([
    ["{off:0,on:1}", ":boolean", pairs(["of", true]), { badValue: "of", side: "from" }],
    [":boolean", "{off:0,on:1}", pairs([true, "onn"]), { badValue: "onn", side: "to" }],
    [":int8", ":uint8", pairs([1, 1], [200, 1]), { badValue: 200, side: "from" }],
    [":int8", ":uint8", pairs([1, 1], [2, -1]), { badValue: -1, side: "to" }],
    ["{off:0,on:1}", ":boolean", pairs(["off", false]), { missing: "on" }],
    [":boolean", "{off:0,on:1}", pairs([true, "on"]), { missing: "false" }],
    [":boolean", "{off:0,on:1}", pairs([false, "on"]), { missing: "true" }],
    [":boolean", ":int8", pairs([true, 5]), { mapping: pairs([true, 5]) }],
    [":int16", ":int8", pairs([1, 5]), { mapping: pairs([1, 5]) }],
    ["{off:0,on:1}", "{off:0,on:1,auto:2}", pairs(["on", "auto"]), { mapping: pairs([1, 2]) }],
  ])("[SC25] from %s to %s with %j", (from, to, written, expected) => {
    expect(resolveMapping(port(from), port(to), written)).toMatchObject(expected as object);
  });
});

describe("events", () => {
  const natured = (type: ValueType, nature: Port["nature"]): Port => ({ ...typed(type), nature });

  it.each<[string, Port, Port, string]>([
    ["a clock ticks a clock", natured("clock", "transient"), natured("clock", "transient"), "fits"],
    [
      "an event ticks a clock",
      natured("boolean", "transient"),
      natured("clock", "transient"),
      "fits",
    ],
    ["a clock is an event", natured("clock", "transient"), natured("boolean", "transient"), "fits"],
    ["a value that lasts ticks none", typed("boolean"), natured("clock", "transient"), "no"],
    ["a clock is not a value that lasts", natured("clock", "transient"), typed("boolean"), "no"],
    [
      "a number is not an event",
      natured("int32", "transient"),
      natured("clock", "transient"),
      "no",
    ],
  ])("[SC24] %s", (_, from, to, expected) => {
    expect(fitOf(from, to).kind).toBe(expected);
  });
});
