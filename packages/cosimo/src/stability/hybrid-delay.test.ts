import { describe, expect, it } from "vitest";
import type { HybridDescription } from "../model/hybrid-description.ts";
import { type DelayQuestion, maximumStableDelay, Rounds } from "./hybrid-delay.ts";
import { delayAssumptions } from "./hybrid-delay-assumptions.ts";
import { hybridModelOf, scalarOf } from "./hybrid-from-description.ts";
import { exampleSystem } from "./testing/hybrid-systems.ts";

function ask(description: HybridDescription): [ReturnType<typeof hybridModelOf>, DelayQuestion] {
  const { section, range } = description.delay!;
  return [hybridModelOf(description), { section: scalarOf(section, description), range }];
}

function closingDelay(description: HybridDescription, x: number): number {
  return Rounds.of(...ask(description))!.closingDelay(x, 0);
}

const ball = exampleSystem("ball");
const cart = exampleSystem("cart");
/** Asked once; several rules look at them. */
const answers = new Map(
  [ball, cart].map((one) => [one, maximumStableDelay(...ask(one))!] as const),
);
/**
 * Numbers of an independent computation with an integrator of eighth order at 1e-12, printed to ten
 * digits.
 */
const PRINTED = 1e-8;

describe("the maximum stable delay", { timeout: 120_000 }, () => {
  it("[HY5] of the bouncing ball is where an independent computation finds it", () => {
    const { bound, orbit } = answers.get(ball)!;
    expect(Math.abs(bound - 0.00166774448)).toBeLessThan(PRINTED * 0.001);
    expect(Math.abs(orbit!.x[0] - 0.2449571)).toBeLessThan(1e-7);
    expect(orbit!.leaving).toBe(0);
  });

  it.each([
    [0.248, 0.0017050572],
    [0.242, 0.0016797655],
  ])("[HY5] comes from closing delays: through x = %d it is %d s", (x, delay) => {
    expect(Math.abs(closingDelay(ball, x) - delay)).toBeLessThan(PRINTED * 0.01);
  });

  it("[HY5] with a damping of 7 is near the number published for 10", () => {
    const { bound, orbit } = maximumStableDelay(
      ...ask(exampleSystem("ball", (text) => text.replace("dc: 10", "dc: 7"))),
    )!;
    expect(Math.abs(bound - 0.001412208)).toBeLessThan(PRINTED * 0.01);
    expect(Math.abs(orbit!.x[0] - 0.24546)).toBeLessThan(2e-7);
  });

  it("[HY5] of the affine ball falls towards the published one with the depth of compression", () => {
    const affine = exampleSystem("ball", (text) =>
      text.replace("da: 0.0136", "da: 1e-6").replaceAll("v*abs(v)", "v"),
    );
    expect(Math.abs(closingDelay(affine, 0.2) - 0.0016256984)).toBeLessThan(PRINTED * 0.01);
    expect(Math.abs(closingDelay(affine, -0.4991045) - 0.001623205)).toBeLessThan(1e-9);
  });

  it("[HY5] does not depend on the section: at another place of the round the answer is the same", () => {
    const other = exampleSystem("ball", (text) =>
      text
        .replace("section: v", "section: x - 0.2495")
        .replace("{ x: [0.2, 0.2498] }", "{ v: [0.3, 2] }"),
    );
    const { bound } = maximumStableDelay(...ask(other))!;
    expect(Math.abs(bound / answers.get(ball)!.bound - 1)).toBeLessThan(1e-9);
  });

  it("[HY6] belongs to an orbit that closes, as closed formulas of the cart's two oscillators say", () => {
    const { bound, orbit } = answers.get(cart)!;
    const round = cartRound(orbit!.x[0], orbit!.leaving, orbit!.returning);
    expect(Math.abs(round / orbit!.x[0] - 1)).toBeLessThan(1e-9);
    // A little later and the same round leads further out; a little earlier and it leads in.
    expect(cartRound(orbit!.x[0], 1.01 * bound, 1.01 * bound)).toBeGreaterThan(orbit!.x[0]);
    expect(cartRound(orbit!.x[0], 0.99 * bound, 0.99 * bound)).toBeLessThan(orbit!.x[0]);
    // And so it does for the step of 0.0027 s that was published as safe.
    expect(cartRound(2.7e-4, 0.0026, 0.0026)).toBeGreaterThan(1.05 * 2.7e-4);
  });

  it("[HY6] is not found where delays in both directions only brake", () => {
    // Leaving contact late pulls the ball back; a late contact is what drives it. Without gravity's
    // way back there is no round.
    const away = exampleSystem("ball", (text) =>
      text.replace("v: -da/m*v*abs(v) - g", "v: -da/m*v*abs(v)"),
    );
    const { bound, orbit } = maximumStableDelay(...ask(away))!;
    expect(bound).toBe(Number.POSITIVE_INFINITY);
    expect(orbit).toBeUndefined();
  });
});

describe("the assumptions behind it", { timeout: 120_000 }, () => {
  const check = (description: HybridDescription) => {
    const [model, question] = ask(description);
    const answer = answers.get(description) ?? maximumStableDelay(model, question)!;
    return delayAssumptions(model, question, answer)!;
  };

  it("[HY7] hold for ball and cart", () => {
    for (const one of [ball, cart]) expect(check(one).filter(({ holds }) => !holds)).toEqual([]);
    expect(check(ball).map(({ number }) => number)).toEqual([0, 3, 4, 5, 6]);
  });

  it.each([
    ["a section on both sides of the equilibrium", "[0.2, 0.2498]", "[0.2498, 0.25]", 3],
    ["a section that reaches beyond the surface", "[0.2, 0.2498]", "[0.24, 0.27]", 3],
    ["a section that is passed before the switch", "section: v", "section: v + 1.3", 4],
    ["a surface whose gradient is zero where it is met again", "x - r ", "(x - r)^3 ", 5],
    ["a surface whose gradient is zero where it is left", "x - r ", "(x - r)^3 ", 6],
    ["a mode that is not drawn to its rest", "dc: 10", "dc: -1", 0],
  ])("[HY7] fail for %s", (_, right, wrong, number) => {
    // A short part of the section is enough to see it.
    const failed = check(
      exampleSystem("ball", (text) => text.replace(right, wrong).replace("[0.2, ", "[0.245, ")),
    );
    expect(failed.find((one) => one.number === number)!.holds).toBe(false);
  });

  it("[HY7] need an equilibrium: a ball that floats has none", () => {
    const floating = exampleSystem("ball", (text) => text.replace("g: 9.81", "g: -9.81"));
    expect(maximumStableDelay(...ask(floating))).toBeUndefined();
  });
});

/**
 * Where the cart turns next, right of the sensor, when it turned at `x` and both switches are late:
 * x'' = −k x − d x' has the solution e^(−dt/2) (a cos ωt + b sin ωt) in both modes. Crossings by
 * bisection of these formulas; nothing of the code under test.
 */
function cartRound(x: number, leaving: number, returning: number): number {
  const [loose, stretched] = [motion(1, 0.5), motion(1001, 0.5001)];
  const sensor = (s: readonly [number, number]): number => s[0] + 1e-4;
  const left = loose([x, 0], firstZero(loose, [x, 0], sensor));
  const inside = loose(left, leaving);
  const back = stretched(inside, firstZero(stretched, inside, sensor));
  const free = stretched(back, returning);
  return loose(
    free,
    firstZero(loose, free, (s) => s[1]),
  )[0];
}

type State = readonly [number, number];
type Motion = (from: State, t: number) => State;

function motion(k: number, d: number): Motion {
  const omega = Math.sqrt(k - (d * d) / 4);
  return ([x, v], t) => {
    const [c, s] = [Math.cos(omega * t), Math.sin(omega * t)];
    const b = (v + (d * x) / 2) / omega;
    const decay = Math.exp((-d * t) / 2);
    const position = decay * (x * c + b * s);
    return [position, decay * omega * (b * c - x * s) - (d / 2) * position];
  };
}

function firstZero(move: Motion, from: State, g: (s: State) => number): number {
  const step = 1e-5;
  let t = step;
  const side = Math.sign(g(move(from, t)));
  while (Math.sign(g(move(from, t))) === side) t += step;
  let [low, high] = [t - step, t];
  for (let k = 0; k < 60; k++) {
    const middle = (low + high) / 2;
    if (Math.sign(g(move(from, middle))) === side) low = middle;
    else high = middle;
  }
  return high;
}
