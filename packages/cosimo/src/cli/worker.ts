/**
 * The process that holds the FMU. Takes one job, says what it finds and how it ended, exits.
 *
 * Everything that reads or runs foreign material happens here; see run/protocol.ts for why.
 */
import { DiagnosticsError } from "../base/diagnostic.ts";
import type { FromWorker, ToWorker } from "./run/protocol.ts";
import type { FromSpectral, SpectralJob } from "./stability/spectral-protocol.ts";

let cancelled = false;

// Ctrl-C, and whatever ends a whole group of processes, reaches us as well; the supervisor decides what it means.
process.on("SIGINT", () => undefined);
process.on("SIGTERM", () => undefined);
const abandoned = (): never => process.exit(1);
process.on("disconnect", abandoned);
process.on("message", (message: ToWorker | SpectralJob) => {
  if (message.kind === "cancel") cancelled = true;
  else void work(message);
});

const say = (message: FromWorker | FromSpectral): void => {
  process.send?.(message);
};

async function work(job: Exclude<ToWorker, { kind: "cancel" }> | SpectralJob): Promise<void> {
  try {
    if (job.kind === "run") {
      const { runModel } = await import("./run/run-model.ts");
      await runModel(job, say, () => cancelled);
    } else if (job.kind === "spectral") {
      const { analyseScenario } = await import("./stability/spectral-worker.ts");
      await analyseScenario(job, say, () => cancelled);
    } else {
      const { checkFmuBinary } = await import("./check-fmu-binary.ts");
      say({ kind: "diagnostics", diagnostics: await checkFmuBinary(job) });
    }
  } catch (error) {
    if (!(error instanceof DiagnosticsError)) {
      // Not the FMU's doing: an FMU that fails is an outcome, one that crashes says nothing at all.
      say({ kind: "bug", stack: error instanceof Error ? String(error.stack) : String(error) });
    } else say({ kind: "diagnostics", diagnostics: error.diagnostics });
  }
  process.off("disconnect", abandoned);
  process.disconnect();
}
