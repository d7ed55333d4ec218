/**
 * The analysis inside the process that holds the FMUs: load, apply the options of the command line, experiment.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { type Diagnostic, hasErrors } from "../../base/diagnostic.ts";
import { UnitError } from "../../base/outcome.ts";
import { CALL_NAMES } from "../../platform/native/call-names.ts";
import type { NativeUnitOptions } from "../../platform/native/native-options.ts";
import { openUnits } from "../../run/open-units.ts";
import { scenarioStability } from "../../run/scenario-stability.ts";
import type { RunnableScenario } from "../../run/simulate-scenario.ts";
import { StepRefused } from "../../stability/identify.ts";
import { openStatus } from "../protocol/status.ts";
import { unitNames } from "../worker/load-model.ts";
import { loadScenarioFile } from "../worker/load-scenario-file.ts";
import type { FromSpectral, SpectralJob } from "./spectral-protocol.ts";

const REPORT_MS = 50;

export async function analyseScenario(
  job: SpectralJob,
  say: (message: FromSpectral) => void,
  isCancelled: () => boolean,
): Promise<void> {
  const diagnostics: Diagnostic[] = [];
  const report = (d: Diagnostic): void => void diagnostics.push(d);
  const { scenario, opener } = await loadScenarioFile(job.model, job, report);
  if (diagnostics.length > 0) say({ kind: "diagnostics", diagnostics });
  if (hasErrors(diagnostics)) return;
  const names = unitNames(scenario);
  const status = openStatus(job.folder, names.length);
  say({ kind: "units", units: names, callNames: CALL_NAMES });
  const runnable: RunnableScenario = {
    scenario,
    open: async (given, plan) => {
      const units = await openUnits(given, plan, opener({ folder: job.folder, native }));
      return { units, close: () => units.forEach((unit) => void unit.dispose()) };
    },
  };
  const native = (name: string): NativeUnitOptions => ({
    lastCall: status.call(names.indexOf(name)),
  });
  let last = Date.now();
  try {
    const found = await scenarioStability(runnable, {
      ...job.options,
      onProgress: async (fraction, doing) => {
        if (Date.now() - last < REPORT_MS) return;
        last = Date.now();
        say({ kind: "working", fraction, doing });
        await nextTurn();
        if (isCancelled()) throw new Cancelled();
      },
    });
    say({ kind: "report", report: found });
  } catch (error) {
    if (error instanceof Cancelled) return;
    if (!(error instanceof UnitError || error instanceof StepRefused)) throw error;
    say({ kind: "failed", message: error.message });
  }
}

class Cancelled extends Error {}
