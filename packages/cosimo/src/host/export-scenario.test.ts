/** What a scenario shows as an FMU, and why some cannot become one. */
import { describe, expect, it } from "vitest";
import type { Scenario } from "../model/scenario.ts";
import type { Port, UnitDescription } from "../model/unit-description.ts";
import type { Plan } from "../plan/plan.ts";
import { describedUnit } from "../plan/testing/described-unit.ts";
import { scenarioOf } from "../plan/testing/scenario-of.ts";
import { runTimeReason, showAllPorts } from "./export-scenario.ts";
import type { Source } from "./sources/source.ts";
import type { SourceTree } from "./sources/tree.ts";

const names = (scenario: Scenario): string[] =>
  showAllPorts(scenario).ports.map(({ name }) => name);

/** `description` with its port `name` changed. */
function withPort(
  description: UnitDescription,
  name: string,
  more: Partial<Port>,
): UnitDescription {
  const ports = description.ports.map((port) => (port.name === name ? { ...port, ...more } : port));
  return { ...description, ports };
}

describe("a scenario that exposes no ports", () => {
  const unit = describedUnit("u, v -> y, z");

  it("shows outputs, free inputs and parameters", () => {
    const scenario = scenarioOf({ a: unit, b: unit }, "a.y -> b.u");
    expect(names(scenario)).toEqual(["a.u", "a.v", "a.y", "a.z", "b.v", "b.y", "b.z"]);
    const tuned = withPort(unit, "u", { direction: "parameter", variability: "fixed" });
    expect(names(scenarioOf({ a: tuned }, ""))).toContain("a.u");
  });

  it.each([
    ["clocks", { type: "clock" }],
    ["constants", { variability: "constant" }],
    ["local variables", { direction: "local" }],
    ["structural parameters", { direction: "structural-parameter" }],
  ] as [string, Partial<Port>][])("does not show %s", (_, more) => {
    expect(names(scenarioOf({ a: withPort(unit, "u", more) }, ""))).toEqual(["a.v", "a.y", "a.z"]);
  });

  it("shows arrays that are reshaped only where their values are given", () => {
    const size = withPort(unit, "v", { direction: "structural-parameter", variability: "fixed" });
    const shaped = withPort(withPort(size, "u", { shape: [2] }), "y", { shape: [2] });
    const scenario = scenarioOf({ a: shaped }, "");
    const given = (...ports: number[]): string[] => {
      const values = ports.map((port) => ({ port, values: [2], place: { file: "test" } }));
      const units = scenario.units.map((one) => ({ ...one, values })) as typeof scenario.units;
      return names({ ...scenario, units });
    };
    expect(given()).toEqual(["a.u", "a.y", "a.z"]);
    expect(given(1)).toEqual(["a.y", "a.z"]);
    expect(given(1, 0)).toEqual(["a.u", "a.y", "a.z"]);
  });

  it("one that exposes ports shows those", () => {
    const scenario = scenarioOf({ a: unit }, "");
    const ports = [{ name: "out", inner: { unit: 0, port: 2 } }];
    expect(showAllPorts({ ...scenario, ports }).ports).toBe(ports);
  });
});

describe("why a scenario decides while it runs", () => {
  const tree = (adaptation?: Source["adaptation"]): SourceTree =>
    ({ sourceOf: () => ({ adaptation }) }) as unknown as SourceTree;
  const plan = (master: string): Plan => ({ master }) as Plan;
  const scenario = scenarioOf({ a: describedUnit("u -> y") }, "");

  it("its master", () => {
    expect(runTimeReason(scenario, plan("adaptive"), tree())).toEqual({ why: "master: adaptive" });
  });

  it.each(["events", "constraints", "bonds", "limits"] as const)("its %s", (list) => {
    const declared = { ...scenario, [list]: [{}] } as unknown as Scenario;
    expect(runTimeReason(declared, plan("jacobi"), tree())).toEqual({ why: `'${list}:'` });
  });

  it.each([
    ["file", "file"],
    ["applied", "applied"],
    [undefined, "other"],
  ] as const)("a unit that may refuse steps, of an adaptation that is %s", (adaptation, kind) => {
    const refusing = describedUnit("u -> y", { capabilities: { refusesSteps: true } });
    const reason = runTimeReason(scenarioOf({ a: refusing }, ""), plan("jacobi"), tree(adaptation));
    expect(reason).toEqual({
      why: "the unit 'a' may refuse steps",
      unit: { name: "a", kind },
    });
  });

  it("a unit with clocks, or a signal that keeps its area", () => {
    const clocked = withPort(describedUnit("u -> y"), "u", {
      clock: { interval: "constant", seconds: 1, shift: 0 },
    });
    const reason = runTimeReason(scenarioOf({ a: clocked }, ""), plan("jacobi"), tree());
    expect(reason.why).toBe("the unit 'a' has clocks");
    expect(runTimeReason(scenario, plan("jacobi"), tree()).why).toContain("area");
  });
});
