/**
 * Code for ops that only move numbers: copies, conversions, value tables, and what is predicted
 * from histories. The floating-point operations are those of engine/interpreter.ts in the same
 * order, so that traces agree bit for bit.
 */
import type { Track } from "../../../plan/plan.ts";
import { If, Reg } from "./assembler.ts";
import { MEMORY, type Place, type Program } from "./program.ts";

/** Copies up to this size are written out. */
const UNROLLED = 8;

const { rax, rcx, rdx, rsi, rdi } = Reg;

/** `n` words from one place of a bank to another; for overlapping ranges as `copyWithin`. */
export function emitCopy({ code }: Program, [base, from]: Place, [, to]: Place, n: number): void {
  if (n > UNROLLED && !(to > from && to < from + 8 * n)) {
    code.address(rsi, base, from).address(rdi, base, to).copyWords(n);
    return;
  }
  for (let i = 0; i < n; i++) {
    const at = 8 * (to > from ? n - 1 - i : i);
    code.load(rax, base, from + at).store(base, to + at, rax);
  }
}

export function emitAffine(program: Program, from: number, to: number, constant: number): void {
  const { code, memory, state } = program;
  const { constants } = state.plan;
  code.loadDouble(0, MEMORY, memory.literal(constants[constant]));
  code.multiplyMemory(0, ...program.f64(from));
  code.addMemory(0, MEMORY, memory.literal(constants[constant + 1]));
  code.storeDouble(...program.f64(to), 0);
}

/** The first entry that equals the value; one that is not in the table passes unchanged. */
export function emitMap(program: Program, from: number, to: number, map: number): void {
  const { code, memory, state } = program;
  const table = state.plan.maps[map];
  const done = code.label();
  code.loadDouble(0, ...program.f64(from));
  for (const [i, value] of table.from.entries()) {
    const next = code.label();
    code.loadDouble(1, MEMORY, memory.literal(value)).compareDoubles(0, 1);
    code.jumpIf(If.unordered, next).jumpIf(If.notEqual, next);
    code.loadDouble(0, MEMORY, memory.literal(table.to[i])).jump(done).here(next);
  }
  code.here(done).storeDouble(...program.f64(to), 0);
}

/** What is no 64-bit integer is left to the interpreter. */
export function emitToI64(program: Program, from: number, to: number, n: number): void {
  const { code } = program;
  const instead = program.instead();
  for (let i = 0; i < n; i++) {
    code
      .loadDouble(0, ...program.f64(from + i))
      .toInteger(rax, 0)
      .fromInteger(1, rax);
    code.compareDoubles(0, 1).jumpIf(If.unordered, instead).jumpIf(If.notEqual, instead);
    code.store(...program.i64(to + i), rax);
  }
}

/** Unsigned integers beyond 2^63 are left to the interpreter. */
export function emitFromI64(
  program: Program,
  from: number,
  to: number,
  n: number,
  unsigned: boolean,
): void {
  const { code } = program;
  const instead = unsigned ? program.instead() : undefined;
  for (let i = 0; i < n; i++) {
    code.load(rax, ...program.i64(from + i));
    if (instead !== undefined) code.test(rax).jumpIf(If.negative, instead);
    code.fromInteger(0, rax).storeDouble(...program.f64(to + i), 0);
  }
}

export function emitSample({ code, memory }: Program, { history, signal }: Track): void {
  const at = memory.f64(history);
  code.load(rax, MEMORY, at + 8).load(rcx, MEMORY, at);
  code.load(rdx, MEMORY, memory.f64(signal));
  code
    .store(MEMORY, at + 16, rax)
    .store(MEMORY, at + 8, rcx)
    .store(MEMORY, at, rdx);
}

/**
 * xmm0 newest, xmm1 older, xmm2 oldest, xmm3 first and xmm4 second derivative, xmm5 seconds since
 * the newest sample.
 */
export function emitPredict(program: Program, track: Track, part: number, parts: number): void {
  const { code, memory, state } = program;
  const { sampleTicks, approximation } = track;
  const history = memory.f64(track.history);
  const value = memory.f64(track.value);
  const slope = memory.f64(track.slope);
  const spacing = sampleTicks * state.plan.step;
  emitElapsed(program, track, part, parts);
  code.loadDouble(0, MEMORY, history).loadDouble(1, MEMORY, history + 8);
  if (approximation !== "quadratic") {
    code.copyDouble(3, 0).subtract(3, 1).divideMemory(3, MEMORY, memory.literal(spacing));
    code.multiply(5, 3).add(5, approximation === "linear" ? 0 : 1);
    code.storeDouble(MEMORY, value, 5).storeDouble(MEMORY, slope, 3);
    return;
  }
  code.loadDouble(2, MEMORY, history + 16);
  code.loadDouble(3, MEMORY, memory.literal(3)).multiply(3, 0);
  code.loadDouble(6, MEMORY, memory.literal(4)).multiply(6, 1);
  code
    .subtract(3, 6)
    .add(3, 2)
    .divideMemory(3, MEMORY, memory.literal(2 * spacing));
  code.loadDouble(6, MEMORY, memory.literal(2)).multiply(6, 1);
  code.copyDouble(4, 0).subtract(4, 6).add(4, 2);
  code.divideMemory(4, MEMORY, memory.literal(spacing * spacing));
  code.copyDouble(6, 3).multiply(6, 5).add(6, 0);
  code.copyDouble(7, 4).multiply(7, 5).copyDouble(2, 7).multiply(7, 5);
  code.multiplyMemory(7, MEMORY, memory.literal(0.5)).add(6, 7);
  code.storeDouble(MEMORY, value, 6);
  code.add(2, 3).storeDouble(MEMORY, slope, 2);
  code.storeDouble(MEMORY, slope + 8, 4);
}

/** xmm5: seconds from the newest sample to where the value is wanted. */
function emitElapsed(program: Program, track: Track, part: number, parts: number): void {
  const { code, memory, state } = program;
  const { sampleTicks, stepTicks } = track;
  const { step } = state.plan;
  const ahead = parts === 0 ? 0 : ((part + 0.5) / parts) * (stepTicks * step);
  if (sampleTicks === 1) {
    code.loadDouble(5, MEMORY, memory.literal(ahead));
    return;
  }
  code.load(rax, MEMORY, memory.remainder(sampleTicks));
  const back = parts === 0 ? 0 : stepTicks % sampleTicks;
  if (back > 0) {
    const positive = code.label();
    code.addConstant(rax, -back).test(rax).jumpIf(If.notNegative, positive);
    code.addConstant(rax, sampleTicks).here(positive);
  }
  code.fromInteger(5, rax).multiplyMemory(5, MEMORY, memory.literal(step));
  if (parts !== 0) code.addMemory(5, MEMORY, memory.literal(ahead));
}

export function emitInterpolate(program: Program, track: Track, part: number, parts: number): void {
  const { code, memory, state } = program;
  const length = track.stepTicks * state.plan.step;
  const value = memory.f64(track.value);
  code.loadDouble(0, MEMORY, memory.f64(track.history));
  code.loadDouble(1, MEMORY, memory.f64(track.signal)).subtract(1, 0);
  code.divideMemory(1, MEMORY, memory.literal(length));
  code.storeDouble(MEMORY, memory.f64(track.slope), 1);
  if (parts > 0) {
    code.multiplyMemory(1, MEMORY, memory.literal(((part + 0.5) / parts) * length));
    code.add(0, 1);
  }
  code.storeDouble(MEMORY, value, 0);
}
