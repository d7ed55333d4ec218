import { describe, expect, it } from "vitest";
import { type StateChart, stateChartSvg } from "./state-chart-svg.ts";

const CHART: StateChart = {
  title: "a & b",
  subtitle: "two states, one inside another",
  states: [
    { path: "off", isInitial: true, actions: ["entry / x := 0"] },
    { path: "on", isInitial: false, actions: [] },
    { path: "on.slow", isInitial: true, actions: [] },
  ],
  transitions: [
    { from: "off", to: "on.slow", lines: ["on go [x < 1]", "/ x := 1"] },
    { from: "on", to: "off", lines: ["after 2 s"] },
  ],
};

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

function boxOf(svg: string, state: string): Box {
  const found = svg.match(
    new RegExp(
      `data-state="${state}">\\n<rect class="box" x="([\\d.]+)" y="([\\d.]+)" width="([\\d.]+)" height="([\\d.]+)"`,
    ),
  );
  const [x = 0, y = 0, width = 0, height = 0] = (found ?? []).slice(1).map(Number);
  return { x, y, width, height };
}

describe("a state chart", () => {
  it("[PL23] has a box per state, inner ones inside outer ones", async () => {
    const svg = await stateChartSvg(CHART);
    const [off, on, slow] = ["off", "on", "on\\.slow"].map((state) => boxOf(svg, state));
    for (const box of [off, on, slow]) expect(box?.width).toBeGreaterThan(0);
    if (!off || !on || !slow) throw new Error("a box is missing");
    expect(slow.x).toBeGreaterThan(on.x);
    expect(slow.y).toBeGreaterThan(on.y);
    expect(slow.x + slow.width).toBeLessThan(on.x + on.width);
    expect(slow.y + slow.height).toBeLessThan(on.y + on.height);
    expect(
      off.y + off.height <= on.y ||
        on.y + on.height <= off.y ||
        off.x + off.width <= on.x ||
        on.x + on.width <= off.x,
    ).toBe(true);
  });

  it("[PL23] has an arrow per transition with what it waits for and does, and marks initial states", async () => {
    const svg = await stateChartSvg(CHART, { theme: "dark" });
    expect(svg.match(/marker-end/g)).toHaveLength(2);
    expect(svg.match(/class="start"/g)).toHaveLength(2);
    for (const text of ["on go [x &lt; 1]", "/ x := 1", "after 2 s", "entry / x := 0", "a &amp; b"])
      expect(svg).toContain(text);
    expect(svg).not.toContain("NaN");
  });
});
