/**
 * From a scenario and a fixed-step master to a plan. Passes: rates → port graph → order → input approximations → signal
 * layout → ops. Nothing is loaded and nothing is run: this works wherever JavaScript does.
 */
import { type Checked, type Diagnostic, diagnose, hasErrors } from "../base/diagnostic.ts";
import { nearest } from "../base/nearest.ts";
import type { Approximation, Scenario } from "../model/scenario.ts";
import { emitPlan } from "./emit.ts";
import { type InputPlan, planInputs } from "./input-plan.ts";
import type { Plan } from "./plan.ts";
import { PLAN_DIAGNOSTICS } from "./plan-diagnostics.ts";
import { portGraph } from "./port-graph.ts";
import { commonRates, type Rates } from "./rates.ts";
import { automaticOrder, givenOrder, type UnitOrder } from "./unit-order.ts";

export const FIXED_STEP_MASTERS = ["jacobi", "gauss-seidel"] as const;
const APPROXIMATIONS: readonly Approximation[] = [
  "hold",
  "linear",
  "quadratic",
  "extrapolated-interpolation",
];
/** Parts of a step for units that cannot be told a slope. */
const DEFAULT_MICRO_STEPS = 10;

export interface CompileOptions {
  readonly start?: number;
  readonly step?: number;
  readonly master?: string;
  /** Columns to record, as indices; see record/trace-select.ts for patterns. */
  readonly record: readonly {
    readonly unit: number;
    readonly port: number;
    readonly element: number;
  }[];
  readonly recordEvery?: number;
}

export interface Compiled {
  readonly plan: Plan;
  /** The sequence of units and why; for jacobi the order does not matter. */
  readonly order: UnitOrder;
  /** How every connection's value reaches its input, one entry per connection. */
  readonly inputs: readonly InputPlan[];
}

export function compilePlan(scenario: Scenario, options: CompileOptions): Checked<Compiled> {
  const diagnostics: Diagnostic[] = [];
  const report = (diagnostic: Diagnostic): void => {
    diagnostics.push(diagnostic);
  };
  const master = masterOf(scenario, options, report);
  const rates = ratesOf(scenario, options, report);
  const order = orderOf(scenario, master, report);
  const approximation = approximationOf(scenario, report);
  const microSteps = microStepsOf(scenario, report);
  if (master === undefined || rates === undefined || order === undefined || hasErrors(diagnostics))
    return { diagnostics };
  const position = new Array<number>(scenario.units.length).fill(0);
  order.units.forEach((unit, place) => {
    position[unit] = place;
  });
  const inputs = planInputs(
    scenario,
    { ticks: rates.ticks, approximation, ...(master === "gauss-seidel" ? { position } : {}) },
    report,
  );
  const plan = emitPlan(
    {
      scenario,
      graph: portGraph(scenario, options.record),
      master,
      start: options.start ?? scenario.experiment.start ?? 0,
      rates,
      order: order.units,
      inputs,
      microSteps,
      record: options.record,
      recordEvery: options.recordEvery ?? scenario.record.every,
    },
    report,
  );
  return hasErrors(diagnostics) ? { diagnostics } : { value: { plan, order, inputs }, diagnostics };
}

function masterOf(
  scenario: Scenario,
  options: CompileOptions,
  report: (d: Diagnostic) => void,
): Plan["master"] | undefined {
  const name = options.master ?? (scenario.master.name || "jacobi");
  const known = FIXED_STEP_MASTERS.find((master) => master === name);
  if (known) return known;
  const params = {
    name,
    nearest: nearest(name, FIXED_STEP_MASTERS),
    known: FIXED_STEP_MASTERS.join(", "),
  };
  report(diagnose(PLAN_DIAGNOSTICS, "master-unknown", params, scenario.master.place));
  return undefined;
}

function ratesOf(
  scenario: Scenario,
  options: CompileOptions,
  report: (d: Diagnostic) => void,
): Rates | undefined {
  const common = options.step ?? scenario.experiment.step ?? preferredStep(scenario);
  const place = { file: scenario.file };
  if (common === undefined || !(common > 0)) {
    report(diagnose(PLAN_DIAGNOSTICS, "step-missing", {}, place));
    return undefined;
  }
  const steps = scenario.units.map((unit) => unit.step ?? common);
  const rates = commonRates([common, ...steps]);
  if (rates === undefined) {
    const list = [...new Set([common, ...steps])].map((step) => `${step} s`).join(", ");
    report(diagnose(PLAN_DIAGNOSTICS, "steps-incommensurable", { steps: list }, place));
    return undefined;
  }
  return { step: rates.step, ticks: rates.ticks.slice(1) };
}

function preferredStep(scenario: Scenario): number | undefined {
  const wishes = scenario.units.flatMap(
    ({ description }) =>
      description.experiment.step ?? description.capabilities.preferredStep ?? [],
  );
  return wishes.length === 0 ? undefined : Math.min(...wishes);
}

function orderOf(
  scenario: Scenario,
  master: Plan["master"] | undefined,
  report: (d: Diagnostic) => void,
): UnitOrder | undefined {
  const given = scenario.master.options["order"];
  if (master !== "gauss-seidel" || given === undefined || given === "automatic")
    return automaticOrder(scenario);
  const names = Array.isArray(given) ? given.map(String) : [String(given)];
  return givenOrder(scenario, names, scenario.master.place, report);
}

function approximationOf(scenario: Scenario, report: (d: Diagnostic) => void): Approximation {
  const name = String(scenario.master.options["approximation"] ?? "hold");
  const found = APPROXIMATIONS.find((approximation) => approximation === name);
  if (found) return found;
  report(
    diagnose(
      PLAN_DIAGNOSTICS,
      "approximation-unknown",
      { name, known: APPROXIMATIONS.join(", ") },
      scenario.master.place,
    ),
  );
  return "hold";
}

function microStepsOf(scenario: Scenario, report: (d: Diagnostic) => void): number {
  const given = scenario.master.options["microSteps"] ?? DEFAULT_MICRO_STEPS;
  if (Number.isInteger(given) && Number(given) >= 1) return Number(given);
  const params = { given: String(given) };
  report(diagnose(PLAN_DIAGNOSTICS, "micro-steps-invalid", params, scenario.master.place));
  return DEFAULT_MICRO_STEPS;
}
