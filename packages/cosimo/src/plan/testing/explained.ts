/**
 * Explanations for tests: a scenario in the tiny notation, changed where a test needs more,
 * compiled and explained.
 */
import { unwrap } from "../../base/diagnostic.ts";
import type { Scenario } from "../../model/scenario.ts";
import type { UnitDescription } from "../../model/unit-description.ts";
import { compilePlan } from "../compile.ts";
import { explainScenario } from "../explain/explain.ts";
import type { Explanation } from "../explain/explanation.ts";
import { type ScenarioOptions, scenarioOf } from "./scenario-of.ts";

export interface ExplainedOptions extends ScenarioOptions {
  readonly change?: (scenario: Scenario) => Scenario;
}

export function explained(
  units: Readonly<Record<string, UnitDescription>>,
  wires: string,
  { change = (scenario) => scenario, ...options }: ExplainedOptions = {},
): Explanation {
  const scenario = change(scenarioOf(units, wires, { step: 0.1, ...options }));
  return explainScenario(scenario, unwrap(compilePlan(scenario, { record: [] })));
}

/** The features of all groups. */
export function featuresOf({ classification }: Explanation): string[] {
  return classification.flatMap(({ features }) => features);
}
