/**
 * Points that a scenario requests: the next one after a time, counted and not added up.
 */
import { describe, expect, it } from "vitest";
import { RequestedPoints, sameInstant } from "./requested-points.ts";

type Points = ConstructorParameters<typeof RequestedPoints>[0];

function pointsOf(points: Partial<Points>, start = 0, step = 0.1): RequestedPoints {
  return new RequestedPoints({ every: [], at: [], ...points }, { start, step });
}

/** The first `count` points after `from`. */
function walk(points: RequestedPoints, from: number, count: number): number[] {
  const found: number[] = [];
  for (let time = from; found.length < count; ) {
    time = points.after(time);
    found.push(time);
  }
  return found;
}

describe("requested points", () => {
  it("are none where nothing is requested", () => {
    expect(pointsOf({}).after(0)).toBe(Number.POSITIVE_INFINITY);
  });

  it("[AD6] are multiples, to the last bit, however many came before", () => {
    const points = pointsOf({ every: [{ every: 0.1, offset: 0 }] });
    expect(walk(points, 0, 1000)).toEqual(Array.from({ length: 1000 }, (_, k) => (k + 1) * 0.1));
  });

  it("[AD6] begin at the start and the offset, which is a point itself", () => {
    const points = pointsOf({ every: [{ every: 0.5, offset: 0.2 }] }, 3);
    expect(points.after(2)).toBe(3.2);
    expect(points.after(3)).toBe(3.2);
    expect(points.after(3.2)).toBe(3.7);
    expect(points.after(3.69)).toBe(3.7);
  });

  it("[AD6] of several kinds come in the order of time, each once", () => {
    const points = pointsOf({
      every: [
        { every: 0.5, offset: 0 },
        { every: 0.75, offset: 0.1 },
      ],
      at: [1.2, 0.3],
    });
    expect(walk(points, 0, 7)).toEqual([0.1, 0.3, 0.5, 0.85, 1, 1.2, 1.5]);
    expect(pointsOf({ at: [0.3] }).after(0.3)).toBe(Number.POSITIVE_INFINITY);
  });

  it("[AD6] that differ from the present time by rounding are the present time", () => {
    const points = pointsOf({ at: [0.3] });
    // 0.1 + 0.2 is one rounding above 0.3, 3 · 0.1 too.
    expect(points.after(0.1 + 0.2)).toBe(Number.POSITIVE_INFINITY);
    expect(points.after(0.3 - Number.EPSILON / 4)).toBe(Number.POSITIVE_INFINITY);
    expect(points.after(0.3 - 1e-9)).toBe(0.3);
  });

  it("[AD21] are compared by the resolution of time and the experiment's step", () => {
    expect(sameInstant(0, 1e-9)).toBeLessThan(1e-20);
    expect(sameInstant(0, 1e-9)).toBeGreaterThan(0);
    expect(sameInstant(1e6, 1e-9)).toBe(sameInstant(1e6, 1));
    expect(sameInstant(-1e6, 1)).toBe(sameInstant(1e6, 1));
    // A run in nanoseconds has points that lie 1e-12 s apart.
    const points = pointsOf({ at: [1e-12] }, 0, 1e-10);
    expect(points.after(0)).toBe(1e-12);
  });
});
