/**
 * What the standards let us do with FMUs on several threads. They promise little: functions of one
 * instance may come from any thread, one at a time; of two instances of one library nothing is
 * said. So a library is only ever in use on one thread, and FMUs that live off something outside of
 * them stay where they were made.
 */
import { readdirSync } from "node:fs";
import { dirname } from "node:path";
import type { PlanState } from "../../../engine/signals.ts";
import { locateBinary } from "../binary.ts";
import type { MachineAccess } from "../machine-access.ts";

/** Why a plan that can be machine code must not run on threads. */
export function refusalOfThreads(
  { plan }: PlanState,
  machines: readonly MachineAccess[],
  platform: string,
): string | undefined {
  if (platform !== "linux") return `threads are made for Linux, this is ${platform}`;
  const silent = machines.findIndex(({ logRing }) => logRing === undefined);
  if (silent >= 0) return `the logger of '${plan.units[silent].name}' works on one thread only`;
  return undefined;
}

/** Units that must not run at the same time: those of one library. */
export function unitsOfOneLibrary(machines: readonly MachineAccess[]): number[][] {
  const byLibrary = new Map<string, number[]>();
  for (const [unit, machine] of machines.entries()) {
    const key = libraryOf(machine);
    byLibrary.set(key, [...(byLibrary.get(key) ?? []), unit]);
  }
  return [...byLibrary.values()];
}

/** FMUs of which there may be one only, or that talk to a tool. */
export function isPinned({ fmu }: MachineAccess): boolean {
  const { coSimulation } = fmu.description;
  return (
    coSimulation === undefined ||
    coSimulation.needsExecutionTool ||
    coSimulation.canBeInstantiatedOnlyOncePerProcess
  );
}

/**
 * A copy of a library has globals of its own. Not so the libraries beside it: the system loads the
 * first of each name, whatever the folder.
 */
function libraryOf({ fmu, version }: MachineAccess): string {
  const { modelIdentifier } = fmu.description.coSimulation!;
  const { file } = locateBinary(fmu.folder, version, modelIdentifier);
  const isAlone = readdirSync(dirname(file)).length === 1;
  return isAlone ? file : `${modelIdentifier} ${fmu.description.instantiationToken}`;
}
