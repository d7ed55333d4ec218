/**
 * Which edges to take away so that no known unstable cycle is left and as much freedom as possible
 * is: a hitting set of the cycles, measured by the growth rate of what remains.
 *
 * The quick way follows the literature (Gomes, PhD thesis, section 5.7): take the edge that breaks
 * most cycles, ties by growth rate; then it drops what turned out not to be needed and exchanges
 * single edges while that helps. The exact way is branch and bound: taking edges away never makes
 * the rate larger, so a branch whose rate is already below the best answer holds nothing.
 */
import type { Automaton } from "../model/decision-automaton.ts";
import { growthRate } from "./entropy.ts";

/** The edges of an unstable cycle, each once. */
export type CycleEdges = ReadonlySet<number>;

/** Rates are compared with this much of a doubt; differences below it are none. */
const SAME = 1e-9;

export class RemovalProblem {
  private readonly automaton: Automaton;
  /** None contains another: who breaks the smaller one breaks both. */
  private known: CycleEdges[] = [];
  private readonly keepGoing: () => boolean;

  /**
   * @param keepGoing where `false`, choices are no longer compared: those that break the cycles are
   * taken as they come.
   */
  constructor(automaton: Automaton, keepGoing: () => boolean = () => true) {
    this.automaton = automaton;
    this.keepGoing = keepGoing;
  }

  get cycles(): number {
    return this.known.length;
  }

  /** @returns false where a known cycle is already part of it. */
  add(cycle: CycleEdges): boolean {
    if (this.known.some((other) => isWithin(other, cycle))) return false;
    this.known = this.known.filter((other) => !isWithin(cycle, other));
    this.known.push(cycle);
    return true;
  }

  without(removed: ReadonlySet<number>): Automaton {
    const { nodes, edges } = this.automaton;
    return { nodes, edges: edges.filter((_, e) => !removed.has(e)) };
  }

  /** The given edges and, for every cycle that they leave, the one whose loss hurts least. */
  repaired(removed: ReadonlySet<number>): Set<number> {
    const more = new Set(removed);
    for (const cycle of this.known.toSorted((a, b) => a.size - b.size))
      if (!isBroken(cycle, more)) more.add(this.leastLoss(more, [...cycle]));
    return more;
  }

  /** Whether more is left without these edges than `rate` says. */
  isFreer(removed: ReadonlySet<number>, rate: number): boolean {
    return this.rate(removed) > rate + SAME;
  }

  quick(): Set<number> {
    return this.improved(this.greedy());
  }

  /**
   * Without what is not needed for the known cycles, and with single edges exchanged while that
   * gains.
   */
  improved(given: ReadonlySet<number>): Set<number> {
    const removed = new Set(given);
    let rate = this.rate(removed);
    for (let hasImproved = true; hasImproved; ) {
      hasImproved = false;
      for (const edge of [...removed]) {
        if (!this.keepGoing()) return removed;
        const exchanged = this.exchange(removed, edge, rate);
        if (exchanged === undefined) continue;
        rate = exchanged;
        hasImproved = true;
      }
    }
    return removed;
  }

  /**
   * The best set there is for the known cycles.
   * @param maxBranches the number of branches that are tried before giving up.
   * @returns undefined when it gave up.
   */
  exact(maxBranches: number): Set<number> | undefined {
    let best = this.quick();
    let bestRate = this.rate(best);
    let branches = 0;
    const kept = new Set<number>();
    const removed = new Set<number>();
    const search = (): boolean => {
      if (++branches > maxBranches || !this.keepGoing()) return false;
      const rate = this.rate(removed);
      if (rate <= bestRate + SAME) return true;
      const open = this.tightest(removed, kept);
      if (open === undefined) {
        best = new Set(removed);
        bestRate = rate;
        return true;
      }
      // Some edge of the cycle goes: the first one that does is tried in turn, so those before it
      // stay.
      const stayed: number[] = [];
      let isComplete = true;
      for (const edge of open) {
        removed.add(edge);
        isComplete = search();
        removed.delete(edge);
        if (!isComplete) break;
        kept.add(edge);
        stayed.push(edge);
      }
      for (const edge of stayed) kept.delete(edge);
      return isComplete;
    };
    return search() ? best : undefined;
  }

  /**
   * The unbroken cycle with the fewest edges that may still go; empty where one cannot be broken
   * any more.
   */
  private tightest(
    removed: ReadonlySet<number>,
    kept: ReadonlySet<number>,
  ): readonly number[] | undefined {
    let tightest: readonly number[] | undefined;
    for (const cycle of this.known) {
      if (isBroken(cycle, removed)) continue;
      const free = [...cycle].filter((edge) => !kept.has(edge));
      if (tightest === undefined || free.length < tightest.length) tightest = free;
    }
    return tightest;
  }

  private greedy(): Set<number> {
    const removed = new Set<number>();
    let open: readonly CycleEdges[] = this.known;
    while (open.length > 0) {
      const counts = new Map<number, number>();
      for (const cycle of open)
        for (const edge of cycle) counts.set(edge, (counts.get(edge) ?? 0) + 1);
      const most = Math.max(...counts.values());
      const tied = [...counts].filter(([, count]) => count === most).map(([edge]) => edge);
      removed.add(tied.length === 1 ? tied[0] : this.leastLoss(removed, tied));
      open = open.filter((cycle) => !isBroken(cycle, removed));
    }
    return removed;
  }

  private leastLoss(removed: ReadonlySet<number>, candidates: readonly number[]): number {
    let [best, bestRate] = [candidates[0], -1];
    for (const edge of candidates) {
      if (!this.keepGoing()) break;
      const rate = this.rate(new Set([...removed, edge]));
      if (rate > bestRate + SAME) [best, bestRate] = [edge, rate];
    }
    return best;
  }

  /**
   * Gives an edge back, for another one or for nothing, if the rate gains. @returns the new rate.
   */
  private exchange(removed: Set<number>, edge: number, rate: number): number | undefined {
    removed.delete(edge);
    const open = this.known.filter((cycle) => !isBroken(cycle, removed));
    const [first, ...others] = open;
    if (first === undefined) return this.rate(removed);
    for (const candidate of first) {
      if (candidate === edge || !others.every((cycle) => cycle.has(candidate))) continue;
      removed.add(candidate);
      const exchanged = this.rate(removed);
      if (exchanged > rate + SAME) return exchanged;
      removed.delete(candidate);
    }
    removed.add(edge);
    return undefined;
  }

  private rate(removed: ReadonlySet<number>): number {
    return growthRate(this.without(removed), SAME / 10).lower;
  }
}

function isWithin(small: CycleEdges, large: CycleEdges): boolean {
  if (small.size > large.size) return false;
  for (const edge of small) if (!large.has(edge)) return false;
  return true;
}

function isBroken(cycle: CycleEdges, removed: ReadonlySet<number>): boolean {
  for (const edge of cycle) if (removed.has(edge)) return true;
  return false;
}
