/**
 * Designs: which points of the space of factors are run. Points come one after the other, the same
 * for the same seed, so that a run is known by its number; and the first n of a design with more
 * runs are those of one with n, where the method allows it.
 */
import type { Design, Factor, StudyPoint } from "../../model/study.ts";
import { seeded, shuffled, uniform, wholeBelow } from "../../numerics/random.ts";
import { SobolSequence } from "../../numerics/sobol-sequence.ts";
import { evenLevels, levelAt, middleLevel } from "./factor-levels.ts";

/** Without a word about it. */
const DEFAULT_POINTS = 5;

/** How many runs a design makes. */
export function runCount(factors: readonly Factor[], design: Design): number {
  const { method, runs = 0, points = DEFAULT_POINTS, indices } = design;
  switch (method) {
    case "grid":
      return factors.reduce((count, factor) => count * evenLevels(factor, points).length, 1);
    case "one-at-a-time":
      return factors.reduce((count, factor) => count + levelsBesides(factor, points).length, 1);
    default:
      return indices ? runs * (factors.length + 2) : runs;
  }
}

export function* designPoints(
  factors: readonly Factor[],
  design: Design,
): Generator<StudyPoint, undefined> {
  const { method, points = DEFAULT_POINTS } = design;
  if (method === "grid") {
    yield* grid(factors.map((factor) => evenLevels(factor, points)));
    return;
  }
  if (method === "one-at-a-time") {
    const middle = factors.map(middleLevel);
    yield middle;
    for (const [f, factor] of factors.entries())
      for (const level of levelsBesides(factor, points)) yield middle.with(f, level);
    return;
  }
  const dimensions = factors.length;
  const levels = (u: ArrayLike<number>, from = 0): number[] =>
    factors.map((factor, f) => levelAt(factor, u[from + f]));
  const cube = cubePoints(design, design.indices ? 2 * dimensions : dimensions);
  for (const u of cube) {
    const a = levels(u);
    yield a;
    if (!design.indices) continue;
    // Saltelli: the second half of the coordinates is another point, whose coordinates replace
    // those of the first one by one.
    const b = levels(u, dimensions);
    yield b;
    for (let f = 0; f < dimensions; f++) yield a.with(f, b[f]);
  }
}

function levelsBesides(factor: Factor, points: number): number[] {
  const middle = middleLevel(factor);
  return evenLevels(factor, points).filter((level) => level !== middle);
}

/** The last factor changes fastest. */
function* grid(levels: readonly (readonly number[])[]): Generator<StudyPoint, undefined> {
  const at = levels.map(() => 0);
  for (;;) {
    yield levels.map((list, f) => list[at[f]]);
    let f = levels.length - 1;
    while (f >= 0 && ++at[f] === levels[f].length) at[f--] = 0;
    if (f < 0) return;
  }
}

/** Points of the open unit cube. */
function* cubePoints(
  { method, runs = 0, seed }: Design,
  dimensions: number,
): Generator<ArrayLike<number>, undefined> {
  const random = seeded(seed);
  if (method === "sobol") {
    const shifts = Uint32Array.from({ length: dimensions }, () => wholeBelow(random, 2 ** 32));
    const sequence = new SobolSequence(dimensions, shifts);
    for (let i = 0; i < runs; i++) yield sequence.next();
    return;
  }
  if (method === "latin-hypercube") {
    // McKay, Beckman and Conover, 1979: of every factor one value in each of `runs` equal parts.
    const orders = Array.from({ length: dimensions }, () => shuffled(random, runs));
    for (let i = 0; i < runs; i++)
      yield orders.map((order) => (order[i] + openUniform(random)) / runs);
    return;
  }
  for (let i = 0; i < runs; i++)
    yield Array.from({ length: dimensions }, () => openUniform(random));
}

/** Never 0, where distributions without ends have none. */
function openUniform(random: ReturnType<typeof seeded>): number {
  return uniform(random) + 2 ** -54;
}
