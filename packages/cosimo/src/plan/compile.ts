/**
 * From a scenario and a master to a plan. Passes: rates → port graph → order → input approximations
 * → signal layout → ops; masters that decide at run time also get the ops of every unit on their
 * own (coupling-plan.ts). Nothing is loaded and nothing is run: this works wherever JavaScript
 * does.
 */

import { type Checked, type Diagnostic, hasErrors, reporterFor } from "../base/diagnostic.ts";
import { nearest } from "../base/nearest.ts";
import { present } from "../base/present.ts";
import {
  isSequential,
  iterates,
  MASTER_NAMES,
  MASTERS,
  masterNamed,
  SCHEMES,
  schemeOf,
} from "../model/masters.ts";
import type { Approximation, ElementRef, PortRef, Scenario } from "../model/scenario.ts";
import { placeOf, portAt, portName } from "../model/scenario-ports.ts";
import { chooseMaster, isLateInSteps, mixesEvents } from "./choose-master.ts";
import { type EmitInput, emitPlan } from "./emit.ts";
import { boundBesideDiscrete, reportEventNeeds } from "./event-needs.ts";
import { faultsNeedRunTime, reportFaultNeeds, withFaultLevels } from "./fault-needs.ts";
import { type InputPlan, planInputs } from "./input-plan.ts";
import {
  reportConstantSteps,
  reportNoRollback,
  reportOwnSteps,
  reportQuadraticStart,
  reportStepControl,
} from "./master-needs.ts";
import {
  DEFAULT_MICRO_STEPS,
  type MasterSettings,
  readMasterSettings,
  reportForeignOptions,
} from "./master-settings.ts";
import { hasEventModes, withMetEvents } from "./met-events.ts";
import type { Plan } from "./plan.ts";
import { PLAN_DIAGNOSTICS, type PlanReport } from "./plan-diagnostics.ts";
import { type PolicyPlan, planPolicies } from "./policies.ts";
import { portGraph } from "./port-graph.ts";
import { commonRates, type Rates } from "./rates.ts";
import { automaticOrder, givenOrder, type UnitOrder } from "./unit-order.ts";
import { reportZeroDelayCycles } from "./zero-delay-cycles.ts";

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
  readonly record: readonly ElementRef[];
  readonly recordEvery?: number;
  /**
   * The scenario is a unit of another one: its master has its events, its units handle their own.
   */
  readonly isNested?: boolean;
  /**
   * A unit that runs alone: its events, clocks and refused steps are handled outside of the plan,
   * which is straight.
   */
  readonly isSingle?: boolean;
  /**
   * Units without event mode that exchange events run with it, so that they arrive at their
   * instants.
   */
  readonly meetsEvents?: boolean;
  /** Which numbers about the run (`master.step`, `bond.x.energy`) are recorded. Default: all. */
  readonly statistics?: (name: string) => boolean;
  /** Whether the growth of coupled signals is recorded (`master.growth`). */
  readonly growth?: boolean;
  /** Whether the index of superdense time is recorded (`master.index`). */
  readonly index?: boolean;
}

export interface Compiled {
  readonly plan: Plan;
  /** The sequence of units and why; for jacobi the order does not matter. */
  readonly order: UnitOrder;
  /** How every connection's value reaches its input, one entry per connection. */
  readonly inputs: readonly InputPlan[];
  /** What is recorded: elements of ports. */
  readonly recorded: readonly ElementRef[];
}

export function compilePlan(given: Scenario, options: CompileOptions): Checked<Compiled> {
  const diagnostics: Diagnostic[] = [];
  const report = reporterFor(PLAN_DIAGNOSTICS, diagnostics);
  // Runs and checks plan one structure after the other (run/plan-structure.ts).
  if (given.structure !== undefined) report("structure-changes", {}, { file: given.file });
  const master = masterOf(given, options, report);
  const isSampled = options.isSingle === true || (master && MASTERS[master].coordinates) === true;
  const located = isSampled ? given : withFaultLevels(given);
  const scenario = isSampled || options.meetsEvents !== true ? located : withMetEvents(located);
  const step = stepOf(scenario, options, master, report);
  const order = orderOf(scenario, master, report);
  if (master === undefined || step === undefined || order === undefined) return { diagnostics };
  if (!MASTERS[master].controlsSteps && scenario.master.options["policies"] !== undefined)
    report("policies-idle", { master }, scenario.master.place);
  reportTriggers(scenario, master, options, report);
  const start = options.start ?? scenario.experiment.start ?? 0;
  const isNested = options.isNested === true;
  const request: MasterRequest = { scenario, master, start, step, order, isNested, report };
  const grid = { master, start, step, isSampled };
  reportFaultNeeds(scenario, grid, report);
  const hasInstants = !isSampled && faultsNeedRunTime(scenario, grid);
  const needsRunTime = decidesAtRunTime(scenario, master) || hasInstants || scenario !== located;
  const isStraight = options.isSingle === true || !needsRunTime;
  const chosen = isStraight ? straight(request, options.isSingle) : runTime(request);
  if (chosen === undefined || hasErrors(diagnostics)) return { diagnostics };
  const { statistics, growth, index } = options;
  const plan = emitPlan(
    {
      scenario,
      graph: portGraph(scenario, options.record),
      master,
      start,
      order: order.units,
      record: options.record,
      recordEvery: options.recordEvery ?? scenario.record.every,
      ...(statistics && { statistics }),
      ...present({ growth, index }),
      ...chosen,
    },
    report,
  );
  if (hasErrors(diagnostics)) return { diagnostics };
  const { inputs } = chosen.coupling ?? chosen;
  return { value: { plan, order, inputs, recorded: options.record }, diagnostics };
}

/**
 * Triggers are followed by the master 'event-driven' alone, and it has no common steps that others
 * could ask for.
 */
function reportTriggers(
  scenario: Scenario,
  master: Plan["master"],
  { isNested = false, isSingle, record }: CompileOptions,
  report: PlanReport,
): void {
  // A unit alone shows its events by itself, and so does the scenario around a nested one.
  const recorded = isSingle || isNested ? [] : record;
  const { coordinates } = MASTERS[master];
  const triggered = scenario.connections.find(({ trigger }) => trigger !== undefined);
  if (triggered && !coordinates) report("trigger-ignored", { master }, triggered.place);
  if (!coordinates) {
    const late = new Set<string>();
    for (const connection of scenario.connections) {
      const { from, to, place: there } = connection;
      if (isLateInSteps(scenario, connection) && !portAt(scenario, to).observed) {
        late.add(portName(scenario, from));
        const what = "delivered";
        report("events-at-step-ends", { from: portName(scenario, from), master, what }, there);
      }
      if (!mixesEvents(scenario, connection) || hasEventModes(scenario, connection)) continue;
      const [left, right] = [from, to].map((end) => portName(scenario, end));
      report("events-mixed", { from: left, to: right, master }, there);
    }
    for (const port of recorded) {
      const from = portName(scenario, port);
      if (!isLateInSteps(scenario, { from: port }) || late.has(from)) continue;
      // Steps end at events that faults wait for.
      if (
        scenario.connections.some(
          (one) => isSamePort(one.from, port) && portAt(scenario, one.to).observed,
        )
      )
        continue;
      late.add(from);
      const what = "recorded";
      report("events-at-step-ends", { from, master, what }, placeOf(scenario));
    }
    return;
  }
  reportZeroDelayCycles(scenario, report, true);
  const { place } = scenario.master;
  if (isNested) report("event-driven-nested", { name: scenario.name }, place);
  const declared = DECLARATIONS.filter((key) => scenario[key].length > 0);
  if (declared.length > 0) report("event-driven-declared", { declared }, place);
  for (const { name, description, place: there } of scenario.units) {
    // One that judges a step by its inputs at the end must repeat it; one that ends it at an event
    // of its own is there.
    const needed = description.ports.find(({ reactive }) => reactive === true);
    if (description.capabilities.refusesSteps === true && needed !== undefined)
      report("event-driven-unit", { unit: name, input: needed.name }, there);
  }
  const integral = scenario.connections.find((connection) => connection.integral !== undefined);
  if (integral !== undefined)
    report("event-driven-declared", { declared: ["integral"] }, integral.place);
}

const DECLARATIONS = ["events", "constraints", "bonds", "limits"] as const;

interface MasterRequest {
  readonly scenario: Scenario;
  readonly master: Plan["master"];
  readonly start: number;
  readonly step: number;
  readonly order: UnitOrder;
  readonly isNested: boolean;
  readonly report: PlanReport;
}

type Chosen = Pick<EmitInput, "rates" | "inputs" | "microSteps" | "coupling">;

/** Whether the master, or something that the scenario declares, needs more than a straight plan. */
export function decidesAtRunTime(scenario: Scenario, master: Plan["master"]): boolean {
  const { events, constraints, bonds, limits, connections, units } = scenario;
  // Clocks and the like are up to the coordination, which takes nothing from a plan but its
  // initialization and its columns.
  if (MASTERS[master].coordinates) return false;
  return (
    MASTERS[master].decidesAtRunTime ||
    [events, constraints, bonds, limits].some(({ length }) => length > 0) ||
    connections.some(({ integral }) => integral !== undefined) ||
    units.some(
      ({ description: { capabilities, ports } }) =>
        capabilities.refusesSteps === true || ports.some(({ clock }) => clock),
    )
  );
}

/** A fixed-step explicit master: everything is known before the first step. */
function straight(
  { scenario, master, step, order, report }: MasterRequest,
  isSingle = false,
): Chosen | undefined {
  const rates = ratesOf(scenario, step, report);
  reportForeignOptions(master, scenario.master, step, report);
  const approximation = approximationOf(scenario, report);
  const microSteps = microStepsOf(scenario, report);
  if (rates === undefined) return undefined;
  const { isSequential: inSequence } = SCHEMES[schemeOf(master, {})];
  const position = inSequence ? { position: positions(order) } : {};
  const inputs = planInputs(scenario, { ticks: rates.ticks, approximation, ...position }, report);
  const steps = rates.ticks.map((count) => count * rates.step);
  // A unit alone is coupled to nothing.
  if (!isSingle) reportOwnSteps(scenario, { inputs, steps, microSteps }, report);
  reportQuadraticStart(scenario, inputs, report);
  return { rates, inputs, microSteps };
}

/** A master that decides while it runs: one step for all, input trajectories chosen per step. */
function runTime(request: MasterRequest): Chosen | undefined {
  const { scenario, master, start, step, order, isNested, report } = request;
  const read = readMasterSettings(master, scenario.master, step, report);
  const own = isNested ? { ...read, eventMode: false } : read;
  const settings = boundBesideDiscrete(scenario, own, step, report);
  const ticks = scenario.units.map(() => 1);
  for (const { name, step: unitStep, place } of scenario.units) {
    if (unitStep === undefined || unitStep <= step) continue;
    report("unit-step-too-long", { unit: name, own: unitStep, common: step, master }, place);
  }
  const [constraint] = scenario.constraints;
  if (constraint !== undefined && !iterates(settings))
    report("constraint-needs-iteration", { constraint: constraint.text, master }, constraint.place);
  const approximation = APPROXIMATIONS[settings.order];
  const position = isSequential(settings) ? { position: positions(order) } : {};
  const inputs = planInputs(scenario, { ticks, approximation, ...position }, report);
  const { microSteps } = settings;
  const steps = scenario.units.map((unit) => unit.step ?? step);
  reportOwnSteps(scenario, { inputs, steps, microSteps }, report);
  if (!iterates(settings)) reportQuadraticStart(scenario, inputs, report);
  reportNoRollback(scenario, settings, report);
  reportEventNeeds(scenario, settings, report);
  if (settings.eventMode) reportZeroDelayCycles(scenario, report);
  reportStepControl(scenario, settings, report);
  reportConstantSteps(scenario, settings, { start, step }, report);
  const policies = policiesOf(request, settings);
  return {
    rates: { step, ticks },
    // The step of the plan is only a pattern: values of the start, held.
    inputs: inputs.map(({ connection }) => ({
      connection,
      approximation: "hold",
      through: "write",
      takes: "start",
    })),
    microSteps,
    coupling: { settings, inputs, order: order.units, ...(policies && { policies }) },
  };
}

function policiesOf(
  { scenario, step, report }: MasterRequest,
  { policies, guard, coupling, eventMode }: MasterSettings,
): PolicyPlan | undefined {
  if (policies !== undefined)
    return planPolicies(
      scenario,
      { policies, step, coupling, eventMode, ...(guard && { guard }) },
      report,
    );
  if (guard !== undefined) report("guard-without-policies", {}, scenario.master.place);
  return undefined;
}

/** By unit, its place in the order. */
function positions({ units }: UnitOrder): number[] {
  const position = units.map(() => 0);
  units.forEach((unit, place) => {
    position[unit] = place;
  });
  return position;
}

function masterOf(
  scenario: Scenario,
  options: CompileOptions,
  report: PlanReport,
): Plan["master"] | undefined {
  const { isNested, isSingle, record } = options;
  const name =
    options.master ??
    (scenario.master.name || chooseMaster(scenario, isNested, isSingle ? [] : record).master);
  const params = { name, nearest: nearest(name, MASTER_NAMES), known: MASTER_NAMES.join(", ") };
  return masterNamed(name) ?? report("master-unknown", params, scenario.master.place);
}

function stepOf(
  scenario: Scenario,
  options: CompileOptions,
  master: Plan["master"] | undefined,
  report: PlanReport,
): number | undefined {
  const common = options.step ?? scenario.experiment.step ?? preferredStep(scenario);
  if (common !== undefined && common > 0) return common;
  if (master !== undefined && MASTERS[master].coordinates && needsNoStep(scenario)) return 1;
  return report("step-missing", {}, placeOf(scenario));
}

/**
 * All units say by themselves when something happens, and nothing is sampled: a step has no
 * meaning.
 */
function needsNoStep({ units, connections, faults = [] }: Scenario): boolean {
  return (
    faults.length === 0 &&
    units.every(({ description: { capabilities, ports } }) => {
      const outputs = ports.filter(({ direction }) => direction === "output");
      return (
        capabilities.predicates.includes("updated") &&
        outputs.every(({ nature }) => nature === "transient" || nature === "piecewise-constant")
      );
    }) &&
    connections.every(({ trigger }) => trigger?.kind !== "threshold")
  );
}

function isSamePort(a: PortRef, b: PortRef): boolean {
  return a.unit === b.unit && a.port === b.port;
}

function ratesOf(scenario: Scenario, common: number, report: PlanReport): Rates | undefined {
  const steps = [common, ...scenario.units.map((unit) => unit.step ?? common)];
  const rates = commonRates(steps);
  if (rates !== undefined) return { step: rates.step, ticks: rates.ticks.slice(1) };
  const list = [...new Set(steps)].map((step) => `${step} s`).join(", ");
  return report("steps-incommensurable", { steps: list }, placeOf(scenario));
}

/** The smallest step that a unit prefers. */
function preferredStep(scenario: Scenario): number | undefined {
  const preferred = scenario.units.flatMap(
    ({ description: { experiment, capabilities } }) =>
      experiment.step ?? capabilities.preferredStep ?? [],
  );
  return preferred.length === 0 ? undefined : preferred.reduce((a, b) => Math.min(a, b));
}

function orderOf(
  scenario: Scenario,
  master: Plan["master"] | undefined,
  report: PlanReport,
): UnitOrder | undefined {
  const { options, place } = scenario.master;
  const given = options["order"];
  const fixed = master && MASTERS[master].scheme;
  const ignoresOrder = fixed !== undefined && !SCHEMES[fixed].usesOrder;
  if (ignoresOrder || given === undefined || given === "automatic") {
    const inSequence = master !== undefined && SCHEMES[schemeOf(master, options)].isSequential;
    return automaticOrder(scenario, inSequence ? "not delayed" : "reactive");
  }
  const names = Array.isArray(given) ? given.map(String) : [String(given)];
  return givenOrder(scenario, names, place, report);
}

function approximationOf(scenario: Scenario, report: PlanReport): Approximation {
  const { options, place } = scenario.master;
  const name = String(options["approximation"] ?? "hold");
  const found = APPROXIMATIONS.find((approximation) => approximation === name);
  const params = { name, known: APPROXIMATIONS.join(", ") };
  return found ?? report("approximation-unknown", params, place) ?? "hold";
}

function microStepsOf(scenario: Scenario, report: PlanReport): number {
  const { options, place } = scenario.master;
  const given = options["microSteps"] ?? DEFAULT_MICRO_STEPS;
  if (Number.isInteger(given) && Number(given) >= 1) return Number(given);
  return report("micro-steps-invalid", { given: String(given) }, place) ?? DEFAULT_MICRO_STEPS;
}
