/**
 * Couples units in a tiny notation and makes models of them, as the analysis of a scenario does.
 */
import { unwrap } from "../../base/diagnostic.ts";
import type { Scenario } from "../../model/scenario.ts";
import { compilePlan } from "../../plan/compile.ts";
import type { Plan } from "../../plan/plan.ts";
import { type ScenarioOptions, scenarioOf } from "../../plan/testing/scenario-of.ts";
import type { Unit } from "../../unit/unit.ts";
import { identifyUnit, type UnitModel } from "../identify.ts";
import { oneStepMap } from "../one-step-map.ts";
import { probeUnits } from "../operating-point.ts";
import type { OneStepMap } from "../stepped-plan.ts";

export interface Coupled {
  readonly scenario: Scenario;
  readonly plan: Plan;
  readonly units: readonly Unit[];
}

export interface LookedAt extends Coupled {
  readonly models: readonly UnitModel[];
}

export function couple(
  units: Readonly<Record<string, Unit>>,
  wires: string,
  options: ScenarioOptions & { readonly step: number },
): Coupled {
  const descriptions = Object.fromEntries(
    Object.entries(units).map(([name, unit]) => [name, unit.description]),
  );
  const scenario = scenarioOf(descriptions, wires, options);
  const { plan } = unwrap(compilePlan(scenario, { record: [] }));
  return { scenario, plan, units: Object.values(units) };
}

export function lookAt(coupled: Coupled, method: "auto" | "steps" = "auto"): LookedAt {
  const { scenario } = coupled;
  const probes = probeUnits(coupled);
  const models = probes.map((probe, u) => {
    const seconds = scenario.units[u].step ?? scenario.experiment.step!;
    return identifyUnit(probe, { seconds, method });
  });
  return { ...coupled, models };
}

export function mapOf(
  { scenario, models }: LookedAt,
  step: number,
  name: string,
  options: Readonly<Record<string, unknown>> = {},
  delay = 0,
): OneStepMap {
  const master = { name, options, place: { file: "test" } };
  return oneStepMap({ scenario, models, master, step, delay });
}
