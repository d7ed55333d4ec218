/**
 * When steps begin and end. Times are counted, so all units of a rate share them: the code computes
 * them once per tick, and where a unit stands follows from the tick and the op at which the code
 * was left.
 */
import { OP_WIDTH, Op, type Plan, timeOf } from "../../../plan/plan.ts";
import { If, Reg } from "./assembler.ts";
import type { Span } from "./plan-memory.ts";
import { MEMORY, type Program, TICK } from "./program.ts";

/** The `part`-th of `parts` of the step of `unit` that ends at `tick`. */
export interface Step {
  readonly unit: number;
  readonly part: number;
  readonly parts: number;
  readonly tick: number;
}

/** The same sums and products as the interpreter's. */
export function timesOf(
  plan: Plan,
  { unit, part, parts, tick }: Step,
): { from: number; to: number } {
  const begin = timeOf(plan, tick - plan.units[unit].ticks);
  const end = timeOf(plan, tick);
  return {
    from: part === 0 ? begin : begin + ((end - begin) * part) / parts,
    to: part === parts - 1 ? end : begin + ((end - begin) * (part + 1)) / parts,
  };
}

/**
 * Times of the tick that begins, for every span that the code needs. A step of no length is left to
 * the interpreter, which begins at `firstOp`.
 */
export function emitSpans(program: Program, firstOp: number): void {
  const { code, memory, state } = program;
  const { start, step } = state.plan;
  const [end, begin, from, zero] = [0, 1, 2, 4];
  program.op = firstOp;
  const instead = program.instead();
  const emitTime = (x: number, tick: number): void => {
    code.fromInteger(x, tick).multiplyMemory(x, MEMORY, memory.literal(step));
    code.addMemory(x, MEMORY, memory.literal(start));
  };
  emitTime(end, TICK);
  code.zero(zero);
  for (const span of memory.spans) {
    code.address(Reg.rax, TICK, -span.ticks);
    emitTime(begin, Reg.rax);
    emitPoint(program, span, span.part, from);
    code.storeDouble(MEMORY, span.from, from);
    const to = 3;
    emitPoint(program, span, span.part + 1, to);
    code.subtract(to, from).storeDouble(MEMORY, span.size, to);
    code.compareDoubles(to, zero).jumpIf(If.belowOrEqual, instead);
  }
}

/**
 * x = where part `part` of the span's step begins; xmm0 is the end of the step, xmm1 its beginning.
 */
function emitPoint({ code, memory }: Program, { parts }: Span, part: number, x: number): void {
  if (part === 0) code.copyDouble(x, 1);
  else if (part === parts) code.copyDouble(x, 0);
  else {
    code.copyDouble(x, 0).subtract(x, 1).multiplyMemory(x, MEMORY, memory.literal(part));
    code.divideMemory(x, MEMORY, memory.literal(parts)).add(x, 1);
  }
}

/** Where the units of a plan stand when everything before an op was done. */
export class UnitTimes {
  private readonly plan: Plan;
  /** Of each unit: its advances in the step segment. */
  private readonly advances: readonly {
    readonly op: number;
    readonly part: number;
    readonly parts: number;
  }[][];

  constructor(plan: Plan) {
    this.plan = plan;
    this.advances = plan.units.map(() => []);
    const ops = plan.segments.step;
    for (let pc = 0; pc < ops.length; pc += OP_WIDTH) {
      if (ops[pc] !== Op.Advance) continue;
      const advance = { op: pc / OP_WIDTH, part: ops[pc + 2], parts: ops[pc + 3] };
      this.advances[ops[pc + 1]].push(advance);
    }
  }

  /** After the ops before `op` of `tick`. */
  at(unit: number, tick: number, op: number): number {
    const { ticks } = this.plan.units[unit];
    if (tick % ticks !== 0) return timeOf(this.plan, tick - (tick % ticks));
    const last = this.advances[unit].findLast((advance) => advance.op < op);
    if (last === undefined) return timeOf(this.plan, tick - ticks);
    return timesOf(this.plan, { unit, tick, part: last.part, parts: last.parts }).to;
  }
}
