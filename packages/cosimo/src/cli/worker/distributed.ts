/**
 * `cosimo run --distributed`: what cannot be, and the processes that have the units. Loaded when it
 * is asked for.
 */
import { type Diagnostic, diagnose } from "../../base/diagnostic.ts";
import type { Distribution } from "../../coordinate/run-distributed.ts";
import { distribute, restartable, undistributable } from "../../host/network/distribute.ts";
import { DISTRIBUTED_DIAGNOSTICS } from "../../host/network/distributed-diagnostics.ts";
import type { Scenario } from "../../model/scenario.ts";
import type { Plan } from "../../plan/plan.ts";
import type { NativeUnitOptions } from "../../platform/native/native-options.ts";
import type { Unit } from "../../unit/unit.ts";
import type { RunJob } from "../protocol/protocol.ts";

export function checkDistributed(job: RunJob, plan: Plan, scenario: Scenario): Diagnostic[] {
  const options = {
    "--isolate and --untrusted": job.isolation !== undefined,
    "--realtime": job.realtime !== undefined,
    "--stop-on-violation": job.stopOnViolation,
    "--input": job.input !== undefined,
    "--log-calls": job.logCalls !== undefined,
  };
  const file = job.model;
  const refused = Object.entries(options).flatMap(([option, isGiven]) =>
    isGiven ? [diagnose(DISTRIBUTED_DIAGNOSTICS, "distributed-option", { option }, { file })] : [],
  );
  return refused.length > 0
    ? refused
    : undistributable(plan, scenario, file, keepsCuts(job, scenario));
}

/** The run goes on from them, after a unit is lost or after this process was. */
function keepsCuts({ checkpoint }: RunJob, scenario: Scenario): boolean {
  return checkpoint !== undefined || restartable(scenario).size > 0;
}

/**
 * Inputs of a unit that connections lead to: where the unit is, its events are handled with them.
 */
export function drivenInputs(
  { units, connections }: Scenario,
  name: string,
): { readonly driven: readonly number[] } {
  const driven = connections.flatMap(({ to }) => (units[to.unit]?.name === name ? [to.port] : []));
  return { driven: [...new Set(driven)] };
}

export function distributed(
  units: readonly Unit[],
  job: RunJob,
  scenario: Scenario,
  native: (name: string) => NativeUnitOptions,
): Promise<Distribution> {
  return distribute({
    units,
    file: job.model,
    restartable: restartable(scenario),
    keepsCuts: keepsCuts(job, scenario),
    onNotice: (name, message) =>
      native(name).onLog?.({ status: "warning", category: "network", message }),
  });
}
