/**
 * What executes a plan: what the command line says, or the fastest executor that can. All give the
 * same trace.
 */
import { DiagnosticsError, diagnose } from "../../base/diagnostic.ts";
import { present } from "../../base/present.ts";
import { type ProfiledExecutor, profiledExecutor } from "../../engine/profile.ts";
import { type Executor, interpreterExecutor } from "../../engine/run-plan.ts";
import type { PlanState } from "../../engine/signals.ts";
import { SCENARIO_LOAD_DIAGNOSTICS } from "../../host/scenario-diagnostics.ts";
import {
  type MachineCodeExecutor,
  machineCodeExecutor,
} from "../../platform/native/machine-code/machine-code-executor.ts";
import {
  type ParallelExecutor,
  parallelExecutor,
} from "../../platform/native/parallel/parallel-executor.ts";
import type { Execution, RunJob } from "../protocol/protocol.ts";

export interface ChosenExecutor {
  readonly executor: ProfiledExecutor;
  /** What there is to say about it, at the end of the run. */
  execution(): Execution;
}

export function chooseExecutor(job: RunJob, state: PlanState): ChosenExecutor {
  let whyNoThreads = "the run ended while the units were measured";
  const threads = job.threads === undefined ? undefined : chooseThreads(job, state, refuse);
  let whyInterpreted: string | undefined;
  const chosen: Executor & Partial<Pick<MachineCodeExecutor, "interpreted" | "idle">> =
    threads ??
    chooseSequential(job, state, (reason) => {
      whyInterpreted = reason;
    });
  const executor = profiledExecutor(chosen, state, () => performance.now() / 1000);
  return {
    executor,
    execution() {
      const profile = executor.profile();
      const { idle } = chosen;
      const units = idle === undefined ? (chosen.interpreted ?? []) : [];
      const why = idle ?? whyInterpreted;
      const oneThread = { groups: [state.plan.units.map(({ name }) => name)], why: whyNoThreads };
      return {
        executor: idle === undefined ? executor.name : "interpreter",
        ...(units.length > 0 ? { interpreted: { units, of: state.plan.units.length } } : {}),
        ...present({
          threads: job.threads === undefined ? undefined : (threads?.report ?? oneThread),
          profile,
          why,
        }),
      };
    },
  };

  function refuse(reason: string): void {
    whyNoThreads = reason;
  }
}

function chooseThreads(
  { executor, threads = "auto" }: RunJob,
  state: PlanState,
  onRefusal: (reason: string) => void,
): ParallelExecutor | undefined {
  if (executor !== "interpreter")
    return parallelExecutor(state, {
      threads: threads === "auto" ? Number.POSITIVE_INFINITY : threads,
      onRefusal,
    });
  onRefusal("the interpreter has one");
  return undefined;
}

/**
 * Machine code where some of the plan can be; where it is required, a refusal says why nothing can.
 */
function chooseSequential(
  job: RunJob,
  state: PlanState,
  onRefusal: (reason: string) => void,
): Executor | MachineCodeExecutor {
  if (job.executor === "interpreter") return interpreterExecutor(state);
  let why = "";
  const code = machineCodeExecutor(
    state,
    (reason) => {
      why = reason;
    },
    { isPatient: job.executor === "auto" },
  );
  if (code) return code;
  if (job.executor === "auto") {
    onRefusal(why);
    return interpreterExecutor(state);
  }
  throw new DiagnosticsError([
    diagnose(
      SCENARIO_LOAD_DIAGNOSTICS,
      "executor-refused",
      { reason: why },
      { file: "--executor machine-code" },
    ),
  ]);
}
