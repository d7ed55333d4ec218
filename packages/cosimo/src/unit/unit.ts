/**
 * The simulation-unit contract: one interface for every simulator, whatever it is made of.
 *
 * Life cycle (a call in another phase throws `PhaseError`):
 *
 *   instantiated ──enterInitialization──▶ initialization ──exitInitialization──▶ step | event
 *   step ──enterEventMode──▶ event ──enterStepMode──▶ step ──terminate──▶ terminated
 *   any ──reset──▶ instantiated          any ──dispose──▶ disposed
 *
 * Only units that run with event mode ever enter `event`; they are in it after
 * `exitInitialization`. What a unit cannot do it declares in `description.capabilities`; calling it
 * all the same throws. The rules behind this are numbered in docs/spec/unit.md and tested by
 * unit/testing/contract.ts on every backend.
 */

import type { UnitDescription } from "../model/unit-description.ts";
import type { Banks } from "../model/value-type.ts";
import type { Predicate, Stop } from "./predicate.ts";
import type { TieServices } from "./ties.ts";

export type Phase =
  | "instantiated"
  | "initialization"
  | "step"
  | "event"
  | "terminated"
  | "disposed";

/**
 * Where one port's value lies in the banks: `portSize` consecutive slots of the bank of its type.
 */
export interface PortSlot {
  readonly port: number;
  readonly slot: number;
}

/**
 * A prepared transfer between ports and banks. Made by `bind`, understood only by the unit that
 * made it.
 */
export interface Access {
  readonly slots: readonly PortSlot[];
}

/** A saved state. Belongs to the unit that made it until it is released. */
export interface Snapshot {
  readonly time: number;
}

export interface InitializationOptions {
  readonly start: number;
  readonly stop?: number;
  readonly tolerance?: number;
}

/** What a discrete update decided (FMI 3: updateDiscreteStates). */
export interface DiscreteUpdate {
  readonly again: boolean;
  readonly terminate: boolean;
  readonly nominalsChanged: boolean;
  readonly statesChanged: boolean;
  /** The next time event, or undefined when none is known. */
  readonly nextEventTime: number | undefined;
}

/** What a unit says about the intervals of its input clocks, and takes; ports by index. */
export interface ClockServices {
  getIntervals(
    clocks: readonly number[],
  ): readonly { readonly seconds: number; readonly qualifier: string }[];
  setIntervals(clocks: readonly number[], seconds: readonly number[]): void;
}

/**
 * A unit whose behaviour changes at instants that are not its own: a fault begins or ends. The
 * caller switches the unit, once all of its inputs are those of the instant, so that what belongs
 * to the step before is not mixed with what belongs to the step after.
 */
export interface Switching {
  /** The next instant that is known, after the unit's present time; infinity: none. */
  readonly nextTime: number;
  /**
   * When conditions about the unit itself are to be looked at again, where nobody locates them;
   * after `now`. Absent: never.
   */
  nextLook?(now: number): number;
  /** `isDue` depends on inputs: they are to be those of the present time. */
  readonly looksAtInputs?: boolean;
  /** Whether something is to be switched at the unit's present time, with its present inputs. */
  isDue(): boolean;
  switch(): void;
}

/** A fault of a unit, as reports show it. */
export interface FaultCount {
  readonly name: string;
  readonly activations: number;
}

export interface Unit {
  /** The instance's name, as the run's messages call it. */
  readonly name: string;
  readonly description: UnitDescription;
  readonly phase: Phase;
  /** Present where the unit knows intervals of clocks. */
  readonly clocks?: ClockServices;
  /** Present where the caller has to switch it. */
  readonly switching?: Switching | undefined;
  /** How often each of its faults has begun to act; absent: it has none. */
  faultCounts?(): readonly FaultCount[];
  /** Present where simultaneous events inside the unit can be taken in several orders. */
  readonly ties?: TieServices;

  enterInitialization(options: InitializationOptions): void;
  exitInitialization(): void;
  /**
   * Goes on from `from`, the unit's present time, until `until` holds. `until` must bound time by a
   * later value; by `from` itself where the unit claims `zeroStep`, which then does what is due at
   * this instant.
   */
  advance(from: number, until: Predicate): Stop;
  /**
   * `advance` in two halves, for units that work elsewhere: the caller starts several of them, and
   * does something else meanwhile. Between the two nothing may be called but `phase`; what
   * `advance` throws is thrown by either. Both are present, or none.
   */
  beginAdvance?(from: number, until: Predicate): void;
  finishAdvance?(): Stop;
  enterEventMode(): void;
  updateDiscreteStates(): DiscreteUpdate;
  enterStepMode(): void;
  terminate(): void;
  /** Back to the state right after instantiation; values set before are forgotten. */
  reset(): void;
  /** Frees what the unit holds. Idempotent; nothing else may be called after it. */
  dispose(): void;

  /** Prepares reading and writing of some ports; the hot path then allocates nothing. */
  bind(slots: readonly PortSlot[]): Access;
  /** Copies the ports' present values into the banks. */
  read(access: Access, banks: Banks): void;
  /** Copies the banks' values into the ports: inputs, and parameters while the phase allows it. */
  write(access: Access, banks: Banks): void;

  /** Prepares all calls of a step as one; undefined, or absent: nothing is gained by it. */
  prepareStage?(parts: StageParts): Stage | undefined;

  /**
   * When it does something next by itself, where nothing arrives before; infinity: never. Present
   * where the unit claims `announces`.
   */
  nextAction?(): number;

  /**
   * How often the event of a transient output occurred since the start, where the unit counts: for
   * summaries that show lost events.
   */
  eventsSent?(port: number): number | undefined;
  /**
   * How many events of a transient input have arrived since the start, where some that are written
   * do not: behind the faults of a unit.
   */
  eventsReceived?(port: number): number | undefined;

  save(): Snapshot;
  restore(snapshot: Snapshot): void;
  release(snapshot: Snapshot): void;
  serialize(snapshot: Snapshot): Uint8Array;
  deserialize(bytes: Uint8Array): Snapshot;

  /**
   * `out = ∂unknowns/∂knowns · seed`, at the present state. Element-wise: one entry per scalar
   * element.
   */
  directionalDerivative(
    unknowns: readonly number[],
    knowns: readonly number[],
    seed: Float64Array,
    out: Float64Array,
  ): void;
  /** `out = seedᵀ · ∂unknowns/∂knowns`. */
  adjointDerivative(
    unknowns: readonly number[],
    knowns: readonly number[],
    seed: Float64Array,
    out: Float64Array,
  ): void;
  /** Time derivatives of real inputs that hold from now on, `order` ≥ 1 per port. */
  setInputDerivatives(
    ports: readonly number[],
    orders: readonly number[],
    values: Float64Array,
  ): void;
  /** Time derivatives of real outputs at the end of the last step. */
  getOutputDerivatives(
    ports: readonly number[],
    orders: readonly number[],
    out: Float64Array,
  ): void;
}

/**
 * Input derivatives of a stage: `values` of a call of `setInputDerivatives` are in these slots of
 * the bank of doubles.
 */
export interface StageSlopes {
  readonly ports: readonly number[];
  readonly orders: readonly number[];
  readonly slots: readonly number[];
}

/** What happens to a unit in a step, in this order, with the step between `slopes` and `read`. */
export interface StageParts {
  readonly write: readonly Access[];
  readonly slopes: readonly StageSlopes[];
  readonly read: readonly Access[];
}

/** The calls of a step as one call, for units where each costs. */
export interface Stage {
  /**
   * Goes back to `back`, where it is given, writes, advances to `to` and reads. A unit that does
   * not arrive is not read. The same as `restore`, `write`, `setInputDerivatives`, `advance` and
   * `read`.
   */
  run(from: number, to: number, banks: Banks, back?: Snapshot): Stop;
}

/** A call that the life cycle does not allow now: always a mistake of the caller. */
export class PhaseError extends Error {
  constructor(unit: string, call: string, phase: Phase, allowed: readonly Phase[]) {
    super(
      `'${unit}': ${call} is not allowed in phase '${phase}' (only in ${allowed.map((p) => `'${p}'`).join(", ")})`,
    );
    this.name = "PhaseError";
  }
}

/** A call to something the unit declares it cannot do. */
export class CapabilityError extends Error {
  constructor(unit: string, capability: string) {
    super(`'${unit}' does not offer ${capability}; its capabilities say so before the run`);
    this.name = "CapabilityError";
  }
}
