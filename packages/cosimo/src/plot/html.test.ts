import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import type { Trace } from "../record/trace.ts";
import { plotHtml } from "./html.ts";

function trace(name: string, rows: number): Trace {
  const time = Float64Array.from({ length: rows }, (_, i) => i);
  return {
    meta: { title: name, entries: {} },
    time,
    columns: [{ name, type: "float64", unit: "m", data: time.map((t) => t * 2) }],
  };
}

interface PageData {
  readonly times: number[][];
  readonly panels: { series: { label: string; values: (number | null)[] }[] }[];
}

function dataOf(html: string): PageData {
  const match = /<script type="application\/json" id="data">(.*?)<\/script>/s.exec(html);
  return JSON.parse(match?.[1] ?? "") as PageData;
}

type Handler = (event: unknown) => void;

/** As much of a browser's element as the page's script touches. */
class FakeElement {
  readonly tag: string;
  textContent = "";
  clientWidth = 800;
  onclick: Handler = () => undefined;
  onpointermove: Handler = () => undefined;
  readonly style = { setProperty: (): void => undefined };
  readonly dataset: Record<string, string> = {};
  readonly classList = { add: (): void => undefined };
  readonly attributes = new Map<string, string>();
  readonly context: unknown;
  constructor(tag: string, context: unknown) {
    this.tag = tag;
    this.context = context;
  }
  append(): void {}
  addEventListener(): void {}
  setAttribute(name: string, value: string): void {
    this.attributes.set(name, value);
  }
  getContext(): unknown {
    return this.context;
  }
  getBoundingClientRect(): { left: number; top: number } {
    return { left: 0, top: 0 };
  }
}

/** Runs the page's script; every drawing call is counted. */
function runPage(html: string) {
  const calls = new Map<string, number>();
  const context = new Proxy({} as Record<string, unknown>, {
    get: (target, name: string) =>
      target[name] ??
      ((...args: unknown[]) => {
        calls.set(name, (calls.get(name) ?? 0) + 1);
        return name === "measureText" ? { width: String(args[0]).length * 6 } : undefined;
      }),
  });
  const elements = new Map<string, FakeElement>();
  const made: FakeElement[] = [];
  const element = (tag: string): FakeElement => {
    const one = new FakeElement(tag, context);
    made.push(one);
    return one;
  };
  for (const id of ["data", "panels", "readout", "in", "out", "all", "theme"])
    elements.set(id, element(id));
  elements.get("data")!.textContent = JSON.stringify(dataOf(html));
  const script = /<script>(.*)<\/script>\n<\/body>/s.exec(html)?.[1] ?? "";
  runInNewContext(script, {
    document: {
      documentElement: element("html"),
      body: element("body"),
      getElementById: (id: string) => elements.get(id),
      createElement: element,
    },
    matchMedia: () => ({ matches: false }),
    devicePixelRatio: 1,
    requestAnimationFrame: (draw: () => void) => draw(),
  });
  return { calls, elements, made };
}

describe("HTML plot", () => {
  it("[PL17] is one file that loads nothing", () => {
    const html = plotHtml(trace("x", 5));
    expect(html).not.toMatch(/\b(?:src|href)=|@import|url\(/);
    expect(html.match(/https?:\/\/[^"\s<]*/g)).toEqual(["http://www.w3.org/2000/svg"]);
  });

  it("[PL17] holds the data with names and gaps", () => {
    const data = Float64Array.of(0.1, Number.NaN, 3);
    const time = Float64Array.of(0, 1, 1);
    const of = { ...trace("x", 0), time, columns: [{ name: "x", type: "float64", data }] as const };
    expect(dataOf(plotHtml(of))).toMatchObject({
      times: [[0, 1, 1]],
      panels: [{ series: [{ label: "x", values: [0.1, null, 3] }] }],
    });
  });

  it("[PL14] lets no name become markup or script", () => {
    const html = plotHtml(trace("</script><script>alert(1)</script><!--", 3));
    expect(html).not.toContain("alert(1)</script><!--");
    expect(html.match(/<script/g)).toHaveLength(2);
    expect(dataOf(html).panels[0]?.series[0]?.label).toBe("</script><script>alert(1)</script><!--");
  });

  it("[PL18] thins long signals so that the page stays small, and says so", () => {
    const html = plotHtml(trace("x", 1_000_000));
    expect(html.length).toBeLessThan(6_000_000);
    expect(html).toContain("long signals are thinned");
    expect(plotHtml(trace("x", 1000))).not.toContain("long signals are thinned");
  });

  it("[PL19] runs: draws, shows the value under the cursor, zooms and hides a series", () => {
    const { calls, elements, made } = runPage(plotHtml(trace("x", 101)));
    expect(calls.get("lineTo")).toBeGreaterThan(100);
    const canvas = made.find((one) => one.attributes.get("role") === "img")!;
    const value = made.find((one) => one.tag === "output")!;
    // The drawing area reaches from the axis at 78 to 14 before the right edge.
    canvas.onpointermove({ clientX: 78 + (800 - 78 - 14) / 2 });
    expect(elements.get("readout")!.textContent).toBe("t = 50 s");
    expect(value.textContent).toBe("100 m");

    const before = calls.get("lineTo")!;
    elements.get("in")!.onclick({});
    const zoomed = calls.get("lineTo")! - before;
    expect(zoomed).toBeLessThan(before);
    const button = made.find((one) => one.attributes.get("aria-pressed") === "true")!;
    const shown = calls.get("lineTo")!;
    button.onclick({});
    expect(calls.get("lineTo")! - shown).toBeLessThan(zoomed);
    expect(button.attributes.get("aria-pressed")).toBe("false");
  });

  it("[PL19] carries a static picture for readers without scripts", () => {
    expect(plotHtml(trace("x", 5))).toMatch(/<noscript>\s*<svg[\s\S]*<\/svg>\s*<\/noscript>/);
  });

  it("[PL3] makes a page of an empty trace too", () => {
    expect(() => runPage(plotHtml({ ...trace("x", 0), columns: [] }))).not.toThrow();
    expect(() => runPage(plotHtml(trace("x", 0)))).not.toThrow();
  });
});
