/**
 * What `cosimo run` was given: one FMU, or a scenario of several units.
 */
import { isScenarioPath, scenarioInFolder } from "../../host/scenario-path.ts";
import type { RunJob, WorkerHost } from "./protocol.ts";

export async function runModel(job: RunJob, host: WorkerHost): Promise<void> {
  const scenario = isScenarioPath(job.model) ? job.model : scenarioInFolder(job.model);
  if (scenario !== undefined) {
    const { runScenario } = await import("../scenario/run-scenario.ts");
    await runScenario({ ...job, model: scenario }, host);
  } else {
    const { runFmu } = await import("./run-fmu.ts");
    await runFmu(job, host);
  }
}
