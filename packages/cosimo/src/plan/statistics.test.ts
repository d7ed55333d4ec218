/**
 * The numbers about a run: which occur under which settings, in which order, with which meaning.
 */
import { describe, expect, it } from "vitest";
import type { MasterName } from "../model/masters.ts";
import { ESTIMATOR_NAMES, ESTIMATORS, type EstimatorSubject } from "./estimators.ts";
import { type MasterSettings, readMasterSettings } from "./master-settings.ts";
import type { PolicyPlan } from "./policies.ts";
import {
  BOND_STATISTICS,
  bondStatistic,
  MASTER_STATISTICS,
  masterStatistics,
  REJECTION_REASONS,
  STATISTIC_OCCASIONS,
  statisticInfo,
  statisticNames,
  unitStatistic,
} from "./statistics.ts";

const settings = (
  name: MasterName,
  options: Readonly<Record<string, unknown>> = {},
): MasterSettings =>
  readMasterSettings(name, { name, options, place: { file: "test" } }, 0.1, () => undefined);

const POLICIES: PolicyPlan = {
  policies: ["quick", "careful"].map((name) => ({ name, step: 1, coupling: "jacobi", writes: [] })),
};
const GUARDED: PolicyPlan = {
  ...POLICIES,
  guard: { start: 0, nodes: 1, next: Int32Array.of(0, 0) },
};

describe("the statistics of a run", () => {
  const ADAPTIVE = ["master.accepted", "master.rejected", "master.reason", "master.error"];
  const OF_UNITS = ["master.error.a", "master.error.b"];
  const ITERATED = ["master.iterations", "master.residual"];

  it.each<[string, Parameters<typeof masterStatistics>[0], string[]]>([
    ["explicit steps", { settings: settings("jacobi") }, []],
    ["iterated steps", { settings: settings("iterative") }, ITERATED],
    [
      "adaptive explicit steps",
      { settings: settings("adaptive", { coupling: "gauss-seidel" }) },
      [...ADAPTIVE, ...OF_UNITS],
    ],
    [
      "adaptive iterated steps",
      { settings: settings("adaptive") },
      [...ITERATED, ...ADAPTIVE, ...OF_UNITS],
    ],
    [
      "policies",
      { settings: settings("iterative"), policies: POLICIES },
      [...ITERATED, "master.policy"],
    ],
    [
      "a guard",
      { settings: settings("iterative"), policies: GUARDED },
      [...ITERATED, "master.policy", "master.guard"],
    ],
  ])("[AD5] of %s are these, the size of the step first", (_, request, expected) => {
    const names = masterStatistics(request, ["a", "b"]).map(({ name }) => name);
    expect(names).toEqual(["master.step", ...expected]);
  });

  it("[AD5] explain what their numbers stand for, counted from 1", () => {
    const list = masterStatistics({ settings: settings("adaptive"), policies: POLICIES }, []);
    const described = new Map(list.map(({ name, description }) => [name, description]));
    expect(described.get("master.policy")).toBe(
      `${MASTER_STATISTICS["master.policy"].description}, 1 quick, 2 careful`,
    );
    const reasons = REJECTION_REASONS.map((reason, i) => `${i + 1} ${reason}`).join(", ");
    expect(described.get("master.reason")).toBe(
      `${MASTER_STATISTICS["master.reason"].description}, ${reasons}`,
    );
    expect(described.get("master.step")).toBe(MASTER_STATISTICS["master.step"].description);
  });

  it("[AD5] have a unit where they measure something, and one description per unit of the scenario", () => {
    expect(statisticInfo("master.step")).toEqual({
      name: "master.step",
      unit: "s",
      description: "size of the last step",
    });
    expect(statisticInfo("master.accepted")).not.toHaveProperty("unit");
    expect(unitStatistic("master.error", "tank")).toEqual({
      name: "master.error.tank",
      description: MASTER_STATISTICS["master.error"].ofUnit,
    });
    expect(bondStatistic("shaft", "energy")).toEqual({
      name: "bond.shaft.energy",
      description: BOND_STATISTICS.energy,
    });
  });

  it("[AD5] may all be named by 'record', whatever the master, growth included", () => {
    const names = statisticNames(["a"], ["shaft"]);
    expect(names.toSorted()).toEqual(
      [
        ...Object.keys(MASTER_STATISTICS),
        "master.error.a",
        "bond.shaft.power",
        "bond.shaft.energy",
      ].sort(),
    );
    const requests = [
      { settings: settings("adaptive"), policies: GUARDED },
      { settings: settings("iterative") },
    ];
    for (const request of requests)
      for (const { name } of masterStatistics(request, ["a"])) expect(names).toContain(name);
  });

  it("[MO2] of the growth are made by the plan, not by the master", () => {
    const { holds } = STATISTIC_OCCASIONS.request;
    expect(holds({ settings: settings("adaptive"), policies: GUARDED })).toBe(false);
    expect(STATISTIC_OCCASIONS.always.holds({ settings: settings("jacobi") })).toBe(true);
  });
});

describe("an estimator", () => {
  const ALL: EstimatorSubject = { order: 1, hasBonds: true, iterates: true };

  it("[AD10] has something to measure where everything is there", () => {
    for (const name of ESTIMATOR_NAMES) expect(ESTIMATORS[name].lacks?.(ALL)).toBeUndefined();
  });

  it.each<[string, Partial<EstimatorSubject>, string[]]>([
    ["held inputs", { order: 0 }, ["multi-order"]],
    ["no bonds", { hasBonds: false }, ["energy"]],
    ["nothing iterated", { iterates: false }, ["iteration"]],
    [
      "none of them",
      { order: 0, hasBonds: false, iterates: false },
      ["multi-order", "energy", "iteration"],
    ],
  ])("[AD10] is blind with %s", (_, change, blind) => {
    const found = ESTIMATOR_NAMES.filter(
      (name) => ESTIMATORS[name].lacks?.({ ...ALL, ...change }) !== undefined,
    );
    expect(found).toEqual(blind);
  });

  it("[AD10] that repeats steps cannot judge inputs while the step lasts", () => {
    const rows = ESTIMATOR_NAMES.map((name) => [
      name,
      ESTIMATORS[name].repeatsSteps,
      ESTIMATORS[name].judgesInputs,
    ]);
    expect(rows).toEqual([
      ["richardson", true, false],
      ["milne", false, true],
      ["multi-order", true, false],
      ["energy", false, true],
      ["iteration", false, false],
    ]);
  });
});
