/**
 * What of a plan cannot become machine code here, and why, in words for people. The interpreter
 * does it then; nothing else changes.
 */
import type { PlanState } from "../../../engine/signals.ts";
import { OP_WIDTH, Op } from "../../../plan/plan.ts";
import type { Unit } from "../../../unit/unit.ts";
import { exchangeCall } from "../fmi-version.ts";
import type { MachineAccess } from "../machine-access.ts";
import { NativeUnit } from "../native-unit.ts";
import { canTransfer } from "./emit-calls.ts";

/** A unit of which something is left to the interpreter, and why. */
export interface Refusal {
  readonly unit: string;
  readonly why: string;
}

/** Why an op is left to the interpreter. */
export interface OpRefusal {
  /** -1: it belongs to no unit. */
  readonly unit: number;
  readonly why: string;
}

/** Native access to a unit, or why it cannot be had. */
export function machineOf(unit: Unit): MachineAccess | string {
  if (!(unit instanceof NativeUnit))
    return unit.beginAdvance === undefined ? "not a native FMU" : "not in this process";
  const machine = unit.machineAccess();
  return machine.refusal ?? machine;
}

/** Native access to every unit, or why one cannot be had. */
export function machinesOf({ units }: PlanState): readonly MachineAccess[] | string {
  const machines: MachineAccess[] = [];
  for (const unit of units) {
    const machine = machineOf(unit);
    if (typeof machine === "string") return `'${unit.name}': ${machine}`;
    machines.push(machine);
  }
  return machines;
}

/** Why not all of a plan can become machine code. */
export function refusalOfPlan(
  state: PlanState,
  machines: readonly MachineAccess[],
): string | undefined {
  if (state.plan.record.columns.some(({ bank }) => bank === "obj"))
    return "texts or binary values are recorded";
  return firstRefusal(state, refusalsOfOps(state, machines));
}

export function firstRefusal(
  { plan }: PlanState,
  refusals: readonly (OpRefusal | undefined)[],
): string | undefined {
  const first = refusals.find((refusal) => refusal !== undefined);
  if (first === undefined) return undefined;
  return first.unit < 0 ? first.why : `'${plan.units[first.unit].name}': ${first.why}`;
}

/** One reason for each unit that has some, in the plan's order. */
export function refusalsByUnit(
  { plan }: PlanState,
  refusals: readonly (OpRefusal | undefined)[],
): readonly Refusal[] {
  return plan.units.flatMap(({ name }, u) => {
    const found = refusals.find((refusal) => refusal?.unit === u);
    return found === undefined ? [] : [{ unit: name, why: found.why }];
  });
}

/**
 * For every op of the step segment: why it is left to the interpreter; undefined where it need not
 * be.
 */
export function refusalsOfOps(
  state: PlanState,
  machines: readonly (MachineAccess | string)[],
): readonly (OpRefusal | undefined)[] {
  const ops = state.plan.segments.step;
  return Array.from({ length: ops.length / OP_WIDTH }, (_, op) =>
    refusalOfOp(state, machines, ops[op * OP_WIDTH], ops[op * OP_WIDTH + 1]),
  );
}

/** Why an op is left to the interpreter. */
export function refusalOfOp(
  { plan, accesses }: PlanState,
  machines: readonly (MachineAccess | string)[],
  opcode: number,
  a: number,
): OpRefusal | undefined {
  switch (opcode) {
    case Op.CopyObj:
      return { unit: -1, why: "texts or binary values are connected" };
    case Op.Advance:
      return of(a, ({ version, addressOf }) => void addressOf(version.names.step));
    case Op.Slopes:
      return of(plan.slopes[a].unit, ({ version, addressOf, follower }) => {
        const { inputDerivatives } = version.names;
        if (follower !== undefined) return undefined;
        if (inputDerivatives === undefined)
          return "its input derivatives are given through intermediate updates";
        return void addressOf(inputDerivatives);
      });
    case Op.Read:
    case Op.Write:
      return of(plan.accesses[a].unit, (machine) => {
        const groups =
          opcode === Op.Read
            ? machine.groupsToRead(accesses[a])
            : machine.groupsToWrite(accesses[a]);
        const verb = opcode === Op.Read ? "Get" : "Set";
        for (const { family } of groups)
          machine.addressOf(exchangeCall(machine.version, verb, family));
        const odd = groups.find((group) => !canTransfer(group));
        return odd && `values of type ${odd.family}`;
      });
    default:
      return undefined;
  }

  /** What the interpreter would complain about is left to it as well. */
  function of(
    unit: number,
    judge: (machine: MachineAccess) => string | undefined,
  ): OpRefusal | undefined {
    const machine = machines[unit];
    if (typeof machine === "string") return { unit, why: machine };
    try {
      const why = judge(machine);
      return why === undefined ? undefined : { unit, why };
    } catch (error) {
      return { unit, why: (error as Error).message };
    }
  }
}
