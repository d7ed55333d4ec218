/**
 * Programs of masters that decide at run time (engine/masters/step-program.ts) as code: one
 * function per program. Signals and everything else that formulas touch stay where TypeScript has
 * them.
 *
 * A function returns 0 when it came to its end, or the number of an exit: the unit then judges the
 * call that was made last, and the master does what remains.
 */
import type { IterationTest, KeptValues, StepItem } from "../../../engine/masters/step-program.ts";
import type { PlanState } from "../../../engine/signals.ts";
import { Op } from "../../../plan/plan.ts";
import type { MachineAccess } from "../machine-access.ts";
import type { Address } from "../native-memory.ts";
import { If, type Label, Reg } from "./assembler.ts";
import { emitOp, SAVED } from "./compile-plan.ts";
import { emitAdvance } from "./emit-calls.ts";
import { emitSet } from "./emit-formulas.ts";
import { PlanMemory } from "./plan-memory.ts";
import { type CodeOptions, MEMORY, Program } from "./program.ts";

const { rax, rbx, rdi, rsi, r12 } = Reg;
/** In place of the number of an exit: the floating-point state is not ours. */
const CHANGED = 0x7fffffff;

/** Writes a whole program. @returns the calls that TypeScript prepares and judges. */
export function emitItems(
  program: StepProgram,
  items: readonly StepItem[],
  judge: {
    settleStep(machine: MachineAccess, part: number, parts: number, status: number): void;
    endOf(part: number, parts: number): number;
  },
): {
  readonly stepped: readonly SteppedPart[];
  readonly restored: readonly RestoredUnit[];
  /** Units whose values are read or written. */
  readonly exchanged: readonly MachineAccess[];
} {
  const stepped: SteppedPart[] = [];
  const restored: RestoredUnit[] = [];
  const exchanged = new Set<MachineAccess>();
  program.begin();
  for (const [i, item] of items.entries()) {
    program.op = i;
    switch (item.kind) {
      case "op": {
        const [opcode, a, b, c] = item.op;
        emitOp(program, opcode, a, b, c);
        if (opcode === Op.Read || opcode === Op.Write)
          exchanged.add(program.machine(program.state.plan.accesses[a].unit));
        break;
      }
      case "set":
        emitSet(program, item.to, item.formula);
        break;
      case "restore": {
        const machine = program.machine(item.unit);
        const state = program.emitRestore(item.unit);
        // Where it goes back more than once, it is to the same state.
        if (!restored.some(({ unit }) => unit === item.unit))
          restored.push({ unit: item.unit, machine, state });
        break;
      }
      case "test":
        program.emitTest(item);
        break;
      case "keep":
        program.emitKeep(item);
        break;
      default: {
        const { unit, part, parts } = item;
        const machine = program.machine(unit);
        stepped.push({ item: i, unit, machine, part, parts });
        emitAdvance(program, unit, part, parts, {
          settle: (status) => judge.settleStep(machine, part, parts, status),
          endAt: () => judge.endOf(part, parts),
        });
        program.endCalls(unit);
      }
    }
  }
  program.finish();
  return { stepped, restored, exchanged: [...exchanged] };
}

/** A program over signals that lie where TypeScript has them, and over steps of any size. */
export class StepProgram extends Program {
  readonly spans: Map<string, PartSpan> = new Map();
  /** By unit: where the state lies that it goes back to. */
  private readonly statesAt = new Map<number, number>();
  /** Behind the last item, or a test that ended the program. */
  private readonly last: Label = { at: -1 };
  /** Units whose calls are checked one by one. */
  readonly unsteady: readonly number[];

  constructor(
    state: PlanState,
    machines: readonly (MachineAccess | undefined)[],
    callMarkers: ReadonlyMap<Int32Array, Address>,
    shared: CodeOptions = {},
  ) {
    super(state, machines, callMarkers, {
      ...shared,
      memory: new PlanMemory(state.plan, false),
      bases: { f64: rbx, i64: r12 },
    });
    this.unsteady = [...machines.keys()].filter((u) => machines[u]?.isSteady() === false);
  }

  begin(): void {
    const { code, state } = this;
    const { f64, i64 } = state.banks;
    code.save(SAVED).move(MEMORY, rdi);
    code.constant(rbx, this.addressOf(f64)).constant(r12, this.addressOf(i64));
  }

  /**
   * What comes behind the last item: FMUs that were not checked one by one are now, all together.
   */
  finish(): void {
    const { code, callMarkers, end } = this;
    const changed = code.label();
    code.small(rax, 0).here(this.last);
    code.compareState(this.home).jumpIf(If.notEqual, changed).here(end);
    for (const marker of new Set(callMarkers.values()))
      code.constant(Reg.rcx, marker).put32(Reg.rcx, 0, 0);
    code.restore(SAVED).ret();
    code.here(changed).small(rax, CHANGED).jump(end);
    this.writeBehind();
  }

  override spanOf(_unit: number, part: number, parts: number): PartSpan {
    const key = `${part} ${parts}`;
    let span = this.spans.get(key);
    if (span === undefined) {
      const { memory } = this;
      span = { part, parts, from: memory.reserve(8), size: memory.reserve(8) };
      this.spans.set(key, span);
    }
    return span;
  }

  /** Word by word. */
  emitKeep({ bank, slot, size, into, at }: KeptValues): void {
    const { code } = this;
    code.constant(Reg.rcx, this.addressOf(into));
    for (let i = 0; i < size; i++) {
      const [base, offset] = bank === "i64" ? this.i64(slot + i) : this.f64(slot + i);
      code.load(rax, base, offset).store(Reg.rcx, 8 * (at + i), rax);
    }
  }

  /** Largest residual; program over, or another iteration. */
  emitTest({ residuals, tolerance, norms, test }: IterationTest): void {
    const { code, memory } = this;
    const [most, one] = [0, 1];
    const over = code.label();
    code.zero(most).constant(rax, this.addressOf(residuals));
    for (let i = 0; i < residuals.length; i++) {
      const next = code.label();
      code.loadDouble(one, rax, 8 * i).absolute(one, MEMORY, memory.signMask);
      code.compareDoubles(most, one).jumpIf(If.aboveOrEqual, next).copyDouble(most, one).here(next);
    }
    code.constant(rax, this.addressOf(norms)).storeDouble(rax, 8 * test, most);
    code.loadDouble(one, MEMORY, memory.literal(tolerance));
    code.compareDoubles(one, most).jumpIf(If.aboveOrEqual, over);
    if (test > 0) code.loadDouble(one, rax, 8 * (test - 1));
    else code.loadDouble(one, MEMORY, memory.literal(Number.MAX_VALUE));
    code.compareDoubles(one, most).jumpIf(If.below, over);
    const number = this.exits.push({
      op: this.op + 1,
      resumeAt: this.op + 1,
      settle: undefined,
      isOver: true,
    });
    this.behind(() => code.here(over).small(rax, number).jump(this.last));
  }

  /** @returns where the state is to be put that the unit goes back to. */
  emitRestore(unit: number): number {
    const { code, memory } = this;
    const machine = this.machine(unit);
    const at = this.statesAt.get(unit) ?? memory.reserve(8);
    this.statesAt.set(unit, at);
    code.constant(rdi, machine.handle).load(rsi, MEMORY, at);
    this.call(unit, stateNamesOf(machine).set, (status) => machine.settleRestore(status));
    this.endCalls(unit);
    return at;
  }

  /** Saves the state of a unit, or frees it. @returns where it is. */
  emitStateCall(unit: number, name: "get" | "free"): number {
    const { code, memory } = this;
    const machine = this.machine(unit);
    const call = stateNamesOf(machine)[name];
    const at = memory.reserve(8);
    code.constant(rdi, machine.handle).address(rsi, MEMORY, at);
    this.call(unit, call, (status) => machine.settle(call, status));
    this.endCalls(unit);
    return at;
  }
}

function stateNamesOf({ version }: MachineAccess): { get: string; set: string; free: string } {
  const { state } = version.names;
  if (state === undefined) throw new Error("internal: an FMI version without saved states");
  return state;
}

export interface PartSpan {
  readonly part: number;
  readonly parts: number;
  readonly from: number;
  readonly size: number;
}

export interface SteppedPart {
  readonly item: number;
  readonly unit: number;
  readonly machine: MachineAccess;
  readonly part: number;
  readonly parts: number;
}

export interface RestoredUnit {
  readonly unit: number;
  readonly machine: MachineAccess;
  readonly state: number;
}
