/**
 * The analysis inside the process that holds the FMUs: load, plan without events, open the units, experiment.
 */
import { setImmediate as breathe } from "node:timers/promises";
import { type Diagnostic, DiagnosticsError, hasErrors } from "../../base/diagnostic.ts";
import { UnitError } from "../../base/outcome.ts";
import { loadScenario } from "../../host/load-scenario.ts";
import { openUnits } from "../../host/open-units.ts";
import type { Scenario } from "../../model/scenario.ts";
import { compilePlan } from "../../plan/compile.ts";
import type { Plan, SlopeGroup } from "../../plan/plan.ts";
import { StepRefused } from "../../stability/identify.ts";
import { analyseSpectrum } from "../../stability/spectral.ts";
import { applyValues } from "../scenario/scenario-values.ts";
import type { FromSpectral, SpectralJob } from "./spectral-protocol.ts";

const BREATHE_MS = 50;

export async function analyseScenario(
  job: SpectralJob,
  say: (message: FromSpectral) => void,
  isCancelled: () => boolean,
): Promise<void> {
  const loaded = await loadScenario(job.model, job.folder);
  if (loaded.value === undefined) throw new DiagnosticsError(loaded.diagnostics);
  const diagnostics: Diagnostic[] = [...loaded.diagnostics];
  const given = applyValues(loaded.value.scenario, job.set, (d) => void diagnostics.push(d));
  const scenario = withoutEvents(given);
  const { master, step } = job.options;
  const compiled = compilePlan(scenario, {
    record: [],
    statistics: () => false,
    ...(master === undefined ? {} : { master }),
    ...(step === undefined ? {} : { step }),
  });
  diagnostics.push(...compiled.diagnostics);
  if (diagnostics.length > 0) say({ kind: "diagnostics", diagnostics });
  if (hasErrors(diagnostics) || compiled.value === undefined) return;
  const { plan } = compiled.value;
  try {
    const units = await openUnits(scenario, withAllSlopes(plan, scenario), {
      sources: loaded.value.sources,
      folder: job.folder,
      start: plan.start,
      native: () => ({}),
    });
    let last = Date.now();
    try {
      const report = await analyseSpectrum(given, plan, units, {
        ...job.options,
        onProgress: async (fraction, doing) => {
          if (Date.now() - last < BREATHE_MS) return;
          last = Date.now();
          say({ kind: "working", fraction, doing });
          await breathe();
          if (isCancelled()) throw new Cancelled();
        },
      });
      say({ kind: "report", report });
    } finally {
      for (const unit of units) unit.dispose();
    }
  } catch (error) {
    if (error instanceof Cancelled) return;
    if (!(error instanceof UnitError || error instanceof StepRefused)) throw error;
    say({ kind: "failed", message: error.message });
  }
}

class Cancelled extends Error {}

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

/** Units are asked for slopes by other masters than the one of the plan, so all that can follow are opened to do so. */
function withAllSlopes(plan: Plan, { units }: Scenario): Plan {
  const slopes = units.flatMap(({ description }, unit): SlopeGroup[] =>
    description.capabilities.inputDerivativeOrder > 0
      ? [{ unit, ports: [], orders: [], slots: [] }]
      : [],
  );
  return { ...plan, slopes };
}
