/**
 * Who has the units and the signals: generated code takes them over from TypeScript and gives them
 * back. Code reads its own block of memory, and moves FMUs without their units knowing; both have
 * to agree again before anything else uses them.
 */
import koffi from "koffi";
import type { PlanState } from "../../../engine/signals.ts";
import { timeOf } from "../../../plan/plan.ts";
import { CALL_NAMES } from "../call-names.ts";
import { mapCode } from "../executable.ts";
import { floatGuard } from "../float-guard.ts";
import { takeChange } from "../float-state.ts";
import type { MachineAccess } from "../machine-access.ts";
import type { Address } from "../native-memory.ts";
import { Reg } from "./assembler.ts";
import { hostAssembler } from "./host-assembler.ts";
import { ENTRY, type PlanBlock, type PlanMemory } from "./plan-memory.ts";
import { UnitTimes } from "./step-times.ts";

export class Handover {
  private readonly state: PlanState;
  /** Of units that code drives. */
  private readonly machines: readonly (MachineAccess | undefined)[];
  private readonly memory: PlanMemory;
  private readonly block: PlanBlock;
  private readonly times: UnitTimes;

  constructor(
    state: PlanState,
    machines: readonly (MachineAccess | undefined)[],
    memory: PlanMemory,
    block: PlanBlock,
  ) {
    this.state = state;
    this.machines = machines;
    this.memory = memory;
    this.block = block;
    this.times = new UnitTimes(state.plan);
  }

  /** Code takes it for granted that every unit stands where the plan has it. */
  isReadyFor(tick: number): boolean {
    const { plan } = this.state;
    for (let u = 0; u < this.machines.length; u++) {
      const machine = this.machines[u];
      if (machine === undefined) continue;
      const { ticks } = plan.units[u];
      const last = Math.floor((tick - 1) / ticks) * ticks;
      if (!machine.isReady() || machine.time() !== timeOf(plan, last)) return false;
    }
    return true;
  }

  /** What code has to know of the units → memory. */
  loadUnits(): void {
    for (let u = 0; u < this.machines.length; u++) {
      const machine = this.machines[u];
      if (machine === undefined) continue;
      this.block.writeDouble(this.memory.constantStep(u), machine.constantStep() ?? 0);
      this.block.writeInt(this.memory.noRollback(u), machine.noRollback());
    }
  }

  loadSignals(): void {
    const { banks } = this.state;
    this.block.signals.f64.set(banks.f64);
    this.block.signals.i64.set(banks.i64);
  }

  storeSignals(): void {
    const { banks } = this.state;
    banks.f64.set(this.block.signals.f64);
    banks.i64.set(this.block.signals.i64);
  }

  /**
   * Units learn where they are, and what their FMUs said is read.
   * @param op of `tick` before which everything was done, or that of each unit.
   */
  settleUnits(tick: number, op: number, opOf?: (unit: number, block: PlanBlock) => number): void {
    this.requireOwnState();
    for (let u = 0; u < this.machines.length; u++)
      this.settleUnit(u, tick, opOf?.(u, this.block) ?? op);
  }

  /**
   * Calls of steady units are not checked one by one.
   * @throws when one of them changed the floating-point state after all: what was computed since
   * may be wrong.
   */
  private requireOwnState(): void {
    const guard = floatGuard();
    guard.check();
    if (takeChange(guard) === undefined) return;
    const { units } = this.state.plan;
    const names = units
      .map(({ name }) => `'${name}'`)
      .filter((_, u) => this.machines[u]?.isSteady());
    throw new Error(
      `internal: the floating-point state was changed by code without an instruction for it, in ${names.join(" or ")}`,
    );
  }

  settleUnit(unit: number, tick: number, op: number): void {
    const machine = this.machines[unit];
    if (machine === undefined) return;
    const time = this.times.at(unit, tick, op);
    if (time !== machine.time()) machine.moveTo(time);
    machine.settle("", OK);
    const at = this.memory.floatChange(unit);
    const call = this.block.readInt(at);
    if (call === 0) return;
    this.block.writeInt(at, 0);
    const found = { mode: this.block.readInt(at + 4), control: this.block.readInt(at + 8) };
    machine.floatStateLeft(CALL_NAMES[call], found);
  }
}

const OK = 0;

let prototype: ReturnType<typeof koffi.proto> | undefined;

/**
 * Generated code as a function of the memory it works on. It returns the number of the exit taken,
 * or 0.
 */
export type Enter = (memory: Address) => number;

/**
 * Enters the code whose address lies in its memory (`PlanMemory.entry`): one function for all code,
 * which the JavaScript engine calls faster than a function for each.
 */
export let enterBlock: Enter = (memory) => {
  const mapping = mapCode(hostAssembler().jumpToMemory(Reg.rdi, ENTRY).code);
  if (mapping === undefined) throw new Error("internal: executable memory is refused");
  enterBlock = functionAt(mapping.address);
  return enterBlock(memory);
};

export function functionAt(address: Address): Enter {
  prototype ??= koffi.proto("int", ["int64_t"]);
  return koffi.decode(BigInt(address), prototype) as Enter;
}
