import { describe, expect, it } from "vitest";
import { hybridModelOf } from "../stability/hybrid-from-description.ts";
import type { HybridModel } from "../stability/hybrid-model.ts";
import { exampleSystem } from "../stability/testing/hybrid-systems.ts";
import { latestSwitch, simulateHybridDelay, simulateHybridStep } from "./simulate-hybrid.ts";

const ball = hybridModelOf(exampleSystem("ball"));
const cart = hybridModelOf(exampleSystem("cart"));
/** Computed independently; see hybrid-delay.test.ts. */
const BALL_BOUND = 0.00166774448;

describe("co-simulated hybrid systems", { timeout: 120_000 }, () => {
  it("[HY10] a controller that looks every H seconds switches less than H late", async () => {
    const step = 0.01;
    const run = await simulateHybridStep(cart, { start: [1, 0], stop: 6 }, step);
    const x = run.states[0];
    for (const row of run.mode.keys()) expect(run.mode[row]).toBe(x[row] <= -1e-4 ? 1 : 2);
    expect(run.switches).toBeGreaterThan(2);
    // With the cord loose the first crossing is that of x'' = −x − x'/2 from (1, 0).
    const omega = Math.sqrt(1 - 1 / 16);
    const b = 0.25 / omega;
    const position = (t: number): number =>
      Math.exp(-t / 4) * (Math.cos(omega * t) + b * Math.sin(omega * t));
    const first = run.mode.indexOf(1);
    expect(position(run.time[first] - step)).toBeGreaterThan(-1e-4);
    expect(x[first]).toBeCloseTo(position(run.time[first]), 7);
  });

  it("[HY10] a late controller switches as late as it is told, and hardly later", async () => {
    const delay = 0.002;
    const start = [0.3, 0];
    const late = { home: 0, leaving: 0, returning: delay } as const;
    const run = await simulateHybridDelay(ball, { start, stop: 0.15 }, late);
    const contact = run.mode.indexOf(1);
    // Free fall from 0.3 m to 0.25 m; drag changes the time by less than a part in a thousand.
    const fall = Math.sqrt(0.1 / 9.81);
    const lateness = run.time[contact] - fall;
    expect(lateness).toBeGreaterThan(delay - 1e-3 * fall);
    expect(lateness).toBeLessThan(latestSwitch(delay) + 1e-3 * fall);
  });

  it("[HY11] with a contact 0.002 s late the ball does not come to rest", async () => {
    const late = { home: 0, leaving: 0, returning: 0.002 } as const;
    const run = await simulateHybridDelay(ball, { start: [0.3, 0], stop: 4 }, late);
    expect(run.settles).toBe(false);
    expect(Math.max(...run.states[0].slice(-20_000))).toBeGreaterThan(0.3);
  });

  it("[HY11] with contacts later than the bound says the ball goes on; below it comes to rest", async () => {
    const start = [0.2449571, 0];
    const below = (0.75 * BALL_BOUND) / latestSwitch(1);
    const rest = await simulateHybridDelay(
      ball,
      { start, stop: 8 },
      { home: 0, leaving: 0, returning: below },
    );
    expect(rest.settles).toBe(true);
    expect(rest.states[0].at(-1)).toBeCloseTo(0.25 - (0.65 * 9.81) / 40000, 9);
    const above = { home: 0, leaving: 0, returning: 1.05 * BALL_BOUND } as const;
    const goes = await simulateHybridDelay(ball, { start, stop: 5 }, above);
    expect(goes.settles).toBe(false);
    expect(Math.min(...goes.states[0].slice(-20_000))).toBeLessThan(0.2449571);
  });

  it("[HY11] the cart settles when its controller looks every 0.001 s, and does not every 0.05 s", async () => {
    const how = { start: [1, 0], stop: 60 };
    expect((await simulateHybridStep(cart, how, 0.001)).settles).toBe(true);
    expect((await simulateHybridStep(cart, how, 0.05)).settles).toBe(false);
  });

  it("[HY11] what flies away without a switch does not come to rest, and what fades with switches for ever does", async () => {
    const system = (damping: number, border: number): HybridModel => {
      const field = (x: ArrayLike<number>, dx: Float64Array): void => {
        dx[0] = x[1];
        dx[1] = -x[0] - damping * x[1];
      };
      const surface = { value: (x: ArrayLike<number>) => x[0] - border };
      const modes = [
        { name: "low", field },
        { name: "high", field },
      ] as const;
      return { name: "swing", states: ["x", "v"], surface, modes };
    };
    const how = { start: [1, 0], stop: 40 };
    const away = await simulateHybridStep(system(-0.2, 1e6), how, 0.1);
    expect(away).toMatchObject({ switches: 0, settles: false });
    const fades = await simulateHybridStep(system(0.2, 0), how, 0.1);
    expect(fades.lastSwitch).toBeGreaterThan(30);
    expect(fades.settles).toBe(true);
    const goes = await simulateHybridStep(system(0, 0), how, 0.1);
    expect(goes.settles).toBe(false);
  });
});
