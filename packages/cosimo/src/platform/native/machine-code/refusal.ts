/**
 * Why a plan cannot become machine code here, in words for people. The interpreter runs it then; nothing else changes.
 */
import type { PlanState } from "../../../engine/signals.ts";
import { OP_WIDTH, Op } from "../../../plan/plan.ts";
import type { MachineAccess } from "../machine-access.ts";
import { NativeUnit } from "../native-unit.ts";
import { canTransfer } from "./emit-calls.ts";

export function refusalOfHost(platform: string, architecture: string): string | undefined {
  if (architecture !== "x64") return `machine code is made for x86-64, this is ${architecture}`;
  if (platform !== "linux" && platform !== "darwin")
    return `machine code is made for Linux and macOS, this is ${platform}`;
  return undefined;
}

/** Native access to every unit, or why one cannot be had. */
export function machinesOf({ units }: PlanState): readonly MachineAccess[] | string {
  const machines: MachineAccess[] = [];
  for (const unit of units) {
    if (!(unit instanceof NativeUnit)) return `'${unit.name}' is not a native FMU`;
    const machine = unit.machineAccess();
    if (machine.refusal !== undefined) return `'${unit.name}': ${machine.refusal}`;
    machines.push(machine);
  }
  return machines;
}

export function refusalOfPlan(
  state: PlanState,
  machines: readonly MachineAccess[],
): string | undefined {
  const { plan } = state;
  if (plan.record.columns.some(({ bank }) => bank === "obj"))
    return "texts or binary values are recorded";
  const ops = plan.segments.step;
  for (let pc = 0; pc < ops.length; pc += OP_WIDTH) {
    const reason = refusalOfOp(state, machines, ops[pc]!, ops[pc + 1]!);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

function refusalOfOp(
  state: PlanState,
  machines: readonly MachineAccess[],
  opcode: number,
  a: number,
): string | undefined {
  const { plan, accesses } = state;
  switch (opcode) {
    case Op.CopyObj:
      return "texts or binary values are connected";
    case Op.Slopes:
      return machines[plan.slopes[a]!.unit]!.major === 2
        ? undefined
        : "input derivatives of FMI 3 are given through intermediate updates";
    case Op.Read:
    case Op.Write: {
      const { unit } = plan.accesses[a]!;
      const machine = machines[unit]!;
      try {
        const groups =
          opcode === Op.Read
            ? machine.groupsToRead(accesses[a]!)
            : machine.groupsToWrite(accesses[a]!);
        const odd = groups.find((group) => !canTransfer(group));
        for (const { family } of groups)
          machine.addressOf(`fmi${machine.major}${opcode === Op.Read ? "Get" : "Set"}${family}`);
        return odd && `'${plan.units[unit]!.name}' exchanges values of type ${odd.family}`;
      } catch (error) {
        return (error as Error).message;
      }
    }
    default:
      return undefined;
  }
}
