/**
 * Both questions about a described hybrid system, answered and put to the test: the analyses, then co-simulations just below and just
 * above what they say, and wherever the file asks for more.
 */
import type { HybridDescription } from "../../model/hybrid-description.ts";
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
  /** Where it stands to the bound; "asked" for those that the file names. */
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
}

export async function analyzeHybrid(
  description: HybridDescription,
  units: ReadonlyMap<string, VectorField>,
  simulate: boolean,
  tell: (doing: string) => void,
): Promise<HybridAnswers> {
  const model = hybridModelOf(description, units);
  const delay = description.delay && (await answerDelay(model, description, simulate, tell));
  const step = description.step && (await answerStep(model, description, simulate, tell));
  return {
    model,
    ...(delay === undefined ? {} : { delay }),
    ...(step === undefined ? {} : { step }),
  };
}

async function answerDelay(
  model: HybridModel,
  description: HybridDescription,
  simulate: boolean,
  tell: (doing: string) => void,
): Promise<DelayAnswer | null> {
  const { section, range, tries } = description.delay!;
  tell("looking for closed orbits");
  const question = { section: scalarOf(section, description), range };
  const result = maximumStableDelay(model, question);
  if (result === undefined) return null;
  tell("checking the assumptions");
  const assumptions = delayAssumptions(model, question, result) ?? [];
  const trials: Trial[] = [];
  const { orbit, bound, equilibrium } = result;
  const { simulate: how } = description;
  if (!simulate || how === undefined) return { result, assumptions, trials };
  const attempt = async (
    place: Trial["place"],
    start: ArrayLike<number>,
    leaving: number,
    returning: number,
  ): Promise<void> => {
    const longest = Math.max(leaving, returning);
    tell(`co-simulating with a delay of ${longest.toPrecision(4)} s`);
    const late = { home: equilibrium.mode, leaving, returning };
    const run = await simulateHybridDelay(model, { start, stop: how.stop }, late);
    const seconds = place === "below" ? latestSwitch(longest) : longest;
    trials.push({ place, seconds, run });
  };
  if (orbit !== undefined && bound > 0) {
    // Seen from above, the longest effective delay stays below; seen from below, the shortest stays above.
    const below = BELOW / latestSwitch(1);
    await attempt("below", orbit.x, below * orbit.leaving, below * orbit.returning);
    await attempt("above", orbit.x, ABOVE * orbit.leaving, ABOVE * orbit.returning);
  }
  const share = orbit === undefined || orbit.leaving < orbit.returning / 2 ? 0 : 1;
  for (const delay of tries) await attempt("asked", how.start, share * delay, delay);
  return { result, assumptions, trials };
}

async function answerStep(
  model: HybridModel,
  description: HybridDescription,
  simulate: boolean,
  tell: (doing: string) => void,
): Promise<StepAnswer> {
  const { range, longest, tries } = description.step!;
  tell("following energies from round to round");
  const result = safeStepByEnergy(model, { range, longest });
  const trials: Trial[] = [];
  const { simulate: how } = description;
  if (!simulate || how === undefined) return { result, trials };
  const attempt = async (place: Trial["place"], step: number): Promise<void> => {
    tell(`co-simulating with a step of ${step.toPrecision(4)} s`);
    trials.push({ place, seconds: step, run: await simulateHybridStep(model, how, step) });
  };
  if (result.bound > 0 && result.bound < Number.POSITIVE_INFINITY) {
    await attempt("below", BELOW * result.bound);
    await attempt("above", ABOVE * result.bound);
  }
  for (const step of tries) await attempt("asked", step);
  return { result, trials };
}
