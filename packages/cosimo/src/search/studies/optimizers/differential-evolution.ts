/**
 * Differential evolution, rand/1/bin (Storn and Price, 1997), with weights and crossover rates that
 * adapt themselves (Brest et al., "jDE", 2006). For goals with many valleys, steps and noise; every
 * generation runs side by side.
 */
import { type RandomState, seeded, uniform, wholeBelow } from "../../../numerics/random.ts";
import { isBetter, mirrored, type Score, type Search, type SearchOptions } from "./score.ts";

interface Member {
  readonly point: Float64Array;
  readonly score: Score;
  readonly weight: number;
  readonly rate: number;
}

/** How often a member tries other settings. */
const NEW_SETTINGS = 0.1;

export function* differentialEvolution({ start, runs, seed, tolerance }: SearchOptions): Search {
  const n = start.length;
  const random = seeded(seed);
  const size = Math.min(Math.max(4, Math.min(50, 8 * n)), Math.max(4, runs));
  const points = Array.from({ length: size }, (_, i) =>
    i === 0 ? start : start.map(() => uniform(random)),
  );
  const first = yield points;
  let members: Member[] = points.map((point, i) => ({
    point,
    score: first[i],
    weight: 0.5,
    rate: 0.9,
  }));
  for (let used = size; used + size <= runs; used += size) {
    if (spreadOf(members) < tolerance) return { why: "converged" };
    const trials = members.map((member, i) => trialOf(members, member, i, random));
    const scores = yield trials.map(({ point }) => point);
    members = members.map((member, i) =>
      isBetter(member.score, scores[i]) ? member : { ...trials[i], score: scores[i] },
    );
  }
  return { why: "runs" };
}

function trialOf(
  members: readonly Member[],
  { point, weight: old, rate: oldRate }: Member,
  self: number,
  random: RandomState,
): Omit<Member, "score"> {
  const weight = uniform(random) < NEW_SETTINGS ? 0.1 + 0.9 * uniform(random) : old;
  const rate = uniform(random) < NEW_SETTINGS ? uniform(random) : oldRate;
  const [a, b, c] = othersThan(self, members.length, random).map((i) => members[i].point);
  const sure = wholeBelow(random, point.length);
  const made = point.map((x, d) =>
    d === sure || uniform(random) < rate ? a[d] + weight * (b[d] - c[d]) : x,
  );
  return { point: mirrored(made), weight, rate };
}

/** Three different members, none of them `self`. */
function othersThan(self: number, size: number, random: RandomState): number[] {
  const taken = [self];
  while (taken.length < 4) {
    const one = wholeBelow(random, size);
    if (!taken.includes(one)) taken.push(one);
  }
  return taken.slice(1);
}

function spreadOf(members: readonly Member[]): number {
  const [{ point: first }] = members;
  return Math.max(
    ...Array.from(first, (_, d) => {
      const values = members.map(({ point }) => point[d]);
      return Math.max(...values) - Math.min(...values);
    }),
  );
}
