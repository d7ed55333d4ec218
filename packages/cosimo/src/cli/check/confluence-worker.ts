/**
 * The check of confluence inside the process that runs the units.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { type Diagnostic, DiagnosticsError, hasErrors } from "../../base/diagnostic.ts";
import { UnitError } from "../../base/outcome.ts";
import { CALL_NAMES } from "../../platform/native/call-names.ts";
import { openUnits } from "../../run/open-units.ts";
import { scenarioConfluence } from "../../run/scenario-confluence.ts";
import type { RunnableScenario } from "../../run/simulate-scenario.ts";
import { openStatus } from "../protocol/status.ts";
import { unitNames } from "../worker/load-model.ts";
import { loadScenarioFile } from "../worker/load-scenario-file.ts";
import type { ConfluenceJob, FromConfluence } from "./confluence-protocol.ts";

const REPORT_MS = 50;

export async function checkOrders(
  job: ConfluenceJob,
  say: (message: FromConfluence) => void,
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
  const open = opener({
    folder: job.folder,
    native: (name) => ({ lastCall: status.call(names.indexOf(name)) }),
  });
  const runnable: RunnableScenario = {
    scenario,
    open: async (given, plan, kept) => {
      const units = await openUnits(given, plan, open, { kept });
      return { units, close: () => units.forEach((unit) => void unit.dispose()) };
    },
  };
  let [last, fraction, doing] = [Date.now(), 0, "running the first order"];
  const turn = async (): Promise<void> => {
    if (Date.now() - last < REPORT_MS) return;
    last = Date.now();
    say({ kind: "working", fraction, doing });
    await nextTurn();
    if (isCancelled()) throw new Cancelled();
  };
  try {
    const found = await scenarioConfluence(runnable, {
      ...job.options,
      onStep: turn,
      onProgress: (done, of) => {
        [fraction, doing] = [done / of, `${done} of at most ${of} orders`];
        return turn();
      },
    });
    say({ kind: "report", report: found });
  } catch (error) {
    if (error instanceof Cancelled) return;
    if (error instanceof DiagnosticsError)
      say({ kind: "diagnostics", diagnostics: error.diagnostics });
    else if (!(error instanceof UnitError || error instanceof RangeError)) throw error;
    say({ kind: "failed", message: error.message });
  }
}

class Cancelled extends Error {}
