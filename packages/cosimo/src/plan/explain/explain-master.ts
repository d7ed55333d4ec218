/**
 * What the chosen master needs of units, and whether each of them can do it.
 */

import { MASTERS, SCHEMES } from "../../model/masters.ts";
import type { Scenario, ScenarioUnit } from "../../model/scenario.ts";
import { portName } from "../../model/scenario-ports.ts";
import { connectedKind } from "../../model/unit-kind.ts";
import type { Compiled } from "../compile.ts";
import { fillsStep } from "../rates.ts";
import { runTimeNeeds } from "./explain-run-time.ts";
import { type MasterExplanation, type MasterNeed, met } from "./explanation.ts";

export function explainMaster(scenario: Scenario, { plan, inputs }: Compiled): MasterExplanation {
  const steps = plan.units.map(({ ticks }) => ticks * plan.step);
  const { scheme } = MASTERS[plan.master];
  const isInSequence = scheme !== undefined && SCHEMES[scheme].isSequential;
  return {
    name: plan.master,
    tickSeconds: plan.step,
    needs: [
      ...(plan.coupling
        ? runTimeNeeds(scenario, plan.coupling)
        : [constantSteps(scenario, steps), wholeSteps(scenario)]),
      ...(isInSequence ? [followsInputs(scenario, inputs)] : []),
      ...(plan.coupling ? [] : [met("rollback", "not needed: every step is taken once")]),
      onceEach(scenario),
    ],
  };
}

/** A unit with a step of its own takes whole multiples of it. */
function constantSteps(scenario: Scenario, steps: readonly number[]): MasterNeed {
  const need = "steps of a fixed size";
  const misfits = scenario.units.flatMap(({ name, description: { capabilities: c } }, u) => {
    if (c.variableStep || c.preferredStep === undefined || c.preferredStep <= 0) return [];
    return fillsStep(c.preferredStep, steps[u])
      ? []
      : [`${name} works with ${c.preferredStep} s and gets ${steps[u]} s`];
  });
  return misfits.length === 0
    ? met(need, "every unit can take them")
    : { need, met: false, detail: `${misfits.join("; ")}: choose a whole multiple` };
}

function wholeSteps(scenario: Scenario): MasterNeed {
  const early = namesOf(scenario, ({ capabilities: c }) => c.earlyReturn || c.eventMode);
  return met(
    "whole steps",
    early.length === 0
      ? "no unit ends a step early"
      : `${early.join(", ")} may have events inside a step: they take effect at the next communication point`,
  );
}

function followsInputs(scenario: Scenario, inputs: Compiled["inputs"]): MasterNeed {
  const need = "reactive inputs that follow their source within a step";
  const reactive = inputs.filter(
    (_, c) => connectedKind(scenario, scenario.connections[c]) === "reactive",
  );
  const held = reactive.filter(({ takes }) => takes !== "end");
  const names = held.map(({ connection }) =>
    portName(scenario, scenario.connections[connection].to),
  );
  if (reactive.length === 0) return met(need, "no connected input is reactive");
  return met(
    need,
    names.length === 0
      ? `${reactive.length} of ${reactive.length} do`
      : `${names.length} of ${reactive.length} get the value of the start instead: ${names.join(", ")}`,
  );
}

function onceEach(scenario: Scenario): MasterNeed {
  const need = "every unit in this process";
  const single = scenario.units.filter(
    ({ description, isolation }) =>
      description.capabilities.oncePerProcess && isolation === undefined,
  );
  const paths = single.map(pathOf);
  const twice = single.filter((unit, i) => paths.indexOf(pathOf(unit)) !== i);
  if (twice.length > 0) {
    const names = twice.map(({ name }) => name).join(", ");
    return met(
      need,
      `${names} in processes of their own: their FMU allows one instance per process`,
    );
  }
  const tools = namesOf(scenario, ({ capabilities }) => capabilities.needsExecutionTool);
  const detail =
    tools.length === 0 ? "all can" : `${tools.join(", ")} also need their tool installed`;
  return met(need, detail);
}

function pathOf({ source, name }: Pick<ScenarioUnit, "source" | "name">): string {
  if (source.kind === "adapted") return pathOf({ source: source.inner, name });
  return "path" in source ? source.path : name;
}

function namesOf(
  scenario: Scenario,
  wanted: (description: ScenarioUnit["description"]) => boolean,
): string[] {
  return scenario.units.filter(({ description }) => wanted(description)).map(({ name }) => name);
}
