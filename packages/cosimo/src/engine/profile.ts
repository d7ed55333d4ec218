/**
 * Where the wall time of a run goes, unit by unit. Measuring every step would cost more than small
 * units do, so a few ticks are executed by the interpreter with a clock around every op, whatever
 * executes all others: the trace is the same, that is the executors' contract.
 *
 * Ticks are measured in windows as long as it takes until all units of a multi-rate plan have
 * stepped, else units with long steps would be seen too often or never. The first windows come
 * early, so that short runs have a profile too; later one in a thousand is measured.
 */
import { present } from "../base/present.ts";
import { OP_WIDTH, Op, type Plan } from "../plan/plan.ts";
import { Interpreter } from "./interpreter.ts";
import { type StepMeasure, unitOf } from "./metered-interpreter.ts";
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

function timedOps(plan: Plan): TimedOp[] {
  const { segments } = plan;
  return Array.from({ length: segments.step.length / OP_WIDTH }, (_, i) => {
    const words = segments.step.subarray(i * OP_WIDTH, (i + 1) * OP_WIDTH);
    const [opcode = 0, a = 0, b = 0] = words;
    const isEvery = opcode === Op.Every;
    return {
      words,
      unit: unitOf(plan, opcode, a),
      isAdvance: opcode === Op.Advance,
      every: isEvery ? a : 0,
      skips: isEvery ? b : 0,
    };
  });
}

/**
 * Measures a few steps of a master that decides at run time: the master takes them call by call,
 * with a clock around every call. What is left of such a step is between the units: the master's
 * own work, the way back and events.
 */
class StepMeter implements StepMeasure {
  /** Seconds of all measured steps, by unit. */
  readonly advance: Float64Array;
  readonly exchange: Float64Array;
  /** The step under way is measured. */
  isOn = false;
  readonly now: Clock;
  private readonly plan: Plan;
  private total = 0;
  private steps = 0;
  private next = 1;
  private began = 0;

  constructor(state: PlanState, clock: Clock) {
    this.plan = state.plan;
    this.now = clock;
    this.advance = new Float64Array(state.plan.units.length);
    this.exchange = new Float64Array(state.plan.units.length);
  }

  begin(step: number): void {
    if (step < this.next) return;
    if (step >= WARM && this.next <= WARM) this.forget();
    this.next = step < WARM ? 2 * step : step + (step < STRIDE ? WARM : STRIDE);
    this.isOn = true;
    this.began = this.now();
  }

  end(): void {
    if (!this.isOn) return;
    this.isOn = false;
    this.total += this.now() - this.began;
    this.steps++;
  }

  /** The first steps show mostly what it takes to begin. */
  private forget(): void {
    this.advance.fill(0);
    this.exchange.fill(0);
    this.total = 0;
    this.steps = 0;
  }

  profile(): Profile | undefined {
    const { plan, advance, exchange, total, steps } = this;
    const coupling = Math.max(0, total - sumOf(advance) - sumOf(exchange));
    return profileOf(plan, { advance, exchange, coupling, ticks: steps });
  }
}

/** From this step on a master has warmed up. */
const WARM = 64;
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
  const meter = state.plan.coupling && new StepMeter(state, clock);
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
    ...present({ master: inner.master, meter }),
    profile: () => meter?.profile() ?? profileOf(state.plan, timed),
  };
}

function sumOf(values: Float64Array): number {
  return values.reduce((total, value) => total + value, 0);
}

function profileOf(
  plan: Plan,
  {
    ticks,
    coupling,
    advance,
    exchange,
  }: Pick<TimedInterpreter, "ticks" | "coupling" | "advance" | "exchange">,
): Profile | undefined {
  if (ticks === 0) return undefined;
  // Where the clock is too coarse to see anything nothing has a share.
  const all = coupling + sumOf(advance) + sumOf(exchange) || 1;
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
