/**
 * What every part of the emitter shares: the code so far, the memory it works on, and the ways out
 * of it.
 *
 * Code is left in three ways: all ticks done; a call returned a status that is not for us to judge
 * (*settle*: the unit does, then the interpreter finishes the tick); something rare that is not
 * worth code (*instead*: the interpreter does the op itself and finishes the tick). Ways out are
 * written behind the loop, so that the usual path has no jumps taken.
 */
import koffi from "koffi";
import type { PlanState } from "../../../engine/signals.ts";
import { callId } from "../call-names.ts";
import { floatGuard } from "../float-guard.ts";
import type { FloatState } from "../float-state.ts";
import type { MachineAccess } from "../machine-access.ts";
import type { Address } from "../native-memory.ts";
import { type Assembler, If, type Label, Reg } from "./assembler.ts";
import { hostAssembler } from "./host-assembler.ts";
import { type PlanBlock, PlanMemory, type Span } from "./plan-memory.ts";

/**
 * Why the code was left: what to do with the status, and the op at which the interpreter goes on.
 */
export interface Exit {
  /** The op that was not done, or whose call is to be judged. */
  readonly op: number;
  /** Where units stopped at different ops: that of each. */
  readonly opOf?: (unit: number, block: PlanBlock) => number;
  readonly resumeAt: number;
  /** There is nothing left to do. */
  readonly isOver?: boolean;
  readonly settle: Settle | undefined;
}

/** Judges the status of a call at a tick. Throws what ends the run. */
export type Settle = (status: number, tick: number, block: PlanBlock) => void;

/** Registers that keep their value over calls. */
export const TICK: number = Reg.rbx;
export const ROW: number = Reg.r12;
export const MEMORY: number = Reg.r13;
export const LAST: number = Reg.r14;

/** A base register, and how far from where it points. */
export type Place = readonly [base: number, offset: number];

/**
 * Registers that point to the banks of signals, where these lie outside of the memory of the code.
 */
export interface SignalBases {
  readonly f64: number;
  readonly i64: number;
}

/** What code is written for; default: this machine and this process. */
export interface CodeOptions {
  readonly code?: Assembler;
  /** The floating-point state that is put back. */
  readonly home?: FloatState;
  readonly addressOf?: (array: Float64Array | BigInt64Array) => Address;
}

export class Program {
  readonly state: PlanState;
  /** By unit; undefined for units that the code does not call. */
  readonly machines: readonly (MachineAccess | undefined)[];
  readonly code: Assembler;
  readonly memory: PlanMemory;
  /** Where the status of the call that ended this code is put. */
  readonly status: number;
  /** Number of an exit - 1; 0 is the end of the last tick. */
  readonly exits: Exit[] = [];
  /** Where the code cleans up and returns rax. */
  readonly end: Label = { at: -1 };
  readonly callMarkers: ReadonlyMap<Int32Array, Address>;
  /** The op that is being written. */
  op = 0;
  /** The floating-point state that is put back after calls. */
  readonly home: FloatState;
  /** Where an array lies that the code works on. */
  readonly addressOf: (array: Float64Array | BigInt64Array) => Address;
  private readonly bases: SignalBases | undefined;
  private readonly atEnd: (() => void)[] = [];

  constructor(
    state: PlanState,
    machines: readonly (MachineAccess | undefined)[],
    callMarkers: ReadonlyMap<Int32Array, Address>,
    shared: CodeOptions & {
      readonly memory?: PlanMemory;
      readonly bases?: SignalBases;
    } = {},
  ) {
    this.bases = shared.bases;
    this.home = shared.home ?? floatGuard().home;
    this.addressOf = shared.addressOf ?? addressOf;
    this.state = state;
    this.machines = machines;
    this.code = shared.code ?? hostAssembler();
    this.memory = shared.memory ?? new PlanMemory(state.plan);
    this.status = shared.memory ? this.memory.reserve(8) : this.memory.status;
    this.callMarkers = callMarkers;
  }

  /** Of a unit that the code calls. */
  machine(unit: number): MachineAccess {
    const machine = this.machines[unit];
    if (machine === undefined) throw new Error(`internal: code does not call unit ${unit}`);
    return machine;
  }

  /** Where a signal lies. */
  f64(slot: number): Place {
    return this.bases ? [this.bases.f64, 8 * slot] : [MEMORY, this.memory.f64(slot)];
  }

  i64(slot: number): Place {
    return this.bases ? [this.bases.i64, 8 * slot] : [MEMORY, this.memory.i64(slot)];
  }

  /** Where the times of a step of a unit lie, or of a part of it. */
  spanOf(unit: number, part: number, parts: number): Pick<Span, "from" | "size"> {
    return this.memory.span(this.state.plan.units[unit].ticks, part, parts);
  }

  /** Where to jump so that the interpreter does this op. */
  instead(): Label {
    const { code } = this;
    const way = code.label();
    const number = this.exits.push({ op: this.op, resumeAt: this.op, settle: undefined });
    this.behind(() => code.here(way).small(Reg.rax, number).jump(this.end));
    return way;
  }

  /**
   * Calls an FMI function of `unit`, its arguments being in place. OK and warnings go on.
   * @returns where to jump when the call was fine by its status and the unit has to judge it all
   * the same.
   */
  call(unit: number, name: string, settle: Settle): Label {
    const { code, memory } = this;
    const machine = this.machine(unit);
    this.mark(machine, callId(name));
    const notOk = code.label();
    const goOn = code.label();
    const leave = code.label();
    code.callMemory(MEMORY, memory.functionAt(machine.addressOf(name)));
    this.keepFloatState(unit, name);
    code.test32(Reg.rax).jumpIf(If.notEqual, notOk).here(goOn);
    const number = this.exits.push({ op: this.op, resumeAt: this.op + 1, settle });
    this.behind(() => {
      // Unsigned: a negative number is not a status, and not a warning.
      code.here(notOk).compare32(Reg.rax, 1).jumpIf(If.above, leave);
      code.incrementShared(MEMORY, memory.warnings).jump(goOn);
      code.here(leave).store32(MEMORY, this.status, Reg.rax);
      code.small(Reg.rax, number).jump(this.end);
    });
    return leave;
  }

  /** Puts off code that is seldom needed. */
  behind(write: () => void): void {
    this.atEnd.push(write);
  }

  /** Everything that was put off. */
  writeBehind(): void {
    for (const write of this.atEnd) write();
  }

  /** After the last call of an op: a crash from here on is not this unit's. */
  endCalls(unit: number): void {
    this.mark(this.machine(unit), 0);
  }

  /** Where the floating-point state is to be, as `emitSetState` wants it. */
  get floatHome(): number {
    const { mode, control } = this.home;
    return this.memory.integers([mode, control], "home");
  }

  /**
   * After a call of an FMU that might have changed it: the floating-point state is ours again.
   * Keeps rax.
   */
  private keepFloatState(unit: number, name: string): void {
    if (this.machine(unit).isSteady()) return;
    const { code, memory, floatHome, home } = this;
    const look = code.label();
    const back = code.label();
    code.keepState(home, MEMORY, memory.watch, floatHome, look).here(back);
    this.behind(() => {
      const at = memory.floatChange(unit);
      code.here(look).compareState(home).jumpIf(If.equal, back).put32(MEMORY, at, callId(name));
      code.putBackState(MEMORY, at + 4, floatHome).jump(back);
    });
  }

  /** The call marker of a unit = `id`. */
  private mark({ lastCall }: MachineAccess, id: number): void {
    const at = lastCall && this.callMarkers.get(lastCall);
    if (at !== undefined) this.code.constant(Reg.rax, at).put32(Reg.rax, 0, id);
  }
}

/**
 * Where an array lies. Its memory stays there as long as the array lives: asking for its buffer
 * takes it out of the heap.
 */
function addressOf({ buffer, byteOffset, length }: Float64Array | BigInt64Array): Address {
  return length === 0 ? 0 : Number(koffi.address(buffer)) + byteOffset;
}
