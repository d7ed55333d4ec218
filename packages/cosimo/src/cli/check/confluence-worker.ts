/**
 * The check of confluence inside the process that runs the units.
 */
import { DiagnosticsError } from "../../base/diagnostic.ts";
import { UnitError } from "../../base/outcome.ts";
import { scenarioConfluence } from "../../run/scenario-confluence.ts";
import { analyseScenario } from "../worker/analyse-scenario.ts";
import type { ConfluenceJob, FromConfluence } from "./confluence-protocol.ts";

export function checkOrders(
  job: ConfluenceJob,
  say: (message: FromConfluence) => void,
  isCancelled: () => boolean,
): Promise<void> {
  return analyseScenario(job, say, isCancelled, {
    run(runnable, turn) {
      let [fraction, doing] = [0, "running the first order"];
      return scenarioConfluence(runnable, {
        ...job.options,
        onStep: () => turn(fraction, doing),
        onProgress: (done, of) => {
          [fraction, doing] = [done / of, `${done} of at most ${of} orders`];
          return turn(fraction, doing);
        },
      });
    },
    isAnswer: (error): error is Error =>
      error instanceof DiagnosticsError ||
      error instanceof UnitError ||
      error instanceof RangeError,
  });
}
