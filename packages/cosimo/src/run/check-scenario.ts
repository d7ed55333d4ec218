/**
 * Plans a scenario as `cosimo run` would, checks the plan, and explains it; nested scenarios as
 * well.
 */
import { append, type Checked, type Diagnostic, diagnose } from "../base/diagnostic.ts";
import type { Scenario, ScenarioUnit, Structure } from "../model/scenario.ts";
import { placeOf } from "../model/scenario-ports.ts";
import { checkPlan } from "../plan/check-plan.ts";
import { type Compiled, compilePlan } from "../plan/compile.ts";
import { explainScenario } from "../plan/explain/explain.ts";
import type { Explanation } from "../plan/explain/explanation.ts";
import { communicationStep, type Plan } from "../plan/plan.ts";
import { PLAN_DIAGNOSTICS } from "../plan/plan-diagnostics.ts";
import { fillsStep } from "../plan/rates.ts";
import { planPart, planRun, type RunRequest } from "./plan-run.ts";
import { needsDecisions, planState } from "./plan-structure.ts";

export interface CheckedScenario {
  /** "drive-line", "inside 'load'". */
  readonly title: string;
  readonly scenario: Scenario;
  readonly diagnostics: readonly Diagnostic[];
  /** Absent when there is no plan. */
  readonly compiled?: { readonly plan: Plan; readonly explanation: Explanation };
  /** Where the structure changes: when, and how. */
  readonly rules?: readonly string[];
  /**
   * Scenarios that are units of this one, and theirs; where the structure changes, the other
   * structures as well.
   */
  readonly inside: readonly CheckedScenario[];
}

/** @param request what the command line says over the scenario. */
export function checkScenario(scenario: Scenario, request: RunRequest): CheckedScenario {
  if (scenario.structure !== undefined)
    return checkStructures(scenario, scenario.structure, request);
  return checkPlanned(scenario, planRun(scenario, request), scenario.name);
}

/** Every structure that can occur is checked; the first one is shown first. */
function checkStructures(
  scenario: Scenario,
  structure: Structure,
  request: RunRequest,
): CheckedScenario {
  const { diagnostics } = planRun(scenario, request);
  const asked = { scenario, structure, request, planOne: planPart };
  const decides = needsDecisions(asked);
  const [first, ...others] = structure.states.map(({ scenario: one }, s) => {
    const names = one.units.map(({ name }) => name).join(", ") || "no units";
    const title = `${scenario.name}, structure ${s + 1} of ${structure.states.length}: ${names}`;
    // What planning says of a structure is said with the whole; what the plan itself shows is new.
    const { value } = planState({ ...asked, decides }, s);
    const planned = value === undefined ? { diagnostics: [] } : { value, diagnostics: [] };
    return checkPlanned(value?.scenario ?? one, planned, title);
  });
  const all = [...diagnostics];
  for (const one of [first, ...others]) append(all, one?.diagnostics ?? []);
  const inside = [first, ...others].flatMap((one) => one?.inside ?? []);
  return {
    ...first!,
    diagnostics: all,
    inside: [...others, ...inside],
    rules: structure.rules.map(({ at, when, text }) => {
      const condition = when.map((one) => one.text).join(" and ");
      return `${at === undefined ? `when ${condition}` : `at t=${at}`}: ${text}`;
    }),
  };
}

function checkPlanned(
  scenario: Scenario,
  planned: Checked<{ readonly compiled: Compiled }>,
  title: string,
): CheckedScenario {
  const diagnostics = [...planned.diagnostics];
  if (planned.value === undefined) return { title, scenario, diagnostics, inside: [] };
  const { compiled } = planned.value;
  const { plan } = compiled;
  const explanation = explainScenario(scenario, compiled);
  append(diagnostics, checkPlan(plan, scenario));
  append(diagnostics, unmetNeeds(scenario, explanation));
  const inside = scenario.units.flatMap((unit, u) =>
    unit.scenario ? checkNested(unit, unit.scenario, communicationStep(plan, u)) : [],
  );
  for (const nested of inside) append(diagnostics, nested.diagnostics);
  return { title, scenario, diagnostics, compiled: { plan, explanation }, inside };
}

/** What is inside has its own step, or else that of the unit around it. */
function checkNested(unit: ScenarioUnit, inner: Scenario, outer: number): CheckedScenario[] {
  const step = inner.experiment.step ?? outer;
  const { value, diagnostics } = compilePlan(inner, { step, record: [], isNested: true });
  const planned =
    value === undefined ? { diagnostics } : { value: { compiled: value }, diagnostics };
  const checked = checkPlanned(inner, planned, `inside '${unit.name}'`);
  const tick = checked.compiled?.plan.step ?? outer;
  const fits = fillsStep(tick, outer);
  const params = { unit: unit.name, inner: tick, outer };
  const decides = checked.compiled?.plan.coupling !== undefined;
  const misfit =
    fits || decides ? [] : [diagnose(PLAN_DIAGNOSTICS, "nested-step", params, unit.place)];
  return [
    { ...checked, diagnostics: [...checked.diagnostics, ...misfit], inside: [] },
    ...checked.inside,
  ];
}

function unmetNeeds(scenario: Scenario, { master }: Explanation): Diagnostic[] {
  return master.needs
    .filter(({ met }) => !met)
    .map(({ need, detail }) =>
      diagnose(
        PLAN_DIAGNOSTICS,
        "master-need-unmet",
        { master: master.name, need, detail },
        placeOf(scenario),
      ),
    );
}
