/**
 * Executes the step segment of a plan as machine code: many ticks a call, no TypeScript between the
 * FMI calls. Where only some of it can be code, segments of code and of interpreted ops take turns
 * (mixed-code.ts).
 *
 * The interpreter stays the reference, and the way out: whatever the code does not judge itself (a
 * status beyond warning, an FMU that stops early, numbers that need care) ends the call, is settled
 * by the unit, and the interpreter finishes the tick. So errors, messages and traces are those of
 * the interpreter. Rules: docs/spec/machine-code.md.
 */
import koffi from "koffi";
import { uncounted } from "../../../engine/event-counts.ts";
import { Interpreter } from "../../../engine/interpreter.ts";
import type { Executor, RowSink } from "../../../engine/run-plan.ts";
import type { PlanState } from "../../../engine/signals.ts";
import { OP_WIDTH } from "../../../plan/plan.ts";
import { type Mapping, mapCode } from "../executable.ts";
import { refusalOfHost } from "../host-code.ts";
import type { MachineAccess } from "../machine-access.ts";
import { type Address, Arena } from "../native-memory.ts";
import { FIRST_CHUNK, nextChunk } from "./chunk-pace.ts";
import { compilePlanToCode, compileSegments } from "./compile-plan.ts";
import { type Enter, functionAt, Handover } from "./handover.ts";
import { NativeMasterCode } from "./master-code.ts";
import { MixedCode } from "./mixed-code.ts";
import { isLarge, PatientCode } from "./patient-code.ts";
import type { PlanBlock } from "./plan-memory.ts";
import type { Program } from "./program.ts";
import { firstRefusal, machineOf, type Refusal, refusalsByUnit, refusalsOfOps } from "./refusal.ts";
import { RowBuffer } from "./row-buffer.ts";
import { cutIntoSegments } from "./segments.ts";

export interface MachineCodeExecutor extends Executor {
  readonly name: "machine-code";
  /** FMI calls that returned a warning so far. */
  readonly warnings: number;
  readonly codeBytes: number;
  /** Units of which the interpreter does something, and why. */
  readonly interpreted: readonly Refusal[];
  /** Why nothing has become machine code after all; undefined: something has. */
  readonly idle?: string | undefined;
}

export interface MachineCodeOptions {
  /** Code of large plans is written when it pays; default: at once. */
  readonly isPatient?: boolean;
}

/**
 * @param state of a plan whose units are initialized.
 * @returns undefined where nothing of the plan can become machine code; `onRefusal` gets the
 * reason.
 */
export function machineCodeExecutor(
  state: PlanState,
  onRefusal?: (reason: string) => void,
  { isPatient = false }: MachineCodeOptions = {},
): MachineCodeExecutor | undefined {
  const refuse = (reason: string): undefined => {
    onRefusal?.(reason);
    return undefined;
  };
  const onHost = refusalOfHost(process.platform, process.arch);
  if (onHost !== undefined) return refuse(onHost);
  const { coupling } = state.plan;
  if (isPatient && coupling === undefined && isLarge(state))
    return new PatientCode(state, (onLateRefusal) => machineCodeExecutor(state, onLateRefusal));
  // A master tells counted units what code did in their place.
  const found = state.units.map((unit) => machineOf(coupling ? uncounted(unit) : unit));
  const refusals = refusalsOfOps(state, found);
  const machines = found.map((machine) => (typeof machine === "string" ? undefined : machine));
  const callMarkers = callMarkersOf(machines.filter((machine) => machine !== undefined));
  if (coupling !== undefined) {
    if (machines.every((machine) => machine === undefined))
      return refuse(`'${state.plan.units[0]?.name}': ${found[0]}`);
    return new MasterExecutor(new NativeMasterCode(state, found, callMarkers));
  }
  const isWhole =
    refusals.every((refusal) => refusal === undefined) &&
    state.plan.record.columns.every(({ bank }) => bank !== "obj");
  if (isWhole) {
    const program = compilePlanToCode(state, machines, callMarkers);
    const mapping = mapCode(program.code.code);
    return mapping ? new PlanCode(program, mapping) : refuse(NO_MEMORY);
  }
  const { step } = state.plan.segments;
  const segments = cutIntoSegments(step, (op) => refusals[op] === undefined);
  if (!segments.some(({ isCode }) => isCode))
    return refuse(firstRefusal(state, refusals) ?? "no FMU is called in a step");
  const compiled = compileSegments(state, machines, callMarkers, segments);
  const mapping = mapCode(compiled.code);
  if (mapping === undefined) return refuse(NO_MEMORY);
  const interpreted = refusalsByUnit(state, refusals);
  return new MixedCode({ state, machines, segments, compiled, mapping, interpreted });
}

/**
 * For masters that decide at run time: they have the say, code does what is straight in their
 * steps.
 */
class MasterExecutor implements MachineCodeExecutor {
  readonly name = "machine-code";
  readonly warnings = 0;
  readonly codeBytes = 0;
  readonly master: NativeMasterCode;

  constructor(master: NativeMasterCode) {
    this.master = master;
  }

  get interpreted(): readonly Refusal[] {
    return this.master.undriven;
  }

  get idle(): string | undefined {
    return this.master.isUsed ? undefined : "no step was repeated often enough to become code";
  }

  run(): never {
    throw new Error("internal: a master that decides at run time has no ticks");
  }

  dispose(): void {
    this.master.dispose();
  }
}

const NO_MEMORY = "this system allows no executable memory";

/**
 * The word of a lastCall stays where it is as long as its buffer lives outside the heap: asking for
 * it puts it there.
 */
export function callMarkersOf(
  machines: readonly MachineAccess[],
): ReadonlyMap<Int32Array, Address> {
  const callMarkers = machines.flatMap(({ lastCall }) => lastCall ?? []);
  return new Map(
    callMarkers.map((marker) => [marker, Number(koffi.address(marker.buffer)) + marker.byteOffset]),
  );
}

/** Code over a plan, and the way in and out of it. */
export class PlanCode implements MachineCodeExecutor {
  readonly name = "machine-code";
  readonly interpreted: readonly Refusal[] = [];
  readonly codeBytes: number;
  private readonly program: Program;
  private readonly interpreter: Interpreter;
  private readonly arena = new Arena();
  private readonly block: PlanBlock;
  private readonly rows: RowBuffer;
  private readonly mapping: Mapping;
  private readonly beforeEnd: (() => void) | undefined;
  private readonly enter: Enter;
  private readonly handover: Handover;
  private chunk: number = FIRST_CHUNK;
  private disposed = false;

  /**
   * @param program whose memory is complete.
   * @param begin gets the memory, and returns what is to be done before it is gone.
   */
  constructor(program: Program, mapping: Mapping, begin?: (block: PlanBlock) => () => void) {
    this.program = program;
    this.mapping = mapping;
    this.codeBytes = program.code.length;
    this.interpreter = new Interpreter(program.state);
    this.block = program.memory.make(this.arena);
    const { state, machines, memory } = program;
    this.handover = new Handover(state, machines, memory, this.block);
    this.rows = new RowBuffer(program.state, this.arena);
    this.beforeEnd = begin?.(this.block);
    this.enter = functionAt(mapping.address);
  }

  get preferredChunk(): number {
    return this.chunk;
  }

  get warnings(): number {
    return this.block.readInt(this.program.memory.warnings);
  }

  run(first: number, count: number, sink: RowSink): void {
    const { progress, onRow } = sink;
    if (this.disposed) throw new Error("internal: this plan's machine code is gone");
    const began = performance.now();
    const end = first + count;
    for (let tick = first; tick < end; tick = progress.tick + 1) {
      if (!this.handover.isReadyFor(tick)) this.interpret(0, tick, progress, onRow);
      else {
        const ticks = Math.min(end - tick, this.rows.ticksThatFit);
        this.runCode(tick, ticks, sink);
      }
    }
    this.chunk = nextChunk(count, performance.now() - began);
  }

  dispose(): void {
    if (this.disposed) return;
    this.disposed = true;
    this.beforeEnd?.();
    this.mapping.unmap();
    this.arena.free();
  }

  private runCode(first: number, count: number, sink: RowSink): void {
    const { progress, onRow } = sink;
    const { memory, exits } = this.program;
    this.handover.loadSignals();
    this.handover.loadUnits();
    this.block.writeDouble(memory.tick, first);
    this.block.writeDouble(memory.last, first + count - 1);
    this.block.writeDouble(memory.rows, this.rows.address);
    // Its code looks in the first tick.
    this.block.writeInt(memory.watch, 1);
    this.rows.begin(first, count);
    const exit = exits[this.enter(this.block.address) - 1];
    const tick = this.block.readDouble(memory.tick);
    // A call that did not succeed moved nothing, an op that the interpreter is to do even less.
    this.handover.settleUnits(tick, exit?.op ?? Number.POSITIVE_INFINITY, exit?.opOf);
    const done = exit === undefined ? tick : tick - 1;
    this.rows.deliver(first, done, sink);
    progress.tick = done;
    this.handover.storeSignals();
    if (exit === undefined) return;
    exit.settle?.(this.block.readInt(this.program.status), tick, this.block);
    this.interpret(exit.resumeAt, tick, progress, onRow);
  }

  private interpret(
    op: number,
    tick: number,
    progress: { tick: number },
    onRow: (tick: number) => void,
  ): void {
    const { segments, record } = this.program.state.plan;
    this.interpreter.run(segments.step.subarray(op * OP_WIDTH), tick);
    progress.tick = tick;
    if (tick % record.every === 0) onRow(tick);
  }
}
