/**
 * A unit with event mode that does nothing but pass a number on, in one update of its discrete states: y := gain * u + offset.
 * Two of them in a ring are the shortest cascade there is.
 */
import type { UnitDescription } from "../../model/unit-description.ts";
import { BaseUnit } from "../../unit/base-unit.ts";
import { describeUnit, makePorts } from "../../unit/port-spec.ts";
import type { Stop } from "../../unit/predicate.ts";
import type { DiscreteUpdate, Phase, Unit } from "../../unit/unit.ts";

export function toggleUnit(name: string, gain: number, offset: number): Unit {
  return new ToggleUnit(name, gain, offset);
}

class ToggleUnit extends BaseUnit {
  readonly #gain: number;
  readonly #offset: number;
  #isInEvent = false;

  constructor(name: string, gain: number, offset: number) {
    super(name, describe(name));
    this.#gain = gain;
    this.#offset = offset;
  }

  protected override evaluate(): void {
    // The output changes in updates only.
  }

  protected override proceed(_from: number, bound: number): Stop {
    return this.stopAt("time", -1, bound);
  }

  override get phase(): Phase {
    return this.#isInEvent ? "event" : super.phase;
  }

  override exitInitialization(): void {
    super.exitInitialization();
    this.#isInEvent = true;
  }

  override enterEventMode(): void {
    this.#isInEvent = true;
  }

  override updateDiscreteStates(): DiscreteUpdate {
    this.store.f64[1] = this.#gain * this.store.f64[0] + this.#offset;
    return {
      again: false,
      terminate: false,
      nominalsChanged: false,
      statesChanged: false,
      nextEventTime: undefined,
    };
  }

  override enterStepMode(): void {
    this.#isInEvent = false;
  }
}

function describe(name: string): UnitDescription {
  const ports = makePorts(name, [
    { direction: "input", ports: { u: { variability: "discrete" } } },
    { direction: "output", ports: { y: { variability: "discrete", feedThrough: [] } } },
  ]);
  return describeUnit({ name }, ports, { eventMode: true });
}
