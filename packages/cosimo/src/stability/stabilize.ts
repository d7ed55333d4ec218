/**
 * Lift and constrain (Gomes, PhD thesis, sections 5.6 to 5.9): takes as few decisions away as it
 * can, so that whatever sequence of decisions is left, the system is stable.
 *
 * The automaton is lifted, so that a decision is forbidden only after others; edges of unstable
 * cycles are removed; an oracle then proves that all that is left is stable or shows more cycles.
 * Once there is an answer, edges are chosen again for all cycles known by then (an edge that was
 * removed for one cycle may come back when a later one makes another edge the better choice), as
 * long as that gains. With exact choices the result is optimal for its lift: no other set of edges
 * breaks all cycles that must be broken and leaves more.
 *
 * Only cycles whose products do not shrink are broken. Where the oracle neither proves nor refutes,
 * the answer is that it is undecided: a guard that forbids what was not shown to be wrong would be
 * a guess.
 */
import type { Automaton } from "../model/decision-automaton.ts";
import { type DecisionGuard, freestNode } from "../model/decision-guard.ts";
import { spectralRadius } from "../numerics/eigenvalues.ts";
import { withinTime } from "../numerics/time-limit.ts";
import { type LiftedAutomaton, liftAutomaton, pathNumbers } from "./automaton.ts";
import { productOf } from "./certified-product.ts";
import { freestComponent, type GrowthRate } from "./entropy.ts";
import { unstableCycles } from "./stabilize-cycles.ts";
import { judge } from "./stabilize-oracle.ts";
import { RemovalProblem } from "./stabilize-removal.ts";
import type { Verification } from "./stabilize-verify.ts";
import type { SwitchedSystem } from "./switched-system.ts";
import { certify } from "./unstable-cycle.ts";

export interface StabilizeOptions {
  /** Decisions that a node remembers. */
  readonly lift: number;
  /** Look for the best edges to remove, not for good ones. */
  readonly exact?: boolean;
  /** Stop after this time; needs `now`. */
  readonly budgetMs?: number;
  /** A clock, in milliseconds. */
  readonly now?: () => number;
  readonly onRound?: (round: StabilizeRound) => void;
}

export interface StabilizeRound {
  readonly round: number;
  /** Unstable cycles known, of which none contains another. */
  readonly cycles: number;
  readonly removed: number;
  readonly rate: number;
  readonly verdict: "stable" | "unstable" | "undecided" | "empty";
  /** Modes of the cycle that was found. */
  readonly word: readonly number[];
}

/** A cycle that was broken, and why. */
export interface BrokenCycle {
  /** Its modes. */
  readonly word: readonly number[];
  /**
   * Growth per step when it is repeated: at least this much where it `grows`, and else as computed.
   */
  readonly rate: number;
  /**
   * Proved to grow for the exact matrices. If not, its product as computed does not shrink, which
   * no proof of stability can cross.
   */
  readonly grows: boolean;
}

/** Where neither stability nor a cycle that grows was found for what is left. */
export interface Undecided {
  /**
   * The closed walk that came nearest to growing; without modes where there was no time to find
   * one.
   */
  readonly word: readonly number[];
  /** At least its growth per step. */
  readonly rate: number;
  /** The time was up, or there is nothing left to try. */
  readonly because: "budget" | "effort";
}

export interface Stabilized {
  /**
   * One strongly connected part of the lifted automaton; without nodes where every cycle is
   * unstable, and where it is undecided.
   */
  readonly automaton: Automaton;
  /** By node of it: the last decisions that lead there, oldest first (as many as the lift has). */
  readonly memories: readonly (readonly number[])[];
  readonly rate: GrowthRate;
  /** Sequences of `lift + 1` decisions that are forbidden because of cycles. */
  readonly forbidden: readonly (readonly number[])[];
  /** By forbidden sequence: the cycle that it belongs to and that had to be broken. */
  readonly reasons: readonly BrokenCycle[];
  /** One norm per node: see stabilize-verify.ts. */
  readonly forms: readonly Float64Array[];
  /** By an independent check. */
  readonly proof: Verification & { readonly holds: true };
  /** No other choice of edges of this lift leaves more freedom. */
  readonly isOptimal: boolean;
  /** Present where there is no guard because it is not known whether it would be stable. */
  readonly undecided?: Undecided;
  /**
   * Cycles that were broken although it is not proved that they grow: as computed, they do not
   * shrink.
   */
  readonly unproven: readonly (readonly number[])[];
  /** The time was up before it was known whether another choice leaves more. */
  readonly isCutShort: boolean;
  /** Calls of the oracle. */
  readonly rounds: number;
}

/**
 * Closed walks that are tried one by one before the oracle is asked: the longer a memory, the
 * longer what it can distinguish.
 */
const triedLength = (lift: number): number => Math.max(3, 2 + 2 * lift);
const TRIED_PRODUCTS = 200_000;
const MAX_BRANCHES = 20_000;

/** Calls of the oracle after the first answer, in search of a freer one. */
const ATTEMPTS = 60;
/**
 * From so many nodes on a choice that begins from nothing meets too many cycles that are not known
 * yet.
 */
const LARGE = 200;

export function stabilize(system: SwitchedSystem, options: StabilizeOptions): Stabilized {
  return new Stabilizer(system, options).run();
}

class Stabilizer {
  private readonly system: SwitchedSystem;
  private readonly options: StabilizeOptions;
  private readonly lifted: LiftedAutomaton;
  private readonly problem: RemovalProblem;
  /** Edges of the lifted automaton by node and mode. */
  private readonly edgeAt: ReadonlyMap<string, number>;
  private readonly keepGoing: () => boolean;
  /** All cycles that had to be broken, with their edges in the lifted automaton. */
  private readonly broken: (BrokenCycle & { readonly edges: ReadonlySet<number> })[] = [];
  private undecided: Undecided | undefined;
  private isExact: boolean;
  private rounds = 0;

  constructor(system: SwitchedSystem, options: StabilizeOptions) {
    this.system = system;
    this.options = options;
    this.isExact = options.exact ?? false;
    this.lifted = liftAutomaton(system.automaton, options.lift);
    const { now, budgetMs } = options;
    const deadline = now && budgetMs !== undefined ? now() + budgetMs : Infinity;
    this.keepGoing = () => now === undefined || now() < deadline;
    this.problem = new RemovalProblem(this.lifted.automaton, this.keepGoing);
    this.edgeAt = new Map(
      this.lifted.automaton.edges.map(({ from, mode }, e) => [`${from} ${mode}`, e]),
    );
    const numbers = pathNumbers(this.lifted);
    const length = triedLength(options.lift);
    this.withinTime(() => {
      const { cycles } = unstableCycles(system, length, TRIED_PRODUCTS, this.keepGoing);
      for (const walk of cycles) {
        if (!this.keepGoing()) break;
        this.break(system, walk, new Set(numbers(walk)));
      }
    });
  }

  /** Undefined, and undecided, where the time is up in between. */
  private withinTime<T>(compute: () => T): T | undefined {
    return withinTime(this.keepGoing, compute, () => {
      this.undecided ??= { word: [], rate: 0, because: "budget" };
      return undefined;
    });
  }

  run(): Stabilized {
    if (this.undecided !== undefined) return this.withoutAnswer(this.undecided);
    let removed = this.chosen();
    let found = this.tryOut(removed);
    while (found === undefined) {
      if (this.undecided !== undefined) return this.withoutAnswer(this.undecided);
      // Exact choices are made again for all cycles; others only break what is open, until there is
      // a first answer.
      removed = this.isExact ? this.chosen() : this.problem.repaired(removed);
      found = this.tryOut(removed);
    }
    if (!this.isExact) found = this.freer(found, removed);
    const unproven = this.unproven();
    return {
      ...found,
      unproven,
      rounds: this.rounds,
      isOptimal: this.isExact && unproven.length === 0,
      isCutShort: !this.isExact && !this.keepGoing(),
    };
  }

  private withoutAnswer(undecided: Undecided): Stabilized {
    return {
      ...NOTHING_LEFT,
      unproven: this.unproven(),
      undecided,
      rounds: this.rounds,
      isCutShort: undecided.because === "budget",
    };
  }

  private unproven(): (readonly number[])[] {
    return this.broken.filter(({ grows }) => !grows).map(({ word }) => word);
  }

  /** Chooses again for all cycles that are known by now, as long as that gains. */
  private freer(first: Stabilized, removed: ReadonlySet<number>): Stabilized {
    const problem = this.problem;
    let [best, taken] = [first, removed];
    for (let left = ATTEMPTS; left > 0 && this.keepGoing(); ) {
      let next: ReadonlySet<number> =
        best.automaton.nodes > LARGE ? problem.improved(taken) : problem.quick();
      let found: Stabilized | undefined;
      while (found === undefined && left > 0 && problem.isFreer(next, best.rate.lower)) {
        left--;
        found = this.tryOut(next);
        if (this.undecided !== undefined) return best;
        if (found === undefined) next = problem.repaired(next);
      }
      if (found === undefined) break;
      [best, taken] = [found, next];
    }
    return best;
  }

  private chosen(): Set<number> {
    const exact = this.isExact ? this.problem.exact(MAX_BRANCHES) : undefined;
    if (exact === undefined) this.isExact = false;
    return exact ?? this.problem.quick();
  }

  /**
   * What is left without these edges, with its proof; undefined where it is not stable, and then
   * either more cycles are known or it is undecided.
   */
  private tryOut(removed: ReadonlySet<number>): Stabilized | undefined {
    return this.withinTime(() => this.judged(removed));
  }

  private judged(removed: ReadonlySet<number>): Stabilized | undefined {
    const { automaton, nodes, rate } = freestComponent(this.problem.without(removed));
    const round = ++this.rounds;
    const report = (verdict: StabilizeRound["verdict"], word: readonly number[] = []): void =>
      this.options.onRound?.({
        round,
        cycles: this.problem.cycles,
        removed: removed.size,
        rate: rate.lower,
        verdict,
        word,
      });
    const result = {
      automaton,
      memories: nodes.map((node) => this.memoryOf(node)),
      rate,
      forbidden: [...removed].map((e) => this.wordOf(this.lifted.paths[e])),
      reasons: [...removed].map((e) => this.reasonOf(e, removed)),
      unproven: [],
      rounds: 0,
      isOptimal: false,
      isCutShort: false,
    };
    if (automaton.nodes === 0) {
      report("empty");
      return { ...result, forms: [], proof: NOTHING_LEFT.proof };
    }
    const part: SwitchedSystem = { ...this.system, automaton };
    const verdict = judge(part, this.keepGoing);
    if (verdict.kind === "stable") {
      report("stable");
      return { ...result, forms: verdict.norms, proof: verdict.proof };
    }
    const modesOf = (walk: readonly number[]): number[] => walk.map((e) => automaton.edges[e].mode);
    const nearest = verdict.cycles[0] ?? [];
    report(verdict.kind, modesOf(nearest));
    let isNews = false;
    if (verdict.kind === "unstable")
      for (const walk of verdict.cycles) {
        const edges = walk.map((e) => {
          const { from, mode } = automaton.edges[e];
          return this.edgeAt.get(`${nodes[from]} ${mode}`)!;
        });
        if (this.break(part, walk, new Set(edges))) isNews = true;
      }
    if (isNews) return undefined;
    this.undecided = {
      word: modesOf(nearest),
      rate: nearest.length > 0 ? certify(part, nearest).rate : 0,
      because: this.keepGoing() ? "effort" : "budget",
    };
    return undefined;
  }

  /**
   * Takes a closed walk up among those that must go, if its product does not shrink. @returns
   * whether that is news.
   */
  private break(
    system: SwitchedSystem,
    walk: readonly number[],
    edges: ReadonlySet<number>,
  ): boolean {
    const { rate, word } = certify(system, walk);
    const grows = rate >= 1;
    const computed = grows
      ? rate
      : spectralRadius(system.dimension, productOf(system, word)) ** (1 / word.length);
    if (!(computed >= 1) || !this.problem.add(edges)) return false;
    this.broken.push({ word, rate: computed, grows, edges });
    return true;
  }

  /**
   * The cycle for which an edge goes: one that no other removed edge breaks, the fastest of them.
   */
  private reasonOf(edge: number, removed: ReadonlySet<number>): BrokenCycle {
    const ranked = this.broken
      .filter(({ edges }) => edges.has(edge))
      .map((cycle) => ({
        cycle,
        isAlone: ![...cycle.edges].some((other) => other !== edge && removed.has(other)),
      }));
    ranked.sort(
      (a, b) =>
        Number(b.isAlone) - Number(a.isAlone) ||
        Number(b.cycle.grows) - Number(a.cycle.grows) ||
        b.cycle.rate - a.cycle.rate,
    );
    const { word, rate, grows } = ranked[0].cycle;
    return { word, rate, grows };
  }

  private wordOf(walk: readonly number[]): number[] {
    return walk.map((e) => this.system.automaton.edges[e].mode);
  }

  /** What a node of the lift remembers: the modes of the path that it stands for. */
  private memoryOf(node: number): number[] {
    const { lift } = this.options;
    if (lift === 0) return [];
    const leaving = this.lifted.automaton.edges.findIndex(({ from }) => from === node);
    return this.wordOf(this.lifted.paths[leaving].slice(0, lift));
  }
}

/** What there is where there is no answer. */
const NOTHING_LEFT: Stabilized = {
  automaton: { nodes: 0, edges: [] },
  memories: [],
  rate: { lower: 0, upper: 0 },
  forbidden: [],
  reasons: [],
  forms: [],
  proof: { holds: true, longest: 0, products: 0 },
  isOptimal: false,
  unproven: [],
  isCutShort: false,
  rounds: 0,
};

/** What an adaptive master obeys (`guard`), for the policies that the system's modes are. */
export function guardOf({ names }: SwitchedSystem, { automaton }: Stabilized): DecisionGuard {
  return { policies: names, automaton, start: freestNode(automaton) };
}

/** The system whose stability means that the given one falls at least like rateᵏ. */
export function shrunk<T extends SwitchedSystem>(system: T, rate: number): T {
  if (rate === 1) return system;
  return { ...system, matrices: system.matrices.map((a) => a.map((value) => value / rate)) };
}
