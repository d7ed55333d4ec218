/**
 * Units that take the calls of a step as one (unit.ts, `Stage`): which of a plan's units do, and
 * what is left for the interpreter.
 */
import type { UnitStage } from "../../plan/coupling-plan.ts";
import { OP_WIDTH, Op } from "../../plan/plan.ts";
import type { Access, Stage, StageSlopes } from "../../unit/unit.ts";
import type { PlanState } from "../signals.ts";

export interface WholeStage {
  readonly stage: Stage;
  /** What brings the outputs that the stage has read to where they are needed. */
  readonly moves: Int32Array;
}

export class WholeStages {
  private readonly state: PlanState;
  /** By unit; absent: not looked for. */
  private readonly found = new Map<number, WholeStage | undefined>();

  constructor(state: PlanState) {
    this.state = state;
  }

  of(unit: number): WholeStage | undefined {
    if (!this.found.has(unit)) this.found.set(unit, this.find(unit));
    return this.found.get(unit);
  }

  private find(unit: number): WholeStage | undefined {
    const { plan, units, accesses } = this.state;
    const { prepareStage } = units[unit];
    const stage = plan.coupling?.stages[unit];
    if (prepareStage === undefined || stage === undefined || !isSimple(stage)) return undefined;
    const write: Access[] = [];
    const slopes: StageSlopes[] = [];
    for (const [opcode, a] of opsOf(stage.writeCoupled)) {
      // Values come first, then their derivatives; what else has to be done is left to the
      // interpreter.
      if (opcode === Op.Write && slopes.length === 0) write.push(accesses[a]);
      else if (opcode === Op.Slopes) slopes.push(plan.slopes[a]);
      else return undefined;
    }
    const collect = opsOf(stage.collect);
    const reads = collect.findIndex(([opcode]) => opcode !== Op.Read);
    const count = reads < 0 ? collect.length : reads;
    const read = collect.slice(0, count).map(([, a]) => accesses[a]);
    const prepared = units[unit].prepareStage?.({ write, slopes, read });
    return prepared && { stage: prepared, moves: stage.collect.subarray(count * OP_WIDTH) };
  }
}

/** Nothing has to be written before the coupled inputs, nor after the step. */
function isSimple({ writeHeld, feedThrough }: UnitStage): boolean {
  return writeHeld.length === 0 && !feedThrough;
}

function opsOf(ops: Int32Array): (readonly [number, number])[] {
  return Array.from({ length: ops.length / OP_WIDTH }, (_, i) => [
    ops[i * OP_WIDTH],
    ops[i * OP_WIDTH + 1],
  ]);
}
