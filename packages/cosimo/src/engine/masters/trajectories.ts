/**
 * How inputs go through a step: extrapolated from their past, or through nodes that are known or
 * guessed.
 */
import type { InputTrajectories } from "./coupling.ts";
import { MasterPart } from "./master-part.ts";
import { sameInstant } from "./requested-points.ts";

/** Extrapolates every input with the degree that it has, over a step that begins now. */
export class Extrapolation extends MasterPart {
  /** Orders that inputs have, with their inputs. */
  private readonly byOrder = ([0, 1, 2] as const).flatMap((order) => {
    const { inputs: all } = this.coupling.plan;
    const inputs = [...all.keys()].filter((i) => all[i].order === order);
    return inputs.length > 0 ? [{ order, inputs }] : [];
  });
  private readonly value = new Float64Array(this.coupling.size);
  private readonly first = new Float64Array(this.coupling.size);
  private readonly second = new Float64Array(this.coupling.size);

  /** @param lower by how many degrees below the usual one (multi-order error estimates). */
  fill(trajectories: InputTrajectories, lower = 0): void {
    for (const { order, inputs } of this.byOrder)
      this.fillDegree(trajectories, inputs, Math.max(0, order - lower) as 0 | 1 | 2);
  }

  private fillDegree(
    trajectories: InputTrajectories,
    inputs: readonly number[],
    order: 0 | 1 | 2,
  ): void {
    const { history, time, state } = this.coupling;
    const { step } = state.plan;
    const { value, first, second } = this;
    const rounding = sameInstant(time, step);
    const isOnGrid =
      order > 0 && history.gridDerivatives(order as 1 | 2, step, rounding, value, first, second);
    if (!isOnGrid) history.derivatives(order, time, value, first, second);
    for (const i of inputs) {
      trajectories.value[i] = value[i];
      trajectories.first[i] = first[i];
      trajectories.second[i] = second[i];
    }
  }

  /** Values at the nodes of `pieces` equal pieces up to `to`: the first guess of an iteration. */
  nodes(to: number, pieces: number, out: Float64Array, hold = false): void {
    const { history, time, size } = this.coupling;
    const { value, first, second } = this;
    for (let piece = 0; piece < pieces; piece++) {
      const at = time + ((to - time) * (piece + 1)) / pieces;
      for (const { order, inputs } of this.byOrder) {
        history.derivatives(hold ? 0 : order, at, value, first, second);
        for (const i of inputs) out[piece * size + i] = value[i];
      }
    }
  }
}

/**
 * The trajectory of input `i` through its nodes: held at each piece's end value (degree 0), linear,
 * or with the curvature that the past suggests (degree 2: the parabola through the last sample
 * before the step as well).
 * @param begin value where the step begins.
 * @param before the sample before that and how long before it was; undefined: none.
 */
export function throughNodes(
  trajectories: InputTrajectories,
  size: number,
  i: number,
  order: 0 | 1 | 2,
  begin: number,
  nodes: Float64Array,
  length: number,
  before?: { readonly value: number; readonly ago: number },
): void {
  const { pieces, value, first, second } = trajectories;
  const h = length / pieces;
  let left = begin;
  let older = before?.value;
  let ago = before?.ago ?? h;
  for (let piece = 0; piece < pieces; piece++) {
    const at = piece * size + i;
    const right = nodes[at];
    const slope = (right - left) / h;
    value[at] = order === 0 ? right : left;
    first[at] = order === 0 ? 0 : slope;
    second[at] = 0;
    if (order === 2 && older !== undefined) {
      const curve = (slope - (left - older) / ago) / (h + ago);
      first[at] = slope - h * curve;
      second[at] = 2 * curve;
    }
    older = left;
    ago = h;
    left = right;
  }
}

/**
 * The trajectory of an input whose source jumps and stays: in every piece what it was when the
 * piece began.
 */
export function heldFromNodes(
  { pieces, value, first, second }: InputTrajectories,
  size: number,
  i: number,
  begin: number,
  nodes: Float64Array,
): void {
  for (let piece = 0; piece < pieces; piece++) {
    const at = piece * size + i;
    value[at] = piece === 0 ? begin : nodes[at - size];
    first[at] = 0;
    second[at] = 0;
  }
}

/** The trajectory of input `i` over the only piece: straight from `begin`, with this mean. */
export function throughMean(
  { value, first, second }: InputTrajectories,
  i: number,
  begin: number,
  mean: number,
  length: number,
): void {
  value[i] = begin;
  first[i] = (2 * (mean - begin)) / length;
  second[i] = 0;
}
