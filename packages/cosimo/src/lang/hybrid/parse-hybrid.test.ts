import { describe, expect, it } from "vitest";
import { constantOf } from "../../stability/hybrid-from-description.ts";
import { parseHybridYaml } from "./parse-hybrid.ts";

const GOOD = `
states: [x, v]
parameters: { r: 0.25, m: 2*r }
surface: x - r
modes:
  contact: { derivatives: { x: v, v: r - x }, energy: v^2 }
  flight: { derivatives: { v: -m, x: v } }
delay: { section: v, along: { x: [r/2, 0.3] }, try: [2 ms] }
simulate: { start: { x: 2*m }, stop: 3 }
`;

function read(text: string) {
  return parseHybridYaml(text, "ball.yaml", constantOf);
}

function remarks(text: string): string[] {
  return read(text).diagnostics.map(
    ({ code, place, fix }) => `${place.line}:${place.column} ${code} (${fix})`,
  );
}

describe("descriptions of hybrid systems", () => {
  it("[HY3] become data: parameters computed, states in order, times in seconds", () => {
    const { value, diagnostics } = read(GOOD);
    expect(diagnostics).toEqual([]);
    expect([...value!.parameters]).toEqual([
      ["r", 0.25],
      ["m", 0.5],
    ]);
    expect(value!.modes.map(({ name }) => name)).toEqual(["contact", "flight"]);
    expect(value!.modes[1].dynamics).toMatchObject({
      derivatives: [{ kind: "name", name: "v" }, {}],
    });
    expect(value!.delay).toMatchObject({
      range: { along: 0, from: 0.125, to: 0.3 },
      tries: [0.002],
    });
    expect(value!.simulate).toEqual({ start: [1, 0], stop: 3 });
  });

  it("[HY14] may name a module with the unit of a mode", () => {
    const { value } = read(GOOD.replace("{ derivatives: { v: -m, x: v } }", "{ unit: flight.js }"));
    expect(value!.modes[1].dynamics).toEqual({ kind: "unit", path: "flight.js" });
  });

  it.each([
    ["surface: x - r", "surface: x - radius", "4:14 hybrid-formula (known are x, v, r, m)"],
    ["states: [x, v]", "states: [x, v, a]", "2:1 hybrid-states"],
    ["states: [x, v]", "states: [x, abs]", "2:13 hybrid-name"],
    ["r: 0.25", "r: 0/0", "3:18 hybrid-parameter"],
    ["r: 0.25", "r: .inf", "3:18 hybrid-parameter"],
    ["v: -m, x: v", "v: -m", "7:13 hybrid-equation (add 'x: …' to its 'derivatives')"],
    ["v: -m, x: v", "v: -m, x: v, y: 1", "7:41 hybrid-no-state"],
    ["along: { x: [r/2, 0.3] }", "along: { x: [0.3, r/2] }", "8:34 hybrid-range"],
    ["section: v", "setcion: v", "8:10 scenario-unknown-key (did you mean 'section'?)"],
    ["  flight: { derivatives: { v: -m, x: v } }\n", "", "5:1 hybrid-modes"],
    [", try: [2 ms]", ", try: [2 m]", "scenario-number"],
    ["delay: { section: v, along: { x: [r/2, 0.3] }, try: [2 ms] }\n", "", "hybrid-no-question"],
    ["delay: {", "step: { along: { v: [-1, 1] }, longest: 1 }\ndelay: {", "8:1 hybrid-no-energy"],
    ["contact: {", "contact: { unit: contact.js,", "6:14 hybrid-dynamics (keep one of them)"],
    ["m: 2*r", "m: 2*x", "3:29 hybrid-formula"],
  ])(
    "[HY3] '%s' written as '%s' is reported with its place and the fix",
    (right, wrong, remark) => {
      expect(GOOD).toContain(right);
      expect(remarks(GOOD.replace(right, wrong)).join("\n")).toContain(remark);
    },
  );
});
