/**
 * Says before the run which unit keeps a master from doing its work: a loop is iterated by repeating the step, and a step that
 * was too long is taken back, so units must be able to go back to where the step began.
 */
import { type Diagnostic, diagnose } from "../base/diagnostic.ts";
import type { Scenario } from "../model/scenario.ts";
import type { Port } from "../model/unit-description.ts";
import { ESTIMATORS } from "./estimators.ts";
import type { InputPlan } from "./input-plan.ts";
import type { MasterSettings } from "./master-settings.ts";
import { PLAN_DIAGNOSTICS } from "./plan-diagnostics.ts";
import { loopsIn } from "./strong-components.ts";

/** Relative difference of two steps that are meant to be equal. */
const ROUNDING = 1e-9;

export function reportNoRollback(
  scenario: Scenario,
  { coupling, fallback }: MasterSettings,
  report: (diagnostic: Diagnostic) => void,
): void {
  if (coupling !== "iterative") return;
  for (const units of unitLoops(scenario)) {
    const stuck = units.filter((u) => !scenario.units[u].description.capabilities.rollback);
    if (stuck.length === 0) continue;
    const names = (list: readonly number[]): string =>
      list.map((u) => `'${scenario.units[u].name}'`).join(", ");
    const params = { units: names(stuck), loop: `the loop of ${names(units)}` };
    const { place } = scenario.units[stuck[0]];
    const constrained = scenario.constraints.some(({ left }) => units.includes(left.unit));
    if (fallback === "explicit" && !constrained)
      report(diagnose(PLAN_DIAGNOSTICS, "loop-explicit", params, place));
    else {
      const how = `every iteration repeats the step of ${names(units)}, at least twice a step`;
      report(diagnose(PLAN_DIAGNOSTICS, "loop-without-rollback", { ...params, how }, place));
    }
  }
}

/** Says which step control the units do not allow, or has nothing to go by. */
export function reportStepControl(
  scenario: Scenario,
  { control, coupling, order }: MasterSettings,
  report: (diagnostic: Diagnostic) => void,
): void {
  const stuck = scenario.units.filter(({ description }) => !description.capabilities.rollback);
  const units = stuck.map(({ name }) => `'${name}'`).join(", ");
  if (stuck.length > 0) {
    for (const limit of scenario.limits) {
      if (limit.kind !== "difference" || control?.rejection === "optimistic") continue;
      const { place } = scenario.units[limit.signal.unit];
      report(diagnose(PLAN_DIAGNOSTICS, "limit-without-rollback", { units }, place));
    }
  }
  if (control === undefined) return;
  const { estimator, rejection } = control;
  const { place } = scenario.master;
  if (stuck.length > 0 && rejection === "pessimistic")
    report(diagnose(PLAN_DIAGNOSTICS, "rejection-without-rollback", { units }, place));
  const { repeatsSteps, lacks } = ESTIMATORS[estimator];
  if (stuck.length > 0 && repeatsSteps)
    report(diagnose(PLAN_DIAGNOSTICS, "estimator-without-rollback", { estimator, units }, place));
  const lacking = lacks?.({
    order,
    hasBonds: scenario.bonds.length > 0,
    iterates: coupling === "iterative" && unitLoops(scenario).length > 0,
  });
  if (lacking !== undefined)
    report(diagnose(PLAN_DIAGNOSTICS, "estimator-blind", { estimator, ...lacking }, place));
}

/** Warns where explicit quadratic extrapolation cannot try its first step (engine/first-slopes.ts). */
export function reportQuadraticStart(
  scenario: Scenario,
  inputs: readonly InputPlan[],
  report: (diagnostic: Diagnostic) => void,
): void {
  if (!inputs.some(({ approximation }) => approximation === "quadratic")) return;
  const stuck = scenario.units.filter(({ description }) => !description.capabilities.rollback);
  if (stuck.length === 0) return;
  const units = stuck.map(({ name }) => `'${name}'`).join(", ");
  report(
    diagnose(PLAN_DIAGNOSTICS, "quadratic-without-rollback", { units }, scenario.master.place),
  );
}

/** Says what varies steps where a unit wants all of them to be of one size. What only may, at run time, keeps to them. */
export function reportConstantSteps(
  scenario: Scenario,
  { control, policies }: MasterSettings,
  { start, step }: { readonly start: number; readonly step: number },
  report: (diagnostic: Diagnostic) => void,
): void {
  const rigid = scenario.units.filter(({ description }) => !description.capabilities.variableStep);
  if (rigid.length === 0) return;
  const units = rigid.map(({ name }) => `'${name}'`).join(", ");
  const other = "other units (FMUs with canHandleVariableCommunicationStepSize)";
  const refuse = (what: string, fix: string): void =>
    report(
      diagnose(
        PLAN_DIAGNOSTICS,
        "steps-not-constant",
        { what, units, fix: `${fix}, or ${other}` },
        scenario.master.place,
      ),
    );
  const sizes = new Set(policies?.map((policy) => policy.step ?? step));
  if (control !== undefined && policies === undefined)
    refuse(
      "the adaptive master varies its steps",
      "take a master with fixed steps: 'iterative', 'gauss-seidel' or 'jacobi'",
    );
  if (sizes.size > 1) refuse("the policies have different steps", "give all policies one step");
  const isOnGrid = (time: number): boolean =>
    Math.abs(time / step - Math.round(time / step)) <=
    ROUNDING * Math.max(1, Math.abs(time / step));
  for (const limit of scenario.limits) {
    if (limit.kind === "difference")
      refuse("a limited difference shortens steps", "remove the limit");
    else {
      const times =
        limit.kind === "every" ? [limit.every, limit.offset] : limit.times.map((t) => t - start);
      if (!times.every(isOnGrid))
        refuse(
          `'limits' asks for communication points that do not lie on steps of ${step} s`,
          "take points that do",
        );
    }
  }
}

/** Warns of units that work in declared steps of their own, longer than those that they are asked for. */
export function reportOwnSteps(
  scenario: Scenario,
  given: {
    readonly inputs: readonly InputPlan[];
    /** By unit, seconds. */
    readonly steps: readonly number[];
    readonly microSteps: number;
  },
  report: (diagnostic: Diagnostic) => void,
): void {
  const inParts = new Set(
    given.inputs
      .filter(({ through }) => through === "micro-steps")
      .map(({ connection }) => scenario.connections[connection].to.unit),
  );
  scenario.units.forEach(({ name, description, place }, u) => {
    const own = description.capabilities.internalStep;
    const step = given.steps[u];
    const asked = inParts.has(u) ? step / given.microSteps : step;
    if (own === undefined || !(asked < own * (1 - ROUNDING))) return;
    const fitting = Math.floor((step / own) * (1 + ROUNDING));
    const fix =
      fitting < 1
        ? `take a step of ${own} s or a multiple of it`
        : fitting < 2
          ? "take 'approximation: hold', or a step of several of its own"
          : `take 'microSteps: ${fitting}' or less, or 'approximation: hold'`;
    const what = inParts.has(u) ? "micro-steps" : "steps";
    const params = { unit: name, own, what, asked: Number(asked.toPrecision(6)), fix };
    report(diagnose(PLAN_DIAGNOSTICS, "own-step-longer", params, place));
  });
}

/** Units that wait for each other's values of the end of the step. */
export function unitLoops(scenario: Scenario): number[][] {
  return loopsIn(stepDependencies(scenario));
}

/** For every unit, those whose step depends on what its step gives: through real inputs, and through constraints. */
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

/** Only continuous reals have a course over a step. */
export function isCoupled({ type, variability }: Port): boolean {
  return (type === "float64" || type === "float32") && variability === "continuous";
}
