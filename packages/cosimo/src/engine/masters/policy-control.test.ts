/**
 * Masters that choose policies: what is chosen, what a guard makes of it, and that a guard keeps
 * its promise where an error estimate does not.
 */
import { describe, expect, it } from "vitest";
import type { DecisionGuard } from "../../model/decision-guard.ts";
import { checkSequence } from "../../model/decision-guard.ts";
import { automatonOf } from "../../model/testing/automaton.ts";
import { compilePlan } from "../../plan/compile.ts";
import { runTimeNeeds } from "../../plan/explain/explain-run-time.ts";
import { printPlan } from "../../plan/print-plan.ts";
import { scenarioOf } from "../../plan/testing/scenario-of.ts";
import { type CoupledRun, runUnits } from "../testing/run-units.ts";
import { STEPPED_WIRES, steppedMasses } from "../testing/stepped-masses.ts";

const policy = (substeps: number, more: object = {}): object => ({
  set: { "left.substeps": substeps, "right.substeps": substeps },
  ...more,
});
const QUICK_CAREFUL = { quick: policy(1), careful: policy(10) };

/** A quick step only after three careful ones: nodes count the careful steps in a row. */
const GUARD: DecisionGuard = {
  policies: ["careful", "quick"],
  automaton: automatonOf(4, "0 a 1, 1 a 2, 2 a 3, 3 a 3, 3 b 0"),
  start: 3,
};

const RECORD = ["left.x", "left.v", "right.x", "right.v", "left.evaluations"];

function run(
  options: Readonly<Record<string, unknown>>,
  stop = 20,
  extras: object = {},
): Promise<CoupledRun> {
  const { left, right } = steppedMasses();
  return runUnits({ left, right }, STEPPED_WIRES, RECORD, {
    step: 0.1,
    stop,
    master: "adaptive",
    options: { coupling: "jacobi", approximation: "hold", policies: QUICK_CAREFUL, ...options },
    extras,
  });
}

/** Policies of the steps, counted from 0; the first row is before the first step. */
const policiesOf = ({ values }: CoupledRun): number[] =>
  values["master.policy"].slice(1).map((policyAt) => policyAt - 1);

/** Euler of both masses as written in the equations, `steps` in 0.1 s. */
function eulerStep([x1, v1, x2, v2]: readonly number[], steps: number): number[] {
  const h = 0.1 / steps;
  const [a0, va0] = [x1, v1!];
  const F = x2 - a0 + 0.1 * (v2 - va0);
  let [a, va, b, vb] = [a0, va0, x2, v2!];
  for (let k = 0; k < steps; k++) {
    [a, va] = [a + h * va, va + h * (F - a - 0.1 * va)];
    [b, vb] = [b + h * vb, vb + h * (-b - (b - a0 + 0.1 * (vb - va0)))];
  }
  return [a, va, b, vb];
}

const stateAt = ({ values }: CoupledRun, row: number): number[] =>
  ["left.x", "left.v", "right.x", "right.v"].map((name) => values[name][row]);

/** The largest state of the last 10 s. */
const sizeAtEnd = (done: CoupledRun): number =>
  Math.max(
    ...done.time.slice(-100).map((_, k) => Math.hypot(...stateAt(done, done.time.length - 1 - k))),
  );

const scenario = (options: string) =>
  scenarioOf(
    Object.fromEntries(
      Object.entries(steppedMasses()).map(([name, unit]) => [name, unit.description]),
    ),
    STEPPED_WIRES,
    { step: 0.1, master: "adaptive", options: JSON.parse(options) },
  );

const places = (options: string) => compilePlan(scenario(options), { record: [] }).diagnostics;

describe("policies", () => {
  it("[GU1] begin with care, get cheaper while errors are small and more careful when they are not", async () => {
    const wide = policiesOf(await run({ absolute: 100 }));
    expect(wide.slice(0, 2)).toEqual([1, 0]);
    expect(wide.slice(1).every((one) => one === 0)).toBe(true);
    const narrow = policiesOf(await run({ absolute: 1e-6, relative: 1e-6 }));
    expect(narrow.every((one) => one === 1)).toBe(true);
  });

  it("[GU1] go one place at a time", async () => {
    const policies = { quick: policy(1), middle: policy(3), careful: policy(10) };
    const taken = policiesOf(await run({ policies, absolute: 100 }));
    expect(taken.slice(0, 4)).toEqual([2, 1, 0, 0]);
  });

  it("[GU1] [GU2] follow the estimated error, and every step is the one that its policy describes", async () => {
    const done = await run({ absolute: 0.02, relative: 1e-12 }, 60);
    const taken = policiesOf(done);
    expect(new Set(taken)).toEqual(new Set([0, 1]));
    taken.forEach((one, k) => {
      const expected = eulerStep(stateAt(done, k), one === 1 ? 10 : 1);
      stateAt(done, k + 1).forEach((value, i) => {
        expect(value).toBeCloseTo(expected[i], 12);
      });
      const error = done.values["master.error"][k + 1];
      const next = taken[k + 1];
      if (next !== undefined) expect(next).toBe(error > 1 ? 1 : error < 0.5 ? 0 : one);
    });
  });

  it("[GU2] stay those of the step where it is tried again", async () => {
    const events = [
      {
        signal: { unit: 0, port: 3, element: 0 },
        level: 0.5,
        direction: "any" as const,
        text: "left.x crosses 0.5",
        place: { file: "test" },
      },
    ];
    const done = await run({ absolute: 100 }, 5, { events });
    expect(done.summary!.rejections.some(({ reason }) => reason === "event")).toBe(true);
    // What was rejected is not in the state, and care starts again where signals jumped.
    const [, quick, careful] = /quick (\d+), careful (\d+)/.exec(done.summary!.notes.join())!;
    expect(Number(careful)).toBe(2);
    expect(Number(quick) + Number(careful)).toBe(done.summary!.steps);
    expect(done.values["left.evaluations"].at(-1)).toBe(Number(quick) + 10 * Number(careful));
  });

  it("[GU3] have steps of their own, counted while they stay the same", async () => {
    const policies = { quick: policy(1, { step: 0.2 }), careful: policy(10) };
    const { time, outcome } = await run({ policies, absolute: 100 }, 2);
    expect(time).toEqual([0, 0.1, ...Array.from({ length: 9 }, (_, k) => 0.1 + (k + 1) * 0.2), 2]);
    expect(outcome.kind).toBe("completed");
  });

  it("[GU3] may do without the iteration of their master", async () => {
    const policies = { quick: policy(1, { coupling: "jacobi" }), careful: policy(1) };
    const wide = await run({ policies, coupling: "iterative", absolute: 100 }, 2);
    const iterations = wide.values["master.iterations"];
    expect(iterations[1]).toBeGreaterThan(0);
    expect(iterations.slice(2).every((count) => count === 0)).toBe(true);
    const expected = eulerStep(stateAt(wide, 4), 1);
    stateAt(wide, 5).forEach((value, i) => {
      expect(value).toBeCloseTo(expected[i], 12);
    });
  });

  it.each([
    ["an unknown unit", { lift: 1 }, '"lift.substeps": 1', "no such unit"],
    ["an unknown port", {}, '"left.substep": 1', "did you mean 'left.substeps'"],
    ["an output", {}, '"left.x": 1', "it is an output"],
    ["a fixed parameter", {}, '"left.label": 1', "fixed"],
  ])("[GU4] cannot set %s", (_, __, set, words) => {
    const found = places(`{"policies":{"a":{"set":{${set}}},"b":{"set":{${set}}}}}`);
    expect(found[0]?.code).toBe("policy-port-unusable");
    expect(`${found[0]?.message} ${found[0]?.fix}`).toContain(words);
  });

  it("[GU4] all set the same parameters", () => {
    const found = places('{"policies":{"a":{"set":{"left.substeps":1}},"b":{}}}');
    expect(found.map(({ code, message }) => `${code} ${message}`)).toEqual([
      "policy-port-unusable policy 'b' cannot set 'left.substeps': other policies set it, so its value would depend on earlier decisions",
    ]);
  });

  it.each([
    ['{"policies":[]}', "policies"],
    ['{"policies":{}}', "policies"],
    ['{"policies":{"a":1}}', "policies"],
    ['{"policies":{"a":{"stepp":1}}}', "stepp"],
    ['{"policies":{"a":{"step":0}}}', "step: 0"],
    ['{"policies":{"a":{"coupling":"none"}}}', "none"],
    ['{"policies":{"a":{"set":{"left.substeps":"many"}}}}', "set"],
    ['{"policies":{"a":{}},"estimator":"richardson"}', "richardson"],
    ['{"policies":{"a":{}},"guard":"lost.json"}', "lost.json"],
  ])("[GU4] are refused where they do not fit: %s", (wants, words) => {
    const found = places(wants).filter(({ severity }) => severity === "error");
    expect(found.map(({ code }) => code)).toContain("master-option-invalid");
    expect(found.map(({ message }) => message).join("\n")).toContain(words);
  });
});

describe("a guard", () => {
  it("[GU5] [GU6] lets no forbidden sequence pass, and the trace shows it", async () => {
    const done = await run({ absolute: 100, guard: GUARD });
    const byMode = policiesOf(done).map((one) => (one === 0 ? 1 : 0)); // the guard names them the other way around
    expect(byMode.slice(0, 6)).toEqual([0, 1, 0, 0, 0, 1]);
    const check = checkSequence(GUARD, byMode);
    expect(check).toMatchObject({ isAllowed: true, decisions: 200 });
    const nodes = done.values["master.guard"];
    if (check.isAllowed) expect(nodes.at(-1)).toBe(check.end + 1);
    expect(done.summary!.notes).toContain("policies: quick 50, careful 150 steps");
    expect(done.summary!.notes.join("\n")).toContain("all 200 decisions were allowed");
    const free = policiesOf(await run({ absolute: 100, guard: "off" })).map((one) => 1 - one);
    expect(checkSequence(GUARD, free).isAllowed).toBe(false);
  });

  it("[GU5] gives the nearest more careful policy, else the nearest cheaper one", async () => {
    const edge = (from: number, to: number, mode: number) => ({ from, to, mode });
    const policies = { quick: policy(1), middle: policy(3), careful: policy(10) };
    const guard = {
      policies: ["quick", "middle", "careful"],
      automaton: { nodes: 3, edges: [edge(0, 1, 1), edge(1, 2, 2), edge(2, 0, 0)] },
      start: 0,
    };
    const done = await run({ policies, absolute: 100, guard }, 1);
    expect(policiesOf(done).slice(0, 6)).toEqual([1, 2, 0, 1, 2, 0]);
  });

  it.each([
    ["names that the master has not", { ...GUARD, policies: ["careful", "swift"] }, "swift"],
    ["a policy too few", { ...GUARD, policies: ["careful"] }, "quick"],
  ])("[GU8] with %s does not fit", (_, guard, words) => {
    const found = places(JSON.stringify({ policies: QUICK_CAREFUL, guard }));
    expect(found.map(({ code }) => code)).toEqual(["guard-unfit"]);
    expect(found[0].message).toContain(words);
  });

  it("[GU8] needs policies", () => {
    expect(places(JSON.stringify({ guard: GUARD })).map(({ code }) => code)).toContain(
      "guard-without-policies",
    );
  });

  it("[GU8] and its policies are idle under a master that decides nothing, which is said", () => {
    const given = scenario(JSON.stringify({ policies: QUICK_CAREFUL, guard: GUARD }));
    const idle = (master?: string): boolean =>
      compilePlan(given, {
        record: [],
        ...(master === undefined ? {} : { master }),
      }).diagnostics.some(
        ({ code, severity }) => code === "policies-idle" && severity === "warning",
      );
    expect(idle()).toBe(false);
    for (const master of ["jacobi", "gauss-seidel", "iterative"]) expect(idle(master)).toBe(true);
  });

  it("[GU6] is printed with the plan, and announced before the run", async () => {
    const { plan } = await run({ guard: GUARD }, 1);
    const text = printPlan(plan, scenario(JSON.stringify({ policies: QUICK_CAREFUL })));
    expect(text).toContain("guard 4, where a run begins: quick to 1, careful to 4");
    expect(text).toMatch(/quick: 0\.1 s, jacobi; left port 0 becomes 1; right port 0 becomes 1/);
    const needs = runTimeNeeds(
      scenario(JSON.stringify({ policies: QUICK_CAREFUL })),
      plan.coupling!,
    );
    expect(needs.map(({ detail }) => detail).join("\n")).toContain("a guard of 4 nodes");
  });

  it("[GU11] counts steps that were cut short", async () => {
    const limits = [{ kind: "at" as const, times: [0.25, 1.03] }];
    const done = await run({ absolute: 100, guard: GUARD }, 2, { limits });
    expect(done.time).toContain(0.25);
    expect(done.summary!.notes.join("\n")).toContain("2 steps were cut short");
  });

  it("[GU12] brings the masses to rest where the error estimate alone does not, whatever the tolerance", async () => {
    for (const absolute of [0.03, 1, 100]) {
      const guarded = await run({ absolute, guard: GUARD }, 200);
      const free = await run({ absolute }, 200);
      expect(sizeAtEnd(guarded)).toBeLessThan(0.05);
      expect(sizeAtEnd(free)).toBeGreaterThan(0.5);
    }
  });

  it("[GU12] costs less than care and is as accurate", async () => {
    const careful = await run({ policies: { careful: policy(10) } }, 200);
    const guarded = await run({ absolute: 0.03, guard: GUARD }, 200);
    // The truth: the same masses with so many steps that what is left does not matter here.
    let truth = [1, 0, 0, 0];
    const exact = [truth];
    for (let k = 0; k < 2000; k++) {
      for (let fine = 0; fine < 10; fine++) truth = rungeKutta(truth, 0.01);
      exact.push(truth);
    }
    const errorOf = (done: CoupledRun): number =>
      Math.max(...done.values["left.x"].map((x, k) => Math.abs(x - exact[k][0])));
    expect(errorOf(guarded)).toBeLessThan(1.05 * errorOf(careful));
    const costOf = (done: CoupledRun): number => done.values["left.evaluations"].at(-1)!;
    expect(costOf(guarded)).toBeLessThan(0.85 * costOf(careful));
  });
});

function rungeKutta(x: readonly number[], h: number): number[] {
  const f = ([x1, v1, x2, v2]: readonly number[]): number[] => {
    const F = x2 - x1 + 0.1 * (v2 - v1);
    return [v1, F - x1 - 0.1 * v1, v2, -x2 - F];
  };
  const along = (k: readonly number[], s: number): number[] => x.map((xi, i) => xi + s * k[i]);
  const a = f(x);
  const b = f(along(a, h / 2));
  const c = f(along(b, h / 2));
  const d = f(along(c, h));
  return x.map((xi, i) => xi + (h / 6) * (a[i] + 2 * b[i] + 2 * c[i] + d[i]));
}
