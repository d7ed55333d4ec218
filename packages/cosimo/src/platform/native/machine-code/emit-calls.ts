/**
 * Code for ops that call an FMU: values in and out, derivatives of inputs, steps.
 *
 * Values of one function whose slots follow each other are handed over where they lie; all others
 * go through the buffer that the access owns, converted as typed arrays convert them. What those do
 * with numbers beyond 64 bits is left to the interpreter.
 */
import { EarlyStop } from "../../../engine/interpreter.ts";
import { exchangeCall } from "../fmi-version.ts";
import { type MachineAccess, ROUNDING } from "../machine-access.ts";
import type { Group } from "../transfer.ts";
import { If, type Label, Reg } from "./assembler.ts";
import { emitFollow, emitFollowedSlopes, emitMoveOn } from "./emit-follower.ts";
import { MEMORY, type Place, type Program, type Settle } from "./program.ts";
import { type Step, timesOf } from "./step-times.ts";

const { rax, rcx, rdx, rsi, rdi, r8, r9 } = Reg;

/**
 * C integers whose values live in the bank of doubles, with their size in bytes; 64-bit ones are
 * enumerations.
 */
const INTEGER_BYTES: Readonly<Partial<Record<Group["wire"], number>>> = {
  i8: 1,
  u8: 1,
  i16: 2,
  u16: 2,
  i32: 4,
  u32: 4,
  i64: 8,
};

function bytesOf(wire: Group["wire"]): number {
  return INTEGER_BYTES[wire] ?? 8;
}

export function canTransfer({ bank, wire }: Group): boolean {
  if (bank === "i64") return wire === "i64" || wire === "u64";
  return bank === "f64" && (wire === "f64" || wire === "f32" || INTEGER_BYTES[wire] !== undefined);
}

export function emitRead(program: Program, access: number): void {
  const { code, state } = program;
  const { unit } = state.plan.accesses[access];
  const machine = program.machine(unit);
  for (const group of machine.groupsToRead(state.accesses[access])) {
    if (group.family === "Clock") {
      // In step mode clocks are inactive, and the FMU must not be asked.
      code.zero(0);
      for (const slot of group.slots) code.storeDouble(...program.f64(slot), 0);
      continue;
    }
    emitTransfer(program, unit, "Get", group);
    if (directPlace(program, group) === undefined) emitUnload(program, group);
  }
}

/**
 * All values are converted before the first call: then the interpreter can still do the whole op
 * instead.
 */
export function emitWrite(program: Program, access: number): void {
  const { state } = program;
  const { unit } = state.plan.accesses[access];
  const groups = program.machine(unit).groupsToWrite(state.accesses[access]);
  for (const group of groups)
    if (directPlace(program, group) === undefined) emitLoad(program, group);
  for (const group of groups) emitTransfer(program, unit, "Set", group);
}

/** Where in memory the values of the group lie, if they lie there as the FMU wants them. */
function directPlace(program: Program, { slots, bank, wire }: Group): Place | undefined {
  const first = slots[0];
  if (bank === "f64" && wire !== "f64") return undefined;
  if (!slots.every((slot, i) => slot === first + i)) return undefined;
  return bank === "f64" ? program.f64(first) : program.i64(first);
}

function emitTransfer(program: Program, unit: number, verb: "Get" | "Set", group: Group): void {
  const { code, memory } = program;
  const machine = program.machine(unit);
  const name = exchangeCall(machine.version, verb, group.family);
  const direct = directPlace(program, group);
  const references = memory.integers(group.ports.map((port) => machine.referenceOf(port)));
  code.constant(rdi, machine.handle).address(rsi, MEMORY, references).small(rdx, group.count);
  if (direct === undefined) code.constant(rcx, group.values);
  else code.address(rcx, ...direct);
  if (machine.version.countsValues) code.constant(r8, group.elements);
  program.call(unit, name, (status) => machine.settle(name, status));
}

/** The group's buffer → signals. */
function emitUnload(program: Program, { wire, bank, values, slots }: Group): void {
  const { code } = program;
  code.constant(rcx, values);
  for (const [i, slot] of slots.entries()) {
    if (bank === "i64") {
      code.load(rax, rcx, 8 * i).store(...program.i64(slot), rax);
      continue;
    }
    if (wire === "f64") code.loadDouble(0, rcx, 8 * i);
    else if (wire === "f32") code.loadFloat(0, rcx, 4 * i);
    else code.loadInteger(wire, rax, rcx, bytesOf(wire) * i).fromInteger(0, rax);
    code.storeDouble(...program.f64(slot), 0);
  }
}

/** Signals → the group's buffer. */
function emitLoad(program: Program, { wire, bank, values, slots }: Group): void {
  const { code } = program;
  const isInteger = bank === "f64" && wire !== "f64" && wire !== "f32";
  const instead = isInteger ? program.instead() : program.end;
  code.constant(rcx, values);
  if (isInteger) code.constant(rdx, 2 ** 63);
  for (const [i, slot] of slots.entries()) {
    if (bank === "i64") {
      code.load(rax, ...program.i64(slot)).store(rcx, 8 * i, rax);
      continue;
    }
    code.loadDouble(0, ...program.f64(slot));
    if (wire === "f64") code.storeDouble(rcx, 8 * i, 0);
    else if (wire === "f32") code.storeFloat(rcx, 4 * i, 0);
    else {
      code.toInteger(rax, 0).compare(rax, rdx).jumpIf(If.equal, instead);
      if (wire === "i64") emitRequireWhole(program, instead);
      code.storeInteger(wire, rcx, bytesOf(wire) * i, rax);
    }
  }
}

/** xmm0 must be the integer in rax. */
function emitRequireWhole({ code }: Program, instead: Label): void {
  code.fromInteger(1, rax).compareDoubles(0, 1).jumpIf(If.notEqual, instead);
}

export function emitSlopes(program: Program, group: number): void {
  const { code, memory, state } = program;
  const { unit, ports, orders, slots } = state.plan.slopes[group];
  const machine = program.machine(unit);
  if (machine.follower !== undefined) {
    emitFollowedSlopes(program, machine.follower, state.plan.slopes[group]);
    return;
  }
  const values = memory.reserve(8 * slots.length);
  for (const [i, slot] of slots.entries())
    code.load(rax, ...program.f64(slot)).store(MEMORY, values + 8 * i, rax);
  const references = memory.integers(ports.map((port) => machine.referenceOf(port)));
  code.constant(rdi, machine.handle).address(rsi, MEMORY, references).small(rdx, ports.length);
  code.address(rcx, MEMORY, memory.integers(orders)).address(r8, MEMORY, values);
  const name = machine.version.names.inputDerivatives!;
  program.call(unit, name, (status) => machine.settle(name, status));
}

/**
 * A step, or the part `part` of `parts`. @param judge of how it ended; default: as a straight plan
 * does.
 */
export function emitAdvance(
  program: Program,
  unit: number,
  part: number,
  parts: number,
  judge: StepJudge = judgeOf(program, unit, part, parts),
): void {
  const { code, memory } = program;
  const machine = program.machine(unit);
  const { from, size } = program.spanOf(unit, part, parts);
  if (machine.follower !== undefined) emitFollow(program, unit, machine.follower, from);
  code.loadDouble(0, MEMORY, from).loadDouble(1, MEMORY, size);
  if (machine.constantStep() !== undefined) emitConstantStep(program, unit);
  code.constant(rdi, machine.handle).load32(rsi, MEMORY, memory.noRollback(unit));
  const { stepHandsOutFlags, names } = machine.version;
  if (stepHandsOutFlags) emitResultArguments(program, machine);
  const leave = program.call(unit, names.step, judge.settle);
  if (stepHandsOutFlags) {
    // Terminate, early return, event needed: byte by byte, as the FMU wrote them; one wide load
    // would wait for all three.
    code.constant(rdx, machine.results);
    for (const flag of machine.endsStepOnEvent ? [1, 2, 0] : [1, 2])
      code.testByte(rdx, flag).jumpIf(If.notEqual, leave);
  }
  if (machine.follower !== undefined)
    emitMoveOn(program, unit, machine.follower, size, judge.endAt);
}

/** What follows from a step that code took. */
export interface StepJudge {
  readonly settle: Settle;
  /** Where it ended, if it came to its end. */
  readonly endAt: (tick: number) => number;
}

function judgeOf(program: Program, unit: number, part: number, parts: number): StepJudge {
  const step = { unit, part, parts };
  return {
    settle: (status, tick) => settleStep(program, { ...step, tick }, status),
    endAt: (tick) => timesOf(program.state.plan, { ...step, tick }).to,
  };
}

/**
 * xmm1, the step's size, becomes the size of the first step where they differ by rounding alone.
 */
function emitConstantStep(program: Program, unit: number): void {
  const { code, memory } = program;
  const other = code.label();
  code.loadDouble(2, MEMORY, memory.constantStep(unit));
  // Before the first step: it is the unit that keeps its size.
  code.compareDoubles(2, 2).jumpIf(If.unordered, program.instead());
  code.copyDouble(3, 1).subtract(3, 2).copyDouble(4, 2).subtract(4, 1).maximum(3, 4);
  code.loadDouble(4, MEMORY, memory.literal(ROUNDING)).multiply(4, 1);
  code.compareDoubles(4, 3).jumpIf(If.below, other).copyDouble(1, 2).here(other);
}

/** Flags and a time are handed out, all cleared before: not every FMU writes them. */
function emitResultArguments({ code, memory }: Program, { results }: MachineAccess): void {
  code.constant(rdx, results).put32(rdx, 0, 0);
  code.load(rax, MEMORY, memory.literal(Number.NaN)).store(rdx, 8, rax);
  code.address(rcx, rdx, 1).address(r8, rdx, 2).address(r9, rdx, 8);
}

function settleStep(program: Program, step: Step, status: number): void {
  const { state } = program;
  const { from, to } = timesOf(state.plan, step);
  const stop = program.machine(step.unit).settleStep(from, to, status);
  if (stop.reason !== "time")
    throw new EarlyStop(state.plan.units[step.unit].name, stop.reason, stop.time, to);
}
