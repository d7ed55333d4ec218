import { describe, expect, it } from "vitest";
import type { Trace } from "../record/trace.ts";
import { plotHtml } from "./html.ts";
import { type OpenPage, openPage } from "./testing/open-page.ts";

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
  readonly series: { label: string; values: (number | null)[] }[];
}

function dataOf(html: string): PageData {
  const match = /<script type="application\/json" id="data">(.*?)<\/script>/s.exec(html);
  return JSON.parse(match?.[1] ?? "") as PageData;
}

/** Moves the mouse over a panel, to a share of its width. */
function pointAt(page: OpenPage, share: number): void {
  const over = page.one(".u-over");
  const { left, width, top } = over.getBoundingClientRect();
  const at = { clientX: left + share * width, clientY: top + 5, bubbles: true };
  over.dispatchEvent(new page.window.MouseEvent("mousemove", at));
}

describe("HTML plot", () => {
  it("[PL24] holds events as marks: up and down at one time, flat in between", async () => {
    const { meta } = trace("beats", 1);
    const data = Float64Array.of(0, 1, 0, 0);
    const column = { name: "beat", type: "clock", stepwise: true, isEvent: true, data } as const;
    const html = await plotHtml({ meta, time: Float64Array.of(0, 2, 2, 5), columns: [column] });
    const { times, series } = dataOf(html);
    expect(series[0]?.values).toEqual([0, 0, 1, 0, 0]);
    expect(times[0]).toEqual([0, 2, 2, 2, 5]);
  });

  it("[PL17] is one file that loads nothing", async () => {
    const html = await plotHtml(trace("x", 5));
    expect(html).not.toMatch(/\b(?:src|href)=|@import|url\(/);
    expect(new Set(html.match(/https?:\/\/[^"'`\s<]*/g))).toEqual(
      new Set(["http://www.w3.org/2000/svg"]),
    );
  });

  it("[PL22] carries the licence of the code inside, and stays below 100 kB without data", async () => {
    const html = await plotHtml(trace("x", 2));
    expect(html).toMatch(/\/\*! uplot [\d.]+\n[\s\S]*Permission is hereby granted/);
    expect(html.length).toBeLessThan(100_000);
  });

  it("[PL17] holds the data with names and gaps", async () => {
    const data = Float64Array.of(0.1, Number.NaN, 3);
    const time = Float64Array.of(0, 1, 1);
    const of = { ...trace("x", 0), time, columns: [{ name: "x", type: "float64", data }] as const };
    expect(dataOf(await plotHtml(of))).toMatchObject({
      times: [[0, 1, 1]],
      series: [{ label: "x", values: [0.1, null, 3] }],
    });
  });

  it("[PL14] lets no name become markup or script", async () => {
    const html = await plotHtml(trace("</script><script>alert(1)</script><!--", 3));
    expect(html).not.toContain("alert(1)</script><!--");
    expect(html.match(/<script/g)).toHaveLength(2);
    expect(dataOf(html).series[0]?.label).toBe("</script><script>alert(1)</script><!--");
  });

  it("[PL18] thins long signals so that the page stays small, and says so", async () => {
    const html = await plotHtml(trace("x", 1_000_000));
    expect(html.length).toBeLessThan(6_000_000);
    expect(html).toContain("long signals are thinned");
    expect(await plotHtml(trace("x", 1000))).not.toContain("long signals are thinned");
    const page = await openPage(html);
    // A line of a million points: a handful of them per pixel column.
    expect(page.drawn.get("lineTo")).toBeLessThan(10_000);
  });

  it("[PL19] draws, and shows the value under the cursor", async () => {
    const page = await openPage(await plotHtml(trace("x", 101)));
    expect(page.drawn.get("lineTo")).toBeGreaterThan(100);
    expect(page.texts).toContain("time [s]");
    expect(page.texts).toContain("x [m]");
    pointAt(page, 0.5);
    await page.settle();
    expect(page.one("#readout").textContent).toMatch(/^t = (49\.9|50)\S* s$/);
    expect(page.one(".legend output").textContent).toMatch(/^(99\.9|100)\S* m$/);
  });

  it("[PL19] zooms by button, key and wheel, and shows all again", async () => {
    const page = await openPage(await plotHtml(trace("x", 101)));
    const { KeyboardEvent, MouseEvent } = page.window;
    const key = (name: string) => () => {
      page.window.dispatchEvent(new KeyboardEvent("keydown", { key: name }));
    };
    const times = () => {
      const from = page.texts.lastIndexOf("time [s]");
      return page.texts.slice(from + 1, page.texts.indexOf("x [m]", from)).map(Number);
    };
    await page.during(() => page.one("#in").click());
    expect([times().at(0), times().at(-1)]).toEqual([30, 70]);
    await page.during(key("ArrowRight"));
    expect([times().at(0), times().at(-1)]).toEqual([40, 80]);
    await page.during(key("0"));
    expect([times().at(0), times().at(-1)]).toEqual([0, 100]);
    await page.during(() => {
      // The document's own WheelEvent knows no place.
      const wheel = new MouseEvent("wheel", { clientX: 0, bubbles: true });
      page.one(".u-over").dispatchEvent(Object.assign(wheel, { deltaX: 0, deltaY: -60 }));
    });
    expect([times().at(0), times().at(-1)]).toEqual([0, 70]);
  });

  it("[PL19] hides a series and shows one alone", async () => {
    const two = trace("x", 101);
    const columns = [...two.columns, { ...two.columns[0], name: "y" }];
    const page = await openPage(await plotHtml({ ...two, columns }));
    const [x, y] = page.window.document.querySelectorAll(".legend button");
    const both = (await page.during(() => page.one("#all").click())).get("lineTo");
    const one = (await page.during(() => page.one(".legend button").click())).get("lineTo");
    expect(x.getAttribute("aria-pressed")).toBe("false");
    expect(one).toBeLessThan(both ?? 0);
    const alone = new page.window.MouseEvent("click", { altKey: true, bubbles: true });
    await page.during(() => x.dispatchEvent(alone));
    expect(x.getAttribute("aria-pressed")).toBe("true");
    expect(y.getAttribute("aria-pressed")).toBe("false");
  });

  it("[PL26] lists what the filter names, groups it, and switches it", async () => {
    const { meta, time } = trace("x", 11);
    const column = (name: string, unit: string) =>
      ({ name, unit, type: "float64", data: time }) as const;
    const columns = [column("left.x", "m"), column("left.v", "m/s"), column("right.x", "m")];
    const page = await openPage(await plotHtml({ meta, time, columns }));
    const { document, Event } = page.window;
    const names = () =>
      [...document.querySelectorAll("section")].map(({ textContent }) => textContent);
    expect(names()).toEqual(["left.xright.x", "left.v"]);
    const enter = (id: string, event: string, value: string) =>
      page.during(() => {
        Object.assign(page.one(id), { value });
        page.one(id).dispatchEvent(new Event(event));
      });
    await enter("#group", "change", "owner");
    expect(names()).toEqual(["left.x", "left.v", "right.x"]);
    await enter("#filter", "input", "*.x");
    expect(names()).toEqual(["left.x", "right.x"]);
    await page.during(() => page.one("#off").click());
    expect(page.one("#counted").textContent).toBe("0 of 3");
    await enter("#filter", "input", "");
    expect(page.one("#counted").textContent).toBe("1 of 3");
  });

  it("[PL28] says of every button what it does", async () => {
    const page = await openPage(await plotHtml(trace("x", 3)));
    for (const button of page.window.document.querySelectorAll("nav button")) {
      expect(button.getAttribute("aria-label")).toMatch(/\w{3}/);
      expect(button.getAttribute("type")).toBe("button");
    }
  });

  it("[PL19] follows the theme of the screen and of the reader", async () => {
    const page = await openPage(await plotHtml(trace("x", 3)), "dark");
    const theme = () => page.window.document.documentElement.getAttribute("data-theme");
    await page.during(() => page.one("#theme").click());
    expect(theme()).toBe("light");
    await page.during(() => page.one("#theme").click());
    expect(theme()).toBe("dark");
  });

  it("[PL19] carries a static picture for readers without scripts", async () => {
    expect(await plotHtml(trace("x", 5))).toMatch(/<noscript>\s*<svg[\s\S]*<\/svg>\s*<\/noscript>/);
  });

  it("[PL3] makes a page of an empty trace too", async () => {
    await openPage(await plotHtml({ ...trace("x", 0), columns: [] }));
    await openPage(await plotHtml(trace("x", 0)));
  });

  it("[PL3] makes a page of huge, tiny and constant values", async () => {
    for (const value of [1e300, 1e-300, 0, -7e18]) {
      const constant = trace("x", 5);
      const column = { ...constant.columns[0], data: constant.time.map((t) => (t % 2) * value) };
      const page = await openPage(await plotHtml({ ...constant, columns: [column] }));
      expect(page.texts.length).toBeGreaterThan(5);
      expect(page.texts.join()).not.toMatch(/NaN|Infinity/);
    }
  });
});
