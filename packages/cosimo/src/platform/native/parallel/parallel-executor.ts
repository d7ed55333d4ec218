/**
 * Executes a plan of heavy units on several threads: same plan, same trace, less waiting.
 *
 * The units stay where they are. An FMU instance and generated code are addresses in this process,
 * so a thread only needs the code that advances its units; reading, moving and writing signals
 * stays with the thread that always did it. Whether threads pay is not guessed: the first ticks are
 * executed one op after the other with a clock, as a part of the run, and what every unit took
 * decides. Rules: docs/spec/parallel.md.
 */
import { availableParallelism } from "node:os";
import { type Clock, commonTicks, TimedInterpreter } from "../../../engine/profile.ts";
import type { Executor, RowSink } from "../../../engine/run-plan.ts";
import type { PlanState } from "../../../engine/signals.ts";
import { mapCode } from "../executable.ts";
import { refusalOfHost } from "../host-code.ts";
import type { MachineAccess } from "../machine-access.ts";
import { FIRST_CHUNK } from "../machine-code/chunk-pace.ts";
import {
  callMarkersOf,
  machineCodeExecutor,
  PlanCode,
} from "../machine-code/machine-code-executor.ts";
import type { PlanBlock } from "../machine-code/plan-memory.ts";
import { machinesOf, refusalOfPlan } from "../machine-code/refusal.ts";
import { compileThreads, type ThreadCode } from "./compile-threads.ts";
import { startThread, wake } from "./native-thread.ts";
import { splitStep } from "./split-step.ts";
import { type ClusterCost, chooseThreadGroups } from "./thread-groups.ts";
import { isPinned, refusalOfThreads, unitsOfOneLibrary } from "./thread-rules.ts";
import { WhileItPays } from "./while-it-pays.ts";

export interface ParallelOptions {
  /** At most; never more than the machine has cores. */
  readonly threads: number;
  /** Default: those of the machine. */
  readonly cores?: number;
  readonly clock?: Clock;
  /**
   * Seconds that every unit takes in an average tick, where they are known: nothing is measured
   * then.
   */
  readonly costs?: readonly number[];
  readonly onRefusal?: (reason: string) => void;
}

export interface ThreadsReport {
  /** Names of the units by thread. */
  readonly groups: readonly (readonly string[])[];
  /** Why there are not more threads. */
  readonly why: string;
}

export interface ParallelExecutor extends Executor {
  readonly name: "machine-code";
  /** Undefined while the units are still being measured. */
  readonly report: ThreadsReport | undefined;
}

/** Windows of ticks that are measured; the first only warms up. */
const WINDOWS = 6;

/**
 * @param state of a plan whose units are initialized.
 * @returns undefined where threads are out of the question whatever the units cost; `onRefusal`
 * gets the reason.
 */
export function parallelExecutor(
  state: PlanState,
  options: ParallelOptions,
): ParallelExecutor | undefined {
  const found = prepare(state, options.threads, options.cores ?? availableParallelism());
  if (typeof found !== "string") return new Parallel(state, found, options);
  options.onRefusal?.(found);
  return undefined;
}

interface Prepared {
  readonly machines: readonly MachineAccess[];
  readonly split: ReturnType<typeof splitStep>;
  readonly threads: number;
  /** Why not more than `threads`. */
  readonly limit: string;
}

function prepare(state: PlanState, wanted: number, cores: number): Prepared | string {
  if (wanted < 2) return "one thread was requested";
  if (cores < 2) return "this machine has one core";
  const onHost = refusalOfHost(process.platform, process.arch);
  if (onHost !== undefined) return onHost;
  const machines = machinesOf(state);
  if (typeof machines === "string") return machines;
  const refusal =
    refusalOfPlan(state, machines) ?? refusalOfThreads(state, machines, process.platform);
  if (refusal !== undefined) return refusal;
  const descriptions = state.units.map(({ description }) => description);
  const libraries = unitsOfOneLibrary(machines);
  const split = splitStep(state.plan, descriptions, libraries);
  if (split.clusters.length < 2) return whyOneCluster(state, libraries);
  return {
    machines,
    split,
    threads: Math.min(wanted, cores),
    limit: wanted <= cores ? "no more were requested" : `this machine has ${cores} cores`,
  };
}

function whyOneCluster({ plan }: PlanState, libraries: readonly (readonly number[])[]): string {
  if (plan.units.length < 2) return "there is one unit";
  if (libraries.length < 2)
    return "all units are instances of one library, which need not bear several threads";
  return "every unit waits for another one in each step; the master jacobi would make them independent";
}

class Parallel implements ParallelExecutor {
  readonly name = "machine-code";
  private readonly state: PlanState;
  private readonly prepared: Prepared;
  private readonly clock: Clock;
  private readonly measured: Measurement | undefined;
  private inner: Executor | undefined;
  private latest: ThreadsReport | undefined;
  private rested: (() => number) | undefined;

  constructor(state: PlanState, prepared: Prepared, { costs, clock = wallClock }: ParallelOptions) {
    this.state = state;
    this.prepared = prepared;
    this.clock = clock;
    if (costs === undefined) this.measured = new Measurement(state, clock);
    else this.decide(costs);
  }

  get preferredChunk(): number {
    return this.inner?.preferredChunk ?? FIRST_CHUNK;
  }

  get report(): ThreadsReport | undefined {
    const rested = Math.round(100 * (this.rested?.() ?? 0));
    if (this.latest === undefined || rested === 0) return this.latest;
    const { groups, why } = this.latest;
    return { groups, why: `${why}; for ${rested} % of the steps the machine was too busy for it` };
  }

  run(first: number, count: number, sink: RowSink): void {
    const { progress, onRow } = sink;
    const end = first + count;
    let tick = first;
    for (; tick < end && this.inner === undefined; tick = progress.tick + 1) {
      const costs = this.measured!.run(tick);
      progress.tick = tick;
      if (tick % this.state.plan.record.every === 0) onRow(tick);
      if (costs !== undefined) this.decide(costs);
    }
    if (tick < end) this.inner!.run(tick, end - tick, sink);
  }

  dispose(): void {
    this.inner?.dispose();
  }

  private decide(costs: readonly number[]): void {
    const { split, machines, threads, limit } = this.prepared;
    const clusters = split.clusters.map(
      (units): ClusterCost => ({
        units,
        seconds: sumOf(units.map((unit) => costs[unit])),
        isPinned: units.some((unit) => isPinned(machines[unit])),
      }),
    );
    const { groups, why } = chooseThreadGroups(clusters, threads, limit);
    const code = groups.length > 1 ? threadedCode(this.state, this.prepared, groups) : undefined;
    const isRefused = groups.length > 1 && code === undefined;
    const { units } = this.state.plan;
    const used = code === undefined ? [units.map((_, unit) => unit)] : groups;
    this.latest = {
      groups: used.map((group) => group.map((unit) => units[unit].name)),
      why: isRefused ? "the system gives no threads" : why,
    };
    const alone = sequential(this.state);
    if (code === undefined) {
      this.inner = alone;
      return;
    }
    // What was measured op by op is good for shares; what one thread takes it shows best itself.
    const known = this.measured === undefined ? sumOf(costs) : undefined;
    const careful = new WhileItPays(code, alone, this.clock, known);
    this.rested = () => careful.restedShare;
    this.inner = careful;
  }
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

function sequential(state: PlanState): Executor {
  const code = machineCodeExecutor(state);
  if (code === undefined) throw new Error("internal: this plan was to become machine code");
  return code;
}

const wallClock: Clock = () => performance.now() / 1000;

/** The first ticks: what an average one costs, by unit, as the median over several windows. */
class Measurement {
  private readonly state: PlanState;
  private readonly clock: Clock;
  private readonly length: number;
  private readonly windows: TimedInterpreter[] = [];

  constructor(state: PlanState, clock: Clock) {
    this.state = state;
    this.clock = clock;
    this.length = commonTicks(state.plan);
  }

  /** Executes a tick; with the last one come the seconds of an average tick, by unit. */
  run(tick: number): readonly number[] | undefined {
    const last = this.windows.at(-1);
    const isOpen = last !== undefined && last.ticks < this.length;
    const window = isOpen ? last : new TimedInterpreter(this.state, this.clock);
    if (!isOpen) this.windows.push(window);
    window.run(tick);
    if (this.windows.length < WINDOWS || window.ticks < this.length) return undefined;
    return this.state.plan.units.map((_, unit) => {
      const taken = this.windows.slice(1).map(({ advance, ticks }) => advance[unit] / ticks);
      return taken.sort((a, b) => a - b)[taken.length >> 1];
    });
  }
}

/** Undefined when the system refuses executable memory or threads. */
function threadedCode(
  state: PlanState,
  { machines, split }: Prepared,
  groups: readonly (readonly number[])[],
): Executor | undefined {
  const { first, others } = compileThreads(state, machines, callMarkersOf(machines), split, groups);
  const entry = mapCode(first.code.code);
  if (entry === undefined) return undefined;
  let complete = true;
  const code = new PlanCode(first, entry, (block) => {
    const stops = others.map((other) => startOn(other, block));
    complete = !stops.includes(undefined);
    return () => {
      for (const stop of stops) stop?.();
    };
  });
  if (complete) return code;
  code.dispose();
  return undefined;
}

/** @returns how to stop it; undefined when it could not be started. */
function startOn({ program, go, quit }: ThreadCode, block: PlanBlock): (() => void) | undefined {
  const mapping = mapCode(program.code.code);
  if (mapping === undefined) return undefined;
  const thread = startThread(mapping.address, block.address);
  if (thread === undefined) {
    mapping.unmap();
    return undefined;
  }
  return () => {
    block.writeInt(quit, 1);
    block.writeInt(go.word, block.readInt(go.word) + 1);
    wake(block.address + go.word);
    thread.join();
    mapping.unmap();
  };
}
