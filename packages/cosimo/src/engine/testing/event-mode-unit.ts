/**
 * A unit with event mode whose outputs change in its updates only, which subclasses write.
 */
import { BaseUnit } from "../../unit/base-unit.ts";
import type { Stop } from "../../unit/predicate.ts";
import type { DiscreteUpdate, Phase } from "../../unit/unit.ts";

export abstract class EventModeUnit extends BaseUnit {
  private isInEvent = false;

  /** Changes the store at an event. */
  protected abstract update(): void;

  protected override evaluate(): void {
    // The output changes in updates only.
  }

  protected override proceed(_from: number, bound: number): Stop {
    return this.stopAt("time", -1, bound);
  }

  override get phase(): Phase {
    return this.isInEvent ? "event" : super.phase;
  }

  override exitInitialization(): void {
    super.exitInitialization();
    this.isInEvent = true;
  }

  override enterEventMode(): void {
    this.isInEvent = true;
  }

  override updateDiscreteStates(): DiscreteUpdate {
    this.update();
    return {
      again: false,
      terminate: false,
      nominalsChanged: false,
      statesChanged: false,
      nextEventTime: undefined,
    };
  }

  override enterStepMode(): void {
    this.isInEvent = false;
  }
}
