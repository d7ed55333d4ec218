/**
 * A plan on stand-ins, taken through one period again and again, each time from another small
 * deviation of what the coupled system carries from step to step: what a checkpoint would keep.
 */
import {
  enterInitialization,
  exitInitialization,
  exitToFirstEvent,
  resolveInitial,
} from "../engine/initialize-plan.ts";
import { Interpreter } from "../engine/interpreter.ts";
import { MasterRun } from "../engine/masters/run-master.ts";
import { bindPlan } from "../engine/signals.ts";
import type { Scenario } from "../model/scenario.ts";
import { type Plan, timeOf } from "../plan/plan.ts";
import type { Snapshot } from "../unit/unit.ts";
import type { LinearStepUnit } from "./linear-step-unit.ts";
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

/** Steps before the first deviation, so that a master has as much past as it wants. */
const WARM_UP = 4;

export class SteppedPlan {
  private readonly plan: Plan;
  private readonly units: readonly LinearStepUnit[];
  private readonly f64: Float64Array;
  private readonly interpreter: Interpreter;
  private readonly snapshots: readonly Snapshot[];
  private readonly signals: Float64Array;
  private readonly master: { readonly run: MasterRun; readonly state: Uint8Array } | undefined;
  /** Entries of the units' memory, one after the other. */
  private readonly memory: readonly { unit: LinearStepUnit; slot: number; owner: StateOwner }[];

  constructor(plan: Plan, scenario: Scenario, units: readonly LinearStepUnit[]) {
    this.plan = plan;
    this.units = units;
    const state = bindPlan(plan, units);
    this.f64 = state.banks.f64;
    this.interpreter = new Interpreter(state);
    enterInitialization(units, scenario.units, { start: plan.start });
    resolveInitial(state, this.interpreter);
    if (plan.coupling === undefined) exitInitialization(state, this.interpreter);
    else {
      exitToFirstEvent(state, this.interpreter);
      const options = { stop: Number.POSITIVE_INFINITY, onRow: () => undefined };
      const run = new MasterRun(state, this.interpreter, options);
      run.begin();
      run.advanceTo(timeOf(plan, WARM_UP));
      this.master = { run, state: run.saveState() };
    }
    this.snapshots = units.map((unit) => unit.save());
    this.signals = this.f64.slice();
    this.memory = units.flatMap((unit, u) =>
      unit.memory.map(({ slot, input }) => ({ unit, slot, owner: ownerOf(scenario, u, input) })),
    );
  }

  map(asked?: readonly number[]): OneStepMap {
    const owners = [
      ...this.memory.map(({ owner }) => owner),
      ...signalOwners(this.plan),
      ...this.pastOwners(),
    ];
    const entries = asked ?? [...owners.keys()];
    const size = entries.length;
    const matrix = new Float64Array(size * size);
    const deviation = new Float64Array(owners.length);
    const up = new Float64Array(owners.length);
    const down = new Float64Array(owners.length);
    entries.forEach((entry, j) => {
      deviation[entry] = 1;
      this.step(deviation, up);
      deviation[entry] = -1;
      this.step(deviation, down);
      deviation[entry] = 0;
      entries.forEach((row, i) => {
        matrix[i * size + j] = (up[row] - down[row]) / 2;
      });
    });
    return {
      size,
      entries,
      matrix,
      owners: entries.map((entry) => owners[entry]),
      ticks: this.ticks,
      step: this.plan.step,
    };
  }

  /** n × n for n states of units, row-major, over a period. */
  stateMap(): Float64Array {
    const states = this.memory.filter(
      ({ owner, slot, unit }) => owner.kind === "unit" && unit.isState(slot),
    );
    const n = states.length;
    const matrix = new Float64Array(n * n);
    states.forEach(({ unit, slot }, j) => {
      for (const sign of [1, -1]) {
        this.goBack();
        unit.values[slot] += sign;
        this.follow();
        this.run();
        states.forEach((row, i) => {
          matrix[i * n + j] += (sign * row.unit.values[row.slot]) / 2;
        });
      }
    });
    return matrix;
  }

  private get ticks(): number {
    if (this.plan.coupling !== undefined) return 1;
    return this.plan.units.reduce((all, { ticks }) => leastMultiple(all, ticks), 1);
  }

  private pastOwners(): StateOwner[] {
    const inputs = this.plan.coupling?.inputs ?? [];
    return [0, 1, 2, 3].flatMap(() =>
      inputs.map(({ unit, port }): StateOwner => ({ kind: "input", unit, port })),
    );
  }

  private goBack(): void {
    this.units.forEach((unit, u) => {
      unit.restore(this.snapshots[u]);
    });
    this.f64.set(this.signals);
    this.master?.run.restoreState(this.master.state);
  }

  /** Signals and inputs become those that the states give, as if they had always been. */
  private follow(): void {
    if (this.master) {
      this.master.run.coupling.resolve();
      this.master.run.coupling.forgetPast();
      return;
    }
    const { segments, tracks } = this.plan;
    this.interpreter.run(segments.resolve, 0);
    for (const { history, signal } of tracks) this.f64.fill(this.f64[signal], history, history + 3);
    this.interpreter.run(segments.inputs, 0);
  }

  private run(): void {
    if (this.master) {
      this.master.run.advanceTo(timeOf(this.plan, WARM_UP + 1));
      return;
    }
    const { step } = this.plan.segments;
    for (let tick = 1; tick <= this.ticks; tick++) this.interpreter.run(step, tick);
  }

  /** One period from `before`. */
  private step(before: Float64Array, after: Float64Array): void {
    this.goBack();
    let at = 0;
    for (const { unit, slot } of this.memory) unit.values[slot] += before[at++];
    for (let i = 0; i < this.f64.length; i++) this.f64[i] += before[at++];
    if (this.master) this.setPast(before.subarray(at));
    this.run();
    at = 0;
    for (const { unit, slot } of this.memory) after[at++] = unit.values[slot];
    for (let i = 0; i < this.f64.length; i++) after[at++] = this.f64[i];
    if (this.master) this.getPast(after.subarray(at));
  }

  /** The last three samples of coupled inputs, newest first, and what their areas lack. */
  private setPast(samples: Float64Array): void {
    const { coupling } = this.master!.run;
    const { size, history, time } = coupling;
    const { step } = this.plan;
    coupling.begin.set(samples.subarray(0, size));
    coupling.previous.set(samples.subarray(size, 2 * size));
    coupling.previousAgo = step;
    for (let i = 0; i < size; i++) coupling.debt[i] += samples[3 * size + i];
    if (size === 0) return;
    history.reset();
    for (const back of [2, 1, 0])
      history.push(time - back * step, samples.slice(back * size, (back + 1) * size));
  }

  private getPast(samples: Float64Array): void {
    const { size, history, time, debt } = this.master!.run.coupling;
    if (size === 0) return;
    samples.set(debt.subarray(0, size), 3 * size);
    const [value, first, second] = [0, 1, 2].map(() => new Float64Array(size));
    for (const back of [0, 1, 2]) {
      history.derivatives(2, time - back * this.plan.step, value!, first!, second!);
      samples.set(value!, back * size);
    }
  }
}

function ownerOf(scenario: Scenario, unit: number, input: number): StateOwner {
  if (input < 0) return { kind: "unit", unit };
  return { kind: "input", unit, port: unitElements(scenario, unit).inputs[input].port };
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
