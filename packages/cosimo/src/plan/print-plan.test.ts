import { describe, expect, it } from "vitest";
import { unwrap } from "../base/diagnostic.ts";
import type { Scenario } from "../model/scenario.ts";
import { compilePlan } from "./compile.ts";
import { printPlan } from "./print-plan.ts";
import { describedUnit } from "./testing/described-unit.ts";
import { scenarioOf } from "./testing/scenario-of.ts";

const RING = "a.x -> b.u; b.x -> a.u";

function printed(scenario: Scenario, ...record: readonly [number, number][]): string {
  const columns = record.map(([unit, port]) => ({ unit, port, element: 0 }));
  const { plan } = unwrap(compilePlan(scenario, { record: columns }));
  return printPlan(plan, scenario).replace(/ [0-9a-f]{16}$/m, " <hash>");
}

/** The part of the text that begins with `title`. */
function section(text: string, title: string): string {
  return text.split("\n\n").find((part) => part.startsWith(title)) ?? "";
}

describe("a plan as text", () => {
  it("[PN50] names units, ports, slots and conversions, op by op", () => {
    const moore = describedUnit("u -> x", { through: "" });
    const scenario = scenarioOf({ a: moore, b: moore }, RING, { step: 0.1 });
    const [first, second] = scenario.connections;
    const connections = [{ ...first!, factor: 0.001, offset: -5 }, second!];
    expect(printed({ ...scenario, connections }, [0, 1])).toBe(`plan 'test' <hash>
jacobi from 0 s in ticks of 0.1 s

units
  a: every tick, 0.1 s
  b: every tick, 0.1 s

signals: 4 numbers, 0 integers of 64 bits, 0 texts
  s0        a.x
  s1        b.x
  s2        b.u
  s3        a.u

record every tick: a.x

initialization
   0  read a.x → s0
   1  read b.x → s1
   2  b.u ← 0.001 · a.x - 5
   3  a.u ← b.x
   4  write a.u ← s3
   5  write b.u ← s2

start (after initialization, at tick 0)
   0  write a.u ← s3
   1  write b.u ← s2

step (every tick)
   0  advance a
   1  advance b
   2  read a.x → s0
   3  read b.x → s1
   4  b.u ← 0.001 · a.x - 5
   5  a.u ← b.x
   6  write a.u ← s3
   7  write b.u ← s2

resolve, when inputs of a nested scenario changed: ops 4
inputs, before its next step: ops 2
`);
  });

  it("[PN50] indents what runs at a slower rate and counts the parts of a step", () => {
    const reactive = describedUnit("u! -> x", { through: "" });
    const parts = describedUnit("u! -> x", { through: "", capabilities: { variableStep: true } });
    const text = printed(
      scenarioOf({ a: reactive, b: parts }, RING, {
        step: 0.1,
        steps: { b: 0.2 },
        master: "gauss-seidel",
        options: { microSteps: 2 },
      }),
    );
    expect(section(text, "tracks")).toBe(`tracks (inputs that vary within a step)
  t0  b.u: interpolation, sampled every 2 ticks from s2`);
    expect(section(text, "step")).toBe(`step (every tick)
   0  advance a
   1  read a.x → s0
   2  b.u ← a.x
   3  every 2 ticks:
   4    interpolate b.u (t0) for part 1 of 2
   5    write b.u ← s4
   6    advance b (part 1 of 2)
   7    interpolate b.u (t0) for part 2 of 2
   8    write b.u ← s4
   9    advance b (part 2 of 2)
  10    read b.x → s1
  11    a.u ← b.x
  12    sample b.u (t0)
  13  write a.u ← s3`);
  });

  it("[PN50] tells slopes of input derivatives", () => {
    const sloped = describedUnit("u -> x", {
      through: "",
      capabilities: { inputDerivativeOrder: 2 },
    });
    const quadratic = { step: 0.1, options: { approximation: "quadratic" } };
    const text = printed(scenarioOf({ a: sloped, b: sloped }, "a.x -> b.u", quadratic));
    expect(section(text, "step")).toContain(`sample b.u (t0)
   5  predict b.u (t0) over the coming step
   6  write b.u ← s2
   7  slopes b.u′ ← s6, b.u″ ← s7`);
  });

  it("[PN50] shows loops, where they are broken, and how they are solved", () => {
    const mealy = describedUnit("u -> x", { shape: [2] });
    const text = printed(scenarioOf({ a: mealy, b: mealy }, RING, { step: 0.1 }), [0, 1]);
    expect(section(text, "loop")).toBe(`loop 0: a.x → b.u → b.x → a.u → a.x
  unknowns s4 s5 s6 s7, solved at initialization
  broken while stepping at b.x → a.u`);
    expect(section(text, "initialization")).toBe(`initialization
   0  read b.u → s4..s5
   1  read a.u → s6..s7
      solve loop 0 by sweeps of
   0    write a.u ← s6..s7
   1    write b.u ← s4..s5
   2    read a.x → s0..s1
   3    read b.x → s2..s3
   4    image of b.u ← a.x
   5    image of a.u ← b.x`);
    expect(section(text, "record")).toBe("record every tick: a.x[1]");
  });

  it("[PN50] tells elements, types and value tables apart", () => {
    const reals = describedUnit("u -> x", { through: "", shape: [3] });
    const long = describedUnit("u -> x", { through: "", type: "int64" });
    const text = describedUnit("u -> x", { through: "", type: "string" });
    const flag = describedUnit("u -> x", { through: "", type: "boolean" });
    const scenario = scenarioOf(
      { r: reals, s: reals, l: long, m: long, t: text, v: text, f: flag, g: flag },
      "r.x -> s.u; l.x -> m.u; t.x -> v.u; f.x -> g.u",
      { step: 1 },
    );
    const [array, whole, words, table] = scenario.connections;
    const mapping = [
      { from: false, to: true },
      { from: true, to: false },
    ];
    const connections = [
      { ...array!, fromElement: 1, toElement: 0, count: 2 },
      whole!,
      words!,
      { ...table!, mapping },
    ];
    const step = section(printed({ ...scenario, connections }), "step");
    expect(step).toContain("  s.u[1..2] ← r.x[2..3]\n");
    expect(step).toContain("  m.u ← l.x\n");
    expect(step).toContain("  v.u ← t.x\n");
    expect(step).toContain("  read l.x → i0\n");
    expect(step).toContain("  read t.x → o0\n");
    expect(step).toContain("  g.u ← table 0 of f.x: 0 → 1, 1 → 0\n");
  });
});
