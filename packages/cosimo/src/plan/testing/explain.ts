/** The explanation of a few units and wires, for tests. */
import { unwrap } from "../../base/diagnostic.ts";
import type { Scenario } from "../../model/scenario.ts";
import type { UnitDescription } from "../../model/unit-description.ts";
import { compilePlan } from "../compile.ts";
import { explainScenario } from "../explain/explain.ts";
import type { Explanation } from "../explain/explanation.ts";
import { type ScenarioOptions, scenarioOf } from "./scenario-of.ts";

export function explain(
  units: Readonly<Record<string, UnitDescription>>,
  wires: string,
  options: ScenarioOptions = {},
  change: (scenario: Scenario) => Scenario = (scenario) => scenario,
): Explanation {
  const scenario = change(scenarioOf(units, wires, { step: 0.1, ...options }));
  return explainScenario(scenario, unwrap(compilePlan(scenario, { record: [] })));
}
