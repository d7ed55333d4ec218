/**
 * Programs of masters that decide at run time as machine code (step-program-code.ts), entered once
 * for many FMI calls; and what comes before and after: arguments to where the code finds them, the
 * judgement of the units.
 */

import type {
  MasterCode,
  SavingCode,
  Snapshots,
  StepCode,
  StepItem,
} from "../../../engine/masters/step-program.ts";
import type { PlanState } from "../../../engine/signals.ts";
import type { Stop } from "../../../unit/predicate.ts";
import type { Snapshot } from "../../../unit/unit.ts";
import { CALL_NAMES } from "../call-names.ts";
import { type Mapping, mapCode } from "../executable.ts";
import { floatGuard } from "../float-guard.ts";
import { takeChange } from "../float-state.ts";
import type { MachineAccess } from "../machine-access.ts";
import { type Address, Arena } from "../native-memory.ts";
import { enterBlock } from "./handover.ts";
import type { PlanBlock } from "./plan-memory.ts";
import type { Exit } from "./program.ts";
import { type Refusal, refusalOfOp } from "./refusal.ts";
import {
  emitItems,
  type PartSpan,
  type RestoredUnit,
  StepProgram,
  type SteppedPart,
} from "./step-program-code.ts";

const OK = 0;

export class NativeMasterCode implements MasterCode {
  private readonly state: PlanState;
  private readonly found: readonly (MachineAccess | string)[];
  private readonly machines: readonly (MachineAccess | undefined)[];
  private readonly callMarkers: ReadonlyMap<Int32Array, Address>;
  private readonly arena = new Arena();
  private readonly mappings: Mapping[] = [];
  private programs = 0;

  constructor(
    state: PlanState,
    found: readonly (MachineAccess | string)[],
    callMarkers: ReadonlyMap<Int32Array, Address>,
  ) {
    this.state = state;
    this.found = found;
    this.machines = found.map((machine) => (typeof machine === "string" ? undefined : machine));
    this.callMarkers = callMarkers;
  }

  /** Units that code does not drive, and why. */
  get undriven(): readonly Refusal[] {
    const { units } = this.state.plan;
    return this.found.flatMap((why, u) =>
      typeof why === "string" ? [{ unit: units[u].name, why }] : [],
    );
  }

  /** Whether a program became code. */
  get isUsed(): boolean {
    return this.programs > 0;
  }

  drives(unit: number): boolean {
    return this.machines[unit] !== undefined;
  }

  canRun(op: Int32Array): boolean {
    return refusalOfOp(this.state, this.found, op[0], op[1]) === undefined;
  }

  compile(items: readonly StepItem[]): StepCode | undefined {
    const program = new StepProgram(this.state, this.machines, this.callMarkers);
    const code = new NativeStepCode(items, program);
    const calls = emitItems(program, items, code);
    const block = this.load(program);
    if (block === undefined) return undefined;
    this.programs++;
    return code.open(block, calls);
  }

  compileSaving(units: readonly number[]): SavingCode | undefined {
    const machines = units.map((unit) => this.machines[unit]);
    if (
      units.length === 0 ||
      machines.some((machine) => machine?.version.names.state === undefined)
    )
      return undefined;
    const sides = (["get", "set", "free"] as const).map((name) => {
      const program = new StepProgram(this.state, this.machines, this.callMarkers);
      program.begin();
      const states = units.map((unit, i) => {
        program.op = i;
        return name === "set" ? program.emitRestore(unit) : program.emitStateCall(unit, name);
      });
      program.finish();
      const block = this.load(program);
      return block && { block, states, program };
    });
    const [get, set, free] = sides;
    if (get === undefined || set === undefined || free === undefined) return undefined;
    return new NativeSaving(units, machines as MachineAccess[], { get, set, free });
  }

  dispose(): void {
    for (const mapping of this.mappings) mapping.unmap();
    this.mappings.length = 0;
    this.arena.free();
  }

  /** Maps the code. @returns its memory. */
  private load(program: StepProgram): PlanBlock | undefined {
    const block = program.memory.make(this.arena);
    const mapping = mapCode(program.code.code);
    if (mapping === undefined) return undefined;
    this.mappings.push(mapping);
    block.writeAddress(program.memory.entry, mapping.address);
    // Every call is looked at: what it leaves behind is said in its name.
    block.writeInt(program.memory.watch, 1);
    return block;
  }
}

class NativeStepCode implements StepCode {
  stop: Stop | undefined;
  isOver = false;
  done = 0;
  private readonly items: number;
  private readonly program: StepProgram;
  private stepped: readonly SteppedPart[] = [];
  private restored: readonly RestoredUnit[] = [];
  private spans: readonly PartSpan[] = [];
  /** The first step of each unit. */
  private drivers: readonly SteppedPart[] = [];
  /** Units whose values are exchanged, and which take no step here. */
  private bystanders: readonly MachineAccess[] = [];
  private block: PlanBlock | undefined;
  private from = 0;
  private to = 0;

  constructor(items: readonly StepItem[], program: StepProgram) {
    this.items = items.length;
    this.program = program;
  }

  open(block: PlanBlock, { stepped, restored, exchanged }: ReturnType<typeof emitItems>): this {
    this.block = block;
    this.stepped = stepped;
    this.restored = restored;
    this.spans = [...this.program.spans.values()];
    const first = new Map(stepped.toReversed().map((step) => [step.unit, step]));
    this.drivers = [...first.values()];
    const driven = new Set(this.drivers.map(({ machine }) => machine));
    this.bystanders = exchanged.filter((machine) => !driven.has(machine));
    return this;
  }

  run(from: number, to: number, back: Snapshots): number {
    const { block, program, stepped, drivers } = this;
    this.stop = undefined;
    this.isOver = false;
    this.done = 0;
    if (block === undefined || !this.prepare(block, from, to, back)) return 0;
    this.from = from;
    this.to = to;
    const number = enterBlock(block.address);
    const exit = number === 0 ? undefined : program.exits[number - 1];
    const done = number === 0 ? this.items : (exit?.op ?? this.items);
    this.done = done;
    if (number === 0 || exit?.isOver)
      for (let i = 0; i < drivers.length; i++) drivers[i].machine.moveTo(to);
    else
      for (let i = 0; i < stepped.length; i++) {
        const { item, machine, part, parts } = stepped[i];
        if (item < done) machine.moveTo(pointOf(from, to, part + 1, parts));
      }
    for (let i = 0; i < drivers.length; i++) drivers[i].machine.settle("", OK);
    for (let i = 0; i < this.bystanders.length; i++) this.bystanders[i].settle("", OK);
    if (program.unsteady.length > 0) reportChanges(program, block);
    if (number === 0) return this.items;
    if (!exit?.isOver) {
      requireOwnState(program);
      if (exit === undefined) return this.items;
      exit.settle?.(block.readInt(program.status), 0, block);
    } else this.isOver = true;
    this.done = exit.resumeAt;
    return exit.resumeAt;
  }

  settleStep(machine: MachineAccess, part: number, parts: number, status: number): void {
    const { from, to } = this;
    const begin = pointOf(from, to, part, parts);
    const stop = machine.settleStep(begin, pointOf(from, to, part + 1, parts), status);
    this.stop = stop.reason === "time" ? undefined : stop;
  }

  /** Where a part of the step under way ends. */
  endOf(part: number, parts: number): number {
    return pointOf(this.from, this.to, part + 1, parts);
  }

  /** Arguments to where the code finds them. @returns false where a unit is not ready for it. */
  private prepare(block: PlanBlock, from: number, to: number, back: Snapshots): boolean {
    const { restored, drivers, spans, program } = this;
    const { memory } = program;
    for (let i = 0; i < restored.length; i++) {
      const { unit, machine, state } = restored[i];
      const snapshot = back[unit];
      if (snapshot === undefined) return false;
      block.writeAddress(state, machine.beginRestore(snapshot));
    }
    for (let i = 0; i < this.bystanders.length; i++)
      if (!this.bystanders[i].isReady()) return false;
    for (let i = 0; i < drivers.length; i++) {
      const { unit, machine } = drivers[i];
      if (!machine.isReady() || machine.time() !== from) return false;
      block.writeInt(memory.noRollback(unit), machine.noRollback());
      const constant = machine.constantStep();
      if (constant !== undefined) block.writeDouble(memory.constantStep(unit), constant);
    }
    for (let i = 0; i < spans.length; i++) {
      const span = spans[i];
      const begin = pointOf(from, to, span.part, span.parts);
      const size = pointOf(from, to, span.part + 1, span.parts) - begin;
      if (!(size > 0 && size < Number.POSITIVE_INFINITY)) return false;
      block.writeDouble(span.from, begin);
      block.writeDouble(span.size, size);
    }
    return true;
  }
}

/** Where the `part`-th of `parts` begins. */
function pointOf(from: number, to: number, part: number, parts: number): number {
  return part === 0 ? from : part === parts ? to : from + ((to - from) * part) / parts;
}

interface StateSide {
  readonly block: PlanBlock;
  readonly states: readonly number[];
  readonly program: StepProgram;
}

class NativeSaving implements SavingCode {
  private readonly units: readonly number[];
  private readonly machines: readonly MachineAccess[];
  private readonly get: StateSide;
  private readonly set: StateSide;
  private readonly free: StateSide;

  constructor(
    units: readonly number[],
    machines: readonly MachineAccess[],
    { get, set, free }: Readonly<Record<"get" | "set" | "free", StateSide>>,
  ) {
    this.units = units;
    this.machines = machines;
    this.get = get;
    this.set = set;
    this.free = free;
  }

  save(into: (Snapshot | undefined)[]): boolean {
    const { units, machines } = this;
    const { states, block } = this.get;
    for (let i = 0; i < units.length; i++) {
      if (!machines[i].isReady()) return false;
      block.writeAddress(states[i], 0);
    }
    const exit = this.enter(this.get);
    const done = exit?.op ?? units.length;
    for (let i = 0; i < done; i++)
      into[units[i]] = machines[i].keepState(block.readAddress(states[i]));
    exit?.settle?.(block.readInt(this.get.program.status), 0, block);
    return true;
  }

  restore(snapshots: Snapshots): boolean {
    const { units, machines } = this;
    const { states, block } = this.set;
    for (let i = 0; i < units.length; i++)
      if (snapshots[units[i]] === undefined || !machines[i].isReady()) return false;
    for (let i = 0; i < units.length; i++)
      block.writeAddress(states[i], machines[i].beginRestore(snapshots[units[i]] as Snapshot));
    const exit = this.enter(this.set);
    exit?.settle?.(block.readInt(this.set.program.status), 0, block);
    return true;
  }

  release(snapshots: Snapshots): boolean {
    const { units, machines } = this;
    const { states, block } = this.free;
    for (let i = 0; i < units.length; i++) {
      const snapshot = snapshots[units[i]];
      if (snapshot === undefined || !machines[i].isReady()) return false;
      block.writeAddress(states[i], machines[i].stateOf(snapshot));
    }
    const exit = this.enter(this.free);
    const done = exit?.op ?? units.length;
    for (let i = 0; i < done; i++) machines[i].dropState(snapshots[units[i]] as Snapshot);
    exit?.settle?.(block.readInt(this.free.program.status), 0, block);
    return true;
  }

  /** @returns the exit taken: the unit of its call has to judge that. */
  private enter({ block, program }: StateSide): Exit | undefined {
    const { machines } = this;
    const number = enterBlock(block.address);
    for (let i = 0; i < machines.length; i++) machines[i].settle("", OK);
    if (program.unsteady.length > 0) reportChanges(program, block);
    if (number === 0) return undefined;
    requireOwnState(program);
    return program.exits[number - 1];
  }
}

/** Calls that left another floating-point state behind are said in their name. */
function reportChanges(program: StepProgram, block: PlanBlock): void {
  const { memory, unsteady } = program;
  for (const unit of unsteady) {
    const at = memory.floatChange(unit);
    const call = block.readInt(at);
    if (call === 0) continue;
    block.writeInt(at, 0);
    const found = { mode: block.readInt(at + 4), control: block.readInt(at + 8) };
    program.machine(unit).floatStateLeft(CALL_NAMES[call], found);
  }
}

/**
 * @throws when code without an instruction for it changed the floating-point state: what was
 * computed since may be wrong.
 */
function requireOwnState({ state, machines }: StepProgram): void {
  const guard = floatGuard();
  guard.check();
  if (takeChange(guard) === undefined) return;
  const names = state.plan.units
    .map(({ name }) => `'${name}'`)
    .filter((_, u) => machines[u]?.isSteady());
  throw new Error(
    `internal: the floating-point state was changed by code without an instruction for it, in ${names.join(" or ")}`,
  );
}
