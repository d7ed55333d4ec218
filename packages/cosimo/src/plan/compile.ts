/**
 * From a scenario and a master to a plan. Passes: rates → port graph → order → input approximations → signal layout → ops;
 * masters that decide at run time get the same ops cut up unit by unit as well (coupling-plan.ts). Nothing is loaded and nothing is run: this works wherever JavaScript does.
 */
import { type Checked, type Diagnostic, diagnose, hasErrors } from "../base/diagnostic.ts";
import { nearest } from "../base/nearest.ts";
import { MASTER_NAMES, MASTERS, schemeOf } from "../model/masters.ts";
import type { Approximation, Scenario } from "../model/scenario.ts";
import { chooseMaster } from "./choose-master.ts";
import { type EmitInput, emitPlan } from "./emit.ts";
import { boundBesideDiscrete, reportEventNeeds } from "./event-needs.ts";
import { type InputPlan, planInputs } from "./input-plan.ts";
import {
  reportConstantSteps,
  reportNoRollback,
  reportOwnSteps,
  reportQuadraticStart,
  reportStepControl,
} from "./master-needs.ts";
import { DEFAULT_MICRO_STEPS, type MasterSettings, readMasterSettings } from "./master-settings.ts";
import type { Plan } from "./plan.ts";
import { PLAN_DIAGNOSTICS } from "./plan-diagnostics.ts";
import { type PolicyPlan, planPolicies } from "./policies.ts";
import { portGraph } from "./port-graph.ts";
import { commonRates, type Rates } from "./rates.ts";
import { automaticOrder, givenOrder, type UnitOrder } from "./unit-order.ts";

const APPROXIMATIONS: readonly Approximation[] = [
  "hold",
  "linear",
  "quadratic",
  "extrapolated-interpolation",
];

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
  /** The scenario is a unit of another one: its events are its own, and units handle theirs by themselves. */
  readonly isNested?: boolean;
  /** Which numbers about the run (`master.step`, `bond.x.energy`) are recorded as well; all unless said. */
  readonly statistics?: (name: string) => boolean;
  /** Whether the growth of coupled signals is recorded (`master.growth`). */
  readonly growth?: boolean;
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
  const step = stepOf(scenario, options, report);
  const order = orderOf(scenario, master, report);
  if (master === undefined || step === undefined || order === undefined) return { diagnostics };
  if (!MASTERS[master].controlsSteps && scenario.master.options["policies"] !== undefined)
    report(diagnose(PLAN_DIAGNOSTICS, "policies-idle", { master }, scenario.master.place));
  const isNested = options.isNested === true;
  const start = options.start ?? scenario.experiment.start ?? 0;
  const request: MasterRequest = { scenario, master, start, step, order, isNested, report };
  const chosen = decidesAtRunTime(scenario, master) ? runTime(request) : straight(request);
  if (chosen === undefined || hasErrors(diagnostics)) return { diagnostics };
  const plan = emitPlan(
    {
      scenario,
      graph: portGraph(scenario, options.record),
      master,
      start,
      order: order.units,
      record: options.record,
      recordEvery: options.recordEvery ?? scenario.record.every,
      ...(options.statistics === undefined ? {} : { statistics: options.statistics }),
      ...(options.growth === undefined ? {} : { growth: options.growth }),
      ...chosen,
    },
    report,
  );
  const inputs = plan.coupling ? chosen.coupling!.inputs : chosen.inputs;
  return hasErrors(diagnostics) ? { diagnostics } : { value: { plan, order, inputs }, diagnostics };
}

interface MasterRequest {
  readonly scenario: Scenario;
  readonly master: Plan["master"];
  readonly start: number;
  readonly step: number;
  readonly order: UnitOrder;
  readonly isNested: boolean;
  readonly report: (diagnostic: Diagnostic) => void;
}

type Chosen = Pick<EmitInput, "rates" | "inputs" | "microSteps" | "coupling">;

/** Masters and wishes that no straight plan can follow. */
export function decidesAtRunTime(scenario: Scenario, master: Plan["master"]): boolean {
  return (
    MASTERS[master].decidesAtRunTime ||
    scenario.events.length > 0 ||
    scenario.constraints.length > 0 ||
    scenario.bonds.length > 0 ||
    scenario.limits.length > 0 ||
    scenario.connections.some(({ integral }) => integral !== undefined) ||
    scenario.units.some(
      ({ description }) =>
        description.capabilities.refusesSteps === true ||
        description.ports.some(({ clock }) => clock),
    )
  );
}

/** A fixed-step explicit master: everything is known before the first step. */
function straight({ scenario, master, step, order, report }: MasterRequest): Chosen | undefined {
  const rates = ratesOf(scenario, step, report);
  const approximation = approximationOf(scenario, report);
  const microSteps = microStepsOf(scenario, report);
  if (rates === undefined) return undefined;
  const position = master === "gauss-seidel" ? { position: positions(order) } : {};
  const inputs = planInputs(scenario, { ticks: rates.ticks, approximation, ...position }, report);
  const steps = rates.ticks.map((count) => count * rates.step);
  reportOwnSteps(scenario, { inputs, steps, microSteps }, report);
  reportQuadraticStart(scenario, inputs, report);
  return { rates, inputs, microSteps };
}

/** A master that decides while it runs: one step for all, inputs whose course is chosen step by step. */
function runTime(request: MasterRequest): Chosen | undefined {
  const { scenario, master, start, step, order, isNested, report } = request;
  const read = readMasterSettings(master, scenario.master, step, report);
  const asked = isNested ? { ...read, eventMode: false } : read;
  const settings = boundBesideDiscrete(scenario, asked, step, report);
  const ticks = scenario.units.map(() => 1);
  for (const { name, step: own, place } of scenario.units) {
    if (own === undefined || own <= step) continue;
    const params = { unit: name, own, common: step, master };
    report(diagnose(PLAN_DIAGNOSTICS, "unit-step-too-long", params, place));
  }
  if (scenario.constraints.length > 0 && settings.coupling !== "iterative") {
    const params = { constraint: scenario.constraints[0].text, master };
    report(
      diagnose(
        PLAN_DIAGNOSTICS,
        "constraint-needs-iteration",
        params,
        scenario.constraints[0].place,
      ),
    );
  }
  const approximation = APPROXIMATIONS[settings.order];
  const position = settings.coupling === "gauss-seidel" ? { position: positions(order) } : {};
  const inputs = planInputs(scenario, { ticks, approximation, ...position }, report);
  const { microSteps } = settings;
  const steps = scenario.units.map((unit) => unit.step ?? step);
  reportOwnSteps(scenario, { inputs, steps, microSteps }, report);
  if (settings.coupling !== "iterative") reportQuadraticStart(scenario, inputs, report);
  reportNoRollback(scenario, settings, report);
  reportEventNeeds(scenario, settings, report);
  reportStepControl(scenario, settings, report);
  reportConstantSteps(scenario, settings, { start, step }, report);
  const policies = policiesOf(request, settings);
  return {
    rates: { step, ticks },
    inputs: inputs.map(({ connection }) => ({
      connection,
      approximation: "hold",
      through: "write",
      takes: "start",
    })),
    microSteps: settings.microSteps,
    coupling: {
      settings,
      inputs,
      order: order.units,
      ...(policies === undefined ? {} : { policies }),
    },
  };
}

function policiesOf(
  { scenario, step, report }: MasterRequest,
  { policies, guard, coupling, eventMode }: MasterSettings,
): PolicyPlan | undefined {
  if (policies !== undefined) {
    const given = {
      policies,
      step,
      coupling,
      eventMode,
      ...(guard === undefined ? {} : { guard }),
    };
    return planPolicies(scenario, given, report);
  }
  if (guard !== undefined)
    report(diagnose(PLAN_DIAGNOSTICS, "guard-without-policies", {}, scenario.master.place));
  return undefined;
}

function positions(order: UnitOrder): number[] {
  const position = new Array<number>(order.units.length).fill(0);
  order.units.forEach((unit, place) => {
    position[unit] = place;
  });
  return position;
}

function masterOf(
  scenario: Scenario,
  options: CompileOptions,
  report: (d: Diagnostic) => void,
): Plan["master"] | undefined {
  const name = options.master ?? (scenario.master.name || chooseMaster(scenario).master);
  const known = MASTER_NAMES.find((master) => master === name);
  if (known) return known;
  const params = {
    name,
    nearest: nearest(name, MASTER_NAMES),
    known: MASTER_NAMES.join(", "),
  };
  report(diagnose(PLAN_DIAGNOSTICS, "master-unknown", params, scenario.master.place));
  return undefined;
}

function stepOf(
  scenario: Scenario,
  options: CompileOptions,
  report: (d: Diagnostic) => void,
): number | undefined {
  const common = options.step ?? scenario.experiment.step ?? preferredStep(scenario);
  if (common !== undefined && common > 0) return common;
  report(diagnose(PLAN_DIAGNOSTICS, "step-missing", {}, { file: scenario.file }));
  return undefined;
}

function ratesOf(
  scenario: Scenario,
  common: number,
  report: (d: Diagnostic) => void,
): Rates | undefined {
  const place = { file: scenario.file };
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
  return wishes.length === 0 ? undefined : wishes.reduce((a, b) => Math.min(a, b));
}

function orderOf(
  scenario: Scenario,
  master: Plan["master"] | undefined,
  report: (d: Diagnostic) => void,
): UnitOrder | undefined {
  const given = scenario.master.options["order"];
  const isSequence =
    master !== undefined && schemeOf(master, scenario.master.options) === "gauss-seidel";
  if (master === "jacobi" || given === undefined || given === "automatic")
    return automaticOrder(scenario, isSequence ? "not delayed" : "reactive");
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
