/**
 * A unit whose exceptions are failures of that unit, with its name, the call and the time. A user's
 * function may throw anything; a run that meets it ends with an outcome, whether the unit came from
 * a file or from code.
 */
import { errorText } from "../base/error-text.ts";
import { UnitError } from "../base/outcome.ts";
import type { Banks } from "../model/value-type.ts";
import { DelegatingUnit } from "../unit/delegating-unit.ts";
import type { Predicate, Stop } from "../unit/predicate.ts";
import {
  type Access,
  CapabilityError,
  type DiscreteUpdate,
  type InitializationOptions,
  PhaseError,
  type PortSlot,
  type Snapshot,
  type Unit,
} from "../unit/unit.ts";
import { EngineError } from "./engine-error.ts";

/** @param isOwned false: disposing it is left to the one who made it. */
export function guardedUnit(unit: Unit, isOwned = true): Unit {
  return new GuardedUnit(unit, isOwned);
}

/** Lines of a stack that lead to the place in the user's file. */
const STACK_LINES = 3;

class GuardedUnit extends DelegatingUnit {
  private readonly isOwned: boolean;
  private time = 0;

  constructor(unit: Unit, isOwned: boolean) {
    super(unit);
    this.isOwned = isOwned;
    if (unit.beginAdvance === undefined) return;
    this.beginAdvance = (from, until) => {
      this.time = from;
      this.guard(() => unit.beginAdvance?.(from, until));
    };
    this.finishAdvance = () => this.guard(() => unit.finishAdvance!());
  }

  override enterInitialization(options: InitializationOptions): void {
    this.time = options.start;
    try {
      this.unit.enterInitialization(options);
    } catch (error) {
      throw this.failure("enterInitialization", error);
    }
  }

  override exitInitialization(): void {
    try {
      this.unit.exitInitialization();
    } catch (error) {
      throw this.failure("exitInitialization", error);
    }
  }

  override advance(from: number, until: Predicate): Stop {
    this.time = from;
    let stop: Stop | undefined;
    try {
      stop = this.unit.advance(from, until);
    } catch (error) {
      throw this.failure("advance", error);
    }
    if (typeof stop?.reason === "string" && stop.time >= from) return stop;
    throw this.failure("advance", new TypeError("it gave no stop condition with a time behind it"));
  }

  private guard<T>(act: () => T): T {
    try {
      return act();
    } catch (error) {
      throw this.failure("advance", error);
    }
  }

  override enterEventMode(): void {
    try {
      this.unit.enterEventMode();
    } catch (error) {
      throw this.failure("enterEventMode", error);
    }
  }

  override updateDiscreteStates(): DiscreteUpdate {
    try {
      return this.unit.updateDiscreteStates();
    } catch (error) {
      throw this.failure("updateDiscreteStates", error);
    }
  }

  override enterStepMode(): void {
    try {
      this.unit.enterStepMode();
    } catch (error) {
      throw this.failure("enterStepMode", error);
    }
  }

  override terminate(): void {
    try {
      this.unit.terminate();
    } catch (error) {
      throw this.failure("terminate", error);
    }
  }

  override dispose(): void {
    if (!this.isOwned) return;
    try {
      this.unit.dispose();
    } catch (error) {
      throw this.failure("dispose", error);
    }
  }

  override reset(): void {
    try {
      this.unit.reset();
    } catch (error) {
      throw this.failure("reset", error);
    }
  }

  override bind(slots: readonly PortSlot[]): Access {
    try {
      return this.unit.bind(slots);
    } catch (error) {
      throw this.failure("bind", error);
    }
  }

  override read(access: Access, banks: Banks): void {
    try {
      this.unit.read(access, banks);
    } catch (error) {
      throw this.failure("read", error);
    }
  }

  override write(access: Access, banks: Banks): void {
    try {
      this.unit.write(access, banks);
    } catch (error) {
      throw this.failure("write", error);
    }
  }

  override save(): Snapshot {
    try {
      return this.unit.save();
    } catch (error) {
      throw this.failure("save", error);
    }
  }

  override restore(snapshot: Snapshot): void {
    try {
      this.unit.restore(snapshot);
    } catch (error) {
      throw this.failure("restore", error);
    }
  }

  override release(snapshot: Snapshot): void {
    try {
      this.unit.release(snapshot);
    } catch (error) {
      throw this.failure("release", error);
    }
  }

  override serialize(snapshot: Snapshot): Uint8Array {
    try {
      return this.unit.serialize(snapshot);
    } catch (error) {
      throw this.failure("serialize", error);
    }
  }

  override deserialize(bytes: Uint8Array): Snapshot {
    try {
      return this.unit.deserialize(bytes);
    } catch (error) {
      throw this.failure("deserialize", error);
    }
  }

  override directionalDerivative(...args: Parameters<Unit["directionalDerivative"]>): void {
    try {
      super.directionalDerivative(...args);
    } catch (error) {
      throw this.failure("directionalDerivative", error);
    }
  }

  override adjointDerivative(...args: Parameters<Unit["adjointDerivative"]>): void {
    try {
      super.adjointDerivative(...args);
    } catch (error) {
      throw this.failure("adjointDerivative", error);
    }
  }

  override setInputDerivatives(
    ports: readonly number[],
    orders: readonly number[],
    values: Float64Array,
  ): void {
    try {
      this.unit.setInputDerivatives(ports, orders, values);
    } catch (error) {
      throw this.failure("setInputDerivatives", error);
    }
  }

  override getOutputDerivatives(...args: Parameters<Unit["getOutputDerivatives"]>): void {
    try {
      super.getOutputDerivatives(...args);
    } catch (error) {
      throw this.failure("getOutputDerivatives", error);
    }
  }

  /**
   * Mistakes of the caller are not the unit's failure, and what the engine throws it understands.
   */
  private failure(call: string, error: unknown): unknown {
    const isOurs =
      error instanceof UnitError ||
      error instanceof EngineError ||
      error instanceof PhaseError ||
      error instanceof CapabilityError;
    if (isOurs) return error;
    const isError = error instanceof Error;
    const stack = isError ? (error.stack ?? "").split("\n").slice(1, 1 + STACK_LINES) : [];
    return new UnitError({
      unit: this.name,
      call,
      status: isError ? `${error.name}: ${error.message}` : `an exception: ${errorText(error)}`,
      time: this.time,
      log: stack.map((line) => line.trim()),
    });
  }
}
