import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cases } from "../base/testing/cases.ts";
import { ConvergenceWatch, type Verdict } from "./convergence.ts";

/** Feeds norms until the watch has seen enough. */
function judge(watch: ConvergenceWatch, norms: Iterable<number>): [Verdict, number] {
  watch.start();
  let seen = 0;
  for (const norm of norms) {
    seen++;
    const verdict = watch.note(norm);
    if (verdict !== "go-on") return [verdict, seen];
  }
  return ["go-on", seen];
}

function* geometric(first: number, ratio: number): Generator<number> {
  for (let norm = first; ; norm *= ratio) yield norm;
}

describe("the watch over an iteration", () => {
  it("[NU19] lets every geometric iteration converge that the iterations suffice for, and no other", () => {
    fc.assert(
      fc.property(fc.double({ min: 0.01, max: 0.95, noNaN: true }), (ratio) => {
        // 1, q, q², … meets the tolerance with norm number 1 + ⌈log tol / log q⌉.
        const needed = 1 + Math.ceil(Math.log(1e-8) / Math.log(ratio));
        fc.pre(Math.abs(needed - 1 - Math.log(1e-8) / Math.log(ratio)) > 1e-9);
        const enough = judge(new ConvergenceWatch(1e-8, needed), geometric(1, ratio));
        expect(enough).toEqual(["converged", needed]);
        if (needed > 8) {
          const tooFew = judge(new ConvergenceWatch(1e-8, needed - 2), geometric(1, ratio));
          expect(tooFew[0]).toBe("diverging");
          expect(tooFew[1]).toBe(5);
        }
      }),
      { seed: 577, numRuns: cases(200) },
    );
  });

  it("[NU19] calls growth divergence at once, but forgives one increase of any size", () => {
    const watch = new ConvergenceWatch(1e-6, 50);
    expect(judge(watch, geometric(1, 2))).toEqual(["diverging", 4]);
    expect(watch.history).toEqual([1, 2, 4, 8]);
    expect(judge(watch, [1, 1e6, ...[1, 2, 3].map((k) => 10 ** (2 - 3 * k))])[0]).toBe("converged");
  });

  it("[NU19] sees through norms that alternate while they grow", () => {
    const norms = [1, 10, 5, 50, 25, 250, 125, 1250];
    expect(judge(new ConvergenceWatch(1e-6, 30), norms)).toEqual(["diverging", 6]);
  });

  it("[NU19] stops at what is not finite, and when the iterations are used up", () => {
    expect(judge(new ConvergenceWatch(1e-6, 30), [1, Number.NaN])).toEqual(["diverging", 2]);
    expect(judge(new ConvergenceWatch(1e-6, 30), [Number.POSITIVE_INFINITY])).toEqual([
      "diverging",
      1,
    ]);
    expect(judge(new ConvergenceWatch(1e-6, 3), [1, 0.1, 0.01, 0.001])).toEqual(["exhausted", 3]);
  });

  it("[NU19] waits as long as it is told for a method that stagnates before it jumps", () => {
    const norms = [1, 1, 1, 1, 1, 1, 1, 1e-12];
    expect(judge(new ConvergenceWatch(1e-6, 20), norms)).toEqual(["diverging", 5]);
    expect(judge(new ConvergenceWatch(1e-6, 20, 8), norms)).toEqual(["converged", 8]);
  });

  it("[NU19] knows the rate of the iteration", () => {
    const watch = new ConvergenceWatch(0, 50);
    for (const norm of [16, 8, 4, 2]) watch.note(norm);
    expect(watch.rate).toBeCloseTo(0.5, 14);
  });
});
