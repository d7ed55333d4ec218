/**
 * The stability of a scenario with fixed steps: the library's counterpart of `cosimo stability
 * spectral`, for scenarios written in code and, on Node, read from files.
 */
import { unwrap } from "../base/diagnostic.ts";
import type { Scenario } from "../model/scenario.ts";
import { compilePlan } from "../plan/compile.ts";
import type { Plan, SlopeGroup } from "../plan/plan.ts";
import {
  analyseSpectrum,
  type SpectralOptions,
  type SpectralReport,
} from "../stability/spectral.ts";
import type { RunnableScenario } from "./simulate-scenario.ts";

/**
 * Opens the units once, looks at what small deviations do, and gives the units back.
 * @throws DiagnosticsError when the scenario has no plan; UnitError when a unit fails, StepRefused
 * when it does not take the scenario's step.
 */
export async function scenarioStability(
  runnable: RunnableScenario,
  options: SpectralOptions = {},
): Promise<SpectralReport> {
  const scenario = withoutEvents(runnable.scenario);
  const { master, step } = options;
  const { plan } = unwrap(
    compilePlan(scenario, {
      record: [],
      statistics: () => false,
      ...(master === undefined ? {} : { master }),
      ...(step === undefined ? {} : { step }),
    }),
  );
  const opened = await runnable.open(scenario, withAllSlopes(plan, scenario));
  try {
    return await analyseSpectrum(runnable.scenario, plan, opened.units, options);
  } finally {
    opened.close();
  }
}

/** What happens between events; units handle theirs by themselves. */
function withoutEvents(scenario: Scenario): Scenario {
  const { master } = scenario;
  return {
    ...scenario,
    events: [],
    limits: [],
    master: { ...master, options: { ...master.options, eventMode: false } },
  };
}

/**
 * Other masters than that of the plan give slopes to units, so all that can follow are opened to do
 * so.
 */
function withAllSlopes(plan: Plan, { units }: Scenario): Plan {
  const slopes = units.flatMap(({ description }, unit): SlopeGroup[] =>
    description.capabilities.inputDerivativeOrder > 0
      ? [{ unit, ports: [], orders: [], slots: [] }]
      : [],
  );
  return { ...plan, slopes };
}
