import { describe, expect, it } from "vitest";
import type { Diagnostic } from "../../base/diagnostic.ts";
import { testPort, testUnit } from "../../model/testing/plain-data.ts";
import type { Port, UnitDescription } from "../../model/unit-description.ts";
import { clockIntervals, openClocks } from "./clocks.ts";

const port = (index: number, name: string, more: Partial<Port>): Port =>
  testPort(index, name, { type: "clock", variability: "discrete", nature: "transient", ...more });
const fixed = { interval: "fixed", shift: 0 } as const;
const UNIT: UnitDescription = testUnit([
  port(0, "open", { clock: fixed }),
  port(1, "own", { clock: { ...fixed, seconds: 0.5 } }),
  port(2, "out", { clock: fixed, direction: "output" }),
  port(3, "u", { type: "float64" }),
]);

function intervals(...texts: string[]) {
  const found: Diagnostic[] = [];
  const value = clockIntervals(texts, UNIT, (d) => found.push(d));
  return { value, found: found.map(({ code, fix }) => `${code}: ${fix}`) };
}

describe("intervals of clocks", () => {
  it("are read by name, in seconds", () => {
    expect(intervals("open=0.3", " own =2e-1").value).toEqual(
      new Map([
        [0, 0.3],
        [1, 0.2],
      ]),
    );
  });

  it.each([
    ["opn=1", /did you mean 'open'/],
    ["out=1", /^clock-unknown/],
    ["u=1", /^clock-unknown/],
    ["open", /^clock-unknown/],
    ["open=0", /^clock-unknown/],
    ["open=soon", /^clock-unknown/],
  ])("[CL3] '%s' is refused", (text, fix) => {
    const { value, found } = intervals(text);
    expect(value.size).toBe(0);
    expect(found).toEqual([expect.stringMatching(fix)]);
  });

  it.each([
    [{ interval: "constant", shift: 0, seconds: 0.5 }, "the FMU fixes its interval: 0.5 s"],
    [{ interval: "changing", shift: 0 }, "the FMU itself says when it ticks next"],
    [{ interval: "countdown", shift: 0 }, "the FMU itself says when it ticks next"],
    [{ interval: "triggered", shift: 0 }, "it ticks when what feeds it does"],
  ] as const)("[CL3] %j takes none: %s", (clock, why) => {
    const found: Diagnostic[] = [];
    const value = clockIntervals(["c=1"], testUnit([port(0, "c", { clock })]), (d) =>
      found.push(d),
    );
    expect(value.size).toBe(0);
    expect(found).toMatchObject([{ code: "clock-not-chosen" }]);
    expect(found[0]!.message).toContain(why);
  });

  it("that neither the FMU nor the user gives are warned of", () => {
    const names = (chosen: Map<number, number>): string[] =>
      openClocks(UNIT, chosen).map(({ code, message }) => `${code} ${message}`);
    expect(names(new Map())).toEqual([expect.stringMatching(/^clock-interval-open .*'open'/)]);
    expect(names(new Map([[0, 1]]))).toEqual([]);
  });
});
