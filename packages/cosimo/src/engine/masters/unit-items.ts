/**
 * What a unit does in a step, as items of a program (step-program.ts): the same as
 * `Coupling.advance` and `collect` over a trajectory of one piece, whose formulas are those of
 * `Coupling.put` and trajectories.ts.
 */
import { OP_WIDTH } from "../../plan/plan.ts";
import type { Coupling, InputTrajectories } from "./coupling.ts";
import {
  type Cell,
  minus,
  over,
  plus,
  type StepFormula,
  type StepItem,
  set,
  times,
} from "./step-program.ts";

/** Times of a step that formulas need. */
export class StepLengths {
  private readonly numbers = new Float64Array(3);
  /** From end to end. */
  readonly length: Cell = { array: this.numbers, index: 0 };
  /** As long as steps of the grid are (`Coupling.lengthOf`). */
  readonly nominal: Cell = { array: this.numbers, index: 1 };
  /** Since the communication point before (`Coupling.previousAgo`). */
  readonly ago: Cell = { array: this.numbers, index: 2 };

  put(coupling: Coupling, from: number, to: number): void {
    this.numbers[0] = to - from;
    this.numbers[1] = coupling.lengthOf(from, to);
    this.numbers[2] = coupling.previousAgo;
  }
}

export function opItems(ops: Int32Array): Extract<StepItem, { readonly kind: "op" }>[] {
  return Array.from({ length: ops.length / OP_WIDTH }, (_, i) => ({
    kind: "op",
    op: ops.subarray(i * OP_WIDTH, (i + 1) * OP_WIDTH),
  }));
}

/** A unit takes the step in `parts` parts, its inputs along the trajectory. */
export function advanceItems(
  coupling: Coupling,
  unit: number,
  trajectories: InputTrajectories,
  lengths: StepLengths,
  parts: number,
): StepItem[] {
  const stage = coupling.plan.stages[unit];
  const middle = stage.inParts ? 0.5 : 0;
  const items: StepItem[] = opItems(stage.writeHeld);
  for (let part = 0; part < parts; part++) {
    if (stage.inputs.length > 0)
      items.push(
        ...putItems(coupling, unit, trajectories, times((part + middle) / parts, lengths.nominal)),
        ...opItems(stage.writeCoupled),
      );
    items.push({ kind: "advance", unit, part, parts });
  }
  if (stage.feedThrough)
    items.push(
      ...putItems(coupling, unit, trajectories, lengths.length),
      ...opItems(stage.writeValues),
    );
  return items;
}

/** The inputs of a unit `s` seconds after the beginning of the step. */
function putItems(
  { plan, state }: Coupling,
  unit: number,
  { value, first, second }: InputTrajectories,
  s: StepFormula,
): StepItem[] {
  const { f64 } = state.banks;
  return plan.stages[unit].inputs.flatMap((index): StepItem[] => {
    const input = plan.inputs[index];
    const [v, d, dd] = [value, first, second].map((array): Cell => ({ array, index }));
    const bend = times(times(times(dd, s), s), 0.5);
    return [
      set(f64, input.value, plus(plus(v, times(d, s)), bend)),
      set(f64, input.slope, plus(d, times(s, dd))),
      set(f64, input.slope + 1, dd),
    ];
  });
}

/**
 * As `throughNodes`, of the only piece. @param before where the sample before the step is;
 * undefined: none.
 */
export function throughNodeItems(
  { value, first, second }: InputTrajectories,
  index: number,
  order: 0 | 1 | 2,
  left: Cell,
  right: Cell,
  { length: h, before }: Through,
): StepItem[] {
  if (order === 0) return [set(value, index, right), set(first, index, 0), set(second, index, 0)];
  const slope = over(minus(right, left), h);
  if (order === 1 || before === undefined)
    return [set(value, index, left), set(first, index, slope), set(second, index, 0)];
  const { value: older, ago } = before;
  const curve: Cell = { array: second, index };
  return [
    set(value, index, left),
    set(second, index, over(minus(slope, over(minus(left, older), ago)), plus(h, ago))),
    set(first, index, minus(slope, times(h, curve))),
    set(second, index, times(2, curve)),
  ];
}

interface Through {
  readonly length: StepFormula;
  readonly before?: { readonly value: Cell; readonly ago: Cell } | undefined;
}

/** As `heldFromNodes`. */
export function heldItems(
  { value, first, second }: InputTrajectories,
  index: number,
  begin: Cell,
): StepItem[] {
  return [set(value, index, begin), set(first, index, 0), set(second, index, 0)];
}

/** Where the first `part` of `parts` parts of a step end. */
export function partEnd(from: number, to: number, part: number, parts: number): number {
  return part === parts ? to : from + ((to - from) * part) / parts;
}
