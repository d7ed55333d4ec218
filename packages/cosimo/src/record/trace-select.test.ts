import { describe, expect, it } from "vitest";
import { globOf } from "../base/glob.ts";
import {
  type Direction,
  NO_CAPABILITIES,
  type Port,
  type UnitDescription,
  type Variability,
} from "../model/unit-description.ts";
import { selectColumns, splitPatterns } from "./trace-select.ts";

/** `x y:local:discrete A<2,2>:output` → a unit with these ports. */
function unit(notation: string): UnitDescription {
  const ports = notation.split(" ").map((text, index): Port => {
    const [name = "", direction = "output", variability = "continuous"] = text.split(":");
    const array = /^(.*)<([\d,]+)>$/.exec(name);
    return {
      index,
      name: array?.[1] ?? name,
      direction: direction as Direction,
      type: "float64",
      shape: array?.[2]?.split(",").map(Number) ?? [],
      variability: variability as Variability,
      nature: "continuous",
      unit: { name: "m" },
    };
  });
  return {
    name: "u",
    backend: "typescript",
    ports,
    capabilities: NO_CAPABILITIES,
    experiment: {},
  };
}

function chosen(notation: string, patterns = ""): string {
  const { value } = selectColumns(unit(notation), splitPatterns(patterns));
  return value?.map(({ info }) => info.name).join(" ") ?? "";
}

describe("what is recorded", () => {
  it("[RC17] is all outputs by default, else the continuous locals", () => {
    expect(chosen("time:independent x y:local u:input")).toBe("x");
    expect(chosen("x:local n:local:discrete p:parameter:fixed")).toBe("x");
  });

  it("[RC17] warns when that is nothing", () => {
    const { value, diagnostics } = selectColumns(unit("p:parameter:fixed"), []);
    expect(value).toEqual([]);
    expect(diagnostics.map(({ code }) => code)).toEqual(["record-nothing"]);
  });

  it.each([
    ["x", "x"],
    ["x*", "x xy"],
    ["?", "x h p"],
    ["der(*)", "der(h)"],
    ["h,x", "h x"],
    ["p,x*,x", "p x xy"],
    ["*", "x xy h der(h) p"],
    ["x,x*", "x xy"],
    ["*.*", ""],
  ])("[RC18] %s chooses %s", (patterns, expected) => {
    const ports = "time:independent x xy h:local der(h):local p:parameter:fixed";
    expect(chosen(ports, patterns)).toBe(expected);
  });

  it.each([
    ["al*", ["alias_x", "alias_A[1]", "alias_A[2]"]],
    ["alias_x,al*_x", ["alias_x"]],
    ["*", ["x", "A[1]", "A[2]"]],
    ["*x", ["x"]],
  ])("[RC18] %s finds aliases where names do not fit: %s", (pattern, expected) => {
    const plain = unit("x A<2>");
    const ports = plain.ports.map((port) => ({ ...port, aliases: [`alias_${port.name}`] }));
    const { value } = selectColumns({ ...plain, ports }, splitPatterns(pattern));
    expect(value?.map(({ info }) => info.name)).toEqual(expected);
  });

  it("[RC18] takes brackets, points and stars of exact names literally", () => {
    expect(chosen("a[1] a1 a.b axb s*r star", "a[1],a.b,s*r")).toBe("a[1] a.b s*r");
  });

  it("[RC18] answers for patterns of any length, and for many stars", () => {
    const long = "é".repeat(60_000);
    expect(chosen("x", `${long},x`)).toBe("x");
    expect(chosen(long, long.slice(0, -1).concat("?"))).toBe(long);
    const name = "a".repeat(3000);
    expect(chosen(name, `${"*a".repeat(200)}*b`)).toBe("");
    expect(chosen(name, `${"*a".repeat(200)}*`)).toBe(name);
  });

  it.each([
    ["*", "", true],
    ["a*c", "abbc", true],
    ["a*c", "abcb", false],
    ["*ab*ab", "ababab", true],
    ["a?c", "a\u{1f600}c", true],
    ["?", "", false],
    ["**b", "aab", true],
  ])("[RC18] '%s' against '%s'", (pattern, name, fits) => {
    expect(globOf(pattern).test(name)).toBe(fits);
  });

  it("[RC19] names array elements row by row from 1 and lets a pattern choose one", () => {
    expect(chosen("A<2,2> v<2>")).toBe("A[1,1] A[1,2] A[2,1] A[2,2] v[1] v[2]");
    expect(chosen("A<2,2> v<2>", "A[2,1],v")).toBe("A[2,1] v[1] v[2]");
    expect(chosen("A<2,2> v<2>", "A[*,2]")).toBe("A[1,2] A[2,2]");
  });

  it("[RC20] asks 'did you mean' for a pattern that matches nothing", () => {
    const { diagnostics } = selectColumns(unit("height speed"), ["hieght", "q*"]);
    expect(diagnostics.map(({ message, fix }) => `${message}; ${fix}`)).toEqual([
      "'hieght' matches no variable; did you mean 'height'?",
      "'q*' matches no variable; list the variables with 'cosimo info --variables'; * stands for any text, ? for one character",
    ]);
  });

  it("[RC20] marks what is not a continuous real as stepwise and keeps the unit", () => {
    const { value } = selectColumns(unit("x n:output:discrete"), []);
    expect(value?.map(({ info }) => info)).toEqual([
      { name: "x", type: "float64", unit: "m" },
      { name: "n", type: "float64", unit: "m", stepwise: true },
    ]);
  });
});
