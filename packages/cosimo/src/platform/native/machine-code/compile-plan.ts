/**
 * The step segment of a plan as one function of machine code: a loop over ticks, op after op, rows
 * at the end of each.
 *
 *   body:   ops, row                      every tick
 *           last tick done? → end
 *   begin:  time, remainders → body       the function starts here
 *   end:    returns 0, or the number of the exit taken
 *
 * Or, where the interpreter does a part of it: a function for every segment of code, each for one
 * tick.
 */
import type { PlanState } from "../../../engine/signals.ts";
import { OP_WIDTH, Op } from "../../../plan/plan.ts";
import type { MachineAccess } from "../machine-access.ts";
import type { Address } from "../native-memory.ts";
import { If, type Label, Reg } from "./assembler.ts";
import { emitAdvance, emitRead, emitSlopes, emitWrite } from "./emit-calls.ts";
import {
  emitAffine,
  emitCopy,
  emitFromI64,
  emitInterpolate,
  emitMap,
  emitPredict,
  emitSample,
  emitToI64,
} from "./emit-moves.ts";
import { hostAssembler } from "./host-assembler.ts";
import { PlanMemory } from "./plan-memory.ts";
import { type CodeOptions, LAST, MEMORY, Program, ROW, TICK } from "./program.ts";
import type { Segment } from "./segments.ts";
import { emitSpans } from "./step-times.ts";

/** With rax, an odd number of pushes: the stack is then aligned for calls. */
export const SAVED: readonly number[] = [Reg.rbp, TICK, ROW, MEMORY, LAST];

/** @param emitStep writes what is done in a tick; default: the whole step segment. */
export function compilePlanToCode(
  state: PlanState,
  machines: readonly (MachineAccess | undefined)[],
  callMarkers: ReadonlyMap<Int32Array, Address>,
  memory?: PlanMemory,
  emitStep: (program: Program) => void = (all) => emitOps(all, state.plan.segments.step),
  shared: CodeOptions = {},
): Program {
  const program = new Program(state, machines, callMarkers, {
    ...shared,
    ...(memory && { memory }),
  });
  emitLoop(program, emitStep);
  program.writeBehind();
  return program;
}

/** Functions for some segments of a step, in one piece of code and over one memory. */
export interface SegmentCode {
  readonly code: Uint8Array;
  readonly memory: PlanMemory;
  /** By segment; undefined where the interpreter does it. */
  readonly functions: readonly (
    | { readonly program: Program; readonly offset: number }
    | undefined
  )[];
}

export function compileSegments(
  state: PlanState,
  machines: readonly (MachineAccess | undefined)[],
  callMarkers: ReadonlyMap<Int32Array, Address>,
  segments: readonly Segment[],
  shared: CodeOptions = {},
): SegmentCode {
  const memory = new PlanMemory(state.plan);
  const code = shared.code ?? hostAssembler();
  const first = segments.findIndex(({ isCode }) => isCode);
  // From the last to the first: that one computes the times of the tick, which are known when all
  // others are written.
  const functions = segments
    .map((segment, s) => ({ segment, isFirst: s === first }))
    .toReversed()
    .map(({ segment, isFirst }) => {
      if (!segment.isCode) return undefined;
      const offset = code.length;
      const program = new Program(state, machines, callMarkers, { ...shared, memory, code });
      emitSegment(program, segment, isFirst);
      program.writeBehind();
      return { program, offset };
    })
    .toReversed();
  return { code: code.code, memory, functions };
}

function emitSegment(program: Program, { ops, numbers, first }: Segment, isFirst: boolean): void {
  const { code, memory } = program;
  const body = code.label();
  const begin = code.label();
  code.save(SAVED).move(MEMORY, Reg.rdi).loadDouble(0, MEMORY, memory.tick).toInteger(TICK, 0);
  if (isFirst) code.jump(begin);
  code.here(body);
  emitOps(program, ops, numbers);
  code.small(Reg.rax, 0);
  emitEnd(program);
  if (!isFirst) return;
  code.here(begin);
  emitTimes(program, first);
  code.jump(body);
}

function emitLoop(program: Program, emitStep: (program: Program) => void): void {
  const { code, memory } = program;
  const body = code.label();
  const begin = code.label();
  code.save(SAVED).move(MEMORY, Reg.rdi);
  const given = [
    [TICK, memory.tick],
    [LAST, memory.last],
    [ROW, memory.rows],
  ] as const;
  for (const [reg, at] of given) code.loadDouble(0, MEMORY, at).toInteger(reg, 0);
  code.jump(begin);

  code.here(body);
  emitStep(program);
  emitRow(program);
  code.put32(MEMORY, memory.watch, 0);
  code.small(Reg.rax, 0).compare(TICK, LAST).jumpIf(If.equal, program.end).increment(TICK);

  code.here(begin);
  emitTimes(program, 0);
  code.jump(body);

  emitEnd(program);
}

/** What is the same for all ops of a tick. */
function emitTimes(program: Program, firstOp: number): void {
  const { code, memory } = program;
  emitSpans(program, firstOp);
  for (const [ticks, at] of memory.remainders)
    code.remainder(TICK, ticks).store(MEMORY, at, Reg.rdx);
}

/** Returns rax. Which tick it was is said, no call is under way any more. */
function emitEnd({ code, memory, callMarkers, end }: Program): void {
  code.here(end).fromInteger(0, TICK).storeDouble(MEMORY, memory.tick, 0);
  for (const marker of new Set(callMarkers.values()))
    code.constant(Reg.rcx, marker).put32(Reg.rcx, 0, 0);
  code.restore(SAVED).ret();
}

/** @param numbers of the ops in the step segment, where `ops` are only some of it. */
export function emitOps(program: Program, ops: Int32Array, numbers?: readonly number[]): void {
  const { code } = program;
  const skips = new Map<number, Label[]>();
  for (let op = 0; op * OP_WIDTH < ops.length; op++) {
    for (const label of skips.get(op) ?? []) code.here(label);
    program.op = numbers?.[op] ?? op;
    const [opcode, a, b, c] = ops.subarray(op * OP_WIDTH, (op + 1) * OP_WIDTH) as unknown as Words;
    if (opcode === Op.Every) {
      const over = code.label();
      const target = op + 1 + b;
      code.testMemory(MEMORY, program.memory.remainder(a)).jumpIf(If.notEqual, over);
      skips.set(target, [...(skips.get(target) ?? []), over]);
    } else emitOp(program, opcode, a, b, c);
  }
  for (const label of skips.get(ops.length / OP_WIDTH) ?? []) code.here(label);
}

type Words = readonly [number, number, number, number];

export function emitOp(program: Program, opcode: number, a: number, b: number, c: number): void {
  const { tracks, accesses, slopes } = program.state.plan;
  switch (opcode) {
    case Op.Read:
      emitRead(program, a);
      program.endCalls(accesses[a].unit);
      break;
    case Op.Write:
      emitWrite(program, a);
      program.endCalls(accesses[a].unit);
      break;
    case Op.Slopes:
      emitSlopes(program, a);
      program.endCalls(slopes[a].unit);
      break;
    case Op.Advance:
      emitAdvance(program, a, b, c);
      program.endCalls(a);
      break;
    case Op.Copy:
      emitCopy(program, program.f64(a), program.f64(b), c);
      break;
    case Op.CopyI64:
      emitCopy(program, program.i64(a), program.i64(b), c);
      break;
    case Op.Affine:
      emitAffine(program, a, b, c);
      break;
    case Op.Map:
      emitMap(program, a, b, c);
      break;
    case Op.ToI64:
      emitToI64(program, a, b, c);
      break;
    case Op.FromI64:
    case Op.FromU64:
      emitFromI64(program, a, b, c, opcode === Op.FromU64);
      break;
    case Op.Sample:
      emitSample(program, tracks[a]);
      break;
    case Op.Predict:
      emitPredict(program, tracks[a], b, c);
      break;
    case Op.Interpolate:
      emitInterpolate(program, tracks[a], b, c);
      break;
    default:
      throw new Error(`internal: no code for opcode ${opcode}`);
  }
}

/** The recorded signals, one word each, where the row pointer stands. */
function emitRow({ code, memory, state }: Program): void {
  const { columns, every } = state.plan.record;
  if (columns.length === 0) return;
  const over = code.label();
  if (every > 1) code.testMemory(MEMORY, memory.remainder(every)).jumpIf(If.notEqual, over);
  for (const [i, { bank, slot }] of columns.entries()) {
    const at = bank === "i64" ? memory.i64(slot) : memory.f64(slot);
    code.load(Reg.rax, MEMORY, at).store(ROW, 8 * i, Reg.rax);
  }
  code.addConstant(ROW, 8 * columns.length).here(over);
}
