import { describe, expect, it } from "vitest";
import { type Diagnostic, unwrap } from "../base/diagnostic.ts";
import { explainOutcome } from "../base/outcome.ts";
import { compilePlan } from "../plan/compile.ts";
import { type ScenarioOptions, scenarioOf } from "../plan/testing/scenario-of.ts";
import { functionUnit } from "../unit/function-unit.ts";
import { linearUnit } from "../unit/linear-unit.ts";
import { odeUnit } from "../unit/ode-unit.ts";
import type { Unit } from "../unit/unit.ts";
import type { RunState } from "./checkpoint.ts";
import { type RunPlanOptions, runPlan } from "./run-plan.ts";
import { coupledMasses, MASSES_WIRES } from "./testing/coupled-masses.ts";

async function watch(
  units: Readonly<Record<string, Unit>>,
  wires: string,
  options: ScenarioOptions & { stop: number },
  more: Partial<RunPlanOptions> & { growth?: boolean } = {},
) {
  const descriptions = Object.fromEntries(
    Object.entries(units).map(([name, { description }]) => [name, description]),
  );
  const scenario = scenarioOf(descriptions, wires, options);
  const { plan } = unwrap(compilePlan(scenario, { record: [], growth: more.growth ?? false }));
  const found: Diagnostic[] = [];
  const growth: number[] = [];
  const time: number[] = [];
  const outcome = await runPlan(plan, scenario, Object.values(units), {
    stop: options.stop,
    onDivergence: (diagnostic) => void found.push(diagnostic),
    onRow: (t, banks) => {
      time.push(t);
      if (plan.growth !== undefined) growth.push(banks.f64[plan.growth]);
    },
    ...more,
  });
  return { outcome, found, growth, time };
}

/**
 * y' = growth y - u, the loop closed by u = gain y; without inner steps, y(t + H) is known in
 * closed form.
 */
const loop = (gain: number, growth = 0, start = 1): Record<string, Unit> => ({
  plant: linearUnit(
    { name: "plant", inputs: { u: {} }, states: { y: { start } }, a: [[growth]], b: [[-1]] },
    "plant",
  ),
  controller: linearUnit(
    {
      name: "controller",
      inputs: { y: {} },
      states: { z: {} },
      outputs: { u: { feedThrough: ["y"] } },
      a: [[0]],
      b: [[0]],
      c: [[0]],
      d: [[gain]],
    },
    "controller",
  ),
});
const LOOP = "plant.y -> controller.y; controller.u -> plant.u";

/** Gives what it receives, from a time on something else. */
const breaking = (value: number, from: number): Unit =>
  functionUnit(
    {
      name: "breaking",
      inputs: { u: {} },
      outputs: { y: { feedThrough: ["u"] } },
      evaluate: (time, u, _, y) => {
        y[0] = time >= from ? value : u[0];
      },
    },
    "breaking",
  );

describe("a run that is watched", () => {
  it("[MO1] is reported when a loop diverges, with a culprit in the loop and what may help", async () => {
    // y is multiplied by 1 - 5 H = -1.5 in a step of 0.5 s.
    const { found, outcome } = await watch(loop(5), LOOP, {
      step: 0.5,
      stop: 60,
      master: "jacobi",
    });
    expect(outcome.kind).toBe("completed");
    expect(found.map(({ code }) => code)).toEqual(["run-diverges"]);
    expect(found[0].message).toMatch(/'(plant\.y|controller\.u)'/);
    expect(found[0].fix).toMatch(/--master gauss-seidel.*--master iterative.*--step 0\.25/);
  });

  it("[MO2] gives the rate of growth that the spectral radius of the one-step map says: ln ρ / H", async () => {
    // Looks are two steps apart up to here; farther apart they see a little more growth than there
    // is.
    const simple = await watch(
      loop(5),
      LOOP,
      { step: 0.5, stop: 40, master: "jacobi" },
      { growth: true },
    );
    expect(simple.growth.at(-1)).toBeCloseTo(Math.log(1.5) / 0.5, 6);
    // AX-4 with d_2 = 2, steps of 2 s, jacobi: ρ = 1.684. The dominating pair turns, so peaks are
    // met by chance.
    const masses = await watch(
      coupledMasses({ damping: 2 }),
      MASSES_WIRES,
      { step: 2, stop: 2000, master: "jacobi" },
      { growth: true },
    );
    expect(masses.growth.at(-1)! / (Math.log(1.684) / 2)).toBeCloseTo(1, 1);
    expect(masses.found.map(({ code }) => code)).toEqual(["run-diverges"]);
  });

  it("[MO3] is left in peace when it settles: the growth is below 0", async () => {
    const settling = { step: 0.1, stop: 20, master: "jacobi" };
    const { found, growth } = await watch(coupledMasses({ damping: 2 }), MASSES_WIRES, settling, {
      growth: true,
    });
    expect(found).toEqual([]);
    expect(growth.at(-1)).toBeLessThan(-0.1);
    expect((await watch(loop(5), LOOP, { step: 0.3, stop: 60, master: "jacobi" })).found).toEqual(
      [],
    );
  });

  it("[MO9] is not said to diverge any more when it grew into a swing that stays", async () => {
    // The oscillator of van der Pol, x'' = (1 − x²/100) x' / 5 − x: from nearly nothing to a swing
    // between −20 and 20.
    const position = (): Unit =>
      odeUnit(
        {
          name: "position",
          inputs: { v: {} },
          states: { x: { start: 1e-6 } },
          derivatives: (_t, _x, [v], _p, dx) => {
            dx[0] = v;
          },
        },
        "position",
      );
    const speed = (): Unit =>
      odeUnit(
        {
          name: "speed",
          inputs: { x: {} },
          states: { v: {} },
          derivatives: (_t, [v], [x], _p, dx) => {
            dx[0] = 0.2 * (1 - (x * x) / 100) * v - x;
          },
        },
        "speed",
      );
    const wires = "position.x -> speed.x; speed.v -> position.v";
    const messages: string[] = [];
    for (const stop of [130, 400, 403, 405]) {
      const { found } = await watch({ position: position(), speed: speed() }, wires, {
        step: 0.05,
        stop,
      });
      messages.push(...found.map(({ message }) => message));
    }
    expect(messages).toHaveLength(4);
    expect(messages[0]).toMatch(/^the coupling diverges: .* grow /);
    for (const message of messages.slice(1))
      expect(message).toMatch(/^the coupling diverged, until something held it: .* grew /);
  });

  it("[MO4] is left in peace when something in a loop grows like a power of time", async () => {
    const units = {
      stone: linearUnit(
        {
          name: "stone",
          inputs: { u: {} },
          states: { s: {}, v: {}, a: {}, one: { start: 1 } },
          a: [
            [0, 1, 0, 0],
            [0, 0, 1, 0],
            [0, 0, 0, 1],
            [0, 0, 0, 0],
          ],
          b: [[0], [0], [0], [0]],
        },
        "stone",
      ),
      controller: loop(5)["controller"],
    };
    const wires = "stone.s -> controller.y; controller.u -> stone.u";
    // s = t³ / 6 ends at 1.7e8, a hundred million times its nominal value.
    const { found } = await watch(units, wires, { step: 0.1, stop: 1000, master: "jacobi" });
    expect(found).toEqual([]);
  });

  it("[MO5] is left in peace when something outside of loops grows by itself", async () => {
    const units = { source: loop(0, 1)["plant"], follower: loop(0, -1)["plant"] };
    const wires = "source.y -> follower.u";
    const { found } = await watch(units, wires, { step: 0.1, stop: 50, master: "jacobi" });
    expect(found).toEqual([]);
    const inLoop = await watch(loop(0.1, 1), LOOP, { step: 0.1, stop: 50, master: "jacobi" });
    expect(inLoop.found[0].fix).toContain("If the system itself grows like that, nothing is wrong");
  });

  it.each(["jacobi", "gauss-seidel", "iterative"])(
    "[MO6] is reported under %s when a signal is NaN, in a loop or not",
    async (master) => {
      const units = (value: number): Record<string, Unit> => ({
        source: loop(0)["plant"],
        breaking: breaking(value, 1.05),
      });
      const wires = "source.y -> breaking.u";
      const request = { step: 0.1, stop: 2, master };
      const sink = { sink: loop(0)["plant"] };
      const lost = { ...units(Number.NaN), ...sink };
      const { found, outcome } = await watch(lost, `${wires}; breaking.y -> sink.u`, request);
      expect(outcome.kind).toBe("completed");
      expect(found.map(({ code }) => code)).toEqual(["run-no-number"]);
      expect(found[0].message).toContain("'breaking.y'");
      // A time that never comes is infinite.
      const never = { ...units(Number.POSITIVE_INFINITY), sink: loop(0)["plant"] };
      const quiet = await watch(never, `${wires}; breaking.y -> sink.u`, request);
      expect(quiet.found).toEqual([]);
    },
  );

  it.each(["jacobi", "adaptive"])(
    "[MO7] ends under %s where it diverges, if that is wanted, and keeps what was recorded",
    async (master) => {
      const request = {
        step: 0.5,
        stop: 200,
        master,
        ...(master === "adaptive" ? { options: FREE } : {}),
      };
      const { outcome, time, found } = await watch(loop(5), LOOP, request, {
        stopOnDivergence: true,
      });
      expect(outcome.kind).toBe("unstable");
      expect(found).toEqual([]);
      expect(outcome.time).toBeLessThan(100);
      expect(time.at(-1)).toBe(outcome.time);
      expect(explainOutcome(outcome)).toMatch(/diverges.*\n {2}fix: try/);
    },
  );

  it("[MO8] goes on watching when it is continued: growth and findings are those of an uninterrupted run", async () => {
    const request = { step: 0.5, stop: 60, master: "jacobi" };
    const states: RunState[] = [];
    const keeper = {
      nextTime: 12,
      isDue: (t: number) => t === 12,
      store: (state: RunState) => void states.push(state),
    };
    const whole = await watch(loop(5), LOOP, request, { growth: true, checkpoint: keeper });
    const resume = states.find(({ time }) => time === 12)!;
    const rest = await watch(loop(5), LOOP, request, { growth: true, resume });
    expect(rest.growth).toEqual(whole.growth.slice(-rest.growth.length));
    expect(rest.growth.length).toBe(96);
    expect(rest.found).toEqual(whole.found);
  });
});

/** A tolerance so loose that step control never objects. */
const FREE = {
  coupling: "jacobi",
  approximation: "hold",
  relative: 1e9,
  absolute: 1e9,
  minStep: 0.5,
  maxStep: 0.5,
};
