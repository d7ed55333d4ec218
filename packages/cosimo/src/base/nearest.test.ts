import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nearest } from "./nearest.ts";

describe("nearest", () => {
  it.each([
    ["lvl", ["level", "time", "lv"], "lv"],
    ["speeed", ["speed", "space"], "speed"],
    ["seped", ["speed", "sped up"], "speed"],
    ["HEIGHT", ["height"], "height"],
    ["x", ["y"], "y"],
  ])("[CL2] '%s' among %j is likely meant as '%s'", (typed, candidates, expected) => {
    expect(nearest(typed, candidates)).toBe(expected);
  });

  it("[CL2] offers nothing when nothing is close", () => {
    expect(nearest("temperature", ["pressure", "x"])).toBeUndefined();
  });

  it("counts a swap of neighbours as one slip", () => {
    expect(nearest("verison", ["version"])).toBe("version");
  });
});

/** Optimal string alignment, straight from its recursive definition. */
function distance(a: string, b: string): number {
  if (a === "" || b === "") return a.length + b.length;
  const change = a.at(-1) === b.at(-1) ? 0 : 1;
  const [p, q] = [a.slice(0, -1), b.slice(0, -1)];
  const least = Math.min(distance(p, b) + 1, distance(a, q) + 1, distance(p, q) + change);
  const isSwap = a.length > 1 && b.length > 1 && a.at(-1) === b.at(-2) && a.at(-2) === b.at(-1);
  return isSwap ? Math.min(least, distance(a.slice(0, -2), b.slice(0, -2)) + 1) : least;
}

describe("the distance of two words", () => {
  it("counts insertions, deletions, substitutions and swaps; a third of the letters may be wrong", () => {
    const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(word, word, (typed, candidate) => {
        const isClose = distance(typed, candidate) <= Math.max(1, Math.floor(typed.length / 3));
        expect(nearest(typed, [candidate])).toBe(isClose ? candidate : undefined);
      }),
    );
  });

  it("prefers the first of equally close candidates", () => {
    expect(nearest("abc", ["abd", "abe"])).toBe("abd");
    expect(nearest("abc", ["abd", "abc"])).toBe("abc");
  });
});
