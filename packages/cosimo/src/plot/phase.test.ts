import { describe, expect, it } from "vitest";
import { type PhaseFigure, phaseSvg } from "./phase.ts";

const circle = (radius: number) => ({
  x: Array.from({ length: 400 }, (_, i) => radius * Math.cos((i * 2 * Math.PI) / 399)),
  y: Array.from({ length: 400 }, (_, i) => radius * Math.sin((i * 2 * Math.PI) / 399)),
});

const figure: PhaseFigure = {
  title: "two <runs>",
  caption: "",
  xName: "x",
  yName: "v",
  panels: [
    { title: "small", curves: [{ label: "in", color: 0, ...circle(1) }], start: [1, 0] },
    { title: "great", curves: [{ label: "in", color: 0, ...circle(2) }], end: [2, 0] },
  ],
  boundary: { label: "surface", value: (x, y) => x * x + y * y - 2.25 },
};

function numbers(path: string): number[][] {
  return [...path.matchAll(/[ML](-?[\d.]+) (-?[\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)]);
}

describe("phase plots", () => {
  const svg = phaseSvg(figure);
  const curves = [...svg.matchAll(/<path d="([^"]+)"[^>]*><title>in<\/title>/g)].map(([, d]) => d!);

  it("[HY12] draw runs side by side on the same axes: twice the radius is twice the size", () => {
    const [small, great] = curves.map((d) => {
      const x = numbers(d).map(([px]) => px!);
      return Math.max(...x) - Math.min(...x);
    });
    expect(great! / small!).toBeCloseTo(2, 1);
  });

  it("[HY12] trace the zero line of the boundary", () => {
    const lines = [...svg.matchAll(/<path d="([^"]+)" stroke="#8b949e"/g)].map(([, d]) => d!);
    const line = lines.find((d) => numbers(d).length > 10)!;
    const [small] = curves.map(numbers);
    const centre =
      (Math.max(...small!.map(([x]) => x!)) + Math.min(...small!.map(([x]) => x!))) / 2;
    const radius = Math.max(...small!.map(([x]) => x!)) - centre;
    const widest = Math.max(...numbers(line).map(([x]) => x! - centre));
    expect(widest / radius).toBeCloseTo(1.5, 1);
  });

  it("[HY12] name everything once, mark start and end, and escape what people write", () => {
    expect(svg.match(/>surface</g)).toHaveLength(1);
    expect(svg.match(/>in</g)!.length).toBe(3);
    expect(svg.match(/<circle/g)).toHaveLength(2);
    expect(svg).toContain("two &lt;runs&gt;");
  });

  it("[HY12] leave gaps where values are missing, and points out where the eye sees none", () => {
    const x = Float64Array.from({ length: 100_001 }, (_, i) => i / 1e5);
    const y = x.map((value, i) => (i === 50_000 ? Number.NaN : value));
    const one = phaseSvg({
      ...figure,
      panels: [{ title: "", curves: [{ label: "in", color: 0, x, y }] }],
    });
    const d = /<path d="([^"]+)"[^>]*><title>in/.exec(one)![1];
    expect(d.match(/M/g)).toHaveLength(2);
    expect(d.length).toBeLessThan(60_000);
  });
});
