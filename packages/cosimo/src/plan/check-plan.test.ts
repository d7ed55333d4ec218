import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hasErrors, unwrap } from "../base/diagnostic.ts";
import { checkPlan } from "./check-plan.ts";
import { compilePlan } from "./compile.ts";
import { randomCase } from "./testing/random-scenario.ts";

describe("the check of a plan", () => {
  it("[PN40] finds nothing in what the compiler makes of random scenarios", () => {
    let loops = 0;
    let tracks = 0;
    fc.assert(
      fc.property(randomCase(50), ({ scenario, record }) => {
        const { plan } = unwrap(compilePlan(scenario, { record }));
        loops += plan.loops.length;
        tracks += plan.tracks.length;
        expect(checkPlan(plan, scenario).filter((d) => hasErrors([d]))).toEqual([]);
      }),
      { seed: 40, numRuns: 300 },
    );
    // The scenarios were worth checking: one in eight has a loop.
    expect(loops).toBeGreaterThan(25);
    expect(tracks).toBeGreaterThan(200);
  });
});
