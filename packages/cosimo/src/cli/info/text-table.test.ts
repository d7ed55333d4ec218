import { describe, expect, it } from "vitest";
import { textTable } from "./text-table.ts";

describe("a table on a terminal", () => {
  it("aligns columns to the left, as wide as needed", () => {
    expect(
      textTable([
        ["a", "long", "x"],
        ["bcd", "s", ""],
      ]),
    ).toEqual(["  a    long  x", "  bcd  s"]);
  });

  it("has no gap for a column that is empty everywhere", () => {
    expect(textTable([["a", "", "b"]], "")).toEqual(["a  b"]);
  });

  it("cuts a line at the width of the terminal", () => {
    expect(textTable([["abcdefghij"]], "", 5)).toEqual(["abcd…"]);
    expect(textTable([["abcde"]], "", 5)).toEqual(["abcde"]);
  });
});
