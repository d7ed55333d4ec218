/**
 * The unknowns of a loop as one vector: nodes of inputs piece by piece, then forces of constraints.
 */
import { describe, expect, it } from "vitest";
import type { CoupledComponent, CoupledConstraint } from "../../plan/coupling-plan.ts";
import type { Coupling } from "./coupling.ts";
import { constraintResidual, forceCount, putUnknowns } from "./loop-unknowns.ts";
import type { NodeTrajectories } from "./node-trajectories.ts";

/** Four coupled inputs; the loop has 1 and 3, forces act on 0 and 2. */
const SIZE = 4;
const LOOP = { inputs: [1, 3] } as unknown as CoupledComponent;

/** left = 2 right + 1, in units of 10; with a rate: left' = 2 right'. */
function constraint(rate: boolean): CoupledConstraint {
  return {
    left: 0,
    right: 1,
    factor: 2,
    offset: 1,
    nominal: 10,
    by: [
      { input: 0, factor: 1 },
      { input: 2, factor: -3 },
    ],
    ...(rate ? { rate: { left: 2, right: 3, factor: 2 } } : {}),
  } as unknown as CoupledConstraint;
}

function nodesOf(pieces: number): NodeTrajectories {
  return {
    trajectories: { pieces },
    nodes: new Float64Array(pieces * SIZE).fill(Number.NaN),
    begin: new Float64Array(SIZE).fill(Number.NaN),
  } as unknown as NodeTrajectories;
}

const couplingAt = (...f64: number[]): Coupling =>
  ({ state: { banks: { f64: Float64Array.from(f64) } } }) as unknown as Coupling;

describe("the unknowns of a loop", () => {
  it("[IT12] have two forces where position and rate are held, one where the position is", () => {
    expect(forceCount([])).toBe(0);
    expect(forceCount([constraint(true)])).toBe(2);
    expect(forceCount([constraint(false), constraint(true)])).toBe(3);
  });

  it("[IT3] are the nodes of its inputs, piece by piece, and touch no other input", () => {
    const nodes = nodesOf(2);
    putUnknowns(LOOP, [], nodes, SIZE, Float64Array.of(1, 2, 3, 4));
    const none = Number.NaN;
    expect([...nodes.nodes]).toEqual([none, 1, none, 2, none, 3, none, 4]);
    expect([...nodes.begin]).toEqual([none, none, none, none]);
  });

  it("[IT12] let a force go straight from its first value to its last, with the factor of each input", () => {
    const nodes = nodesOf(2);
    putUnknowns(LOOP, [constraint(true)], nodes, SIZE, Float64Array.of(1, 2, 3, 4, 10, 20));
    expect([nodes.begin[0], nodes.begin[2]]).toEqual([10, -30]);
    expect([nodes.nodes[0], nodes.nodes[2]]).toEqual([15, -45]);
    expect([nodes.nodes[SIZE], nodes.nodes[SIZE + 2]]).toEqual([20, -60]);
    expect([nodes.nodes[1], nodes.nodes[SIZE + 3]]).toEqual([1, 4]);
  });

  it("[IT13] hold a force over the step where only the position is held, and go on behind it", () => {
    const nodes = nodesOf(1);
    const both = [constraint(false), constraint(true)];
    putUnknowns(LOOP, both, nodes, SIZE, Float64Array.of(1, 2, 5, 7, 9));
    // The second constraint acts on the same inputs, and comes later.
    expect([nodes.begin[0], nodes.nodes[0]]).toEqual([7, 9]);
    const alone = nodesOf(1);
    putUnknowns(LOOP, both.slice(0, 1), alone, SIZE, Float64Array.of(1, 2, 5));
    expect([alone.begin[0], alone.nodes[0], alone.nodes[2]]).toEqual([5, 5, -15]);
  });

  it("[IT12] leave what constraints lack, relative to nominal values, from a place on", () => {
    // left 8, right 2, rates 3 and 1: 8 - 2 · 2 - 1 = 3, and 3 - 2 · 1 = 1.
    const out = new Float64Array(4).fill(-1);
    constraintResidual([constraint(true)], couplingAt(8, 2, 3, 1), out, 1);
    expect([...out]).toEqual([-1, 0.3, 0.1, -1]);
    const met = new Float64Array(3);
    constraintResidual([constraint(false), constraint(true)], couplingAt(5, 2, 2, 1), met, 0);
    expect([...met]).toEqual([0, 0, 0]);
  });
});
