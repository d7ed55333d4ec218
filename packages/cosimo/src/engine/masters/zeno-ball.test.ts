/** Zeno behaviour against its closed solution: a bouncing ball, as it is and regularized. */
import { describe, expect, it } from "vitest";
import { FALLING_HEIGHT, fallingBall, zenoTime } from "../testing/falling-ball.ts";
import { runUnits } from "../testing/run-units.ts";
import { crossing } from "../testing/thermostat.ts";

const BALL = { height: 1, gravity: 9.81, e: 0.6 };
const LIMIT = zenoTime(BALL);
const STOP = 3;
const STEP = 0.05;

function run(regularization?: { temporal?: number; spatial?: number }) {
  const floor = crossing([0, FALLING_HEIGHT], 0, "falling", 1e-10);
  const events = [{ ...floor, ...(regularization && { regularization }) }];
  return runUnits({ ball: fallingBall("ball", BALL) }, "", ["ball.h", "ball.v", "ball.bounces"], {
    step: STEP,
    stop: STOP,
    extras: { events },
  });
}

/** When bounce k happens: t1 (1 + 2 e + … + 2 e^k). */
function bounceTime(k: number): number {
  const { height, gravity, e } = BALL;
  const first = Math.sqrt((2 * height) / gravity);
  return first * (1 + (2 * e * (1 - e ** k)) / (1 - e));
}

type Run = Awaited<ReturnType<typeof run>>;

const timesOf = ({ time, values }: Run): number[] =>
  time.filter((_, i) => i > 0 && values["ball.bounces"][i] > values["ball.bounces"][i - 1]);

describe("a ball whose bounces accumulate", () => {
  it("[SI12] is recognised, with the time that its events never pass", async () => {
    const ball = await run();
    const note = ball.summary!.notes.find((one) => one.includes("Zeno"))!;
    expect(note).toContain("crosses 0 (falling): Zeno behaviour");
    expect(Number(/get past t=([0-9.]+)/.exec(note)?.[1])).toBeCloseTo(LIMIT, 6);
    expect(Number(/factor of ([0-9.]+)/.exec(note)?.[1])).toBeCloseTo(BALL.e, 3);
    // Up to where it was recognised, bounces are at their analytic times.
    const from = Number(/from t=([0-9.]+)/.exec(note)?.[1]);
    timesOf(ball)
      .filter((t) => t <= from)
      .forEach((t, k) => {
        expect(t).toBeCloseTo(bounceTime(k), 7);
      });
  });

  it.each([0.02, 0.005])(
    "[SI13] temporal regularization keeps events apart, and the ball near the floor: %s s",
    async (temporal) => {
      const ball = await run({ temporal });
      expect(ball.outcome).toMatchObject({ kind: "completed", time: STOP });
      const times = timesOf(ball);
      // Bounces farther apart than the dwell are where they would have been.
      let k = 0;
      for (; bounceTime(k + 1) - bounceTime(k) > temporal; k++)
        expect(times[k]).toBeCloseTo(bounceTime(k), 7);
      expect(k).toBeGreaterThan(3);
      times.forEach((t, i) => {
        if (i > 0) expect(t - times[i - 1]).toBeGreaterThanOrEqual(temporal * (1 - 1e-9));
      });
      expect(times.length).toBeLessThan(k + (STOP - bounceTime(k)) / temporal + 2);
      // At rest it gains g ε between two events, bounces with v = e g ε / (1 + e), and sinks by g
      // ε² (1/2 - e / (1 + e)) each time.
      const { gravity, e } = BALL;
      const sinking = gravity * temporal * (1 / 2 - e / (1 + e));
      const deepest = sinking * (STOP - LIMIT) + 2 * gravity * temporal ** 2;
      const rest = ball.values["ball.h"].filter((_, i) => ball.time[i] > LIMIT + temporal);
      for (const h of rest) {
        expect(h).toBeGreaterThan(-deepest);
        expect(h).toBeLessThan(2 * gravity * temporal ** 2);
      }
    },
  );

  it.each([1e-2, 1e-4])(
    "[SI14] spatial regularization looks for a bounce once the ball was so high: %s m",
    async (spatial) => {
      const ball = await run({ spatial });
      expect(ball.outcome).toMatchObject({ kind: "completed", time: STOP });
      const times = timesOf(ball);
      // Bounce k comes from a height of h e^(2 k); heights are seen at the ends of steps, which
      // double.
      let k = 0;
      for (; BALL.height * BALL.e ** (2 * k) > (9 / 8) * spatial; k++)
        expect(times[k]).toBeCloseTo(bounceTime(k), 7);
      expect(k).toBeGreaterThan(3);
      // From there on there is at most one event in a communication step.
      expect(times.length - k).toBeLessThanOrEqual((STOP - bounceTime(k - 1)) / STEP + 2);
      expect(ball.summary!.notes.join("\n")).toMatch(/put off by its regularization/);
    },
  );
});
