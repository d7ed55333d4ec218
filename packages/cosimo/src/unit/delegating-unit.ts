/**
 * A unit around another one that passes every call on. What changes a call overrides it.
 */
import type { UnitDescription } from "../model/unit-description.ts";
import type { Banks } from "../model/value-type.ts";
import type { Predicate, Stop } from "./predicate.ts";
import type { TieServices } from "./ties.ts";
import type {
  Access,
  ClockServices,
  DiscreteUpdate,
  FaultCount,
  InitializationOptions,
  Phase,
  PortSlot,
  Snapshot,
  Switching,
  Unit,
} from "./unit.ts";

export abstract class DelegatingUnit implements Unit {
  readonly name: string;
  readonly description: UnitDescription;
  readonly clocks?: ClockServices;
  readonly ties?: TieServices;
  nextAction?: () => number;
  /**
   * Where the unit has it, and `advance` is passed on as it is: what changes `advance` decides
   * about its halves.
   */
  beginAdvance?: (from: number, until: Predicate) => void;
  finishAdvance?: () => Stop;
  protected readonly unit: Unit;

  constructor(unit: Unit, description: UnitDescription = unit.description) {
    this.name = unit.name;
    this.description = description;
    if (unit.clocks !== undefined) this.clocks = unit.clocks;
    if (unit.ties !== undefined) this.ties = unit.ties;
    if (unit.nextAction !== undefined) this.nextAction = () => unit.nextAction!();
    this.unit = unit;
    if (this.advance === DelegatingUnit.prototype.advance) this.splitAdvance();
  }

  /** Offers `advance` in halves, where the unit does. */
  protected splitAdvance(
    before: (from: number, until: Predicate) => void = () => undefined,
    after: (stop: Stop) => Stop = (stop) => stop,
  ): void {
    const { unit } = this;
    if (unit.beginAdvance === undefined) return;
    this.beginAdvance = (from, until) => {
      before(from, until);
      unit.beginAdvance?.(from, until);
    };
    this.finishAdvance = () => after(unit.finishAdvance!());
  }

  get switching(): Switching | undefined {
    return this.unit.switching;
  }

  faultCounts(): readonly FaultCount[] {
    return this.unit.faultCounts?.() ?? [];
  }

  get phase(): Phase {
    return this.unit.phase;
  }

  enterInitialization(options: InitializationOptions): void {
    this.unit.enterInitialization(options);
  }
  exitInitialization(): void {
    this.unit.exitInitialization();
  }
  advance(from: number, until: Predicate): Stop {
    return this.unit.advance(from, until);
  }
  enterEventMode(): void {
    this.unit.enterEventMode();
  }
  updateDiscreteStates(): DiscreteUpdate {
    return this.unit.updateDiscreteStates();
  }
  enterStepMode(): void {
    this.unit.enterStepMode();
  }
  terminate(): void {
    this.unit.terminate();
  }
  reset(): void {
    this.unit.reset();
  }
  dispose(): void {
    this.unit.dispose();
  }

  bind(slots: readonly PortSlot[]): Access {
    return this.unit.bind(slots);
  }
  read(access: Access, banks: Banks): void {
    this.unit.read(access, banks);
  }
  write(access: Access, banks: Banks): void {
    this.unit.write(access, banks);
  }

  eventsSent(port: number): number | undefined {
    return this.unit.eventsSent?.(port);
  }

  eventsReceived(port: number): number | undefined {
    return this.unit.eventsReceived?.(port);
  }

  save(): Snapshot {
    return this.unit.save();
  }
  restore(snapshot: Snapshot): void {
    this.unit.restore(snapshot);
  }
  release(snapshot: Snapshot): void {
    this.unit.release(snapshot);
  }
  serialize(snapshot: Snapshot): Uint8Array {
    return this.unit.serialize(snapshot);
  }
  deserialize(bytes: Uint8Array): Snapshot {
    return this.unit.deserialize(bytes);
  }

  directionalDerivative(
    unknowns: readonly number[],
    knowns: readonly number[],
    seed: Float64Array,
    out: Float64Array,
  ): void {
    this.unit.directionalDerivative(unknowns, knowns, seed, out);
  }
  adjointDerivative(
    unknowns: readonly number[],
    knowns: readonly number[],
    seed: Float64Array,
    out: Float64Array,
  ): void {
    this.unit.adjointDerivative(unknowns, knowns, seed, out);
  }
  setInputDerivatives(
    ports: readonly number[],
    orders: readonly number[],
    values: Float64Array,
  ): void {
    this.unit.setInputDerivatives(ports, orders, values);
  }
  getOutputDerivatives(
    ports: readonly number[],
    orders: readonly number[],
    out: Float64Array,
  ): void {
    this.unit.getOutputDerivatives(ports, orders, out);
  }
}
