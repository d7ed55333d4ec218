import { SaxesParser } from "saxes";
import { describe, expect, it } from "vitest";
import type { Column, Trace } from "../record/trace.ts";
import { THEMES } from "./palette.ts";
import { plotSvg } from "./svg.ts";

function trace(columns: readonly Column[], time?: readonly number[]): Trace {
  const rows = columns[0]?.data.length ?? 0;
  return {
    meta: { title: "A <run> & more", entries: { step: "0.1 s", outcome: "completed" } },
    time: Float64Array.from(time ?? Array.from({ length: rows }, (_, i) => i)),
    columns,
  };
}

function reals(name: string, unit: string | undefined, ...values: number[]): Column {
  const data = Float64Array.from(values);
  return { name, type: "float64", data, ...(unit === undefined ? {} : { unit }) };
}

/** Fails unless the text is well-formed XML; gives texts and how often each element occurs. */
function read(svg: string): { texts: string[]; count: Record<string, number>; paths: string[] } {
  const parser = new SaxesParser();
  const texts: string[] = [];
  const count: Record<string, number> = {};
  const paths: string[] = [];
  let open = "";
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("opentag", ({ name, attributes }) => {
    open = name;
    const { class: kind, d } = attributes;
    const key = kind === undefined ? name : `${name}.${kind}`;
    count[key] = (count[key] ?? 0) + 1;
    if (name === "path") paths.push(String(d));
  });
  parser.on("text", (text) => {
    if (open === "text" && text.trim() !== "") texts.push(text);
  });
  parser.write(svg).close();
  return { texts, count, paths };
}

describe("SVG plot", () => {
  it("[PL6] stacks one panel a unit over one time axis, with units in the titles", () => {
    const svg = plotSvg(
      trace([reals("x", "m", 0, 1), reals("v", "m/s", 1, 2), reals("y", "m", 2, 3)]),
    );
    const { texts, count } = read(svg);
    expect(count["g.panel"]).toBe(2);
    expect(count["g.series"]).toBe(3);
    expect(texts.filter((text) => text === "time [s]")).toHaveLength(1);
    expect(texts).toContain("x, y [m]");
    expect(texts).toContain("v [m/s]");
  });

  it("[PL6] names what runs along the bottom as told, and the time otherwise", () => {
    const trace = {
      meta: { title: "", entries: {} },
      time: Float64Array.of(1, 2),
      columns: [{ name: "y", type: "float64" as const, data: Float64Array.of(3, 4) }],
    };
    expect(plotSvg(trace)).toContain(">time [s]<");
    const svg = plotSvg(trace, { along: { name: "work" } });
    expect(svg).toContain(">work<");
    expect(svg).not.toContain("time [s]");
  });

  it("[PL7] names signals in a legend when a panel has several, and by the axis when it has one", () => {
    const several = read(plotSvg(trace([reals("a", "m", 0, 1), reals("b", "m", 1, 2)]))).texts;
    expect(several.filter((text) => text === "a" || text === "b")).toEqual(["a", "b"]);
    const single = read(plotSvg(trace([reals("a", "m", 0, 1)]))).texts;
    expect(single).not.toContain("a");
    expect(single).toContain("a [m]");
  });

  it("[PL8] gives every curve of a crowded panel its own pair of colour and dash", () => {
    const columns = Array.from({ length: 28 }, (_, i) => reals(`s${i}`, "m", i, i + 1));
    const svg = plotSvg(trace(columns));
    const styles = [
      ...svg.matchAll(/stroke="(#\w+)"[^/]*stroke-width="1.6"[^/]*?(?:dasharray="([^"]*)")?\/>/g),
    ];
    expect(styles).toHaveLength(28);
    expect(new Set(styles.map(([, color, dash]) => `${color} ${dash}`)).size).toBe(28);
  });

  it("[PL9] draws stepwise signals with horizontal and vertical strokes only", () => {
    const column = { ...reals("n", "m", 0, 1, 1, 3), stepwise: true };
    const curve = read(plotSvg(trace([column]))).paths.at(-1)!;
    expect(curve).toMatch(/^M[\d. ]+(?:[HV][\d.]+)+h0$/);
  });

  it("[PL10] draws a jump between two rows of one time apart from the curve", () => {
    const svg = plotSvg(trace([reals("v", "m/s", 0, -4, 3, 2)], [0, 1, 1, 2]));
    const [jump, curve] = read(svg).paths.slice(-2);
    expect(jump).toMatch(/^M[\d. ]+V[\d.]+$/);
    expect(curve?.match(/M/g)).toHaveLength(2);
  });

  it("[PL5] interrupts the curve at NaN and shows a lonely point as a dot", () => {
    const values = [1, 2, Number.NaN, 3, Number.NEGATIVE_INFINITY, 1, 2];
    const curve = read(plotSvg(trace([reals("x", "m", ...values)]))).paths.at(-1)!;
    expect(curve.match(/M/g)).toHaveLength(3);
    expect(curve).toMatch(/M[\d. ]+h0M/);
  });

  it("[PL11] gives booleans a lane each at the bottom, and leaves strings out with a note", () => {
    const svg = plotSvg(
      trace([
        { name: "on", type: "boolean", data: Float64Array.of(0, 1) },
        reals("x", "m", 1, 2),
        { name: "off", type: "clock", data: Float64Array.of(1, 0) },
        { name: "word", type: "string", data: ["a", "b"] },
        { name: "blob", type: "binary", data: [new Uint8Array(1), new Uint8Array(1)] },
      ]),
    );
    const { texts, count } = read(svg);
    expect(count["g.panel"]).toBe(2);
    expect(texts.indexOf("x [m]")).toBeLessThan(texts.indexOf("on"));
    // Once each, beside its lane.
    expect(texts.filter((text) => text === "on" || text === "off")).toEqual(["on", "off"]);
    expect(texts).toContain("not drawn: word (string), blob (binary)");
  });

  it("[PL12] compares runs: the same signal side by side, distinguished by label, colour and dash", () => {
    const runs = ["coarse", "fine"].map((label) => ({
      label,
      trace: trace([reals("x", "m", 0, 1)]),
    }));
    const svg = plotSvg(runs);
    const { texts, count } = read(svg);
    expect(count["g.panel"]).toBe(1);
    expect(texts).toContain("x (coarse)");
    expect(texts).toContain("x (fine)");
    expect(svg).toContain("stroke-dasharray");
    expect(svg).toContain(THEMES.light.colors[1]);
  });

  it("[PL13] shows title and metadata, or what the options say instead", () => {
    const of = trace([reals("x", "m", 0, 1)]);
    expect(read(plotSvg(of)).texts).toContain("A <run> & more");
    expect(read(plotSvg(of)).texts).toContain("step: 0.1 s  ·  outcome: completed");
    const other = read(plotSvg(of, { title: "T", caption: "C" })).texts;
    expect(other).toContain("T");
    expect(other).toContain("C");
    expect(plotSvg(of, { theme: "dark" })).toContain(THEMES.dark.background);
  });

  it("[PL14] is well-formed whatever the names contain, and escapes all of them", () => {
    const name = "</text><script>\"'&\u0000\n\ud800größe";
    const svg = plotSvg(trace([reals(name, name, 0, 1), reals(`${name}2`, name, 0, 1)]));
    expect(() => read(svg)).not.toThrow();
    expect(svg).not.toContain("<script>");
  });

  it("[PL15] draws a million points in a file below 100 kB", () => {
    const time = Array.from({ length: 1_000_000 }, (_, i) => i);
    const data = Float64Array.from(time, (t) => Math.sin(t * 1.7));
    const big = plotSvg(trace([{ name: "x", type: "float64", unit: "m", data }], time));
    expect(big.length).toBeLessThan(100_000);
  });

  it("[PL3] draws huge, constant, missing and no values without nonsense numbers", () => {
    const cases = [
      trace([reals("x", "m", -Number.MAX_VALUE, Number.MAX_VALUE)]),
      trace([reals("x", "m", 5e-324, 0)]),
      trace([reals("x", "m", 7, 7)]),
      trace([reals("x", "m", Number.NaN, Number.NaN)]),
      trace([reals("x", "m", 1)]),
      trace([]),
      trace([{ name: "u", type: "uint64", data: BigInt64Array.of(-1n, 0n) }]),
    ];
    for (const one of cases) {
      const svg = plotSvg(one);
      expect(svg).not.toMatch(/NaN|Infinity|undefined/);
      read(svg);
    }
  });

  it("[PL13] says so when there is nothing to draw", () => {
    expect(read(plotSvg(trace([reals("x", "m")]))).texts).toContain("the trace has no rows");
    expect(read(plotSvg(trace([]))).texts).toContain("nothing was recorded but the time");
  });

  it("[PL16] draws sixty signals at most and counts the rest", () => {
    const columns = Array.from({ length: 70 }, (_, i) => reals(`s${i}`, "m", 0, 1));
    const { texts, count } = read(plotSvg(trace(columns)));
    expect(count["g.series"]).toBe(60);
    expect(texts).toContain("10 further signals are not drawn; choose some with --record");
  });

  it("[PL24] draws events as tracks with a mark at each, and does not draw their index", () => {
    const data = Float64Array.of(0, 1, 0, 1, 1, 0, 0);
    const events: Column = { name: "beat", type: "clock", stepwise: true, isEvent: true, data };
    const index = reals("master.index", undefined, 0, 0, 1, 0, 1, 2, 0);
    const { count, texts } = read(plotSvg(trace([events, index], [0, 1, 1, 5, 5, 5, 9])));
    expect(count["g.track"]).toBe(1);
    expect(count["g.series"]).toBeUndefined();
    // At 1, and at 5, where two lie on each other.
    expect(count["circle"]).toBe(2);
    expect(texts).toContain("beat");
    expect(texts).not.toContain("master.index");
  });
});
