import { describe, expect, it } from "vitest";
import { type RadiusPlot, radiusSvg } from "./radius-svg.ts";

const PLOT: RadiusPlot = {
  title: "a & b",
  step: 0.1,
  steps: [0.01, 0.1, 1],
  curves: [
    { label: "jacobi", radii: [0.9, 0.5, 2], limit: 0.4, isChosen: true },
    { label: "<other>", radii: [0.9, undefined, 0.2], isChosen: false },
  ],
};

describe("the picture of radii over steps", () => {
  it("[ST13] is one document with a curve for every master, the chosen step and the limits", () => {
    const svg = radiusSvg(PLOT);
    expect(svg.match(/<svg /g)).toHaveLength(1);
    expect(svg).toContain("jacobi: 400 ms (chosen)");
    expect(svg).toContain("chosen step");
    expect(svg.match(/<circle /g)).toHaveLength(1);
  });

  it("[ST13] shows names as text, whatever they hold, and leaves gaps where there is no radius", () => {
    const svg = radiusSvg(PLOT);
    expect(svg).toContain("a &amp; b");
    expect(svg).toContain("&lt;other&gt;");
    expect(svg).not.toContain("<other>");
    expect(svg).not.toMatch(/NaN|undefined/);
    const path = /<path d="([^"]*)"[^>]*><title>&lt;other&gt;/.exec(svg)![1];
    expect(path.match(/M/g)).toHaveLength(2);
  });

  it("[ST13] does not leave its frame where a radius is far off or zero", () => {
    const svg = radiusSvg({
      ...PLOT,
      curves: [{ label: "wild", radii: [1e9, 0, 1e-30], isChosen: true }],
    });
    expect(svg).not.toMatch(/NaN|Infinity/);
  });
});
