/**
 * An analysis of a scenario inside the process that holds its units: load, say which units there
 * are, open them as the analysis asks, report.
 */

import { setImmediate as nextTurn } from "node:timers/promises";
import { type Diagnostic, DiagnosticsError, hasErrors } from "../../base/diagnostic.ts";
import { CALL_NAMES } from "../../platform/native/call-names.ts";
import { openUnits } from "../../run/open-units.ts";
import type { RunnableScenario } from "../../run/simulate-scenario.ts";
import { disposeAll } from "../../unit/dispose-all.ts";
import type { FromAnalysis } from "../protocol/protocol.ts";
import { openStatus } from "../protocol/status.ts";
import { unitNames } from "./load-model.ts";
import { loadScenarioFile } from "./load-scenario-file.ts";

const REPORT_MS = 50;

type LoadOptions = Parameters<typeof loadScenarioFile>[1];

export interface Analysis<Report> {
  /**
   * @param turn to be called often: shows how far it is, and gives messages a chance; throws when
   * the analysis is cancelled.
   */
  run(
    scenario: RunnableScenario,
    turn: (fraction: number, doing: string) => Promise<void>,
  ): Promise<Report>;
  /** An error that is an answer: its message is shown. All others are defects. */
  isAnswer(error: unknown): error is Error;
}

export async function analyseScenario<Report>(
  job: LoadOptions & { readonly model: string; readonly folder: string },
  say: (message: FromAnalysis<Report>) => void,
  isCancelled: () => boolean,
  { run, isAnswer }: Analysis<Report>,
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
    isolation: { onDiagnostic: (d) => say({ kind: "diagnostics", diagnostics: [d] }) },
  });
  const runnable: RunnableScenario = {
    scenario,
    open: async (given, plan, kept) => {
      const units = await openUnits(given, plan, open, { kept });
      return { units, close: () => disposeAll(units) };
    },
  };
  let last = Date.now();
  try {
    const found = await run(runnable, async (fraction, doing) => {
      if (Date.now() - last < REPORT_MS) return;
      last = Date.now();
      say({ kind: "working", fraction, doing });
      await nextTurn();
      if (isCancelled()) throw new Cancelled();
    });
    say({ kind: "report", report: found });
  } catch (error) {
    if (error instanceof Cancelled) return;
    if (!isAnswer(error)) throw error;
    if (error instanceof DiagnosticsError)
      say({ kind: "diagnostics", diagnostics: error.diagnostics });
    say({ kind: "failed", message: error.message });
  }
}

class Cancelled extends Error {}
