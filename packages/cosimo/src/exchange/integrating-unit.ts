/**
 * A model of differential equations with events, with a solver of its own: a simulation unit like
 * any other.
 *
 * `advance` integrates to the requested time, the next time event, the first state event or level
 * that is waited for, or the end of a step at which the model asks for an event, whatever comes
 * first. Events are handled in event mode by the caller, or inside `advance` by the unit itself
 * (`handlesEvents`). Integration ends at communication points, because inputs may jump there;
 * between them inputs follow their polynomials. What a snapshot holds is decided in saved-state.ts.
 */
import { UnitError } from "../base/outcome.ts";
import type { IntegratorOptions } from "../model/integrator.ts";
import { type Port, portSize, type UnitDescription } from "../model/unit-description.ts";
import type { Banks } from "../model/value-type.ts";
import { conditionsOf, type Predicate, type Stop, timeBound } from "../unit/predicate.ts";
import {
  type Access,
  CapabilityError,
  type ClockServices,
  type DiscreteUpdate,
  type InitializationOptions,
  type Phase,
  PhaseError,
  type PortSlot,
  type Snapshot,
  type Unit,
} from "../unit/unit.ts";
import { DiscreteWrites } from "./discrete-writes.ts";
import type { EventOde } from "./event-ode.ts";
import { EventWatch, type Threshold } from "./event-watch.ts";
import { INPUT_ORDER, InputPolynomials } from "./input-polynomials.ts";
import { integratingDescription, withoutEvents } from "./integrating-description.ts";
import { Integration, type MethodChange } from "./integration.ts";
import { PartialDerivatives } from "./partial-derivatives.ts";
import { type OwnMemory, SavedStates } from "./saved-state.ts";

export interface IntegratingUnitOptions extends IntegratorOptions {
  /** The unit runs without event mode: it handles its events inside of `advance`. */
  readonly handlesEvents?: boolean;
  /** Called where method `auto` changes to another method. */
  readonly onMethodChange?: (change: MethodChange) => void;
}

/** A unit in the phase of its model, which belongs to it from now on. */
export function integratingUnit(model: EventOde, options: IntegratingUnitOptions = {}): Unit {
  return new IntegratingUnit(model, options);
}

const DIFFERENTIABLE: readonly Phase[] = ["initialization", "step", "event"];
/** Events this close together (in rounding errors of time) are one instant. */
const SAME_INSTANT = 1000 * Number.EPSILON;
/** So many events at one instant are not the end of it. */
const MOST_EVENTS = 1000;
const NO_THRESHOLDS: readonly Threshold[] = [];

class IntegratingUnit implements Unit, OwnMemory {
  readonly name: string;
  readonly description: UnitDescription;
  readonly clocks?: ClockServices;
  readonly memorySize: number;
  private readonly model: EventOde;
  private readonly inputs: InputPolynomials;
  private readonly integration: Integration;
  private readonly watch: EventWatch;
  private readonly partials: PartialDerivatives;
  private readonly saved: SavedStates;
  private readonly discrete: DiscreteWrites;
  private readonly stop: Stop = { reason: "time", port: -1, time: 0 };
  private readonly handlesEvents: boolean;
  private time = 0;
  private tolerance: number | undefined;
  private nextEvent = Number.POSITIVE_INFINITY;
  private hasNewNominals = true;
  private wantsEnd = false;
  /** Inputs were written since the last step. */
  private isDisturbed = false;
  /**
   * Events so far that the model asked for: what it does there cannot be undone by setting states.
   */
  private events = 0;
  private lastEvent = Number.NEGATIVE_INFINITY;
  private eventsHere = 0;
  private lastUntil: Predicate | undefined;
  private lastThresholds = NO_THRESHOLDS;

  constructor(
    model: EventOde,
    { onMethodChange, handlesEvents = false, ...options }: IntegratingUnitOptions,
  ) {
    this.model = model;
    this.name = model.name;
    this.handlesEvents = handlesEvents;
    const described = integratingDescription(model.description, model.structure);
    this.description = handlesEvents ? withoutEvents(described) : described;
    if (model.clocks !== undefined) this.clocks = model.clocks;
    this.inputs = new InputPolynomials(model);
    this.integration = new Integration(model, this.inputs, options, onMethodChange);
    this.watch = new EventWatch(model, this.integration);
    this.partials = new PartialDerivatives(model, this.integration, this.inputs);
    this.discrete = new DiscreteWrites(model);
    this.memorySize =
      OWN +
      this.inputs.memorySize +
      model.structure.indicators +
      (model.memory?.size ?? 0) +
      this.integration.memorySize;
    this.saved = new SavedStates(model, this);
  }

  get phase(): Phase {
    return this.model.phase;
  }

  enterInitialization(options: InitializationOptions): void {
    this.model.enterInitialization(options);
    this.time = options.start;
    this.tolerance = options.tolerance ?? this.description.experiment.tolerance;
  }

  exitInitialization(): void {
    this.model.exitInitialization();
    this.hasNewNominals = true;
    if (this.handlesEvents) this.settleEvents();
  }

  /** Discrete updates until the model has no more to do, and back to continuous time. */
  private settleEvents(): void {
    for (let round = 0; this.updateModel().again; round++)
      if (round === MOST_EVENTS)
        throw new UnitError({
          unit: this.name,
          call: "updateDiscreteStates",
          status: `${MOST_EVENTS} discrete updates at one instant`,
          time: this.time,
          log: ["its event iteration does not come to an end"],
        });
    this.leaveEvent();
  }

  advance(from: number, until: Predicate): Stop {
    if (this.phase !== "step") throw new PhaseError(this.name, "advance", this.phase, ["step"]);
    const thresholds = this.thresholdsIn(until);
    const bound = timeBound(until);
    if (from !== this.time)
      throw new Error(`'${this.name}' is at t=${this.time}, so it cannot advance from t=${from}`);
    if (!(bound > from && bound < Number.POSITIVE_INFINITY))
      throw new Error(`'${this.name}' cannot advance from t=${from} until t=${bound}`);
    if (this.wantsEnd) return this.stopAt("terminated", -1);
    this.inputs.start(from);
    if (this.isDisturbed) {
      this.isDisturbed = false;
      this.integration.disturb();
      if (this.watch.hasJumped()) {
        this.stopAtEvent();
        if (!this.handlesEvents) return this.stop;
        this.handleEvent();
      }
    }
    this.watch.watch(thresholds);
    const stop = this.handlesEvents ? this.integrateOn(bound) : this.integrate(bound);
    this.inputs.end(this.time);
    this.model.memory?.settle();
    return stop;
  }

  /** Through all events, as far as `bound`, a level or the end. */
  private integrateOn(bound: number): Stop {
    for (;;) {
      const stop = this.integrate(bound);
      if (stop.reason !== "event") return stop;
      const jumped = this.handleEvent();
      if (this.wantsEnd) return this.stopAt("terminated", -1);
      if (jumped !== undefined) return this.stopAt("threshold", jumped.port);
      if (this.time >= bound && this.time < this.nextEvent) return this.stopAt("time", -1);
    }
  }

  /** One event, here. @returns a level that a value jumped across. */
  private handleEvent(): Threshold | undefined {
    this.model.enterEventMode();
    this.settleEvents();
    return this.watch.levelJumped();
  }

  private integrate(bound: number): Stop {
    const { integration, watch } = this;
    const end = Math.min(bound, this.nextEvent);
    while (this.time < end) {
      const from = this.time;
      integration.stepTowards(end);
      const crossing = watch.find(from, integration.time);
      integration.cutAt(crossing?.time ?? integration.time);
      this.time = integration.time;
      if (crossing !== undefined) watch.settle();
      const verdict = this.completeStep();
      if (verdict === "terminate") return this.stopAt("terminated", -1);
      if (crossing !== undefined && crossing.threshold === undefined) return this.stopAtEvent();
      if (crossing?.threshold !== undefined && verdict === "go-on")
        return this.stopAt("threshold", crossing.threshold.port);
      if (verdict === "event") return this.stopAtEvent();
    }
    return this.time >= this.nextEvent ? this.stopAtEvent() : this.stopAt("time", -1);
  }

  private completeStep(): ReturnType<EventOde["completeStep"]> {
    const { model } = this;
    return model.structure.needsCompletedSteps ? model.completeStep(this.saved.isUsed) : "go-on";
  }

  private stopAt(reason: Stop["reason"], port: number): Stop {
    const { stop } = this;
    stop.reason = reason;
    stop.port = port;
    stop.time = this.time;
    return stop;
  }

  /** @throws UnitError where events come ever faster, and time does not go on. */
  private stopAtEvent(): Stop {
    const { time } = this;
    this.events++;
    this.eventsHere =
      time - this.lastEvent <= SAME_INSTANT * Math.abs(time) ? this.eventsHere + 1 : 0;
    this.lastEvent = time;
    if (this.eventsHere > MOST_EVENTS)
      throw new UnitError({
        unit: this.name,
        call: "advance",
        status: `${MOST_EVENTS} events at one instant`,
        time,
        log: [
          "its event indicators change sign again right after each event (chattering, or a Zeno point): the model needs hysteresis or a state of rest",
        ],
      });
    return this.stopAt("event", -1);
  }

  enterEventMode(): void {
    this.offerEventMode();
    this.model.enterEventMode();
  }

  updateDiscreteStates(): DiscreteUpdate {
    this.offerEventMode();
    return this.updateModel();
  }

  private updateModel(): DiscreteUpdate {
    const update = this.model.updateDiscreteStates();
    this.nextEvent = update.nextEventTime ?? Number.POSITIVE_INFINITY;
    if (update.nominalsChanged) this.hasNewNominals = true;
    if (update.terminate) this.wantsEnd = true;
    return update;
  }

  enterStepMode(): void {
    this.offerEventMode();
    this.leaveEvent();
  }

  private leaveEvent(): void {
    this.model.enterStepMode();
    this.restart();
  }

  private offerEventMode(): void {
    if (this.handlesEvents && this.phase !== "disposed")
      throw new CapabilityError(this.name, "event mode");
  }

  /** States, indicators and equations may be others than before. */
  private restart(): void {
    this.integration.begin(this.time, this.tolerance, this.hasNewNominals);
    this.hasNewNominals = false;
    this.isDisturbed = false;
    this.watch.begin();
  }

  terminate(): void {
    this.model.terminate();
  }

  reset(): void {
    this.model.reset();
    this.inputs.stop();
    this.integration.reset();
    this.nextEvent = Number.POSITIVE_INFINITY;
    this.hasNewNominals = true;
    this.wantsEnd = false;
    this.isDisturbed = false;
    this.events = 0;
    this.lastEvent = Number.NEGATIVE_INFINITY;
    this.eventsHere = 0;
  }

  dispose(): void {
    this.saved.forget();
    this.model.dispose();
  }

  bind(slots: readonly PortSlot[]): Access {
    return this.model.bind(slots);
  }

  read(access: Access, banks: Banks): void {
    this.model.read(access, banks);
  }

  /**
   * Discrete inputs and tunable parameters that change outside of event mode are an event of their
   * own.
   */
  write(access: Access, banks: Banks): void {
    this.isDisturbed = true;
    if (this.phase !== "step") {
      this.model.write(access, banks);
      return;
    }
    if (!this.discrete.isChange(access, banks)) {
      const part = this.discrete.continuousPart(access);
      if (part.slots.length > 0) this.model.write(part, banks);
      return;
    }
    this.model.enterEventMode();
    this.model.write(access, banks);
    this.settleEvents();
  }

  save(): Snapshot {
    return this.saved.save(this.time);
  }

  restore(snapshot: Snapshot): void {
    this.saved.restore(snapshot);
  }

  release(snapshot: Snapshot): void {
    this.saved.release(snapshot);
  }

  serialize(snapshot: Snapshot): Uint8Array {
    return this.saved.serialize(snapshot);
  }

  deserialize(bytes: Uint8Array): Snapshot {
    return this.saved.deserialize(bytes);
  }

  // ---- what snapshots hold besides the model's state --------------------------------------------

  get eventCount(): number {
    return this.events;
  }

  remember(into: Float64Array): void {
    const { inputs, watch, integration } = this;
    into[0] = this.time;
    into[1] = this.nextEvent;
    into[2] = this.tolerance ?? Number.NaN;
    into[3] = this.events;
    into[4] = this.lastEvent;
    into[5] = this.eventsHere;
    into[6] = (this.wantsEnd ? 1 : 0) + (this.isDisturbed ? 2 : 0) + (this.hasNewNominals ? 4 : 0);
    const first = OWN + inputs.memorySize;
    inputs.save(into.subarray(OWN, first));
    watch.save(into.subarray(first));
    const { structure, memory } = this.model;
    const second = first + structure.indicators;
    memory?.save(into.subarray(second));
    integration.save(into.subarray(second + (memory?.size ?? 0)));
  }

  /** The model has its state back. */
  recall(from: Float64Array): void {
    const { inputs, watch, integration } = this;
    this.time = from[0];
    this.nextEvent = from[1];
    this.tolerance = Number.isNaN(from[2]) ? undefined : from[2];
    this.events = from[3];
    this.lastEvent = from[4];
    this.eventsHere = from[5];
    this.wantsEnd = (from[6] & 1) !== 0;
    this.isDisturbed = (from[6] & 2) !== 0;
    this.hasNewNominals = (from[6] & 4) !== 0;
    const first = OWN + inputs.memorySize;
    inputs.restore(from.subarray(OWN, first));
    watch.restore(from.subarray(first));
    const { structure, memory } = this.model;
    const second = first + structure.indicators;
    memory?.restore(from.subarray(second));
    const rest = from.subarray(second + (memory?.size ?? 0));
    if (this.phase !== "step" && this.phase !== "event") return;
    integration.settle(this.tolerance);
    integration.restore(rest, this.time);
  }

  // ---- derivatives ------------------------------------------------------------------------------

  directionalDerivative(
    unknowns: readonly number[],
    knowns: readonly number[],
    seed: Float64Array,
    out: Float64Array,
  ): void {
    this.require("directionalDerivative", DIFFERENTIABLE);
    this.partials.directional(unknowns, knowns, seed, out);
  }

  adjointDerivative(
    unknowns: readonly number[],
    knowns: readonly number[],
    seed: Float64Array,
    out: Float64Array,
  ): void {
    this.require("adjointDerivative", DIFFERENTIABLE);
    if (!this.description.capabilities.adjointDerivatives)
      throw new CapabilityError(this.name, "adjoint derivatives");
    this.model.adjointDerivative(unknowns, knowns, seed, out);
  }

  setInputDerivatives(
    ports: readonly number[],
    orders: readonly number[],
    values: Float64Array,
  ): void {
    this.require("setInputDerivatives", ["step"]);
    if (this.description.capabilities.inputDerivativeOrder === 0)
      throw new CapabilityError(this.name, "input derivatives");
    let at = 0;
    ports.forEach((index, i) => {
      const order = orders[i];
      if (order < 1 || order > INPUT_ORDER)
        throw new CapabilityError(this.name, `input derivatives of order ${order}`);
      const port = this.description.ports[index] as Port;
      this.inputs.set(port, order, values, at);
      at += portSize(port);
    });
    this.isDisturbed = true;
  }

  getOutputDerivatives(
    ports: readonly number[],
    orders: readonly number[],
    out: Float64Array,
  ): void {
    this.require("getOutputDerivatives", ["step"]);
    if (orders.some((order) => order !== 1))
      throw new CapabilityError(this.name, "output derivatives of orders above 1");
    this.inputs.start(this.time);
    this.partials.alongTime(ports, out);
  }

  private require(call: string, allowed: readonly Phase[]): void {
    if (!allowed.includes(this.phase)) throw new PhaseError(this.name, call, this.phase, allowed);
  }

  private thresholdsIn(until: Predicate): readonly Threshold[] {
    if (until.kind === "time") return NO_THRESHOLDS;
    if (until === this.lastUntil) return this.lastThresholds;
    const { predicates } = this.description.capabilities;
    const conditions = conditionsOf(until);
    for (const { kind } of conditions)
      if (!predicates.includes(kind as "event"))
        throw new CapabilityError(this.name, `the predicate '${kind}'`);
    this.lastUntil = until;
    this.lastThresholds = conditions.filter((c): c is Threshold => c.kind === "threshold");
    return this.lastThresholds;
  }
}

/** Numbers of a snapshot that are of the unit itself. */
const OWN = 7;
