/**
 * Where the wall time of a run goes, unit by unit. Measuring every step would cost more than small units do, so a few ticks are
 * executed by the interpreter with a clock around every op, whatever executes all others: the trace is the same, that is the
 * executors' contract.
 *
 * Ticks are measured in windows as long as it takes until all units of a multi-rate plan have stepped, else units with long
 * steps would be seen too often or never. The first windows come early, so that short runs have a profile too; later one in
 * a thousand is measured.
 */
import { OP_WIDTH, Op, type Plan } from "../plan/plan.ts";
import { Interpreter } from "./interpreter.ts";
import { DEFAULT_CHUNK, type Executor, type RowSink } from "./run-plan.ts";
import type { PlanState } from "./signals.ts";

/** Wall seconds from any moment on. */
export type Clock = () => number;

export interface UnitTime {
  readonly unit: string;
  /** Part of all measured time, between 0 and 1. */
  readonly share: number;
  /** Seconds of an average tick: inside steps, and for values in and out. */
  readonly advanceSeconds: number;
  readonly exchangeSeconds: number;
}

export interface Profile {
  /** Ticks that were measured. */
  readonly ticks: number;
  readonly units: readonly UnitTime[];
  /** What moving and converting signals between units takes. */
  readonly couplingShare: number;
}

export interface ProfiledExecutor extends Executor {
  /** Undefined before the first measured tick. */
  profile(): Profile | undefined;
}

/** Executes whole ticks op by op and adds up what every unit takes. */
export class TimedInterpreter {
  /** Seconds of all ticks so far, by unit. */
  readonly advance: Float64Array;
  readonly exchange: Float64Array;
  coupling = 0;
  ticks = 0;
  private readonly interpreter: Interpreter;
  private readonly clock: Clock;
  private readonly ops: readonly TimedOp[];

  constructor(state: PlanState, clock: Clock, interpreter: Interpreter = new Interpreter(state)) {
    const { plan } = state;
    this.advance = new Float64Array(plan.units.length);
    this.exchange = new Float64Array(plan.units.length);
    this.interpreter = interpreter;
    this.clock = clock;
    this.ops = timedOps(plan);
  }

  run(tick: number): void {
    const ops = this.ops;
    let before = this.clock();
    for (let i = 0; i < ops.length; i++) {
      const { words, unit, isAdvance, every, skips } = ops[i];
      if (every > 0) {
        if (tick % every !== 0) i += skips;
        continue;
      }
      this.interpreter.run(words, tick);
      const now = this.clock();
      if (unit < 0) this.coupling += now - before;
      else if (isAdvance) this.advance[unit] += now - before;
      else this.exchange[unit] += now - before;
      before = now;
    }
    this.ticks++;
  }
}

interface TimedOp {
  readonly words: Int32Array;
  /** Whose time it is; -1: of no unit. */
  readonly unit: number;
  readonly isAdvance: boolean;
  /** Of the op `Every`: its rhythm and what it skips, else 0. */
  readonly every: number;
  readonly skips: number;
}

function timedOps({ segments, accesses, slopes }: Plan): TimedOp[] {
  const unitOf = (opcode: number, a: number): number => {
    switch (opcode) {
      case Op.Read:
      case Op.Write:
        return accesses[a].unit;
      case Op.Slopes:
        return slopes[a].unit;
      case Op.Advance:
        return a;
      default:
        return -1;
    }
  };
  return Array.from({ length: segments.step.length / OP_WIDTH }, (_, i) => {
    const words = segments.step.subarray(i * OP_WIDTH, (i + 1) * OP_WIDTH);
    const [opcode = 0, a = 0, b = 0] = words;
    const isEvery = opcode === Op.Every;
    return {
      words,
      unit: unitOf(opcode, a),
      isAdvance: opcode === Op.Advance,
      every: isEvery ? a : 0,
      skips: isEvery ? b : 0,
    };
  });
}

/** One window in so many is measured, once a run is long. */
const STRIDE = 1000;
/** A window is no longer than this, whatever the steps of the units. */
const MAX_WINDOW = 1000;

/** `inner` with some of its ticks measured. The trace is that of `inner`. */
export function profiledExecutor(
  inner: Executor,
  state: PlanState,
  clock: Clock,
): ProfiledExecutor {
  const timed = new TimedInterpreter(state, clock);
  const { record } = state.plan;
  const length = commonTicks(state.plan);
  let window = 1;
  return {
    get name() {
      return inner.name;
    },
    get preferredChunk() {
      return inner.preferredChunk ?? DEFAULT_CHUNK;
    },
    run(first: number, count: number, sink: RowSink): void {
      const { progress, onRow } = sink;
      const end = first + count;
      for (let tick = first; tick < end; tick = progress.tick + 1) {
        while (tick > (window + 1) * length) window = Math.min(2 * window, window + STRIDE);
        const begin = window * length + 1;
        if (tick < begin) {
          inner.run(tick, Math.min(end, begin) - tick, sink);
          continue;
        }
        timed.run(tick);
        progress.tick = tick;
        if (tick % record.every === 0) onRow(tick);
      }
    },
    dispose: () => inner.dispose(),
    profile: () => profileOf(state.plan, timed),
  };
}

function profileOf(plan: Plan, timed: TimedInterpreter): Profile | undefined {
  const { ticks, coupling, advance, exchange } = timed;
  if (ticks === 0) return undefined;
  const sum = (values: Float64Array): number => values.reduce((total, value) => total + value, 0);
  // Where the clock is too coarse to see anything nothing has a share.
  const all = coupling + sum(advance) + sum(exchange) || 1;
  return {
    ticks,
    units: plan.units.map(({ name }, u) => ({
      unit: name,
      share: (advance[u] + exchange[u]) / all,
      advanceSeconds: advance[u] / ticks,
      exchangeSeconds: exchange[u] / ticks,
    })),
    couplingShare: coupling / all,
  };
}

/** Ticks after which all units have taken whole steps. */
export function commonTicks({ units }: Pick<Plan, "units">): number {
  const common = units.reduce((sofar, { ticks }) => (sofar * ticks) / divisor(sofar, ticks), 1);
  return Math.min(common, MAX_WINDOW);
}

function divisor(a: number, b: number): number {
  return b === 0 ? a : divisor(b, a % b);
}
