/**
 * A process of the studio's server: a run with the supervisor of `cosimo run`, an analysis with
 * that of `cosimo stability`, or the rows of a run that has ended written into a file. The server
 * stays free meanwhile, and what is done outlives every page that asked for it; it ends when the
 * server is gone.
 */
import { DiagnosticsError } from "../../base/diagnostic.ts";
import { readSpool } from "../protocol/spool-files.ts";
import { failureText, workerFailure } from "../protocol/worker-failure.ts";
import type {
  FromStudioProcess,
  StudioOrder,
  ToStudioProcess,
} from "../studio/process-protocol.ts";

const send = (message: FromStudioProcess): Promise<void> =>
  new Promise((resolve) => {
    if (process.send === undefined || !process.connected) resolve();
    else process.send(message, () => resolve());
  });

/** As Ctrl-C in a terminal. */
const stop = (): void => void process.emit("SIGINT", "SIGINT");

process.on("disconnect", () => {
  stop();
  // Results are not written for nobody: the second request discards them.
  setImmediate(stop);
});
process.on("message", (message: ToStudioProcess) => {
  if (message.kind === "stop") stop();
  else void work(message);
});

async function work(order: StudioOrder): Promise<void> {
  try {
    await send(await done(order));
  } catch (error) {
    if (error instanceof DiagnosticsError)
      await send({ kind: "refused", diagnostics: error.diagnostics });
    else await send({ kind: "broken", message: failureText(workerFailure(error)) });
  }
  process.exit(0);
}

async function done(order: StudioOrder): Promise<FromStudioProcess> {
  switch (order.kind) {
    case "run": {
      const { superviseRun } = await import("../supervisor/supervise-run.ts");
      const { job, folder, out } = order;
      const report = await superviseRun(job, {
        out,
        plot: [],
        folder,
        showProgress: false,
        onMessage: (message) => void send({ kind: "message", message }),
      });
      return { kind: "report", report };
    }
    case "save": {
      const { writeOutputs } = await import("../supervisor/write-outputs.ts");
      const { plan, outcome, folder, file } = order;
      const rows = (): ReturnType<typeof readSpool> => readSpool(folder, folder, plan);
      const { diagnostics } = await writeOutputs(plan, outcome, rows, { out: [file], plot: [] });
      return { kind: "saved", diagnostics };
    }
    case "stability": {
      const { runSpectral } = await import("../stability/run-spectral.ts");
      const { file, request } = order;
      const end = await runSpectral(file, request, undefined, (fraction, doing) => {
        void send({ kind: "working", fraction, doing });
      });
      return { kind: "analysed", end };
    }
  }
}
