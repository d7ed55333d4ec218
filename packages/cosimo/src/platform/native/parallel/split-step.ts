/**
 * Which ops of a step may run at the same time. The step segment begins with the ops that advance
 * units; what follows resolves the signals and needs all of them done. Among the first, ops that
 * touch the same unit, or a signal that one of them changes, keep their order: their units form a
 * cluster. Different clusters know nothing of each other.
 *
 * Nothing here asks for the master's name: the units of Jacobi plans are clusters of one,
 * Gauss-Seidel units that interpolate to each other's new outputs fall together, and what is
 * independent in a Gauss-Seidel plan stays so.
 */
import { portSize, type UnitDescription } from "../../../model/unit-description.ts";
import { bankOf } from "../../../model/value-type.ts";
import { OP_WIDTH, Op, type Plan, type PlanAccess } from "../../../plan/plan.ts";

export interface SplitStep {
  /** This many ops advance units. */
  readonly advancing: number;
  /** Units of every cluster, in the plan's order. */
  readonly clusters: readonly (readonly number[])[];
  /**
   * Owner of each of the advancing ops: a unit of its cluster, or -1 for ops that go with no unit.
   */
  readonly owners: readonly number[];
}

/** Some of the advancing ops, in order, with their numbers in the step segment. */
export interface PartOfStep {
  readonly ops: Int32Array;
  readonly numbers: readonly number[];
}

/** @param together units that must not run at the same time for other reasons. */
export function splitStep(
  plan: Plan,
  descriptions: readonly UnitDescription[],
  together: readonly (readonly number[])[] = [],
): SplitStep {
  const advancing = advancingOps(plan.segments.step);
  const units = plan.units.length;
  const sets = new DisjointSets(units + advancing);
  const changed = new Set<string>();
  const footprints = Array.from({ length: advancing }, (_, op) =>
    footprintOf(plan, descriptions, op),
  );
  for (const { writes } of footprints) for (const slot of writes) changed.add(slot);
  const firstAt = new Map<string, number>();
  for (const [op, { unit, reads, writes }] of footprints.entries()) {
    if (unit >= 0) sets.join(unit, units + op);
    for (const slot of [...reads, ...writes]) {
      if (!changed.has(slot)) continue;
      const first = firstAt.get(slot);
      if (first === undefined) firstAt.set(slot, op);
      else sets.join(units + first, units + op);
    }
  }
  for (const [first = 0, ...others] of together) for (const unit of others) sets.join(first, unit);
  const clusters = new Map<number, number[]>();
  for (let unit = 0; unit < units; unit++) {
    const root = sets.rootOf(unit);
    clusters.set(root, [...(clusters.get(root) ?? []), unit]);
  }
  return {
    advancing,
    clusters: [...clusters.values()],
    owners: footprints.map((_, op) => clusters.get(sets.rootOf(units + op))?.[0] ?? -1),
  };
}

/** The advancing ops of `units`; the first part also gets those that go with no unit. */
export function partOf(
  plan: Plan,
  { advancing, owners, clusters }: SplitStep,
  units: ReadonlySet<number>,
  isFirst: boolean,
): PartOfStep {
  const { step } = plan.segments;
  const mine = new Set(clusters.filter(([first]) => units.has(first)).map(([first]) => first));
  const belongs = (op: number): boolean => (owners[op] >= 0 ? mine.has(owners[op]) : isFirst);
  const numbers: number[] = [];
  const words: number[] = [];
  const add = (from: number, to: number): void => {
    for (let op = from; op < to; op++) {
      const [opcode = 0, a = 0, b = 0, c = 0] = step.subarray(op * OP_WIDTH, (op + 1) * OP_WIDTH);
      if (opcode !== Op.Every) {
        if (!belongs(op)) continue;
        numbers.push(op);
        words.push(opcode, a, b, c);
        continue;
      }
      const at = words.length;
      numbers.push(op);
      words.push(opcode, a, 0, c);
      add(op + 1, op + 1 + b);
      const inside = (words.length - at) / OP_WIDTH - 1;
      if (inside > 0) words[at + 2] = inside;
      else {
        numbers.pop();
        words.length = at;
      }
      op += b;
    }
  };
  add(0, advancing);
  return { ops: Int32Array.from(words), numbers };
}

/** Up to the last `Advance`, with all of the `Every` around it. */
function advancingOps(step: Int32Array): number {
  let end = 0;
  let blockEnd = 0;
  for (let op = 0; op * OP_WIDTH < step.length; op++) {
    const opcode = step[op * OP_WIDTH];
    if (opcode === Op.Every) blockEnd = Math.max(blockEnd, op + 1 + step[op * OP_WIDTH + 2]);
    if (opcode === Op.Advance) end = Math.max(op + 1, blockEnd);
  }
  return end;
}

interface Footprint {
  /** The unit that is called; -1: none. */
  readonly unit: number;
  /** Signals by bank and slot. */
  readonly reads: readonly string[];
  readonly writes: readonly string[];
}

function footprintOf(plan: Plan, descriptions: readonly UnitDescription[], op: number): Footprint {
  const words = plan.segments.step.subarray(op * OP_WIDTH, (op + 1) * OP_WIDTH);
  const [opcode = 0, a = 0, b = 0, c = 0] = words;
  const range = (bank: string, first: number, count: number): string[] =>
    Array.from({ length: count }, (_, i) => `${bank}${first + i}`);
  const move = (from: string, to: string, count: number): Footprint => ({
    unit: -1,
    reads: range(from, a, count),
    writes: range(to, b, count),
  });
  switch (opcode) {
    case Op.Read:
    case Op.Write: {
      const access = plan.accesses[a];
      const slots = slotsOf(access, descriptions);
      const isRead = opcode === Op.Read;
      return { unit: access.unit, reads: isRead ? [] : slots, writes: isRead ? slots : [] };
    }
    case Op.Slopes: {
      const { unit, slots } = plan.slopes[a];
      return { unit, reads: slots.map((slot) => `f64${slot}`), writes: [] };
    }
    case Op.Advance:
      return { unit: a, reads: [], writes: [] };
    case Op.Every:
      return { unit: -1, reads: [], writes: [] };
    case Op.Copy:
      return move("f64", "f64", c);
    case Op.CopyI64:
      return move("i64", "i64", c);
    case Op.CopyObj:
      return move("obj", "obj", c);
    case Op.Affine:
    case Op.Map:
      return move("f64", "f64", 1);
    case Op.ToI64:
      return move("f64", "i64", c);
    case Op.FromI64:
    case Op.FromU64:
      return move("i64", "f64", c);
    case Op.Sample:
    case Op.Predict:
    case Op.Interpolate: {
      const { signal, history, value, slope } = plan.tracks[a];
      const past = range("f64", history, 3);
      if (opcode === Op.Sample) return { unit: -1, reads: [`f64${signal}`], writes: past };
      const writes = [`f64${value}`, ...range("f64", slope, 2)];
      return { unit: -1, reads: [`f64${signal}`, ...past], writes };
    }
    default:
      throw new Error(`internal: opcode ${opcode} at op ${op}`);
  }
}

function slotsOf({ unit, slots }: PlanAccess, descriptions: readonly UnitDescription[]): string[] {
  const { ports } = descriptions[unit];
  return slots.flatMap(({ port, slot }) =>
    Array.from(
      { length: portSize(ports[port]) },
      (_, i) => `${bankOf(ports[port].type)}${slot + i}`,
    ),
  );
}

class DisjointSets {
  private readonly parent: number[];

  constructor(size: number) {
    this.parent = Array.from({ length: size }, (_, i) => i);
  }

  rootOf(member: number): number {
    let at = member;
    while (this.parent[at] !== at) {
      this.parent[at] = this.parent[this.parent[at]];
      at = this.parent[at];
    }
    return at;
  }

  join(a: number, b: number): void {
    this.parent[this.rootOf(a)] = this.rootOf(b);
  }
}
