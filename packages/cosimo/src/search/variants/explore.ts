/**
 * Runs variants and ranks them: robustness against cost. The cheapest goes first, and what was seen
 * says which of the others are worth running: a variant that costs more than one that satisfies
 * everything must be more robust to be better. The search stops when none of the rest is likely to
 * be.
 *
 * How a variant is run is the caller's: in a process of its own, or in a pool of them.
 */
import type { Verdict } from "../../requirements/check-requirement.ts";
import { chanceAbove, type Levels, learnScores } from "./learn.ts";
import type { Variant } from "./space.ts";

/** A variant that may be run, and what a run of it costs. */
export interface Candidate {
  readonly variant: Variant;
  /** Steps of all units together. */
  readonly cost: number;
}

export interface VariantRun {
  /** How it ended; verdicts are those on the rows that there are. */
  readonly isCompleted: boolean;
  /** Why not. */
  readonly failure?: string;
  readonly verdicts: readonly Verdict[];
  readonly wallSeconds: number;
}

export interface TriedVariant extends Candidate {
  readonly run: VariantRun;
  /** See `scoresOf`. */
  readonly score: number;
  readonly isSatisfied: boolean;
}

export interface Exploration {
  /** In the order in which they were run, with scores by all runs. */
  readonly tried: readonly TriedVariant[];
  /** What was not run: nothing better was likely, or a limit was reached. */
  readonly skipped: readonly Candidate[];
  readonly why: string;
  /** No other variant costs less and is as robust; the cheapest first. */
  readonly front: readonly TriedVariant[];
  /** The cheapest one that satisfies everything. */
  readonly winner?: TriedVariant;
  /** How much the choice at each point of the diagram matters, from 0 to 1. */
  readonly matters: readonly { readonly point: string; readonly matters: number }[];
}

export interface ExploreOptions {
  readonly run: (candidate: Candidate) => Promise<VariantRun | undefined>;
  /** At most so many runs. */
  readonly runs?: number;
  /** No run begins when it says so. */
  readonly isOver?: () => boolean;
  readonly onRun?: (tried: TriedVariant, done: number, left: number) => void;
}

/** A variant is worth a run if it is better with this probability. */
const LIKELY = 0.05;
/** Better: by so much of the best robustness. */
const BETTER = 0.05;
/** So many runs are needed before anything is concluded. */
const FIRST_RUNS = 3;

export async function explore(
  candidates: readonly Candidate[],
  { run, runs = Number.POSITIVE_INFINITY, isOver = () => false, onRun }: ExploreOptions,
): Promise<Exploration> {
  const open = candidates.toSorted((a, b) => a.cost - b.cost || a.variant.rank - b.variant.rank);
  const seen: { candidate: Candidate; run: VariantRun }[] = [];
  let why = "every variant was run";
  while (open.length > 0) {
    if (seen.length >= runs || isOver()) {
      why = seen.length >= runs ? `after ${runs} runs, as requested` : "the time is over";
      break;
    }
    const next = seen.length < FIRST_RUNS ? 0 : nextWorthwhile(open, rated(seen));
    const [candidate] = next < 0 ? [] : open.splice(next, 1);
    if (candidate === undefined) {
      why = "nothing better is likely";
      break;
    }
    const done = await run(candidate);
    if (done === undefined) {
      why = "cancelled";
      open.unshift(candidate);
      break;
    }
    seen.push({ candidate, run: done });
    onRun?.(rated(seen).at(-1) as TriedVariant, seen.length, open.length);
  }
  const tried = rated(seen);
  const winner = tried.filter(({ isSatisfied }) => isSatisfied).toSorted(byCost)[0];
  return {
    tried,
    skipped: open,
    why,
    front: frontOf(tried),
    ...(winner !== undefined && { winner }),
    matters: mattering(tried),
  };
}

const byCost = (a: TriedVariant, b: TriedVariant): number =>
  a.cost - b.cost || b.score - a.score || a.variant.rank - b.variant.rank;

/** The cheapest variant that may be better than what is known; -1: none is likely to be. */
function nextWorthwhile(open: readonly Candidate[], tried: readonly TriedVariant[]): number {
  const learned = learnScores(
    pointsOf(tried),
    tried.map((one) => ({ levels: levelsOf(one.variant), score: one.score })),
  );
  const isSatisfied = tried.some((one) => one.isSatisfied);
  const isNew = ({ choices }: Variant): boolean =>
    choices.some(
      ({ choice }) => !tried.some((one) => one.variant.choices.some((c) => c.choice === choice)),
    );
  return open.findIndex(({ variant, cost }) => {
    // As long as nothing satisfies, no choice is given up that was never run.
    if (!isSatisfied && isNew(variant)) return true;
    // Those that cost no more have to be beaten.
    const rivals = tried.filter((one) => one.cost <= cost);
    const best = Math.max(-1, ...rivals.map(({ score }) => score));
    const limit = best < 0 ? best : best * (1 + BETTER);
    return chanceAbove(learned.predict(levelsOf(variant)), limit) > LIKELY;
  });
}

function levelsOf({ choices }: Variant): Levels {
  return choices.map(({ point, choice }) => point.choices.indexOf(choice));
}

function pointsOf(tried: readonly TriedVariant[]): number {
  return tried[0]?.variant.choices.length ?? 0;
}

function rated(seen: readonly { candidate: Candidate; run: VariantRun }[]): TriedVariant[] {
  const scores = scoresOf(seen.map(({ run }) => run));
  return seen.map(({ candidate, run }, i) => ({
    ...candidate,
    run,
    score: scores[i] ?? -1,
    isSatisfied: run.isCompleted && run.verdicts.every(({ state }) => state !== "violated"),
  }));
}

/**
 * One number per run, from -1 to 1: that of its worst requirement, where the best robustness that
 * any run has of a requirement is 1 and the worst violation is -1. Not negative exactly where
 * everything is satisfied. A run that failed is -1.
 */
export function scoresOf(runs: readonly VariantRun[]): number[] {
  const names = new Set(runs.flatMap(({ verdicts }) => verdicts.map(({ name }) => name)));
  const scales = new Map(
    [...names].map((name) => {
      const found = runs.flatMap(({ verdicts }) =>
        verdicts.filter((one) => one.name === name && Number.isFinite(one.robustness)),
      );
      const values = found.map(({ robustness }) => robustness);
      return [name, { best: Math.max(0, ...values), worst: Math.max(0, ...values.map((v) => -v)) }];
    }),
  );
  return runs.map(({ isCompleted, verdicts }) => {
    if (!isCompleted) return -1;
    return Math.min(
      1,
      ...verdicts.map(({ name, robustness, state }) => {
        const { best, worst } = scales.get(name) ?? { best: 0, worst: 0 };
        const isViolated = state === "violated";
        const scale = isViolated ? worst : best;
        if (!Number.isFinite(robustness) || scale === 0) return isViolated ? -1 : 1;
        const part = Math.min(1, Math.abs(robustness) / scale);
        return isViolated ? -Math.max(part, Number.EPSILON) : part;
      }),
    );
  });
}

/** Pareto: from the cheapest on, those that are more robust than all that cost less. */
export function frontOf(tried: readonly TriedVariant[]): TriedVariant[] {
  const front: TriedVariant[] = [];
  for (const one of tried.toSorted(byCost)) {
    const best = front.at(-1)?.score ?? Number.NEGATIVE_INFINITY;
    if (one.run.isCompleted && one.score > best) front.push(one);
  }
  return front;
}

function mattering(tried: readonly TriedVariant[]): Exploration["matters"] {
  const [first] = tried;
  if (first === undefined) return [];
  const { matters } = learnScores(
    pointsOf(tried),
    tried.map((one) => ({ levels: levelsOf(one.variant), score: one.score })),
  );
  return first.variant.choices.map(({ point }, p) => {
    const levels = new Set(tried.map(({ variant }) => levelsOf(variant)[p]));
    // Of a choice that was never varied nothing is known.
    return { point: point.name, matters: levels.size > 1 ? (matters[p] ?? 0) : 0 };
  });
}

/** Requirements that no run satisfies, with the one that comes closest: perhaps it is the model. */
export function neverSatisfied(
  tried: readonly TriedVariant[],
): { readonly name: string; readonly closest: Verdict }[] {
  const names = new Set(tried.flatMap(({ run }) => run.verdicts.map(({ name }) => name)));
  return [...names].flatMap((name) => {
    const verdicts = tried.flatMap(({ run }) => run.verdicts.filter((one) => one.name === name));
    if (verdicts.some(({ state }) => state !== "violated")) return [];
    const closest = verdicts.reduce((a, b) => (b.robustness > a.robustness ? b : a));
    return [{ name, closest }];
  });
}
