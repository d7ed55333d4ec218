import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cases } from "../base/testing/cases.ts";
import { StepController } from "./step-controller.ts";

const RUNS = { seed: 1_991, numRuns: cases(300) };

describe("the step controller", () => {
  it.each([1, 2, 3, 5])(
    "[NU20] settles for errors of order %i + 1 where the law says, deviations dying out as 0.8ⁿ",
    (order) => {
      const controller = new StepController({ order, safety: 0.9 });
      const settled = 0.9 ** ((order + 1) / 0.3);
      // The step whose error is half of the settled one, for errors 2.5·h^(order + 1).
      let h = (settled / 2 / 2.5) ** (1 / (order + 1));
      const deviations: number[] = [];
      for (let n = 0; n < 45; n++) {
        const error = 2.5 * h ** (order + 1);
        deviations.push(Math.log(error / settled));
        h *= controller.accept(error);
      }
      // z² = 0.3 z + 0.4 has the roots 0.8 and −0.5: after 40 steps the second is (5/8)^40 of the
      // first.
      expect(deviations[44]! / deviations[43]!).toBeCloseTo(0.8, 3);
      expect(Math.abs(deviations[44]!)).toBeLessThan(1e-3);
    },
  );

  it("[NU20] follows errors that grow faster than the step says more strongly than the integral part alone", () => {
    const controller = new StepController({ order: 1, maxFactor: 5 });
    controller.accept(0.1);
    expect(controller.accept(0.4)).toBeCloseTo(0.9 * 0.4 ** -0.15 * 0.25 ** 0.2, 12);
  });

  it("[NU21] answers every error with a factor within its bounds, smaller than 1 for a rejected step", () => {
    const error = fc.oneof(
      fc.double({ min: 0, max: 1e6 }),
      fc.constantFrom(0, 1e-300, 1e300, Number.NaN, Number.POSITIVE_INFINITY),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), error)), (all) => {
        const controller = new StepController({ order: 2, minFactor: 0.1, maxFactor: 3 });
        for (const [accepted, e] of all) {
          const factor = accepted ? controller.accept(e) : controller.reject(e);
          expect(factor).toBeGreaterThanOrEqual(0.1);
          expect(factor).toBeLessThanOrEqual(accepted ? 3 : 0.9);
        }
      }),
      RUNS,
    );
  });

  it("[NU21] grows fully without an error and shrinks fully for one that is not finite", () => {
    const controller = new StepController({ order: 1 });
    expect(controller.accept(0)).toBe(2);
    expect(controller.accept(0)).toBe(2);
    expect(controller.accept(Number.NaN)).toBe(0.2);
    expect(controller.reject(Number.POSITIVE_INFINITY)).toBe(0.2);
  });

  it("[NU21] takes no error as a small one: the next is not a disaster in comparison", () => {
    const controller = new StepController({ order: 3 });
    controller.accept(0);
    expect(controller.accept(0.5)).toBeCloseTo(0.9 * 0.5 ** -0.075 * (1e-4 / 0.5) ** 0.1, 12);
  });

  it("[NU22] repeats a rejected step by the order of its error, and at least halves it the next time", () => {
    const controller = new StepController({ order: 1 });
    expect(controller.reject(4)).toBeCloseTo(0.9 / 2, 14);
    expect(controller.reject(1.1)).toBe(0.5);
    expect(new StepController({ order: 1 }).reject(0.01)).toBe(0.9);
  });

  it("[NU22] does not grow right after a rejection, and grows again after that", () => {
    const controller = new StepController({ order: 1 });
    controller.reject(4);
    expect(controller.accept(1e-3)).toBe(1);
    expect(controller.accept(1e-3)).toBe(2);
  });

  it("[NU22] needs few steps and rejections to follow a time scale that grows ten-thousandfold", () => {
    const controller = new StepController({ order: 1 });
    let h = 1e-4;
    let rejected = 0;
    let t = 0;
    let steps = 0;
    // Errors (h/τ)² of a time scale τ = 1e-3 + t, as after a fast transient.
    while (t < 10) {
      const scale = 1e-3 + t;
      const error = (h / scale) ** 2;
      if (error > 1) {
        rejected++;
        h *= controller.reject(error);
      } else {
        t += h;
        steps++;
        h *= controller.accept(error);
      }
    }
    // A step of a fraction φ of (1e-3 + t) multiplies 1e-3 + t by 1 + φ; the settled φ is
    // √0.9^(2/0.3) = 0.70 and at least half of that while it settles: between ln(1e4)/ln(2) and
    // ln(1e4)/ln(1.35) steps, plus the start.
    expect(steps).toBeGreaterThan(Math.log(1e4) / Math.log(2));
    expect(steps).toBeLessThan(Math.log(1e4) / Math.log(1.35) + 10);
    expect(rejected).toBeLessThanOrEqual(1);
  });

  it("[NU12] a restored controller answers like the saved one, and a reset one like a new one", () => {
    const controller = new StepController({ order: 2 });
    controller.accept(0.3);
    controller.reject(7);
    const saved = controller.save();
    const answers = (): number[] => [controller.accept(0.2), controller.accept(0.8)];
    const once = answers();
    controller.restore(saved);
    expect(answers()).toEqual(once);
    controller.reset();
    const fresh = new StepController({ order: 2 });
    expect(answers()).toEqual([fresh.accept(0.2), fresh.accept(0.8)]);
  });
});
