import { describe, expect, it } from "vitest";
import type { Trace } from "../../record/trace.ts";
import { plotPng } from "./plot-png.ts";

const TRACE: Trace = {
  meta: { title: "größe", entries: {} },
  time: Float64Array.of(0, 1, 2),
  columns: [{ name: "x", type: "float64", unit: "m", data: Float64Array.of(0, 1, 0) }],
};

function size(png: Uint8Array): [number, number] {
  const view = new DataView(png.buffer, png.byteOffset);
  return [view.getUint32(16), view.getUint32(20)];
}

describe("PNG plot", () => {
  it("[PL21] is a PNG of the asked size, the same bytes every time", async () => {
    const once = await plotPng(TRACE, { width: 400, zoom: 1 });
    expect([...once.slice(0, 8)]).toEqual([137, 80, 78, 71, 13, 10, 26, 10]);
    expect(size(once)[0]).toBe(400);
    expect(await plotPng(TRACE, { width: 400, zoom: 1 })).toEqual(once);
    expect(size(await plotPng(TRACE, { width: 400 }))[0]).toBe(800);
  });

  it("[PL21] shows text without fonts of the machine: another title gives another picture", async () => {
    const one = await plotPng(TRACE, { width: 400, zoom: 1, title: "one" });
    const two = await plotPng(TRACE, { width: 400, zoom: 1, title: "two" });
    expect(size(two)).toEqual(size(one));
    expect(two).not.toEqual(one);
  });
});
