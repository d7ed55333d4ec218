/**
 * A unit with event mode that does nothing but pass a number on, in one update of its discrete
 * states: y := gain * u + offset. Two of them in a ring are the shortest cascade there is.
 */
import type { UnitDescription } from "../../model/unit-description.ts";
import { describeUnit, makePorts } from "../../unit/port-spec.ts";
import type { Unit } from "../../unit/unit.ts";
import { EventModeUnit } from "./event-mode-unit.ts";

export function toggleUnit(name: string, gain: number, offset: number): Unit {
  return new ToggleUnit(name, gain, offset);
}

class ToggleUnit extends EventModeUnit {
  private readonly gain: number;
  private readonly offset: number;

  constructor(name: string, gain: number, offset: number) {
    super(name, describe(name));
    this.gain = gain;
    this.offset = offset;
  }

  protected override update(): void {
    this.store.f64[1] = this.gain * this.store.f64[0] + this.offset;
  }
}

function describe(name: string): UnitDescription {
  const ports = makePorts(name, [
    { direction: "input", ports: { u: { variability: "discrete" } } },
    { direction: "output", ports: { y: { variability: "discrete", feedThrough: [] } } },
  ]);
  return describeUnit({ name }, ports, { eventMode: true });
}
