/**
 * Runs a discrete-event model from a module on as many threads as pay: a sample of the run says
 * what events cost, and the choice comes with its reason. Whatever is chosen, the events are those
 * of `runDevs`.
 */
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { unwrap } from "../../base/diagnostic.ts";
import { flatten } from "../../devs/flatten.ts";
import { type DevsRun, preparedInputs, type RunDevsOptions, runDevs } from "../../devs/run-devs.ts";
import { DEFAULT_TICKS_PER_SECOND, stopTicks, toSeconds } from "../../devs/ticks.ts";
import { chooseParts, sampleRun } from "../../parallel/choose.ts";
import type { PartsKind } from "../../parallel/plan-parts.ts";
import type { PartStatistics } from "../../parallel/protocol.ts";
import { loadDevsModel } from "./load-model.ts";
import { runOnThreads } from "./run-on-threads.ts";

export interface RunDevsModuleOptions extends Omit<RunDevsOptions, "ties"> {
  /** What the module exports: a model, or a function that makes one; default: `default`. */
  readonly export?: string;
  /** auto (default): what the first moments of the run have cost decides. */
  readonly parallel?: PartsKind | "auto" | "off";
  /** Threads at most; default: the machine's cores. */
  readonly threads?: number;
  /** Optimistic: steps of a part that are not final, at most. */
  readonly most?: number;
}

/** How a model was run. */
export interface ParallelReport {
  readonly kind: PartsKind | "sequential";
  readonly parts: number;
  /** Why, in words. */
  readonly reason: string;
  /** By part; none where there is one. */
  readonly statistics: readonly PartStatistics[];
  /** How often it was computed up to when everything is final (optimistic). */
  readonly rounds: number;
}

export interface ParallelDevsRun extends DevsRun {
  readonly parallel: ParallelReport;
}

/** Seconds that the sample takes at most. */
const BUDGET = 0.05;

/**
 * @param module a file, or its URL. Every thread loads it: it must give the same model every time.
 * @throws DiagnosticsError when the model is wrong, UnitError when a component fails.
 */
export function runDevsModule(
  module: string | URL,
  options: RunDevsModuleOptions,
): Promise<ParallelDevsRun> {
  return runDevsModuleOn(module, options);
}

/** @param program of a thread, where it does not lie beside this file. */
export async function runDevsModuleOn(
  module: string | URL,
  options: RunDevsModuleOptions,
  program?: URL,
): Promise<ParallelDevsRun> {
  const { export: name = "default", parallel = "auto", threads, most, ...run } = options;
  const path = module instanceof URL ? fileURLToPath(module) : resolve(module);
  const model = await loadDevsModel(path, name);
  const flat = unwrap(flatten(model));
  const { start = 0, stop, ticksPerSecond = DEFAULT_TICKS_PER_SECOND, maxTransitions } = run;
  preparedInputs(flat, run, { ticksPerSecond });
  stopTicks(stop, ticksPerSecond);
  const sample = sampleRun(flat, {
    start,
    stop,
    ...(run.inputs !== undefined && { inputs: run.inputs }),
    ticksPerSecond,
    ...(maxTransitions !== undefined && { maxTransitions }),
    budget: parallel === "off" ? 0 : BUDGET,
    now: processorTime,
  });
  const isEndless = stop === Number.POSITIVE_INFINITY;
  if (isEndless && (parallel === "conservative" || parallel === "optimistic"))
    throw new RangeError("'stop' is Infinity; parts on several cores need an end, give seconds");
  const choice =
    parallel === "off" || isEndless
      ? ({
          kind: "sequential",
          parts: 1,
          reason: isEndless ? "a run without an end stays on one core" : "as asked",
        } as const)
      : chooseParts(
          flat,
          sample,
          threads ?? availableParallelism(),
          ticksPerSecond,
          parallel === "auto" ? undefined : parallel,
        );
  const { kind, parts, reason } = choice;
  if (kind === "sequential") {
    const done = runDevs(model, run);
    return { ...done, parallel: { kind, parts, reason, statistics: [], rounds: 0 } };
  }
  const weights = sample.weights.some((one) => one > 0) ? sample.weights : undefined;
  const done = await runOnThreads({
    module: path,
    name,
    count: parts,
    options: {
      ...run,
      kind,
      parts: Math.max(threads ?? availableParallelism(), 2),
      ...(weights !== undefined && { weights }),
      ...(most !== undefined && { most }),
    },
    ...(program !== undefined && { program }),
  });
  const { sendings, transitions, states, statistics, rounds } = done;
  const events = sendings.map(({ time, index, unit, port, value }) => ({
    time: toSeconds(time, ticksPerSecond),
    index,
    unit,
    port,
    value,
  }));
  const ordered = new Map(flat.units.map(({ path: unit }) => [unit, states.get(unit)]));
  return {
    events,
    transitions,
    states: ordered,
    parallel: { kind, parts, reason, statistics, rounds },
  };
}

/** Seconds of this process: what else runs on the machine does not count. */
function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}
