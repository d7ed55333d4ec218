/**
 * Executes the step segment of a plan as machine code: many ticks a call, no TypeScript between the FMI calls.
 *
 * The interpreter stays the reference, and the way out: whatever the code does not judge itself (a status beyond warning,
 * an FMU that stops early, numbers that need care) ends the call, is settled by the unit, and the interpreter finishes
 * the tick. So errors, messages and traces are those of the interpreter. Rules: docs/spec/machine-code.md.
 */
import koffi from "koffi";
import { Interpreter } from "../../../engine/interpreter.ts";
import type { Executor, RecordedRows } from "../../../engine/run-plan.ts";
import type { PlanState } from "../../../engine/signals.ts";
import { OP_WIDTH, timeOf } from "../../../plan/plan.ts";
import { type Mapping, mapCode } from "../executable.ts";
import type { MachineAccess } from "../machine-access.ts";
import { type Address, Arena } from "../native-memory.ts";
import { FIRST_CHUNK, nextChunk } from "./chunk-pace.ts";
import { compilePlanToCode } from "./compile-plan.ts";
import type { PlanBlock } from "./plan-memory.ts";
import type { Exit, Program } from "./program.ts";
import { machinesOf, refusalOfHost, refusalOfPlan } from "./refusal.ts";
import { RowBuffer } from "./row-buffer.ts";
import { UnitTimes } from "./step-times.ts";

export interface MachineCodeExecutor extends Executor {
  readonly name: "machine-code";
  /** FMI calls that returned a warning so far. */
  readonly warnings: number;
  readonly codeBytes: number;
}

/**
 * @param state of a plan whose units are initialized.
 * @returns undefined where the plan cannot become machine code; `onRefusal` is told why.
 */
export function machineCodeExecutor(
  state: PlanState,
  onRefusal?: (reason: string) => void,
): MachineCodeExecutor | undefined {
  const refuse = (reason: string): undefined => {
    onRefusal?.(reason);
    return undefined;
  };
  const onHost = refusalOfHost(process.platform, process.arch);
  if (onHost !== undefined) return refuse(onHost);
  const machines = machinesOf(state);
  if (typeof machines === "string") return refuse(machines);
  const onPlan = refusalOfPlan(state, machines);
  if (onPlan !== undefined) return refuse(onPlan);
  const program = compilePlanToCode(state, machines, crumbsOf(machines));
  const code = mapCode(program.code.code);
  if (code === undefined) return refuse("this system allows no executable memory");
  return new PlanCode(program, code);
}

/** The word of a breadcrumb stays where it is as long as its buffer lives outside the heap: asking for it puts it there. */
export function crumbsOf(machines: readonly MachineAccess[]): ReadonlyMap<Int32Array, Address> {
  const crumbs = machines.flatMap(({ breadcrumb }) => breadcrumb ?? []);
  return new Map(
    crumbs.map((crumb) => [crumb, Number(koffi.address(crumb.buffer)) + crumb.byteOffset]),
  );
}

let prototype: ReturnType<typeof koffi.proto> | undefined;

/** Code over a plan, and the way in and out of it. */
export class PlanCode implements MachineCodeExecutor {
  readonly name = "machine-code";
  readonly codeBytes: number;
  readonly #program: Program;
  readonly #interpreter: Interpreter;
  readonly #arena = new Arena();
  readonly #block: PlanBlock;
  readonly #rows: RowBuffer;
  readonly #mapping: Mapping;
  readonly #beforeEnd: (() => void) | undefined;
  readonly #enter: (memory: number) => number;
  readonly #times: UnitTimes;
  #chunk: number = FIRST_CHUNK;
  #disposed = false;

  /**
   * @param program whose memory is complete.
   * @param begin gets the memory, and returns what is to be done before it is gone.
   */
  constructor(program: Program, mapping: Mapping, begin?: (block: PlanBlock) => () => void) {
    this.#program = program;
    this.#mapping = mapping;
    this.codeBytes = program.code.length;
    this.#interpreter = new Interpreter(program.state);
    this.#block = program.memory.make(this.#arena);
    this.#times = new UnitTimes(program.state.plan);
    this.#rows = new RowBuffer(program.state, this.#arena);
    this.#beforeEnd = begin?.(this.#block);
    prototype ??= koffi.proto("int", ["int64_t"]);
    this.#enter = koffi.decode(BigInt(mapping.address), prototype) as (memory: number) => number;
  }

  get preferredChunk(): number {
    return this.#chunk;
  }

  get warnings(): number {
    return this.#block.readInt(this.#program.memory.warnings);
  }

  run(
    first: number,
    count: number,
    progress: { tick: number },
    onRow: (tick: number) => void,
    onRows?: (rows: RecordedRows) => void,
  ): void {
    if (this.#disposed) throw new Error("internal: this plan's machine code is gone");
    const began = performance.now();
    const end = first + count;
    for (let tick = first; tick < end; tick = progress.tick + 1) {
      if (!this.#isReadyFor(tick)) this.#interpret(0, tick, progress, onRow);
      else {
        const ticks = Math.min(end - tick, this.#rows.ticksThatFit);
        this.#runCode(tick, ticks, progress, onRow, onRows);
      }
    }
    this.#chunk = nextChunk(count, performance.now() - began);
  }

  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    this.#beforeEnd?.();
    this.#mapping.unmap();
    this.#arena.free();
  }

  /** The code takes it for granted that every unit stands where the plan has it. */
  #isReadyFor(tick: number): boolean {
    const { state, machines } = this.#program;
    const { plan } = state;
    for (let u = 0; u < machines.length; u++) {
      const { ticks } = plan.units[u]!;
      const last = Math.floor((tick - 1) / ticks) * ticks;
      const machine = machines[u]!;
      if (!machine.isReady() || machine.time() !== timeOf(plan, last)) return false;
    }
    return true;
  }

  #runCode(
    first: number,
    count: number,
    progress: { tick: number },
    onRow: (tick: number) => void,
    onRows: ((rows: RecordedRows) => void) | undefined,
  ): void {
    const { memory, exits } = this.#program;
    this.#load(first, count);
    this.#rows.begin(first, count);
    const exit = exits[this.#enter(this.#block.address) - 1];
    const tick = this.#block.readDouble(memory.tick);
    this.#settleUnits(tick, exit);
    const done = exit === undefined ? tick : tick - 1;
    this.#rows.deliver(first, done, progress, onRow, onRows);
    progress.tick = done;
    this.#copySignals();
    if (exit === undefined) return;
    exit.settle?.(this.#block.readInt(this.#program.status), tick, this.#block);
    this.#interpret(exit.resumeAt, tick, progress, onRow);
  }

  /** Our own signals and what the code has to know of the units → memory. */
  #load(first: number, count: number): void {
    const block = this.#block;
    const { memory, machines, state } = this.#program;
    block.signals.f64.set(state.banks.f64);
    block.signals.i64.set(state.banks.i64);
    block.writeDouble(memory.tick, first);
    block.writeDouble(memory.last, first + count - 1);
    block.writeDouble(memory.rows, this.#rows.address);
    for (let u = 0; u < machines.length; u++) {
      const machine = machines[u]!;
      block.writeDouble(memory.constantStep(u), machine.constantStep() ?? 0);
      block.writeInt(memory.noRollback(u), machine.noRollback());
    }
  }

  /** Units learn where they are, and what their FMUs said is read. */
  #settleUnits(tick: number, exit: Exit | undefined): void {
    const { machines } = this.#program;
    // A call that did not succeed moved nothing, an op that the interpreter is to do even less.
    const op = exit === undefined ? Number.POSITIVE_INFINITY : exit.op;
    for (let u = 0; u < machines.length; u++) {
      const machine = machines[u]!;
      const time = this.#times.at(u, tick, exit?.opOf?.(u, this.#block) ?? op);
      if (time !== machine.time()) machine.moveTo(time);
      machine.settle("", OK);
    }
  }

  #copySignals(): void {
    const { banks } = this.#program.state;
    banks.f64.set(this.#block.signals.f64);
    banks.i64.set(this.#block.signals.i64);
  }

  #interpret(
    op: number,
    tick: number,
    progress: { tick: number },
    onRow: (tick: number) => void,
  ): void {
    const { segments, record } = this.#program.state.plan;
    this.#interpreter.run(segments.step.subarray(op * OP_WIDTH), tick);
    progress.tick = tick;
    if (tick % record.every === 0) onRow(tick);
  }
}

const OK = 0;
