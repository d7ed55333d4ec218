/**
 * Which master and step to start with: the master that a scenario without one gets, and the step
 * that its units prefer.
 */
import type { PortRef, Scenario } from "../../model/scenario.ts";
import { chooseMaster } from "../choose-master.ts";
import type { LoopExplanation, Recommendation } from "./explanation.ts";

/** Points per run when nothing else is known. */
const DEFAULT_POINTS = 1000;

export function recommend(
  scenario: Scenario,
  loops: readonly LoopExplanation[],
  recorded: readonly PortRef[],
): Recommendation {
  const { master, reason } = chooseMaster(scenario, false, recorded);
  return { master, masterReason: reason, ...recommendStep(scenario, loops) };
}

function recommendStep(
  scenario: Scenario,
  loops: readonly LoopExplanation[],
): Pick<Recommendation, "step" | "stepReason"> {
  // A nested scenario names the step inside it, which says nothing about the step around it.
  const whole = scenario.units.filter((unit) => unit.scenario === undefined);
  const preferred = whole.flatMap(({ name, description }) => {
    const step = description.experiment.step ?? description.capabilities.preferredStep;
    return step !== undefined && step > 0 ? [{ name, step }] : [];
  });
  const late = loops.some(({ through }) => through === "feed-through")
    ? "; an algebraic loop is broken by a delay, so halve the step until results no longer change"
    : "";
  if (preferred.length > 0) {
    const { name, step } = preferred.reduce((a, b) => (b.step < a.step ? b : a));
    const others = preferred.length > 1 ? `, the smallest of ${preferred.length} preferences` : "";
    return { step, stepReason: `'${name}' prefers it${others}${late}` };
  }
  const { start = 0, stop, step } = scenario.experiment;
  if (step !== undefined)
    return { step, stepReason: `as the scenario says; no unit prefers another${late}` };
  if (stop !== undefined && stop > start)
    return {
      step: (stop - start) / DEFAULT_POINTS,
      stepReason: `no unit prefers a step: start with ${DEFAULT_POINTS} points over the experiment${late}`,
    };
  return {
    stepReason: `no unit prefers one: start with a tenth of the fastest time constant${late}`,
  };
}
