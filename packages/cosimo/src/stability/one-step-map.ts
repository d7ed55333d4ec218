/**
 * The one-step map of a plan: what one period of it makes of a small deviation, found by running
 * the plan itself on stand-ins of its units (decision 9). Feed-through, order, extrapolation,
 * iteration and rates are in it because they are in the plan.
 *
 * What the coupled system carries from step to step is what a checkpoint would keep: memory of the
 * units, signals, and the past that the master extrapolates from. Entries that nothing reads before
 * they are written again drop out (spectrum.ts).
 */
import { hasErrors } from "../base/diagnostic.ts";
import { NotConverged } from "../engine/masters/step-method.ts";
import { iterates } from "../model/masters.ts";
import type { MasterDraft, Scenario } from "../model/scenario.ts";
import { compilePlan } from "../plan/compile.ts";
import { communicationStep, OP_WIDTH, Op, type Plan } from "../plan/plan.ts";
import type { UnitModel } from "./identify.ts";
import { LinearStepUnit, standInDescription } from "./linear-step-unit.ts";
import { unitElements } from "./step-model.ts";
import { type OneStepMap, SteppedPlan } from "./stepped-plan.ts";

export interface MapRequest {
  /** As resolved, with real descriptions. */
  readonly scenario: Scenario;
  readonly models: readonly UnitModel[];
  readonly master: MasterDraft;
  /** Seconds of the scenario's step; steps of units are scaled with it. */
  readonly step: number;
  /** Seconds by which every output is late, rounded up to whole steps. */
  readonly delay: number;
  /** The entries that matter, where an earlier map of the same master showed them; default: all. */
  readonly entries?: readonly number[];
  /** Factor on one connection, for sensitivities. */
  readonly gain?: { readonly connection: number; readonly factor: number };
}

/** Why a master cannot be analysed: it does not fit the scenario, or finds no step. */
export class NoPlan extends Error {
  constructor(message: string) {
    super(message);
    this.name = "NoPlan";
  }
}

/** How well iterations agree, the best first; stiff couplings do not get to the first. */
const TOLERANCES = [1e-12, 1e-10, 1e-8, 1e-6] as const;

/** @throws NoPlan */
export function oneStepMap(request: MapRequest): OneStepMap {
  for (const tolerance of TOLERANCES) {
    try {
      return mapWith({ ...request, master: analysedDraft(request.master, tolerance) });
    } catch (error) {
      if (!(error instanceof NotConverged)) throw error;
    }
  }
  throw new NoPlan(`the iteration does not converge with steps of ${request.step} s`);
}

/**
 * What is added to the options of a master: iterations are carried to the end, whatever they cost,
 * by a method that converges on every linear system with a solution. A fixed number of corrections
 * stays as it is.
 */
function analysedDraft(draft: MasterDraft, tolerance: number): MasterDraft {
  if (draft.name !== "iterative" || draft.options["corrections"] !== undefined) return draft;
  const surely = { method: "newton", jacobian: "differences", tolerance, halvings: 0 };
  return { ...draft, options: { ...draft.options, ...surely } };
}

function mapWith(request: MapRequest): OneStepMap {
  return steppedPlan(request).map(request.entries);
}

/**
 * The same on the states of the units alone, signals following from them: the same coordinates for
 * every master. It says everything about masters that carry no past.
 */
export function stateMap(request: MapRequest): Float64Array {
  return steppedPlan({
    ...request,
    master: analysedDraft(request.master, TOLERANCES[0]),
  }).stateMap();
}

function steppedPlan(request: MapRequest): SteppedPlan {
  const scenario = standInScenario(request);
  const compiled = compilePlan(scenario, { record: [], statistics: () => false });
  if (compiled.value === undefined || hasErrors(compiled.diagnostics)) {
    const errors = compiled.diagnostics.filter(({ severity }) => severity === "error");
    throw new NoPlan(errors.map(({ message }) => message).join("; "));
  }
  const { plan } = compiled.value;
  const units = request.models.map((model, u) => standIn(request, scenario, plan, model, u));
  return new SteppedPlan(plan, scenario, units);
}

/** The scenario of deviations: no start values, no offsets, no events, one master. */
function standInScenario({ scenario, master, step, delay, gain }: MapRequest): Scenario {
  const { experiment } = scenario;
  const scale = step / (experiment.step ?? step);
  return {
    ...scenario,
    units: scenario.units.map(({ name, source, description, place, step: own }) => ({
      name,
      source,
      place,
      description: standInDescription(description, delay > 0),
      values: [],
      ...(own === undefined ? {} : { step: own * scale }),
    })),
    connections: scenario.connections.map((connection, c) => ({
      ...connection,
      offset: 0,
      factor: connection.factor * (gain?.connection === c ? gain.factor : 1),
    })),
    constraints: scenario.constraints.map((constraint) => ({ ...constraint, offset: 0 })),
    experiment: { start: 0, step },
    master,
    ports: [],
    record: { patterns: [], every: 1 },
    bonds: [],
    events: [],
    limits: [],
  };
}

function standIn(
  { scenario, models, delay }: MapRequest,
  deviations: Scenario,
  plan: Plan,
  { states }: UnitModel,
  u: number,
): LinearStepUnit {
  const { name, description } = deviations.units[u];
  const parts = partsOf(plan, u);
  const whole = communicationStep(plan, u);
  const lateBy = delay > 0 ? parts * Math.ceil(delay / whole - WHOLE) : 0;
  const unit = new LinearStepUnit(name, {
    description,
    elements: unitElements(scenario, u),
    states,
    lateBy,
    modelFor: (seconds) => models[u].modelFor(seconds),
  });
  unit.prepare(whole / parts);
  return unit;
}

/** A delay that misses a whole number of steps by less is that number. */
const WHOLE = 1e-9;

/** In how many calls a unit takes its communication step. */
function partsOf(plan: Plan, unit: number): number {
  if (plan.coupling !== undefined) {
    const { stages, settings } = plan.coupling;
    const { parts, longest } = stages[unit];
    const pieces = iterates(settings) ? settings.iteration.pieces : 1;
    const piece = plan.step / pieces;
    return pieces * parts * Math.max(1, Math.ceil(piece / longest - WHOLE));
  }
  const { step: ops } = plan.segments;
  for (let pc = 0; pc < ops.length; pc += OP_WIDTH)
    if (ops[pc] === Op.Advance && ops[pc + 1] === unit) return ops[pc + 3];
  return 1;
}
