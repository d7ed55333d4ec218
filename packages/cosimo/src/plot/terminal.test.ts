import { describe, expect, it } from "vitest";
import type { Column, Trace } from "../record/trace.ts";
import { plotText } from "./terminal.ts";

function trace(...columns: Column[]): Trace {
  const time = Float64Array.from({ length: columns[0]?.data.length ?? 0 }, (_, i) => i);
  return { meta: { title: "", entries: {} }, time, columns };
}

function reals(name: string, ...values: number[]): Column {
  return { name, type: "float64", unit: "m", data: Float64Array.from(values) };
}

describe("plot in a terminal", () => {
  it("[PL20] draws a ramp from the lower left to the upper right with its ends labelled", () => {
    const lines = plotText(trace(reals("x", 0, 1, 2, 3)), { width: 19, height: 2 }).split("\n");
    expect(lines).toEqual([
      "          x [m]",
      "        3     ⣀⠤⠒⠉",
      "        0 ⣀⠤⠒⠉",
      "          0 s  3 s",
    ]);
  });

  it("[PL20] draws the same ramp wherever its range lies", () => {
    const drawn = (offset: number): string[] =>
      plotText(trace(reals("x", ...[0, 1, 2, 3].map((x) => x + offset))), { width: 19, height: 2 })
        .split("\n")
        .slice(1, 3)
        .map((line) => line.slice(10));
    for (const offset of [10, -10, -2]) expect(drawn(offset)).toEqual(drawn(0));
  });

  it("[PL20] keeps within the width and marks gaps by leaving them empty", () => {
    const values = Array.from({ length: 500 }, (_, i) =>
      i > 200 && i < 300 ? Number.NaN : Math.sin(i / 20),
    );
    const lines = plotText(trace(reals("x", ...values)), { width: 60 }).split("\n");
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(60);
    const middle = lines.slice(1, -1).map((line) => line.padEnd(60).slice(10 + 22, 10 + 27));
    expect(middle.join("").trim()).toBe("");
  });

  it("[PL20] gives each boolean a line, and says what it leaves out", () => {
    const on: Column = { name: "on", type: "boolean", data: Float64Array.of(0, 1) };
    const word: Column = { name: "word", type: "string", data: ["a", "b"] };
    const lines = plotText(trace(on, { ...on, name: "off" }, word)).split("\n");
    expect(lines).toHaveLength(5);
    expect(lines[0]?.trim()).toBe("on, off");
    expect(lines.at(-1)).toBe("not drawn: word (string)");
    const units = ["m", "s", "A"].map((unit) => ({ ...reals(unit, 1, 2), unit }));
    expect(plotText(trace(...units), { maxPanels: 2 })).toContain("1 more panels are not shown");
  });

  it("[PL20] colours only when told to", () => {
    expect(plotText(trace(reals("x", 1, 2)))).not.toContain("\u001b");
    expect(plotText(trace(reals("x", 1, 2)), { color: true })).toContain("\u001b[34mx\u001b[39m");
  });

  it("[PL3] draws huge, constant and no values", () => {
    const huge = plotText(trace(reals("x", -Number.MAX_VALUE, Number.MAX_VALUE)));
    expect(huge).not.toMatch(/NaN|undefined/);
    expect(plotText(trace(reals("x", 5, 5)))).toContain("x [m]");
    expect(plotText(trace())).toBe("nothing was recorded but the time");
  });
});
