/**
 * What every part of the emitter shares: the code so far, the memory it works on, and the ways out of it.
 *
 * Code is left in three ways: all ticks done; a call returned a status that is not for us to judge (*settle*: the unit
 * does, then the interpreter finishes the tick); something rare that is not worth code (*instead*: the interpreter does
 * the op itself and finishes the tick). Ways out are written behind the loop, so that the usual path has no jumps taken.
 */
import type { PlanState } from "../../../engine/signals.ts";
import { callId } from "../call-names.ts";
import { floatGuard } from "../float-guard.ts";
import { emitCompareState, emitPutBack, FOUND_CONTROL } from "../float-state-code.ts";
import type { MachineAccess } from "../machine-access.ts";
import type { Address } from "../native-memory.ts";
import { Reg } from "../x64.ts";
import { Assembler, If, type Label } from "./assembler.ts";
import { type PlanBlock, PlanMemory } from "./plan-memory.ts";

/** Why the code was left: what to do with the status, and the op at which the interpreter goes on. */
export interface Exit {
  /** The op that was not done, or whose call is to be judged. */
  readonly op: number;
  /** Where units stopped at different ops: that of each. */
  readonly opOf?: (unit: number, block: PlanBlock) => number;
  readonly resumeAt: number;
  readonly settle: Settle | undefined;
}

/** Judges the status of a call at a tick. Throws what ends the run. */
export type Settle = (status: number, tick: number, block: PlanBlock) => void;

/** Registers that keep their value over calls. */
export const TICK: number = Reg.rbx;
export const ROW: number = Reg.r12;
export const MEMORY: number = Reg.r13;
export const LAST: number = Reg.r14;

/** Before an instruction that changes memory: several threads may do so at once. */
const LOCK = 0xf0;

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
  private readonly atEnd: (() => void)[] = [];

  constructor(
    state: PlanState,
    machines: readonly (MachineAccess | undefined)[],
    callMarkers: ReadonlyMap<Int32Array, Address>,
    shared: { readonly memory?: PlanMemory; readonly code?: Assembler } = {},
  ) {
    this.state = state;
    this.machines = machines;
    this.code = shared.code ?? new Assembler();
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
   * @returns where to jump when the call was fine by its status and the unit has to judge it all the same.
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
      // Unsigned: a negative number is no status, and not a warning.
      code.here(notOk).compare32(Reg.rax, 1).jumpIf(If.above, leave);
      code.raw(LOCK).incrementMemory(MEMORY, memory.warnings).jump(goOn);
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
    const { mode, control } = floatGuard().home;
    return this.memory.integers([mode, control]);
  }

  /**
   * After a call of an FMU that might have changed it: the floating-point state is ours again. Keeps rax.
   *
   * Writing MXCSR takes about a nanosecond, reading it several. So it is written after every call, and read in ticks that are
   * watched and where the x87 control word, which takes less time to read, has changed: rounding modes are set in both.
   */
  private keepFloatState(unit: number, name: string): void {
    if (this.machine(unit).isSteady()) return;
    const { code, memory, floatHome } = this;
    const { home } = floatGuard();
    const look = code.label();
    const back = code.label();
    code.storeControl(Reg.rsp, FOUND_CONTROL).load16(Reg.rcx, Reg.rsp, FOUND_CONTROL);
    code.compare32(Reg.rcx, home.control).jumpIf(If.notEqual, look);
    code.testMemory(MEMORY, memory.watch).jumpIf(If.notEqual, look);
    code.loadMode(MEMORY, floatHome).here(back);
    this.behind(() => {
      const at = memory.floatChange(unit);
      emitCompareState(code.here(look), home);
      code.jumpIf(If.equal, back).put32(MEMORY, at, callId(name));
      emitPutBack(code, MEMORY, at + 4, floatHome);
      code.jump(back);
    });
  }

  /** The call marker of a unit = `id`. */
  private mark({ lastCall }: MachineAccess, id: number): void {
    const at = lastCall && this.callMarkers.get(lastCall);
    if (at !== undefined) this.code.constant(Reg.rax, at).put32(Reg.rax, 0, id);
  }
}
