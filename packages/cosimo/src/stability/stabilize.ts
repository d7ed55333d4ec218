/**
 * Lift and constrain (Gomes, PhD thesis, sections 5.6 to 5.9): takes as few decisions away as it can, so that whatever sequence of decisions is left, the system is stable.
 *
 * The automaton is lifted, so that a decision is forbidden only after others; edges of unstable cycles are removed; an oracle then proves
 * that all that is left is stable or shows more cycles. Once there is an answer, edges are chosen anew for all cycles known by then (an edge
 * that was removed for one cycle may come back when a later one makes another edge the better choice), as long as that gains. With exact
 * choices the result is optimal for its lift: no other set of edges breaks all cycles that must be broken and leaves more.
 */
import type { Automaton } from "../model/decision-automaton.ts";
import { type DecisionGuard, freestNode } from "../model/decision-guard.ts";
import { type LiftedAutomaton, liftAutomaton, pathNumbers } from "./automaton.ts";
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

export interface Stabilized {
  /** One strongly connected part of the lifted automaton; without nodes where every cycle is unstable. */
  readonly automaton: Automaton;
  /** By node of it: the last decisions that lead there, oldest first (as many as the lift has). */
  readonly memories: readonly (readonly number[])[];
  readonly rate: GrowthRate;
  /** Sequences of `lift + 1` decisions that are forbidden because of cycles. */
  readonly forbidden: readonly (readonly number[])[];
  /** One norm a node: see stabilize-verify.ts. */
  readonly forms: readonly Float64Array[];
  /** By an independent check. */
  readonly proof: Verification & { readonly holds: true };
  /** No other choice of edges of this lift leaves more freedom. */
  readonly isOptimal: boolean;
  /** Cycles that were broken although nobody proved that they grow. */
  readonly unproven: readonly (readonly number[])[];
  /** Calls of the oracle. */
  readonly rounds: number;
}

/** Closed walks that are tried one by one before the oracle is asked: the longer a memory, the longer what it can tell apart. */
const triedLength = (lift: number): number => Math.max(3, 2 + 2 * lift);
const TRIED_PRODUCTS = 200_000;
const MAX_BRANCHES = 20_000;

/** Calls of the oracle after the first answer, in search of a freer one. */
const ATTEMPTS = 60;
/** From so many nodes on a choice that begins from nothing meets too many cycles that nobody has seen yet. */
const LARGE = 200;

export function stabilize(system: SwitchedSystem, options: StabilizeOptions): Stabilized {
  return new Stabilizer(system, options).run();
}

class Stabilizer {
  readonly #system: SwitchedSystem;
  readonly #options: StabilizeOptions;
  readonly #lifted: LiftedAutomaton;
  readonly #problem: RemovalProblem;
  /** Edges of the lifted automaton by node and mode. */
  readonly #edgeAt: ReadonlyMap<string, number>;
  readonly #unproven: (readonly number[])[] = [];
  #isExact: boolean;
  #rounds = 0;

  constructor(system: SwitchedSystem, options: StabilizeOptions) {
    this.#system = system;
    this.#options = options;
    this.#isExact = options.exact ?? false;
    this.#lifted = liftAutomaton(system.automaton, options.lift);
    this.#problem = new RemovalProblem(this.#lifted.automaton);
    this.#edgeAt = new Map(
      this.#lifted.automaton.edges.map(({ from, mode }, e) => [`${from} ${mode}`, e]),
    );
    const numbers = pathNumbers(this.#lifted);
    const { cycles } = unstableCycles(system, triedLength(options.lift), TRIED_PRODUCTS);
    for (const walk of cycles)
      if (this.#problem.add(new Set(numbers(walk)))) this.#note(system, walk);
  }

  run(): Stabilized {
    let removed = this.#chosen();
    let found = this.#tryOut(removed);
    while (found === undefined) {
      // Exact choices are made anew for all cycles; others only break what is open, until there is a first answer.
      removed = this.#isExact ? this.#chosen() : this.#problem.repaired(removed);
      found = this.#tryOut(removed);
    }
    if (!this.#isExact) found = this.#freer(found, removed);
    return {
      ...found,
      unproven: this.#unproven,
      rounds: this.#rounds,
      isOptimal: this.#isExact && this.#unproven.length === 0,
    };
  }

  /** Chooses anew for all cycles that are known by now, as long as that gains. */
  #freer(first: Stabilized, removed: ReadonlySet<number>): Stabilized {
    const problem = this.#problem;
    let [best, taken] = [first, removed];
    for (let left = ATTEMPTS; left > 0; ) {
      let next: ReadonlySet<number> =
        best.automaton.nodes > LARGE ? problem.improved(taken) : problem.quick();
      let found: Stabilized | undefined;
      while (found === undefined && left > 0 && problem.isFreer(next, best.rate.lower)) {
        left--;
        found = this.#tryOut(next);
        if (found === undefined) next = problem.repaired(next);
      }
      if (found === undefined) break;
      [best, taken] = [found, next];
    }
    return best;
  }

  #chosen(): Set<number> {
    const exact = this.#isExact ? this.#problem.exact(MAX_BRANCHES) : undefined;
    if (exact === undefined) this.#isExact = false;
    return exact ?? this.#problem.quick();
  }

  /** What is left without these edges, with its proof; undefined where it is not stable, and more cycles are known then. */
  #tryOut(removed: ReadonlySet<number>): Stabilized | undefined {
    const { automaton, nodes, rate } = freestComponent(this.#problem.without(removed));
    const round = ++this.#rounds;
    const tell = (verdict: StabilizeRound["verdict"], word: readonly number[] = []): void =>
      this.#options.onRound?.({
        round,
        cycles: this.#problem.cycles,
        removed: removed.size,
        rate: rate.lower,
        verdict,
        word,
      });
    const result = {
      automaton,
      memories: nodes.map((node) => this.#memoryOf(node)),
      rate,
      forbidden: [...removed].map((e) => this.#wordOf(this.#lifted.paths[e]!)),
      unproven: [],
      rounds: 0,
      isOptimal: false,
    };
    if (automaton.nodes === 0) {
      tell("empty");
      return { ...result, forms: [], proof: { holds: true, longest: 0, products: 0 } };
    }
    const part: SwitchedSystem = { ...this.#system, automaton };
    const verdict = judge(part);
    if (verdict.kind === "stable") {
      tell("stable");
      return { ...result, forms: verdict.norms, proof: verdict.proof };
    }
    const modesOf = (walk: readonly number[]): number[] =>
      walk.map((e) => automaton.edges[e]!.mode);
    tell(verdict.kind, modesOf(verdict.cycles[0]!));
    let isNews = false;
    for (const walk of verdict.cycles) {
      const edges = walk.map((e) => {
        const { from, mode } = automaton.edges[e]!;
        return this.#edgeAt.get(`${nodes[from]} ${mode}`)!;
      });
      if (!this.#problem.add(new Set(edges))) continue;
      isNews = true;
      this.#note(part, walk);
    }
    if (!isNews) throw new Error("internal: broken cycles are back");
    return undefined;
  }

  /** Remembers cycles that are not certain to grow. */
  #note(system: SwitchedSystem, walk: readonly number[]): void {
    const { rate, word } = certify(system, walk);
    if (rate < 1) this.#unproven.push(word);
  }

  #wordOf(walk: readonly number[]): number[] {
    return walk.map((e) => this.#system.automaton.edges[e]!.mode);
  }

  /** What a node of the lift remembers: the modes of the path that it stands for. */
  #memoryOf(node: number): number[] {
    const { lift } = this.#options;
    if (lift === 0) return [];
    const leaving = this.#lifted.automaton.edges.findIndex(({ from }) => from === node);
    return this.#wordOf(this.#lifted.paths[leaving]!.slice(0, lift));
  }
}

/** What an adaptive master obeys (`guard`), for the policies that the system's modes are. */
export function guardOf({ names }: SwitchedSystem, { automaton }: Stabilized): DecisionGuard {
  return { policies: names, automaton, start: freestNode(automaton) };
}

/** The system whose stability means that the given one falls at least like rateᵏ. */
export function shrunk<T extends SwitchedSystem>(system: T, rate: number): T {
  if (rate === 1) return system;
  return { ...system, matrices: system.matrices.map((a) => a.map((value) => value / rate)) };
}
