/**
 * Which master and step to begin with: the master that a scenario without one gets, and the step that its units prefer.
 */
import type { Scenario } from "../../model/scenario.ts";
import { chooseMaster } from "../choose-master.ts";
import type { LoopExplanation, Recommendation } from "./explanation.ts";

/** Points per run when nothing else is known. */
const DEFAULT_POINTS = 1000;

export function recommend(scenario: Scenario, loops: readonly LoopExplanation[]): Recommendation {
  const { master, reason } = chooseMaster(scenario);
  return { master, masterReason: reason, ...recommendStep(scenario, loops) };
}

function recommendStep(
  scenario: Scenario,
  loops: readonly LoopExplanation[],
): Pick<Recommendation, "step" | "stepReason"> {
  // A nested scenario names the step inside it, which says nothing about the step around it.
  const whole = scenario.units.filter((unit) => unit.scenario === undefined);
  const wishes = whole.flatMap(({ name, description }) => {
    const step = description.experiment.step ?? description.capabilities.preferredStep;
    return step === undefined || !(step > 0) ? [] : [{ name, step }];
  });
  const late = loops.some(({ through }) => through === "feed-through")
    ? "; an algebraic loop is broken by a delay, so halve the step until results no longer change"
    : "";
  if (wishes.length > 0) {
    const smallest = wishes.reduce((a, b) => (b.step < a.step ? b : a));
    const others = wishes.length > 1 ? `, the smallest of ${wishes.length} wishes` : "";
    return {
      step: smallest.step,
      stepReason: `'${smallest.name}' prefers it${others}${late}`,
    };
  }
  const { start = 0, stop, step } = scenario.experiment;
  if (step !== undefined)
    return { step, stepReason: `as the scenario says; no unit prefers another${late}` };
  if (stop !== undefined && stop > start) {
    const parts = (stop - start) / DEFAULT_POINTS;
    return {
      step: parts,
      stepReason: `no unit prefers a step: ${DEFAULT_POINTS} points over the experiment are a beginning${late}`,
    };
  }
  return { stepReason: `nothing tells: take a tenth of the fastest time constant${late}` };
}
