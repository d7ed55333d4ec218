/**
 * Executes a plan of which only some can be machine code: segments of code and of interpreted ops
 * take turns in every tick.
 *
 * Both work on the same signals, those in the memory of the code, so nothing is copied between
 * segments. Units that code drives learn where they are at the end of a chunk, before the
 * interpreter touches them, and when something goes wrong.
 */
import { Interpreter } from "../../../engine/interpreter.ts";
import type { RowSink } from "../../../engine/run-plan.ts";
import type { PlanState } from "../../../engine/signals.ts";
import { OP_WIDTH, Op } from "../../../plan/plan.ts";
import type { Mapping } from "../executable.ts";
import type { MachineAccess } from "../machine-access.ts";
import { Arena } from "../native-memory.ts";
import { FIRST_CHUNK, nextChunk } from "./chunk-pace.ts";
import type { SegmentCode } from "./compile-plan.ts";
import { type Enter, functionAt, Handover } from "./handover.ts";
import type { PlanBlock, PlanMemory } from "./plan-memory.ts";
import type { Program } from "./program.ts";
import type { Refusal } from "./refusal.ts";
import type { Segment } from "./segments.ts";

/** A segment that is ready to be executed. */
interface Part {
  readonly ops: Int32Array;
  readonly first: number;
  /** Undefined: the interpreter does it. */
  readonly code: { readonly enter: Enter; readonly program: Program } | undefined;
  /** Units driven by code that the interpreter calls here. */
  readonly visited: readonly number[];
}

export interface MixedPlan {
  readonly state: PlanState;
  /** Of the units whose steps are code. */
  readonly machines: readonly (MachineAccess | undefined)[];
  readonly segments: readonly Segment[];
  readonly compiled: SegmentCode;
  readonly mapping: Mapping;
  readonly interpreted: readonly Refusal[];
}

export class MixedCode {
  readonly name = "machine-code";
  readonly codeBytes: number;
  readonly interpreted: readonly Refusal[];
  private readonly state: PlanState;
  private readonly memory: PlanMemory;
  private readonly mapping: Mapping;
  private readonly arena = new Arena();
  private readonly block: PlanBlock;
  private readonly handover: Handover;
  private readonly interpreter: Interpreter;
  private readonly parts: readonly Part[];
  private readonly recorded: { readonly f64: Int32Array; readonly i64: Int32Array };
  private chunk: number = FIRST_CHUNK;
  private disposed = false;
  /** Units stand where code expects them. */
  private isReady = false;
  /**
   * Code has moved units that do not know it yet: at this tick, everything before this op was done.
   */
  private isAhead = false;
  private tick = 0;
  private op = 0;

  constructor({ state, machines, segments, compiled, mapping, interpreted }: MixedPlan) {
    this.state = state;
    this.memory = compiled.memory;
    this.mapping = mapping;
    this.codeBytes = compiled.code.length;
    this.interpreted = interpreted;
    this.block = compiled.memory.make(this.arena);
    this.handover = new Handover(state, machines, compiled.memory, this.block);
    const banks = { ...this.block.signals, obj: state.banks.obj };
    this.interpreter = new Interpreter({ ...state, banks });
    this.parts = segments.map((segment, s): Part => {
      const code = compiled.functions[s];
      return {
        ops: segment.ops,
        first: segment.first,
        code: code && {
          enter: functionAt(mapping.address + code.offset),
          program: code.program,
        },
        visited: code ? [] : visitedUnits(state, machines, segment.ops),
      };
    });
    const slotsOf = (name: "f64" | "i64"): Int32Array =>
      Int32Array.from(
        state.plan.record.columns.flatMap(({ bank, slot }) => (bank === name ? [slot] : [])),
      );
    this.recorded = { f64: slotsOf("f64"), i64: slotsOf("i64") };
  }

  get preferredChunk(): number {
    return this.chunk;
  }

  /** Of the calls that code made. */
  get warnings(): number {
    return this.block.readInt(this.memory.warnings);
  }

  run(first: number, count: number, { progress, onRow }: RowSink): void {
    if (this.disposed) throw new Error("internal: this plan's machine code is gone");
    const began = performance.now();
    const { every } = this.state.plan.record;
    this.handover.loadSignals();
    this.isReady = false;
    try {
      for (let tick = first; tick < first + count; tick++) {
        this.block.writeInt(this.memory.watch, tick === first ? 1 : 0);
        try {
          this.runTick(tick);
        } catch (error) {
          throw this.interpreter.abandon(error);
        }
        progress.tick = tick;
        if (tick % every !== 0) continue;
        this.showRow();
        onRow(tick);
      }
    } finally {
      if (this.isAhead) this.settle();
      this.handover.storeSignals();
    }
    this.chunk = nextChunk(count, performance.now() - began);
  }

  dispose(): void {
    if (this.disposed) return;
    this.disposed = true;
    this.mapping.unmap();
    this.arena.free();
  }

  private runTick(tick: number): void {
    if (!this.isReady) {
      this.isReady = this.handover.isReadyFor(tick);
      if (!this.isReady) {
        this.interpreter.run(this.state.plan.segments.step, tick);
        return;
      }
      this.handover.loadUnits();
    }
    this.block.writeDouble(this.memory.tick, tick);
    this.tick = tick;
    for (let p = 0; p < this.parts.length; p++) {
      const { ops, first, code, visited } = this.parts[p];
      this.op = first;
      if (code === undefined) {
        if (this.isAhead)
          for (let v = 0; v < visited.length; v++)
            this.handover.settleUnit(visited[v], tick, first);
        this.interpreter.start(ops, tick);
        continue;
      }
      this.isAhead = true;
      const exit = code.enter(this.block.address);
      if (exit !== 0) {
        this.leave(p, exit, tick);
        return;
      }
    }
    this.op = Number.POSITIVE_INFINITY;
    this.interpreter.finish();
  }

  /** The unit judges what ended the code, the interpreter does the rest of the tick. */
  private leave(part: number, number: number, tick: number): void {
    const { first, code } = this.parts[part];
    const { exits, status } = code!.program;
    const exit = exits[number - 1];
    this.op = exit.op;
    this.settle();
    this.isReady = false;
    exit.settle?.(this.block.readInt(status), tick, this.block);
    if (exit.resumeAt !== first) {
      const { step } = this.state.plan.segments;
      this.interpreter.run(step.subarray(exit.resumeAt * OP_WIDTH), tick);
      return;
    }
    // From the beginning of a segment on, with the guards around it.
    for (let p = part; p < this.parts.length; p++) this.interpreter.start(this.parts[p].ops, tick);
    this.interpreter.finish();
  }

  private settle(): void {
    this.isAhead = false;
    this.handover.settleUnits(this.tick, this.op);
  }

  /** Recorded signals to where the recorder looks for them. */
  private showRow(): void {
    const { banks } = this.state;
    const { signals } = this.block;
    const { f64, i64 } = this.recorded;
    for (let i = 0; i < f64.length; i++) banks.f64[f64[i]] = signals.f64[f64[i]];
    for (let i = 0; i < i64.length; i++) banks.i64[i64[i]] = signals.i64[i64[i]];
  }
}

function visitedUnits(
  { plan }: PlanState,
  machines: readonly (MachineAccess | undefined)[],
  ops: Int32Array,
): number[] {
  const units = new Set<number>();
  for (let pc = 0; pc < ops.length; pc += OP_WIDTH) {
    const [opcode, a = 0] = ops.subarray(pc, pc + 2);
    if (opcode === Op.Read || opcode === Op.Write) units.add(plan.accesses[a].unit);
    else if (opcode === Op.Slopes) units.add(plan.slopes[a].unit);
  }
  return [...units].filter((unit) => machines[unit] !== undefined);
}
