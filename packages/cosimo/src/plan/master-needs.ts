/**
 * Says before the run which unit keeps a master from doing its work: a loop is iterated by
 * repeating the step, and a step that was too long is rejected, so units must be able to return to
 * where the step began.
 */
import { iterates } from "../model/masters.ts";
import type { Scenario, ScenarioUnit } from "../model/scenario.ts";
import type { Capabilities, Port } from "../model/unit-description.ts";
import { ESTIMATORS } from "./estimators.ts";
import type { InputPlan } from "./input-plan.ts";
import type { MasterSettings } from "./master-settings.ts";
import type { PlanReport } from "./plan-diagnostics.ts";
import { loopsIn } from "./strong-components.ts";

/** Relative difference of two steps that are meant to be equal. */
const ROUNDING = 1e-9;

/** The units that lack a capability. */
export function unitsWithout(
  { units }: Pick<Scenario, "units">,
  capability: keyof Pick<Capabilities, "rollback" | "variableStep">,
): ScenarioUnit[] {
  return units.filter(({ description }) => !description.capabilities[capability]);
}

/** `'a', 'b'`, as messages name units. */
export function quoted(units: readonly { readonly name: string }[]): string {
  return units.map(({ name }) => `'${name}'`).join(", ");
}

export function reportNoRollback(
  scenario: Scenario,
  settings: MasterSettings,
  report: PlanReport,
): void {
  if (!iterates(settings)) return;
  for (const loop of unitLoops(scenario)) {
    const units = loop.map((u) => scenario.units[u]);
    const [first, ...others] = unitsWithout({ units }, "rollback");
    if (first === undefined) continue;
    const params = { units: quoted([first, ...others]), loop: `the loop of ${quoted(units)}` };
    const isConstrained = scenario.constraints.some(({ left }) => loop.includes(left.unit));
    if (settings.fallback === "explicit" && !isConstrained)
      report("loop-explicit", params, first.place);
    else {
      const how = `every iteration repeats the step of ${quoted(units)}, so each step is taken at least twice`;
      report("loop-without-rollback", { ...params, how }, first.place);
    }
  }
}

/**
 * Reports step control that the units do not allow, and estimators that have nothing to measure.
 */
export function reportStepControl(
  scenario: Scenario,
  settings: MasterSettings,
  report: PlanReport,
): void {
  const { control, order } = settings;
  const stuck = unitsWithout(scenario, "rollback");
  const units = quoted(stuck);
  for (const limit of scenario.limits) {
    if (stuck.length === 0 || limit.kind !== "difference") continue;
    if (control?.rejection !== "optimistic")
      report("limit-without-rollback", { units }, scenario.units[limit.signal.unit].place);
  }
  if (control === undefined) return;
  const { estimator, rejection } = control;
  const { place } = scenario.master;
  if (stuck.length > 0 && rejection === "pessimistic")
    report("rejection-without-rollback", { units }, place);
  const { repeatsSteps, lacks } = ESTIMATORS[estimator];
  if (stuck.length > 0 && repeatsSteps)
    report("estimator-without-rollback", { estimator, units }, place);
  const lacking = lacks?.({
    order,
    hasBonds: scenario.bonds.length > 0,
    iterates: iterates(settings) && unitLoops(scenario).length > 0,
  });
  if (lacking !== undefined) report("estimator-blind", { estimator, ...lacking }, place);
}

/**
 * Warns where explicit quadratic extrapolation cannot try its first step (engine/first-slopes.ts).
 */
export function reportQuadraticStart(
  scenario: Scenario,
  inputs: readonly InputPlan[],
  report: PlanReport,
): void {
  const stuck = unitsWithout(scenario, "rollback");
  if (stuck.length > 0 && inputs.some(({ approximation }) => approximation === "quadratic"))
    report("quadratic-without-rollback", { units: quoted(stuck) }, scenario.master.place);
}

/**
 * Reports everything that makes steps vary where a unit takes steps of one size only. What may vary
 * them at run time, but need not, keeps to one size then.
 */
export function reportConstantSteps(
  scenario: Scenario,
  { control, policies }: MasterSettings,
  { start, step }: { readonly start: number; readonly step: number },
  report: PlanReport,
): void {
  const rigid = unitsWithout(scenario, "variableStep");
  if (rigid.length === 0) return;
  const other = "other units (FMUs with canHandleVariableCommunicationStepSize)";
  const refuse = (what: string, fix: string): void => {
    const params = { what, units: quoted(rigid), fix: `${fix}, or ${other}` };
    report("steps-not-constant", params, scenario.master.place);
  };
  const sizes = new Set(policies?.map((policy) => policy.step ?? step));
  if (control !== undefined && policies === undefined)
    refuse(
      "the adaptive master varies its steps",
      "use a master with fixed steps: 'iterative', 'gauss-seidel' or 'jacobi'",
    );
  if (sizes.size > 1) refuse("the policies have different steps", "give all policies one step");
  const isOnGrid = (time: number): boolean =>
    Math.abs(time / step - Math.round(time / step)) <=
    ROUNDING * Math.max(1, Math.abs(time / step));
  for (const limit of scenario.limits) {
    if (limit.kind === "difference") {
      refuse("a limited difference shortens steps", "remove the limit");
      continue;
    }
    const times =
      limit.kind === "every" ? [limit.every, limit.offset] : limit.times.map((t) => t - start);
    if (!times.every(isOnGrid))
      refuse(
        `'limits' asks for communication points that do not lie on steps of ${step} s`,
        "choose points that do",
      );
  }
}

/** Warns of units that declare internal steps longer than the steps they get. */
export function reportOwnSteps(
  scenario: Scenario,
  given: {
    readonly inputs: readonly InputPlan[];
    /** By unit, seconds. */
    readonly steps: readonly number[];
    readonly microSteps: number;
  },
  report: PlanReport,
): void {
  const inParts = new Set(
    given.inputs
      .filter(({ through }) => through === "micro-steps")
      .map(({ connection }) => scenario.connections[connection].to.unit),
  );
  scenario.units.forEach(({ name, description, place }, u) => {
    const own = description.capabilities.internalStep;
    const step = given.steps[u];
    const part = inParts.has(u) ? step / given.microSteps : step;
    if (own === undefined || !(part < own * (1 - ROUNDING))) return;
    const what = inParts.has(u) ? "micro-steps" : "steps";
    const fix = fixForOwnStep(own, Math.floor((step / own) * (1 + ROUNDING)));
    const size = Number(part.toPrecision(6));
    report("own-step-longer", { unit: name, own, what, size, fix }, place);
  });
}

/** @param fitting how many internal steps fit into a communication step. */
function fixForOwnStep(own: number, fitting: number): string {
  if (fitting < 1) return `use a step of ${own} s or a multiple of it`;
  if (fitting < 2) return "use 'approximation: hold', or a step of several internal steps";
  return `use 'microSteps: ${fitting}' or less, or 'approximation: hold'`;
}

/** Loops of units that need each other's values at the end of the step. */
export function unitLoops(scenario: Scenario): number[][] {
  return loopsIn(stepDependencies(scenario));
}

/** By unit, those whose step depends on its outputs: through real inputs, and constraints. */
export function stepDependencies(scenario: Scenario): number[][] {
  const edges: number[][] = scenario.units.map(() => []);
  for (const { from, to } of scenario.connections)
    if (isCoupled(scenario.units[to.unit].description.ports[to.port]))
      edges[from.unit].push(to.unit);
  for (const { left, right, by } of scenario.constraints) {
    const members = [left, right, ...by].map(({ unit }) => unit);
    for (const a of members) for (const b of members) edges[a].push(b);
  }
  return edges;
}

/** Whether an input may follow a trajectory over a step: only continuous reals do. */
export function isCoupled({ type, variability, observed }: Port): boolean {
  const isReal = type === "float64" || type === "float32";
  return isReal && variability === "continuous" && observed !== true;
}
