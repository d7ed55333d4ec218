/**
 * Both questions about a described hybrid system, answered and put to the test: the analyses, then
 * co-simulations just below and just above what they say, and wherever the file asks for more.
 */
import type { HybridDescription } from "../../model/hybrid-description.ts";
import { withinTime } from "../../numerics/time-limit.ts";
import {
  type HybridRun,
  latestSwitch,
  simulateHybridDelay,
  simulateHybridStep,
} from "../../run/simulate-hybrid.ts";
import { maximumStableDelay, type StableDelay } from "../../stability/hybrid-delay.ts";
import { type Assumption, delayAssumptions } from "../../stability/hybrid-delay-assumptions.ts";
import { type SafeStep, safeStepByEnergy } from "../../stability/hybrid-energy.ts";
import { hybridModelOf, scalarOf } from "../../stability/hybrid-from-description.ts";
import type { HybridModel, VectorField } from "../../stability/hybrid-model.ts";

/** How far below and above the bound the co-simulations are. */
const BELOW = 0.95;
const ABOVE = 1.05;

export interface Trial {
  /** Where it lies relative to the bound; "asked" for those that the file names. */
  readonly place: "below" | "above" | "asked";
  /** The delay, or the communication step, at its longest. */
  readonly seconds: number;
  readonly run: HybridRun;
}

export interface DelayAnswer {
  readonly result: StableDelay;
  readonly assumptions: readonly Assumption[];
  readonly trials: readonly Trial[];
}

export interface StepAnswer {
  readonly result: SafeStep;
  readonly trials: readonly Trial[];
}

export interface HybridAnswers {
  readonly model: HybridModel;
  /** null when the question could not be answered: no equilibrium. */
  readonly delay?: DelayAnswer | null;
  readonly step?: StepAnswer;
  /** What was under way when the time was up; all that follows is missing. */
  readonly timeIsUp?: string;
}

/** Both questions, one stage after the other; what is answered when the time is up stays. */
export async function analyzeHybrid(
  description: HybridDescription,
  units: ReadonlyMap<string, VectorField>,
  simulate: boolean,
  report: (doing: string) => void,
  keepGoing: () => boolean,
): Promise<HybridAnswers> {
  const model = hybridModelOf(description, units);
  const stages = new Stages(report, keepGoing);
  const answers: { delay?: DelayAnswer | null; step?: StepAnswer } = {};
  try {
    const { delay, step } = description;
    const how = simulate ? description.simulate : undefined;
    if (delay) {
      const section = scalarOf(delay.section, description);
      await answerDelay(model, { ...delay, section }, how, stages, answers);
    }
    if (step) await answerStep(model, step, how, stages, answers);
  } catch (error) {
    if (!(error instanceof TimeIsUp)) throw error;
    return { model, ...answers, timeIsUp: stages.doing };
  }
  return { model, ...answers };
}

class TimeIsUp extends Error {}

/** What is done, reported before it begins and ended when the time is up. */
class Stages {
  doing = "";
  private readonly report: (doing: string) => void;
  private readonly keepGoing: () => boolean;

  constructor(report: (doing: string) => void, keepGoing: () => boolean) {
    this.report = report;
    this.keepGoing = keepGoing;
  }

  compute<T>(doing: string, compute: () => T): T {
    this.begin(doing);
    return withinTime(this.keepGoing, compute, (): never => {
      throw new TimeIsUp();
    });
  }

  async simulate(
    doing: string,
    run: (keepGoing: () => boolean) => Promise<HybridRun>,
  ): Promise<HybridRun> {
    this.begin(doing);
    const result = await run(this.keepGoing);
    if (result.outcome.kind !== "completed" && !this.keepGoing()) throw new TimeIsUp();
    return result;
  }

  private begin(doing: string): void {
    this.doing = doing;
    this.report(doing);
    if (!this.keepGoing()) throw new TimeIsUp();
  }
}

type Asked<Question extends "delay" | "step"> = NonNullable<HybridDescription[Question]>;

async function answerDelay(
  model: HybridModel,
  {
    tries,
    ...question
  }: Omit<Asked<"delay">, "section"> & {
    readonly section: ReturnType<typeof scalarOf>;
  },
  how: HybridDescription["simulate"],
  stages: Stages,
  answers: { delay?: DelayAnswer | null },
): Promise<void> {
  const result = stages.compute("looking for closed orbits", () =>
    maximumStableDelay(model, question),
  );
  if (result === undefined) {
    answers.delay = null;
    return;
  }
  const trials: Trial[] = [];
  answers.delay = { result, assumptions: [], trials };
  const assumptions = stages.compute(
    "checking the assumptions",
    () => delayAssumptions(model, question, result) ?? [],
  );
  answers.delay = { result, assumptions, trials };
  const { orbit, bound, equilibrium } = result;
  if (how === undefined) return;
  const attempt = async (
    place: Trial["place"],
    start: ArrayLike<number>,
    leaving: number,
    returning: number,
  ): Promise<void> => {
    const longest = Math.max(leaving, returning);
    const late = { home: equilibrium.mode, leaving, returning };
    const run = await stages.simulate(
      `co-simulating with a delay of ${longest.toPrecision(4)} s`,
      (keepGoing) => simulateHybridDelay(model, { start, stop: how.stop, keepGoing }, late),
    );
    const seconds = place === "below" ? latestSwitch(longest) : longest;
    trials.push({ place, seconds, run });
  };
  if (orbit !== undefined && bound > 0) {
    // Seen from above, the longest effective delay stays below; seen from below, the shortest stays
    // above.
    const below = BELOW / latestSwitch(1);
    await attempt("below", orbit.x, below * orbit.leaving, below * orbit.returning);
    await attempt("above", orbit.x, ABOVE * orbit.leaving, ABOVE * orbit.returning);
  }
  const share = orbit === undefined || orbit.leaving < orbit.returning / 2 ? 0 : 1;
  for (const delay of tries) await attempt("asked", how.start, share * delay, delay);
}

async function answerStep(
  model: HybridModel,
  { range, longest, tries }: Asked<"step">,
  how: HybridDescription["simulate"],
  stages: Stages,
  answers: { step?: StepAnswer },
): Promise<void> {
  const result = stages.compute("following energies from round to round", () =>
    safeStepByEnergy(model, { range, longest }),
  );
  const trials: Trial[] = [];
  answers.step = { result, trials };
  if (how === undefined) return;
  const attempt = async (place: Trial["place"], step: number): Promise<void> => {
    const run = await stages.simulate(
      `co-simulating with a step of ${step.toPrecision(4)} s`,
      (keepGoing) => simulateHybridStep(model, { ...how, keepGoing }, step),
    );
    trials.push({ place, seconds: step, run });
  };
  if (result.bound > 0 && result.bound < Number.POSITIVE_INFINITY) {
    await attempt("below", BELOW * result.bound);
    await attempt("above", ABOVE * result.bound);
  }
  for (const step of tries) await attempt("asked", step);
}
