import { describe, expect, it } from "vitest";
import { safeStepByEnergy } from "./hybrid-energy.ts";
import { hybridModelOf } from "./hybrid-from-description.ts";
import { exampleSystem } from "./testing/hybrid-systems.ts";

const cart = exampleSystem("cart");
const answer = safeStepByEnergy(hybridModelOf(cart), cart.step!);

describe("the safe step by energies", { timeout: 120_000 }, () => {
  it("[HY8] of the cart is the delay with which it can go round for ever, for both modes", () => {
    // The closed orbit's delay, which hybrid-delay.test.ts holds against closed formulas.
    const closed = 0.00222998205;
    for (const { bound, limitedBy } of answer.modes) {
      expect(limitedBy).toBe(4);
      expect(Math.abs(bound / closed - 1)).toBeLessThan(1e-8);
    }
    expect(answer.bound).toBe(Math.min(...answer.modes.map(({ bound }) => bound)));
  });

  it("[HY8] is below what the entries with the least energy alone would allow, and below the published 0.0027 s", () => {
    for (const { bound, byLeastEntry } of answer.modes) expect(byLeastEntry).toBeGreaterThan(bound);
    expect(answer.modes[0].byLeastEntry).toBeLessThan(0.0027);
  });

  it("[HY8] depends on the slow crossings: without them the published 0.039 s for the loose cord is not far", () => {
    const model = hybridModelOf(cart);
    const fast = { ...cart.step!, range: { along: 1, from: 0.0186, to: 1 } };
    const { modes } = safeStepByEnergy(model, fast);
    expect(modes[1].byLeastEntry).toBeGreaterThan(0.038);
    expect(modes[1].byLeastEntry).toBeLessThan(0.04);
  });

  it("[HY8] tells the round that forbids more: it is entered again with more energy", () => {
    const { worst } = answer.modes[0];
    expect(worst!.crossing[0]).toBe(-1e-4);
    expect(worst!.reentered).toBeGreaterThan(worst!.entered);
  });

  it("[HY9] is limited by condition 3 where an energy grows in its own danger zone", () => {
    // Anti-damping: every motion gains energy at once.
    const gaining = exampleSystem("cart", (text) => text.replace("ds: 0.5", "ds: -0.5"));
    const { modes } = safeStepByEnergy(hybridModelOf(gaining), gaining.step!);
    expect(modes[1]).toMatchObject({ bound: 0, limitedBy: 3 });
  });

  it("[HY9] is limited by condition 1 where an energy is not positive", () => {
    const negative = exampleSystem("cart", (text) =>
      text.replaceAll("energy: m*v^2/2", "energy: m*v^2/2 - 1e9"),
    );
    const { modes } = safeStepByEnergy(hybridModelOf(negative), negative.step!);
    expect(modes[1]).toMatchObject({ bound: 0, limitedBy: 1 });
  });

  it("[HY9] is limited by condition 2 where the energy at rest is not zero", () => {
    const lifted = exampleSystem("cart", (text) =>
      text.replace("+ cs*x^2/2", "+ cs*x^2/2 + 1").replace("[-100, 100]", "[1, 2]"),
    );
    const { modes } = safeStepByEnergy(hybridModelOf(lifted), lifted.step!);
    expect(modes[1]).toMatchObject({ bound: 0, limitedBy: 2 });
    expect(modes[0].conditions[1]).toBe(Number.POSITIVE_INFINITY);
  });

  it("[HY9] tells the danger zone: at 100 m/s the cart runs as far beyond the sensor as its oscillator says", () => {
    // Mode 2 leaves at -100 m/s and runs on for a bound: x = l - v·t to first order, damped by half
    // a percent.
    const { dangerZone, bound, conditions } = answer.modes[1];
    expect(dangerZone / (100 * bound)).toBeGreaterThan(0.999);
    expect(dangerZone / (100 * bound)).toBeLessThan(1);
    expect(conditions.slice(0, 3)).toEqual(Array(3).fill(Number.POSITIVE_INFINITY));
  });

  it("[HY8] is unlimited where switching late does nothing: two modes with the same equations", () => {
    const same = exampleSystem("cart", (text) =>
      text.replace("cc: 1000, dc: 1e-4", "cc: 0, dc: 0"),
    );
    expect(safeStepByEnergy(hybridModelOf(same), same.step!).bound).toBe(Number.POSITIVE_INFINITY);
  });
});
