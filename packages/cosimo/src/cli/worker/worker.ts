/**
 * The process that holds the FMU. Takes one job, says what it finds and how it ended, exits.
 *
 * Everything that reads or runs foreign material happens here; see ../protocol/protocol.ts for why,
 * and worker-channel.ts for how its words arrive whatever the FMU does to this process.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { provideStandardInput } from "../../host/standard-input.ts";
import type { FromConfluence } from "../check/confluence-protocol.ts";
import { type FromWorker, JOB_FILE } from "../protocol/protocol.ts";
import { ChannelWriter, STRAY_MESSAGES } from "../protocol/worker-channel.ts";
import { failureMessage } from "../protocol/worker-failure.ts";
import type { FromVariants } from "../search/variants-protocol.ts";
import type { FromSpectral } from "../stability/spectral-protocol.ts";
import type { FromStudy } from "../study/study-protocol.ts";
import type { WorkerJob } from "../supervisor/isolate.ts";

// What ends a whole group of processes reaches us as well; the supervisor decides what it means.
// SIGXFSZ comes before the error of a file that grows beyond `ulimit -f`, which says more.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGXFSZ"] as const)
  process.on(signal, () => undefined);

interface Order {
  readonly token: string;
  readonly job: WorkerJob;
  /** A scenario that the supervisor was given on its standard input. */
  readonly standardInput?: string;
}

const { token, job, standardInput } = JSON.parse(readFileSync(0, "utf8")) as Order;
if (standardInput !== undefined) provideStandardInput(standardInput);
const channel = new ChannelWriter(Buffer.from(token, "hex"), join(job.folder, STRAY_MESSAGES));
const jobFile = join(job.folder, JOB_FILE);
const say = (
  message: FromWorker | FromSpectral | FromConfluence | FromVariants | FromStudy,
): void => channel.send(message);
const isCancelled = (): boolean => !existsSync(jobFile);

// Whatever is thrown outside of the job, by a timer of a unit or a listener of ours, ends it as
// well.
process.on("uncaughtException", (error) => {
  say(failureMessage(error));
  process.exit(1);
});

try {
  // An FMU that hangs cannot be stopped when the supervisor is gone.
  (await import("../../platform/native/die-with-parent.ts")).dieWithParent();
  await work();
} catch (error) {
  say(failureMessage(error));
}
say({ kind: "through" });
process.exit(0);

async function work(): Promise<void> {
  if (job.kind === "run") {
    const { runModel } = await import("./run-model.ts");
    await runModel(job, { say, isCancelled, areFilesOpen: () => channel.isWhole });
  } else if (job.kind === "spectral") {
    const { analyseStability } = await import("../stability/spectral-worker.ts");
    await analyseStability(job, say, isCancelled);
  } else if (job.kind === "confluence") {
    const { checkOrders } = await import("../check/confluence-worker.ts");
    await checkOrders(job, say, isCancelled);
  } else if (job.kind === "variants") {
    const { analyseVariants } = await import("../search/variants-worker.ts");
    await analyseVariants(job, say, isCancelled);
  } else if (job.kind === "study") {
    const { workOnStudy } = await import("../study/study-worker.ts");
    await workOnStudy(job, say, isCancelled);
  } else {
    const { checkFmuBinary } = await import("./check-fmu-binary.ts");
    say({ kind: "diagnostics", diagnostics: await checkFmuBinary(job) });
  }
}
