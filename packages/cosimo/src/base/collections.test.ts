import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addTo, ascending } from "./collections.ts";

describe("collections", () => {
  it("gathers items by key, in the order of arrival", () => {
    const lists = new Map<string, number[]>();
    for (const [key, item] of [
      ["a", 1],
      ["b", 2],
      ["a", 3],
      ["a", 1],
    ] as const)
      addTo(lists, key, item);
    expect([...lists]).toEqual([
      ["a", [1, 3, 1]],
      ["b", [2]],
    ]);
  });

  it("orders numbers by value, each once", () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), (numbers) => {
        const found = ascending(numbers);
        expect(new Set(found)).toEqual(new Set(numbers));
        for (let i = 1; i < found.length; i++) expect(found[i - 1]).toBeLessThan(found[i]);
      }),
    );
    expect(ascending([10, 9, 100])).toEqual([9, 10, 100]);
  });
});
