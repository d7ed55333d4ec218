/**
 * A scenario as a unit: hierarchy. Its ports are the exposed ports of the units inside, its steps
 * are ticks of its own plan, or whatever its own master decides them to be.
 *
 * Inputs written from outside go straight to the units inside and are held until written again;
 * when they reach an output at once, the signals inside are resolved again before anything is read.
 */

import { UnitError } from "../base/outcome.ts";
import type { Scenario } from "../model/scenario.ts";
import type { UnitDescription } from "../model/unit-description.ts";
import type { Banks } from "../model/value-type.ts";
import { type Plan, timeOf } from "../plan/plan.ts";
import { copyBanks, fillBanks } from "../unit/banks.ts";
import { ByteReader, ByteWriter } from "../unit/bytes.ts";
import { disposeAll } from "../unit/dispose-all.ts";
import { conditionsOf, type Predicate, type Stop, timeBound } from "../unit/predicate.ts";
import {
  type Access,
  CapabilityError,
  type DiscreteUpdate,
  type FaultCount,
  type InitializationOptions,
  type Phase,
  PhaseError,
  type PortSlot,
  type Snapshot,
  type Unit,
} from "../unit/unit.ts";
import { learnFirstSlopes } from "./first-slopes.ts";
import {
  exitInitialization,
  exitToFirstEvent,
  giveValues,
  resolveInitial,
} from "./initialize-plan.ts";
import { Interpreter } from "./interpreter.ts";
import { MasterRun } from "./masters/run-master.ts";
import { bindPlan, type PlanState } from "./signals.ts";

interface NestedAccess extends Access {
  readonly parts: readonly { readonly unit: Unit; readonly access: Access }[];
}

interface NestedSnapshot extends Snapshot {
  readonly phase: Phase;
  readonly tick: number;
  /** Whether inputs were written that the signals inside do not follow yet. */
  readonly outdated: boolean;
  readonly units: readonly Snapshot[];
  readonly banks: Banks;
  /** Of a master that decides at run time; empty: there is none yet. */
  readonly master: Uint8Array;
}

/**
 * @param units the scenario's units, freshly instantiated; the nested unit owns them from here on.
 */
export function scenarioUnit(
  name: string,
  description: UnitDescription,
  scenario: Scenario,
  plan: Plan,
  units: readonly Unit[],
): Unit {
  return new NestedScenario(name, description, scenario, plan, units);
}

class NestedScenario implements Unit {
  readonly name: string;
  readonly description: UnitDescription;
  private readonly scenario: Scenario;
  private readonly plan: Plan;
  private readonly units: readonly Unit[];
  private readonly state: PlanState;
  private readonly interpreter: Interpreter;
  private readonly stop: Stop = { reason: "time", port: -1, time: 0 };
  private now: Phase = "instantiated";
  private tick = 0;
  private outdated = true;
  /** Once initialized, where the master decides at run time. */
  private master: MasterRun | undefined;

  constructor(
    name: string,
    description: UnitDescription,
    scenario: Scenario,
    plan: Plan,
    units: readonly Unit[],
  ) {
    this.name = name;
    this.description = description;
    this.scenario = scenario;
    this.plan = plan;
    this.units = units;
    this.state = bindPlan(plan, units);
    this.interpreter = new Interpreter(this.state);
    giveValues(units, scenario.units);
  }

  get phase(): Phase {
    return this.now;
  }

  faultCounts(): readonly FaultCount[] {
    return this.units.flatMap((unit, u) => {
      const isNested = this.scenario.units[u].scenario !== undefined;
      const prefix = isNested ? `${this.scenario.units[u].name}.` : "";
      return (unit.faultCounts?.() ?? []).map((one) => ({ ...one, name: `${prefix}${one.name}` }));
    });
  }

  enterInitialization(options: InitializationOptions): void {
    this.need("enterInitialization", ["instantiated"]);
    if (options.start !== this.plan.start) {
      throw new Error(
        `internal: '${this.name}' was planned from t=${this.plan.start}, not from t=${options.start}`,
      );
    }
    for (const unit of this.units) unit.enterInitialization(options);
    this.now = "initialization";
    this.outdated = true;
  }

  exitInitialization(): void {
    this.need("exitInitialization", ["initialization"]);
    this.refresh();
    if (this.plan.coupling === undefined) exitInitialization(this.state, this.interpreter);
    else {
      exitToFirstEvent(this.state, this.interpreter);
      this.master = this.makeMaster();
      this.master.begin();
    }
    this.now = "step";
  }

  private makeMaster(): MasterRun {
    const options = { stop: Number.POSITIVE_INFINITY, onRow: () => undefined };
    return new MasterRun(this.state, this.interpreter, options);
  }

  advance(from: number, until: Predicate): Stop {
    this.need("advance", ["step"]);
    const target = timeBound(until);
    if (conditionsOf(until).length > 0)
      throw new CapabilityError(this.name, "predicates besides time");
    if (from !== this.stop.time && this.tick > 0)
      throw new RangeError(`'${this.name}' is at t=${this.stop.time}, not at t=${from}`);
    if (this.master !== undefined) {
      this.refresh();
      this.master.advanceTo(target);
      this.tick++;
      this.stop.time = target;
      return this.stop;
    }
    const ticks = Math.round((target - this.plan.start) / this.plan.step);
    if (
      Math.abs(timeOf(this.plan, ticks) - target) > 1e-9 * this.plan.step * Math.max(1, ticks) ||
      ticks <= this.tick
    ) {
      throw new UnitError({
        unit: this.name,
        call: "a step",
        status: "refused",
        time: from,
        problem: `it works inside with steps of ${this.plan.step} s and cannot stop at t=${target}; give it a step that divides the outer one`,
        log: [],
      });
    }
    this.refresh();
    if (this.tick === 0) learnFirstSlopes(this.state, this.interpreter);
    while (this.tick < ticks) this.interpreter.run(this.plan.segments.step, ++this.tick);
    this.stop.time = target;
    return this.stop;
  }

  enterEventMode(): void {
    throw new CapabilityError(this.name, "event mode");
  }
  updateDiscreteStates(): DiscreteUpdate {
    throw new CapabilityError(this.name, "event mode");
  }
  enterStepMode(): void {
    throw new CapabilityError(this.name, "event mode");
  }

  terminate(): void {
    this.need("terminate", ["step"]);
    for (const unit of this.units) unit.terminate();
    this.now = "terminated";
  }

  reset(): void {
    this.need("reset", ["instantiated", "initialization", "step", "event", "terminated"]);
    for (const unit of this.units) unit.reset();
    giveValues(this.units, this.scenario.units);
    this.now = "instantiated";
    this.tick = 0;
    this.outdated = true;
    this.master = undefined;
    this.state.banks.f64.fill(0);
    this.state.banks.i64.fill(0n);
    this.state.banks.obj.fill("");
  }

  dispose(): void {
    const [first] = disposeAll(this.units);
    this.now = "disposed";
    if (first !== undefined) throw first;
  }

  bind(slots: readonly PortSlot[]): Access {
    const byUnit = new Map<number, PortSlot[]>();
    for (const { port, slot } of slots) {
      // One name may stand for several inputs inside.
      const { name } = this.description.ports[port];
      for (const { inner } of this.scenario.ports.filter((exposed) => exposed.name === name)) {
        byUnit.set(inner.unit, [...(byUnit.get(inner.unit) ?? []), { port: inner.port, slot }]);
      }
    }
    const parts = [...byUnit].map(([unit, list]) => ({
      unit: this.units[unit],
      access: this.units[unit].bind(list),
    }));
    return { slots, parts } as NestedAccess;
  }

  read(access: Access, banks: Banks): void {
    this.need("read", ["initialization", "step", "terminated"]);
    this.refresh();
    for (const part of (access as NestedAccess).parts) part.unit.read(part.access, banks);
  }

  write(access: Access, banks: Banks): void {
    this.need("write", ["instantiated", "initialization", "step"]);
    for (const part of (access as NestedAccess).parts) part.unit.write(part.access, banks);
    this.outdated = true;
  }

  /** Signals inside follow what was written from outside. */
  private refresh(): void {
    if (!this.outdated) return;
    this.outdated = false;
    if (this.now === "initialization") resolveInitial(this.state, this.interpreter);
    if (this.now !== "step") return;
    if (this.master !== undefined) {
      this.master.resample();
      return;
    }
    const { segments, tracks } = this.plan;
    const { f64 } = this.state.banks;
    this.interpreter.run(segments.resolve, this.tick);
    // The newest sample was taken at this very instant: it is replaced, not pushed back.
    for (const { history, signal, sampleTicks } of tracks)
      if (this.tick % sampleTicks === 0) f64[history] = f64[signal];
    this.interpreter.run(segments.inputs, this.tick);
  }

  save(): Snapshot {
    if (!this.description.capabilities.rollback) throw new CapabilityError(this.name, "rollback");
    const snapshot: NestedSnapshot = {
      time: this.tick === 0 ? this.plan.start : this.stop.time,
      phase: this.now,
      tick: this.tick,
      outdated: this.outdated,
      units: this.units.map((unit) => unit.save()),
      banks: copyBanks(this.state.banks),
      master: this.master?.saveState() ?? new Uint8Array(0),
    };
    return snapshot;
  }

  restore(snapshot: Snapshot): void {
    const saved = snapshot as NestedSnapshot;
    this.units.forEach((unit, u) => {
      unit.restore(saved.units[u]);
    });
    fillBanks(this.state.banks, saved.banks);
    this.now = saved.phase;
    this.tick = saved.tick;
    this.stop.time = saved.time;
    this.outdated = saved.outdated;
    this.master = saved.master.length === 0 ? undefined : this.makeMaster();
    this.master?.restoreState(saved.master);
  }

  release(snapshot: Snapshot): void {
    this.units.forEach((unit, u) => {
      unit.release((snapshot as NestedSnapshot).units[u]);
    });
  }

  serialize(snapshot: Snapshot): Uint8Array {
    if (!this.description.capabilities.serialize)
      throw new CapabilityError(this.name, "serialization");
    const { time, phase, tick, outdated, units, banks, master } = snapshot as NestedSnapshot;
    const bytes = new ByteWriter();
    bytes.f64(time);
    bytes.text(phase);
    bytes.f64(tick);
    bytes.u8(outdated ? 1 : 0);
    bytes.banks(banks);
    bytes.bytes(master);
    this.units.forEach((unit, u) => {
      bytes.bytes(unit.serialize(units[u]));
    });
    return bytes.take();
  }

  deserialize(bytes: Uint8Array): Snapshot {
    if (!this.description.capabilities.serialize)
      throw new CapabilityError(this.name, "serialization");
    const saved = new ByteReader(bytes);
    const snapshot: NestedSnapshot = {
      time: saved.f64(),
      phase: saved.text() as Phase,
      tick: saved.f64(),
      outdated: saved.u8() === 1,
      banks: saved.banks(),
      master: saved.bytes(),
      units: this.units.map((unit) => unit.deserialize(saved.bytes())),
    };
    return snapshot;
  }

  directionalDerivative(): void {
    throw new CapabilityError(this.name, "directional derivatives");
  }
  adjointDerivative(): void {
    throw new CapabilityError(this.name, "adjoint derivatives");
  }
  setInputDerivatives(): void {
    throw new CapabilityError(this.name, "input derivatives");
  }
  getOutputDerivatives(): void {
    throw new CapabilityError(this.name, "output derivatives");
  }

  private need(call: string, allowed: readonly Phase[]): void {
    if (!allowed.includes(this.now)) throw new PhaseError(this.name, call, this.now, allowed);
  }
}
