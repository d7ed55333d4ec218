/**
 * Cuts the ops of a step into segments, one after the other: those that become machine code and
 * those that the interpreter does. Nothing changes its place. An `Every` that reaches over a border
 * is written into every segment that it guards.
 */
import { OP_WIDTH, Op } from "../../../plan/plan.ts";

export interface Segment {
  readonly isCode: boolean;
  readonly ops: Int32Array;
  /** For each of `ops`: its number in the whole step. */
  readonly numbers: readonly number[];
  /** Number of the first op that is no `Every`. */
  readonly first: number;
}

/**
 * @param ops of the step segment.
 * @param canBeCode by number of the op; called for all but `Every`.
 * @returns segments that together do what `ops` does. Code without a call of an FMU is not worth
 * entering: the interpreter does it.
 */
export function cutIntoSegments(
  ops: Int32Array,
  canBeCode: (op: number) => boolean,
): readonly Segment[] {
  const guards = guardsOf(ops);
  const runs: { isCode: boolean; ops: number[] }[] = [];
  const add = (isCode: boolean, more: readonly number[]): void => {
    const last = runs.at(-1);
    if (last?.isCode === isCode) last.ops.push(...more);
    else runs.push({ isCode, ops: [...more] });
  };
  let open: number[] = [];
  const close = (): void => {
    add(
      open.some((op) => isCall(ops, op)),
      open,
    );
    open = [];
  };
  for (let op = 0; op * OP_WIDTH < ops.length; op++) {
    if (ops[op * OP_WIDTH] === Op.Every) continue;
    if (canBeCode(op)) open.push(op);
    else {
      if (open.length > 0) close();
      add(false, [op]);
    }
  }
  if (open.length > 0) close();
  return runs.map((run) => writeSegment(ops, guards, run));
}

function isCall(ops: Int32Array, op: number): boolean {
  const opcode = ops[op * OP_WIDTH];
  return opcode === Op.Read || opcode === Op.Write || opcode === Op.Slopes || opcode === Op.Advance;
}

/** For every op: the numbers of the `Every` ops around it, outermost first. */
function guardsOf(ops: Int32Array): readonly (readonly number[])[] {
  const around: number[][] = [];
  let open: { readonly at: number; readonly end: number }[] = [];
  for (let op = 0; op * OP_WIDTH < ops.length; op++) {
    open = open.filter(({ end }) => op < end);
    around.push(open.map(({ at }) => at));
    const [opcode, , skipped] = ops.subarray(op * OP_WIDTH, (op + 1) * OP_WIDTH);
    if (opcode === Op.Every) open.push({ at: op, end: op + 1 + skipped });
  }
  return around;
}

function writeSegment(
  ops: Int32Array,
  guards: readonly (readonly number[])[],
  run: { readonly isCode: boolean; readonly ops: readonly number[] },
): Segment {
  const words: number[] = [];
  const numbers: number[] = [];
  /** Guards that are open: which, and where they were written. */
  const open: { readonly guard: number; readonly at: number }[] = [];
  const closeTo = (depth: number): void => {
    for (const { at } of open.splice(depth)) words[at * OP_WIDTH + 2] = numbers.length - at - 1;
  };
  for (const op of run.ops) {
    const wanted = guards[op];
    const shared = open.findIndex(({ guard }, depth) => wanted[depth] !== guard);
    closeTo(shared < 0 ? open.length : shared);
    for (const guard of wanted.slice(open.length)) {
      open.push({ guard, at: numbers.length });
      write(guard);
    }
    write(op);
  }
  closeTo(0);
  return { isCode: run.isCode, ops: Int32Array.from(words), numbers, first: run.ops[0] };

  function write(op: number): void {
    numbers.push(op);
    words.push(...ops.subarray(op * OP_WIDTH, (op + 1) * OP_WIDTH));
  }
}
