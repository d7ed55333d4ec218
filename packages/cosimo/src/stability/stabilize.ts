/**
 * Lift and constrain: takes as few decisions away as it can, so that whatever sequence of decisions is left, the system is stable.
 *
 * The automaton is lifted, so that a decision is forbidden only after others; edges of unstable cycles are removed; an oracle then proves
 * that all that is left is stable or shows one more cycle. Edges are chosen anew for all cycles known so far (an edge that was
 * removed for one cycle may come back when a later one makes another edge the better choice), so that with exact choices the result is
 * optimal for its lift: no other set of edges breaks all cycles that must be broken and leaves more.
 */
import type { Automaton } from "../model/decision-automaton.ts";
import { liftAutomaton, pathNumbers } from "./automaton.ts";
import { freestComponent, type GrowthRate } from "./entropy.ts";
import { unstableCycles } from "./stabilize-cycles.ts";
import { judge } from "./stabilize-oracle.ts";
import { RemovalProblem } from "./stabilize-removal.ts";
import { type Verification, verifyStability } from "./stabilize-verify.ts";
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
const MAX_BRANCHES = 300_000;

/** @throws Error when a proof that was found does not survive its check: a bug. */
export function stabilize(system: SwitchedSystem, options: StabilizeOptions): Stabilized {
  const lifted = liftAutomaton(system.automaton, options.lift);
  const numbers = pathNumbers(lifted);
  const problem = new RemovalProblem(lifted.automaton);
  const wordOf = (walk: readonly number[]): number[] =>
    walk.map((e) => system.automaton.edges[e]!.mode);
  for (const cycle of unstableCycles(system, triedLength(options.lift), TRIED_PRODUCTS).cycles)
    problem.add(new Set(numbers(cycle)));
  const numberOf = new Map(
    lifted.automaton.edges.map(({ from, mode }, e) => [`${from} ${mode}`, e]),
  );
  const edgeAt = (node: number, mode: number): number => numberOf.get(`${node} ${mode}`)!;
  const unproven: (readonly number[])[] = [];
  let isExact = options.exact ?? false;
  for (let round = 1; ; round++) {
    const exact = isExact ? problem.exact(MAX_BRANCHES) : undefined;
    if (exact === undefined) isExact = false;
    const removed = exact ?? problem.quick();
    const { automaton, nodes, rate } = freestComponent(problem.without(removed));
    const said = { round, cycles: problem.cycles, removed: removed.size, rate: rate.lower };
    const memories = nodes.map((node) => memoryOf(system, lifted, node, options.lift));
    const result = {
      automaton,
      memories,
      rate,
      forbidden: [...removed].map((e) => wordOf(lifted.paths[e]!)),
      unproven,
      rounds: round,
      isOptimal: isExact && unproven.length === 0,
    };
    if (automaton.nodes === 0) {
      options.onRound?.({ ...said, verdict: "empty", word: [] });
      const proof = { holds: true, longest: 0, products: 0 } as const;
      return { ...result, forms: [], proof };
    }
    const part: SwitchedSystem = { ...system, automaton };
    const verdict = judge(part);
    if (verdict.kind === "stable") {
      const forms = verdict.norms;
      const proof = verifyStability(part, forms);
      if (!proof.holds)
        throw new Error(`internal: a proof of stability fails at node ${proof.node}`);
      options.onRound?.({ ...said, verdict: "stable", word: [] });
      return { ...result, forms, proof };
    }
    const words = verdict.cycles.map((walk) => walk.map((e) => automaton.edges[e]!.mode));
    options.onRound?.({ ...said, verdict: verdict.kind, word: words[0]! });
    const isNew = verdict.cycles.map((walk) => {
      const edges = walk.map((e) =>
        edgeAt(nodes[automaton.edges[e]!.from]!, automaton.edges[e]!.mode),
      );
      return problem.add(new Set(edges));
    });
    if (!isNew.includes(true)) throw new Error("internal: broken cycles are back");
    verdict.cycles.forEach((walk, k) => {
      const isProven = verdict.kind === "unstable" && certify(part, walk).rate >= 1;
      if (isNew[k] && !isProven) unproven.push(words[k]!);
    });
  }
}

/** The system whose stability means that the given one falls at least like rateᵏ. */
export function shrunk<T extends SwitchedSystem>(system: T, rate: number): T {
  if (rate === 1) return system;
  return { ...system, matrices: system.matrices.map((a) => a.map((value) => value / rate)) };
}

/** What a node of the lift remembers: the modes of the path that it stands for. */
function memoryOf(
  system: SwitchedSystem,
  { automaton, paths }: ReturnType<typeof liftAutomaton>,
  node: number,
  degree: number,
): number[] {
  if (degree === 0) return [];
  const leaving = automaton.edges.findIndex(({ from }) => from === node);
  return paths[leaving]!.slice(0, degree).map((e) => system.automaton.edges[e]!.mode);
}
