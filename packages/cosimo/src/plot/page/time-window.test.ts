import { describe, expect, it } from "vitest";
import { TimeWindow } from "./time-window.ts";

describe("the time window of a page", () => {
  it("[PL19] stays inside the data and keeps a width", () => {
    let moves = 0;
    const view = new TimeWindow(0, 100, () => moves++);
    view.show({ from: 90, to: 120 });
    expect(view.span).toEqual({ from: 70, to: 100 });
    view.show({ from: -10, to: 500 });
    expect(view.span).toEqual({ from: 0, to: 100 });
    view.show({ from: 5, to: 5 });
    expect(view.span.to).toBeGreaterThan(view.span.from);
    expect(moves).toBe(3);
  });

  it("[PL19] zooms around a time and pans by a share of its width", () => {
    const view = new TimeWindow(0, 100, () => undefined);
    view.zoom(0.5, 20);
    expect(view.span).toEqual({ from: 10, to: 60 });
    view.pan(0.5);
    expect(view.span).toEqual({ from: 35, to: 85 });
    view.pan(-0.1, { from: 50, to: 60 });
    expect(view.span).toEqual({ from: 49, to: 59 });
    view.showAll();
    expect(view.span).toEqual(view.whole);
  });

  it("[PL3] shows something of a run without length", () => {
    expect(new TimeWindow(3, 3, () => undefined).span).toEqual({ from: 3, to: 4 });
  });
});
