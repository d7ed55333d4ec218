/**
 * What every part of the emitter shares: the code so far, the memory it works on, and the ways out of it.
 *
 * Code is left in three ways: all ticks done; a call returned a status that is not for us to judge (*settle*: the unit
 * does, then the interpreter finishes the tick); something rare that is not worth code (*instead*: the interpreter does
 * the op itself and finishes the tick). Ways out are written behind the loop, so that the usual path has no jumps taken.
 */
import type { PlanState } from "../../../engine/signals.ts";
import { callId } from "../call-names.ts";
import type { MachineAccess } from "../machine-access.ts";
import type { Address } from "../native-memory.ts";
import { Reg } from "../x64.ts";
import { Assembler, If, type Label } from "./assembler.ts";
import { PlanMemory } from "./plan-memory.ts";

/** Why the code was left: what to do with the status, and the op at which the interpreter goes on. */
export interface Exit {
  readonly resumeAt: number;
  readonly settle: Settle | undefined;
}

/** Judges a status; `read` tells the double at an offset in memory. Throws what ends the run. */
export type Settle = (status: number, read: (offset: number) => number) => void;

/** Registers that keep their value over calls. */
export const TICK: number = Reg.rbx;
export const ROW: number = Reg.r12;
export const MEMORY: number = Reg.r13;
export const LAST: number = Reg.r14;

export class Program {
  readonly state: PlanState;
  readonly machines: readonly MachineAccess[];
  readonly code: Assembler = new Assembler();
  readonly memory: PlanMemory;
  /** Number of an exit - 1; 0 is the end of the last tick. */
  readonly exits: Exit[] = [];
  /** Where the code cleans up and returns rax. */
  readonly end: Label = { at: -1 };
  readonly crumbs: ReadonlyMap<Int32Array, Address>;
  /** The op that is being written. */
  op = 0;
  readonly #behind: (() => void)[] = [];

  constructor(
    state: PlanState,
    machines: readonly MachineAccess[],
    crumbs: ReadonlyMap<Int32Array, Address>,
  ) {
    this.state = state;
    this.machines = machines;
    this.memory = new PlanMemory(state.plan);
    this.crumbs = crumbs;
  }

  /** Where to jump so that the interpreter does this op. */
  instead(): Label {
    const { code } = this;
    const way = code.label();
    const number = this.exits.push({ resumeAt: this.op, settle: undefined });
    this.#behind.push(() => code.here(way).small(Reg.rax, number).jump(this.end));
    return way;
  }

  /**
   * Calls an FMI function of `unit`, its arguments being in place. OK and warnings go on.
   * @returns where to jump when the call was fine by its status and the unit has to judge it all the same.
   */
  call(unit: number, name: string, settle: Settle): Label {
    const { code, memory } = this;
    const machine = this.machines[unit]!;
    this.#markCall(machine, name);
    const notOk = code.label();
    const goOn = code.label();
    const leave = code.label();
    code
      .callMemory(MEMORY, memory.functionAt(machine.addressOf(name)))
      .test32(Reg.rax)
      .jumpIf(If.notEqual, notOk)
      .here(goOn);
    const number = this.exits.push({ resumeAt: this.op + 1, settle });
    this.#behind.push(() => {
      code.here(notOk).compare32(Reg.rax, 1).jumpIf(If.greater, leave);
      code.incrementMemory(MEMORY, memory.warnings).jump(goOn);
      code.here(leave).store32(MEMORY, memory.status, Reg.rax);
      code.small(Reg.rax, number).jump(this.end);
    });
    return leave;
  }

  /** Everything that was put off. */
  writeBehind(): void {
    for (const write of this.#behind) write();
  }

  #markCall({ breadcrumb }: MachineAccess, name: string): void {
    if (breadcrumb === undefined) return;
    this.code.constant(Reg.rax, this.crumbs.get(breadcrumb)!).put32(Reg.rax, 0, callId(name));
  }
}
