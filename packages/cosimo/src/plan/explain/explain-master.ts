/**
 * What the chosen master asks of units, and whether each of them can do it.
 */
import type { Scenario, ScenarioUnit } from "../../model/scenario.ts";
import { connectedKind } from "../../model/unit-kind.ts";
import type { Compiled } from "../compile.ts";
import { runTimeNeeds } from "./explain-run-time.ts";
import type { MasterExplanation, MasterNeed } from "./explanation.ts";

export function explainMaster(scenario: Scenario, { plan, inputs }: Compiled): MasterExplanation {
  const steps = plan.units.map(({ ticks }) => ticks * plan.step);
  return {
    name: plan.master,
    tickSeconds: plan.step,
    needs: [
      ...(plan.coupling
        ? runTimeNeeds(scenario, plan.coupling)
        : [constantSteps(scenario, steps), wholeSteps(scenario)]),
      ...(plan.master === "gauss-seidel" ? [followsInputs(scenario, inputs)] : []),
      ...(plan.coupling
        ? []
        : [{ need: "rollback", met: true, detail: "not needed: every step is taken once" }]),
      onceEach(scenario),
    ],
  };
}

/** A unit that works with a step of its own wants whole multiples of it. */
function constantSteps(scenario: Scenario, steps: readonly number[]): MasterNeed {
  const need = "steps of a fixed size";
  const misfits = scenario.units.flatMap(({ name, description: { capabilities: c } }, u) => {
    if (c.variableStep || c.preferredStep === undefined || c.preferredStep <= 0) return [];
    const ratio = steps[u] / c.preferredStep;
    const whole = Math.round(ratio) >= 1 && Math.abs(ratio - Math.round(ratio)) < 1e-9 * ratio;
    return whole ? [] : [`${name} works with ${c.preferredStep} s and is given ${steps[u]} s`];
  });
  return misfits.length === 0
    ? { need, met: true, detail: "every unit can take them" }
    : { need, met: false, detail: `${misfits.join("; ")}: choose a whole multiple` };
}

function wholeSteps(scenario: Scenario): MasterNeed {
  const early = namesOf(scenario, ({ capabilities: c }) => c.earlyReturn || c.eventMode);
  return {
    need: "whole steps",
    met: true,
    detail:
      early.length === 0
        ? "no unit ends a step early"
        : `${early.join(", ")} may meet events inside a step: they take effect at the next communication point`,
  };
}

function followsInputs(scenario: Scenario, inputs: Compiled["inputs"]): MasterNeed {
  const need = "reactive inputs that follow their source within a step";
  const reactive = inputs.filter(({ connection }) => {
    return connectedKind(scenario, scenario.connections[connection]) === "reactive";
  });
  const held = reactive.filter(({ takes }) => takes !== "end");
  const names = held.map(({ connection }) => {
    const { to } = scenario.connections[connection];
    const { name, description } = scenario.units[to.unit];
    return `${name}.${description.ports[to.port].name}`;
  });
  if (reactive.length === 0) return { need, met: true, detail: "no connected input is reactive" };
  return names.length === 0
    ? { need, met: true, detail: `${reactive.length} of ${reactive.length} do` }
    : {
        need,
        met: true,
        detail: `${names.length} of ${reactive.length} get the value of the start instead: ${names.join(", ")}`,
      };
}

function onceEach(scenario: Scenario): MasterNeed {
  const need = "every unit in this process";
  const single = scenario.units.filter(
    ({ description }) => description.capabilities.oncePerProcess,
  );
  const paths = single.map(pathOf);
  const twice = single.filter((unit, i) => paths.indexOf(pathOf(unit)) !== i);
  if (twice.length > 0) {
    const names = twice.map(({ name }) => name).join(", ");
    return { need, met: false, detail: `${names}: its FMU may exist only once per process` };
  }
  const tools = namesOf(scenario, ({ capabilities }) => capabilities.needsExecutionTool);
  return {
    need,
    met: true,
    detail: tools.length === 0 ? "all can" : `${tools.join(", ")} also need their tool installed`,
  };
}

function pathOf({ source, name }: Pick<ScenarioUnit, "source" | "name">): string {
  if (source.kind === "adapted") return pathOf({ source: source.inner, name });
  return source.kind === "scenario" ? name : source.path;
}

function namesOf(
  scenario: Scenario,
  wanted: (description: ScenarioUnit["description"]) => boolean,
): string[] {
  return scenario.units.filter(({ description }) => wanted(description)).map(({ name }) => name);
}
