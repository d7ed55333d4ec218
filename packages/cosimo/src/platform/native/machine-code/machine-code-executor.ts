/**
 * Executes the step segment of a plan as machine code: many ticks a call, no TypeScript between the FMI calls.
 *
 * The interpreter stays the reference, and the way out: whatever the code does not judge itself (a status beyond warning,
 * an FMU that stops early, numbers that need care) ends the call, is settled by the unit, and the interpreter finishes
 * the tick. So errors, messages and traces are those of the interpreter. Rules: docs/spec/machine-code.md.
 */
import koffi from "koffi";
import { Interpreter } from "../../../engine/interpreter.ts";
import type { Executor } from "../../../engine/run-plan.ts";
import type { PlanState } from "../../../engine/signals.ts";
import { OP_WIDTH, timeOf } from "../../../plan/plan.ts";
import { type Mapping, mapCode } from "../executable.ts";
import type { MachineAccess } from "../machine-access.ts";
import { type Address, Arena, type Block } from "../native-memory.ts";
import { compilePlanToCode } from "./compile-plan.ts";
import type { PlanBlock } from "./plan-memory.ts";
import type { Program } from "./program.ts";
import { machinesOf, refusalOfHost, refusalOfPlan } from "./refusal.ts";

export interface MachineCodeExecutor extends Executor {
  readonly name: "machine-code";
  /** FMI calls that returned a warning so far. */
  readonly warnings: number;
  readonly codeBytes: number;
}

/** Words of recorded rows that one call of the code may leave behind: half a megabyte stays in the cache. */
const ROW_WORDS = 65_536;

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
function crumbsOf(machines: readonly MachineAccess[]): ReadonlyMap<Int32Array, Address> {
  const crumbs = machines.flatMap(({ breadcrumb }) => breadcrumb ?? []);
  return new Map(
    crumbs.map((crumb) => [crumb, Number(koffi.address(crumb.buffer)) + crumb.byteOffset]),
  );
}

let prototype: ReturnType<typeof koffi.proto> | undefined;

class PlanCode implements MachineCodeExecutor {
  readonly name = "machine-code";
  readonly codeBytes: number;
  readonly #program: Program;
  readonly #interpreter: Interpreter;
  readonly #arena = new Arena();
  readonly #block: PlanBlock;
  readonly #rows: Block;
  readonly #recorded: RecordedRows;
  readonly #mapping: Mapping;
  readonly #enter: (memory: number) => number;
  readonly #ticksPerCall: number;
  readonly #read = (offset: number): number => this.#block.view.getFloat64(offset, true);
  #disposed = false;

  constructor(program: Program, mapping: Mapping) {
    this.#program = program;
    this.#mapping = mapping;
    this.codeBytes = program.code.length;
    this.#interpreter = new Interpreter(program.state);
    this.#block = program.memory.make(this.#arena);
    const { columns, every } = program.state.plan.record;
    const rows = Math.max(1, Math.floor(ROW_WORDS / Math.max(1, columns.length)));
    this.#ticksPerCall = rows * every;
    this.#rows = this.#arena.allocate(8 * rows * columns.length);
    this.#recorded = new RecordedRows(program.state, this.#rows);
    prototype ??= koffi.proto("int", ["int64_t"]);
    this.#enter = koffi.decode(BigInt(mapping.address), prototype) as (memory: number) => number;
  }

  get warnings(): number {
    return Number(this.#block.view.getBigInt64(this.#program.memory.warnings, true));
  }

  run(
    first: number,
    count: number,
    progress: { tick: number },
    onRow: (tick: number) => void,
  ): void {
    if (this.#disposed) throw new Error("internal: this plan's machine code is gone");
    const end = first + count;
    for (let tick = first; tick < end; tick = progress.tick + 1) {
      if (!this.#isReadyFor(tick)) this.#interpret(0, tick, progress, onRow);
      else this.#runCode(tick, Math.min(end - tick, this.#ticksPerCall), progress, onRow);
    }
  }

  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    this.#mapping.unmap();
    this.#arena.free();
  }

  /** The code takes it for granted that every unit stands where the plan has it. */
  #isReadyFor(tick: number): boolean {
    const { state, machines } = this.#program;
    const { plan } = state;
    return machines.every((machine, u) => {
      const { ticks } = plan.units[u]!;
      const last = Math.floor((tick - 1) / ticks) * ticks;
      return machine.isReady() && machine.time() === timeOf(plan, last);
    });
  }

  #runCode(
    first: number,
    count: number,
    progress: { tick: number },
    onRow: (tick: number) => void,
  ): void {
    const { view, block } = this.#block;
    const { memory, exits } = this.#program;
    this.#load(first, count);
    const exit = this.#enter(block.address);
    const tick = Number(view.getBigInt64(memory.tick, true));
    this.#store();
    const done = exit === 0 ? tick : tick - 1;
    this.#recorded.deliver(first, done, progress, onRow);
    progress.tick = done;
    this.#copySignals();
    if (exit === 0) return;
    const { settle, resumeAt } = exits[exit - 1]!;
    settle?.(view.getInt32(memory.status, true), this.#read);
    this.#interpret(resumeAt, tick, progress, onRow);
  }

  /** Our own signals and the units' state → memory. */
  #load(first: number, count: number): void {
    const { view, f64, i64 } = this.#block;
    const { memory, machines, state } = this.#program;
    f64.set(state.banks.f64);
    i64.set(state.banks.i64);
    view.setBigInt64(memory.tick, BigInt(first), true);
    view.setBigInt64(memory.last, BigInt(first + count - 1), true);
    view.setBigInt64(memory.rows, BigInt(this.#rows.address), true);
    for (const [u, machine] of machines.entries()) {
      // A start at -0 is one at 0: that is what the interpreter makes of it.
      view.setFloat64(memory.time(u), machine.time() + 0, true);
      view.setFloat64(memory.constantStep(u), machine.constantStep() ?? 0, true);
      view.setInt32(memory.noRollback(u), machine.noRollback(), true);
    }
  }

  /** Units learn where they are, and what their FMUs said is read. */
  #store(): void {
    const { memory, machines } = this.#program;
    for (const [u, machine] of machines.entries()) {
      const time = this.#read(memory.time(u));
      if (time !== machine.time()) machine.moveTo(time);
      machine.settle("", OK);
    }
  }

  #copySignals(): void {
    const { banks } = this.#program.state;
    banks.f64.set(this.#block.f64);
    banks.i64.set(this.#block.i64);
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

/** Rows that the code left behind, handed on one by one through the signal banks. */
class RecordedRows {
  readonly #state: PlanState;
  readonly #f64: Float64Array;
  readonly #i64: BigInt64Array;
  /** Columns of each bank: position in the row, slot. */
  readonly #doubles: readonly (readonly [number, number])[];
  readonly #integers: readonly (readonly [number, number])[];

  constructor(state: PlanState, block: Block) {
    this.#state = state;
    this.#f64 = new Float64Array(block.buffer, block.offset, block.bytes / 8);
    this.#i64 = new BigInt64Array(block.buffer, block.offset, block.bytes / 8);
    const { columns } = state.plan.record;
    const of = (bank: string) =>
      columns.flatMap((column, i) => (column.bank === bank ? [[i, column.slot] as const] : []));
    this.#doubles = of("f64");
    this.#integers = of("i64");
  }

  deliver(
    first: number,
    last: number,
    progress: { tick: number },
    onRow: (tick: number) => void,
  ): void {
    const { plan, banks } = this.#state;
    const { columns, every } = plan.record;
    let row = 0;
    for (let tick = Math.ceil(first / every) * every; tick <= last; tick += every) {
      for (const [i, slot] of this.#doubles) banks.f64[slot] = this.#f64[row + i]!;
      for (const [i, slot] of this.#integers) banks.i64[slot] = this.#i64[row + i]!;
      progress.tick = tick;
      onRow(tick);
      row += columns.length;
    }
  }
}
