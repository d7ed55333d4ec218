/**
 * Statistics of masters as columns: all of them come from one table, and `record` can name nothing
 * else.
 */
import { describe, expect, it } from "vitest";
import { unwrap } from "../base/diagnostic.ts";
import { coupledMasses, MASSES_WIRES } from "../engine/testing/coupled-masses.ts";
import type { Scenario } from "../model/scenario.ts";
import { MASTER_STATISTICS, type MasterStatistic, statisticNames } from "../plan/statistics.ts";
import { type ScenarioOptions, scenarioOf } from "../plan/testing/scenario-of.ts";
import { planRun } from "./plan-run.ts";

const ALL = Object.keys(MASTER_STATISTICS) as MasterStatistic[];
const BOND = {
  name: "spring",
  effort: 1,
  flow: 0,
  preserve: "nothing" as const,
  place: { file: "test" },
};

function masses(options: ScenarioOptions): Scenario {
  const { left, right } = coupledMasses();
  const descriptions = { left: left.description, right: right.description };
  return scenarioOf(descriptions, MASSES_WIRES, { step: 0.1, ...options });
}

const columnsOf = (scenario: Scenario, record: readonly string[]): readonly string[] =>
  unwrap(planRun(scenario, { record })).columns.map(({ name }) => name);

describe("statistics as columns", () => {
  it("are those of the table that the master has, with unit and description", () => {
    const scenario = masses({ master: "adaptive", options: { coupling: "iterative" } });
    const { columns } = unwrap(planRun(scenario, { record: ["master.*"] }));
    const found = new Map(columns.map((column) => [column.name, column]));
    const ofOthers = ["master.policy", "master.guard", "master.index"];
    const expected = ALL.filter((name) => !ofOthers.includes(name));
    for (const name of expected) {
      const row: { readonly unit?: string; readonly description: string } = MASTER_STATISTICS[name];
      const column = found.get(name);
      expect(column?.unit).toBe(row.unit);
      expect(column?.description?.startsWith(row.description)).toBe(true);
      expect(column?.stepwise).toBe(true);
    }
    expect(found.get("master.reason")?.description).toContain("1 error, 2 no convergence");
    expect([...found.keys()].sort()).toEqual(
      [...expected, "master.error.left", "master.error.right"].sort(),
    );
  });

  it("may be named where the master does not have them: there is nothing to record then", () => {
    const scenario = masses({ master: "jacobi" });
    expect(columnsOf(scenario, ["left.x", "master.iterations"])).toEqual(["left.x"]);
    expect(columnsOf(scenario, ["master.growth"])).toEqual(["master.growth"]);
  });

  it.each([
    ["master.stepp", "master.step"],
    ["master.error.lef", "master.error.left"],
    ["bond.spring.powr", "bond.spring.power"],
  ])("'%s' is refused, and '%s' suggested", (pattern, meant) => {
    const scenario = masses({ master: "adaptive", extras: { bonds: [BOND] } });
    const { diagnostics } = planRun(scenario, { record: ["left.x", pattern] });
    expect(diagnostics).toMatchObject([{ code: "record-no-match", severity: "error" }]);
    expect(diagnostics[0].fix).toContain(meant);
  });

  it("have the names that 'record' may use", () => {
    expect(statisticNames(["a", "b"], ["spring"])).toEqual([
      ...ALL.flatMap((name) =>
        name === "master.error" ? [name, "master.error.a", "master.error.b"] : [name],
      ),
      "bond.spring.power",
      "bond.spring.energy",
    ]);
  });
});
