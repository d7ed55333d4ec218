/**
 * A plan as machine code for several threads: each has the advancing ops of its units, the first
 * also everything else.
 *
 *   first thread:  time, remainders | go → own units … ← done | signals resolved, row       every tick
 *   the others:                       go → own units → done
 *
 * A thread that comes upon something rare stops for this tick; the first one sees it when all have
 * met, and leaves the code. TypeScript then goes through the ops that were left, in the plan's
 * order: what fails is what would have failed first.
 */
import { Interpreter } from "../../../engine/interpreter.ts";
import type { PlanState } from "../../../engine/signals.ts";
import { OP_WIDTH, Op } from "../../../plan/plan.ts";
import { CALLBACK, CROWDED, TAIL } from "../log-ring.ts";
import type { MachineAccess } from "../machine-access.ts";
import { If, Reg } from "../machine-code/assembler.ts";
import { compilePlanToCode, emitOps, SAVED } from "../machine-code/compile-plan.ts";
import { type PlanBlock, PlanMemory } from "../machine-code/plan-memory.ts";
import { type Exit, LAST, MEMORY, Program, type Settle } from "../machine-code/program.ts";
import type { Address } from "../native-memory.ts";
import { emitSet, emitWait, emitWake, makeSignal, type Signal } from "./meeting-code.ts";
import { type PartOfStep, partOf, type SplitStep } from "./split-step.ts";

const { rax, rcx, rdi } = Reg;

export interface ThreadedCode {
  /** What the first thread enters. */
  readonly first: Program;
  readonly others: readonly ThreadCode[];
}

/** One of the other threads. */
export interface ThreadCode {
  readonly program: Program;
  /** Says that there is something to do. */
  readonly go: Signal;
  /** A word: not 0 when there never will be again. */
  readonly quit: number;
}

/** What one thread does in a tick, and where it says that it stopped. */
interface Part {
  readonly units: readonly number[];
  readonly program: Program;
  readonly step: PartOfStep;
  /** A word: 0, or the number of the exit that was taken. */
  readonly exit: number;
}

export function compileThreads(
  state: PlanState,
  machines: readonly MachineAccess[],
  callMarkers: ReadonlyMap<Int32Array, Address>,
  split: SplitStep,
  groups: readonly (readonly number[])[],
): ThreadedCode {
  const memory = new PlanMemory(state.plan);
  const steps = groups.map((units, g) => partOf(state.plan, split, new Set(units), g === 0));
  const others = steps.slice(1).map((step, i) => {
    const program = new Program(state, machines, callMarkers, { memory });
    const part: Part = { units: groups[i + 1], program, step, exit: memory.reserve(8) };
    const signals = { go: makeSignal(memory), done: makeSignal(memory) };
    const quit = memory.reserve(8);
    emitThread(part, signals, quit);
    return { part, ...signals, quit };
  });
  const rings = groups.slice(1).flatMap((units) => units.map((u) => machines[u].logRing!));
  const first = compilePlanToCode(state, machines, callMarkers, memory, (program) => {
    const own: Part = {
      units: groups[0],
      program: new Program(state, machines, callMarkers, { memory, code: program.code }),
      step: steps[0],
      exit: memory.reserve(8),
    };
    emitTogether(program, own, others);
    emitReadLogs(program, rings);
    emitLeave(program, [own, ...others.map(({ part }) => part)], split);
    const rest = state.plan.segments.step.subarray(split.advancing * OP_WIDTH);
    const numbers = Array.from({ length: rest.length / OP_WIDTH }, (_, i) => split.advancing + i);
    emitOps(program, rest, numbers);
  });
  return {
    first,
    others: others.map(({ part, go, quit }) => ({ program: part.program, go, quit })),
  };
}

/** A thread's whole life: a function of the memory's address. */
function emitThread(part: Part, { go, done }: { go: Signal; done: Signal }, quit: number): void {
  const { program, step, exit } = part;
  const { code } = program;
  const top = code.label();
  const out = code.label();
  code.save(SAVED);
  // What `go` was last is kept where the first thread has its last tick.
  code.move(MEMORY, rdi).small(rax, 0).move(LAST, rax);
  code.setState(MEMORY, program.floatHome).here(top);
  emitWait(program, go, LAST);
  code.move(LAST, rax).testMemory(MEMORY, quit).jumpIf(If.notEqual, out);
  emitOps(program, step.ops, step.numbers);
  code.small(rax, 0).here(program.end).store32(MEMORY, exit, rax);
  emitSet(program, done, LAST);
  emitWake(program, [done]);
  code.jump(top);
  code.here(out);
  code.restore(SAVED).small(rax, 0).ret();
  program.writeBehind();
}

/** All threads start, the first does its own part, all meet. */
function emitTogether(
  program: Program,
  own: Part,
  others: readonly { readonly go: Signal; readonly done: Signal }[],
): void {
  const { code, memory } = program;
  // `done` of a thread has the value of its `go` once it is through; the value before is the one to
  // wait out.
  const before = memory.reserve(8);
  code.load32(rax, MEMORY, before).increment(rax);
  for (const { go } of others) emitSet(program, go, rax);
  emitWake(
    program,
    others.map(({ go }) => go),
  );
  emitOps(own.program, own.step.ops, own.step.numbers);
  code.small(rax, 0).here(own.program.end).store32(MEMORY, own.exit, rax);
  program.behind(() => own.program.writeBehind());
  code.load32(Reg.rbp, MEMORY, before);
  for (const { done } of others) emitWait(program, done, Reg.rbp);
  code.increment(Reg.rbp).store32(MEMORY, before, Reg.rbp);
}

/**
 * Threads cannot have their logs read while they run; the first one does it for them before
 * anything is lost.
 */
function emitReadLogs(program: Program, rings: readonly Address[]): void {
  const { code } = program;
  for (const ring of rings) {
    const crowded = code.label();
    const back = code.label();
    code.constant(rcx, ring).load32(rax, rcx, 0).load32(Reg.rdx, rcx, TAIL);
    code
      .subtract32(rax, Reg.rdx)
      .compare32(rax, CROWDED)
      .jumpIf(If.aboveOrEqual, crowded)
      .here(back);
    program.behind(() => code.here(crowded).callMemory(rcx, CALLBACK).jump(back));
  }
}

/** Out of the code when one of the parts stopped. */
function emitLeave(program: Program, parts: readonly Part[], { advancing }: SplitStep): void {
  const { code } = program;
  const stopped = code.label();
  for (const { exit } of parts) code.testMemory(MEMORY, exit).jumpIf(If.notEqual, stopped);
  const partOfUnit = new Map(parts.flatMap((part) => part.units.map((unit) => [unit, part])));
  const number = program.exits.push({
    op: advancing,
    opOf: (unit, block) => exitOf(partOfUnit.get(unit)!, block)?.op ?? advancing,
    resumeAt: advancing,
    settle: settleParts(program, parts),
  });
  program.behind(() => code.here(stopped).small(rax, number).jump(program.end));
}

/** Where a part stopped; undefined when it did all that it had to. */
function exitOf({ program, exit }: Part, block: PlanBlock): Exit | undefined {
  return program.exits[block.readInt(exit) - 1];
}

/** Does what the parts left undone, in the plan's order. */
function settleParts({ state }: Program, parts: readonly Part[]): Settle {
  const interpreter = new Interpreter(state);
  return (_, tick, block) => {
    const left = parts.flatMap((part) => {
      const exit = exitOf(part, block);
      if (exit === undefined) return [];
      const { settle } = exit;
      const status = block.readInt(part.program.status);
      return [new Leftover(part.step, exit, settle && (() => settle(status, tick, block)))];
    });
    for (;;) {
      const next = left.reduce((least, one) => (one.at < least.at ? one : least));
      if (next.at === Number.POSITIVE_INFINITY) return;
      next.proceed(interpreter, tick);
    }
  };
}

/** The ops of a part from where it stopped. */
class Leftover {
  /** Number of the op that comes next; infinite at the end. */
  at: number;
  private readonly step: PartOfStep;
  private judge: (() => void) | undefined;
  private next: number;

  constructor(step: PartOfStep, { op, resumeAt }: Exit, judge: (() => void) | undefined) {
    const next = step.numbers.findIndex((number) => number >= resumeAt);
    this.step = step;
    this.judge = judge;
    this.next = next < 0 ? step.numbers.length : next;
    this.at = judge ? op : this.number();
  }

  proceed(interpreter: Interpreter, tick: number): void {
    if (this.judge) {
      this.judge();
      this.judge = undefined;
    } else {
      const begin = this.next * OP_WIDTH;
      const op = this.step.ops.subarray(begin, begin + OP_WIDTH);
      this.next++;
      if (op[0] !== Op.Every) interpreter.run(op, tick);
      else if (tick % op[1] !== 0) this.next += op[2];
    }
    this.at = this.number();
  }

  private number(): number {
    return this.step.numbers[this.next] ?? Number.POSITIVE_INFINITY;
  }
}
