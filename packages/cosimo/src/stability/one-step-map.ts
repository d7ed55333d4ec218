/**
 * The one-step map of a plan: what one period of it makes of a small deviation, found by running the plan itself on stand-ins of its units
 * (decision 9). Feed-through, order, extrapolation, iteration and rates are in it because they are in the plan.
 *
 * What the coupled system carries from step to step is what a checkpoint would keep: memory of the units, signals, and the past that the
 * master extrapolates from. Entries that nothing reads before they are written again drop out (spectrum.ts).
 */
import { hasErrors } from "../base/diagnostic.ts";
import {
  enterInitialization,
  exitInitialization,
  exitToFirstEvent,
  resolveInitial,
} from "../engine/initialize-plan.ts";
import { Interpreter } from "../engine/interpreter.ts";
import { MasterRun } from "../engine/masters/run-master.ts";
import { NotConverged } from "../engine/masters/step-method.ts";
import { bindPlan } from "../engine/signals.ts";
import type { MasterDraft, Scenario } from "../model/scenario.ts";
import { compilePlan } from "../plan/compile.ts";
import { communicationStep, OP_WIDTH, Op, type Plan, timeOf } from "../plan/plan.ts";
import type { Snapshot } from "../unit/unit.ts";
import type { UnitModel } from "./identify.ts";
import { LinearStepUnit, standInDescription } from "./linear-step-unit.ts";
import { unitElements } from "./step-model.ts";

/** Where an entry of the map's state lives. */
export type StateOwner =
  /** A state of a unit, or an output of it that is on its way. */
  | { readonly kind: "unit"; readonly unit: number }
  /** What an input holds, is predicted from, or gets. */
  | { readonly kind: "input"; readonly unit: number; readonly port: number }
  /** A signal on its way that belongs to no single input. */
  | { readonly kind: "signal" };

export interface OneStepMap {
  readonly size: number;
  /** Which of all entries of the plan's state these are. */
  readonly entries: readonly number[];
  /** size × size, row-major: over `ticks` ticks. */
  readonly matrix: Float64Array;
  readonly owners: readonly StateOwner[];
  /** Ticks of one period of the plan, and seconds of a tick. */
  readonly ticks: number;
  readonly step: number;
}

export interface MapRequest {
  /** As resolved, with real descriptions. */
  readonly scenario: Scenario;
  readonly models: readonly UnitModel[];
  readonly master: MasterDraft;
  /** Seconds of the scenario's step; steps of units are scaled with it. */
  readonly step: number;
  /** Seconds by which every output is late, rounded up to whole steps. */
  readonly delay: number;
  /** The entries that matter, where an earlier map of the same master told; all unless said. */
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
 * What is added to the options of a master: iterations are carried to the end, whatever they cost, by a method that converges on
 * every linear system with a solution. A fixed number of corrections stays as it is.
 */
function analysedDraft(draft: MasterDraft, tolerance: number): MasterDraft {
  if (draft.name !== "iterative" || draft.options["corrections"] !== undefined) return draft;
  const surely = { method: "newton", jacobian: "differences", tolerance, halvings: 0 };
  return { ...draft, options: { ...draft.options, ...surely } };
}

function mapWith(request: MapRequest): OneStepMap {
  const scenario = standInScenario(request);
  const compiled = compilePlan(scenario, { record: [], statistics: () => false });
  if (compiled.value === undefined || hasErrors(compiled.diagnostics)) {
    const errors = compiled.diagnostics.filter(({ severity }) => severity === "error");
    throw new NoPlan(errors.map(({ message }) => message).join("; "));
  }
  const { plan } = compiled.value;
  const units = request.models.map((model, u) => standIn(request, scenario, plan, model, u));
  return new SteppedPlan(plan, scenario, units).map(request.entries);
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
  const { name, description } = deviations.units[u]!;
  const parts = partsOf(plan, u);
  const whole = communicationStep(plan, u);
  const lateBy = delay > 0 ? parts * Math.ceil(delay / whole - WHOLE) : 0;
  const unit = new LinearStepUnit(name, {
    description,
    elements: unitElements(scenario, u),
    states,
    lateBy,
    modelFor: (seconds) => models[u]!.modelFor(seconds),
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
    const { parts, longest } = stages[unit]!;
    const pieces = settings.coupling === "iterative" ? settings.iteration.pieces : 1;
    const piece = plan.step / pieces;
    return pieces * parts * Math.max(1, Math.ceil(piece / longest - WHOLE));
  }
  const { step: ops } = plan.segments;
  for (let pc = 0; pc < ops.length; pc += OP_WIDTH)
    if (ops[pc] === Op.Advance && ops[pc + 1] === unit) return ops[pc + 3]!;
  return 1;
}

/** Steps before the first deviation, so that a master has as much past as it wants. */
const WARM_UP = 4;

class SteppedPlan {
  readonly #plan: Plan;
  readonly #units: readonly LinearStepUnit[];
  readonly #f64: Float64Array;
  readonly #interpreter: Interpreter;
  readonly #snapshots: readonly Snapshot[];
  readonly #signals: Float64Array;
  readonly #master: { readonly run: MasterRun; readonly state: Uint8Array } | undefined;
  /** Entries of the units' memory, one after the other. */
  readonly #memory: readonly { unit: LinearStepUnit; slot: number; owner: StateOwner }[];

  constructor(plan: Plan, scenario: Scenario, units: readonly LinearStepUnit[]) {
    this.#plan = plan;
    this.#units = units;
    const state = bindPlan(plan, units);
    this.#f64 = state.banks.f64;
    this.#interpreter = new Interpreter(state);
    enterInitialization(units, scenario.units, { start: plan.start });
    resolveInitial(state, this.#interpreter);
    if (plan.coupling === undefined) exitInitialization(state, this.#interpreter);
    else {
      exitToFirstEvent(units);
      const options = { stop: Number.POSITIVE_INFINITY, onRow: () => undefined };
      const run = new MasterRun(state, this.#interpreter, options);
      run.begin();
      run.advanceTo(timeOf(plan, WARM_UP));
      this.#master = { run, state: run.saveState() };
    }
    this.#snapshots = units.map((unit) => unit.save());
    this.#signals = this.#f64.slice();
    this.#memory = units.flatMap((unit, u) =>
      unit.memory.map(({ slot, input }) => ({ unit, slot, owner: ownerOf(scenario, u, input) })),
    );
  }

  map(asked?: readonly number[]): OneStepMap {
    const owners = [
      ...this.#memory.map(({ owner }) => owner),
      ...signalOwners(this.#plan),
      ...this.#pastOwners(),
    ];
    const entries = asked ?? [...owners.keys()];
    const size = entries.length;
    const matrix = new Float64Array(size * size);
    const deviation = new Float64Array(owners.length);
    const up = new Float64Array(owners.length);
    const down = new Float64Array(owners.length);
    entries.forEach((entry, j) => {
      deviation[entry] = 1;
      this.#step(deviation, up);
      deviation[entry] = -1;
      this.#step(deviation, down);
      deviation[entry] = 0;
      entries.forEach((row, i) => {
        matrix[i * size + j] = (up[row]! - down[row]!) / 2;
      });
    });
    return {
      size,
      entries,
      matrix,
      owners: entries.map((entry) => owners[entry]!),
      ticks: this.#ticks,
      step: this.#plan.step,
    };
  }

  get #ticks(): number {
    if (this.#plan.coupling !== undefined) return 1;
    return this.#plan.units.reduce((all, { ticks }) => leastMultiple(all, ticks), 1);
  }

  #pastOwners(): StateOwner[] {
    const inputs = this.#plan.coupling?.inputs ?? [];
    return [0, 1, 2, 3].flatMap(() =>
      inputs.map(({ unit, port }): StateOwner => ({ kind: "input", unit, port })),
    );
  }

  /** One period from `before`. */
  #step(before: Float64Array, after: Float64Array): void {
    this.#units.forEach((unit, u) => {
      unit.restore(this.#snapshots[u]!);
    });
    this.#f64.set(this.#signals);
    let at = 0;
    for (const { unit, slot } of this.#memory) unit.values[slot]! += before[at++]!;
    for (let i = 0; i < this.#f64.length; i++) this.#f64[i]! += before[at++]!;
    if (this.#master) {
      this.#master.run.restoreState(this.#master.state);
      this.#setPast(before.subarray(at));
      this.#master.run.advanceTo(timeOf(this.#plan, WARM_UP + 1));
    } else {
      const { step } = this.#plan.segments;
      for (let tick = 1; tick <= this.#ticks; tick++) this.#interpreter.run(step, tick);
    }
    at = 0;
    for (const { unit, slot } of this.#memory) after[at++] = unit.values[slot]!;
    for (let i = 0; i < this.#f64.length; i++) after[at++] = this.#f64[i]!;
    if (this.#master) this.#getPast(after.subarray(at));
  }

  /** The last three samples of coupled inputs, newest first, and what their areas lack. */
  #setPast(samples: Float64Array): void {
    const { coupling } = this.#master!.run;
    const { size, history, time } = coupling;
    const { step } = this.#plan;
    coupling.begin.set(samples.subarray(0, size));
    coupling.previous.set(samples.subarray(size, 2 * size));
    coupling.previousAgo = step;
    for (let i = 0; i < size; i++) coupling.debt[i]! += samples[3 * size + i]!;
    if (size === 0) return;
    history.reset();
    for (const back of [2, 1, 0])
      history.push(time - back * step, samples.slice(back * size, (back + 1) * size));
  }

  #getPast(samples: Float64Array): void {
    const { size, history, time, debt } = this.#master!.run.coupling;
    if (size === 0) return;
    samples.set(debt.subarray(0, size), 3 * size);
    const [value, first, second] = [0, 1, 2].map(() => new Float64Array(size));
    for (const back of [0, 1, 2]) {
      history.derivatives(2, time - back * this.#plan.step, value!, first!, second!);
      samples.set(value!, back * size);
    }
  }
}

function ownerOf(scenario: Scenario, unit: number, input: number): StateOwner {
  if (input < 0) return { kind: "unit", unit };
  return { kind: "input", unit, port: unitElements(scenario, unit).inputs[input]!.port };
}

/** By slot of the signal bank: the input that it belongs to, where it is one's alone. */
function signalOwners(plan: Plan): StateOwner[] {
  const owners = Array.from({ length: plan.sizes.f64 }, (): StateOwner => ({ kind: "signal" }));
  for (const { unit, port, history, value, slope } of plan.tracks)
    for (const slot of [history, history + 1, history + 2, value, slope, slope + 1])
      owners[slot] = { kind: "input", unit, port };
  return owners;
}

function leastMultiple(a: number, b: number): number {
  let [x, y] = [a, b];
  while (y !== 0) [x, y] = [y, x % y];
  return (a / x) * b;
}
