/**
 * Which master and step to begin with, from what is known without running: kinds of inputs, loops, steps that units like.
 * Rules of thumb with their reasons; a user who knows better overrules them in one line.
 */
import type { Scenario } from "../../model/scenario.ts";
import { connectedKind } from "../../model/unit-kind.ts";
import { strongComponents } from "../strong-components.ts";
import type { LoopExplanation, Recommendation } from "./explanation.ts";

/** Points per run when nothing else is known. */
const DEFAULT_POINTS = 1000;

export function recommend(scenario: Scenario, loops: readonly LoopExplanation[]): Recommendation {
  return { ...recommendMaster(scenario, loops), ...recommendStep(scenario, loops) };
}

function recommendMaster(
  scenario: Scenario,
  loops: readonly LoopExplanation[],
): Pick<Recommendation, "master" | "masterReason"> {
  if (scenario.constraints.length > 0)
    return {
      master: "iterative",
      masterReason: `'${scenario.constraints[0]!.text}' is held by iterating the step`,
    };
  if (scenario.connections.length === 0)
    return {
      master: "jacobi",
      masterReason: "nothing is coupled, so the units just run side by side",
    };
  const algebraic = loops.find(({ through }) => through === "feed-through");
  if (algebraic && canRollBack(scenario, algebraic.units)) {
    return {
      master: "iterative",
      masterReason: `${algebraic.units.join(", ")} form an algebraic loop, which explicit masters break by a delay, and all of them can roll back`,
    };
  }
  const reactive = scenario.connections.filter(
    (connection) => connectedKind(scenario, connection) === "reactive",
  );
  if (reactive.length === 0) {
    return {
      master: "jacobi",
      masterReason: isChain(scenario)
        ? "no input is declared reactive; the couplings form no circle, so errors do not feed back"
        : "no input is declared reactive, and jacobi's units can run in parallel; gauss-seidel gives later units what earlier ones have reached: compare both with 'cosimo stability spectral'",
    };
  }
  const circle = loops.find(({ through }) => through === "interpolation");
  if (circle) {
    return {
      master: "gauss-seidel",
      masterReason: `reactive inputs form a circle (${circle.units.join(", ")}): an order lets all but one of them follow their source; jacobi none${canRollBack(scenario, circle.units) ? "; where the result depends on the step, iterative solves the circle" : ""}`,
    };
  }
  return {
    master: "gauss-seidel",
    masterReason:
      "reactive inputs form a chain: in the right order each gets its source's value at the end of the step",
  };
}

function canRollBack(scenario: Scenario, units: readonly string[]): boolean {
  return scenario.units.every(
    ({ name, description }) => !units.includes(name) || description.capabilities.rollback,
  );
}

/** Units feed each other without any way back. */
function isChain(scenario: Scenario): boolean {
  const targets: number[][] = scenario.units.map(() => []);
  for (const { from, to } of scenario.connections) targets[from.unit]!.push(to.unit);
  return strongComponents(targets).every((circle) => circle.length === 1);
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
